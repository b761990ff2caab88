"""Values of a graph arrive as they are: numbers to their last digit, and every value beside texts in languages."""

from __future__ import annotations

from pathlib import Path

import boxkit
from boxkit.box import BoxSet


def turtle(folder: Path, text: str) -> BoxSet:
    path = folder / "graph.ttl"
    path.write_text(
        f"@prefix a: <http://a.example/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . {text}", encoding="utf-8"
    )
    return boxkit.load(path)


def test_numbers_dates_and_iris_stay_beside_texts_in_languages(tmp_path: Path) -> None:
    boxes = turtle(tmp_path, 'a:s a a:T; a:p 5, 7, "2001-02-03"^^xsd:date, a:o, "x"@en, "y"@de .')
    (name,) = (name for name in boxes if "p" in boxes[name].labels)
    assert set(boxes[name].frame["p"]) == {5, 7, "2001-02-03", "o", "x"}
    assert [note.message for note in boxes.notes if note.kind == "dropped"] == [
        "of 'p', texts in other languages than the preferred are left out (de 1)"
    ]
