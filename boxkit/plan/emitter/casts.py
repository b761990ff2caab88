"""Casts: text to numbers as SQLite reads them (the longest number in front, else 0), and values to text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import Code

if TYPE_CHECKING:
    import pandas as pd

    from boxkit.plan.emitter.values import Values
    from boxkit.plan.types import Type

__all__ = ["NUMBER_IN_FRONT", "all_numbers", "write_cast"]

#: Functions whose text is always a whole number's.
_DIGITS = ("year_text", "month_text", "day_text")
#: The number that a text begins with.
NUMBER_IN_FRONT = r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"

_PATTERN = f'r"{NUMBER_IN_FRONT}"'


def write_cast(values: Values, cast: ex.Cast) -> Code:
    """The code of a cast."""
    code = values.write(cast.value)
    kind = values.type_of(cast)
    if code.type.kind == "null":
        return replace(code, type=kind)
    if cast.to == "text":
        return _to_text(values, code)
    if isinstance(cast.value, ex.Call) and cast.value.function in _DIGITS and not code.single:
        column = values.as_series(code)
        number = f"pd.to_numeric({column})" if code.type.nullable else f"{column}.astype(int)"
        return Code(number, kind)
    if cast.to == "integer":
        return _to_integer(values, code)
    if code.type.is_number:
        return replace(_counted(values, code), type=kind)
    return replace(_to_number(values, code, strict=cast.to == "numeric"), type=kind)


def _counted(values: Values, code: Code) -> Code:
    if code.type.kind != "boolean":
        return code
    return Code(f"int({code.text})" if code.single else f"{values.as_series(code)}.astype(int)", code.type, code.single)


def _to_number(values: Values, code: Code, *, strict: bool) -> Code:
    if code.single:
        return _single_number(code, strict=strict)
    column = values.as_series(code)
    if strict:
        exact = code.type.values is not None and all_numbers(code.type.values)
        return Code(f"pd.to_numeric({column})" if exact else f'pd.to_numeric({column}, errors="coerce")', code.type)
    if code.type.kind == "mixed" and not _has_trailing_text(code.type.values):
        return Code(_zeroed(f'pd.to_numeric({column}, errors="coerce")', column, code, exact=False), code.type)
    if _has_trailing_text(code.type.values):
        column += ".astype(str)" if code.type.kind == "mixed" else ""
        column = f"{column}.str.extract({_PATTERN}, expand=False)"
    exact = code.type.values is not None and all_numbers(code.type.values)
    if exact:
        return Code(f"pd.to_numeric({column})", code.type)
    return Code(_zeroed(f'pd.to_numeric({column}, errors="coerce")', values.as_series(code), code, exact), code.type)


def _zeroed(number: str, column: str, code: Code, exact: bool) -> str:
    """Text that is no number counts as 0; what is missing stays so."""
    if exact:
        return number
    filled = f"{number}.fillna(0)"
    return f"{filled}.where({column}.notna())" if code.type.nullable else filled


def _single_number(code: Code, *, strict: bool) -> Code:
    if strict:
        return Code(f'pd.to_numeric({code.text}, errors="coerce")', code.type, single=True)
    text = f"float((re.match({_PATTERN}, {code.text}) or (0, 0))[1])"
    return Code(
        f"({text} if pd.notna({code.text}) else np.nan)" if code.type.nullable else text, code.type, single=True
    )


def _to_integer(values: Values, code: Code) -> Code:
    kind = replace(code.type, kind="integer", values=None, affinity="")
    if code.type.kind == "integer":
        return code
    if code.type.kind == "boolean":
        return _counted(values, code)
    if code.single:
        number = code.text if code.type.is_number else _single_number(code, strict=False).text
        return Code(f"np.trunc({number})", kind, single=True)
    number = values.as_series(code if code.type.is_number else _to_number(values, code, strict=False))
    if code.type.nullable:
        return Code(f"np.trunc({number})", kind)
    return Code(f"{number}.astype(int)", kind)


def _to_text(values: Values, code: Code) -> Code:
    kind = replace(code.type, kind="text", values=None, affinity="")
    if code.type.kind == "text":
        return code
    if code.type.kind == "number" and (code.type.some_whole or not _short_floats(code.type.values)):
        return _decimal_text(values, code, kind)
    if code.type.kind == "boolean":
        code = _counted(values, code)
    if code.single:
        return Code(f"str({code.text})", kind, single=True)
    column = values.as_series(code)
    # What an outer join has left missing has made decimals of whole numbers.
    whole = '.astype("Int64")' if code.type.kind == "integer" and _may_be_decimals(code.type) else ""
    text = f"{column}{whole}.astype(str)"
    return Code(f"{text}.where({column}.notna(), None)" if code.type.nullable else text, kind)


def _decimal_text(values: Values, code: Code, kind: Type) -> Code:
    """Decimal numbers as SQLite writes them: at most 15 digits, and one behind the point at least."""
    # Where whole numbers are integers, they have no point.
    shown = 'f"{value:.15g}"' if code.type.some_whole else 'str(float(f"{value:.15g}"))'
    if code.single:
        text = shown.replace("value", code.text)
        return Code(f"({text} if pd.notna({code.text}) else np.nan)" if code.type.nullable else text, kind, single=True)
    text = f"{values.as_series(code)}.map(lambda value: {shown}"
    return Code(text + (', na_action="ignore").astype(object)' if code.type.nullable else ")"), kind)


def _may_be_decimals(kind: Type) -> bool:
    """Whether a column of whole numbers may be one of decimals to pandas; a box's own is not, as it is loaded."""
    return kind.widened or (kind.nullable and kind.values is None)


def _known(series: pd.Series[Any] | None) -> list[Any]:
    return [] if series is None else series.dropna().tolist()


def _short_floats(series: pd.Series[Any] | None) -> bool:
    """Whether Python writes these numbers as SQLite does (at most 15 digits, no exponent)."""
    if series is None or series.dtype.kind != "f":
        return False
    return all(len(repr(each).replace(".", "").lstrip("-0")) <= 15 and "e" not in repr(each) for each in _known(series))


def all_numbers(series: pd.Series[Any]) -> bool:
    """Whether every text of a column is a number through and through."""
    return all(_is_number(each) for each in _known(series))


def _is_number(value: Any) -> bool:
    import re

    if not isinstance(value, str):
        return True
    return re.fullmatch(NUMBER_IN_FRONT[1:] + r"\s*", value) is not None


def _has_trailing_text(series: pd.Series[Any] | None) -> bool:
    """Whether some text begins with a number and goes on."""
    import re

    if series is None:
        return True
    texts = [each for each in _known(series) if isinstance(each, str) and not _is_number(each)]
    return any(re.match(NUMBER_IN_FRONT, each) for each in texts)
