"""What kind of error a wrong answer is, by a model's proposal: kept apart from labels until a person confirms it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from boxkit.answer import Usage
from boxkit.bounds import check_count
from boxkit.errors import SourceNotFound
from boxkit.evaluation.mistakes import UNTOLD, appended, kept_of, kind_of, labels_of
from boxkit.evaluation.records import Record
from boxkit.evaluation.summary import RunReport
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.prompts import layout_for, prompt_version, render
from boxkit.prompts.reply import parse_json_reply
from boxkit.threads import threads

__all__ = ["PROPOSED", "Proposal", "error_prompt", "proposals_of", "propose", "told_of"]

#: The kinds that a program which ran can be.
PROPOSED = ("logic", "intent", "field", "box", "format")

_PROPOSALS = "proposals.jsonl"
_ROWS, _CHARS = 8, 4000


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a model says of a wrong answer.

    Attributes:
        key: The question's.
        kind: One of `PROPOSED`.
        why: In a sentence.
        model: Whose proposal it is.
    """

    key: str
    kind: str
    why: str
    model: str


def proposals_of(folder: Path | None) -> dict[str, Proposal]:
    """The proposals for a run's errors, by key; the last of each counts."""
    found = kept_of(folder, _PROPOSALS)
    return {each["key"]: Proposal(*(str(each.get(of.name, "")) for of in fields(Proposal))) for each in found}


def told_of(folder: Path | None) -> dict[str, str]:
    """The kinds of a run's errors by key: a person's label, or ``logic (proposed)`` where there is only a proposal."""
    proposed = {key: f"{each.kind} (proposed)" for key, each in proposals_of(folder).items()}
    return proposed | labels_of(folder)


def propose(
    run: RunReport,
    llm: LLM,
    scorer: str | None = None,
    *,
    concurrency: int = 8,
    on_reply: Callable[[Proposal | None], None] | None = None,
) -> Usage:
    """Ask a model of each error that is logic or intent which it is, and keep each proposal beside the run at once.

    Those that have a label or a proposal are not asked about. A reply that names no kind leaves the error as it was.

    Args:
        run: From `open_run`.
        llm: The model.
        scorer: Whose errors; the official one's where None.
        concurrency: Errors at once.
        on_reply: Called with each proposal, or None for a reply that was none.

    Returns:
        What it cost.

    Raises:
        LLMError: The model cannot be asked; proposals made so far are kept.
        SourceNotFound: The run is in no folder.
        ValueError: The run was not judged by that scorer, or ``concurrency`` is no whole number from 1.
    """
    check_count("concurrency", concurrency)
    folder = run.folder
    if folder is None:
        raise SourceNotFound("this run was kept in no folder, so that there is none for proposals")
    known, name = told_of(folder), run.scorer(scorer)
    waiting = [record for record in run.records if kind_of(record, name, known) == UNTOLD]
    lock = threading.Lock()

    def one(record: Record) -> Usage:
        prompt = error_prompt(record)
        parameters = Parameters(max_tokens=layout_for(llm.layout).max_tokens, salt=prompt_version())
        completion = llm.complete([Message("user", prompt)], parameters)
        found = _read(completion, record.key, llm.name)
        with lock:
            if found is not None:
                appended(folder, _PROPOSALS, asdict(found))
            if on_reply is not None:
                on_reply(found)
        return completion.usage

    with threads(max(1, min(concurrency, len(waiting))), "boxkit-propose") as pool:
        replies = [pool.submit(one, record) for record in waiting]
        try:
            return sum((reply.result() for reply in replies), Usage())
        except Exception:
            for reply in replies:
                reply.cancel()
            raise


def error_prompt(record: Record) -> str:
    """What a model is asked of a wrong answer."""
    return render(
        "error_kind",
        question=record.question,
        evidence=record.evidence,
        code=_cut(str(record.answer.get("code", ""))),
        program=_cut(_gold_program(record.context)),
        columns=list(record.columns),
        rows=_shown(record.rows),
        row_count=len(record.rows),
        gold=_shown(record.gold),
        gold_count=len(record.gold),
    )


def _shown(rows: Sequence[Sequence[Any]]) -> list[str]:
    return [_cut(repr(tuple(row)), _CHARS // _ROWS) for row in rows[:_ROWS]]


def _cut(text: str, longest: int = _CHARS) -> str:
    return text if len(text) <= longest else f"{text[:longest]}… (cut, {len(text)} characters in all)"


def _gold_program(context: Mapping[str, Any]) -> str:
    parses = context.get("parses") or [{}]
    return str(context.get("sql") or context.get("s_expression") or parses[0].get("Sparql") or "")


def _read(completion: Completion, key: str, model: str) -> Proposal | None:
    """The proposal in a reply; None where it names no kind."""
    try:
        found = json.loads(parse_json_reply(completion.text, "{").code)
        kind = str(found["kind"]).strip().casefold()
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    why = " ".join(str(found.get("why") or "").split()).encode("utf-8", "replace").decode()
    return Proposal(key, kind, why, model) if kind in PROPOSED else None
