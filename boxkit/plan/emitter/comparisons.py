"""Two values compared, as SQL does: nothing compares with a missing value, every number is less than every text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import AND, ATOM, COMPARISON, OR, SUM, UNARY, Code
from boxkit.plan.types import BOOLEAN, Type

if TYPE_CHECKING:
    from boxkit.plan.emitter.values import Values

__all__ = ["compared", "misses_as", "write_comparison"]

_SIGNS = {"=": "==", "is": "==", "is not": "!="}
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def write_comparison(values: Values, comparison: ex.Compare) -> Code:
    """The mask of a comparison."""
    left, right = values.write(comparison.left), values.write(comparison.right)
    if comparison.operator == "!=":
        left, right = misses_as(values, comparison.left, left), misses_as(values, comparison.right, right)
    return compared(values, comparison.operator, left, right)


def misses_as(values: Values, expression: ex.Expression, code: Code) -> Code:
    """A text that is no number differs from every number: it is not missing, though its number is."""
    if not isinstance(expression, ex.Cast) or expression.to != "numeric" or code.single:
        return code
    inner = values.write(expression.value)
    return replace(code, type=replace(code.type, nullable=inner.type.nullable), known=values.known(inner))


def compared(values: Values, operator: str, left: Code, right: Code) -> Code:
    """The mask of a comparison of two values whose code stands."""
    if operator in ("is", "is not"):
        return _same(values, operator, left, right)
    if "null" in (left.type.kind, right.type.kind):
        return Code("False", BOOLEAN, single=True)
    classes = {_storage_class(left.type), _storage_class(right.type)}
    if "mixed" in classes and operator in _MIRRORED:
        return _mixed(values, operator, left, right)
    if classes == {"number", "text"}:
        return _different_classes(values, operator, left, right)
    if left.single and not right.single:
        left, right, operator = right, left, _MIRRORED.get(operator, operator)
    return _plain(values, operator, left, right)


def _storage_class(kind: Type) -> str:
    return "number" if kind.is_number else kind.kind


def _sign(operator: str) -> str:
    return _SIGNS.get(operator, operator)


def _plain(values: Values, operator: str, left: Code, right: Code) -> Code:
    if left.single:
        guards = [f"pd.notna({each.text})" for each in (left, right) if each.type.nullable]
        test = f"{left.at(SUM)} {_sign(operator)} {right.at(SUM)}"
        return Code(" and ".join([*guards, test]), BOOLEAN, True, COMPARISON)
    ordered_text = operator in _MIRRORED and "text" in (left.type.kind, right.type.kind)
    guards = []
    texts = []
    for each in (left, right):
        text = each.at(SUM)
        other = right if each is left else left
        # An empty text is never more than another one.
        safe = operator == (">" if each is left else "<") and other.text[:1] == '"' != other.text[1:2]
        guard_needed = each.type.nullable and (operator == "!=" or (ordered_text and not safe))
        if guard_needed and each.single:
            guards.append(f"pd.notna({each.text})")
        elif guard_needed:
            guards.append(each.known or values.known(each))
        if ordered_text and each.type.nullable:
            text = f'({text} if pd.notna({text}) else "")' if each.single else f'{values.as_series(each)}.fillna("")'
        texts.append(text)
    test = f"({texts[0]} {_sign(operator)} {texts[1]})"
    both = (left, right)
    if any(each.known for each in both) and any(each.type.kind == "integer" and each.type.nullable for each in both):
        # A text that is no number, beside whole numbers that may be missing.
        test += ".fillna(True)"
    elif not guards:
        return Code(test[1:-1], BOOLEAN, binds=COMPARISON)
    return Code(" & ".join([test, *dict.fromkeys(guards)]), BOOLEAN, binds=AND)


def _different_classes(values: Values, operator: str, left: Code, right: Code) -> Code:
    """A number against a text: never equal, always less."""
    number_first = left.type.is_number
    holds = operator == "!=" or operator[0] == ("<" if number_first else ">")
    if not holds:
        return Code("False", BOOLEAN, single=True)
    single = left.single and right.single
    known = [
        f"pd.notna({each.text})" if each.single else f"{values.as_series(each)}.notna()"
        for each in (left, right)
        if each.type.nullable
    ]
    if not known:
        return Code("True", BOOLEAN, single=True)
    # Of two sides, the one that is a single value may be the only one to be missing.
    single = single or all(each.single for each in (left, right) if each.type.nullable)
    return Code((" and " if single else " & ").join(known), BOOLEAN, single, AND if len(known) > 1 else 0)


def _mixed(values: Values, operator: str, left: Code, right: Code) -> Code:
    """Numbers and texts in one column against a single value."""
    if left.single and not right.single:
        left, right, operator = right, left, _MIRRORED[operator]
    if left.single or not right.single or right.type.kind == "mixed" or right.type.nullable:
        raise PlanError("an order between columns that hold both numbers and texts cannot be written")
    other = right.at(3)
    is_text = "isinstance(value, str)"
    more = operator in (">", ">=")
    if right.type.kind == "text":
        test = f"{is_text} and value {operator} {other}" if more else f"not {is_text} or value {operator} {other}"
    else:
        test = f"{is_text} or value {operator} {other}" if more else f"not {is_text} and value {operator} {other}"
    if left.type.nullable:
        test = f"pd.notna(value) and ({test})"
    return Code(f"{values.as_series(left)}.map(lambda value: {test}).astype(bool)", BOOLEAN)


def _same(values: Values, operator: str, left: Code, right: Code) -> Code:
    """IS and IS NOT: two missing values are the same."""
    if right.single and not left.single and not right.type.nullable:
        test = f"{values.as_series(left)}.isin([{right.text}])"
        return Code(test if operator == "is" else f"~{test}", BOOLEAN, binds=ATOM if operator == "is" else UNARY)
    equal = compared(values, "=" if operator == "is" else "!=", left, right)
    if left.single and right.single:
        both = f"pd.isna({left.text}) and pd.isna({right.text})"
        one = f"pd.isna({left.text}) != pd.isna({right.text})"
        text = f"({both}) or ({equal.text})" if operator == "is" else f"({one}) or ({equal.text})"
        return Code(text, BOOLEAN, True, 7)
    missing = [f"pd.isna({each.text})" if each.single else f"{values.as_series(each)}.isna()" for each in (left, right)]
    if operator == "is":
        return Code(f"{equal.at(AND)} | ({missing[0]} & {missing[1]})", BOOLEAN, binds=OR)
    return Code(f"{equal.at(AND)} | ({missing[0]} != {missing[1]})", BOOLEAN, binds=OR)
