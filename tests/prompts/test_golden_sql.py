"""The exact text of the prompts of the SQL strategies, one file a case."""

from __future__ import annotations

import sqlite3

import pytest

import boxkit
from boxkit.profile import PROFILES
from boxkit.strategies import Knowledge, Text2SQL, Text2SQLCode
from boxkit.testing import ScriptedLLM

QUESTION = "Which author wrote most?"


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    path = tmp_path_factory.mktemp("shelf") / "shelf.sqlite"
    database = sqlite3.connect(path)
    database.executescript("""
        CREATE TABLE author(id INTEGER PRIMARY KEY, "full name" TEXT);
        CREATE TABLE book(title TEXT, author_id INTEGER REFERENCES author(id), genre TEXT, published TEXT);
        INSERT INTO author VALUES (1, 'Ada'), (2, 'Grace');
        INSERT INTO book VALUES ('One', 1, 'prose', '2001-01-31'), ('Two', 2, 'verse', NULL),
            ('Three', 2, 'prose', NULL), ('Four', 2, 'prose', NULL), ('Five', 2, 'prose', NULL);
    """)
    database.close()
    return boxkit.load(path)


@pytest.fixture(scope="module")
def sheet():
    import pandas as pd

    return boxkit.load({"book": pd.DataFrame({"title": ["One", "Two"], "price": [1.5, None]})})


def sent(strategy, llm, boxes):
    strategy.ask(QUESTION, boxes)
    return llm.requests[-1].messages


@pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))
def test_text2sql(profile, shelf, golden):
    llm = ScriptedLLM(["no"])
    golden(f"text2sql-{profile.name}", sent(Text2SQL(llm, corrections=0, profile=profile), llm, shelf))


def test_text2sql_over_frames(sheet, golden):
    llm = ScriptedLLM(["no"])
    golden("text2sql-duckdb", sent(Text2SQL(llm, corrections=0), llm, sheet))


@pytest.mark.parametrize("boxes", ["shelf", "sheet"])
def test_one_call(boxes, request, golden, monkeypatch):
    monkeypatch.setattr("boxkit.strategies.sqlcode_single.has_analytics", lambda: True)
    llm = ScriptedLLM(["no"])
    golden(f"sqlcode-single-{boxes}", sent(Text2SQLCode(llm, corrections=0), llm, request.getfixturevalue(boxes)))


def test_several_calls(shelf, golden, monkeypatch):
    monkeypatch.setattr("boxkit.strategies.sqlcode_multi.has_analytics", lambda: False)
    replies = [
        "Decomposition:\nText2SQL: all books\nPython: count",
        "```sql\nSELECT rowid AS n, title FROM book\n```",
        "no",
    ]
    llm = ScriptedLLM(replies)
    Text2SQLCode(llm, calls="multi", corrections=0).ask(QUESTION, shelf)
    for name, request in zip(("decompose", "step", "python"), llm.requests, strict=True):
        golden(f"sqlcode-multi-{name}", request.messages)


def test_knowledge(shelf, golden):
    llm = ScriptedLLM(["no"])
    golden("knowledge", sent(Knowledge(llm, attempts=1), llm, shelf))
