"""GROUP BY and aggregates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import Kind
from boxkit.memory.transpile.sparql_relation import Bound, Relation, calculable, named
from boxkit.memory.transpile.sql_scope import free_name
from boxkit.plan import Aggregate, Aggregated, Constant, OneRow, Output
from boxkit.plan.expressions import AggregateName

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_query import QueryReader

__all__ = ["aggregated"]

_FUNCTIONS: dict[str, AggregateName] = {"Count": "count", "Sum": "sum", "Avg": "average", "Min": "min", "Max": "max"}


def aggregated(reader: QueryReader, node: Any) -> Relation:
    """The rows of an aggregation: a variable a key and a measure."""
    group, names = node.p, dict(reader.gatherer.measures)
    keys = [] if group.expr is None else list(group.expr)
    measures = [each for each in node.A if each.name != "Aggregate_Sample"]
    used = {name for each in (*keys, *(m.vars for m in measures)) for name in reader.expressions.names(each)}
    rows = reader.rows(group.p, used, as_set=all(_ignores_doubles(each) for each in measures))
    source = OneRow() if rows.plan is None else rows.plan
    outputs: dict[str, Output] = {}
    bound: dict[str, Bound] = {}
    for at, key in enumerate(keys):
        value = reader.expressions.value(key, rows.bound)
        name = str(key) if type(key).__name__ == "Variable" else f"key_{at + 1}"
        outputs[name], bound[name] = Output(value.value, name), value
    made: dict[Aggregated, str] = {}
    chosen: dict[str, str] = {}
    for each in sorted(measures, key=lambda each: str(each.res) not in names):
        measure, kind = _measure(reader, each, rows, keyed=bool(keys))
        if measure not in made:
            made[measure] = free_name(names.get(str(each.res)) or _name_of(each), {*outputs, *made.values()})
            bound[made[measure]] = Bound(Constant(None), kind, maybe=not keys and kind != "number")
        chosen[str(each.res)] = made[measure]
    plan = Aggregate(source, tuple(outputs.values()), tuple(Output(each, name) for each, name in made.items()))
    alias = reader.patterns.alias("groups")
    result = named(plan, bound, alias, once=True, names=[*outputs, *made.values()])
    measured = {name: result.of(own) for name, own in chosen.items()}
    samples = {str(each.res): _sampled(each, keys, result) for each in node.A if each.name == "Aggregate_Sample"}
    keyed = {name: result.of(name) for name in outputs}
    return Relation(result.plan, {**keyed, **measured, **samples}, True)


def _name_of(measure: Any) -> str:
    """A name for a measure that the query does not name."""
    word = measure.name.removeprefix("Aggregate_").lower()
    return f"{word}_{measure.vars}" if type(measure.vars).__name__ == "Variable" else word


def _ignores_doubles(measure: Any) -> bool:
    return measure.name in ("Aggregate_Min", "Aggregate_Max") or bool(measure.distinct)


def _sampled(measure: Any, keys: list[Any], result: Relation) -> Bound:
    """A variable that is not aggregated: a key."""
    if measure.vars not in keys:
        raise UnsupportedQuery("SAMPLE, or a variable that is neither a key nor aggregated", detail=f"?{measure.vars}")
    return result.of(str(measure.vars))


def _measure(reader: QueryReader, measure: Any, rows: Relation, keyed: bool) -> tuple[Aggregated, Kind]:
    name = measure.name.removeprefix("Aggregate_")
    function = _FUNCTIONS.get(name)
    if function is None:
        raise UnsupportedQuery({"GroupConcat": "GROUP_CONCAT, whose order SPARQL leaves open"}.get(name, name.upper()))
    is_distinct = bool(measure.distinct)
    if measure.vars == "*":
        if is_distinct:
            raise UnsupportedQuery("COUNT(DISTINCT *)")
        return Aggregated("count"), "number"
    value = reader.expressions.value(measure.vars, rows.bound)
    if function == "count":
        counts_rows = not value.maybe and not is_distinct and value.column is not None
        return (Aggregated("count") if counts_rows else Aggregated("count", value.value, is_distinct)), "number"
    if value.maybe:
        raise UnsupportedQuery(f"{name.upper()} of values that may be unbound")
    if function in ("sum", "average"):
        if value.kind != "number":
            raise UnsupportedQuery(f"{name.upper()} of {value.kind} values")
        which = "total" if function == "sum" and not keyed else function
        return Aggregated(which, calculable(value).value, is_distinct), "number"
    if value.kind in ("any", "entity", "boolean"):
        raise UnsupportedQuery(f"{name.upper()} of {value.kind} values")
    return Aggregated(function, value.value), value.kind
