"""Numbers that bound nothing are refused at once, wherever a caller gives them."""

from __future__ import annotations

import math

import pytest

import boxkit
from boxkit.bounds import check_number
from boxkit.evaluation.datasets.graph_sources import Around
from boxkit.evaluation.datasets.protocol import Dataset
from boxkit.evaluation.estimate import estimate
from boxkit.evaluation.proposals import propose
from boxkit.evaluation.summary import RunReport
from boxkit.executor import Limits
from boxkit.llm.limits import Budgeted, Paced
from boxkit.llm.prices import Price
from boxkit.llm.protocol import Parameters
from boxkit.memory import Memory
from boxkit.testing import ScriptedLLM

LLM = ScriptedLLM([])
NOTHING = Dataset("none", "test", (), ())
NUMBERS = {
    "Limits.seconds": lambda value: Limits(seconds=value),
    "Limits.cpu_seconds": lambda value: Limits(cpu_seconds=value),
    "Paced, requests": lambda value: Paced(LLM, requests_per_minute=value),
    "Paced, tokens": lambda value: Paced(LLM, tokens_per_minute=value),
    "Budgeted, dollars": lambda value: Budgeted(LLM, dollars=value),
    "Price": lambda value: Price(1, value),
    "temperature": lambda value: Parameters(temperature=value),
    "OpenAI": lambda value: boxkit.OpenAI("m", api_key="k", timeout_s=value),
    "learn, dollars": lambda value: boxkit.learn([], None, Memory(), dollars=value),
}
COUNTS = {
    "Limits.memory_mb": lambda value: Limits(memory_mb=value),
    "Dataset.head": NOTHING.head,
    "Dataset.sample": NOTHING.sample,
    "estimate": lambda value: estimate(boxkit.Planner(), NOTHING, sample=value),
    "learn, concurrency": lambda value: boxkit.learn([], None, Memory(), concurrency=value),
    "learn, target": lambda value: boxkit.learn([], None, Memory(), target=value),
    "hops": lambda value: Around(hops=value),
    "load, hops": lambda value: boxkit.load([{"a": 1}], hops=value),
    "Memory.select": lambda value: Memory().select("?", k=value),
}


@pytest.mark.parametrize("value", [math.nan, math.inf, -1, "3", True])
@pytest.mark.parametrize("name", [*NUMBERS, *COUNTS])
def test_a_bound_that_would_never_hold_is_refused_before_anything_runs(name, value):
    with pytest.raises(ValueError, match=r" is a (whole )?number (above|from) \d.*, not "):
        (NUMBERS | COUNTS)[name](value)


@pytest.mark.parametrize("name", COUNTS)
def test_what_is_counted_is_whole(name):
    with pytest.raises(ValueError, match="is a whole number from"):
        COUNTS[name](1.5)


def test_a_time_that_no_clock_holds_is_no_limit():
    with pytest.raises(ValueError, match="above 0 to 1e"):
        Limits(seconds=1e9)
    check_number("a fraction", 0.5)


def test_proposals_are_asked_by_somebody(tmp_path):
    with pytest.raises(ValueError, match="concurrency is a whole number from 1, not 0"):
        propose(RunReport({}, folder=tmp_path), LLM, concurrency=0)
