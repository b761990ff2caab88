"""What a model sees of the data."""

from __future__ import annotations

import ast

import pandas as pd
import pytest

from boxkit.box import Box, BoxSet, Field, ForeignKey, Note, Reading
from boxkit.boxcode import estimate_tokens


class Held:
    """A reader of a frame in memory."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame = frame

    def read(self, columns=None, limit=None):
        frame = self.frame if columns is None else self.frame[list(columns)]
        return Reading(frame if limit is None else frame.head(limit))

    def count(self):
        return len(self.frame)

    def fingerprint(self):
        return str(pd.util.hash_pandas_object(self.frame).sum())


def box(name, columns, key=(), **rest):
    frame = pd.DataFrame(columns)
    return Box(name, tuple(Field(label) for label in frame.columns), Held(frame), primary_key=key, **rest)


@pytest.fixture
def shelf():
    return BoxSet(
        [
            box("author", {"id": [1, 2], "name": ["Ada", "Grace"]}, key=("id",)),
            box("book", {"title": ["One", "Two"], "author_id": [1, None], "price": [9.5, 3.0]}),
        ],
        [ForeignKey("book", ("author_id",), "author", ("id",))],
        [Note("renamed", "was 'Books'", "book")],
    )


def test_it_shows_every_field_key_note_and_true_values(shelf):
    text = shelf.to_prompt()
    assert '"name": [],  # e.g. "Ada", "Grace"' in text
    assert "primary key" in text
    assert '# book["author_id"] = author["id"]' in text
    assert "was 'Books'" in text
    ast.parse(text)


def test_it_is_the_same_text_before_and_after_the_rows_are_read(shelf):
    before = shelf.to_prompt()
    assert [len(each.frame) for each in shelf.values()] == [2, 2]
    assert shelf.to_prompt() == before


@pytest.mark.parametrize("header", ['"; import os #', "line\nbreak", "a\u2028b", "tab\t", "\\", "日付"])
def test_a_hostile_header_or_cell_stays_one_literal(header):
    boxes = BoxSet([box("t", {header: [header]})])
    tree = ast.parse(boxes.to_prompt())
    (call,) = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    assert [key.value for key in call.args[0].keys] == [header]
    assert len(tree.body) == 1


@pytest.mark.parametrize(
    ("boxes", "must_keep"),
    [
        (BoxSet([box("wide", {f"measure_{at}": ["x" * 50] for at in range(300)} | {"salary": [1]})]), '"salary"'),
        (
            BoxSet([box(f"table_{at}", {"id": [1], "note": ["n"]}) for at in range(200)] + [box("salary", {"v": [1]})]),
            "salary =",
        ),
        (BoxSet([box("big", {"cell": ["y" * 1_000_000], "salary": [1]})]), "(1000000 characters)"),
        (BoxSet([box("n" * 200, {f"{'c' * 400} {at}": [1] for at in range(60)} | {"salary": [1]})]), '"salary"'),
        (BoxSet([box("t", {f'a"\n{at}; import os #': [1] for at in range(300)} | {"salary": [1]})]), '"salary"'),
    ],
    ids=["300 columns", "200 tables", "1 MB cell", "long names", "hostile names"],
)
@pytest.mark.parametrize("budget", [300, 600, 1500])
def test_it_keeps_within_its_budget_what_the_question_asks_for(boxes, must_keep, budget):
    text = boxes.to_prompt(budget, question="What is the average salary?")
    assert estimate_tokens(text) <= budget
    assert must_keep in text and ast.parse(text)
    if "1000000" not in must_keep:
        assert "left out to save space" in text


@pytest.mark.parametrize(
    ("name", "source", "said"),
    [
        ("bom_part", "http://ld.example/vocab/BomPart", False),
        ("person_born_in", "http://e.example#bornIn", False),
        ("place_of_birth", "http://www.wikidata.org/prop/direct/P19", True),
        ("bom_part", "Bom Part", True),
    ],
)
def test_an_iri_is_shown_where_it_says_more_than_the_name(name, source, said):
    text = BoxSet([box(name, {"a": [1]}, source_name=source)]).to_prompt()
    assert ("stands for" in text) == said
