"""A draft and a choice of meanings become a query; a choice that makes no sense becomes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from boxkit.box import BoxSet
from boxkit.strategies.planner.containers import container_of
from boxkit.strategies.planner.draft import Clause, Draft, Figure, Target
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins
from boxkit.strategies.planner.lexicon import PERSON_WORDS
from boxkit.strategies.planner.options import Option, flips
from boxkit.strategies.planner.query import Absence, Measure, Output, Query, Ranking, Test, Via
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.words import stem

__all__ = ["Assembly", "Choice", "NoSense"]

Choice = Mapping[object, Option]

_NAME_STEMS = frozenset(map(stem, "name first last full official given family title label".split()))
_PERSONS = frozenset(map(stem, PERSON_WORDS))
_FLIPPED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


class NoSense(Exception):
    """A choice that cannot be meant."""


@dataclass(slots=True)
class Assembly:
    """Puts a query together.

    Attributes:
        draft: What was read.
        choice: What each slot means.
        boxes: The boxes.
        joins: Their keys.
        explicit: Boxes that a mention names.
    """

    draft: Draft
    choice: Choice
    boxes: BoxSet
    joins: Joins
    penalty: float = 0.0
    extra: list[str] = field(default_factory=list)
    index: Index = field(init=False)

    def __post_init__(self) -> None:
        self.index = self.draft.index

    def query(self, present: tuple[str, ...] = ()) -> Query:
        """The query.

        Raises:
            NoSense: The meanings do not go together.
        """
        outputs = self._outputs()
        if not outputs:
            raise NoSense
        tests, havings = self._clauses()
        tests = [self._related(test) for test in tests]
        rankings = [*self._superlatives(outputs), *self._orders(outputs)]
        present = (*present, *self.extra)
        root = self._root(outputs, havings, rankings)
        query = Query(root, tuple(outputs), tuple(tests), tuple(havings), rankings=tuple(rankings), present=present)
        distinct = self.draft.distinct or self._shows_things(outputs) or self._shows_loose_field()
        absences = self._absences()
        narrowed = {test.measure.box for test in tests if test.operator != "average"} & {each.box for each in absences}
        # "without a wedding in 2015" is no wedding in 2015, not no wedding at all.
        tests = [replace(test, negated=True) if test.measure.box in narrowed else test for test in tests]
        absences = tuple(each for each in absences if each.box not in narrowed)
        query = replace(query, tests=tuple(tests), absences=absences, limit=self.draft.limit, distinct=distinct)
        return self._grouped(query)

    # What is shown.

    def _outputs(self) -> list[Output]:
        found: list[Output] = []
        for at, target in enumerate(self.draft.targets):
            option = self._option(target.figure, ("target", at))
            if option is None:
                raise NoSense
            found += self._shown(target, option)
        return list(dict.fromkeys(found))

    def _shown(self, target: Target, option: Option) -> list[Output]:
        figure = target.figure
        if target.kind == "year":
            kind = self.index.fields[option.place].kind
            return [Output(Measure("", option.box, option.field), "year" if kind == "date" else "plain")]
        if target.kind == "everything":
            if option.field:
                raise NoSense
            return [Output(Measure("", option.box, label)) for label in self.boxes[option.box].labels]
        if target.kind == "difference":
            return [Output(Measure("", option.box, option.field), "difference")]
        if target.kind == "share":
            return [Output(self._counted(option, False), "share", target.style)]
        if figure.function == "count":
            return [Output(self._counted(option, figure.distinct))]
        if figure.function:
            return [Output(Measure(figure.function, option.box, option.field))]
        option = self._thing(option)
        labels = self._labels(option)
        if not option.field and self._names_another(option.box, labels):
            labels = tuple(dict.fromkeys((*self.index.keys[option.box], *labels)))
        return [Output(Measure("", option.box, label)) for label in labels]

    def _names_another(self, box: str, labels: tuple[str, ...]) -> bool:
        """Whether rows are called by the name of something else, which many share: orders by their customer's."""
        known = [self.index.fields[Place(box, label)] for label in labels]
        own = {*self.index.box_stems[box], *_NAME_STEMS}
        return self._share_names(box, labels) and any(not set(each.stems) <= own for each in known)

    def _share_names(self, box: str, labels: tuple[str, ...]) -> bool:
        """Whether rows with keys of their own have the same names: these are not to be thrown together."""
        return self._has_key(box) and bool(self.boxes[box].frame[list(labels)].dropna().duplicated().any())

    def _shows_things(self, outputs: list[Output]) -> bool:
        """Whether things are shown by their names, of which one is enough."""
        targets = self.draft.targets
        if len(targets) != 1 or targets[0].kind not in ("plain", "who") or targets[0].figure.function:
            return False
        option = self._option(targets[0].figure, ("target", 0))
        if option is None or option.field or len(outputs) != 1:
            return False
        box, label = outputs[0].measure.box, outputs[0].measure.field
        # Two persons may have one name; a thing that stands in two rows is mostly the same thing.
        return not (self._share_names(box, (label,)) and _PERSONS & set(self.index.box_stems[box]))

    def _shows_loose_field(self) -> bool:
        """Whether a field is asked for with nothing that says of what: "show all majors"; each value is shown once."""
        targets = self.draft.targets
        item = targets[0].figure.item if len(targets) == 1 else None
        if item is None or targets[0].figure.function or targets[0].kind != "plain" or self.draft.orders:
            return False
        return container_of(self.draft, item, False) is None and not item.only("box")

    def _thing(self, option: Option) -> Option:
        """For a field that identifies a thing of a graph: the thing, whose box then names it."""
        known = self.index.fields.get(option.place) if option.field else None
        parent = self.index.parents.get(option.place) if known is not None and known.is_entity else None
        if parent is None or known is None or known.label:
            return option
        self.extra.append(option.box)
        return replace(option, box=parent.box, field="")

    def _labels(self, option: Option) -> tuple[str, ...]:
        """The field itself, or the fields that name a box's rows."""
        if option.field:
            return (option.field,)
        naming = self.index.naming.get(option.box, ())
        if naming:
            return naming
        self.penalty += 0.2
        keys = self.index.keys[option.box]
        if keys:
            return keys
        return self.boxes[option.box].labels[:1]

    def _counted(self, option: Option, distinct: bool) -> Measure:
        if not option.field or self.index.keys[option.box] == (option.field,):
            return Measure("count", option.box)
        known = self.index.fields[option.place]
        if known.unique and not distinct:
            return Measure("count", option.box)
        return Measure("count", option.box, option.field, True)

    def _option(self, figure: Figure | None, key: object) -> Option | None:
        if figure is not None and figure.item is not None and id(figure.item) in self.choice:
            return self.choice[id(figure.item)]
        return self.choice.get(key)

    # Conditions.

    def _clauses(self) -> tuple[list[Test], list[Test]]:
        tests: list[Test] = []
        havings: list[Test] = []
        for at, clause in enumerate(self.draft.clauses):
            if clause.figure is not None:
                havings.append(self._having(clause, at))
            elif clause.operator == "value":
                tests.append(self._value(clause))
            else:
                tests.append(self._comparison(clause, at))
        return tests, havings

    def _related(self, test: Test) -> Test:
        """A value of a box that the question ties to the same box: ``countries that border Germany``."""
        if test.operator != "in" or test.both:
            return test
        for item in self.draft.items:
            if item.kind != "mention" or item.is_value or (item.used and id(item) not in self.choice):
                continue
            for link in item.links:
                via = self._via(link.box, test.measure.box, item) if link.score >= 0.6 else None
                if via is not None:
                    self.penalty += 0.05
                    self.extra = [box for box in self.extra if box != link.box]
                    return replace(test, via=via)
        return test

    def _via(self, relation: str, box: str, item: Item) -> Via | None:
        ends = [
            place.field for place, parent in self.index.parents.items() if (place.box, parent.box) == (relation, box)
        ]
        if len(ends) < 2 or relation == box:
            return None
        chosen = self.choice.get(id(item))
        if chosen is not None and chosen.box != relation:
            return None
        near, far = ends[:2]
        following = self.draft.at(self.draft.items.index(item) + 1)
        if chosen is not None or (following is not None and following.kind == "of"):
            # "the neighbours of Germany" are at the far end.
            near, far = far, near
        return Via(relation, near, far)

    def _having(self, clause: Clause, at: int) -> Test:
        assert clause.figure is not None
        option = self._option(clause.figure, ("clause", at))
        if option is None:
            raise NoSense
        if clause.figure.function == "count":
            measure = self._counted(option, clause.figure.distinct)
        else:
            measure = Measure(clause.figure.function, option.box, option.field)
        return Test(measure, clause.operator, _tuple(clause.literal), clause.negated)

    def _value(self, clause: Clause) -> Test:
        assert clause.value is not None
        option = self.choice[id(clause.value)]
        if clause.subject is not None and id(clause.subject) in self.choice:
            subject = self.choice[id(clause.subject)]
            if subject.field and subject.place != option.place:
                raise NoSense
            if not subject.field and subject.box != option.box:
                self.penalty += 0.1
        return Test(
            Measure("", option.box, option.field),
            "in",
            option.values,
            clause.negated,
            alternative=clause.alternative,
            both=clause.both,
        )

    def _comparison(self, clause: Clause, at: int) -> Test:
        option = self._option(Figure("", clause.subject), ("clause", at)) or self.choice.get(("clause", at))
        if option is None:
            raise NoSense
        if clause.operator == "flag":
            known = self.index.fields[option.place]
            return Test(Measure("", option.box, option.field), "in", known.yes, clause.negated)
        if not option.field:
            naming = self.index.naming.get(option.box, ())
            if not naming:
                raise NoSense
            option = replace(option, field=naming[0])
        known = self.index.fields[option.place]
        operator, sign = clause.operator, clause.comparison
        if clause.adjective and flips(clause.adjective, known.stems):
            operator, sign = _FLIPPED.get(operator, operator), _FLIPPED.get(sign, sign)
        measure = Measure("", option.box, option.field)
        if operator == "exceed":
            assert clause.value is not None
            other = self.choice[id(clause.value)]
            if other.box != option.box:
                raise NoSense
            return Test(measure, "exceed", other.values, clause.negated, sign, other.place)
        if operator == "average":
            return Test(measure, "average", (), clause.negated, sign)
        values = _tuple(clause.literal)
        if known.is_text and known.kind != "date" and operator == "=":
            from boxkit.strategies.planner.words import normal

            values = self.index.values.get(normal(str(values[0])), {}).get(option.place, ())
            return Test(measure, "in", values, clause.negated)
        yearly = known.kind == "date" and isinstance(values[0], int)
        return Test(measure, operator, values, clause.negated, yearly=yearly)

    def _absences(self) -> tuple[Absence, ...]:
        return tuple(dict.fromkeys(Absence(self.choice[id(each.item)].box) for each in self.draft.related))

    # Superlatives and orders.

    def _superlatives(self, outputs: list[Output]) -> list[Ranking]:
        found = []
        for at, superlative in enumerate(self.draft.superlatives):
            figure = superlative.figure
            option = self._option(figure, ("superlative", at))
            if option is None:
                if figure.function != "count":
                    raise NoSense
                measure = Measure("count", outputs[0].measure.box)
            else:
                measure = self._ranked(figure, option)
            descending = superlative.direction == "max"
            if figure.adjective and option is not None and option.field:
                descending ^= flips(figure.adjective, self.index.fields[option.place].stems)
            found.append(Ranking(measure, descending, superlative.count))
        return found

    def _ranked(self, figure: Figure, option: Option) -> Measure:
        if figure.function == "count":
            return self._counted(option, figure.distinct)
        if not option.field:
            raise NoSense
        return Measure(figure.function, option.box, option.field)

    def _orders(self, outputs: list[Output]) -> list[Ranking]:
        found = []
        for at, order in enumerate(self.draft.orders):
            if order.figure is None:
                made = [output.measure for output in outputs if output.measure.function]
                found.append(Ranking((made or [outputs[0].measure])[0], order.descending))
                continue
            option = self._option(order.figure, ("order", at))
            if option is None:
                raise NoSense
            if not option.field and order.figure.function != "count":
                option = replace(option, field=self._labels(option)[0])
            descending = order.descending
            if order.figure.adjective and option.field:
                descending ^= flips(order.figure.adjective, self.index.fields[option.place].stems)
            found.append(Ranking(self._ranked(order.figure, option), descending))
        return found

    # Rows and groups.

    def _root(self, outputs: list[Output], havings: list[Test], rankings: list[Ranking]) -> str:
        made = [output.measure for output in outputs if output.measure.function or output.kind != "plain"]
        made += [test.measure for test in havings] + [each.measure for each in rankings if each.measure.function]
        if made:
            return made[0].box
        shown = list(dict.fromkeys(output.measure.box for output in outputs))
        for box in shown:
            tree = self.joins.tree(box, frozenset(shown))
            if tree is not None and not tree.multiplies:
                return box
        return shown[0]

    def _grouped(self, query: Query) -> Query:
        plain = [output for output in query.outputs if not output.measure.function and output.kind == "plain"]
        made = [output for output in query.outputs if output not in plain]
        counted: list[Test | Ranking] = [*query.havings] + [each for each in query.rankings if each.measure.function]
        if self.draft.groups:
            if not made and not counted and not self.draft.superlatives:
                return replace(
                    query, present=(*query.present, *(self.choice[id(item)].box for item in self.draft.groups))
                )
            return self._grouped_by_mentions(query)
        if (made or counted) and plain:
            return self._grouped_by_outputs(query, plain)
        if counted:
            return self._counting_groups(query)
        return query

    def _counting_groups(self, query: Query) -> Query:
        """``How many cities have more than 3 airports``: the groups that fulfil the condition are counted."""
        if (
            len(query.outputs) != 1
            or query.outputs[0].measure.function != "count"
            or not query.havings
            or query.rankings
        ):
            raise NoSense
        measure = query.outputs[0].measure
        if measure.field:
            return replace(query, root=query.havings[0].measure.box, groups=(measure.place,), counts_groups=True)
        if measure.box == query.havings[0].measure.box or not self._has_key(measure.box):
            raise NoSense
        return replace(query, root=query.havings[0].measure.box, entities=(measure.box,), counts_groups=True)

    def _grouped_by_mentions(self, query: Query) -> Query:
        groups: list[Place] = []
        entities: list[str] = []
        shown: list[Output] = []
        for item in self.draft.groups:
            option = self.choice[id(item)]
            if not option.field or (
                option.field in self.index.naming.get(option.box, ()) and self._has_key(option.box)
            ):
                entities.append(option.box)
            else:
                groups.append(option.place)
            own = any(output.measure.box == option.box and not output.measure.function for output in query.outputs)
            if not (own and not option.field):
                shown += [Output(Measure("", option.box, label)) for label in self._labels(option)]
        outputs = tuple(dict.fromkeys((*shown, *query.outputs)))
        counts = any(output.measure.function == "count" for output in query.outputs)
        if query.root in entities and len(entities) == 1 and not groups and counts:
            raise NoSense
        return replace(query, outputs=outputs, groups=tuple(groups), entities=tuple(entities))

    def _grouped_by_outputs(self, query: Query, plain: list[Output]) -> Query:
        groups: list[Place] = []
        entities: list[str] = []
        for output in plain:
            box, label = output.measure.box, output.measure.field
            known = self.index.fields[output.measure.place]
            names_row = label in self.index.naming.get(box, ()) or known.unique or (label,) == self.index.keys[box]
            if box != query.root and self._has_key(box) and (names_row or self._is_named(box)):
                entities.append(box)
            elif box == query.root or not names_row:
                groups.append(output.measure.place)
            else:
                groups.append(output.measure.place)
        groups = [place for place in groups if place.box not in entities]
        return replace(query, groups=tuple(dict.fromkeys(groups)), entities=tuple(dict.fromkeys(entities)))

    def _has_key(self, box: str) -> bool:
        return bool(self.index.keys[box])

    def _is_named(self, box: str) -> bool:
        """Whether the question names the box itself, and not only a field of it."""
        return any(
            option.box == box and not option.field and option.how in ("exact", "stem", "who")
            for option in self.choice.values()
        ) or any(
            not item.used and any(link.box == box and link.score >= 0.9 for link in item.only("box"))
            for item in self.draft.items
            if item.kind == "mention"
        )


def _tuple(literal: Any) -> tuple[Any, ...]:
    return literal if isinstance(literal, tuple) else (literal,)
