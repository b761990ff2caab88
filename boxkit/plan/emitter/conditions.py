"""Conditions as boolean masks. What is neither true nor false (a comparison with a missing value) counts as False."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.casts import all_numbers
from boxkit.plan.emitter.code import AND, ATOM, OR, UNARY, Code
from boxkit.plan.emitter.comparisons import compared, misses_as, write_comparison
from boxkit.plan.emitter.layout import literal
from boxkit.plan.schema import columns_of
from boxkit.plan.types import BOOLEAN, Type

if TYPE_CHECKING:
    from boxkit.plan.emitter.values import Values

__all__ = ["NEGATIONS", "Conditions"]

#: What a comparison becomes under NOT; a missing value makes both unknown.
NEGATIONS: dict[str, ex.ComparisonName] = {
    "=": "!=",
    "!=": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "is": "is not",
    "is not": "is",
}
_PYTHON = {"=": "==", "is": "==", "is not": "!="}


def pushed(condition: ex.Expression, negated: bool = False) -> ex.Expression:
    """The condition with its NOTs pushed down to comparisons, where they can be written as another comparison."""
    match condition:
        case ex.Not(inner):
            return pushed(inner, not negated)
        case ex.And(parts) | ex.Or(parts):
            inner_parts = tuple(pushed(part, negated) for part in parts)
            together = isinstance(condition, ex.And) != negated
            return ex.all_of(*inner_parts) if together else ex.any_of(*inner_parts)
        case ex.Compare(operator, left, right) if negated:
            return ex.Compare(NEGATIONS[operator], left, right)
        case ex.Between() | ex.IsMissing() | ex.InValues() | ex.InPlan() | ex.Exists() | ex.Like() if negated:
            return replace(condition, negated=not condition.negated)
        case ex.Constant(value) if value is None or isinstance(value, (bool, int, float)):
            return ex.Constant(value is not None and bool(value) != negated)
        case ex.Compare() | ex.Between() | ex.IsMissing() | ex.InValues() | ex.InPlan() | ex.Exists() | ex.Like():
            return condition
        case _:
            # Any other value is a condition by being other than zero.
            return ex.Compare("=" if negated else "!=", condition, ex.Constant(0))


class Conditions:
    """Writes conditions over the table of a `Values`."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def mask(self, condition: ex.Expression) -> Code:
        """A mask that is True exactly where the condition is true."""
        return self._write(pushed(condition))

    def filled(self, code: Code, condition: ex.Expression) -> str:
        """A condition's mask with what is unknown as False."""
        if not code.single and self._may_have_na(condition):
            return f"{code.at(ATOM)}.fillna(False)"
        return code.text

    def _may_have_na(self, condition: ex.Expression) -> bool:
        types = [self.values.type_of(each) for each in columns_of(condition)]
        return any(each.nullable and each.kind in ("integer", "boolean") for each in types)

    def value(self, condition: ex.Expression) -> Code:
        """A condition as a value: missing where it is neither true nor false."""
        kind = self.values.type_of(condition)
        code = self.mask(condition)
        if not kind.nullable:
            return replace(code, text=self.filled(code, condition))
        if not code.single and isinstance(condition, (ex.Compare, ex.Between, ex.Like)):
            return self._where_known(condition, code, kind)
        negative = self.mask(ex.Not(condition))
        if code.single and negative.single:
            return self._single_value(code, negative, kind)
        code, negative = (replace(each, text=self.values.as_series(each), binds=ATOM) for each in (code, negative))
        known = f"({code.at(ATOM)} | {negative.at(ATOM)})"
        definite = f'{code.at(ATOM)}.astype("boolean").fillna(False)'
        return Code(f"{definite}.where({known}.fillna(False))", kind)

    @staticmethod
    def _single_value(code: Code, negative: Code, kind: Type) -> Code:
        """A single condition's value, given when it is true and when it is false."""
        if code.text == "True" or negative.text == "True":
            return code
        if code.text == negative.text == "False":
            return Code("np.nan", kind, single=True)
        return Code(f"(True if {code.text} else False if {negative.text} else np.nan)", kind, single=True)

    def _where_known(self, condition: ex.Compare | ex.Between | ex.Like, code: Code, kind: Type) -> Code:
        """A comparison's mask, missing where one of its sides is."""
        sides = [_read(each) for each in _sides(condition)]
        sides = [each for each in dict.fromkeys(sides) if self.values.type_of(each).nullable]
        if not sides:
            return Code(code.text, BOOLEAN, binds=code.binds)
        known = " & ".join(f"{self.values.series(each)}.notna()" for each in sides)
        return Code(f'{code.at(ATOM)}.astype("boolean").where({known})', kind)

    def _write(self, condition: ex.Expression) -> Code:
        match condition:
            case ex.And(parts) | ex.Or(parts):
                return self._joined(parts, "&" if isinstance(condition, ex.And) else "|")
            case ex.Compare():
                return write_comparison(self.values, condition)
            case ex.Between():
                return self._between(condition)
            case ex.IsMissing(value, negated):
                return self._missing(value, negated)
            case ex.InValues():
                return self._in_values(condition)
            case ex.InPlan():
                return self._in_plan(condition)
            case ex.Exists(plan, negated):
                return self.values.emitter.has_rows(plan, negated)
            case ex.Like():
                return self._like(condition)
            case ex.Constant(value):
                return self.constant(bool(value))
            case _:
                raise PlanError(f"a {type(condition).__name__} is no condition")

    def constant(self, truth: bool) -> Code:
        """The same answer for every row."""
        return Code(str(truth), BOOLEAN, single=True)

    def _joined(self, parts: tuple[ex.Expression, ...], sign: str) -> Code:
        codes = [self._write(part) for part in parts]
        decides = "False" if sign == "&" else "True"
        if any(code.text == decides for code in codes):
            return self.constant(sign == "|")
        codes = [code for code in codes if code.text not in ("True", "False")]
        if len(codes) <= 1:
            return codes[0] if codes else self.constant(sign == "&")
        level = AND if sign == "&" else OR
        single = all(code.single for code in codes)
        if single:
            word = "and" if sign == "&" else "or"
            return Code(f" {word} ".join(f"({code.text})" for code in codes), BOOLEAN, True, level + 5)
        return Code(f" {sign} ".join(code.at(level) for code in codes), BOOLEAN, False, level)

    def _between(self, condition: ex.Between) -> Code:
        value, low, high = condition.value, condition.low, condition.high
        kinds = [self.values.type_of(each) for each in (value, low, high)]
        plain = all(each.is_number for each in kinds) or all(each.kind == "text" for each in kinds)
        plain = plain or all(each.kind == "datetime" for each in kinds)
        safe = plain and not any(each.nullable for each in kinds)
        code = self.values.write(value)
        if not condition.negated and not code.single and (safe or (plain and kinds[0].is_number)):
            bounds = ", ".join(self.values.write(each).text for each in (low, high))
            return Code(f"{self.values.as_series(code)}.between({bounds})", BOOLEAN)
        if condition.negated:
            return self._write(ex.any_of(ex.Compare("<", value, low), ex.Compare(">", value, high)))
        return self._write(ex.all_of(ex.Compare(">=", value, low), ex.Compare("<=", value, high)))

    def _missing(self, value: ex.Expression, negated: bool) -> Code:
        code = self.values.write(value)
        if not code.type.nullable:
            return self.constant(negated)
        name = "notna" if negated else "isna"
        if code.single:
            return Code(f"pd.{name}({code.text})", BOOLEAN, single=True)
        return Code(f"{self.values.as_series(code)}.{name}()", BOOLEAN)

    def _in_values(self, condition: ex.InValues) -> Code:

        value, members, negated = condition.value, condition.values, condition.negated
        code = self.values.write(value)
        if not all(isinstance(each, ex.Constant) for each in members) or code.single:
            same = [ex.Compare("!=" if negated else "=", value, each) for each in members]
            return self._write(ex.all_of(*same) if negated else ex.any_of(*same))
        if not members:
            return self.constant(negated)
        known = [each.value for each in members if isinstance(each, ex.Constant) and each.value is not None]
        if negated and len(known) < len(members):
            return self.constant(False)
        test = f"{self.values.as_series(code)}.isin([{', '.join(map(literal, known))}])"
        return self._negatable(test, code, negated)

    def _negatable(self, test: str, code: Code, negated: bool) -> Code:
        """A method's mask or its opposite; a missing value is in neither."""
        if not negated:
            return Code(test, BOOLEAN, binds=ATOM)
        if not code.type.nullable:
            return Code(f"~{test}", BOOLEAN, binds=UNARY)
        return Code(f"~{test} & {self.values.as_series(code)}.notna()", BOOLEAN, binds=AND)

    def _in_plan(self, condition: ex.InPlan) -> Code:
        emitter = self.values.emitter
        code = self.values.write(condition.value)
        if condition.negated:
            code = misses_as(self.values, condition.value, code)
        table = emitter.listed(self._numbers_only(condition.plan) if condition.negated else condition.plan)
        cell = table.cells[0]
        members = table.column(cell)
        if table.is_single:
            other = Code(members, cell.slot.type, single=True)
            return compared(self.values, "!=" if condition.negated else "=", code, other)
        if code.single:
            return self._single_in(code, members, cell.slot.type, condition.negated)
        may_pair = code.type.nullable and cell.slot.type.nullable
        test = f"{self.values.as_series(code)}.isin({members}{'.dropna()' if may_pair else ''})"
        if not condition.negated:
            return Code(test, BOOLEAN)
        parts = [f"~{test}"]
        if code.type.nullable:
            parts.append(f"({code.known or self.values.known(code)} | {table.code}.empty)")
        if cell.slot.type.nullable:
            parts.append(f"{members}.notna().all()")
        return Code(" & ".join(parts), BOOLEAN, binds=AND if len(parts) > 1 else 1)

    def _numbers_only(self, plan: pa.Plan) -> pa.Plan:
        """A plan of numbers made of text, without the texts that are none: they equal nothing, yet are not missing."""
        if not isinstance(plan, pa.Project) or len(plan.outputs) != 1:
            return plan
        value, schema = plan.outputs[0].value, self.values.emitter.schema
        if not isinstance(value, ex.Cast) or not _is_numeric(value):
            return plan
        known = schema.type_of(value.value, schema.slots(plan.source)).values
        if known is not None and all_numbers(known):
            return plan
        wanted = ex.any_of(ex.IsMissing(value.value), ex.IsMissing(value, negated=True))
        return replace(plan, source=pa.Filter(plan.source, wanted))

    def _single_in(self, code: Code, members: str, kind: Type, negated: bool) -> Code:
        inside = f"{members}.isin([{code.text}]).any()"
        if not negated:
            return Code(f"pd.notna({code.text}) and {inside}" if code.type.nullable else inside, BOOLEAN, True, 7)
        parts = [f"not {inside}"]
        if code.type.nullable:
            parts.append(f"(pd.notna({code.text}) or len({members}) == 0)")
        if kind.nullable:
            parts.append(f"{members}.notna().all()")
        return Code(" and ".join(parts), BOOLEAN, True, 7)

    def _like(self, condition: ex.Like) -> Code:
        if not isinstance(condition.pattern, ex.Constant):
            raise PlanError("LIKE needs a constant pattern")
        if condition.pattern.value is None:
            return self.constant(False)
        code = self.values.write(ex.Cast(condition.value, "text"))
        pattern = str(condition.pattern.value)
        if code.single:
            flags = "" if condition.case_sensitive else ", re.IGNORECASE"
            regex = literal(_regex(pattern, condition.escape))
            known = f"pd.notna({code.text}) and " if code.type.nullable else ""
            sign = "is None" if condition.negated else "is not None"
            return Code(f"{known}re.fullmatch({regex}, {code.text}{flags}) {sign}", BOOLEAN, True, 7)
        test = like_method(pattern, condition.escape, condition.case_sensitive, code.type.nullable, condition.negated)
        text = f"{self.values.as_series(code)}.{test}"
        return Code(f"~{text}" if condition.negated else text, BOOLEAN, binds=1 if condition.negated else 0)


def _is_numeric(value: ex.Expression) -> bool:
    """Whether a value is missing where its text is no number."""
    return isinstance(value, ex.Cast) and value.to == "numeric"


def _read(value: ex.Expression) -> ex.Expression:
    """What must be there for a comparison to be known: a text that is no number is."""
    return value.value if isinstance(value, ex.Cast) and value.to == "numeric" else value


def _sides(condition: ex.Compare | ex.Between | ex.Like) -> list[ex.Expression]:
    if isinstance(condition, ex.Compare):
        return [condition.left, condition.right]
    if isinstance(condition, ex.Between):
        return [condition.value, condition.low, condition.high]
    return [condition.value]


def like_method(pattern: str, escape: str, case_sensitive: bool, nullable: bool, negated: bool) -> str:
    """The string method that a LIKE pattern amounts to, with its arguments."""
    missing = f", na={negated}" if nullable else ""
    plain = re.fullmatch(r"(%*)([^%_]*)(%*)", pattern)
    if plain is None or (escape and escape in pattern) or not plain[2]:
        case = "" if case_sensitive else ", case=False"
        return f"str.fullmatch({literal(_regex(pattern, escape))}{case}{missing})"
    before, middle, after = plain.groups()
    if before and after:
        case = "" if case_sensitive else "case=False, "
        return f"str.contains({literal(middle)}, {case}regex=False{missing})"
    folded = "" if case_sensitive else "str.lower()."
    text = literal(middle if case_sensitive else middle.lower())
    if before or after:
        return f"{folded}str.{'endswith' if before else 'startswith'}({text}{missing})"
    return f"{folded}eq({text})" if not (nullable and negated) else f"{folded}fillna({text}).eq({text})"


def _regex(pattern: str, escape: str) -> str:
    """A LIKE pattern as a regular expression for a full match."""
    out, at = "(?s)", 0
    while at < len(pattern):
        char = pattern[at]
        if escape and char == escape and at + 1 < len(pattern):
            at += 1
            out += re.escape(pattern[at])
        else:
            out += {"%": ".*", "_": "."}.get(char) or re.escape(char)
        at += 1
    return out
