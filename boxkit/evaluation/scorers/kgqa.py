"""F1 of answers over graphs: GrailQA's and WebQSP's official evaluators, and QALD's measure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.evaluation.scorers.score import INCOMPARABLE, Score, as_text, cells

__all__ = ["grailqa", "qald", "webqsp"]

#: What the official WebQSP script adds to the true positives so as never to divide by zero.
EPSILON = 1e-40


def grailqa(
    predicted: Iterable[Any], gold: Iterable[Any], *, logical_form: str | None = "", gold_logical_form: str = ""
) -> Score:
    """GrailQA's F1: exact strings as sets, and 1 where the logical forms agree, whatever the answer.

    The official script compares logical forms as graphs; here they agree where they are written alike.

    Args:
        predicted: One id or literal a row; a bare string counts as its characters, as in the official script.
        gold: The ``answer_argument`` strings.
        logical_form: The predicted s-expression, where there is one.
        gold_logical_form: The gold one.
    """
    if logical_form is None:
        return Score.none("a logical form that is null ends the official evaluator")
    if logical_form and logical_form.split() == gold_logical_form.split():
        return Score.of(True, "the logical forms agree")
    try:
        own, theirs = set(cells(predicted)), set(gold)
    except INCOMPARABLE as error:
        return Score.none(f"an answer that is no list of strings ends the official evaluator: {error}")
    shared = len(own & theirs)
    if not shared:
        return Score(False, 0.0, "no answer in common")
    precision, recall = shared / len(own), shared / len(theirs)
    f1 = 2 * precision * recall / (precision + recall)
    return Score(f1 == 1.0, f1, f"precision {precision:.4f}, recall {recall:.4f}")


@dataclass(frozen=True, slots=True)
class _Parts:
    """Precision, recall and F1 against one parse."""

    precision: float
    recall: float
    f1: float


def webqsp(predicted: Any, gold: Sequence[Mapping[str, Any]]) -> Score:
    """WebQSP's F1: the best over all parses, of a question that has at least one good and complete parse.

    Doubled wrong answers cost each time; nothing in common scores 1e-40, and exactly 0 where nothing was predicted.

    Args:
        predicted: One id or literal a row; a bare string is searched by character, as in the official script.
        gold: The question's ``Parses``.
    """
    if not any(_is_sound(parse) for parse in gold):
        return Score.none("left out: no parse is both good and complete")
    own = cells(predicted)
    golds = [[answer["AnswerArgument"] for answer in parse["Answers"]] for parse in gold]
    try:
        best = max((_parts(own, theirs) for theirs in golds), key=lambda parts: parts.f1)
        hit = any(not theirs or any(one in theirs for one in own) for theirs in golds)
    except INCOMPARABLE as error:
        return Score.none(f"an answer that cannot be compared ends the official script: {error}")
    return Score(
        best.f1 == 1.0,
        best.f1,
        f"precision {best.precision:.4f}, recall {best.recall:.4f}, hit {'yes' if hit else 'no'}",
    )


def _is_sound(parse: Mapping[str, Any]) -> bool:
    comment = parse.get("AnnotatorComment", {})
    return bool(comment.get("QuestionQuality") == "Good" and comment.get("ParseQuality") == "Complete")


def _parts(own: Sequence[Any], theirs: Sequence[Any]) -> _Parts:
    if not theirs:
        return _Parts(0.0, 1.0, 0.0) if own else _Parts(1.0, 1.0, 1.0)
    if not own:
        return _Parts(1.0, 0.0, 0.0)
    right = EPSILON + sum(one in own for one in theirs)
    precision = right / (right + sum(one not in theirs for one in own))
    recall = right / (right + sum(one not in own for one in theirs))
    return _Parts(precision, recall, 2 * precision * recall / (precision + recall))


def qald(predicted: Iterable[Any], gold: Iterable[Any]) -> Score:
    """QALD's F1 over sets of answers, as GERBIL computes it: an empty answer is right where gold is empty.

    Args:
        predicted: Rows; a row of several cells is one answer, whatever their order.
        gold: Rows likewise.
    """
    own, theirs = {_answer(row) for row in predicted}, {_answer(row) for row in gold}
    if not own or not theirs:
        return Score.of(own == theirs, "both empty" if own == theirs else "one of them is empty")
    shared = len(own & theirs)
    precision, recall = shared / len(own), shared / len(theirs)
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return Score(f1 == 1.0, f1, f"precision {precision:.4f}, recall {recall:.4f}")


def _answer(row: Any) -> tuple[str, ...]:
    return tuple(sorted(map(_written, row))) if isinstance(row, (list, tuple)) else (_written(row),)


def _written(cell: Any) -> str:
    return "None" if cell is None else as_text(cell)
