"""Lint: what is odd about a column's values, as notes with the pandas code that deals with it. Nothing is changed."""

from __future__ import annotations

import datetime
import decimal
import difflib
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from boxkit.box import Note
from boxkit.converters.columns import DATE_SHAPES, SHAPES, python_values

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["lint_categories", "lint_frame", "lint_values"]

#: Frames up to this long are looked at whole; of longer ones every n-th row, this many.
_MAX_ROWS = 20_000
_SAMPLE_ROWS = 5_000
#: Texts that stand for "no value".
_SENTINEL_TEXTS = frozenset("\\N N/A NA n/a #N/A NaN nan NULL null None ? - -- — . missing unknown".split())
_SENTINEL_NUMBERS = (-9, -99, -999, -9999, -99999, -999999, 999, 9999, 99999, 999999)
_SENTINELS = np.array(_SENTINEL_NUMBERS)
_MOST = 0.9
_CATEGORIES = 200
#: Characters of a word that is no code.
_WORD = 4
#: Distinct texts that tell whether a closer look is worth it.
_FEW = 20

_PLAIN = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?")
_COMMAS = re.compile(r"[+-]?\s*[$€£¥]?\s*[+-]?\d{1,3}(,\d{3})+(\.\d+)?\s*[$€£¥%]?")
_POINTS = re.compile(r"[+-]?\s*[$€£¥]?\s*\d{1,3}(\.\d{3})*(,\d+)?\s*[$€£¥%]?")
_DECORATED = re.compile(r"[+-]?\s*[$€£¥]?\s*[+-]?\d+(\.\d+)?\s*[$€£¥%]?|\(\s*[$€£¥]?\d[\d,]*(\.\d+)?\s*\)")
_DIGIT = re.compile(r"\d")
_LEADING_ZERO = re.compile(r"0\d+")


@dataclass(frozen=True, slots=True)
class _Column:
    box: str
    label: str
    values: Sequence[Any]
    #: Distinct texts with their counts.
    texts: Mapping[str, int]
    present: int
    where: str

    @property
    def code(self) -> str:
        return f"{self.box}[{self.label!r}]"

    def note(self, message: str, first: Callable[[Any], bool] | None = None, fix: str | None = None) -> Note:
        row = (
            None
            if first is None or self.where
            else next((at for at, each in enumerate(self.values) if first(each)), None)
        )
        return Note("lint", message + self.where, self.box, self.label, row, fix)


def lint_frame(frame: pd.DataFrame, box: str, *, kinds: bool = False) -> list[Note]:
    """Notes on a frame's columns, and one on where values are missing.

    Args:
        frame: Looked at whole, or every n-th row where it is long.
        box: For the notes.
        kinds: Whether columns that mix numbers, texts and dates are noted; some readers do so themselves.
    """
    step = 1 if len(frame) <= _MAX_ROWS else len(frame) // _SAMPLE_ROWS
    where = f" (every {step}th row was looked at)" if step > 1 else ""
    notes = []
    columns = {str(label): series for label, series in frame.items()}
    counts = {label: int(series.array.isna().sum()) for label, series in columns.items()}
    missing = {label: count for label, count in counts.items() if count}
    if missing:
        shown = ", ".join(f"{label!r} {count}" for label, count in list(missing.items())[:12])
        more = f" and {len(missing) - 12} more fields" if len(missing) > 12 else ""
        notes.append(Note("lint", f"missing values, of {len(frame)} rows: {shown}{more}", box))
    for label, series in columns.items():
        if series.dtype.kind in "bmM" or _is_plain_numbers(series, step):
            continue
        values = _every(series, step) if step > 1 else python_values(series)
        if kinds:
            notes += lint_values(values, box, label, where, checks=(_mixed,))
        notes += lint_values(values, box, label, where)
    return notes


def _is_plain_numbers(series: pd.Series[Any], step: int) -> bool:
    """Whether these are numbers none of which, looked at every ``step`` rows, may stand for something else."""
    return series.dtype.kind in "iuf" and not series.array[::step].isin(_SENTINELS).any()


def _every(series: pd.Series[Any], step: int) -> list[Any]:
    """The values that are there in every ``step``-th row."""
    # Arrow copies the whole of what it picks from, so it is given a part at a time.
    part = max(_MAX_ROWS // step, 1) * step
    parts = (series.iloc[start : start + part].iloc[::step] for start in range(0, len(series), part))
    return [value for each in parts for value in python_values(each) if value is not None]


def lint_categories(frame: pd.DataFrame, box: str) -> list[Note]:
    """Notes only on columns that mix kinds of values, and on texts that may be one category written in several ways."""
    return [
        note
        for label in frame.columns
        if frame[label].dtype.kind not in "biufcmM"
        for note in lint_values(
            python_values(frame[label].iloc[:_MAX_ROWS]), box, label, checks=(_mixed, _near_duplicates)
        )
    ]


def lint_values(
    values: Sequence[Any],
    box: str,
    label: str,
    where: str = "",
    checks: Sequence[Callable[[_Column], Iterator[Note]]] = (),
) -> list[Note]:
    """Notes on the values of one column.

    Args:
        values: Python values, None for missing.
        box: For the notes.
        label: For the notes.
        where: Said after each note, where not all rows were looked at.
        checks: What is looked for; all that there is where empty.
    """
    kinds = Counter(map(type, values))
    kinds.pop(type(None), None)
    if not kinds:
        return []
    texts = Counter(value for value in values if type(value) is str) if str in kinds else {}
    column = _Column(box, label, values, texts, sum(kinds.values()), where)
    if not checks:
        checks = (_sentinels, _numbers, _padding, _dates, _near_duplicates) if texts else (_number_sentinels,)
    return [note for check in checks for note in check(column)]


def _mixed(column: _Column) -> Iterator[Note]:
    if len(set(map(type, column.values)) - {type(None)}) < 2:
        return
    kinds = Counter(_kind(value) for value in column.values if value is not None)
    if len(kinds) < 2:
        return
    ranked = [kind for kind, _ in kinds.most_common()]
    shown = ", ".join(f"{kinds[kind]} {kind}" for kind in ranked)
    rare = next(value for value in column.values if value is not None and _kind(value) == ranked[-1])
    as_numbers = f'pd.to_numeric({column.code}, errors="coerce")'
    as_texts = f'{column.code}.map(str, na_action="ignore")'
    yield column.note(
        f"it mixes {shown}, such as {rare!r:.60}",
        lambda cell: cell is not None and _kind(cell) == ranked[-1],
        as_numbers if ranked[0] == "numbers" and set(ranked) == {"numbers", "texts"} else as_texts,
    )


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "truth values"
    if isinstance(value, (int, float, decimal.Decimal)):
        return "numbers"
    if isinstance(value, str):
        return "texts"
    return "dates" if isinstance(value, datetime.date) else f"{type(value).__name__} values"


def _sentinels(column: _Column) -> Iterator[Note]:
    found = [
        text
        for text in column.texts
        if text.strip() in _SENTINEL_TEXTS or text.strip().lower() in ("missing", "unknown")
    ]
    real = len(column.texts) - len(found)
    if not found or not real:
        return
    shown = ", ".join(f"{text!r} ({column.texts[text]}×)" for text in sorted(found)[:5])
    # A country called NA, a blood group "-": worth a word, no more.
    yield column.note(
        f"{shown} may stand for a missing value",
        lambda cell: cell in found,
        f"{column.code}.replace({sorted(found)!r}, pd.NA)",
    )


def _number_sentinels(column: _Column) -> Iterator[Note]:
    numbers = [value for value in column.values if type(value) in (int, float) and value == value]
    if len(numbers) < 3:
        return
    distinct = set(numbers)
    for sentinel in _SENTINEL_NUMBERS:
        if sentinel not in distinct:
            continue
        count = numbers.count(sentinel)
        if len(numbers) - count < 2:
            continue
        rest = distinct - {sentinel}
        low, high = min(rest), max(rest)
        alone = (sentinel < 0 and low >= 0 and abs(sentinel) > 9) or abs(sentinel) > 10 * max(abs(low), abs(high), 1)
        if (alone and sentinel not in (-9, -99)) or (sentinel in (-9, -99) and low >= 0 and count > 1):
            yield column.note(
                f"{sentinel} ({count}×) may stand for a missing value; the others are from {low} to {high}",
                lambda cell, sentinel=sentinel: cell == sentinel,  # type: ignore[misc]  # mypy infers no type of a lambda with a default
                f"{column.code}.where({column.code} != {sentinel})",
            )


def _matching(column: _Column, pattern: re.Pattern[str]) -> tuple[int, int]:
    """How many cells match, of how many that are no sentinel."""
    counted = [
        (text.strip(), count)
        for text, count in column.texts.items()
        if text.strip() and text.strip() not in _SENTINEL_TEXTS
    ]
    return sum(count for text, count in counted if pattern.fullmatch(text)), sum(count for _, count in counted)


def _numbers(column: _Column) -> Iterator[Note]:
    if not any(_DIGIT.search(text) for text in islice(column.texts, _FEW)):
        return
    if any(_LEADING_ZERO.fullmatch(text.strip()) for text in column.texts):
        matching, of = _matching(column, re.compile(r"\d+"))
        if of and matching == of:
            zero = next(text for text in column.texts if _LEADING_ZERO.fullmatch(text.strip()))
            yield column.note(
                f"digits with leading zeros ({zero!r}): identifiers, kept as text", lambda cell: cell == zero
            )
        return
    for pattern, clean in (
        (_PLAIN, "{code}"),
        (_COMMAS, '{code}.str.replace(r"[^0-9.eE+-]", "", regex=True)'),
        (_DECORATED, '{code}.str.replace(r"[^0-9.eE+-]", "", regex=True)'),
    ):
        any_of = re.compile("|".join(f"(?:{each.pattern})" for each in (_PLAIN, _COMMAS, _DECORATED)))
        matching, of = _matching(column, any_of if pattern is not _PLAIN else pattern)
        if not of or matching < max(_MOST * of, 1):
            continue
        matched = [text for text in column.texts if any_of.fullmatch(text.strip())]
        example = next((text for text in matched if not _PLAIN.fullmatch(text.strip())), matched[0])
        rest = f"; {of - matching} are none" if matching < of else ""
        fix = f'pd.to_numeric({clean.format(code=column.code)}, errors="coerce")'
        yield column.note(f"numbers held as text, such as {example!r}{rest}", {example}.__contains__, fix)
        return
    matching, of = _matching(column, _POINTS)
    with_comma = [text for text in column.texts if "," in text]
    if of and matching >= _MOST * of and with_comma:
        plain = f'{column.code}.str.replace(r"[^0-9,-]", "", regex=True).str.replace(",", ".")'
        fix = f'pd.to_numeric({plain}, errors="coerce")'
        yield column.note(
            f"numbers with a decimal comma, held as text, such as {with_comma[0]!r}",
            lambda cell: cell == with_comma[0],
            fix,
        )


def _padding(column: _Column) -> Iterator[Note]:
    padded = {text for text in column.texts if text != text.strip() and text.strip()}
    if padded:
        count = sum(column.texts[text] for text in padded)
        yield column.note(
            f"{count} cells have spaces around them, such as {min(padded)!r}",
            lambda cell: cell in padded,
            f"{column.code}.str.strip()",
        )


def _dates(column: _Column) -> Iterator[Note]:
    if not any(_shape(text.strip()) in DATE_SHAPES for text in islice(column.texts, _FEW)):
        return
    shapes = {
        text: _shape(text.strip()) for text in column.texts if text.strip() and text.strip() not in _SENTINEL_TEXTS
    }
    counted = Counter[str]()
    for text, shape in shapes.items():
        counted[shape] += column.texts[text]
    dated = {shape: count for shape, count in counted.items() if shape in DATE_SHAPES}
    if not dated or sum(dated.values()) < 0.5 * sum(counted.values()):
        return
    usual = max(dated, key=lambda shape: dated[shape])
    format_ = _format(usual, [text.strip() for text, shape in shapes.items() if shape == usual])
    odd = [text for text, shape in shapes.items() if shape != usual or not _is_date(text.strip(), format_)]
    fix = (
        f'pd.to_datetime({column.code}, format="{format_}", errors="coerce")'
        if format_
        else f'pd.to_datetime({column.code}, errors="coerce")'
    )
    example = next((text for text in shapes if text not in odd), next(iter(shapes)))
    if not odd:
        yield column.note(f"dates held as text, such as {example!r}", None, fix)
        return
    shown = ", ".join(map(repr, odd[:5])) + (f" and {len(odd) - 5} more" if len(odd) > 5 else "")
    yield column.note(
        f"dates held as text, such as {example!r}; {shown} fit no date of that form", lambda cell: cell in odd, fix
    )


def _shape(text: str) -> str:
    return next((name for name, pattern in SHAPES if pattern.fullmatch(text)), "")


def _format(shape: str, texts: Sequence[str]) -> str:
    """The strptime form of dates of a shape, where one fits most of them."""
    if shape == "ISO date":
        return "%Y-%m-%d"
    if shape == "ISO datetime":
        return ""
    separator = (
        "/"
        if any("/" in text for text in texts)
        else "."
        if any("." in text for text in texts)
        else "-"
        if any("-" in text for text in texts)
        else " "
    )
    year = "%Y" if all(re.search(r"\d{4}$", text) for text in texts) else "%y"
    if shape == "date like 31-Dec-99":
        month = "%b" if any(re.search(r"[^A-Za-z][A-Za-z]{3}[^A-Za-z]", text) for text in texts) else "%B"
        return separator.join(("%d", month, year))
    forms = [separator.join((*order, year)) for order in (("%m", "%d"), ("%d", "%m"))]
    return max(forms, key=lambda form: sum(_is_date(text, form) for text in texts))


def _is_date(text: str, form: str) -> bool:
    try:
        if form:
            datetime.datetime.strptime(text, form)
        else:
            datetime.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _near_duplicates(column: _Column) -> Iterator[Note]:
    if not 2 <= len(column.texts) <= _CATEGORIES:
        return
    # Where few texts come again, only words that differ in nothing but case tell of categories.
    repeated = column.present >= 2 * len(column.texts)
    groups: dict[str, list[str]] = {}
    for text in column.texts:
        folded = _folded(text) if repeated else " ".join(text.casefold().split())
        if repeated or (len(folded) >= _WORD and not _DIGIT.search(folded)):
            groups.setdefault(folded, []).append(text)
    alike = [group for group in groups.values() if len({text.strip() for text in group}) > 1]
    singles = {folded: group[0] for folded, group in groups.items() if folded.isalpha() and len(folded) >= 6}
    if repeated and len(singles) <= _FEW * 3:
        alike += [[common, rare] for common, rare in _misspelled(singles, column.texts)]
    if not alike:
        return
    ranked = [sorted(group, key=lambda text: (-column.texts[text], text)) for group in alike]
    shown = "; ".join(", ".join(map(repr, group)) for group in ranked[:4])
    mapping = {text: group[0] for group in ranked for text in group[1:]}
    yield column.note(
        f"categories that may be one: {shown}", lambda cell: cell in mapping, f"{column.code}.replace({mapping!r})"
    )


def _folded(text: str) -> str:
    """What stays of a text when case, accents, spaces and marks within words are set aside."""
    small = " ".join(text.casefold().split())
    if any(char.isdigit() for char in small):
        return small
    bare = small
    if not small.isascii():
        bare = "".join(char for char in unicodedata.normalize("NFKD", small) if not unicodedata.combining(char))
    # Marks at an end mean something: A-, C++.
    return re.sub(r"(?<=[^\W_])[\s\-_.,'’/]+(?=[^\W_])", "", bare)


def _misspelled(singles: Mapping[str, str], counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    for folded, rare in singles.items():
        for other in difflib.get_close_matches(folded, [each for each in singles if each != folded], n=1, cutoff=0.9):
            if counts[rare] * 5 <= counts[singles[other]]:
                yield singles[other], rare
