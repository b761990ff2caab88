"""A run spends no more than it is given."""

from __future__ import annotations

import pytest

from boxkit.errors import BudgetSpent
from boxkit.evaluation.runner import evaluate

from .answering import knowing, model


def test_a_budget_stops_before_it_is_passed(shop, tmp_path):
    report = evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=1, dollars=1.05)
    assert report.done == 10 and report.usage.dollars == pytest.approx(1.0) and "budget" in report.stopped
    assert report.dollars_to_come == pytest.approx(3.0)
    assert evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=1, dollars=2.05).done == 20
    with pytest.raises(BudgetSpent, match="price is unknown"):
        evaluate(knowing(model(dollars=None)), shop, concurrency=1, dollars=1)


def test_a_budget_holds_from_the_first_question_on_however_many_are_asked_at_once(shop, tmp_path):
    report = evaluate(knowing(model(dollars=0.1)), shop, tmp_path / "run", concurrency=30, dollars=0.55)
    assert report.done == 5 and report.usage.dollars == pytest.approx(0.5)
    assert report.stopped == "the budget is spent: 0.5000 of 0.55 dollars", "the sum is the run's, not the decision's"
    llm = model(dollars=None)
    with pytest.raises(BudgetSpent, match="price is unknown"):
        evaluate(knowing(llm), shop, concurrency=30, dollars=1)
    assert len(llm.requests) == 1
