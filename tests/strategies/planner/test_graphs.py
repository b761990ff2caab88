"""Things of a graph: asked for and shown by their labels, tied to each other by relations, linked to other sources."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit import Planner, load

GRAPH = """
@prefix ex: <https://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
ex:c1 a ex:Canton ; rdfs:label "Northern Vale" ; ex:borders ex:c2, ex:c3 .
ex:c2 a ex:Canton ; rdfs:label "Oak Shire" ; ex:borders ex:c1 .
ex:c3 a ex:Canton ; rdfs:label "Lower Reach" ; ex:borders ex:c1, ex:c4 .
ex:c4 a ex:Canton ; rdfs:label "Salt Coast" ; ex:borders ex:c3 .
ex:l1 a ex:League ; rdfs:label "Hanse Circle" ; ex:member ex:c1, ex:c2 ; ex:foundedYear 1402 .
ex:l2 a ex:League ; rdfs:label "Pepper Guild" ; ex:member ex:c2, ex:c3, ex:c4 ; ex:foundedYear 1377 .
"""


@pytest.fixture(scope="module")
def cantons(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "cantons.ttl"
    path.write_text(GRAPH)
    return load(path)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("How many cantons are there?", [(4,)]),
        ("How many members does the Pepper Guild have?", [(3,)]),
        ("Which leagues were founded before 1400?", [("Pepper Guild",)]),
        ("Which league has the most members?", [("Pepper Guild",)]),
        ("Which cantons border Northern Vale?", [("Oak Shire",), ("Lower Reach",)]),
        ("Which cantons are members of the Hanse Circle?", [("Northern Vale",), ("Oak Shire",)]),
        ("Which leagues is Oak Shire a member of?", [("Hanse Circle",), ("Pepper Guild",)]),
    ],
)
def test_a_graph_is_asked_by_its_labels(ask, cantons, question, rows):
    assert sorted(ask(question, cantons)) == sorted(rows)


def test_the_ids_behind_the_labels_are_kept(cantons):
    answer = Planner().ask("Which league has the most members?", cantons)
    assert answer.rows == [("Pepper Guild",)]
    (ids,) = answer.entities.values()
    assert ids[0].endswith("l2")


def test_a_graph_and_a_table_answer_together(ask, cantons, tmp_path):
    table = pd.DataFrame(
        {
            "canton": ["Northern Vale", "Oak Shire", "Lower Reach", "Salt Coast"],
            "landlocked": ["yes", "yes", "yes", "no"],
        }
    )
    (tmp_path / "facts.csv").write_text(table.to_csv(index=False))
    (tmp_path / "cantons.ttl").write_text(GRAPH)
    both = load(tmp_path / "facts.csv", tmp_path / "cantons.ttl")
    assert ask("How many cantons are landlocked?", both) == [(3,)]


def test_the_ids_behind_names_are_kept_too(tmp_path):
    # a list of names alone cannot be looked up in the graph again
    (tmp_path / "firms.ttl").write_text(
        "@prefix ex: <https://example.org/> .\n"
        'ex:s1 a ex:Supplier ; ex:name "Harris Cole" ; ex:locality "Lyon" .\n'
        'ex:s2 a ex:Supplier ; ex:name "Ada Works" ; ex:locality "Kiel" .\n'
    )
    answer = Planner().ask("Which suppliers are in Lyon?", load(tmp_path / "firms.ttl"))
    assert answer.rows == [("Harris Cole",)]
    assert [identifier.endswith("s1") for identifier in answer.entities["Harris Cole"]] == [True]
