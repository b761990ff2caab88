"""From a strategy's answer to a verdict: each scorer gets the answer in the form that its official script gets it.

A script compares what SQLite gives, or texts, or Freebase ids; an answer over BOXes has Python's dates, booleans and
decimals, and entities by their labels.
"""

from __future__ import annotations

import bisect
import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

from boxkit.evaluation.scorers import Score, score
from boxkit.evaluation.scorers.score import as_float, as_text

__all__ = ["Predicted", "as_sqlite", "judge"]

Rows: TypeAlias = Sequence[Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Predicted:
    """An answer, as far as scorers are concerned.

    Attributes:
        rows: Its canonical rows.
        columns: Their names.
        entities: For a graph, the ids behind labels.
        sql: The query that gave it, where it was SQL alone; empty elsewhere.
    """

    rows: Rows
    columns: Sequence[str] = ()
    entities: Mapping[str, Sequence[str]] = field(default_factory=dict)
    sql: str = ""


def judge(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any] | None = None) -> Score:
    """The verdict of a scorer.

    Args:
        name: One of `SCORERS`.
        predicted: The answer.
        gold: The gold rows, one item a row where the benchmark's answers are lists of items.
        context: The task's; what else the scorer takes.

    Raises:
        ValueError: There is no such scorer.
    """
    adapter = _ADAPTERS.get(name)
    if adapter is None:
        return score(name, list(predicted.rows), list(gold))
    return adapter(name, predicted, gold, context or {})


#: Floats as near as this, relative to their size, differ in nothing but the order in which they were added up.
SAME_SUM = 1e-12


def as_sqlite(rows: Rows, gold: Rows = ()) -> list[tuple[Any, ...]]:
    """Rows with each cell as SQLite would hand it out: dates as ISO text, booleans and decimals as numbers.

    A float that differs from one of gold's in its last bits only becomes that one: pandas adds up in another order than
    SQLite, and the official scripts, made for SQL on both sides, allow for no difference at all. A number of gold's
    value is of gold's type: a column of pandas is of one type, where SQLite's cells have each their own. A date is
    spelled as gold spells that day or moment.

    >>> as_sqlite([(datetime.datetime(2020, 1, 2), True, Decimal("1.50"), 0.1 + 0.2)], [(0.3,)])
    [('2020-01-02 00:00:00', 1, 1.5, 0.3)]
    >>> as_sqlite([(datetime.datetime(2020, 1, 2),)], [("2020-01-02",)])
    [('2020-01-02',)]
    >>> as_sqlite([(11.0, 2)], [(11, 2.0)])
    [(11, 2.0)]
    """
    found = {cell for row in gold for cell in row if isinstance(cell, float) and math.isfinite(cell)}
    wholes = {cell for row in gold for cell in row if type(cell) is int}
    near, floats, ints = sorted(found), {each for each in found if each.is_integer()} - wholes, wholes - found
    spelled = _spelled_days(gold) if any(isinstance(cell, datetime.date) for row in rows for cell in row) else {}

    def fitted(cell: Any) -> Any:
        if isinstance(cell, datetime.date):
            text: str = _sqlite_cell(cell)
            return spelled.get(_moment(text), text)
        cell = _snapped(_sqlite_cell(cell), near)
        if isinstance(cell, float) and cell in ints:
            return int(cell)
        return float(cell) if type(cell) is int and cell in floats else cell

    return [tuple(map(fitted, row)) for row in rows]


def _spelled_days(gold: Rows) -> dict[datetime.datetime | None, str]:
    """How gold spells each moment."""
    texts = (cell for row in gold for cell in row if isinstance(cell, str))
    return {moment: text for text in texts if (moment := _moment(text)) is not None}


def _moment(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text).replace(tzinfo=None)
    except ValueError:
        return None


def _snapped(cell: Any, floats: Sequence[float]) -> Any:
    if not isinstance(cell, float) or not floats:
        return cell
    at = bisect.bisect_left(floats, cell)
    near = min(floats[max(0, at - 1) : at + 1], key=lambda each: abs(each - cell))
    return near if math.isclose(near, cell, rel_tol=SAME_SUM) else cell


def _sqlite_cell(cell: Any) -> Any:
    if isinstance(cell, bool):
        return int(cell)
    if isinstance(cell, Decimal):
        is_whole = cell.is_finite() and cell.adjusted() < 19 and cell == cell.to_integral_value()
        return int(cell) if is_whole else as_float(cell)
    if isinstance(cell, datetime.datetime):
        return cell.isoformat(" ")
    if isinstance(cell, (datetime.date, datetime.time)):
        return cell.isoformat()
    if isinstance(cell, datetime.timedelta):
        return str(cell)
    return cell


def _text(cell: Any) -> str:
    """A cell as a person would write it."""
    if isinstance(cell, datetime.datetime) and cell.time() == datetime.time():
        cell = cell.date()
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))
    return as_text(cell)


def _texts(rows: Rows) -> list[tuple[str, ...]]:
    return [tuple(_text(cell) for cell in row) for row in rows]


def _items(rows: Rows) -> list[Any]:
    return [cell for row in rows for cell in row]


def _ids(predicted: Predicted, gold: Iterable[Any]) -> list[tuple[str]]:
    """One id or literal a row. A label stands for all its ids, unless gold has just that text; a number or date is
    spelled as gold spells it, a float that differs in its last bits only too.
    """
    texts = set(map(as_text, gold))
    spelled = {key: text for text in texts if (key := _value(text)) is not None}
    floats = sorted(float(key) for key in spelled if isinstance(key, Decimal))
    found: list[str] = []
    for given in _items(predicted.rows):
        cell = _snapped(given, floats)
        if isinstance(cell, str):
            found.extend((cell,) if cell in texts else predicted.entities.get(cell) or (cell,))
        elif cell is not None:
            text = _text(cell)
            value = _value(text)
            found.append(text if value is None else spelled.get(value, text))
    return [(each,) for each in dict.fromkeys(found)]


def _value(text: str) -> Decimal | datetime.datetime | None:
    """What a literal means; None for what is neither a number nor a date."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return _moment(text)
    return number if number.is_finite() else None


def _rows_of_sqlite(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    ordered = {} if name.startswith("bird") else {"ordered": bool(context.get("ordered"))}
    return score(name, as_sqlite(predicted.rows, gold), [tuple(row) for row in gold], **ordered)


def _sql(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:  # noqa: ARG001 - as all judges
    if not predicted.sql:
        return Score.none("this script compares SQL, and the answer is none")
    return score(name, predicted.sql, context.get("sql", ""), database=context.get("database", ""))


def _wikitq(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    return score(name, _texts(predicted.rows), [as_text(each) for each in _items(gold)], canon=context.get("canon"))


def _grailqa(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    answers = [as_text(each) for each in _items(gold)]
    return score(name, _ids(predicted, answers), answers, gold_logical_form=context.get("s_expression", ""))


def _webqsp(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    parses = context.get("parses") or [{"Answers": [{"AnswerArgument": each} for each in _items(gold)], **_SOUND}]
    arguments = [answer["AnswerArgument"] for parse in parses for answer in parse["Answers"]]
    return score(name, _ids(predicted, arguments), parses)


def _names(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    """The lenient matchers compare names, where gold has names."""
    return score(name, _texts(predicted.rows), [(each,) for each in context.get("names") or map(_text, _items(gold))])


def _names_and_aliases(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    names = [*(context.get("names") or map(_text, _items(gold))), *context.get("aliases", ())]
    return score(name, _texts(predicted.rows), [(each,) for each in names])


def _qald(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:  # noqa: ARG001 - as all judges
    if all(len(row) == 1 for row in gold):
        answers = [_text(cell) for cell in _items(gold)]
        return score(name, _ids(predicted, answers), [(each,) for each in answers])
    known = {cell for row in _texts(gold) for cell in row}
    own = [
        tuple(cell if cell in known else (predicted.entities.get(cell) or (cell,))[0] for cell in row)
        for row in _texts(as_sqlite(predicted.rows, gold))
    ]
    return score(name, own, _texts(as_sqlite(gold)))


def _release(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    kind = context.get("kind", "database")
    if kind == "graph":
        texts = [as_text(each) for each in _items(gold) if each is not None]
        return score(name, _ids(predicted, texts), [(each,) for each in texts], kind=kind)
    return score(name, as_sqlite(predicted.rows), list(gold), kind=kind)


def _starqa(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:
    """A set, as the paper says; data of one's own may say that the order counts, and then it is row by row."""
    own = as_sqlite(predicted.rows, gold)
    found = score(name, own, list(gold))
    if not found.correct or not context.get("in_order"):
        return found
    in_order = len(own) == len(gold) and all(
        score(name, [row], [other]).correct for row, other in zip(own, gold, strict=True)
    )
    return found if in_order else Score.of(False, "the rows are in another order")


def _dabench(name: str, predicted: Predicted, gold: Rows, context: Mapping[str, Any]) -> Score:  # noqa: ARG001 - as all judges
    """Named answers: as ``@name[value]`` in a text, as rows of name and value, or as one row of values.

    The release has a model rewrite each answer with its names; where a row has as many values as there are names, they
    are named by their columns where these are the names, else in order.
    """
    named, rows = [as_text(row[0]) for row in gold], _texts(predicted.rows)
    written = " ".join(cell for row in rows for cell in row)
    if "@" in written:
        return score(name, written, list(gold))
    if rows and all(len(row) == 2 and row[0] in named for row in rows):
        return score(name, rows, list(gold))
    if len(rows) == 1 and len(rows[0]) == len(named):
        labels = list(predicted.columns) if set(predicted.columns) == set(named) else named
        return score(name, list(zip(labels, rows[0], strict=True)), list(gold))
    return score(name, rows if all(len(row) == 2 for row in rows) else [], list(gold))


_SOUND = {"AnnotatorComment": {"QuestionQuality": "Good", "ParseQuality": "Complete"}}

_ADAPTERS: Mapping[str, Callable[[str, Predicted, Rows, Mapping[str, Any]], Score]] = {
    **dict.fromkeys(("spider", "spider_strict", "archer", "bird", "bird_f1"), _rows_of_sqlite),
    "spider_exec": _sql,
    "wikitq": _wikitq,
    "grailqa": _grailqa,
    "webqsp": _webqsp,
    "starqa": _starqa,
    "starqa_tolerant": _starqa,
    **dict.fromkeys(("rog", "structgpt", "readi", "trustuqa", "unifiedskg", "wikisql"), _names),
    "structgpt_webqsp": _names_and_aliases,
    "qald": _qald,
    "dabench": _dabench,
    "pandora_release": _release,
}
