"""The lenient matchers that papers used, each by its name; none is an official metric of its benchmark."""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

from boxkit.evaluation.scorers.score import Score, as_float, as_text, cells

__all__ = ["pandora_release", "readi", "rog", "structgpt", "structgpt_webqsp", "trustuqa", "unifiedskg"]


def _texts(rows: Iterable[Any]) -> list[str]:
    return [as_text(cell) for cell in cells(rows)]


def _bare(text: str) -> str:
    """RoG's normal form: lower case, no punctuation, no articles."""
    kept = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


def rog(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """RoG's Hit: some gold answer is a substring of the whole prediction. ``value`` is its F1 over lines, which passes
    1 where a line holds several answers, as in the release.
    """
    lines, golds = [_bare(text) for text in _texts(predicted)], [_bare(text) for text in _texts(gold)]
    whole = " ".join(lines)
    matched = sum(one in whole for one in golds)
    precision = matched / len(lines) if lines else 0.0
    recall = matched / len(golds) if golds else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return Score(matched > 0, f1, f"precision {precision:.4f}, recall {recall:.4f}")


def structgpt(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """StructGPT's WikiTQ and WikiSQL match: items as numbers or lower-case text, equal as bags."""
    return _bags(predicted, gold, _structgpt_item)


def _structgpt_item(text: str) -> str | float:
    text = text.lower().strip().rstrip(".").strip("\"' ")
    text = text.removesuffix(".0")
    return _as_number(text.replace(",", ""), text)


def structgpt_webqsp(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """StructGPT's WebQSP Hit@1: any gold name or alias is a substring of the reply, in lower case.

    A question without gold has no verdict: the release leaves it out.
    """
    golds = [text.lower() for text in _texts(gold)]
    if not golds:
        return Score.none("left out: the question has no gold answer")
    whole = ", ".join(_texts(predicted)).lower()
    return Score.of(any(one in whole for one in golds))


def unifiedskg(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """UnifiedSKG's and StructLM's match: items split at ", ", plain numbers as numbers, equal as sorted lists."""
    return _bags(_split(predicted), _split(gold), lambda text: _as_number(text.strip(), text.strip()))


def _split(rows: Iterable[Any]) -> list[str]:
    return [item for text in _texts(rows) for item in text.split(", ")]


def _as_number(text: str, otherwise: str) -> str | float:
    try:
        number = float(text)
    except ValueError:
        return otherwise
    return number if math.isfinite(number) else otherwise


def _bags(predicted: Iterable[Any], gold: Iterable[Any], item: Any) -> Score:
    own, theirs = Counter(map(item, _texts(predicted))), Counter(map(item, _texts(gold)))
    return Score.of(own == theirs, f"{(theirs - own).total()} items missing, {(own - theirs).total()} too many")


def readi(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """Readi's "hit": any overlap of items stripped of spaces, signs, brackets and units."""
    own, theirs = ({_readi_item(text) for text in _texts(rows)} - {""} for rows in (predicted, gold))
    return Score.of(bool(own & theirs), f"{len(own & theirs)} in common")


def _readi_item(text: str) -> str:
    text = re.sub(r"\b(years?|days?|months?|hours?|minutes?|seconds?|points?)\b", "", text.lower())
    return re.sub(r"[\s$€£%+\-–(),.'\"]", "", text.removesuffix(".0"))


def trustuqa(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """TrustUQA's match: every gold answer is among the predicted ones; others may be there as well."""
    own, theirs = ({text.lower().replace(" ", "") for text in _texts(rows)} for rows in (predicted, gold))
    return Score.of(theirs <= own, f"{len(theirs - own)} missing")


def pandora_release(predicted: Sequence[Any], gold: Sequence[Any], *, kind: str = "database") -> Score:
    """The scoring of Pandora's public release, which is not official for any benchmark.

    Args:
        predicted: Rows.
        gold: Rows; for graphs the union over all parses.
        kind: ``"database"``: rows as a set, numbers read from text, 10 decimals, columns of nothing but missing cells
            left out; ``"table"``: the first column as a
            set of lower-case texts and numbers; ``"graph"``: all cells as a set, ``value`` is F1.
    """
    if kind == "database":
        own, theirs = (set(_without_empty_columns([_release_row(row) for row in rows])) for rows in (predicted, gold))
        return Score.of(own == theirs, f"{len(theirs - own)} rows missing, {len(own - theirs)} too many")
    if kind == "table":
        own_cells, gold_cells = ({_release_item(_first(row)) for row in rows} for rows in (predicted, gold))
        return Score.of(own_cells == gold_cells, f"{len(gold_cells - own_cells)} items missing")
    if kind == "graph":
        return _release_graph(predicted, gold)
    raise ValueError(f"kind is 'database', 'table' or 'graph', not {kind!r}")


def _release_row(row: Any) -> tuple[Any, ...]:
    return tuple(_release_cell(cell) for cell in (row if isinstance(row, (list, tuple)) else (row,)))


def _without_empty_columns(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    if len({len(row) for row in rows}) != 1:
        return rows
    kept = [at for at, column in enumerate(zip(*rows, strict=True)) if any(cell != "" for cell in column)]
    return [tuple(row[at] for at in kept) for row in rows]


def _release_cell(cell: Any) -> Any:
    if isinstance(cell, (bool, int, float, Decimal)):
        number = as_float(cell)
        return "" if math.isnan(number) else round(number, 10)
    text = as_text(cell).removesuffix(" 00:00:00")
    written = _as_number(text, text)
    return round(written, 10) if isinstance(written, float) else written


def _first(row: Any) -> Any:
    return row[0] if isinstance(row, (list, tuple)) and row else row


def _release_item(cell: Any) -> str | float:
    text = as_text(cell).strip().lower()
    return _as_number(re.sub(r"[,$%]", "", text), text)


def _release_graph(predicted: Sequence[Any], gold: Sequence[Any]) -> Score:
    own, theirs = ([text.lower() for text in _texts(rows)] for rows in (predicted, gold))
    if not own and not theirs:
        return Score.of(True, "both empty")
    shared = len(set(own) & set(theirs))
    precision = shared / len(set(own)) if own else 0.0
    recall = shared / len(set(theirs)) if theirs else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    hit = bool(own) and own[0] in theirs
    return Score(
        set(own) == set(theirs), f1, f"precision {precision:.4f}, recall {recall:.4f}, hit@1 {'yes' if hit else 'no'}"
    )
