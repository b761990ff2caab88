"""A draft and a choice of meanings become a query; a choice that makes no sense becomes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace

from boxkit.strategies.planner.clauses import Clauses
from boxkit.strategies.planner.draft import Figure
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.meanings import Meanings, NoSense
from boxkit.strategies.planner.options import Option, flips
from boxkit.strategies.planner.outputs import Outputs
from boxkit.strategies.planner.query import Measure, Output, Query, Ranking, Test
from boxkit.strategies.planner.words import stem

__all__ = ["Assembly"]

#: Amounts of which no sum is made: nobody has 12 + 14 degrees.
_NEVER_SUMMED = frozenset(map(stem, "age rate rating percent percentage share ratio temperature rank average".split()))


@dataclass(frozen=True, slots=True)
class Assembly:
    """Puts a query together.

    Attributes:
        meanings: The choice.
    """

    meanings: Meanings

    def query(self, present: tuple[str, ...] = ()) -> Query:
        """The query.

        Raises:
            NoSense: The meanings do not go together.
        """
        shown, said = Outputs(self.meanings), Clauses(self.meanings)
        outputs = shown.all()
        if not outputs:
            raise NoSense
        tests, havings = said.all()
        # "female students (sex is F)" says one thing twice.
        tests = list(dict.fromkeys(said.related(test) for test in tests))
        rankings = [*self._superlatives(outputs), *self._orders(outputs)]
        present = (*present, *self.meanings.extra)
        root = self._root(outputs, havings, rankings)
        query = Query(root, tuple(outputs), tuple(tests), tuple(havings), rankings=tuple(rankings), present=present)
        distinct = self.meanings.draft.distinct or shown.are_things(outputs) or shown.are_loose()
        absences = said.absences()
        narrowed = {test.measure.box for test in tests if test.operator != "average"} & {each.box for each in absences}
        # "without a wedding in 2015" is no wedding in 2015, not no wedding at all.
        tests = [replace(test, negated=True) if test.measure.box in narrowed else test for test in tests]
        absences = tuple(each for each in absences if each.box not in narrowed)
        query = replace(
            query, tests=tuple(tests), absences=absences, limit=self.meanings.draft.limit, distinct=distinct
        )
        grouped = self._grouped(query)
        if any(_is_always_one(measure, grouped) for measure in grouped.measures()):
            raise NoSense
        return grouped

    # Superlatives and orders.

    def _superlatives(self, outputs: list[Output]) -> list[Ranking]:
        found = []
        for at, superlative in enumerate(self.meanings.draft.superlatives):
            figure = superlative.figure
            option = self.meanings.option(figure, ("superlative", at))
            if option is None:
                if figure.function != "count":
                    raise NoSense
                measure = self._frequency(outputs[0].measure, figure.summed)
            else:
                measure = self._ranked(figure, option)
            holder = superlative.holder.links[0].box if superlative.holder is not None else ""
            shown = {output.measure.box for output in outputs}
            if figure.summed and holder != measure.box and self._is_one_of_many(measure, outputs):
                measure = replace(measure, function="sum")
            elsewhere = bool(holder) and holder not in shown and not self.meanings.draft.groups
            # "the guests of the room with the most beds": first a room is found, by counting, and then its guests.
            self.meanings.penalty += 0.6 if elsewhere and measure.function else 0.0
            descending = superlative.direction == "max"
            if figure.adjective and option is not None and option.field:
                descending ^= flips(figure.adjective, self.meanings.index.fields[option.place])
            shared = elsewhere and not measure.function and measure.box == holder and superlative.count is None
            found.append(Ranking(measure, descending, superlative.count, shared))
        return found

    def _frequency(self, shown: Measure, owns: bool) -> Measure:
        """What is counted where something is the most common: its rows, or what belongs to it if it has one each.

        ``owns``: What is called by a name has one each, though others may be called the same.
        """
        index, box = self.meanings.index, shown.box
        known = index.fields.get(shown.place)
        named = owns and shown.field in index.naming.get(box, ()) and self.meanings.has_key(box)
        if known is None or not (named or known.unique or index.keys[box] == (shown.field,)):
            return Measure("count", box)
        children = {place.box for place, parent in index.parents.items() if parent.box == box and place.box != box}
        if len(children) != 1:
            raise NoSense
        return Measure("count", children.pop())

    def _is_one_of_many(self, measure: Measure, outputs: list[Output]) -> bool:
        """Whether what is shown has several of these amounts: "the most hours" are then hours in all."""
        index, shown = self.meanings.index, outputs[0].measure
        known = index.fields.get(measure.place)
        if known is None or measure.function or known.kind != "number" or set(known.stems) & _NEVER_SUMMED:
            return False
        if len(outputs) > 1 and any(output.measure.box != shown.box for output in outputs):
            return False
        if measure.box != shown.box:
            tree = self.meanings.joins.tree(shown.box, frozenset((measure.box,)))
            return tree is not None and tree.multiplies
        own = index.fields[shown.place] if shown.field else None
        names = (*index.keys[shown.box], *index.naming.get(shown.box, ()))
        return own is not None and not own.unique and own.is_text and (len(outputs) == 1) and shown.field not in names

    def _ranked(self, figure: Figure, option: Option) -> Measure:
        if figure.function == "count":
            return self.meanings.counted(option, figure.distinct)
        if not option.field:
            raise NoSense
        return Measure(figure.function, option.box, option.field)

    def _orders(self, outputs: list[Output]) -> list[Ranking]:
        found = []
        for at, order in enumerate(self.meanings.draft.orders):
            if order.figure is None:
                made = [output.measure for output in outputs if output.measure.function]
                found.append(Ranking((made or [outputs[0].measure])[0], order.descending))
                continue
            option = self.meanings.option(order.figure, ("order", at))
            if option is None:
                raise NoSense
            if not option.field and order.figure.function != "count":
                option = replace(option, field=self.meanings.labels(option)[0])
            descending = order.descending
            if order.figure.adjective and option.field:
                descending ^= flips(order.figure.adjective, self.meanings.index.fields[option.place])
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
            tree = self.meanings.joins.tree(box, frozenset(shown))
            if tree is not None and not tree.multiplies:
                return box
        return shown[0]

    def _grouped(self, query: Query) -> Query:
        plain = [output for output in query.outputs if not output.measure.function and output.kind == "plain"]
        made = [output for output in query.outputs if output not in plain]
        counted: list[Test | Ranking] = [*query.havings] + [each for each in query.rankings if each.measure.function]
        if self.meanings.draft.groups:
            if not made and not counted and not self.meanings.draft.superlatives:
                return replace(
                    query,
                    present=(
                        *query.present,
                        *(self.meanings.choice[id(item)].box for item in self.meanings.draft.groups),
                    ),
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
        if measure.box == query.havings[0].measure.box or not self.meanings.has_key(measure.box):
            raise NoSense
        return replace(query, root=query.havings[0].measure.box, entities=(measure.box,), counts_groups=True)

    def _grouped_by_mentions(self, query: Query) -> Query:
        groups: list[Place] = []
        entities: list[str] = []
        shown: list[Output] = []
        for item in self.meanings.draft.groups:
            option = self.meanings.choice[id(item)]
            if not option.field or (
                option.field in self.meanings.index.naming.get(option.box, ()) and self.meanings.has_key(option.box)
            ):
                entities.append(option.box)
            else:
                groups.append(option.place)
            own = any(output.measure.box == option.box and not output.measure.function for output in query.outputs)
            if not (own and not option.field):
                shown += [Output(Measure("", option.box, label)) for label in self.meanings.labels(option)]
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
            known = self.meanings.index.fields[output.measure.place]
            names_row = (
                label in self.meanings.index.naming.get(box, ())
                or known.unique
                or (label,) == self.meanings.index.keys[box]
            )
            if box != query.root and self.meanings.has_key(box) and (names_row or self.meanings.is_named(box)):
                entities.append(box)
            elif box == query.root or not names_row:
                groups.append(output.measure.place)
            else:
                groups.append(output.measure.place)
        groups = [place for place in groups if place.box not in entities]
        return replace(query, groups=tuple(dict.fromkeys(groups)), entities=tuple(dict.fromkeys(entities)))


def _is_always_one(measure: Measure, query: Query) -> bool:
    """Whether the different values are counted of what the rows are grouped by."""
    own = measure.place in query.groups or measure.box in query.entities
    return measure.function == "count" and bool(measure.field) and own and not query.counts_groups
