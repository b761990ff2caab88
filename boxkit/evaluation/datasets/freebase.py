"""Questions over Freebase: WebQSP, GrailQA, ComplexWebQuestions, each in the files of several releases."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from boxkit.evaluation.datasets.graph_tasks import Asked, GraphLayout, graph_dataset
from boxkit.evaluation.datasets.protocol import Dataset
from boxkit.evaluation.datasets.rows import BadField, Row

__all__ = ["cwq", "grailqa", "webqsp"]

_SOUND = {"AnnotatorComment": {"QuestionQuality": "Good", "ParseQuality": "Complete"}}


def webqsp(path: str | Path, **options: Any) -> Dataset:
    """WebQSP: Microsoft's ``WebQSP.test.json`` with parses; UnifiedSKG's, RoG's and Pandora's files as well."""
    return graph_dataset(_WEBQSP, path, **options)


def grailqa(path: str | Path, **options: Any) -> Dataset:
    """GrailQA: ``grailqa_v1.0_dev.json`` (the test set's answers are not published), or UnifiedSKG's ``test.jsonl``."""
    return graph_dataset(_GRAILQA, path, **options)


def cwq(path: str | Path, **options: Any) -> Dataset:
    """ComplexWebQuestions: ``ComplexWebQuestions_test.json``, RoG's files, or records that hold their triples.

    It has no official script: RoG's Hit is what papers report.
    """
    return graph_dataset(_CWQ, path, **options)


def _unwrapped(row: Row) -> Row:
    """The original record, which Pandora's release puts into one of its own."""
    inner = row.values.get("raw_data")
    return Row(row.file, row.line, inner) if isinstance(inner, Mapping) else row


def _of_webqsp(_: int, row: Row) -> Asked:
    row = _unwrapped(row)
    if "Parses" in row.values:
        return _of_parses(row)
    if "q_entity" in row.values:
        return _of_rog(row)
    answers = [(str(mid).removeprefix("ns:"), str(name or mid)) for mid, name in row.list_of("answers")]
    topics = [str(mid).removeprefix("ns:") for _, mid in row.list_of("entities")]
    parse = {"Answers": [{"AnswerArgument": mid, "EntityName": name} for mid, name in answers], **_SOUND}
    program = row.optional("s_expression").removeprefix("null")
    return Asked(
        row.text("ID", "id"),
        row.text("question"),
        [mid for mid, _ in answers],
        [name for _, name in answers],
        topics,
        program,
        "sexpr",
        {"parses": [parse]},
    )


def _of_parses(row: Row) -> Asked:
    parses = row.list_of("Parses")
    if not parses:
        raise BadField("it has no parse")
    kept: list[dict[str, Any]] = [
        {
            "AnnotatorComment": {
                name: parse.get("AnnotatorComment", {}).get(name) for name in ("QuestionQuality", "ParseQuality")
            },
            "Answers": [
                {"AnswerArgument": answer["AnswerArgument"], "EntityName": answer.get("EntityName")}
                for answer in parse["Answers"]
            ],
        }
        for parse in parses
    ]
    answers = {
        answer["AnswerArgument"]: answer["EntityName"] or answer["AnswerArgument"]
        for parse in kept
        for answer in parse["Answers"]
    }
    topics = dict.fromkeys(str(parse["TopicEntityMid"]) for parse in parses if parse.get("TopicEntityMid"))
    return Asked(
        row.text("QuestionId"),
        row.text("RawQuestion", "ProcessedQuestion"),
        list(answers),
        list(answers.values()),
        list(topics),
        str(parses[0].get("Sparql") or ""),
        "sparql",
        {"parses": kept},
    )


def _of_rog(row: Row) -> Asked:
    """RoG's records: names only, no ids."""
    answers = [str(each) for each in row.list_of("answer")]
    return Asked(
        row.text("id"), row.text("question"), answers, answers, [str(each) for each in row.list_of("q_entity")]
    )


def _of_grailqa(_: int, row: Row) -> Asked:
    row = _unwrapped(row)
    answers = row.list_of("answer")
    graph_query = row.values.get("graph_query") or {}
    topics = [str(node["id"]) for node in graph_query.get("nodes", ()) if node.get("node_type") == "entity"]
    topics += [each for each in row.values.get("topic_entity") or () if each not in topics]
    expression = row.optional("s_expression")
    return Asked(
        row.text("qid", "id"),
        row.text("question"),
        [str(each["answer_argument"]) for each in answers],
        [str(each.get("entity_name") or each["answer_argument"]) for each in answers],
        topics,
        expression or row.optional("sparql_query"),
        "sexpr" if expression else "sparql",
        {"s_expression": expression},
        {name: (str(row.values[name]),) for name in ("level", "function") if row.values.get(name)},
    )


def _of_cwq(_: int, row: Row) -> Asked:
    if "q_entity" in row.values:
        return _of_rog(row)
    given = row.values.get("answers", row.values.get("answer"))
    answers = given if isinstance(given, list) else [given] if given else []
    names = [str(each["answer"] if isinstance(each, Mapping) else each) for each in answers]
    ids = [str(each["answer_id"] if isinstance(each, Mapping) else each) for each in answers]
    aliases = [alias for each in answers if isinstance(each, Mapping) for alias in each.get("aliases") or ()]
    topics = row.values.get("topic_entity") or {}
    return Asked(
        row.text("ID", "id"),
        row.text("question"),
        ids,
        names,
        [*topics, *topics.values()],
        row.optional("sparql"),
        "sparql",
        {"aliases": aliases},
        {"type": (row.optional("compositionality_type") or "unknown",)},
    )


_KGQA = ("rog", "structgpt_webqsp", "trustuqa", "pandora_release")
_WEBQSP = GraphLayout(
    "webqsp",
    {
        part: (
            f"WebQSP.{part}.json",
            f"data/WebQSP.{part}.json",
            f"WebQSP.{part}.subset.json",
            f"webqsp.{part}.json",
            f"{part}.jsonl",
            f"{part}.parquet",
        )
        for part in ("test", "train", "dev")
    },
    _of_webqsp,
    ("webqsp", *_KGQA),
    key="Questions",
)
_GRAILQA = GraphLayout(
    "grailqa",
    {
        part: (f"grailqa_v1.0_{part}.json", f"grailqa_v1.0_{part}.subset.json", f"grailqa.{part}.json", f"{part}.jsonl")
        for part in ("dev", "train", "test")
    },
    _of_grailqa,
    ("grailqa", "pandora_release", "rog"),
    profile="grailqa",
    hops=3,
)
_CWQ = GraphLayout(
    "cwq",
    {
        part: (
            f"ComplexWebQuestions_{part}.json",
            f"cwq.{part}.json",
            "cwq_crucial_triples.json",
            f"{part}.jsonl",
            f"{part}.parquet",
        )
        for part in ("test", "dev", "train")
    },
    _of_cwq,
    _KGQA,
    hops=4,
)
