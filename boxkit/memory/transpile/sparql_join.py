"""Parts of a pattern joined along their variables, in an order and with the joins that a reader can follow."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from boxkit.memory.transpile.sparql_relation import Relation, filtered, joined
from boxkit.plan import Expression, IsMissing, Scan

__all__ = ["joined_all"]


def joined_all(parts: Sequence[Relation], needed: Collection[str], as_set: bool) -> Relation:
    """All parts joined along their variables; under set semantics, parts that only narrow others just narrow them."""
    left = _without_needless(list(parts))
    if as_set:
        left = _folded(left, frozenset(needed))
    if not left:
        return Relation(None, {}, True)
    left.sort(key=lambda each: not each.has_constant)
    result = left.pop(0)
    while left:
        at = next((at for at, each in enumerate(left) if not each.bound.keys().isdisjoint(result.bound)), 0)
        right = left.pop(at)
        if right.once and right.bound.keys() <= result.bound.keys() and right.plan is not None:
            result = joined(result, right, "semi")
        else:
            result = joined(result, right)
    return result


def _without_needless(parts: list[Relation]) -> list[Relation]:
    """A part that only says the type of a variable goes where the values elsewhere are all of that type."""
    for part in list(parts):
        if len(part.bound) != 1 or not isinstance(part.plan, Scan):
            continue
        name, own = next(iter(part.bound.items()))
        others = [each for each in parts if each is not part and name in each.bound]
        for other in others:
            known = other.of(name).known
            if known is not None and own.known is not None and known <= own.known:
                parts.remove(part)
                at = parts.index(other)
                parts[at] = filtered(other, *_present(other, name))
                break
    return parts


def _present(relation: Relation, name: str) -> list[Expression]:
    return [IsMissing(relation.of(name).value, negated=True)]


def _folded(parts: list[Relation], needed: frozenset[str]) -> list[Relation]:
    """Parts whose needed variables all stand in one other part narrow that one and go."""
    changed = True
    while changed and len(parts) > 1:
        changed = False
        for part in sorted(parts, key=lambda each: (not each.has_constant, len(each.bound))):
            rest = [each for each in parts if each is not part]
            outer = frozenset(name for each in rest for name in each.bound) | needed
            shared = frozenset(part.bound) & outer
            home = next((each for each in rest if shared and shared <= each.bound.keys()), None)
            if home is None or part.plan is None or home.plan is None:
                continue
            narrow = Relation(part.plan, {name: part.of(name) for name in shared}, part.once, part.has_constant)
            parts = [joined(home, narrow, "semi") if each is home else each for each in rest]
            changed = True
            break
    return parts
