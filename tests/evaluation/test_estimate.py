"""What a run is said to cost before it begins."""

from __future__ import annotations

from dataclasses import replace

import pytest

import boxkit
from boxkit.evaluation import estimate as module
from boxkit.evaluation.estimate import estimate

from .answering import knowing, model


@pytest.mark.parametrize(
    ("strategy", "name"), [(boxkit.Pandora(model(), k=0), "attempts"), (boxkit.Text2SQL(model()), "corrections")]
)
def test_many_corrections_are_costed_as_if_each_prompt_had_been_made(shop, monkeypatch, strategy, name):
    many = replace(strategy, **{name: 40})
    told = estimate(many, shop, sample=2)
    monkeypatch.setattr(module, "_MADE", (30, 35, 40))
    assert estimate(many, shop, sample=2) == told
    monkeypatch.undo()
    endless = estimate(replace(strategy, **{name: 1_000_000}), shop, sample=1)  # which would take days to make
    assert endless.likely.calls == 1.0 and endless.most.calls >= 1_000_000


def test_a_model_that_is_asked_for_rows_needs_one_call_where_its_first_reply_serves(shop):
    found = estimate(knowing(model()), shop, sample=1)
    assert (found.likely.calls, found.most.calls) == (1.0, 3.0)
