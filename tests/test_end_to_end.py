"""From a real source to true rows: a table, a database and a graph, with a scripted model, a real one, and none."""

from __future__ import annotations

import sqlite3
from dataclasses import replace

import pandas as pd
import pytest

import boxkit
from boxkit.llm import Cached, LocalServer
from boxkit.profile import PROFILES
from boxkit.prompts import layout_for
from boxkit.testing import FaultyServer, ScriptedLLM
from boxkit.testing.faults import broken_json, cut_by_length, html_page, ok, rate_limited, server_error


def reply(code):
    return f"Because.\n```python\n{code}\n```"


def pandora(code, **settings):
    return boxkit.Pandora(ScriptedLLM([reply(code)]), **settings)


CHINOOK = [
    (
        "Which artist has the most albums?",
        """per_artist = Album.groupby("ArtistId").size().reset_index(name="albums")
most = per_artist[per_artist["albums"] == per_artist["albums"].max()]
answer = most.merge(Artist, on="ArtistId")[["Name", "albums"]]""",
        "SELECT Name, count(*) n FROM Album JOIN Artist USING (ArtistId) GROUP BY ArtistId ORDER BY n DESC LIMIT 1",
    ),
    (
        "What did customers in each country spend?",
        """joined = Invoice.merge(Customer, on="CustomerId")
answer = joined.groupby("Country")["Total"].sum().round(2).reset_index()""",
        "SELECT Country, round(sum(Total), 2) FROM Invoice JOIN Customer USING (CustomerId) GROUP BY Country",
    ),
    (
        "Which employees manage nobody?",
        'answer = Employee[~Employee["EmployeeId"].isin(Employee["ReportsTo"].dropna())][["FirstName", "LastName"]]',
        "SELECT FirstName, LastName FROM Employee WHERE EmployeeId NOT IN "
        "(SELECT ReportsTo FROM Employee WHERE ReportsTo IS NOT NULL)",
    ),
]


@pytest.mark.parametrize(("question", "code", "sql"), CHINOOK)
def test_chinook_answers_equal_sqlites_own(data, question, code, sql):
    path = data / "sample_dbs/chinook/Chinook_Sqlite.sqlite"
    answer = pandora(code).ask(question, boxkit.load(path)).check()
    with sqlite3.connect(path) as database:
        assert sorted(answer.rows) == sorted(database.execute(sql).fetchall())
    database.close()


def test_wikitq_tables_are_read_row_by_row(data):
    files = sorted((data / "wikitq/csv").glob("*/*.csv"))[:5]
    assert len(files) == 5
    for file in files:
        boxes = boxkit.load(file)
        (name,) = boxes
        answer = (
            pandora(f"answer = {name}.iloc[:, 0].tolist()", profile=PROFILES["wikitq"]).ask("first?", boxes).check()
        )
        lines = file.with_suffix(".tsv").read_text(encoding="utf-8").splitlines()
        assert len(answer.rows) == len(lines) - 1


def test_the_beatles_graph_answers_by_name(data):
    boxes = boxkit.load(data / "rdf/stardog_music/beatles.ttl")
    members = next(name for name in boxes if "member" in name.lower() or "member" in " ".join(boxes[name].labels))
    label = next(label for label in boxes[members].labels if "member" in label)
    answer = pandora(f"answer = {members}[{label!r}].nunique()").ask("How many members?", boxes).check()
    assert answer.rows == [(4,)]


def test_a_graphs_answer_names_the_entities_behind_its_labels():
    from boxkit.examples import ORGANISATIONS

    boxes = boxkit.load(ORGANISATIONS)
    name = next(name for name in boxes if "country_label" in boxes[name].labels)
    answer = (
        pandora(f'answer = {name}[{name}["country_label"] == "France"]["country_label"].head(1)')
        .ask("?", boxes)
        .check()
    )
    assert answer.rows == [("France",)]
    assert answer.entities["France"]


@pytest.mark.parametrize(
    ("file", "question"),
    [
        ("sample_dbs/chinook/Chinook_Sqlite.sqlite", "How many tracks are there?"),
        ("sample_dbs/chinook/Chinook_Sqlite.sqlite", "Why is the sky blue?"),
        ("rdf/stardog_music/beatles.ttl", "How many albums are there?"),
        ("rdf/stardog_music/beatles.ttl", "Which quasar is the loudest?"),
    ],
)
def test_the_planner_answers_or_says_what_it_could_not_place(data, file, question):
    answer = boxkit.Planner().ask(question, boxkit.load(data / file))
    if answer.ok:
        assert answer.rows
        assert answer.rationale
    else:
        assert answer.failure.kind == "abstained"
        assert (answer.rows, answer.value) == ([], None)


class TestOverHTTP:
    """A server that misbehaves."""

    @pytest.fixture
    def boxes(self):
        return boxkit.load({"t": pd.DataFrame({"n": [1, 2]})})

    def test_the_loop_survives_bad_days(self, boxes):
        good = ok(reply("answer = t.n.sum()"))
        with FaultyServer([rate_limited(0.01), server_error(), cut_by_length("First"), good]) as server:
            llm = boxkit.OpenAI("m", base_url=server.base_url, api_key="k")
            answer = boxkit.Pandora(llm).ask("sum?", boxes)
        assert answer.check().rows == [(3,)]
        assert [attempt.failure.kind if attempt.failure else None for attempt in answer.attempts] == ["no code", None]

    @pytest.mark.parametrize("fault", [broken_json(), html_page()])
    def test_what_is_no_completion_is_an_error_that_says_so(self, boxes, fault):
        with FaultyServer(fault) as server:
            llm = boxkit.OpenAI("m", base_url=server.base_url, api_key="k", max_retries=0)
            with pytest.raises(boxkit.errors.BadReply):
                boxkit.Pandora(llm).ask("sum?", boxes)

    def test_the_cache_hits_for_the_same_and_misses_for_other_models_and_data(self, boxes, tmp_path):
        def ask(model, boxes):
            llm = Cached(boxkit.OpenAI(model, base_url=server.base_url, api_key="k"), tmp_path)
            return boxkit.Pandora(llm).ask("sum?", boxes).rows

        with FaultyServer(lambda _: reply("answer = t.n.sum()")) as server:
            assert ask("m", boxes) == ask("m", boxes) == [(3,)]
            assert len(server.requests) == 1
            ask("other", boxes)
            assert len(server.requests) == 2
            # The same name, header and first rows; another row further down.
            one, two = (boxkit.load({"t": pd.DataFrame({"n": [1] * 100 + [last]})}) for last in (1, 2))
            assert (ask("m", one), ask("m", two)) == ([(101,)], [(102,)])
            assert len(server.requests) == 4


@pytest.mark.model
@pytest.mark.timeout(400)
class TestARealModel:
    """A small model in process and over HTTP: the mechanics, never the accuracy."""

    def ask(self, llm):
        boxes = boxkit.load({"pet": pd.DataFrame({"name": ["Rex", "Tom"], "age": [3, 5]})})
        layout = replace(layout_for("compact"), max_tokens=48)
        agent = boxkit.Pandora(llm, boxkit.Memory.starter(), k=2, attempts=2, layout=layout)
        answer = agent.ask("How many pets are there?", boxes)
        assert 1 <= len(answer.attempts) <= 2
        assert answer.usage.calls == len(answer.attempts)
        assert answer.usage.completion_tokens > 0
        assert answer.ok or answer.rows == []
        assert len(answer.demonstrations) == 2

    def test_in_process(self, small_model):
        self.ask(boxkit.LocalLLM(small_model, threads=1))

    def test_over_http(self, small_model):
        with LocalServer(small_model, threads=1) as server:
            self.ask(boxkit.OpenAI(server.model, base_url=server.base_url, api_key=server.key))
