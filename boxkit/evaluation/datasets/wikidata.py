"""Questions over Wikidata: QALD-10."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets.graph_tasks import Asked, GraphLayout, graph_dataset
from boxkit.evaluation.datasets.protocol import Dataset
from boxkit.evaluation.datasets.rows import BadField, Row

__all__ = ["qald10"]


def qald10(path: str | Path, *, language: str = "en", **options: Any) -> Dataset:
    """QALD-10: the official ``qald_10.json`` in one of its languages, or one JSON record a line.

    The graph is Wikidata's endpoint or a file; topics are found in the question where the file names none.
    """
    return graph_dataset(replace(_QALD, asked=partial(_of_qald, language)), path, **options)


def _of_qald(language: str, at: int, row: Row) -> Asked:
    question = row.values.get("question")
    if isinstance(question, str):
        answers = row.values.get("answer")
        if not isinstance(answers, Mapping):
            raise BadField("'answer' is not an object of answers and names")
        return Asked(
            row.optional("id") or str(at),
            row.text("question"),
            [str(each) for each in answers],
            [str(each) for each in answers.values()],
            [each for each in row.values.get("qid_topic_entity") or () if ":" not in each],
            row.optional("sparql"),
        )
    texts = {each.get("language"): each.get("string") for each in row.list_of("question")}
    if not texts.get(language):
        raise BadField(f"it is not asked in {language!r}; there are {', '.join(map(str, texts))}")
    values = [_wikidata_id(each) for answer in row.list_of("answers") for each in _bound(answer)]
    program = str((row.values.get("query") or {}).get("sparql") or "")
    return Asked(row.text("id"), str(texts[language]), values, values, [], program)


def _bound(answer: Mapping[str, Any]) -> list[str]:
    """The values of a SPARQL result in JSON."""
    if "boolean" in answer:
        return [str(answer["boolean"]).lower()]
    bindings = answer.get("results", {}).get("bindings", [])
    return [str(term["value"]) for binding in bindings for term in binding.values()]


def _wikidata_id(value: str) -> str:
    return value.removeprefix("http://www.wikidata.org/entity/")


_QALD = GraphLayout(
    "qald-10",
    {"test": ("qald_10.json", "data/qald_10/qald_10.json", "qald_10-en.jsonl"), "train": ("qald_9_plus_train.json",)},
    partial(_of_qald, "en"),
    ("qald", "pandora_release"),
    relations=50,
    key="questions",
    vocabulary="wikidata",
)
