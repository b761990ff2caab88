"""A query as a plan of the logical algebra: joins, filters, groups, the ranking, and what is shown."""

from __future__ import annotations

from dataclasses import dataclass, field

from boxkit.box import BoxSet, ForeignKey
from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.strategies.planner.conditions import OTHER, Conditions
from boxkit.strategies.planner.fields import Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.joins import Joins, Tree
from boxkit.strategies.planner.query import Measure, Output, Query, Ranking, Test, Via, is_apart, join_tree

__all__ = ["compile_query"]


def compile_query(query: Query, boxes: BoxSet, index: Index, joins: Joins, ties: str = "all") -> pa.Plan:
    """The plan of a query.

    Args:
        query: What is asked.
        boxes: The boxes.
        index: Their index.
        joins: Their keys.
        ties: Whether a superlative gives ``all`` that tie, or the ``first``.
    """
    return _Compiler(query, boxes, index, joins, ties).plan()


@dataclass(slots=True)
class _Compiler:
    query: Query
    boxes: BoxSet
    index: Index
    joins: Joins
    ties: str
    tree: Tree = field(init=False)
    conditions: Conditions = field(init=False)

    def __post_init__(self) -> None:
        tree = join_tree(self.query, self.joins)
        assert tree is not None, "the search keeps only queries whose boxes can be joined"
        self.tree = tree
        self.conditions = Conditions(self.index)

    def plan(self) -> pa.Plan:
        rows = self._rows()
        outputs = self.query.outputs
        if (
            (self.query.is_grouped and any(output.measure.function for output in outputs))
            or self.query.havings
            or any(ranking.measure.function for ranking in self.query.rankings)
        ):
            return self._groups(rows)
        if all(output.measure.function or output.kind != "plain" for output in outputs) and not all(
            output.kind == "year" for output in outputs
        ):
            return self._aggregates(rows)
        return self._shown(rows)

    # Rows.

    def _rows(self) -> pa.Plan:
        plan = self._joined(self.tree)
        shares = any(output.kind == "share" for output in self.query.outputs)
        tests = [test for test in self.query.tests if not self._is_apart(test) and test.via is None]
        if tests and not shares:
            plan = pa.Filter(plan, self.conditions.of_all(tests))
        for test in self.query.tests:
            if test.via is not None:
                plan = self._related(plan, test, test.via)
            elif self._is_apart(test):
                plan = self._semi(plan, test.measure.box, test)
        for absence in self.query.absences:
            plan = self._semi(plan, absence.box, None)
        return plan

    def _joined(self, tree: Tree) -> pa.Plan:
        plan: pa.Plan = pa.Scan(tree.root)
        for step in tree.steps:
            plan = pa.Join(plan, pa.Scan(step.box), self._pairs(step.key, step.box))
        return plan

    def _is_apart(self, test: Test) -> bool:
        return is_apart(test, self.query.root, self.joins)

    def _semi(self, plan: pa.Plan, box: str, test: Test | None) -> pa.Plan:
        """The rows of the root with (without, for an absence or a negated test) a partner in the box."""
        root = self.query.root
        tree = self.joins.tree(root, frozenset((box,)))
        assert tree is not None, "the search keeps only queries whose boxes can be joined"
        negated = test is None or test.negated
        inner: pa.Plan
        if tree.steps and root != box:
            first, rest = tree.steps[0], tree.steps[1:]
            inner = pa.Scan(first.box)
            for step in rest:
                inner = pa.Join(inner, pa.Scan(step.box), self._pairs(step.key, step.box))
            on = self._pairs(first.key, first.box)
        else:
            keys = self._keys(root)
            inner = pa.Scan(root, OTHER + root)
            on = tuple((ex.Column(key, root), ex.Column(key, OTHER + root)) for key in keys)
        if test is not None:
            of = OTHER + box if root == box else box
            inner = pa.Filter(inner, self.conditions.of_one(test, of, False))
        return pa.Join(plan, inner, on, kind="anti" if negated else "semi")

    def _related(self, plan: pa.Plan, test: Test, via: Via) -> pa.Plan:
        """The rows that a relation ties to a row of the same box that fulfils the test."""
        near, far = (self.index.parents[Place(via.box, label)] for label in (via.near, via.far))
        other = OTHER + far.box
        on = ((ex.Column(via.far, via.box), ex.Column(far.field, other)),)
        inner: pa.Plan = pa.Join(pa.Scan(via.box), pa.Scan(far.box, other), on)
        inner = pa.Filter(inner, self.conditions.of_one(test, other, False))
        pair = ((ex.Column(near.field, near.box), ex.Column(via.near, via.box)),)
        return pa.Join(plan, inner, pair, kind="anti" if test.negated else "semi")

    def _keys(self, box: str) -> tuple[str, ...]:
        return self.index.keys[box] or self.boxes[box].labels

    # What is shown of rows.

    def _shown(self, rows: pa.Plan) -> pa.Plan:
        plan = rows
        outputs = [pa.Output(self._shown_value(output), name) for output, name in self._named(self.query.outputs)]
        ranked = list(self.query.rankings)
        if self._multiplies():
            plan = self._once(plan, [ranking.measure for ranking in ranked])
        if self.query.is_grouped and ranked:
            plan = self._best_of_each(plan, ranked[0])
            ranked = ranked[1:]
        for ranking in reversed(ranked):
            plan = self._ranked(plan, ranking, self._column(ranking.measure))
        if self.query.limit is not None:
            plan = pa.Limit(plan, self.query.limit)
        plan = pa.Project(plan, tuple(outputs))
        return pa.Distinct(plan) if self.query.distinct else plan

    def _shown_value(self, output: Output) -> ex.Expression:
        column = ex.Column(output.measure.field, output.measure.box)
        if output.kind == "year":
            # A date as text begins with its year.
            is_text = self.index.fields[output.measure.place].is_text
            return ex.Cast(column if is_text else ex.Cast(column, "text"), "integer")
        return column

    def _best_of_each(self, plan: pa.Plan, ranking: Ranking) -> pa.Plan:
        """The rows that have their group's largest value."""
        keys = tuple(ex.Column(place.field, place.box) for place in self._group_places())
        value = self._column(ranking.measure)
        best = ex.WindowCall("max" if ranking.descending else "min", (value,), keys)
        derived = pa.Derive(plan, (pa.Output(best, "best"),))
        return pa.Filter(derived, ex.Compare("=", value, ex.Column("best")))

    def _multiplies(self) -> bool:
        """Whether the rows shown stand in the join more often than in their own box."""
        shown = {output.measure.box for output in self.query.outputs} | {self.query.root}
        shown |= {ranking.measure.box for ranking in self.query.rankings}
        return any(step.multiplies and step.box not in shown for step in self.tree.steps) or self._fans_out(shown)

    def _fans_out(self, shown: set[str]) -> bool:
        """Whether a box that is not shown lies on the many side between two that are."""
        return any(
            step.multiplies and not self._leads_to(step.box, shown) for step in self.tree.steps if step.box not in shown
        )

    def _leads_to(self, box: str, shown: set[str]) -> bool:
        return box in shown

    def _once(self, plan: pa.Plan, measures: list[Measure]) -> pa.Plan:
        """Each row of the boxes shown once: by their keys, with the columns that are still needed."""
        shown = dict.fromkeys([self.query.root, *(output.measure.box for output in self.query.outputs)])
        columns = {Place(box, key): None for box in shown for key in self._keys(box)}
        columns |= {output.measure.place: None for output in self.query.outputs if output.measure.field}
        columns |= {measure.place: None for measure in measures if measure.field}
        columns |= dict.fromkeys(self._group_places())
        outputs = tuple(pa.Output(ex.Column(place.field, place.box), place.field) for place in columns)
        return pa.Distinct(pa.Project(plan, outputs))

    # Figures over all rows.

    def _aggregates(self, rows: pa.Plan) -> pa.Plan:
        plan = self._grain(self._narrowed(rows))
        differences = [output for output in self.query.outputs if output.kind == "difference"]
        shares = [output for output in self.query.outputs if output.kind == "share"]
        if differences:
            column = self._column(differences[0].measure)
            ends = tuple(pa.Output(ex.Aggregated(end, column), end) for end in ("max", "min"))
            difference = ex.Arithmetic("-", ex.Column("max"), ex.Column("min"))
            return pa.Project(pa.Aggregate(plan, (), ends), (pa.Output(difference, "difference"),))
        if shares:
            return self._share(plan, shares[0])
        measures = tuple(
            pa.Output(self._aggregated(output.measure), name) for output, name in self._named(self.query.outputs)
        )
        return pa.Aggregate(plan, (), measures)

    def _narrowed(self, rows: pa.Plan) -> pa.Plan:
        """The rows that a superlative leaves: ``the average age of the guests in the largest room``."""
        for ranking in self.query.rankings:
            value = self._column(ranking.measure)
            if ranking.count is None:
                rows = pa.Extreme(rows, value, smallest=not ranking.descending)
            elif ranking.count and (ranking.measure.box != self.query.root or self.tree.multiplies):
                raise PlanError("a figure over the rows of the first few of something else")
            elif ranking.count:
                rows = self._ranked(rows, ranking, value)
        return rows

    def _share(self, plan: pa.Plan, output: Output) -> pa.Plan:
        apart = any(self._is_apart(test) or test.via is not None for test in self.query.tests)
        if not self.query.tests or apart or self.query.absences:
            raise PlanError("a share of rows that no condition on them tells from the others")
        condition = self.conditions.of_all([test for test in self.query.tests if not self._is_apart(test)])
        counts = (
            pa.Output(ex.Aggregated("count", condition=condition), "part"),
            pa.Output(ex.Aggregated("count"), "all_rows"),
        )
        share: ex.Expression = ex.Arithmetic("/", ex.Column("part"), ex.Column("all_rows"))
        if output.style == "percent":
            share = ex.Arithmetic("/", ex.Arithmetic("*", ex.Constant(100.0), ex.Column("part")), ex.Column("all_rows"))
        return pa.Project(pa.Aggregate(plan, (), counts), (pa.Output(share, output.style or "share"),))

    def _grain(self, rows: pa.Plan) -> pa.Plan:
        """Each row of the root once, where the join repeats it and what is summed up would count twice."""
        other = {place.box for place in self._group_places()} | {self.query.root}
        repeats = any(step.multiplies and step.box not in other for step in self.tree.steps)
        if not repeats:
            return rows
        measures = [*self.query.measures()]
        root = self.query.root
        columns = {Place(root, key): None for key in self._keys(root)} | dict.fromkeys(self._group_places())
        kept = [output.measure for output in self.query.outputs] + [test.measure for test in self.query.havings]
        kept += [ranking.measure for ranking in self.query.rankings]
        columns |= {measure.place: None for measure in kept if measure.field and measure in measures}
        return pa.Distinct(pa.Project(rows, tuple(pa.Output(ex.Column(p.field, p.box), p.field) for p in columns)))

    def _aggregated(self, measure: Measure) -> ex.Expression:
        if measure.function == "count":
            if not measure.field:
                return ex.Aggregated("count")
            return ex.Aggregated("count", self._column(measure), distinct=measure.distinct)
        assert measure.function, "a plain value is no figure"
        return ex.Aggregated(measure.function, self._column(measure))

    # Groups.

    def _group_places(self) -> list[Place]:
        keys = [Place(box, key) for box in self.query.entities for key in self._keys(box)]
        return list(dict.fromkeys([*keys, *self.query.groups]))

    def _groups(self, rows: pa.Plan) -> pa.Plan:
        plan = self._grain(rows)
        plain = [output.measure for output in self.query.outputs if not output.measure.function]
        names: dict[Measure, str] = {}
        taken: set[str] = set()

        def named(measure: Measure) -> str:
            if measure not in names:
                name = _name(measure)
                while name in taken:
                    name += "_2"
                names[measure] = name
                taken.add(name)
            return names[measure]

        keys = [Measure("", place.box, place.field) for place in self._group_places()]
        keys += [measure for measure in plain if measure not in keys]
        figures = [output.measure for output in self.query.outputs if output.measure.function]
        if self.query.counts_groups:
            figures = []
        figures += [test.measure for test in self.query.havings]
        figures += [ranking.measure for ranking in self.query.rankings]
        figures = [measure for measure in dict.fromkeys(figures) if measure not in keys]
        plan = pa.Aggregate(
            plan,
            tuple(pa.Output(ex.Column(measure.field, measure.box), named(measure)) for measure in keys),
            tuple(pa.Output(self._aggregated(measure), named(measure)) for measure in figures if measure.function),
        )
        for test in self.query.havings:
            plan = pa.Filter(plan, _compared(test, ex.Column(named(test.measure))))
        for ranking in reversed(self.query.rankings):
            plan = self._ranked(plan, ranking, ex.Column(named(ranking.measure)))
        if self.query.counts_groups:
            return pa.Aggregate(plan, (), (pa.Output(ex.Aggregated("count"), "count"),))
        if self.query.limit is not None:
            plan = pa.Limit(plan, self.query.limit)
        return pa.Project(
            plan,
            tuple(pa.Output(ex.Column(named(output.measure)), named(output.measure)) for output in self.query.outputs),
        )

    def _ranked(self, plan: pa.Plan, ranking: Ranking, value: ex.Expression) -> pa.Plan:
        if ranking.count is None and (self.ties == "all" or ranking.shared):
            return pa.Extreme(plan, value, smallest=not ranking.descending)
        ordered = pa.Sort(plan, (pa.SortKey(value, ranking.descending, nulls_first=False),))
        if ranking.count == 0:
            return ordered
        return pa.Limit(ordered, ranking.count or 1)

    # Columns.

    def _pairs(self, key: ForeignKey, new: str) -> tuple[tuple[ex.Expression, ex.Expression], ...]:
        """The key's columns: of the side already there, of the new box; texts that hold numbers are read as such."""
        pairs = []
        for label, parent_label in zip(key.fields, key.parent_fields, strict=True):
            own, theirs = Place(key.box, label), Place(key.parent, parent_label)
            cast = self.index.fields[own].is_text != self.index.fields[theirs].is_text
            ends = [
                ex.Cast(ex.Column(place.field, place.box), "numeric")
                if cast and self.index.fields[place].is_text
                else ex.Column(place.field, place.box)
                for place in (own, theirs)
            ]
            pairs.append((ends[1], ends[0]) if new == key.box else (ends[0], ends[1]))
        return tuple(pairs)

    def _column(self, measure: Measure) -> ex.Expression:
        return self.conditions.as_amount(measure, ex.Column(measure.field, measure.box))

    def _named(self, outputs: tuple[Output, ...]) -> list[tuple[Output, str]]:
        """Outputs with names of their own."""
        named: list[tuple[Output, str]] = []
        taken: set[str] = set()
        for output in outputs:
            name = _name(output.measure) if output.kind != "year" else "year"
            if name in taken:
                name = f"{output.measure.box}_{name}"
            taken.add(name)
            named.append((output, name))
        return named


def _name(measure: Measure) -> str:
    if not measure.function:
        return measure.field
    if measure.function == "count":
        return "count"
    return f"{measure.function}_{measure.field}"


def _compared(test: Test, column: ex.Column) -> ex.Expression:
    values = [ex.Constant(value) for value in test.values]
    condition: ex.Expression
    if test.operator == "between":
        condition = ex.Between(column, values[0], values[1])
    else:
        condition = ex.Compare(test.sign, column, values[0])
    return ex.Not(condition) if test.negated else condition
