"""Orders and superlatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.layout import literal
from boxkit.plan.emitter.ordering import sorted_code
from boxkit.plan.emitter.table import Table, unique_labels
from boxkit.plan.emitter.values import Values
from boxkit.plan.schema import columns_of

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["emit_extreme", "emit_sort"]


def emit_sort(emitter: Emitter, plan: pa.Sort, needed: Sequence[ex.Column]) -> Table:
    """The table of a Sort."""
    source = emitter.emit(plan.source, [*needed, *(c for key in plan.keys for c in columns_of(key.value))])
    if source.is_single:
        return source
    table, labels = _keyed(emitter, source, plan.keys)
    kinds = [next(cell.slot.type for cell in table.cells if cell.label == label) for label in labels]
    return table.with_code(sorted_code(table.code, plan.keys, labels, kinds, stable=len(labels) == 1))


def _keyed(emitter: Emitter, table: Table, keys: Sequence[pa.SortKey]) -> tuple[Table, list[str]]:
    made: list[tuple[str, ex.Expression]] = []
    labels = []
    for key in keys:
        if isinstance(key.value, ex.Column):
            labels.append(table.cell(key.value).label)
            continue
        label = unique_labels(["sort_key"], [*table.labels, *(label for label, _ in made)])[0]
        made.append((label, key.value))
        labels.append(label)
    return (emitter.derived(table, made) if made else table), labels


def emit_extreme(emitter: Emitter, plan: pa.Extreme, needed: Sequence[ex.Column]) -> Table:
    """The table of an Extreme: the rows whose value equals the largest (smallest)."""
    table = emitter.framed(emitter.emit(plan.source, [*needed, *columns_of(plan.value)]))
    if not isinstance(plan.value, ex.Column):
        label = unique_labels(["score"], table.labels)[0]
        table = emitter.derived(table, [(label, plan.value)])
        column = f"{table.code}[{literal(label)}]"
    else:
        table = emitter.named(table)
        column = Values(emitter, table).series(plan.value)
    kind = emitter.schema.type_of(plan.value, emitter.schema.slots(plan.source))
    known = ".dropna()" if kind.nullable and kind.kind == "text" else ""
    return table.with_code(f"{table.code}[{column} == {column}{known}.{'min' if plan.smallest else 'max'}()]")
