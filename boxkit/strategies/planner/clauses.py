"""The conditions of a query: the tests, conditions on groups and absences that its clauses say."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from boxkit.strategies.planner.draft import Clause, Figure
from boxkit.strategies.planner.meanings import Meanings, NoSense
from boxkit.strategies.planner.options import flips
from boxkit.strategies.planner.query import Absence, Measure, Test, Via
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import normal

__all__ = ["Clauses"]

_FLIPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


@dataclass(frozen=True, slots=True)
class Clauses:
    """Makes the conditions of a choice.

    Attributes:
        meanings: The choice.
    """

    meanings: Meanings

    def all(self) -> tuple[list[Test], list[Test]]:
        """The conditions on rows, and those on groups."""
        tests: list[Test] = []
        havings: list[Test] = []
        for at, clause in enumerate(self.meanings.draft.clauses):
            if clause.figure is not None:
                havings.append(self._having(clause, at))
            elif clause.operator == "value":
                tests.append(self._value(clause))
            else:
                tests.append(self._comparison(clause, at))
        both = {test.measure.box for test in tests if test.both}
        # "friends of both Dan and Alice": who is named twice is named in the same role.
        self.meanings.penalty += 0.3 if len(both) > 1 else 0.0
        return tests, havings

    def related(self, test: Test) -> Test:
        """A value of a box that the question ties to the same box: ``countries that border Germany``."""
        if test.operator != "in" or test.both or not self._names_row(test.measure):
            return test
        for item in self.meanings.draft.items:
            if item.kind != "mention" or item.is_value or (item.used and id(item) not in self.meanings.choice):
                continue
            for link in item.links:
                via = self._via(link.box, test.measure.box, item) if link.score >= 0.6 else None
                if via is not None:
                    if test.alternative:
                        raise NoSense
                    self.meanings.penalty += 0.05
                    self.meanings.extra = [box for box in self.meanings.extra if box != link.box]
                    return replace(test, via=via)
        return test

    def _names_row(self, measure: Measure) -> bool:
        """Whether a value of the field says which row is meant, and not only of what kind it is."""
        index = self.meanings.index
        return measure.field in index.naming.get(measure.box, ()) or index.fields[measure.place].unique

    def _via(self, relation: str, box: str, item: Item) -> Via | None:
        ends = [
            place.field
            for place, parent in self.meanings.index.parents.items()
            if (place.box, parent.box) == (relation, box)
        ]
        if len(ends) < 2 or relation == box:
            return None
        chosen = self.meanings.choice.get(id(item))
        if chosen is not None and chosen.box != relation:
            return None
        near, far = ends[:2]
        following = self.meanings.draft.at(self.meanings.draft.items.index(item) + 1)
        before = self.meanings.draft.at(self.meanings.draft.items.index(item) - 1)
        owned = before is not None and before.value == "'s"
        if chosen is not None or owned or (following is not None and following.kind == "of"):
            # "the neighbours of Germany" and "Germany's neighbours" are at the far end.
            near, far = far, near
        return Via(relation, near, far)

    def _having(self, clause: Clause, at: int) -> Test:
        assert clause.figure is not None
        option = self.meanings.option(clause.figure, ("clause", at))
        if option is None:
            raise NoSense
        if clause.figure.function == "count":
            measure = self.meanings.counted(option, clause.figure.distinct)
        else:
            measure = Measure(clause.figure.function, option.box, option.field)
        return Test(measure, clause.operator, _tuple(clause.literal), clause.negated)

    def _value(self, clause: Clause) -> Test:
        assert clause.value is not None
        option = self.meanings.choice[id(clause.value)]
        if clause.subject is not None and id(clause.subject) in self.meanings.choice:
            subject = self.meanings.choice[id(clause.subject)]
            if subject.field and subject.place != option.place:
                raise NoSense
            if not subject.field and subject.box != option.box:
                self.meanings.penalty += 0.1
        return Test(
            Measure("", option.box, option.field),
            "in",
            option.values,
            clause.negated,
            alternative=clause.alternative,
            both=clause.both,
        )

    def _comparison(self, clause: Clause, at: int) -> Test:
        option = self.meanings.option(Figure("", clause.subject), ("clause", at)) or self.meanings.choice.get(
            ("clause", at)
        )
        if option is None:
            raise NoSense
        if clause.operator == "flag":
            known = self.meanings.index.fields[option.place]
            return Test(Measure("", option.box, option.field), "in", known.yes, clause.negated)
        if not option.field:
            naming = self.meanings.index.naming.get(option.box, ())
            if not naming:
                raise NoSense
            option = replace(option, field=naming[0])
        known = self.meanings.index.fields[option.place]
        operator, sign = clause.operator, clause.comparison
        if clause.adjective and flips(clause.adjective, known):
            operator, sign = _FLIPPED.get(operator, operator), _FLIPPED.get(sign, sign)
        measure = Measure("", option.box, option.field)
        if operator == "exceed":
            assert clause.value is not None
            other = self.meanings.choice[id(clause.value)]
            if other.box != option.box:
                raise NoSense
            return Test(measure, "exceed", other.values, clause.negated, sign, other.place)
        if operator == "average":
            return Test(measure, "average", (), clause.negated, sign)
        values = _tuple(clause.literal)
        if known.is_text and known.kind != "date" and operator == "=":
            values = self.meanings.index.values.get(normal(str(values[0])), {}).get(option.place, ())
            return Test(measure, "in", values, clause.negated)
        yearly = known.kind == "date" and isinstance(values[0], int)
        return Test(measure, operator, values, clause.negated, yearly=yearly)

    def absences(self) -> tuple[Absence, ...]:
        """What must not be there."""
        found = [self.meanings.choice[id(each.item)] for each in self.meanings.draft.related]
        # "without a department number": a field that is empty, and not a row that is not there.
        self.meanings.penalty += 0.3 * sum(bool(each.field) and each.how in ("exact", "stem") for each in found)
        return tuple(dict.fromkeys(Absence(each.box) for each in found))


def _tuple(literal: Any) -> tuple[Any, ...]:
    return literal if isinstance(literal, tuple) else (literal,)
