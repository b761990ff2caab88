"""RDF lists and containers: a value that is one becomes its members, those of lists inside it too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boxkit.box import Note
from boxkit.converters.graph.store import BLANK, LITERAL, TripleStore
from boxkit.converters.graph.vocabulary import RDF

if TYPE_CHECKING:
    from boxkit.converters.graph.facts import Facts

__all__ = ["ListLinks", "flatten_lists", "list_links", "list_nodes"]

_MEMBER = re.compile(re.escape(RDF) + r"_([1-9]\d*)")


def list_nodes(store: TripleStore) -> frozenset[int]:
    """The nodes that lists and containers are made of."""
    return frozenset((*_pairs(store, "first"), *_pairs(store, "rest"), *_containers(store)))


@dataclass(frozen=True, slots=True)
class ListLinks:
    """What lists tie together, for whoever walks the graph: a list is no step of its own.

    Attributes:
        members: For each list that something leads to, its members and those of the lists inside it; no literals.
        lists: For each member, those lists.
    """

    members: Mapping[int, tuple[int, ...]]
    lists: Mapping[int, tuple[int, ...]]


def list_links(store: TripleStore) -> ListLinks:
    """The lists of a graph with their members."""
    firsts, rests = _pairs(store, "first") | _containers(store), _pairs(store, "rest")
    tails = {each for cells in rests.values() for each in cells}
    members: dict[int, tuple[int, ...]] = {}
    lists: dict[int, dict[int, None]] = {}
    for head in sorted(firsts.keys() - tails):
        found = dict.fromkeys(each for each, _ in _members(head, firsts, rests) if store.kinds[each] != LITERAL)
        members[head] = tuple(found)
        for each in found:
            lists.setdefault(each, {})[head] = None
    return ListLinks(members, {each: tuple(heads) for each, heads in lists.items()})


def flatten_lists(facts: Facts, *, whole: bool) -> None:
    """A value that is an RDF list becomes the list's members; notes say so, and which lists are left out.

    Args:
        facts: What was gathered; its relations and notes are changed.
        whole: Whether all of the graph is to be shown.
    """
    store = facts.store
    _drop_empty(facts)
    firsts, rests = _pairs(store, "first") | _containers(store), _pairs(store, "rest")
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


def _containers(store: TripleStore) -> dict[int, list[int]]:
    """The members of each ``rdf:Bag``, ``rdf:Seq`` or ``rdf:Alt`` without a name, by their numbers."""
    numbered = sorted((int(found[1]), number) for number, found in _numbered(store))
    members: dict[int, list[int]] = {}
    for _, relation in numbered:
        at = store.with_predicate(relation)
        for subject, value in zip(store.subjects[at].tolist(), store.objects[at].tolist(), strict=True):
            if store.kinds[subject] == BLANK:
                members.setdefault(subject, []).append(value)
    return members


def _numbered(store: TripleStore) -> Iterator[tuple[int, re.Match[str]]]:
    for relation in store.relations.tolist():
        if found := _MEMBER.fullmatch(store.text(relation)):
            yield relation, found


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
