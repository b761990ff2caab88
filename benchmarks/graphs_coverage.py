"""How many questions' gold answers stand in the boxes made around them: WebQSP and GrailQA over the Freebase slices.

    python benchmarks/graphs_coverage.py [webqsp|grailqa]

Relations are compared with the question by shared words and, where its weights are on this machine, by MiniLM.

Needs the benchmark data (BOXKIT_DATA, or ../shared/data beside the project).
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from data_folder import needed

from boxkit.box import BoxSet
from boxkit.converters.graph import Graph
from boxkit.converters.graph.parse import parse_file
from boxkit.memory.embedding.transformer import packaged_minilm

DATA = Path(os.environ.get("BOXKIT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "kg"
HOPS = {"webqsp": 2, "grailqa": 3}


@dataclass(frozen=True)
class Question:
    """A question with its gold answers and topic entities."""

    id: str
    text: str
    topics: tuple[str, ...]
    answers: frozenset[str]


def webqsp() -> Iterator[Question]:
    for each in json.loads((DATA / "webqsp/WebQSP.test.subset.json").read_text())["Questions"]:
        parses = [parse for parse in each["Parses"] if parse["Answers"]]
        topics = tuple(dict.fromkeys(parse["TopicEntityMid"] for parse in parses if parse["TopicEntityMid"]))
        answers = frozenset(answer["AnswerArgument"] for parse in parses for answer in parse["Answers"])
        yield Question(each["QuestionId"], each["RawQuestion"], topics, answers)


def grailqa() -> Iterator[Question]:
    for each in json.loads((DATA / "grailqa/grailqa_v1.0_dev.subset.json").read_text()):
        nodes = each["graph_query"]["nodes"]
        topics = tuple(node["id"] for node in nodes if node["node_type"] == "entity")
        topics = topics or tuple(node["id"].split("^^")[0] for node in nodes if node["node_type"] == "literal")
        topics = topics or tuple(node["id"] for node in nodes if node["node_type"] == "class")
        answers = frozenset(answer["answer_argument"] for answer in each["answer"])
        yield Question(str(each["qid"]), each["question"], topics, answers)


def cells(boxes: BoxSet) -> set[str]:
    return {
        str(value) for box in boxes.values() for column in box.frame.columns for value in box.frame[column].dropna()
    }


def found_in(boxes: BoxSet, answers: frozenset[str]) -> bool:
    there = cells(boxes)
    return all(answer in there or _number(answer) in there for answer in answers)


def _number(text: str) -> str:
    try:
        return str(float(text)) if "." in text or "e" in text.lower() else str(int(text))
    except ValueError:
        return text


def ways() -> Iterator[tuple[str, dict[str, object]]]:
    """What is asked for, in words and as options."""
    measures = ["words", *(["minilm"] if packaged_minilm() is not None else [])]
    for topics, given in (("gold topics", {}), ("topics found by us", {"topics": None})):
        yield f"{topics}, all relations", given
        for wanted in (50, 10):
            for name in measures:
                yield f"{topics}, top {wanted} relations by {name}", {**given, "relations": wanted, "embedding": name}


def main(names: list[str]) -> None:
    for name in names or ["webqsp", "grailqa"]:
        verified = set(map(str, json.loads((DATA / name / "slice_verified_ids.json").read_text())))
        questions = [each for each in (webqsp if name == "webqsp" else grailqa)() if each.id in verified]
        store, notes = parse_file(DATA / name / "freebase_slice.nt", "nt", name)
        graph = Graph(store, name, tuple(notes), vocabulary=str(DATA / "freebase_ontology"))
        for title, options in ways():
            measure(name, title, options, questions, graph)


def measure(name: str, title: str, options: dict[str, object], questions: list[Question], graph: Graph) -> None:
    covered, tokens, sizes, missed = 0, [], [], []
    started = time.process_time()
    for question in questions:
        given = {"topics": list(question.topics), **options}
        boxes = graph.boxes(question=question.text, hops=HOPS[name], **given)
        ok = found_in(boxes, question.answers)
        covered += ok
        if not ok:
            missed.append(question.id)
        tokens.append(len(boxes.to_prompt(question=question.text)) // 4)
        sizes.append(len(boxes))
    seconds = (time.process_time() - started) / len(questions)
    share = f"{covered}/{len(questions)} = {covered / len(questions):.1%}"
    most = sorted(tokens)[int(0.9 * len(tokens))]
    print(f"{name}, H={HOPS[name]}, {title}: {share}; missed: {missed[:5]}")
    print(f"    prompt tokens median {statistics.median(tokens):.0f}, 90 % {most};", end=" ")
    print(f"boxes median {statistics.median(sizes):.0f}; {1000 * seconds:.0f} ms a question", flush=True)


if __name__ == "__main__":
    needed(DATA)
    main(sys.argv[1:])
