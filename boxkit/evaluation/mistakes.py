"""Errors sorted into the paper's kinds (Pandora, section 6): most are told by what failed, two only by a person."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from boxkit.errors import UnreadableSource
from boxkit.evaluation.judging import Predicted, judge
from boxkit.evaluation.records import Record

__all__ = ["KINDS", "UNTOLD", "appended", "kept_of", "kind_of", "kinds_of", "labels_of", "told", "write_label"]

#: The paper's kinds; what is wrong in logic and what in intent is told by a person's label.
KINDS = ("execution", "box", "field", "logic", "intent", "format")
UNTOLD = "logic or intent"

_LABELS = "labels.jsonl"
_FORMAT = frozenset({"no code", "no answer", "wrong shape", "too large"})
#: Failures that are no error of an answer → what a report calls them.
_NOT_OURS = {
    "abstained": "abstained",
    "model": "no reply of the model",
    "source": "source not read",
    "boxkit": "fault of boxkit",
}


def kind_of(record: Record, scorer: str, labels: Mapping[str, str] | None = None) -> str:
    """What kind of error a record is; empty where it is none, ``logic or intent`` where a person has not said which.

    Args:
        record: The record.
        scorer: Whose verdict counts.
        labels: Kinds that a person gave (or a model proposed), by key; they count first.
    """
    score = record.scores.get(scorer)
    if score is None or score.correct or score.error:
        return ""
    if labels and record.key in labels:
        return labels[record.key]
    if record.failure:
        return _of_failure(record)
    # The same values in another form: texts for numbers, another order, a tolerance.
    predicted = Predicted(record.rows, record.columns, record.answer.get("entities") or {})
    is_form = judge("starqa_tolerant", predicted, record.gold).correct
    return "format" if is_form else UNTOLD


def _of_failure(record: Record) -> str:
    if record.failure in _NOT_OURS:
        return record.failure
    if record.failure in _FORMAT:
        return "format"
    if record.failure == "empty":
        return UNTOLD
    failure = record.answer.get("failure") or {}
    told = f"{failure.get('type', '')} {record.message} {failure.get('hint', '')}".lower()
    if any(word in told for word in ("nameerror", "unknownbox", "there is no box", "no such table", "nearest tables")):
        return "box"
    if any(word in told for word in ("keyerror", "unknownfield", "has no field", "no such column", "nearest columns")):
        return "field"
    return "execution"


def kinds_of(records: Iterable[Record], scorer: str, labels: Mapping[str, str] | None = None) -> Counter[str]:
    """How often each kind of error occurs."""
    return Counter(kind for record in records if (kind := kind_of(record, scorer, labels)))


def told(kind: str) -> str:
    """What a report calls a kind: ``model`` alone would not say that the model gave no reply."""
    return _NOT_OURS.get(kind, kind)


def labels_of(folder: Path | None) -> dict[str, str]:
    """The kinds that a person gave to a run's errors, by key; the last of each counts."""
    return {each["key"]: each["kind"] for each in kept_of(folder, _LABELS)}


def write_label(folder: Path, key: str, kind: str) -> None:
    """Keep a person's label.

    Raises:
        ValueError: It is none of `KINDS`.
    """
    if kind not in KINDS:
        raise ValueError(f"an error's kind is one of {', '.join(KINDS)}, not {kind!r}")
    appended(folder, _LABELS, {"key": key, "kind": kind})


def kept_of(folder: Path | None, name: str) -> list[dict[str, Any]]:
    """The lines of a JSONL file beside a run; none where there is no such file. A kill may have left half a line.

    Raises:
        UnreadableSource: One is damaged.
    """
    path = None if folder is None else folder / name
    if path is None or not path.is_file():
        return []
    content = path.read_bytes()
    try:
        found = [json.loads(line) for line in content[: content.rfind(b"\n") + 1].splitlines()]
    except (ValueError, RecursionError) as error:
        raise UnreadableSource(f"this is no file of labels: {error}", where=str(path)) from error
    for number, each in enumerate(found, start=1):
        if not isinstance(each, dict) or not all(isinstance(each.get(name), str) for name in ("key", "kind")):
            raise UnreadableSource(f"line {number} is no label: it has no key and kind", where=str(path))
    return found


def appended(folder: Path, name: str, values: Mapping[str, str]) -> None:
    """Keep a line beside a run; it is on disk when this returns."""
    with (folder / name).open("a+b") as file:
        file.seek(0, os.SEEK_END)
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":  # half a line, that a kill has left
                content = (folder / name).read_bytes()
                file.truncate(content.rfind(b"\n") + 1)
        file.write(json.dumps(values, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
        file.flush()
        os.fsync(file.fileno())
