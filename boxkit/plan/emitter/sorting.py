"""Orders and superlatives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.layout import listed, literal
from boxkit.plan.emitter.table import Table, unique_labels
from boxkit.plan.emitter.values import Values
from boxkit.plan.schema import columns_of

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["emit_extreme", "emit_sort"]

_NUMBERS_FIRST = 'key=lambda column: column.map(lambda value: (isinstance(value, str), value), na_action="ignore")'


def emit_sort(emitter: Emitter, plan: pa.Sort, needed: Sequence[ex.Column]) -> Table:
    """The table of a Sort."""
    source = emitter.emit(plan.source, [*needed, *(c for key in plan.keys for c in columns_of(key.value))])
    if source.is_single:
        return source
    table, labels = _keyed(emitter, source, plan.keys)
    kinds = [next(cell.slot.type for cell in table.cells if cell.label == label) for label in labels]
    first = [bool(key.nulls_first) for key in plan.keys]
    placed = {place for place, kind in zip(first, kinds, strict=True) if kind.nullable}
    if len(placed) > 1 or (len(labels) > 1 and any(kind.kind == "mixed" for kind in kinds)):
        return _one_by_one(table, plan.keys, labels, [kind.kind == "mixed" for kind in kinds])
    arguments = [literal(labels[0]) if len(labels) == 1 else listed(labels)]
    descending = [key.descending for key in plan.keys]
    if all(descending):
        arguments.append("ascending=False")
    elif any(descending):
        arguments.append(f"ascending=[{', '.join(str(not each) for each in descending)}]")
    if placed == {True}:
        arguments.append('na_position="first"')
    if len(labels) == 1:
        arguments.append('kind="stable"')
    if kinds[0].kind == "mixed":
        arguments.append(_NUMBERS_FIRST)
    return table.with_code(f"{table.code}.sort_values({', '.join(arguments)})")


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


def _one_by_one(table: Table, keys: Sequence[pa.SortKey], labels: list[str], mixed: list[bool]) -> Table:
    """Stable sorts from the last key to the first: each key may place its missing values as it likes."""
    code = table.code
    for key, label, is_mixed in reversed(list(zip(keys, labels, mixed, strict=True))):
        arguments = [literal(label)]
        arguments += ["ascending=False"] if key.descending else []
        arguments += ['na_position="first"'] if key.nulls_first else []
        arguments += ['kind="stable"']
        arguments += [_NUMBERS_FIRST] if is_mixed else []
        code = f"{code}.sort_values({', '.join(arguments)})"
    return table.with_code(code)


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
