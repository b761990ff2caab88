"""CASE as pandas writes it: one branch with `where`, several with `np.select`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import LOOSE, Code

if TYPE_CHECKING:
    from boxkit.plan.emitter.values import Values

__all__ = ["write_case"]


def write_case(values: Values, case: ex.Case) -> Code:
    """The code of a CASE."""
    kind = values.type_of(case)
    masks = [values.conditions.mask(condition) for condition, _ in case.branches]
    results = [_result(values, value, kind.kind) for _, value in case.branches]
    default = _result(values, case.default, kind.kind)
    if all(each.single for each in (*masks, *results, default)):
        text = default.text
        for mask, result in reversed(list(zip(masks, results, strict=True))):
            text = f"{result.text} if {mask.text} else {text}"
        return Code(text, kind, True, LOOSE)
    if kind.kind == "number":
        *results, default = (_as_decimals(values, each) for each in (*results, default))
    conditions = [_column_mask(values, mask, each) for mask, (each, _) in zip(masks, case.branches, strict=True)]
    if len(conditions) == 1 and not results[0].single and not results[0].array:
        other = "" if default.text in ("np.nan", "None") else f", {default.text}"
        return Code(f"{results[0].at(0)}.where({conditions[0]}{other})", kind)
    if len(conditions) == 1 and not default.single and not default.array and kind.kind != "mixed":
        return Code(f"{default.at(0)}.mask({conditions[0]}, {results[0].text})", kind)
    plain = [_bare(each) for each in (*results, default)]
    if kind.kind == "mixed":
        raise PlanError("a CASE that gives numbers in one branch and text in another cannot be written")
    if len(conditions) == 1:
        return Code(f"np.where({conditions[0]}, {plain[0]}, {plain[1]})", kind, array=True)
    chosen = f"[{', '.join(conditions)}], [{', '.join(plain[:-1])}], default={plain[-1]}"
    return Code(f"np.select({chosen})", kind, array=True)


def _result(values: Values, value: ex.Expression, kind: str) -> Code:
    """A branch's value; a missing text is None, which no array turns into the text ``nan``."""
    code = values.write(value)
    if code.text == "np.nan" and kind == "text":
        return replace(code, text="None")
    return code


def _as_decimals(values: Values, code: Code) -> Code:
    """A column of whole numbers that shares a result with decimals, as these."""
    if code.single or code.array or code.type.kind != "integer":
        return code
    return Code(f"{values.as_series(code)}.astype(float)", replace(code.type, kind="number"))


def _column_mask(values: Values, mask: Code, condition: ex.Expression) -> str:
    text = values.conditions.filled(mask, condition)
    if mask.single:
        return f"pd.Series({text}, index={values.table.code}.index)"
    return text


def _bare(code: Code) -> str:
    """Columns of nullable integers as floats: an array holds no pd.NA."""
    if code.single or code.array or not (code.type.kind == "integer" and code.type.nullable):
        return code.text
    return f"{code.at(0)}.astype(float)"
