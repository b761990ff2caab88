"""RDF lists: a value that is a list becomes the list's members, those of lists inside it too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from boxkit.box import Note
from boxkit.converters.graph.store import TripleStore
from boxkit.converters.graph.vocabulary import RDF

if TYPE_CHECKING:
    from boxkit.converters.graph.facts import Facts

__all__ = ["flatten_lists", "list_nodes"]


def list_nodes(store: TripleStore) -> frozenset[int]:
    """The nodes that lists are made of."""
    return frozenset(_pairs(store, "first"))


def flatten_lists(facts: Facts, *, whole: bool) -> None:
    """A value that is an RDF list becomes the list's members; notes say so, and which lists are left out.

    Args:
        facts: What was gathered; its relations and notes are changed.
        whole: Whether all of the graph is to be shown.
    """
    store = facts.store
    _drop_empty(facts)
    firsts, rests = _pairs(store, "first"), _pairs(store, "rest")
    if not firsts:
        return
    inside = {store.number(RDF + "first"), store.number(RDF + "rest")}
    for relation, by_subject in facts.relations.items():
        if relation in inside:
            continue
        count = repeated = 0
        inner = False
        for subject, values in by_subject.items():
            if any(value in firsts for value in values):
                members = [each for value in values for each in _members(value, firsts, rests)]
                count += sum(value in firsts for value in values)
                inner = inner or any(nested for _, nested in members)
                by_subject[subject] = list(dict.fromkeys(member for member, _ in members))
                repeated += len(members) - len(by_subject[subject])
        if count:
            facts.notes.append(_flattened(facts.lexicon.word(store.text(relation)), count, inner, repeated))
    if whole:
        _note_unreached(facts, firsts, rests)


def _drop_empty(facts: Facts) -> None:
    """A list of nothing is no value; its subject keeps its row."""
    nil = facts.store.number(RDF + "nil")
    if nil is None:
        return
    for relation, by_subject in facts.relations.items():
        empty = [subject for subject, values in by_subject.items() if nil in values]
        for subject in empty:
            by_subject[subject] = [value for value in by_subject[subject] if value != nil]
        if empty and relation != facts.store.number(RDF + "rest"):
            word = facts.lexicon.word(facts.store.text(relation))
            facts.notes.append(Note("cast", f"{len(empty)} empty lists under {word!r} are missing values"))


def _flattened(word: str, count: int, inner: bool, repeated: int) -> Note:
    text = f"the members of {count} lists under {word!r} are values of their own, without their order"
    if inner:
        text += ", and so are those of the lists inside them"
    if repeated:
        text += f"; {repeated} that stand in them again are left out"
    return Note("cast", text)


def _pairs(store: TripleStore, name: str) -> dict[int, list[int]]:
    """What each node has under ``rdf:first`` or ``rdf:rest``: one in a list that is well made."""
    relation = store.number(RDF + name)
    found: dict[int, list[int]] = {}
    if relation is not None:
        at = store.with_predicate(relation)
        for subject, value in zip(store.subjects[at].tolist(), store.objects[at].tolist(), strict=True):
            found.setdefault(subject, []).append(value)
    return found


def _members(value: int, firsts: dict[int, list[int]], rests: dict[int, list[int]]) -> Iterator[tuple[int, bool]]:
    """The members of a list, and whether each stands in a list inside it; of what is no list, the value itself."""
    seen: set[int] = set()
    left = [(value, False, False)]
    while left:
        node, nested, is_member = left.pop()
        if node not in firsts:
            yield node, nested
            continue
        if node in seen:
            continue
        seen.add(node)
        nested = nested or is_member
        left.extend((each, nested, False) for each in reversed(rests.get(node, ())) if each in firsts)
        left.extend((each, nested, True) for each in reversed(firsts[node]))


def _note_unreached(facts: Facts, firsts: dict[int, list[int]], rests: dict[int, list[int]]) -> None:
    """Lists that no triple leads to, which something may be said of, make no rows."""
    store = facts.store
    pointed = set(store.objects.tolist())
    heads = [node for node in firsts if node not in pointed]
    if not heads:
        return
    members = [store.terms[each] for head in heads for each, _ in _members(head, firsts, rests)]
    shown = ", ".join(str(each if isinstance(each, str) else each.text) for each in members[:10])
    more = f" and {len(members) - 10} more" if len(members) > 10 else ""
    what = f"{len(heads)} lists that nothing leads to make no rows, nor does what is said of them: {shown}{more}"
    facts.notes.append(Note("skipped", what))
