"""Diagrams and HTML of a BoxSet."""

from __future__ import annotations

import pandas as pd

import boxkit


def boxes() -> boxkit.BoxSet:
    return boxkit.load(
        {
            "author": pd.DataFrame({"author id": [1, 2, 3], "<b>name</b>": ["x", "y", "z"]}),
            "book": pd.DataFrame({"title": ["p", "q", "r", "s"], "author id": [1, 2, 2, 3]}),
        }
    )


def test_a_diagram_names_boxes_fields_and_how_sure_a_key_is() -> None:
    text = boxes().diagram()
    assert text.startswith("erDiagram\n    author {\n        integer author_id ")
    assert 'author ||..o{ book : "author id (inferred, 99%)"' in text


def test_html_escapes_what_the_source_says() -> None:
    text = boxes()._repr_html_()
    assert "&lt;b&gt;name&lt;/b&gt;" in text and "<b>name</b>" not in text and "book[&#x27;author id&#x27;]" in text
