"""The functions of one row's values: their types, and how pandas writes them for a column and for a single value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boxkit.plan.types import Kind, Type, union_of

__all__ = ["FUNCTIONS", "Function"]


@dataclass(frozen=True, slots=True)
class Function:
    """A function.

    Attributes:
        kind: The kind of its result; None: that of its arguments.
        column: pandas code for a column, with ``{0}``, ``{1}`` … for its arguments.
        single: Python code for one value; None where the column's code serves.
        text: Whether its first argument must be text.
        can_miss: Whether the result can be missing where no argument is.
        never_misses: Whether the result is there even where an argument is missing.
        mapped: Whether a column's code is a ``map``, which must be told to pass over what is missing.
    """

    kind: Kind | None
    column: str
    single: str | None = None
    text: bool = False
    can_miss: bool = False
    never_misses: bool = False
    mapped: bool = False

    def type_of(self, arguments: Sequence[Type]) -> Type:
        """The type of the result."""
        nullable = (self.can_miss or any(each.nullable for each in arguments)) and not self.never_misses
        if self.kind is not None:
            return Type(self.kind, nullable)
        both = union_of(arguments)
        return Type(both.kind, nullable, some_whole=both.some_whole, widened=both.widened)


@dataclass(frozen=True, slots=True)
class FirstKnown(Function):
    """COALESCE of two values: missing only where both are."""

    def type_of(self, arguments: Sequence[Type]) -> Type:
        """The type of the result."""
        if not arguments[0].nullable:
            return replace(arguments[0], affinity="")
        return replace(union_of(arguments), nullable=all(each.nullable for each in arguments))


def _plain(kind: Kind | None, column: str, single: str | None = None, *, text: bool = False) -> Function:
    return Function(kind, column, single, text)


FUNCTIONS: dict[str, Function] = {
    "lower": _plain("text", "{0}.str.lower()", "{0}.lower()", text=True),
    "upper": _plain("text", "{0}.str.upper()", "{0}.upper()", text=True),
    # SQLite knows the letters of ASCII only.
    "lower_ascii": _plain(
        "text",
        '{0}.str.replace("[A-Z]+", lambda match: match[0].lower(), regex=True)',
        're.sub("[A-Z]+", lambda match: match[0].lower(), {0})',
        text=True,
    ),
    "upper_ascii": _plain(
        "text",
        '{0}.str.replace("[a-z]+", lambda match: match[0].upper(), regex=True)',
        're.sub("[a-z]+", lambda match: match[0].upper(), {0})',
        text=True,
    ),
    "length": _plain("integer", "{0}.str.len()", "len({0})", text=True),
    "trim": _plain("text", '{0}.str.strip(" ")', '{0}.strip(" ")', text=True),
    "trim_left": _plain("text", '{0}.str.lstrip(" ")', '{0}.lstrip(" ")', text=True),
    "trim_right": _plain("text", '{0}.str.rstrip(" ")', '{0}.rstrip(" ")', text=True),
    "absolute": _plain(None, "{0}.abs()", "abs({0})"),
    "square_root": _plain("number", "np.sqrt({0})", "np.sqrt({0})"),
    "floor": _plain(None, "np.floor({0})", "np.floor({0})"),
    "ceiling": _plain(None, "np.ceil({0})", "np.ceil({0})"),
    # Halves go up, as SQL rounds them; Python and NumPy would round them to even.
    "round": Function(
        "number",
        '{0}.map(lambda value: float(Decimal(value).quantize(Decimal({1}), "ROUND_HALF_UP")))',
        'float(Decimal({0}).quantize(Decimal({1}), "ROUND_HALF_UP"))',
        mapped=True,
    ),
    # Halves go up, also below zero; what arithmetic has left behind the ninth decimal does not decide.
    "nearest_whole": _plain("number", "np.floor({0}.round(9) + 0.5)", "np.floor(round({0}, 9) + 0.5)"),
    "text_part": _plain("text", "{0}.str[{1}:{2}]", "{0}[{1}:{2}]", text=True),
    "text_from": _plain("text", "{0}.str[{1}:]", "{0}[{1}:]", text=True),
    "position": _plain("integer", "({0}.str.find({1}) + 1)", "({0}.find({1}) + 1)", text=True),
    "replace": _plain("text", "{0}.str.replace({1}, {2}, regex=False)", "{0}.replace({1}, {2})", text=True),
    "first_known": FirstKnown(None, "{0}.fillna({1})", "({0} if pd.notna({0}) else {1})"),
    "greater": _plain(None, "np.maximum({0}, {1})", "max({0}, {1})"),
    "lesser": _plain(None, "np.minimum({0}, {1})", "min({0}, {1})"),
    "year_text": _plain("text", "{0}.str[:4]", "{0}[:4]", text=True),
    "month_text": _plain("text", "{0}.str[5:7]", "{0}[5:7]", text=True),
    "day_text": _plain("text", "{0}.str[8:10]", "{0}[8:10]", text=True),
    "formatted_date": _plain(
        "text", 'pd.to_datetime({0}, format="ISO8601").dt.strftime({1})', "pd.Timestamp({0}).strftime({1})", text=True
    ),
    "julian_day": _plain(
        "number",
        '((pd.to_datetime({0}, format="ISO8601") - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1) + 2440587.5)',
        text=True,
    ),
    "formatted_julian_day": _plain(
        "text",
        'pd.to_datetime({0} - 2440587.5, unit="D").dt.round("ms").dt.strftime({1})',
        'pd.to_datetime({0} - 2440587.5, unit="D").round("ms").strftime({1})',
    ),
    "formatted_days_later": _plain(
        "text",
        '(pd.to_datetime({0}, format="ISO8601") + pd.Timedelta(days={1})).dt.strftime({2})',
        "(pd.Timestamp({0}) + pd.Timedelta(days={1})).strftime({2})",
        text=True,
    ),
    "months_later": _plain(
        "text",
        '(pd.to_datetime({0}, format="ISO8601") + pd.DateOffset(months={1})).dt.strftime("%Y-%m-%d")',
        '(pd.Timestamp({0}) + pd.DateOffset(months={1})).strftime("%Y-%m-%d")',
        text=True,
    ),
    # The same where a day that the month does not have is one of the next month's.
    "months_later_or_more": _plain(
        "text",
        '((pd.to_datetime({0}, format="ISO8601").dt.to_period("M") + {1}).dt.to_timestamp()'
        ' + pd.to_timedelta(pd.to_datetime({0}, format="ISO8601").dt.day - 1, unit="D")).dt.strftime("%Y-%m-%d")',
        '((pd.Period({0}, "M") + {1}).to_timestamp()'
        ' + pd.Timedelta(days=pd.Timestamp({0}).day - 1)).strftime("%Y-%m-%d")',
        text=True,
    ),
    "days_between": _plain(
        "number",
        "((pd.to_datetime({0}) - pd.to_datetime({1})) / pd.Timedelta(days=1))",
        "((pd.Timestamp({0}) - pd.Timestamp({1})) / pd.Timedelta(days=1))",
    ),
    "julian_now": _plain("number", 'pd.Timestamp.now(tz="UTC").tz_localize(None).to_julian_date()'),
    "year_now": _plain("integer", 'pd.Timestamp.now(tz="UTC").year'),
    "year_now_text": _plain("text", 'pd.Timestamp.now(tz="UTC").strftime("%Y")'),
    "formatted_now": _plain("text", 'pd.Timestamp.now(tz="UTC").strftime({0})'),
}
