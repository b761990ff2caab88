"""Aggregates: single values over a whole table, `groupby(...).agg(...)` over groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import Code
from boxkit.plan.emitter.layout import keywords, listed, literal
from boxkit.plan.emitter.table import Cell, Table, unique_labels
from boxkit.plan.emitter.values import Values
from boxkit.plan.schema import columns_of

if TYPE_CHECKING:
    from boxkit.plan.emitter.emitter import Emitter

__all__ = ["emit_aggregate"]


def emit_aggregate(emitter: Emitter, plan: pa.Aggregate) -> Table:
    """The table of an Aggregate."""
    needed = [column for each in (*plan.keys, *plan.measures) for column in columns_of(each.value)]
    source = emitter.emit(plan.source, needed)
    if not plan.keys:
        return _single_values(emitter, plan, source)
    return _groups(emitter, plan, source)


def _single_values(emitter: Emitter, plan: pa.Aggregate, source: Table) -> Table:
    source = emitter.framed(source)
    if len(plan.measures) > 1 or not source.is_name:
        source = emitter.named(source)
    values = Values(emitter, source)
    slots = emitter.schema.slots(plan)
    cells = [
        Cell(slot, measure.name, _single(values, measure.value))
        for slot, measure in zip(slots, plan.measures, strict=True)
    ]
    return Table("", tuple(cells))


def _single(values: Values, measure: ex.Expression) -> str:
    """One aggregate over all rows."""
    if not isinstance(measure, ex.Aggregated):
        return f"next(iter({values.series(measure)}), np.nan)"
    condition = measure.condition
    if measure.argument is None:
        if condition is None:
            return f"len({values.table.code})"
        return f"{_parenthesised(values.conditions.mask(condition))}.sum()"
    counted = _counted_condition(measure)
    if counted is not None:
        return f"{_parenthesised(values.conditions.mask(counted))}.sum()"
    code = values.write(measure.argument)
    if condition is None and not measure.distinct and measure.function == "count" and not code.type.nullable:
        return f"len({values.table.code})"
    column = values.as_series(code)
    if condition is not None:
        column = f"{column}[{values.conditions.mask(condition).text}]"
    return _reduced(column, code, measure)


def _parenthesised(code: Code) -> str:
    return code.text if code.binds == 0 and not code.single else f"({code.text})"


def _counted_condition(measure: ex.Aggregated) -> ex.Expression | None:
    """What SUM(CASE WHEN c THEN 1 ELSE 0 END) and COUNT(CASE WHEN c THEN 1 END) count."""
    case = measure.argument
    if not isinstance(case, ex.Case) or len(case.branches) != 1 or measure.distinct or measure.condition is not None:
        return None
    condition, value = case.branches[0]
    zero = ex.Constant(0) if measure.function == "sum" else ex.Constant(None)
    if not isinstance(value, ex.Constant) or value.value is None or case.default != zero:
        return None
    if measure.function == "count" or (measure.function == "sum" and value == ex.Constant(1)):
        return condition
    return None


def _reduced(column: str, code: Code, measure: ex.Aggregated) -> str:
    """The method that reduces a column to one value."""
    kind, nullable, name = code.type.kind, code.type.nullable, measure.function
    if name == "count":
        return f"{column}.nunique()" if measure.distinct else f"{column}.count()"
    if measure.distinct and name in ("sum", "total", "average", "median", "concatenate"):
        column = f"{column}.drop_duplicates()"
    if name in ("min", "max"):
        if kind == "mixed":
            order = "key=lambda value: (isinstance(value, str), value)"
            return f"{name}({column}.dropna(), {order}, default=np.nan)"
        return f"{column}{'.dropna()' if nullable and kind not in ('integer', 'number') else ''}.{name}()"
    if name == "any_value":
        return f"next(iter({column}), np.nan)"
    if name == "concatenate":
        text = f"{column}{'.dropna()' if nullable else ''}"
        text += "" if kind == "text" else ".astype(str)"
        return f"({literal(measure.separator)}.join({text}) or None)"
    if kind not in ("integer", "number", "boolean", "null"):
        raise PlanError(f"{name} of {kind} values")
    methods = {"sum": "sum(min_count=1)", "total": "sum()", "average": "mean()", "median": "median()"}
    return f"{column}.{methods[name]}"


def _groups(emitter: Emitter, plan: pa.Aggregate, source: Table) -> Table:
    source, keys, arguments = _prepared(emitter, plan, source)
    slots = emitter.schema.slots(plan)
    key_labels = list(dict.fromkeys(keys))
    measure_labels = unique_labels([each.name for each in plan.measures], key_labels)
    labels = [*keys, *measure_labels]
    cells = tuple(Cell(slot, label) for slot, label in zip(slots, labels, strict=True))
    key_types = [slot.type for slot in slots[: len(keys)]]
    dropna = ", dropna=False" if any(each.nullable for each in key_types) else ""
    if not any(isinstance(each.value, ex.Aggregated) for each in plan.measures):
        return _first_rows(source, keys, cells, arguments)
    pairs = []
    for label, measure, argument in zip(measure_labels, plan.measures, arguments, strict=True):
        pairs.append((label, f"({literal(argument or key_labels[0])}, {_grouped(measure.value, source, argument)})"))
    by = literal(key_labels[0]) if len(key_labels) == 1 else listed(key_labels)
    code = f"{source.code}.groupby({by}, as_index=False{dropna}).agg({keywords(pairs)})"
    return Table(code, cells, (*key_labels, *measure_labels))


def _prepared(emitter: Emitter, plan: pa.Aggregate, source: Table) -> tuple[Table, list[str], list[str | None]]:
    """The source with a column for every key and every argument; their labels (None: rows are counted)."""
    source = emitter.framed(source)
    made: list[tuple[str, ex.Expression]] = []
    taken = list(source.labels)

    def label_of(expression: ex.Expression, name: str) -> str:
        if isinstance(expression, ex.Column):
            return source.cell(expression).label
        for label, known in made:
            if known == expression:
                return label
        label = unique_labels([name], taken)[0]
        taken.append(label)
        made.append((label, expression))
        return label

    keys = [label_of(each.value, each.name) for each in plan.keys]
    arguments: list[str | None] = []
    for measure in plan.measures:
        value = measure.value
        argument = value.argument if isinstance(value, ex.Aggregated) else value
        if isinstance(value, ex.Aggregated) and value.condition is not None:
            argument = ex.Case(((value.condition, argument or ex.Constant(1)),))
        arguments.append(None if argument is None else label_of(argument, measure.name))
    return emitter.derived(source, made), keys, arguments


def _grouped(measure: ex.Expression, source: Table, label: str | None) -> str:
    """The aggregation of a group, as `agg` takes it."""
    if label is None:
        return '"size"'
    kind = next((cell.slot.type for cell in source.cells if cell.label == label), None)
    assert kind is not None
    if not isinstance(measure, ex.Aggregated) or measure.function == "any_value":
        return "lambda values: values.iloc[0]" if kind.nullable else '"first"'
    name = measure.function
    simple = {"average": "mean", "total": "sum"}
    if name == "count" and measure.distinct:
        return '"nunique"'
    plain = not measure.distinct and name != "concatenate"
    if name in ("min", "max"):
        plain = kind.kind != "mixed" and not (kind.nullable and kind.kind == "text")
    if name == "sum" and kind.nullable:
        plain = False
    if plain and (name in ("count", "min", "max") or kind.is_number or kind.kind == "null"):
        return literal(simple.get(name, name))
    return f"lambda values: {_reduced('values', Code('values', kind), measure)}"


def _first_rows(source: Table, keys: list[str], cells: tuple[Cell, ...], arguments: list[str | None]) -> Table:
    """The first row of each group, in the keys' order."""
    labels = [*keys, *(label for label in arguments if label is not None)]
    cells = tuple(Cell(cell.slot, label) for cell, label in zip(cells, labels, strict=True))
    unique = list(dict.fromkeys(keys))
    by = literal(unique[0]) if len(unique) == 1 else listed(unique)
    code = f"{source.code}.drop_duplicates({by}).sort_values({by}, ignore_index=True)"
    return Table(code, cells, source.labels)
