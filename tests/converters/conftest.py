"""Graphs in a few lines of Turtle, SQLite files of a script, and files of what a test says."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
import rdflib

import boxkit
from boxkit.box import BoxSet

Boxes: TypeAlias = Callable[..., BoxSet]

PREFIXES = """
@prefix : <http://ex.example/> .
@prefix other: <http://other.example/ns#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""

MUSIC = """
:beatles a :Band ; rdfs:label "The Beatles" ; skos:altLabel "Fab Four" ; :member :john, :paul ; :from :liverpool .
:stones a :Band ; rdfs:label "The Rolling Stones" ; :member :mick ; :from :london .
:john a :Artist ; rdfs:label "John Lennon" ; :born :liverpool ; :wrote :imagine .
:paul a :Artist ; rdfs:label "Paul McCartney" ; :born :liverpool .
:mick a :Artist ; rdfs:label "Mick Jagger" ; :born :dartford .
:liverpool a :City ; rdfs:label "Liverpool" ; :country :uk . :london a :City ; rdfs:label "London" ; :country :uk .
:dartford a :City ; rdfs:label "Dartford" ; :country :uk . :uk a :Country ; rdfs:label "United Kingdom" .
:imagine a :Song ; rdfs:label "Imagine" ; :year 1971 .
"""


@pytest.fixture(scope="session")
def boxes_of() -> Boxes:
    """From Turtle without its prefixes, and options, to boxes."""

    def convert(turtle: str, **options: object) -> BoxSet:
        return boxkit.from_graph(rdflib.Graph().parse(data=PREFIXES + turtle, format="turtle"), **options)

    return convert


@pytest.fixture(scope="session")
def music() -> str:
    """A small graph of bands."""
    return MUSIC


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., Path]:
    """From a script, and rows for statements, to a SQLite file."""

    def make(script: str, name: str = "made.sqlite", rows: dict[str, list[tuple[object, ...]]] | None = None) -> Path:
        path = tmp_path / name
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
            for sql, values in (rows or {}).items():
                connection.executemany(sql, values)
        connection.close()
        return path

    return make


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file, a CSV file where it is not named, and gives its path."""

    def write(content: str | bytes, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
