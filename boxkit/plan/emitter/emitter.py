"""Walks a plan from its scans upwards and writes one named step after the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from boxkit.box import BoxSet
from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.aggregates import emit_aggregate
from boxkit.plan.emitter.code import Code
from boxkit.plan.emitter.joins import emit_join
from boxkit.plan.emitter.layout import first_free, identifier, keywords, literal, wrap
from boxkit.plan.emitter.sets import emit_set_operation
from boxkit.plan.emitter.sorting import emit_extreme, emit_sort
from boxkit.plan.emitter.table import Cell, Table, unique_labels
from boxkit.plan.emitter.values import Values
from boxkit.plan.schema import PLAN_TYPES, Schema, Slot, columns_of, is_among, known_slot, surely_known, walk
from boxkit.plan.types import BOOLEAN
from boxkit.plan.unnest import unnested

__all__ = ["Emitter"]

#: What a step is called after, by what it does.
STEP_NAMES = {
    pa.Filter: "filtered",
    pa.Extreme: "filtered",
    pa.Join: "joined",
    pa.Aggregate: "grouped",
    pa.Sort: "ordered",
    pa.Limit: "first_rows",
    pa.Distinct: "unique_rows",
    pa.Derive: "extended",
    pa.Project: "selected",
    pa.SetOperation: "combined",
}

#: Functions whose code for single values minds missing ones.
_SINGLE_CALLS = ("first_known", "absolute", "year_now")
#: A chain of methods of this length gets a name before it goes on.
MAX_CHAIN_CHARS = 60
#: Nodes that are a step of their own, however short.
_OWN_STEPS = (pa.Join, pa.Aggregate, pa.SetOperation)


class Emitter:
    """Writes one plan. Not to be used twice.

    Args:
        plan: What is written.
        boxes: What it scans.
    """

    def __init__(self, plan: pa.Plan, boxes: BoxSet) -> None:
        self.boxes = boxes
        self.schema = Schema(boxes)
        self.plan = unnested(plan, self.schema)
        self.lines: list[str] = []
        self._names: set[str] = set(boxes)
        self._tables: dict[tuple[pa.Plan, tuple[ex.Column, ...]], Table] = {}
        self._scalars: dict[pa.Plan, Code] = {}
        self._uses = Counter(node for node in walk(self.plan) if isinstance(node, PLAN_TYPES))

    def program(self) -> str:
        """The whole program; its last line assigns ``answer``."""
        table = self.emit(self.plan, None)
        code = self._answer(table)
        last = f"{code} = "
        if self.lines and self.lines[-1].startswith(last):
            self.lines[-1] = "answer = " + self.lines[-1].removeprefix(last)
        else:
            self.assign("answer", code)
        return "\n".join(self.lines) + "\n"

    def _answer(self, table: Table) -> str:
        if not table.is_single:
            return f"{table.frame}{_renaming(table)}"
        if len(table.cells) == 1:
            return table.cells[0].single
        pairs = zip(unique_labels([cell.slot.name for cell in table.cells]), table.cells, strict=True)
        return "pd.DataFrame([{" + ", ".join(f"{literal(name)}: {cell.single}" for name, cell in pairs) + "}])"

    def assign(self, name: str, code: str) -> None:
        """Adds the line that gives a variable its value."""
        self.lines.append(wrap(f"{name} = {code}"))

    def variable(self, words: str, fallback: str = "value") -> str:
        """A variable's name that is not taken yet."""
        name = first_free(identifier(words, fallback), self._names)
        self._names.add(name)
        return name

    def emit(self, plan: pa.Plan, needed: Sequence[ex.Column] | None) -> Table:
        """The table of a node; ``needed`` names the columns that are read above it (None: all that it gives)."""
        wanted = tuple(dict.fromkeys(needed)) if needed is not None else tuple(self._all(plan))
        # Only a join leaves out what nobody reads.
        joins = any(isinstance(node, pa.Join) for node in walk(plan, into_plans=True))
        key = (plan, wanted if joins else ())
        if key not in self._tables:
            table = self._emit(plan, wanted)
            if not isinstance(plan, pa.Project) or table.code.startswith("pd.DataFrame("):
                table = replace(table, words=_words(plan, table))
            step = isinstance(plan, _OWN_STEPS) or table.code.startswith("pd.DataFrame(")
            step = step and plan is not self.plan
            if (step or self._uses[plan] > 1) and not table.is_single:
                table = self.named(table)
            self._tables[key] = table
        return self._tables[key]

    def _all(self, plan: pa.Plan) -> list[ex.Column]:
        return [ex.Column(slot.name, slot.of) for slot in self.schema.slots(plan)]

    def _emit(self, plan: pa.Plan, needed: tuple[ex.Column, ...]) -> Table:
        match plan:
            case pa.Scan(box):
                labels = tuple(slot.name for slot in self.schema.slots(plan))
                cells = tuple(Cell(slot, slot.name) for slot in self.schema.slots(plan))
                return Table(box, cells, labels, is_name=True)
            case pa.OneRow():
                return Table("", ())
            case pa.Alias(source):
                table = self.emit(source, None)
                slots = self.schema.slots(plan)
                return replace(table, cells=tuple(replace(c, slot=s) for c, s in zip(table.cells, slots, strict=True)))
            case pa.Filter():
                return self._filter(plan, needed)
            case pa.Join():
                return emit_join(self, plan, needed)
            case pa.Derive(source, outputs):
                return self._derive(plan, [*needed, *_columns(outputs)])
            case pa.Project():
                return self._project(plan)
            case pa.Aggregate():
                return emit_aggregate(self, plan)
            case pa.Sort():
                return emit_sort(self, plan, needed)
            case pa.Limit(source, count, offset):
                return self._limit(self.emit(source, needed), count, offset)
            case pa.Extreme():
                return emit_extreme(self, plan, needed)
            case pa.Distinct(source):
                table = self.emit(source, None)
                return table if table.is_single else table.exact(f"{table.frame}.drop_duplicates()")
            case pa.SetOperation():
                return emit_set_operation(self, plan)

    def named(self, table: Table, words: str = "") -> Table:
        """The table under a variable's name."""
        if table.is_name:
            return table
        name = self.variable(words or table.words, "selected")
        self.assign(name, table.code)
        return table.with_code(name, is_name=True)

    def framed(self, table: Table) -> Table:
        """The table as a frame, also where its one row is held as single values."""
        if not table.is_single:
            return table
        labels = unique_labels([cell.slot.name for cell in table.cells])
        cells = tuple(replace(cell, label=label, single="") for cell, label in zip(table.cells, labels, strict=True))
        values = ", ".join(f"{literal(label)}: {cell.single}" for label, cell in zip(labels, table.cells, strict=True))
        code = f"pd.DataFrame([{{{values}}}])" if cells else "pd.DataFrame(index=[0])"
        return Table(code, cells, tuple(labels))

    def derived(self, table: Table, made: Sequence[tuple[str, ex.Expression]]) -> Table:
        """A named table with computed columns (label, value) besides."""
        if not made:
            return self.named(table)
        table = self.named(table)
        values = Values(self, table)
        pairs = [(label, values.write(value).text) for label, value in made]
        cells = tuple(Cell(self._slot(values, label, value), label) for label, value in made)
        code = f"{table.code}.assign({keywords(pairs)})"
        wider = Table(code, (*table.cells, *cells), (*table.labels, *(label for label, _ in made)))
        return self.named(wider, "extended")

    @staticmethod
    def _slot(values: Values, label: str, value: ex.Expression) -> Slot:
        # No plan can name it: the owner is none that a reader gives.
        return Slot(label, "(computed)", values.type_of(value))

    def kept(self, table: Table, mask: Code) -> Table:
        """The rows of a named table where a mask is true."""
        if mask.text == "True":
            return table
        if mask.single:
            return table.with_code(f"({table.code} if {mask.text} else {table.code}.head(0))")
        return table.with_code(f"{table.code}[{mask.text}]")

    def _filter(self, plan: pa.Filter, needed: tuple[ex.Column, ...]) -> Table:
        source = self.emit(plan.source, [*needed, *columns_of(plan.condition)])
        table = self.named(self.framed(source))
        mask = Values(self, table).conditions.mask(plan.condition)
        kept = self.named(self.kept(table, mask), "filtered")
        if mask.single:
            return kept
        known = [table.cell(column) for column in surely_known(plan.condition) if is_among(column, table.slots)]
        cells = tuple(replace(c, slot=known_slot(c.slot)) if c in known else c for c in kept.cells)
        return replace(kept, cells=cells)

    def _derive(self, plan: pa.Derive, needed: Sequence[ex.Column]) -> Table:
        table = self.framed(self.emit(plan.source, needed))
        labels = unique_labels([each.name for each in plan.outputs], table.labels)
        made = [(label, each.value) for label, each in zip(labels, plan.outputs, strict=True)]
        derived = self.derived(table, made)
        # The source may have been cut to the columns that are needed: only the new ones stand where the plan has them.
        kept, new = derived.cells[: len(table.cells)], derived.cells[len(table.cells) :]
        slots = self.schema.slots(plan)[-len(new) :]
        return replace(derived, cells=(*kept, *(replace(c, slot=s) for c, s in zip(new, slots, strict=True))))

    def _project(self, plan: pa.Project) -> Table:
        source = self.emit(plan.source, _columns(plan.outputs))
        slots = self.schema.slots(plan)
        if source.is_single and self._plain(plan, source):
            codes = [Values(self, source).write(each.value).text for each in plan.outputs]
            return Table("", tuple(Cell(s, s.name, code) for s, code in zip(slots, codes, strict=True)))
        source = self.framed(source)
        if all(isinstance(each.value, ex.Column) for each in plan.outputs):
            found = [source.cell(each.value) for each in plan.outputs if isinstance(each.value, ex.Column)]
            labels = [cell.label for cell in found]
            if len(set(labels)) == len(labels):
                cells = tuple(replace(cell, slot=slot) for cell, slot in zip(found, slots, strict=True))
                return replace(source, cells=cells)
        return self._computed(plan, self.named(source))

    def _plain(self, plan: pa.Project, source: Table) -> bool:
        """Whether single values will do: nothing that needs a column's methods to be right about missing values."""
        awkward = (ex.Case, ex.WindowCall, ex.InPlan, ex.InValues, ex.Like, ex.Compare, ex.Cast)
        for each in plan.outputs:
            for node in walk(each.value, into_plans=False):
                if isinstance(node, awkward) and source.cells:
                    return False
                if isinstance(node, ex.Call) and source.cells and node.function not in _SINGLE_CALLS:
                    return False
                if isinstance(node, ex.Arithmetic) and node.operator in ("/", "div", "%"):
                    divisor = self.schema.type_of(node.right, source.slots)
                    if divisor.nullable and not isinstance(node.right, ex.Constant):
                        return False
        return True

    def _computed(self, plan: pa.Project, source: Table) -> Table:
        values = Values(self, source)
        codes = [values.write(each.value) for each in plan.outputs]
        labels = unique_labels([each.name for each in plan.outputs])
        pairs = ", ".join(f"{literal(label)}: {code.text}" for label, code in zip(labels, codes, strict=True))
        index = f", index={source.code}.index" if all(code.single or code.array for code in codes) else ""
        cells = tuple(Cell(slot, label) for slot, label in zip(self.schema.slots(plan), labels, strict=True))
        return Table(f"pd.DataFrame({{{pairs}}}{index})", cells, tuple(labels))

    def _limit(self, table: Table, count: int | None, offset: int) -> Table:
        if table.is_single and not offset and (count is None or count > 0):
            return table
        table = self.framed(table)
        if len(table.code) > MAX_CHAIN_CHARS:
            table = self.named(table)
        if offset:
            table = table.with_code(f"{table.code}.iloc[{offset}:{'' if count is None else offset + count}]")
        elif count is not None:
            table = table.with_code(f"{table.code}.head({count})")
        return table

    def listed(self, plan: pa.Plan) -> Table:
        """The table of a plan whose only column is looked into; a frame's code is a name."""
        table = self.emit(plan, None)
        if len(table.cells) != 1:
            raise PlanError(f"a plan of {len(table.cells)} columns stands where one column is looked into")
        return table if table.is_single else self.named(table, f"{table.cells[0].slot.name}_list")

    def scalar(self, plan: pa.Plan) -> Code:
        """The one value of a plan, under a variable's name."""
        if plan not in self._scalars:
            table = self.emit(plan, None)
            if len(table.cells) != 1:
                raise PlanError(f"a plan of {len(table.cells)} columns stands where one value is wanted")
            if not table.is_single and len(table.code) > MAX_CHAIN_CHARS:
                table = self.named(table)
            cell = table.cells[0]
            kind = cell.slot.type.missing_too() if not table.is_single else cell.slot.type
            text = cell.single if table.is_single else f"next(iter({table.column(cell)}), np.nan)"
            name = self.variable(scalar_words(plan, cell.slot.name))
            self.assign(name, text)
            self._scalars[plan] = Code(name, kind.computed(), single=True)
        return self._scalars[plan]

    def has_rows(self, plan: pa.Plan, negated: bool) -> Code:
        """Whether a plan has a row, as one truth value."""
        while isinstance(plan, (pa.Project, pa.Distinct, pa.Sort)):
            plan = plan.source
        table = self.emit(plan, None)
        if table.is_single:
            return Code(str(not negated), BOOLEAN, single=True)
        table = self.named(table, "found")
        return Code(f"{table.code}.empty" if negated else f"not {table.code}.empty", BOOLEAN, True, 7)


def _renaming(table: Table) -> str:
    """Gives columns the names that the plan gives them; a doubled label that a join made longer stays."""
    stems = {c.label: re.sub(r"_\d+$", "", c.slot.name) for c in table.cells}
    names = {c.label: c.slot.name for c in table.cells if not f"{c.label}_".startswith(f"{stems[c.label]}_")}
    renamed = {label: name for label, name in names.items() if label != name}
    labels = [renamed.get(cell.label, cell.label) for cell in table.cells]
    if not renamed or len(set(labels)) < len(labels):
        return ""
    return f".rename(columns={{{', '.join(f'{literal(old)}: {literal(new)}' for old, new in renamed.items())}}})"


def _words(plan: pa.Plan, table: Table) -> str:
    if isinstance(plan, pa.Join) and plan.kind in ("semi", "anti"):
        return "filtered"
    return STEP_NAMES.get(type(plan), table.words)


def _columns(outputs: Sequence[pa.Output]) -> list[ex.Column]:
    return [column for each in outputs for column in columns_of(each.value)]


def scalar_words(plan: pa.Plan, column: str) -> str:
    """What a single value is called after: what is aggregated and how, else its column."""
    node = plan
    while isinstance(node, (pa.Alias, pa.Project, pa.Limit)):
        node = node.source
    measure = node.measures[0].value if isinstance(node, pa.Aggregate) and len(node.measures) == 1 else None
    if isinstance(measure, ex.Aggregated):
        argument = measure.argument
        named = columns_of(argument) if argument is not None else []
        of = named[0].name if len(named) == 1 else column
        return {"count": "number_of_rows" if argument is None else f"number_of_{of}"}.get(
            measure.function, f"{measure.function}_{of}"
        )
    return f"{column}_value"
