"""Tests of a query as conditions of the algebra."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.query import Measure, Test

__all__ = ["OTHER", "Conditions"]

#: In front of a box's name: another row of it than the one that is asked for.
OTHER = "other_"


@dataclass(frozen=True, slots=True)
class Conditions:
    """Writes tests as conditions.

    Attributes:
        index: What is known of the fields.
    """

    index: Index

    def of_all(self, tests: list[Test]) -> ex.Expression:
        """All tests together; alternatives as one of them."""
        alone = [self.of_one(test) for test in tests if not test.alternative]
        numbers = dict.fromkeys(test.alternative for test in tests if test.alternative)
        for number in numbers:
            same = [test for test in tests if test.alternative == number]
            alone.append(self._either(same))
        return ex.all_of(*alone)

    def _either(self, tests: list[Test]) -> ex.Expression:
        places = {test.measure.place for test in tests}
        if len(places) == 1 and all(test.operator == "in" for test in tests):
            values = tuple(dict.fromkeys(value for test in tests for value in test.values))
            return self.of_one(Test(tests[0].measure, "in", values, tests[0].negated))
        return ex.any_of(*(self.of_one(test) for test in tests))

    def of_one(self, test: Test, of: str = "", keep_negation: bool = True) -> ex.Expression:
        """One test, on its own box or on another row of it that is known as ``of``."""
        column = ex.Column(test.measure.field, of or test.measure.box)
        negated = test.negated and keep_negation
        if test.operator == "in":
            constants = tuple(map(ex.Constant, test.values))
            if len(constants) == 1:
                return ex.Compare("!=" if negated else "=", column, constants[0])
            return ex.InValues(column, constants, negated)
        condition = self._plain_condition(test, column)
        return ex.Not(condition) if negated else condition

    def _plain_condition(self, test: Test, column: ex.Column) -> ex.Expression:
        if test.operator in ("contains", "starts", "ends"):
            text = str(test.values[0]).replace("\\", "\\\\").replace("%", r"\%").replace("_", r"\_")
            before, after = {"contains": ("%", "%"), "starts": ("", "%"), "ends": ("%", "")}[test.operator]
            return ex.Like(column, ex.Constant(f"{before}{text}{after}"), escape="\\" if "\\" in text else "")
        if test.operator == "average":
            return ex.Compare(test.sign, column, self._average(test.measure))
        if test.operator == "exceed":
            return ex.Compare(test.sign, column, self._value_of_other(test))
        known = self.index.fields[test.measure.place]
        if known.kind == "date":
            return self._dated(test, column, known.is_text)
        values = [ex.Constant(value) for value in test.values]
        if test.operator == "between":
            return ex.Between(self.as_amount(test.measure, column), values[0], values[1])
        return ex.Compare(test.sign, self.as_amount(test.measure, column), values[0])

    def _dated(self, test: Test, column: ex.Column, is_text: bool) -> ex.Expression:
        """A date compared with a date, a month or a year, whole ones: after 2020 is from 2021 on."""
        begins = [ex.Constant(_as(start, is_text)) for start in (_first_day(value) for value in test.values)]
        ends = [ex.Constant(_as(end, is_text)) for end in (_day_after(value) for value in test.values)]
        match test.operator:
            case "<":
                return ex.Compare("<", column, begins[0])
            case ">":
                return ex.Compare(">=", column, ends[0])
            case ">=":
                return ex.Compare(">=", column, begins[0])
            case "<=":
                return ex.Compare("<", column, ends[0])
        return ex.And((ex.Compare(">=", column, begins[0]), ex.Compare("<", column, ends[-1])))

    def _average(self, measure: Measure) -> ex.Expression:
        other = OTHER + measure.box
        mean = ex.Aggregated("average", ex.Column(measure.field, other))
        return ex.ScalarPlan(pa.Aggregate(pa.Scan(measure.box, other), (), (pa.Output(mean, "average"),)))

    def _value_of_other(self, test: Test) -> ex.Expression:
        assert test.other is not None
        other = OTHER + test.other.box
        named = ex.InValues(ex.Column(test.other.field, other), tuple(map(ex.Constant, test.values)))
        rows = pa.Filter(pa.Scan(test.other.box, other), named)
        value = ex.Column(test.measure.field, other)
        return ex.ScalarPlan(pa.Project(rows, (pa.Output(value, test.measure.field),)))

    def as_amount(self, measure: Measure, column: ex.Column) -> ex.Expression:
        """Amounts that the source holds as text are read as numbers."""
        known = self.index.fields.get(measure.place)
        return ex.Cast(column, "number") if known is not None and known.is_text and known.kind == "number" else column


def _first_day(value: Any) -> datetime.date:
    if isinstance(value, int):
        return datetime.date(value, 1, 1)
    parts = [int(part) for part in str(value).split("-")]
    return datetime.date(parts[0], parts[1], parts[2] if len(parts) > 2 else 1)


def _day_after(value: Any) -> datetime.date:
    if isinstance(value, int):
        return datetime.date(value + 1, 1, 1)
    first = _first_day(value)
    if str(value).count("-") == 2:
        return first + datetime.timedelta(days=1)
    return datetime.date(first.year + first.month // 12, first.month % 12 + 1, 1)


def _as(day: datetime.date, is_text: bool) -> object:
    return day.isoformat() if is_text else datetime.datetime(day.year, day.month, day.day)
