"""A plan in plain sentences, a sentence a step."""

from __future__ import annotations

import datetime
from typing import Any

from boxkit.plan import algebra as pa
from boxkit.plan import expressions as ex

__all__ = ["describe"]

_OPERATORS = {
    "=": "is",
    "!=": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
    "is": "is",
    "is not": "is not",
}
_AGGREGATES = {
    "sum": "the sum of",
    "total": "the sum of",
    "average": "the average of",
    "median": "the median of",
    "min": "the smallest",
    "max": "the largest",
    "concatenate": "the list of",
    "any_value": "one",
}


def describe(plan: pa.Plan) -> list[str]:
    """What a plan does, in order: ``["Take the rows of singer.", "Keep those where Age is more than 40.", …]``."""
    return _steps(plan)


def _steps(plan: pa.Plan) -> list[str]:
    match plan:
        case pa.Scan(box):
            return [f"Take the rows of {box}."]
        case pa.OneRow():
            return []
        case pa.Alias(source):
            return _steps(source)
        case pa.Join():
            return _join(plan)
        case pa.SetOperation(left, right, kind):
            verb = {"union": "Add", "intersect": "Keep only what is also among", "except": "Leave out"}[kind]
            return [*_steps(left), f"{verb} the rows of a second list: {_inline(right)}."]
        case _:
            return [*_steps(plan.source), *_step(plan)]


def _inline(plan: pa.Plan) -> str:
    """A plan as one clause within another sentence."""
    return "; ".join(_lowered(each).rstrip(".") for each in _steps(plan))


def _lowered(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]


def _join(plan: pa.Join) -> list[str]:
    simple = isinstance(plan.right, pa.Scan)
    other = plan.right.box if isinstance(plan.right, pa.Scan) else "those of a second list"
    first = [] if simple else [f"Prepare a second list: {_inline(plan.right)}."]
    pairs = " and ".join(f"{_value(a)} equals {_value(b)}" for a, b in plan.on)
    if plan.condition is not None:
        pairs = " and ".join(part for part in (pairs, _value(plan.condition)) if part)
    where = f" where {pairs}" if pairs else ""
    text = {
        "semi": f"Keep those that have a partner in {other}{where}.",
        "anti": f"Keep those that have no partner in {other}{where}.",
        "left": f"Join each row with {other}{where}, keeping rows without a partner.",
        "right": f"Join with every row of {other}{where}.",
        "full": f"Join with {other}{where}, keeping rows without a partner on both sides.",
        "cross": f"Pair each row with every row of {other}.",
        "inner": f"Join each row with {other}{where}.",
    }[plan.kind]
    return [*_steps(plan.left), *first, text]


def _step(plan: Any) -> list[str]:
    match plan:
        case pa.Filter(_, condition):
            return [f"Keep those where {_value(condition)}."]
        case pa.Derive(_, outputs):
            return [f"Compute {_named(outputs)}."]
        case pa.Project(_, outputs):
            return [f"Give {_named(outputs)}."]
        case pa.Aggregate(_, keys, measures):
            what = _named(measures) if measures else "one row"
            return [
                f"For each {_listed([_value(key.value) for key in keys])}, take {what}." if keys else f"Take {what}."
            ]
        case pa.Sort(_, keys):
            orders = [f"{_value(key.value)}, {'largest' if key.descending else 'smallest'} first" for key in keys]
            return [f"Order by {'; then by '.join(orders)}."]
        case pa.Limit(_, count, offset):
            skip = f"Skip the first {offset}. " if offset else ""
            return [
                f"{skip}Keep the first{'' if count in (1, None) else f' {count}'}."
                if count is not None
                else skip.strip()
            ]
        case pa.Extreme(_, value):
            return [f"Keep those with the {'smallest' if plan.smallest else 'largest'} {_value(value)}, all that tie."]
        case _:
            return ["Leave out repeated rows."]


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _named(outputs: tuple[pa.Output, ...]) -> str:
    return _listed([_value(each.value) for each in outputs])


def _value(value: Any) -> str:
    match value:
        case ex.Column(name):
            return str(name)
        case ex.Constant(content):
            if isinstance(content, datetime.datetime):
                content = content.date() if content.time() == datetime.time() else content
            if isinstance(content, datetime.date):
                return content.isoformat() if not isinstance(content, datetime.datetime) else content.isoformat(" ")
            return "nothing" if content is None else repr(content)
        case ex.Compare(operator, left, right):
            return f"{_value(left)} {_OPERATORS[operator]} {_value(right)}"
        case ex.And(parts) | ex.Or(parts):
            word = " and " if isinstance(value, ex.And) else " or "
            return word.join(f"({_value(p)})" if isinstance(p, (ex.And, ex.Or)) else _value(p) for p in parts)
        case ex.Not(condition):
            return f"it is not so that {_value(condition)}"
        case ex.Between(inner, low, high, negated):
            return f"{_value(inner)} is {'not ' * negated}between {_value(low)} and {_value(high)}"
        case ex.IsMissing(inner, negated):
            return f"{_value(inner)} is {'known' if negated else 'missing'}"
        case ex.InValues(inner, values, negated):
            return f"{_value(inner)} is {'not ' * negated}one of {', '.join(map(_value, values))}"
        case ex.InPlan(inner, plan, negated):
            return f"{_value(inner)} is {'not ' * negated}in this list: ({_inline(plan)})"
        case ex.Exists(plan, negated):
            return f"there is {'no row' if negated else 'a row'} in this list: ({_inline(plan)})"
        case ex.Like(inner, pattern, _, negated):
            return f"{_value(inner)} {'does not look' if negated else 'looks'} like {_value(pattern)}"
        case _:
            return _computed(value)


def _computed(value: Any) -> str:
    match value:
        case ex.Arithmetic(operator, left, right):
            return f"({_value(left)} {'/' if operator == 'div' else operator} {_value(right)})"
        case ex.Negative(inner):
            return f"-{_value(inner)}"
        case ex.Aggregated(function, argument, distinct):
            if argument is None:
                return "the number of rows"
            each = "different " if distinct else ""
            if function == "count":
                return f"the number of {each}{_value(argument)}"
            return f"{_AGGREGATES[function]} {each}{_value(argument)}"
        case ex.Call(function, arguments) | ex.WindowCall(function, arguments):
            return f"{function.replace('_', ' ')}({', '.join(map(_value, arguments))})"
        case ex.Case(branches, default):
            texts = [f"{_value(result)} where {_value(condition)}" for condition, result in branches]
            return f"({', '.join(texts)}, else {_value(default)})"
        case ex.Cast(inner, to):
            return f"{_value(inner)} as {to}"
        case ex.ScalarPlan(plan):
            return f"this value: ({_inline(plan)})"
        case _:
            return type(value).__name__.lower()
