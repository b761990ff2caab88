"""Joins as `merge`: keys by name where they share one, missing keys kept from matching each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.layout import identifier, listed, literal
from boxkit.plan.emitter.table import Cell, Table, unique_labels
from boxkit.plan.emitter.values import Values
from boxkit.plan.schema import columns_of

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["emit_join"]


def emit_join(emitter: Emitter, plan: pa.Join, needed: Sequence[ex.Column]) -> Table:
    """The table of a Join."""
    keys = [column for pair in plan.on for side in pair for column in columns_of(side)]
    below = [*needed, *keys, *columns_of(plan.condition or ex.Constant(None))]
    left, right = emitter.emit(plan.left, below), emitter.emit(plan.right, below)
    if left.is_single and right.is_single and plan.kind == "cross" and plan.condition is None:
        return Table("", (*left.cells, *right.cells))
    left, right = emitter.framed(left), emitter.framed(right)
    if plan.kind in ("semi", "anti"):
        return _half(emitter, plan, left, right)
    if plan.condition is not None and plan.kind in ("left", "right"):
        return _outer_by_pairs(emitter, plan, left, right, needed)
    if plan.condition is not None and plan.kind not in ("inner", "cross"):
        raise PlanError(f"a {plan.kind} join on something else than equal values cannot be written")
    left, left_on = _keys(emitter, left, [pair[0] for pair in plan.on])
    right, right_on = _keys(emitter, right, [pair[1] for pair in plan.on])
    left, right = _comparable(left, left_on, right, right_on)
    if plan.condition is not None:
        needed = [*needed, *columns_of(plan.condition)]
    joined = _merged(plan.kind, left, left_on, right, right_on, needed)
    if plan.condition is None:
        return joined
    joined = emitter.named(joined, "joined")
    mask = Values(emitter, joined).conditions.mask(plan.condition)
    return emitter.kept(joined, mask)


def _keys(emitter: Emitter, table: Table, keys: Sequence[ex.Expression]) -> tuple[Table, list[str]]:
    """The table with a column for each key, and the keys' labels."""
    made: list[tuple[str, ex.Expression]] = []
    labels = []
    for key in keys:
        if isinstance(key, ex.Column):
            labels.append(table.cell(key).label)
            continue
        label = unique_labels(["key"], [*table.labels, *(label for label, _ in made)])[0]
        made.append((label, key))
        labels.append(label)
    return emitter.derived(table, made), labels


def _cell_at(table: Table, label: str) -> Cell:
    return next(cell for cell in table.cells if cell.label == label)


def _comparable(left: Table, left_on: list[str], right: Table, right_on: list[str]) -> tuple[Table, Table]:
    """The tables with key columns that merge can compare: both numbers, or both text."""
    for own, theirs in zip(left_on, right_on, strict=True):
        kinds = [_cell_at(table, label).slot.type.kind for table, label in ((left, own), (right, theirs))]
        numbers = [kind in ("integer", "number", "boolean") for kind in kinds]
        if set(kinds) == {"integer", "number"}:
            left, right = _as_floats(left, own, right, theirs)
        if numbers[0] == numbers[1] and "mixed" not in kinds:
            continue
        if "null" in kinds or "mixed" in kinds or numbers[0] != numbers[1]:
            left = _as_objects(left, own)
            right = _as_objects(right, theirs)
    return left, right


def _as_floats(left: Table, own: str, right: Table, theirs: str) -> tuple[Table, Table]:
    """Whole numbers as floats where they meet decimals: pandas warns of that comparison."""
    cells = (_cell_at(left, own), _cell_at(right, theirs))
    decimal = next(cell.slot.type for cell in cells if cell.slot.type.kind == "number")
    if decimal.values is not None and not bool((decimal.values.dropna() % 1 != 0).any()):
        return left, right
    if cells[0].slot.type.kind == "integer":
        return left.with_code(f"{left.code}.astype({{{literal(own)}: float}})"), right
    return left, right.with_code(f"{right.code}.astype({{{literal(theirs)}: float}})")


def _as_objects(table: Table, label: str) -> Table:
    return table.with_code(f"{table.code}.astype({{{literal(label)}: object}})")


def _merged(
    kind: pa.JoinKind,
    left: Table,
    left_on: list[str],
    right: Table,
    right_on: list[str],
    needed: Sequence[ex.Column],
) -> Table:
    left, right = _without_missing_keys(kind, left, left_on, right, right_on)
    shared = [own for own, theirs in zip(left_on, right_on, strict=True) if own == theirs]
    if kind != "inner" and shared:
        left, right, right_on = _told_apart(kind, left, right, right_on, shared, needed)
        shared = [own for own, theirs in zip(left_on, right_on, strict=True) if own == theirs]
    left, right = _narrowed(left, left_on, right, right_on, shared, needed)
    doubled = [label for label in left.labels if label in right.labels and label not in shared]
    suffixes, renaming = _suffixes(left, right, doubled)
    arguments = [right.code, *_how(kind, left_on, right_on)]
    if doubled:
        arguments.append(f"suffixes=({literal(suffixes[0])}, {literal(suffixes[1])})")
    labels = (
        *(renaming[0].get(label, label) for label in left.labels),
        *(renaming[1].get(label, label) for label in right.labels if label not in shared),
    )
    missing = (kind in ("right", "full"), kind in ("left", "full"))
    cells = tuple(
        _moved(cell, names, can_miss)
        for table, names, can_miss in ((left, renaming[0], missing[0]), (right, renaming[1], missing[1]))
        for cell in table.cells
    )
    return Table(f"{left.code}.merge({', '.join(arguments)})", cells, labels)


def _how(kind: pa.JoinKind, left_on: list[str], right_on: list[str]) -> list[str]:
    """merge's arguments that say which rows meet."""
    if kind == "cross" or not left_on:
        return ['how="cross"']
    how = [] if kind == "inner" else [f'how="{ {"full": "outer"}.get(kind, kind) }"']
    if left_on == right_on:
        return [*how, f"on={_by(left_on)}"]
    return [*how, f"left_on={_by(left_on)}", f"right_on={_by(right_on)}"]


def _told_apart(
    kind: pa.JoinKind, left: Table, right: Table, right_on: list[str], shared: list[str], needed: Sequence[ex.Column]
) -> tuple[Table, Table, list[str]]:
    """The sides of an outer join whose keys share a name: they differ where one side has no match.

    Where both are read the right one gets a name of its own; else the one that is not read is forgotten.
    """
    hidden = right if kind == "left" else left
    read = set(_needed_labels(hidden, [], needed))
    if kind not in ("left", "right") or read & set(shared):
        renamed, right_on = _renamed(right, right_on, shared, left.labels)
        return left, renamed, right_on
    forgotten = replace(hidden, cells=tuple(cell for cell in hidden.cells if cell.label not in shared))
    return (left, forgotten, right_on) if kind == "left" else (forgotten, right, right_on)


def _moved(cell: Cell, names: dict[str, str], can_miss: bool) -> Cell:
    return replace(
        cell,
        label=names.get(cell.label, cell.label),
        slot=replace(cell.slot, type=cell.slot.type.missing_too(can_miss)),
    )


def _by(labels: Sequence[str]) -> str:
    return literal(labels[0]) if len(labels) == 1 else listed(labels)


def _without_missing_keys(
    kind: pa.JoinKind, left: Table, left_on: list[str], right: Table, right_on: list[str]
) -> tuple[Table, Table]:
    """Drops missing keys from the side whose unmatched rows are not wanted: merge would pair them."""
    pairs = [
        (own, theirs)
        for own, theirs in zip(left_on, right_on, strict=True)
        if _cell_at(left, own).slot.type.nullable and _cell_at(right, theirs).slot.type.nullable
    ]
    if not pairs:
        return left, right
    if kind == "full":
        raise PlanError("a full join on keys that are missing on both sides cannot be written")
    if kind == "left":
        return left, right.with_code(f"{right.code}.dropna(subset={listed([theirs for _, theirs in pairs])})")
    return left.with_code(f"{left.code}.dropna(subset={listed([own for own, _ in pairs])})"), right


def _renamed(table: Table, on: list[str], labels: list[str], taken: Sequence[str]) -> tuple[Table, list[str]]:
    names = {label: unique_labels([f"{label}_{_owner(table)}"], [*taken, *table.labels])[0] for label in labels}
    pairs = ", ".join(f"{literal(old)}: {literal(new)}" for old, new in names.items())
    cells = tuple(replace(cell, label=names.get(cell.label, cell.label)) for cell in table.cells)
    renamed = Table(
        f"{table.code}.rename(columns={{{pairs}}})",
        cells,
        tuple(names.get(label, label) for label in table.labels),
    )
    return renamed, [names.get(label, label) for label in on]


def _owner(table: Table) -> str:
    """A word for whose columns these are."""
    owners = {cell.slot.of for cell in table.cells}
    return identifier(owners.pop(), "right") if len(owners) == 1 and "" not in owners else "right"


def _narrowed(
    left: Table, left_on: list[str], right: Table, right_on: list[str], shared: list[str], needed: Sequence[ex.Column]
) -> tuple[Table, Table]:
    """Leaves out columns that nobody needs where both sides have one of that label."""
    doubled = [label for label in left.labels if label in right.labels and label not in shared]
    if not doubled:
        return left, right
    right_needed = _needed_labels(right, right_on, needed)
    if any(label not in right_needed for label in doubled):
        right = _only(right, right_needed)
        doubled = [label for label in doubled if label in right.labels]
    left_needed = _needed_labels(left, left_on, needed)
    if any(label not in left_needed for label in doubled):
        left = _only(left, left_needed)
    return left, right


def _needed_labels(table: Table, on: list[str], needed: Sequence[ex.Column]) -> list[str]:
    wanted = {cell.label for cell in table.cells if any(cell.slot.answers_to(column) for column in needed)} | set(on)
    return [label for label in table.labels if label in wanted]


def _only(table: Table, labels: list[str]) -> Table:
    cells = tuple(cell for cell in table.cells if cell.label in labels)
    return Table(f"{table.code}[{listed(labels)}]", cells, tuple(labels))


def _suffixes(
    left: Table, right: Table, doubled: list[str]
) -> tuple[tuple[str, str], tuple[dict[str, str], dict[str, str]]]:
    """The suffixes of doubled labels, such that no new label is taken; and the new labels."""
    owners = (_owner(left), _owner(right))
    first, second = (f"_{owners[0]}", f"_{owners[1]}") if owners[0] != owners[1] else ("_left", "_right")
    taken = {*left.labels, *right.labels}
    number = 2
    while any(label + end in taken for label in doubled for end in (first, second)):
        first, second, number = f"{first}_{number}", f"{second}_{number}", number + 1
    names = tuple({label: label + end for label in doubled} for end in (first, second))
    return (first, second), (names[0], names[1])


def _half(emitter: Emitter, plan: pa.Join, left: Table, right: Table) -> Table:
    """Rows of the left with (or without) a partner."""
    if plan.condition is not None or not plan.on:
        return _half_by_pairs(emitter, plan, left, right)
    left, left_on = _keys(emitter, left, [pair[0] for pair in plan.on])
    right, right_on = _keys(emitter, right, [pair[1] for pair in plan.on])
    left, right = emitter.named(left), emitter.named(right)
    own, theirs = ([_cell_at(t, label) for label in on] for t, on in ((left, left_on), (right, right_on)))
    may_pair = any(a.slot.type.nullable and b.slot.type.nullable for a, b in zip(own, theirs, strict=True))
    if len(own) == 1:
        members = right.column(theirs[0]) + (".dropna()" if may_pair else "")
        test = f"{left.column(own[0])}.isin({members})"
    else:
        known = f".dropna(subset={listed(right_on)})" if may_pair else ""
        pairs = f"pd.MultiIndex.from_frame({right.code}{known}[{listed(right_on)}])"
        test = f"pd.MultiIndex.from_frame({left.code}[{listed(left_on)}]).isin({pairs})"
    sign = "~" if plan.kind == "anti" else ""
    return left.with_code(f"{left.code}[{sign}{test}]")


def _numbered(emitter: Emitter, table: Table, taken: Sequence[str]) -> tuple[Table, str]:
    """The table with its rows' labels in a column, and that column's label."""
    row = unique_labels(["row"], [*table.labels, *taken])[0]
    table = emitter.named(table)
    return Table(f'{table.code}.rename_axis("{row}").reset_index()', table.cells, (row, *table.labels)), row


def _pairs(emitter: Emitter, plan: pa.Join, left: Table, right: Table) -> Table:
    """All pairs of rows that a join's keys and condition let meet."""
    kind: pa.JoinKind = "inner" if plan.on else "cross"
    left, left_on = _keys(emitter, left, [pair[0] for pair in plan.on])
    right, right_on = _keys(emitter, right, [pair[1] for pair in plan.on])
    left, right = _comparable(left, left_on, right, right_on)
    shared = [own for own, theirs in zip(left_on, right_on, strict=True) if own == theirs]
    if plan.kind not in ("semi", "anti") and shared:
        right, right_on = _renamed(right, right_on, shared, left.labels)
    needed = [ex.Column(cell.slot.name, cell.slot.of) for cell in (*left.cells, *right.cells)]
    pairs = emitter.named(_merged(kind, left, left_on, right, right_on, needed), "pairs")
    if plan.condition is not None:
        pairs = emitter.named(emitter.kept(pairs, Values(emitter, pairs).conditions.mask(plan.condition)), "pairs")
    return pairs


def _outer_by_pairs(emitter: Emitter, plan: pa.Join, left: Table, right: Table, needed: Sequence[ex.Column]) -> Table:
    """A left or right join on any condition: all pairs that fulfil it, beside every row of the side that is kept."""
    if plan.kind == "right":
        turned = pa.Join(plan.right, plan.left, tuple((b, a) for a, b in plan.on), "left", plan.condition)
        joined = _outer_by_pairs(emitter, turned, right, left, needed)
        return replace(joined, cells=(*joined.cells[len(right.cells) :], *joined.cells[: len(right.cells)]))
    numbered, row = _numbered(emitter, left, right.labels)
    numbered = emitter.named(numbered, "numbered")
    pairs = _pairs(emitter, plan, numbered, right)
    found = [
        _moved(cell, {}, can_miss=True)
        for cell in pairs.cells[-len(right.cells) :]
        if any(cell.slot.answers_to(column) for column in needed)
    ]
    labels = tuple(cell.label for cell in found)
    code = f'{numbered.code}.merge({pairs.code}[{listed([row, *labels])}], how="left", on={literal(row)})'
    return Table(code, (*numbered.cells, *found), (*numbered.labels, *labels))


def _half_by_pairs(emitter: Emitter, plan: pa.Join, left: Table, right: Table) -> Table:
    """A semi or anti join on any condition: all pairs that fulfil it, and the left rows that are in one."""
    left = emitter.named(left)
    numbered, row = _numbered(emitter, left, right.labels)
    pairs = _pairs(emitter, plan, numbered, right)
    sign = "~" if plan.kind == "anti" else ""
    return left.with_code(f'{left.code}[{sign}{left.code}.index.isin({pairs.code}["{row}"])]')
