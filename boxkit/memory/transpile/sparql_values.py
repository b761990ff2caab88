"""VALUES of several rows: a test of variables that are bound beside, else rows of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_compare import compared
from boxkit.memory.transpile.sparql_group import Part, Step
from boxkit.memory.transpile.sparql_patterns import PatternReader, Value
from boxkit.memory.transpile.sparql_relation import Bound, Relation, filtered, named
from boxkit.plan import (
    Constant,
    Expression,
    InValues,
    OneRow,
    Output,
    Plan,
    Project,
    SetOperation,
    all_of,
    any_of,
)

__all__ = ["listed"]

Rows = Sequence[Mapping[str, "Value | None"]]


def listed(rows: Rows, beside: frozenset[str], reader: PatternReader) -> tuple[Part | None, Step | None]:
    """Rows of constants: a part to be joined, or a step that tests what is joined.

    Args:
        rows: Constants by variable; None for UNDEF.
        beside: The variables that the rest of the group binds before.
        reader: Gives names.
    """
    names = frozenset(name for row in rows for name in row)
    as_tuples = [tuple(row.get(name) for name in sorted(names)) for row in rows]
    if len(set(as_tuples)) < len(as_tuples):
        raise UnsupportedQuery("VALUES with doubled rows")
    if names <= beside:
        return None, Step(names, lambda found: filtered(found, _test(rows, found)), is_filter=True)
    if any(value is None for row in as_tuples for value in row):
        raise UnsupportedQuery("VALUES with UNDEF for a variable that nothing else binds")
    return Part(names, lambda _needed, _as_set: _rows(rows, sorted(names), reader)), None


def _test(rows: Rows, found: Relation) -> Expression:
    if all(len(row) == 1 and None not in row.values() for row in rows):
        name = next(iter(rows[0]))
        own = found.of(name)
        members = [value for row in rows for value in row.values() if value is not None]
        tests = [compared("=", own, Bound(Constant(each.value), each.kind)) for each in members]
        kept = [each for each, test in zip(members, tests, strict=True) if test != Constant(False)]
        return InValues(own.value, tuple(Constant(each.value) for each in kept)) if kept else Constant(False)
    return any_of(*(_row_test(row, found) for row in rows))


def _row_test(row: Mapping[str, Value | None], found: Relation) -> Expression:
    tests = [
        compared("=", found.of(name), Bound(Constant(value.value), value.kind))
        for name, value in row.items()
        if value is not None
    ]
    return all_of(*tests)


def _rows(rows: Rows, names: Sequence[str], reader: PatternReader) -> Relation:
    """The rows themselves."""
    plans = [Project(OneRow(), tuple(Output(Constant(_of(row, name).value), name) for name in names)) for row in rows]
    together: Plan = plans[0]
    for plan in plans[1:]:
        together = SetOperation(together, plan, "union", keep_doubles=True)
    bound = {}
    for name in names:
        kinds = {_of(row, name).kind for row in rows}
        known = frozenset(_of(row, name).value for row in rows)
        bound[name] = Bound(Constant(None), next(iter(kinds)) if len(kinds) == 1 else "any", known=known)
    return named(together, bound, reader.alias("listed"), once=True, names=names)


def _of(row: Mapping[str, Value | None], name: str) -> Value:
    value = row[name]
    assert value is not None
    return value
