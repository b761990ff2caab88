"""Right, refused and wrong of `sparql_to_pandas` and `sexpr_to_pandas`, by execution against the SPARQL engine itself.

    python benchmarks/transpile_graphs.py ck25 webqsp grailqa grailqa-sexpr

A SPARQL query's answer over boxes is compared with pyoxigraph's own bindings over the same file, as sets of rows with
entities by their ids (rdflib's where pyoxigraph refuses the query); an s-expression's with GrailQA's gold answers. Of
WebQSP and GrailQA, the questions are those whose gold query gives the gold answers over the slice
(``slice_verified_ids.json``). ``tied`` counts queries whose LIMIT cuts between rows that their ORDER BY does not tell
apart: both answers are right, and different. The data folder is `BOXKIT_DATA`, else ``../shared/data``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyoxigraph
from data_folder import needed

import boxkit
from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows
from boxkit.converters.graph import id_of
from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.store import Literal
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sexpr_to_pandas, sparql_to_pandas
from boxkit.memory.transpile.sparql_text import standard

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
FILES = {
    "ck25": "rdf/ck25/graphs/prod-inst.ttl",
    "webqsp": "kg/webqsp/freebase_slice.nt",
    "grailqa": "kg/grailqa/freebase_slice.nt",
}
DATASETS = ("ck25", "webqsp", "grailqa", "grailqa-sexpr")

Rows = list[tuple[Any, ...]]


def examples(dataset: str) -> Iterator[tuple[str, str, list[str] | None]]:
    """Id, gold program and, for s-expressions, gold answers of each question."""
    if dataset == "ck25":
        import yaml

        for each in yaml.safe_load((DATA / "rdf/ck25/questions.yml").read_text(encoding="utf-8"))["questions"]:
            yield str(each["id"]), each["query"]["sparql"], None
        return
    folder = DATA / "kg" / dataset.removesuffix("-sexpr")
    verified = {str(each) for each in json.loads((folder / "slice_verified_ids.json").read_text())}
    if dataset == "webqsp":
        for each in json.loads((folder / "WebQSP.test.subset.json").read_text())["Questions"]:
            if each["QuestionId"] in verified:
                yield each["QuestionId"], each["Parses"][0]["Sparql"], None
        return
    for each in json.loads((folder / "grailqa_v1.0_dev.subset.json").read_text()):
        if str(each["qid"]) in verified:
            answers = [str(answer["answer_argument"]) for answer in each["answer"]]
            is_expression = dataset.endswith("-sexpr")
            yield str(each["qid"]), each["s_expression" if is_expression else "sparql_query"], answers


@cache
def boxes_of(graph: str) -> BoxSet:
    return boxkit.load(DATA / FILES[graph])


@cache
def engine(graph: str) -> pyoxigraph.Store:
    path = DATA / FILES[graph]
    store = pyoxigraph.Store()
    store.load(path=str(path), format=pyoxigraph.RdfFormat.from_extension(path.suffix[1:]))
    return store


def gold_rows(query: str, graph: str) -> Rows | None:
    """The engine's own rows; None where it refuses the query even in standard SPARQL."""
    import re

    # The engine takes no prefixed names with two dots.
    full = re.sub(r"(?<![\w<:/])(?:ns)?:([a-z]\w*(?:\.\w+)+)", r"<http://rdf.freebase.com/ns/\1>", standard(query))
    try:
        found = engine(graph).query(full)
    except (SyntaxError, ValueError, OSError, RuntimeError):
        return slow_rows(query, graph)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return [(bool(found),)]
    return [tuple(_plain(solution[variable]) for variable in found.variables) for solution in found]


@cache
def slow_engine(graph: str) -> Any:
    import rdflib

    return rdflib.Graph().parse(DATA / FILES[graph])


def slow_rows(query: str, graph: str) -> Rows | None:
    """rdflib's rows; None where it refuses the query too."""
    try:
        found = slow_engine(graph).query(standard(query))
        if found.type == "ASK":
            return [(bool(found.askAnswer),)]
        return [tuple(map(_plain_of_rdflib, row)) for row in found]
    except Exception as error:
        print(f"rdflib: {error}", file=sys.stderr)
        return None


def _plain_of_rdflib(term: Any) -> Any:
    if hasattr(term, "datatype"):
        return decode(Literal(str(term), str(term.datatype or ""), term.language or "")).value
    return None if term is None else str(term)


def is_tied(query: str, rows: Rows, gold: Rows, graph: str) -> bool:
    """Whether rows differ from the engine's only in which of equal rows a LIMIT keeps."""
    import re

    uncut = re.sub(r"\b(LIMIT|OFFSET)\s+\d+", "", query, flags=re.IGNORECASE)
    if uncut == query or len(rows) != len(gold):
        return False
    everything = gold_rows(uncut, graph) or []
    return comparable(rows, boxes_of(graph)) <= comparable(everything, boxes_of(graph))


def _plain(term: Any) -> Any:
    if isinstance(term, pyoxigraph.Literal):
        return decode(Literal(term.value, "" if term.language else term.datatype.value, term.language or "")).value
    return None if term is None else term.value


def comparable(rows: Rows, boxes: BoxSet) -> set[tuple[str, ...]]:
    """Rows without order and doubles, IRIs as ids, numbers to nine digits."""

    def cell(value: Any) -> str:
        if isinstance(value, str):
            return id_of(value, boxes)
        return str(value) if isinstance(value, bool) or value is None else f"{float(value):.9g}"

    return {tuple(map(cell, row)) for row in rows}


def run(code: str, boxes: BoxSet) -> Rows:
    """The canonical rows of the code's answer."""
    import re
    from decimal import Decimal

    used = set(compile(code, "answer", "exec").co_names)
    space: dict[str, Any] = {"pd": pd, "np": np, "re": re, "Decimal": Decimal}
    space |= {name: box.frame for name, box in boxes.items() if name in used}
    exec(code, space)
    return canonical_rows(space["answer"])[0]


def verdict(dataset: str, program: str, answers: list[str] | None) -> tuple[str, str]:
    """``right``, ``refused``, ``tied``, ``wrong`` or ``skipped``, and why."""
    graph = dataset.removesuffix("-sexpr")
    boxes = boxes_of(graph)
    is_expression = dataset.endswith("-sexpr")
    gold: Rows | None = [(each,) for each in answers or ()] if is_expression else gold_rows(program, graph)
    if gold is None:
        return "skipped", "the engine refuses it"
    try:
        code = (sexpr_to_pandas if is_expression else sparql_to_pandas)(program, boxes)
    except UnsupportedQuery as error:
        return "refused", f"{error.construct}: {error.detail[:200]}"
    try:
        rows = run(code, boxes)
    except Exception as error:
        return "wrong", f"{type(error).__name__}: {error}\n{code}"
    ours, theirs = comparable(rows, boxes), comparable(gold, boxes)
    if ours == theirs:
        # A bag has as many rows as the engine's, unless the query says DISTINCT somewhere.
        same_size = is_expression or len(rows) == len(gold)
        return ("right" if same_size else "wrong"), code if same_size else f"{len(rows)} rows, not {len(gold)}\n{code}"
    if not is_expression and is_tied(program, rows, gold, graph):
        return "tied", code
    return "wrong", f"{sorted(ours)[:4]} instead of {sorted(theirs)[:4]} ({len(rows)} and {len(gold)} rows)\n{code}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Right, refused and wrong of the readers of graph queries.")
    parser.add_argument("datasets", nargs="*", default=list(DATASETS), metavar="DATASET", help=", ".join(DATASETS))
    parser.add_argument("--show", choices=["wrong", "refused", "right", "tied", "skipped"], action="append", default=[])
    parser.add_argument("--only", help="the question of this id alone")
    options = parser.parse_args()
    warnings.simplefilter("error")
    heads = ("run", "right", "refused", "tied", "wrong", "right %", "skipped", "s")
    print(f"{'dataset':<16}" + "".join(f"{head:>9}" for head in heads))
    for dataset in options.datasets:
        started, counts = time.perf_counter(), Counter[str]()
        for name, program, answers in examples(dataset):
            if options.only and options.only != name:
                continue
            kind, detail = verdict(dataset, program, answers)
            counts[kind] += 1
            if kind in options.show or options.only:
                print(f"--- {kind} {name}\n{program}\n{detail}", file=sys.stderr)
        total = counts.total() - counts["skipped"]
        share = 100 * counts["right"] / total if total else 0.0
        print(
            f"{dataset:<16}{total:>9}{counts['right']:>9}{counts['refused']:>9}{counts['tied']:>9}{counts['wrong']:>9}"
            f"{share:>9.2f}{counts['skipped']:>9}{time.perf_counter() - started:>9.1f}"
        )


if __name__ == "__main__":
    needed(DATA)
    main()
