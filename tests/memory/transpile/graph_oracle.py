"""A zoo's graph: its boxes, pyoxigraph's rows, and rows of generated code, in one form."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pyoxigraph

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph import id_of
from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.store import Literal

from .oracle import run

ZOO = Path(__file__).parent / "zoo.ttl"
PREFIXES = """PREFIX z: <http://zoo.example/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
"""

Rows = list[tuple[str, ...]]


@cache
def zoo() -> BoxSet:
    return boxkit.load(ZOO)


@cache
def store() -> pyoxigraph.Store:
    found = pyoxigraph.Store()
    found.load(path=str(ZOO), format=pyoxigraph.RdfFormat.TURTLE)
    return found


def gold(query: str) -> Rows:
    """The engine's rows."""
    found = store().query(PREFIXES + query)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return [(str(bool(found)),)]
    return [tuple(_cell(_plain(solution[name])) for name in found.variables) for solution in found]


def answered(code: str) -> Rows:
    """The rows of generated code."""
    return [tuple(map(_cell, row)) for row in run(code, zoo())]


def _plain(term: Any) -> Any:
    if isinstance(term, pyoxigraph.Literal):
        return decode(Literal(term.value, "" if term.language else term.datatype.value, term.language or "")).value
    return None if term is None else term.value


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return id_of(value, zoo())
    return str(value) if isinstance(value, bool) or value is None else f"{float(value):.9g}"
