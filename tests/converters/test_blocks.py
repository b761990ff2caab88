"""Tables of a sheet, told apart as a person would."""

from __future__ import annotations

from typing import Any

import pytest

from boxkit.converters.blocks import blocks

CITIES = [["city", "people"], ["Oslo", 7], ["Rome", 28]]
TEXTS = [["city", "land"], ["Oslo", "NO"], ["Rome", "IT"]]
RIVERS = [["river", "ends"], ["Po", "sea"], ["Aare", "Rhine"]]


@pytest.mark.parametrize(
    ("rows", "tables"),
    [
        ([*CITIES, [], *RIVERS], [CITIES, RIVERS]),
        ([*TEXTS, [], [], *RIVERS], [TEXTS, RIVERS]),
        ([*TEXTS, [], *TEXTS], [TEXTS, TEXTS]),
        ([*TEXTS, [], *[[None, None, *row] for row in RIVERS]], [TEXTS, RIVERS]),
        ([[*left, None, *right] for left, right in zip(TEXTS, RIVERS, strict=True)], [TEXTS, RIVERS]),
    ],
    ids=["texts below numbers", "a wide gap", "the same names again", "other columns", "beside"],
)
def test_a_table_of_nothing_but_texts_is_a_table_of_its_own(rows: list[list[Any]], tables: list[Any]) -> None:
    assert blocks(rows) == tables


@pytest.mark.parametrize(
    "below",
    [
        [["Po", "sea"], ["Aare", "Rhine"]],
        [["Source:", "Eurostat"], ["Note:", "people in thousands"], ["Made:", "today"]],
        [["Oslo counts its suburbs"], ["Rome does not"], ["nor does Bern"]],
    ],
    ids=["two rows", "remarks with a colon", "remarks in a column"],
)
def test_a_few_texts_below_a_table_are_no_other(below: list[list[Any]]) -> None:
    assert len(blocks([*CITIES, [], *below])) == 1


def test_a_blank_row_between_groups_of_texts_parts_nothing() -> None:
    assert len(blocks([*TEXTS, [], ["Bern", "CH"], ["Basel", "CH"], ["Chur", "CH"]])) == 1
