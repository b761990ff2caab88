"""A plan's shape: what is done in which order, without the names and values it is done to."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex
from boxkit.plan.schema import PLAN_TYPES, walk

__all__ = ["skeleton"]


def skeleton(plan: pa.Plan) -> str:
    """The shape of a plan, inside out: ``scan join(inner) filter(>) group(count) order(desc) limit select(2)``.

    Equal for plans that differ in boxes, columns and values only.
    """
    return " ".join(_steps(plan))


def _steps(plan: pa.Plan) -> list[str]:
    match plan:
        case pa.Scan():
            return ["scan"]
        case pa.OneRow():
            return ["one"]
        case pa.Alias(source):
            return _steps(source)
        case pa.Join(left, right, _, kind):
            other = _steps(right)
            inner = "" if other == ["scan"] else " " + " ".join(other)
            return [*_steps(left), f"join({kind}{inner})"]
        case pa.SetOperation(left, right, kind, keep):
            return [*_steps(left), f"{kind}{'-all' if keep else ''}({' '.join(_steps(right))})"]
        case _:
            step = _step(plan)
            return [*_steps(plan.source), *([step] if step else [])]


def _step(plan: Any) -> str:
    match plan:
        case pa.Filter(_, condition):
            return f"filter({_condition(condition)})"
        case pa.Derive(_, outputs):
            return f"derive({_values(outputs)})"
        case pa.Project(_, outputs):
            computed = _values(outputs)
            return f"select({len(outputs)}{': ' + computed if computed else ''})"
        case pa.Aggregate(_, keys, measures):
            return f"{'group' if keys else 'aggregate'}({_values(measures)})"
        case pa.Sort(_, keys):
            return f"order({', '.join('desc' if key.descending else 'asc' for key in keys)})"
        case pa.Limit(_, count, offset):
            return f"limit({'1' if count == 1 else 'k'}{', offset' if offset else ''})"
        case pa.Extreme():
            return f"extreme({'min' if plan.smallest else 'max'})"
        case _:
            return "distinct"


def _values(outputs: tuple[pa.Output, ...]) -> str:
    words = [word for each in outputs for word in _words(each.value)]
    return " ".join(words)


def _words(value: Any) -> list[str]:
    """The operations of a value in the order in which they are read; subqueries in brackets."""
    words = []
    for node in walk(value, into_plans=False):
        match node:
            case ex.Aggregated(function, _, distinct):
                words.append(function + ("-distinct" if distinct else ""))
            case ex.Arithmetic(operator) | ex.Compare(operator):
                words.append(operator)
            case ex.Call(function) | ex.WindowCall(function):
                words.append(function)
            case ex.Case() | ex.Cast() | ex.Not() | ex.Or():
                words.append(type(node).__name__.lower())
            case ex.Between() | ex.Like() | ex.IsMissing() | ex.InValues() | ex.InPlan() | ex.Exists():
                words.append(("not-" if node.negated else "") + type(node).__name__.lower())
        words += [f"[{skeleton(item)}]" for item in _plans(node)]
    return words


def _plans(node: Any) -> list[Any]:
    return [value for value in (getattr(node, each.name) for each in fields(node)) if isinstance(value, PLAN_TYPES)]


def _condition(condition: ex.Expression) -> str:
    return " ".join(_words(condition)) or "column"
