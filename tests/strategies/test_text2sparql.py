"""Text2SPARQL: every branch, driven by scripted models over real graphs, local and behind an endpoint."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.errors import SourceError
from boxkit.profile import PROFILES, Profile
from boxkit.sparql import graph_engine
from boxkit.sql import SqlLimits
from boxkit.strategies import Hybrid, Select, SelfConsistency, Text2SPARQL, Text2SQL
from boxkit.testing import ScriptedLLM

QUESTION = "What did Ada write?"

TRIPLES = """<http://e.org/ada> <http://e.org/wrote> <http://e.org/b1> .
<http://e.org/ada> <http://e.org/wrote> <http://e.org/b2> .
<http://e.org/ada> <http://www.w3.org/2000/01/rdf-schema#label> "Ada"@en .
<http://e.org/ada> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Author> .
<http://e.org/b1> <http://www.w3.org/2000/01/rdf-schema#label> "One"@en .
<http://e.org/b2> <http://www.w3.org/2000/01/rdf-schema#label> "Two"@en .
<http://e.org/b1> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Book> .
<http://e.org/b2> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e.org/Book> .
"""

GOOD = "SELECT ?l { <http://e.org/ada> <http://e.org/wrote> ?b . ?b rdfs:label ?l } ORDER BY ?l"


def sparql(text):
    return f"So.\n```sparql\n{text}\n```"


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "shelf.nt"
    path.write_text(TRIPLES, encoding="utf-8")
    return boxkit.load(path)


@pytest.fixture(scope="module")
def server():
    at = Path(__file__).parents[1] / "converters" / "sparql_server.py"
    spec = importlib.util.spec_from_file_location("sparql_server", at)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with module.oxigraph(TRIPLES) as service:
        yield service


def test_the_rows_are_the_answer_with_the_entities_behind_them(graph):
    llm = ScriptedLLM([sparql(GOOD)])
    answer = Text2SPARQL(llm).ask(QUESTION, graph)
    assert answer.check().rows == [("One",), ("Two",)]
    assert answer.entities == {"One": ("b1",), "Two": ("b2",)}
    assert (answer.columns, answer.rationale) == (("l",), "So.")
    assert answer.usage.calls == answer.usage.steps["sparql"].calls == 1
    assert "(“" not in llm.requests[0].text and '("Ada")' in llm.requests[0].text


@pytest.mark.parametrize(
    ("bad", "kind", "told"),
    [
        ("I do not know", "no code", "```sparql"),
        (sparql("SELECT ?x { ?x e:wrote"), "refused", "line 1"),
        (sparql("DELETE WHERE { ?s ?p ?o }"), "refused", "DELETE is no query"),
        (sparql("CONSTRUCT WHERE { ?s ?p ?o }"), "refused", "CONSTRUCT gives no rows"),
        (sparql("SELECT ?x { SERVICE <http://a/> { ?x ?p ?o } }"), "refused", "SERVICE"),
        (sparql("SELECT ?x { ?x a :Writer }"), "exception", "no PREFIX says"),
        (sparql("SELECT ?x { ?x nope:a ?y }"), "exception", "nope"),
        (sparql("PREFIX e: <http://e.org/> SELECT ?x { ?x e:wrot ?y }"), "empty", "true values"),
    ],
)
def test_a_failed_query_is_corrected_from_what_went_wrong(graph, bad, kind, told):
    llm = ScriptedLLM([bad, sparql(GOOD)])
    answer = Text2SPARQL(llm).ask(QUESTION, graph)
    assert answer.check().rows == [("One",), ("Two",)]
    assert answer.attempts[0].failure.kind == kind
    assert told in llm.requests[1].last


def test_an_empty_result_names_what_the_graph_does_not_have(graph):
    prefix = next(name for name, space in graph_engine(graph).prefixes.items() if space == "http://e.org/")
    llm = ScriptedLLM([sparql(f"SELECT ?x {{ ?x {prefix}:wrot ?y }}"), sparql(GOOD)])
    Text2SPARQL(llm).ask(QUESTION, graph)
    assert f"nearest: {prefix}:wrote" in llm.requests[1].last


def test_after_three_corrections_it_gives_up_with_what_it_tried(graph):
    answer = Text2SPARQL(ScriptedLLM([sparql("SELECT")] * 4)).ask(QUESTION, graph)
    assert (answer.ok, len(answer.attempts), answer.rows) == (False, 4, [])


def test_an_endless_query_is_told_to_the_model(graph):
    endless = "SELECT (COUNT(*) AS ?n) { " + " . ".join(f"?a{at} ?b{at} ?c{at}" for at in range(12)) + " }"
    llm = ScriptedLLM([sparql(endless), sparql(GOOD)])
    answer = Text2SPARQL(llm, limits=SqlLimits(seconds=0.5)).ask(QUESTION, graph)
    assert answer.attempts[0].failure.kind == "timeout"
    assert answer.ok


def test_rows_left_out_are_said_in_the_answer(graph):
    answer = Text2SPARQL(ScriptedLLM([sparql(GOOD)]), limits=SqlLimits(rows=1)).ask(QUESTION, graph)
    assert (answer.rows, answer.details["truncated"]) == ([("One",)], True)


def test_a_yes_or_no_question(graph):
    llm = ScriptedLLM([sparql("ASK { <http://e.org/ada> <http://e.org/wrote> ?b }")])
    assert Text2SPARQL(llm).ask("Did Ada write?", graph).rows == [(True,)]


def test_a_profile_of_ids_and_one_column(graph):
    both = sparql("SELECT ?b ?l { <http://e.org/ada> <http://e.org/wrote> ?b . ?b rdfs:label ?l }")
    one = sparql("SELECT ?b { <http://e.org/ada> <http://e.org/wrote> ?b } ORDER BY ?b")
    answer = Text2SPARQL(ScriptedLLM([both, one]), profile=PROFILES["webqsp"]).ask(QUESTION, graph)
    assert answer.rows == [("b1",), ("b2",)]
    assert answer.attempts[0].failure.kind == "wrong shape"


def test_an_empty_result_is_an_answer_where_the_profile_says_so(graph):
    strategy = Text2SPARQL(ScriptedLLM([sparql("SELECT ?x { ?x a 1 }")]), profile=Profile(empty_is_error=False))
    assert strategy.ask(QUESTION, graph).ok


def test_an_endpoint_is_asked_itself(server):
    boxes = boxkit.load(server.url, topics=["Ada"], hops=1)
    asked = len(server.queries)
    answer = Text2SPARQL(ScriptedLLM([sparql(GOOD)])).ask(QUESTION, boxes)
    assert answer.check().rows == [("One",), ("Two",)]
    assert len(server.queries) == asked + 1
    assert "LIMIT 1000001" in server.queries[-1]


def test_an_endpoint_that_cuts_its_answers_is_found_out(server, monkeypatch):
    boxes = boxkit.load(server.url, topics=["Ada"], hops=1)
    monkeypatch.setattr("boxkit.sparql.remote._ROUND", 3)
    monkeypatch.setattr(server, "row_cap", 3)
    fetched = graph_engine(boxes).query("SELECT ?s { ?s ?p ?o }")
    assert (len(fetched.frame), fetched.truncated) == (3, True)


@pytest.mark.parametrize(("fault", "kind"), [("hang", "timeout"), ("400", "exception"), ("html", "exception")])
def test_an_endpoint_that_fails_is_told_to_the_model(server, fault, kind):
    boxes = boxkit.load(server.url, topics=["Ada"], hops=1)
    server.faults.append(fault)
    failure = graph_engine(boxes).query(GOOD, SqlLimits(seconds=0.6))
    assert failure.kind == kind
    server.faults.clear()


def test_without_a_graph_nothing_is_asked(tmp_path):
    llm = ScriptedLLM([])
    with pytest.raises(SourceError, match="come from none"):
        Text2SPARQL(llm).ask("How many?", boxkit.load({"t": pd.DataFrame({"a": [1]})}))


def test_it_composes_with_votes_hybrids_and_selection(graph):
    one, two = sparql(GOOD), sparql(GOOD.replace("ORDER BY ?l", "LIMIT 1"))
    voted = SelfConsistency(Text2SPARQL(ScriptedLLM([one, one, one]))).ask(QUESTION, graph)
    assert (voted.rows, voted.details["votes"], voted.usage.calls) == ([("One",), ("Two",)], 3, 3)
    table = "```sql\nSELECT book_label FROM book ORDER BY 1\n```"
    mixed = Hybrid(Text2SPARQL(ScriptedLLM([one, two, "?"] + ["?"] * 3)), Text2SQL(ScriptedLLM([table])))
    answer = mixed.ask(QUESTION, graph)
    assert answer.rows == [("One",), ("Two",)]
    chosen = Select((Text2SPARQL(ScriptedLLM([one])), Text2SQL(ScriptedLLM([table]))), ScriptedLLM([]))
    assert chosen.ask(QUESTION, graph).details["selected_by"] == "agreement"


async def test_many_at_once_on_an_event_loop(graph):
    import asyncio

    strategy = Text2SPARQL(ScriptedLLM(lambda _: sparql(GOOD), latency_s=0.01))
    answers = await asyncio.gather(*(strategy.aask(QUESTION, graph) for _ in range(5)))
    assert [answer.rows for answer in answers] == [[("One",), ("Two",)]] * 5
