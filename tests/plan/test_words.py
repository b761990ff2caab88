"""A plan's shape and its sentences."""

from __future__ import annotations

from boxkit.plan import (
    Aggregate,
    Aggregated,
    Compare,
    Constant,
    Distinct,
    Expression,
    Extreme,
    Filter,
    InPlan,
    Join,
    Like,
    Limit,
    Output,
    Plan,
    Project,
    ScalarPlan,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    all_of,
    col,
    describe,
    out,
    skeleton,
)


def shape(box: str, column: str, value: object) -> Plan:
    filtered = Filter(Scan(box), Compare(">", col(column), Constant(value)))
    count = Output(Aggregated("count"), "n")
    grouped = Aggregate(filtered, (out(column),), (count,))
    return Project(Limit(Sort(grouped, (SortKey(col("n"), descending=True),)), 3), (out(column),))


def test_plans_that_differ_in_names_and_values_have_one_skeleton() -> None:
    assert skeleton(shape("singer", "age", 40)) == skeleton(shape("book", "price", 9.5))
    assert skeleton(shape("singer", "age", 40)) == "scan filter(>) group(count) order(desc) limit(k) select(1)"


def test_what_a_plan_does_shows_in_its_skeleton() -> None:
    ids = Project(Scan("b"), (out("id"),))
    plans = [
        Scan("a"),
        Distinct(Scan("a")),
        Extreme(Scan("a"), col("x")),
        Extreme(Scan("a"), col("x"), smallest=True),
        Filter(Scan("a"), InPlan(col("id"), ids)),
        Filter(Scan("a"), InPlan(col("id"), ids, negated=True)),
        Filter(Scan("a"), Compare("=", col("id"), ScalarPlan(ids))),
        Join(Scan("a"), Scan("b"), ((col("a.id"), col("b.id")),)),
        Join(Scan("a"), Scan("b"), ((col("a.id"), col("b.id")),), "left"),
        SetOperation(ids, ids, "union"),
        SetOperation(ids, ids, "except"),
    ]
    assert len({skeleton(plan) for plan in plans}) == len(plans)


def test_a_plan_is_told_in_sentences() -> None:
    assert describe(shape("singer", "age", 40)) == [
        "Take the rows of singer.",
        "Keep those where age is more than 40.",
        "For each age, take the number of rows.",
        "Order by n, largest first.",
        "Keep the first 3.",
        "Give age.",
    ]


def test_a_subquery_is_told_in_its_place() -> None:
    average = Aggregate(Scan("singer"), (), (Output(Aggregated("average", col("age")), "a"),))
    old: Expression = Compare(">", col("age"), ScalarPlan(average))
    plan = Filter(Scan("singer"), all_of(old, Like(col("name"), Constant("A%"))))
    assert describe(plan)[1] == (
        "Keep those where age is more than this value: (take the rows of singer; take the average of age)"
        " and name looks like 'A%'."
    )


def test_ties_and_doubles_are_told() -> None:
    assert describe(Extreme(Scan("a"), col("x")))[-1] == "Keep those with the largest x, all that tie."
    assert describe(Distinct(Scan("a")))[-1] == "Leave out repeated rows."
