"""Plans built by hand: the code, and what it answers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxkit.box import BoxSet
from boxkit.canonical import canonical_rows
from boxkit.errors import PlanError, UnknownBox
from boxkit.plan import (
    Aggregate,
    Aggregated,
    Alias,
    Arithmetic,
    Column,
    Compare,
    Constant,
    Derive,
    Distinct,
    Exists,
    Extreme,
    Filter,
    InValues,
    IsMissing,
    Join,
    Limit,
    Not,
    Output,
    Plan,
    Project,
    ScalarPlan,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    all_of,
    any_of,
    col,
    emit,
    out,
)

SINGER, CONCERT = Scan("singer"), Scan("concert")
COUNT = Output(Aggregated("count"), "count")
ON = ((col("concert.singer_id"), col("singer.id")),)
OLD = Compare(">", col("age"), Constant(40))


def average(column: str) -> Plan:
    return Aggregate(SINGER, (), (Output(Aggregated("average", col(column)), "average"),))


def names(source: Plan) -> Plan:
    return Project(source, (out("name"),))


PLANS: dict[str, tuple[Plan, list[tuple[Any, ...]]]] = {
    "how many": (Aggregate(Filter(SINGER, OLD), (), (COUNT,)), [(3,)]),
    "a filter by text": (names(Filter(SINGER, Compare("=", col("country"), Constant("France")))), [("Ana",), ("Dag",)]),
    "not equal leaves out what is missing": (
        names(Filter(SINGER, Compare("!=", col("country"), Constant("France")))),
        [("Bo",)],
    ),
    "the largest with ties": (names(Extreme(SINGER, col("age"))), [("Bo",), ("Cleo",)]),
    "the smallest": (names(Extreme(SINGER, col("age"), smallest=True)), [("Ana",)]),
    "the first of the largest": (
        names(Limit(Sort(SINGER, (SortKey(col("age"), descending=True),)), 1)),
        [("Bo",)],
    ),
    "the third": (names(Limit(Sort(SINGER, (SortKey(col("age")),)), 1, offset=2)), [("Bo",)]),
    "above the average": (
        names(Filter(SINGER, Compare(">", col("age"), ScalarPlan(average("age"))))),
        [("Bo",), ("Cleo",)],
    ),
    "distinct": (Distinct(Project(SINGER, (out("country"),))), [("France",), ("Peru",), (None,)]),
    "a number per group": (Aggregate(SINGER, (out("country"),), (COUNT,)), [("France", 2), ("Peru", 1), (None, 1)]),
    "groups of some size": (
        Filter(Aggregate(SINGER, (out("country"),), (COUNT,)), Compare(">", col("count"), Constant(1))),
        [("France", 2)],
    ),
    "the group with most": (
        Extreme(Aggregate(Join(CONCERT, SINGER, ON), (out("singer.name"),), (COUNT,)), col("count")),
        [("Ana", 2)],
    ),
    "both names after a join": (
        Project(Join(CONCERT, SINGER, ON), (out("singer.name"), out("concert.name"))),
        [("Ana", "Opening"), ("Ana", "Encore"), ("Bo", "Gala")],
    ),
    "without a partner": (
        names(Join(SINGER, CONCERT, ((col("singer.id"), col("concert.singer_id")),), "anti")),
        [("Cleo",), ("Dag",)],
    ),
    "with a partner": (
        names(Join(SINGER, CONCERT, ((col("singer.id"), col("concert.singer_id")),), "semi")),
        [("Ana",), ("Bo",)],
    ),
    "all of the left": (
        Project(Join(CONCERT, SINGER, ON, "left"), (out("concert.name"), out("singer.name"))),
        [("Opening", "Ana"), ("Encore", "Ana"), ("Gala", "Bo"), ("Open air", None)],
    ),
    "a box with itself": (
        Project(
            Join(
                Scan("singer", "a"),
                Scan("singer", "b"),
                ((col("a.age"), col("b.age")),),
                condition=Compare("<", col("a.id"), col("b.id")),
            ),
            (out("a.name"), out("b.name")),
        ),
        [("Bo", "Cleo")],
    ),
    "a computed column": (
        Filter(
            Derive(
                Project(SINGER, (out("name"), out("age"))),
                (Output(Arithmetic("+", col("age"), Constant(10)), "later"),),
            ),
            Compare(">=", col("later"), Constant(60)),
        ),
        [("Bo", 50, 60), ("Cleo", 50, 60)],
    ),
    "a column named as a method": (
        Aggregate(CONCERT, (out("order"),), (Output(Aggregated("sum", col("seats")), "sum"),)),
        [("a", 330.0), ("b", 100.0), ("c", None)],
    ),
    "one list less another": (
        SetOperation(Project(SINGER, (out("id"),)), Project(CONCERT, (out("singer_id"),)), "except"),
        [(3,), (4,)],
    ),
    "conditions joined": (
        names(
            Filter(SINGER, any_of(all_of(OLD, IsMissing(col("country"))), InValues(col("name"), (Constant("Ana"),))))
        ),
        [("Ana",), ("Cleo",)],
    ),
    "not of a comparison with something missing": (
        names(Filter(SINGER, Not(Compare("=", col("country"), Constant("Peru"))))),
        [("Ana",), ("Dag",)],
    ),
    "who has a concert of more than 90 seats": (
        names(
            Filter(
                SINGER,
                Exists(
                    Filter(
                        CONCERT,
                        all_of(
                            Compare("=", col("concert.singer_id"), col("singer.id")),
                            Compare(">", col("seats"), Constant(90)),
                        ),
                    )
                ),
            )
        ),
        [("Ana",)],
    ),
    "a plan under a name": (
        Project(
            Filter(Alias(Filter(SINGER, OLD), "old"), Compare("=", col("old.country"), Constant("Peru"))),
            (out("old.name"),),
        ),
        [("Bo",)],
    ),
}


def run(plan: Plan, boxes: BoxSet) -> list[tuple[Any, ...]]:
    space: dict[str, Any] = {"pd": pd, "np": np} | {name: box.frame for name, box in boxes.items()}
    exec(emit(plan, boxes), space)
    return canonical_rows(space["answer"])[0]


@pytest.mark.parametrize(("plan", "expected"), PLANS.values(), ids=PLANS)
def test_a_plan_answers(plan: Plan, expected: list[tuple[Any, ...]], boxes: BoxSet) -> None:
    assert run(plan, boxes) == expected


def test_code_reads_as_an_analyst_writes_it(boxes: BoxSet) -> None:
    grouped = Aggregate(Filter(Join(CONCERT, SINGER, ON), OLD), (out("singer.name"),), (COUNT,))
    plan = Project(Limit(Sort(grouped, (SortKey(col("count"), descending=True),)), 3), (out("singer.name"),))
    assert emit(plan, boxes) == (
        'joined = concert[["singer_id"]].merge(singer, left_on="singer_id", right_on="id")\n'
        'filtered = joined[joined["age"] > 40]\n'
        'grouped = filtered.groupby("name", as_index=False).agg(count=("name", "size"))\n'
        'answer = grouped.sort_values("count", ascending=False, kind="stable").head(3)[["name"]]\n'
    )


def test_a_plan_used_twice_is_one_step(boxes: BoxSet) -> None:
    old = Filter(SINGER, OLD)
    code = emit(SetOperation(names(old), names(Filter(old, IsMissing(col("country")))), "union"), boxes)
    assert code.count('singer["age"] > 40') == 1


def test_a_variable_never_takes_a_boxs_name(boxes: BoxSet) -> None:
    frame = boxes["singer"].frame
    import boxkit

    renamed = boxkit.load({"filtered": frame})
    assert run(names(Filter(Filter(Scan("filtered"), OLD), IsMissing(col("country")))), renamed) == [("Cleo",)]


def test_a_long_statement_is_broken_at_its_brackets(boxes: BoxSet) -> None:
    conditions = [Compare("!=", col("name"), Constant(f"a rather long name, number {at}")) for at in range(4)]
    code = emit(Filter(SINGER, all_of(*conditions)), boxes)
    assert max(map(len, code.splitlines())) <= 100
    assert "\n    & (singer" in code


def test_an_unknown_column_names_the_nearest(boxes: BoxSet) -> None:
    with pytest.raises(PlanError, match="'aeg'") as caught:
        emit(names(Filter(SINGER, Compare("=", col("aeg"), Constant(1)))), boxes)
    assert "'age'" in str(caught.value)


def test_a_name_of_two_sources_must_say_whose(boxes: BoxSet) -> None:
    with pytest.raises(PlanError, match="'concert', 'singer'"):
        emit(Project(Join(CONCERT, SINGER, ON), (Output(Column("name"), "name"),)), boxes)


def test_an_unknown_box_is_named(boxes: BoxSet) -> None:
    with pytest.raises(UnknownBox, match="singers"):
        emit(Scan("singers"), boxes)
