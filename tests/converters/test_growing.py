"""Columns that grow block by block are those that all the values at once would give."""

from __future__ import annotations

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from boxkit.converters.columns import all_exact, column
from boxkit.converters.growing import GrowingColumn

_INTEGERS = st.integers(-(2**64), 2**64) | st.integers(-3, 3) | st.just(2**53 + 1)
_KINDS = [st.none(), st.booleans(), _INTEGERS, st.floats(allow_nan=False), st.text(st.characters(), max_size=3)]
_BLOCKS = st.lists(st.sampled_from(_KINDS), min_size=1, max_size=3).flatmap(
    lambda kinds: st.lists(st.lists(st.one_of(kinds), max_size=4), max_size=5)
)


@settings(deadline=None)
@given(_BLOCKS, st.integers(0, 2))
def test_growing_columns_are_those_of_all_values_at_once(blocks: list[list[object]], ahead: int) -> None:
    growing, again = GrowingColumn(), GrowingColumn()
    for each in (growing, again):
        each.pad(ahead)
        for block in blocks:
            each.put(list(block))
    whole = [None] * ahead + [value for block in blocks for value in block]
    came = again.values()
    assert came == whole and list(map(type, came)) == list(map(type, whole))
    if growing.is_typed or {int, float} != set(map(type, whole)) - {type(None)} or all_exact(whole):
        pd.testing.assert_series_equal(growing.series(), column(whole))
