"""UNION, INTERSECT and EXCEPT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan.emitter.layout import listed, literal
from boxkit.plan.emitter.table import Cell, Table, unique_labels

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["emit_set_operation"]


def emit_set_operation(emitter: Emitter, plan: pa.SetOperation) -> Table:
    """The table of a SetOperation."""
    slots = emitter.schema.slots(plan)
    if len(slots) != len(emitter.schema.slots(plan.right)):
        raise PlanError(f"a {plan.kind} of {len(slots)} columns with {len(emitter.schema.slots(plan.right))}")
    if plan.kind != "union" and len(slots) == 1 and not plan.keep_doubles:
        return _looked_up(emitter, plan)
    left, right = (_exact(emitter, each) for each in (plan.left, plan.right))
    cells = tuple(Cell(slot, cell.label) for slot, cell in zip(slots, left.cells, strict=True))
    right_code = right.code if right.labels == left.labels else f"{right.code}.set_axis({listed(left.labels)}, axis=1)"
    if plan.kind == "union":
        code = f"pd.concat([{left.code}, {right_code}], ignore_index=True)"
        return Table(code if plan.keep_doubles else f"{code}.drop_duplicates()", cells, left.labels)
    if plan.keep_doubles:
        raise PlanError(f"{plan.kind} that keeps doubles cannot be written")
    return Table(_compared(emitter, plan, left, right, right_code), cells, left.labels)


def _looked_up(emitter: Emitter, plan: pa.SetOperation) -> Table:
    """INTERSECT and EXCEPT of one column: whether its values are among the other's."""
    left, right = (emitter.named(emitter.framed(emitter.emit(each, None))) for each in (plan.left, plan.right))
    own, theirs = left.cells[0], right.cells[0]
    test = f"{left.column(own)}.isin({right.column(theirs)})"
    if own.slot.type.nullable and theirs.slot.type.nullable:
        # Columns of different types mark what is missing differently.
        known, missing = f"{right.column(theirs)}.dropna()", f"{right.column(theirs)}.isna().any()"
        test = f"({left.column(own)}.isin({known}) | ({left.column(own)}.isna() & {missing}))"
    kept = left.with_code(f"{left.code}[{'' if plan.kind == 'intersect' else '~'}{test}]")
    found = kept.exact(f"{kept.frame}.drop_duplicates()")
    return Table(found.code, (Cell(emitter.schema.slots(plan)[0], own.label),), found.labels)


def _exact(emitter: Emitter, plan: pa.Plan) -> Table:
    """The table of a side, in a frame of its columns only."""
    table = emitter.framed(emitter.emit(plan, None))
    labels = [cell.label for cell in table.cells]
    if len(set(labels)) < len(labels):
        table = emitter.named(table)
        unique = unique_labels(labels)
        cells = tuple(Cell(cell.slot, label) for cell, label in zip(table.cells, unique, strict=True))
        return Table(f"{table.frame}.set_axis({listed(unique)}, axis=1)", cells, tuple(unique))
    return table.exact(table.frame)


def _alike(table: Table, other: Table) -> str:
    """The table's code, with columns that merge can compare with the other's.

    Whole numbers become floats where the other side has decimals, and columns of unlike kinds become objects.
    """
    found = {
        a.label: _common(a.slot.type.kind, b.slot.type.kind) for a, b in zip(table.cells, other.cells, strict=True)
    }
    casts = ", ".join(f"{literal(label)}: {kind}" for label, kind in found.items() if kind)
    return f"{table.code}.astype({{{casts}}})" if casts else table.code


def _common(own: str, other: str) -> str:
    """What a column must become to be compared with one of another kind; empty where it may stay."""
    if (own, other) == ("integer", "number"):
        return "float"
    numbers = ("integer", "number", "boolean")
    return "object" if own != other and not (own in numbers and other in numbers) else ""


def _compared(emitter: Emitter, plan: pa.SetOperation, left: Table, right: Table, right_code: str) -> str:
    common = plan.kind == "intersect"
    if len(left.cells) > 1:
        right_code = right_code.replace(right.code, _alike(right, left), 1)
        left = left.with_code(_alike(left, right))
    if common:
        return f"{left.code}.drop_duplicates().merge({right_code}.drop_duplicates())"
    left = emitter.named(left.exact(f"{left.code}.drop_duplicates()"), "left_rows")
    merged = f'{left.code}.merge({right_code}.drop_duplicates(), how="left", indicator=True)'
    compared = emitter.named(left.with_code(merged), "compared")
    return f'{compared.code}[{compared.code}["_merge"] == "left_only"][{listed(left.labels)}]'
