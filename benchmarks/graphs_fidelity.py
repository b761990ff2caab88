"""Answers over boxes beside the SPARQL engine's own, and beside one row a triple: truth, lines of code, size of prompt.

    python benchmarks/graphs_fidelity.py

Needs the benchmark data (BOXKIT_DATA, or ../shared/data beside the project) and PyYAML.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pyoxigraph
from data_folder import needed

import boxkit
from boxkit.canonical import canonical_rows
from boxkit.converters.graph import id_of
from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.store import Literal

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
FILES = {
    "ck25": DATA / "rdf/ck25/graphs/prod-inst.ttl",
    "beatles": DATA / "rdf/stardog_music/beatles.ttl",
    "webqsp": DATA / "kg/webqsp/freebase_slice.nt",
    "grailqa": DATA / "kg/grailqa/freebase_slice.nt",
}


def questions() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "tests/data/graph_questions.toml").read_text(encoding="utf-8"))["question"]


@cache
def engine(graph: str) -> pyoxigraph.Store:
    store = pyoxigraph.Store()
    store.load(path=str(FILES[graph]), format=pyoxigraph.RdfFormat.from_extension(FILES[graph].suffix[1:]))
    return store


@cache
def whole(graph: str) -> boxkit.BoxSet:
    return boxkit.load(FILES[graph])


def boxes_for(question: dict[str, Any]) -> boxkit.BoxSet:
    if "topics" in question:
        return boxkit.from_graph(FILES[question["graph"]], topics=question["topics"])
    return whole(question["graph"])


@cache
def gold_queries(graph: str) -> dict[str, str]:
    if graph == "ck25":
        import yaml

        listed = yaml.safe_load((DATA / "rdf/ck25/questions.yml").read_text())["questions"]
        return {str(each["id"]): each["query"]["sparql"] for each in listed}
    if graph == "webqsp":
        listed = json.loads((DATA / "kg/webqsp/WebQSP.test.subset.json").read_text())["Questions"]
        return {each["QuestionId"]: in_full(each["Parses"][0]["Sparql"]).replace(" OR ", " || ") for each in listed}
    if graph == "grailqa":
        listed = json.loads((DATA / "kg/grailqa/grailqa_v1.0_dev.subset.json").read_text())
        return {str(each["qid"]): in_full(each["sparql_query"]) for each in listed}
    return {}


def in_full(query: str) -> str:
    """A query over Freebase without prefixed names: an engine may refuse those with two dots."""
    return re.sub(r"(?<![\w<:/])(?:ns)?:([a-z]\w*(?:\.\w+)+)", r"<http://rdf.freebase.com/ns/\1>", query)


def gold(question: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What the SPARQL engine answers."""
    query = question.get("query") or gold_queries(question["graph"])[question["id"]]
    found = engine(question["graph"]).query(query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return [(bool(found),)]
    return [tuple(_plain(solution[variable]) for variable in found.variables) for solution in found]


def _plain(term: Any) -> Any:
    if isinstance(term, pyoxigraph.Literal):
        return decode(Literal(term.value, "" if term.language else term.datatype.value, term.language or "")).value
    return None if term is None else term.value


def comparable(rows: list[tuple[Any, ...]], boxes: boxkit.BoxSet) -> list[str]:
    """Rows in one order, IRIs as ids, numbers to six digits, a row once: SPARQL's own duplicates say nothing here."""

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return id_of(value, boxes)
        if isinstance(value, bool) or value is None:
            return str(value)
        return f"{float(value):.6g}"

    return sorted({" | ".join(map(cell, row)) for row in rows})


def run(code: str, frames: dict[str, pd.DataFrame]) -> list[tuple[Any, ...]]:
    names: dict[str, Any] = {"pd": pd, **{name: frame.copy() for name, frame in frames.items()}}
    exec(code, names)
    return canonical_rows(names["answer"])[0]


def answered(question: dict[str, Any]) -> bool:
    """Whether the pandas over boxes gives what the engine gives."""
    boxes = boxes_for(question)
    rows = run(question["pandas"], {name: box.frame for name, box in boxes.items()})
    return comparable(rows, boxes) == comparable(gold(question), boxes)


@cache
def one_row_a_triple(graph: str) -> dict[str, pd.DataFrame]:
    """The form of Pandora's release: a box a type, first the subject, then one column a relation; one row a triple."""
    boxes, sparse = whole(graph), {}
    for name, box in boxes.items():
        if box.primary_key != (f"{name}_id",):
            continue
        relations = [each.label for each in box.fields[1:] if not each.label.endswith("_label")]
        parts = [box.frame[[f"{name}_id", label]].dropna().set_axis([name, label], axis=1) for label in relations]
        for other, table in boxes.items():
            if (
                len(table.labels) == 2
                and table.labels[0] == f"{name}_id"
                and other != name
                and len(table.primary_key) == 2
            ):
                parts.append(table.frame.set_axis([name, table.labels[1]], axis=1))
        sparse[name] = pd.concat(parts, ignore_index=True) if parts else box.frame
    return sparse


def keys_of(frames: dict[str, pd.DataFrame]) -> str:
    """The keys of Pandora's release: every two columns that share a value."""
    values = {(name, label): set(frame[label].dropna()) for name, frame in frames.items() for label in frame}
    return "\n".join(
        f"FOREIGN KEY {one[0]}['{one[1]}'] REFERENCES {other[0]}['{other[1]}']"
        for one in values
        for other in values
        if one[0] != other[0] and not values[one].isdisjoint(values[other])
    )


def with_examples(boxes: boxkit.BoxSet) -> boxkit.BoxSet:
    """The same, with values shown of every field: the first rows of a sparse box hold few."""

    def shown(box: boxkit.Box, field: boxkit.Field) -> boxkit.Field:
        return replace(field, examples=tuple(box.frame[field.label].dropna().drop_duplicates().head(3)))

    return boxes.map_boxes(lambda box: replace(box, fields=tuple(shown(box, each) for each in box.fields)))


def without_words(boxes: boxkit.BoxSet) -> boxkit.BoxSet:
    """The boxes without what the graph's comments say, which the other form does not carry."""
    return boxes.map_boxes(
        lambda box: replace(box, description="", fields=tuple(replace(f, description="") for f in box.fields))
    )


def prompt_sizes(graph: str) -> dict[str, tuple[int, int]]:
    """Characters of the whole graph's prompt in both forms: ours, and one row a triple."""
    ours, frames = without_words(whole(graph)), one_row_a_triple(graph)
    theirs, keys = boxkit.load(frames, discover=False), len(keys_of(frames))
    return {
        "fields and keys alone": (len(ours.to_prompt(samples=0)), len(theirs.to_prompt(samples=0)) + keys),
        "with values from the first rows": (len(ours.to_prompt()), len(theirs.to_prompt()) + keys),
        "with values of every field": (len(ours.to_prompt()), len(with_examples(theirs).to_prompt()) + keys),
    }


def lines(code: str) -> int:
    return sum(1 for line in code.strip().splitlines() if line.strip())


def main() -> None:
    listed = questions()
    right = 0
    ours: list[int] = []
    theirs: list[int] = []
    for question in listed:
        ok = answered(question)
        right += ok
        if "sparse" in question:
            frames = one_row_a_triple(question["graph"])
            boxes = whole(question["graph"])
            same = comparable(run(question["sparse"], frames), boxes) == comparable(gold(question), boxes)
            ours.append(lines(question["pandas"]))
            theirs.append(lines(question["sparse"]))
        else:
            same = None
        print(f"{question['graph']} {question['id']} ({question['shape']}): boxes {ok}, one row a triple {same}")
    print(f"boxes: {right} of {len(listed)} answers equal the engine's")
    print(f"lines of pandas, {len(ours)} questions both ways: boxes {sum(ours)}, one row a triple {sum(theirs)}")
    rows = sum(len(box.frame) for box in whole("ck25").values()), sum(map(len, one_row_a_triple("ck25").values()))
    print(f"CK25: rows {rows[0]} and {rows[1]}")
    keys = len(whole("ck25").foreign_keys), keys_of(one_row_a_triple("ck25")).count("\n") + 1
    print(f"CK25: foreign keys {keys[0]} and {keys[1]}")
    for what, (one, other) in prompt_sizes("ck25").items():
        print(f"CK25: characters of prompt, {what}: {one} and {other}")


if __name__ == "__main__":
    needed(DATA)
    main()
