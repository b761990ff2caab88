"""The exact text of the prompts of all strategies but Pandora, one file a case."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pytest

import boxkit
from boxkit.evaluation.proposals import error_prompt
from boxkit.evaluation.records import Record
from boxkit.llm.protocol import Message
from boxkit.profile import PROFILES
from boxkit.strategies import Decompose, Knowledge, Search, Select, Text2SPARQL, Text2SQL, Text2SQLCode
from boxkit.strategies.loop import template_retry
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


@pytest.fixture(scope="module")
def graph():
    import rdflib

    text = """@prefix ex: <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        ex:ada a ex:Author ; rdfs:label "Which author"@en ; ex:born 1815 ; ex:wrote ex:b1, ex:b2 .
        ex:b1 a ex:Book ; rdfs:label "One" ; ex:price 9.5 . ex:b2 a ex:Book ; rdfs:label "Two ```" ."""
    return boxkit.load(rdflib.Graph().parse(data=text, format="turtle"))


def sent(strategy, llm, boxes):
    strategy.ask(QUESTION, boxes)
    return llm.requests[-1].messages


each_profile = pytest.mark.parametrize("profile", PROFILES.values(), ids=list(PROFILES))


@each_profile
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


@each_profile
def test_one_call_under_each_profile(profile, shelf, golden, monkeypatch):
    monkeypatch.setattr("boxkit.strategies.sqlcode_single.has_analytics", lambda: False)
    llm = ScriptedLLM(["no"])
    strategy = Text2SQLCode(llm, corrections=0, profile=profile)
    golden(f"sqlcode-single-{profile.name}", sent(strategy, llm, shelf))


@each_profile
def test_several_calls(profile, shelf, golden, monkeypatch):
    monkeypatch.setattr("boxkit.strategies.sqlcode_multi.has_analytics", lambda: False)
    replies = [
        "Decomposition:\nText2SQL: all books\nPython: count",
        "```sql\nSELECT rowid AS n, title FROM book\n```",
        "no",
    ]
    llm = ScriptedLLM(replies)
    Text2SQLCode(llm, calls="multi", corrections=0, profile=profile).ask(QUESTION, shelf)
    for name, request in zip(("decompose", "step", "python"), llm.requests, strict=True):
        golden(f"sqlcode-multi-{name}-{profile.name}", request.messages)


@each_profile
@pytest.mark.parametrize("kind", [Knowledge, Search])
def test_without_data(kind, profile, shelf, golden):
    llm = ScriptedLLM(["no"])
    golden(f"{kind.__name__.lower()}-{profile.name}", sent(kind(llm, attempts=1, profile=profile), llm, shelf))


@each_profile
def test_text2sparql(profile, graph, golden):
    llm = ScriptedLLM(["no"])
    golden(f"text2sparql-{profile.name}", sent(Text2SPARQL(llm, corrections=0, profile=profile), llm, graph))


@each_profile
def test_decompose(profile, sheet, golden, monkeypatch):
    monkeypatch.setattr(
        "boxkit.strategies.decompose.pandas_words", lambda: {"pandas_version": "3.1.1", "pandas_major": 3}
    )
    plan = '{"subquestions": ["Which books cost most?", "Who wrote them?"], "values": ["One"]}'
    code = "```python\nstep_{0} = book\nanswer = step_{0}\n```"
    llm = ScriptedLLM([plan, code.format(1), code.format(2), "no"])
    Decompose(llm, attempts=1, profile=profile).ask(QUESTION, sheet)
    assert len(llm.requests) == 4
    if profile.name == "default":
        golden("decompose-plan", llm.requests[0].messages)
        # pandas 2 says "object" of a column of texts; the rest is the same.
        shown = [
            replace(each, content=each.content.replace("'title' object", "'title' str"))
            for each in llm.requests[2].messages
        ]
        golden("decompose-step", shown)
    golden(f"decompose-merge-{profile.name}", llm.requests[3].messages)


@each_profile
def test_select(profile, sheet, golden):
    candidates = [Text2SQL(ScriptedLLM([f"```sql\nSELECT {each} FROM book\n```"])) for each in ("title", "price")]
    llm = ScriptedLLM(["no checks", "Choice: 1"])
    Select(tuple(candidates), llm, profile=profile).ask(QUESTION, sheet)
    golden(f"select-checks-{profile.name}", llm.requests[0].messages)
    golden(f"select-judge-{profile.name}", llm.requests[1].messages)


@pytest.mark.parametrize(
    "template",
    [
        "compact_retry",
        "decompose_retry",
        "knowledge_retry",
        "pandora_retry",
        "sqlcode_decompose_retry",
        "sqlcode_retry",
        "text2sparql_retry",
        "text2sql_retry",
    ],
)
def test_what_follows_a_failed_reply(template, golden):
    golden(f"after-{template}", template_retry(template)("first", "exception: no such column: nme"))


def test_error_kind(golden):
    record = Record(
        *("spider/dev/1", "1", 1, QUESTION, "Wrote means published.", "shelf", {}),
        rows=((1, "Ada"), (None, 2.5)),
        columns=("id", "full name"),
        gold=(("Grace",),),
        context={"sql": "SELECT 1"},
        answer={"code": "answer = author"},
    )
    golden("error-kind", [Message("user", error_prompt(record))])
    bare = replace(record, evidence="", rows=(), columns=(), gold=(), context={})
    golden("error-kind-bare", [Message("user", error_prompt(bare))])
