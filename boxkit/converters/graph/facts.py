"""What is to be shown: entities and their types, what each relation says of them, notes on what was set aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from boxkit.box import Note
from boxkit.converters.graph.lexicon import Label, Lexicon
from boxkit.converters.graph.lists import flatten_lists, list_nodes
from boxkit.converters.graph.literals import prefer
from boxkit.converters.graph.names import readable
from boxkit.converters.graph.store import BLANK, LITERAL, XSD, Ints, Literal, Term, TripleStore
from boxkit.converters.graph.vocabulary import RDF

__all__ = ["ENTITY", "Facts", "gather"]

_TEXTS = frozenset({"", f"{XSD}string", f"{RDF}langString"})

#: The type of entities that nothing types.
ENTITY = "entity"


@dataclass(slots=True)
class Facts:
    """What the boxes will show.

    Attributes:
        lexicon: The words of the whole graph.
        relations: For each relation, its values by subject, in the graph's order.
        types: The types of each entity, most telling first; never empty.
        labels: The label of each entity or value that has one.
        mediators: Entities that only tie others together.
        inverse_names: For a relation that others were merged into, their names.
        notes: What was set aside and why.
    """

    lexicon: Lexicon
    relations: dict[int, dict[int, list[int]]]
    types: dict[int, tuple[str, ...]] = field(default_factory=dict)
    labels: dict[int, Label] = field(default_factory=dict)
    mediators: frozenset[int] = frozenset()
    inverse_names: dict[int, list[str]] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    _preferred: dict[int, dict[int, list[int]]] = field(default_factory=dict)

    @property
    def store(self) -> TripleStore:
        """The whole graph."""
        return self.lexicon.store

    def preferred(self, relation: int) -> dict[int, list[int]]:
        """The relation's values by subject; of texts in several languages, those in the preferred one."""
        if relation not in self._preferred:
            self._preferred[relation] = self._by_language(relation)
        return self._preferred[relation]

    def _by_language(self, relation: int) -> dict[int, list[int]]:
        terms, order = self.store.terms, self.lexicon.vocabulary.languages
        kept: dict[int, list[int]] = {}
        dropped: Counter[str] = Counter()
        for subject, values in self.relations[relation].items():
            texts = [(value, term.language) for value in values if _is_text(term := terms[value])]
            if len(texts) > 1 and any(language for _, language in texts):
                chosen = prefer([language for _, language in texts], order)
                dropped.update(language or "no tag" for _, language in texts if language != chosen)
                left_out = {value for value, language in texts if language != chosen}
                values = [value for value in values if value not in left_out]
            kept[subject] = values
        if dropped:
            word = self.lexicon.word(self.store.text(relation))
            languages = ", ".join(f"{language} {count}" for language, count in sorted(dropped.items()))
            self.notes.append(
                Note("dropped", f"of {word!r}, texts in other languages than the preferred are left out ({languages})")
            )
        return kept


def _is_text(term: Term) -> TypeGuard[Literal]:
    """Whether a term is a text that may have others in other languages beside it: no number, no date, no IRI."""
    return isinstance(term, Literal) and (bool(term.language) or term.datatype in _TEXTS)


def gather(
    lexicon: Lexicon, triples: Ints | None = None, *, keep_schema: bool = False, topics: Iterable[int] = ()
) -> Facts:
    """The facts of ``triples`` (positions in the store; all where None), with the labels and types of their entities.

    Args:
        lexicon: The words of the whole graph.
        triples: Which triples.
        topics: Nodes that get a row whatever is said of them.
        keep_schema: Whether classes, properties and the like are entities too.
    """
    store = lexicon.store
    chosen = np.arange(len(store), dtype=np.int64) if triples is None else np.sort(triples)
    facts = Facts(lexicon, {})
    schema = frozenset() if keep_schema else _schema(facts, chosen, whole=triples is None)
    _collect(facts, chosen, schema)
    flatten_lists(facts, whole=triples is None and bool(schema))
    _merge_inverses(facts)
    _type_entities(facts, schema, chosen, frozenset(topics))
    return facts


def _schema(facts: Facts, chosen: Ints, *, whole: bool) -> frozenset[int]:
    """Nodes of the schema to leave out: none where the graph holds nothing else."""
    lexicon, store = facts.lexicon, facts.store
    nodes = lexicon.schema_nodes
    if not nodes:
        return nodes
    subjects = set(np.unique(store.subjects[chosen]).tolist())
    if subjects <= nodes | lexicon.type_nodes:
        return frozenset()
    left_out = (subjects & nodes) - list_nodes(store)
    if left_out and whole:
        facts.notes.append(
            Note(
                "skipped",
                f"{len(left_out)} classes, properties and other parts of the schema make no rows",
                fix="boxkit.from_graph(source, schema=True)",
            )
        )
    return nodes


def _collect(facts: Facts, chosen: Ints, schema: frozenset[int]) -> None:
    store, hidden = facts.store, facts.lexicon.hidden_relations
    triples = zip(
        store.subjects[chosen].tolist(), store.predicates[chosen].tolist(), store.objects[chosen].tolist(), strict=True
    )
    for subject, relation, value in triples:
        if relation not in hidden and subject not in schema:
            facts.relations.setdefault(relation, {}).setdefault(subject, []).append(value)


def _merge_inverses(facts: Facts) -> None:
    """Two relations that say the same from both ends become one: the one with a single value a subject, if any."""
    store, inverses = facts.store, facts.lexicon.inverses
    if not inverses:
        return
    there = {store.text(relation): relation for relation in facts.relations}
    done: set[int] = set()
    for name in sorted(there):
        other = there.get(inverses.get(name, ""))
        relation = there[name]
        if other is None or relation in done or other in done:
            continue
        done.update((relation, other))
        _merge(facts, relation, other)


def _merge(facts: Facts, one: int, other: int) -> None:
    """Merge two inverse relations into that of the narrower shape."""
    ways = {
        one: _with_reversed(facts.relations[one], facts.relations[other]),
        other: _with_reversed(facts.relations[other], facts.relations[one]),
    }
    sizes = {each: sum(map(len, facts.relations[each].values())) for each in ways}
    kept, dropped = sorted(
        (one, other), key=lambda each: (_widest(ways[each]) > 1, -sizes[each], facts.store.text(each))
    )
    if any(facts.store.kinds[value] == LITERAL for values in facts.relations[dropped].values() for value in values):
        return
    facts.relations[kept] = ways[kept]
    del facts.relations[dropped]
    facts.inverse_names.setdefault(kept, []).append(facts.store.text(dropped))


def _with_reversed(straight: dict[int, list[int]], reversed_: dict[int, list[int]]) -> dict[int, list[int]]:
    merged = {subject: dict.fromkeys(values) for subject, values in straight.items()}
    for value, subjects in reversed_.items():
        for subject in subjects:
            merged.setdefault(subject, {})[value] = None
    return {subject: sorted(values) for subject, values in sorted(merged.items())}


def _widest(by_subject: dict[int, list[int]]) -> int:
    return max(map(len, by_subject.values()), default=0)


def _type_entities(facts: Facts, schema: frozenset[int], chosen: Ints, topics: frozenset[int]) -> None:
    """Types, as declared; else from the domains and ranges of relations; else mediators by relation; else `ENTITY`."""
    store, lexicon = facts.store, facts.lexicon
    subjects = {subject for by_subject in facts.relations.values() for subject in by_subject}
    values = {v for by in facts.relations.values() for vs in by.values() for v in vs if store.kinds[v] != LITERAL}
    typed = {int(node) for node in np.unique(store.subjects[chosen])} - schema
    shown = frozenset(node for node in topics if store.kinds[node] != LITERAL)
    nodes = np.array(sorted(subjects | values | typed | shown), dtype=np.int64)
    facts.labels = lexicon.labels(nodes)
    declared = {node: names for node, names in lexicon.types(nodes).items() if names and node not in schema}
    inferred = _inferred_types(facts)
    incoming = _incoming(facts)
    mediators: set[int] = set()
    unnamed = _unnamed(facts, nodes)
    for node in nodes.tolist():
        names = declared.get(node) or inferred.get(node)
        is_entity = node in subjects or node in shown or node in facts.labels or (node in typed and node not in schema)
        if node in schema and node not in subjects:
            continue
        if node in unnamed and node in subjects and node in incoming:
            mediators.add(node)
            names = names or (incoming[node],)
        if names or is_entity:
            facts.types[node] = names or (ENTITY,)
    facts.mediators = frozenset(mediators)
    derived = lexicon.label_or_id(
        np.array(
            [node for node in nodes.tolist() if node not in facts.labels and node not in mediators], dtype=np.int64
        )
    )
    facts.labels.update({node: label for node, label in derived.items() if node in facts.types})


def _unnamed(facts: Facts, nodes: Ints) -> frozenset[int]:
    """Nodes without a name among others that have one: blank nodes, ids that say nothing."""
    store = facts.store
    rest = [node for node in nodes.tolist() if node not in facts.labels]
    blank = frozenset(node for node in rest if store.kinds[node] == BLANK)
    sure = blank | frozenset(node for node in rest if node in facts.lexicon.mediator_nodes)
    opaque = frozenset(node for node in rest if node not in sure and not readable(facts.lexicon.id(node)))
    return sure | opaque if len(opaque) <= (len(nodes) - len(sure)) / 2 else sure


def _inferred_types(facts: Facts) -> dict[int, tuple[str, ...]]:
    """The types that relations' domains and ranges lend to their ends."""
    lexicon, store = facts.lexicon, facts.store
    found: dict[int, dict[str, None]] = {}
    skipped = lexicon.vocabulary.ignored_types
    for relation in sorted(facts.relations, key=store.text):
        name = store.text(relation)
        domain, range_ = lexicon.domain(name), lexicon.range(name)
        for subject, values in facts.relations[relation].items():
            if domain and domain not in skipped and relation not in lexicon.label_relations:
                found.setdefault(subject, {})[domain] = None
            if range_ and range_ not in skipped:
                for value in values:
                    if store.kinds[value] != LITERAL:
                        found.setdefault(value, {})[range_] = None
    return {node: tuple(names) for node, names in found.items()}


def _incoming(facts: Facts) -> dict[int, str]:
    """A relation that points to each node: the first by name."""
    found: dict[int, str] = {}
    for relation in sorted(facts.relations, key=facts.store.text):
        for values in facts.relations[relation].values():
            for value in values:
                found.setdefault(value, facts.store.text(relation))
    return found
