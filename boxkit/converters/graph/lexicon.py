"""What a graph says of its own words: labels, types and ids of entities; domains, ranges, inverses of relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

import numpy as np

from boxkit.converters.graph.lists import ListLinks, list_links, list_nodes
from boxkit.converters.graph.literals import prefer
from boxkit.converters.graph.names import is_opaque, last_word, readable, short_ids, snake, split_iri
from boxkit.converters.graph.store import BLANK, IRI, LITERAL, Ints, Literal, TripleStore, distinct
from boxkit.converters.graph.vocabulary import OWL, RDFS, SKOS, Vocabulary

__all__ = ["NAMING", "Label", "Lexicon"]


@dataclass(frozen=True, slots=True)
class Label:
    """An entity's label and the relation that gave it; -1 where it was made from the id."""

    text: str
    relation: int


class Lexicon:
    """A store read with a vocabulary.

    Args:
        store: The whole graph, not a piece of it: ids and names must not depend on the question.
        vocabulary: What its words mean.
        integer_ids: Whether entities are named by whole numbers, which their ids shall be.
    """

    def __init__(self, store: TripleStore, vocabulary: Vocabulary, *, integer_ids: bool = False) -> None:
        self.store = store
        self.vocabulary = vocabulary
        self.integer_ids = integer_ids

    def known(self, iris: Iterable[str]) -> tuple[int, ...]:
        """The integers of those of ``iris`` that the graph holds, in their order."""
        found = (self.store.number(iri) for iri in iris)
        return tuple(number for number in found if number is not None)

    # Relations -----------------------------------------------------------------------------------------------------

    @cached_property
    def type_relations(self) -> tuple[int, ...]:
        """The relations that type entities."""
        return self.known(self.vocabulary.types)

    @cached_property
    def label_relations(self) -> tuple[int, ...]:
        """The relations that label entities, best first: the vocabulary's, then any called ``name`` or the like."""
        declared = self.known(self.vocabulary.labels)
        by_name: list[tuple[int, str, int]] = []
        for relation in self.store.relations:
            local = split_iri(self.store.text(int(relation)))[1].lower()
            rank = (
                ("label", "name", "title", "preflabel", "fullname", "full_name").index(local) if local in NAMING else -1
            )
            if rank >= 0 and relation not in declared:
                by_name.append((rank, self.store.text(int(relation)), int(relation)))
        return (*declared, *(number for *_, number in sorted(by_name)))

    @cached_property
    def alias_relations(self) -> tuple[int, ...]:
        """The relations to an entity's other names."""
        return self.known(self.vocabulary.aliases)

    @cached_property
    def hidden_relations(self) -> frozenset[int]:
        """The relations that make no column."""
        return frozenset((*self.type_relations, *self.known(self.vocabulary.hidden)))

    def _declared(self, predicate: str) -> dict[str, list[str]]:
        """Object texts by subject text, for a relation of the schema."""
        number = self.store.number(predicate)
        found: dict[str, list[str]] = {}
        if number is not None:
            for at in self.store.with_predicate(number):
                subject, value = int(self.store.subjects[at]), int(self.store.objects[at])
                if self.store.kinds[subject] == IRI and self.store.kinds[value] == IRI:
                    found.setdefault(self.store.text(subject), []).append(self.store.text(value))
        return found

    @cached_property
    def _domains(self) -> dict[str, list[str]]:
        return self._declared(RDFS + "domain")

    @cached_property
    def _ranges(self) -> dict[str, list[str]]:
        return self._declared(RDFS + "range")

    @cached_property
    def superclasses(self) -> dict[str, list[str]]:
        """The declared direct superclasses of each type."""
        return self._declared(RDFS + "subClassOf")

    def domain(self, relation: str) -> str | None:
        """The one type that a relation's subjects have, as the vocabulary or else the graph says."""
        declared = self._domains.get(relation, ())
        return self.vocabulary.domain(relation) or (declared[0] if len(declared) == 1 else None)

    def range(self, relation: str) -> str | None:
        """The one type that a relation's values have."""
        declared = self._ranges.get(relation, ())
        return self.vocabulary.ranges.get(relation) or (declared[0] if len(declared) == 1 else None)

    @cached_property
    def inverses(self) -> Mapping[str, str]:
        """Relation by relation, both ways."""
        both: dict[str, str] = {}
        declared = [(one, other) for one, others in self._declared(OWL + "inverseOf").items() for other in others]
        for one, other in (*declared, *self.vocabulary.inverses.items()):
            if one != other:
                both.setdefault(one, other)
                both.setdefault(other, one)
        return both

    # Entities ------------------------------------------------------------------------------------------------------

    def labels(self, nodes: Ints) -> dict[int, Label]:
        """The label of each node that has one, by the vocabulary's preferences of relation and language."""
        relations = {relation: rank for rank, relation in enumerate(self.label_relations)}
        found: dict[int, dict[int, list[Literal]]] = {}
        for at in self.store.out_of(nodes):
            relation, value = int(self.store.predicates[at]), int(self.store.objects[at])
            if relation in relations and self.store.kinds[value] == LITERAL:
                term = self.store.terms[value]
                found.setdefault(int(self.store.subjects[at]), {}).setdefault(relation, []).append(term)  # type: ignore[arg-type]  # a term of the kind LITERAL is one
        return {node: self._best(by, relations) for node, by in found.items()}

    def _best(self, by_relation: Mapping[int, Sequence[Literal]], ranks: Mapping[int, int]) -> Label:
        relation = min(by_relation, key=lambda each: ranks[each])
        literals = by_relation[relation]
        language = prefer([each.language for each in literals], self.vocabulary.languages)
        return Label(min(each.text for each in literals if each.language == language), relation)

    def label_or_id(self, nodes: Ints) -> dict[int, Label]:
        """The same; where there is no label, one made from a readable id."""
        found = self.labels(nodes)
        for node in nodes:
            if int(node) not in found and self.store.kinds[node] == IRI:
                iri = self.store.text(int(node))
                text = readable(split_iri(iri)[1] if self.id(int(node)) == iri else self.id(int(node)))
                if text:
                    found[int(node)] = Label(text, -1)
        return found

    def types(self, nodes: Ints) -> dict[int, tuple[str, ...]]:
        """The declared types of each node, most telling first; those that say nothing only where there is no other."""
        relations = frozenset(self.type_relations)
        found: dict[int, list[str]] = {}
        for at in self.store.out_of(nodes):
            value = int(self.store.objects[at])
            if int(self.store.predicates[at]) in relations and self.store.kinds[value] != BLANK:
                found.setdefault(int(self.store.subjects[at]), []).append(self.store.text(value))
        ignored = self.vocabulary.ignored_types | self.vocabulary.mediator_types
        return {
            node: tuple(dict.fromkeys(name for name in names if name not in ignored) or dict.fromkeys(names[:0]))
            for node, names in found.items()
        }

    @cached_property
    def mediator_nodes(self) -> frozenset[int]:
        """Entities that the vocabulary says only tie others together."""
        found: set[int] = set()
        for number in self.known(sorted(self.vocabulary.mediator_types)):
            at = self.store.into(np.array([number], dtype=np.int64))
            typing = np.isin(self.store.predicates[at], np.array(self.type_relations, dtype=np.int64))
            found.update(self.store.subjects[at[typing]].tolist())
        return frozenset(found)

    @cached_property
    def schema_nodes(self) -> frozenset[int]:
        """Classes, properties, restrictions, lists: what describes the graph rather than belongs to it."""
        store = self.store
        found: set[int] = set()
        typed = set(self._typed.tolist())
        # A class or a relation that is said to be nothing else.
        words = {*self.type_nodes, *(int(number) for number in store.relations if "://" in store.text(int(number)))}
        found.update(word for word in words if word not in typed)
        for name in (RDFS + "domain", RDFS + "range", RDFS + "subPropertyOf", RDFS + "subClassOf", OWL + "inverseOf"):
            number = store.number(name)
            if number is not None:
                at = store.with_predicate(number)
                ends = {*store.subjects[at].tolist(), *store.objects[at].tolist()}
                found.update(end for end in ends if end not in typed and store.kinds[end] != LITERAL)
        for relation in self.type_relations:
            for at in self.store.with_predicate(relation):
                if self.store.text(int(self.store.objects[at])) in self.vocabulary.schema_types:
                    found.add(int(self.store.subjects[at]))
        return frozenset(found | list_nodes(store))

    @cached_property
    def lists(self) -> ListLinks:
        """The graph's lists and their members."""
        return list_links(self.store)

    @cached_property
    def _typed(self) -> Ints:
        """What has a type, ascending."""
        at = [self.store.with_predicate(relation) for relation in self.type_relations]
        return (
            distinct(self.store.subjects[np.concatenate(at)], len(self.store.terms))
            if at
            else np.empty(0, dtype=np.int64)
        )

    @cached_property
    def type_nodes(self) -> frozenset[int]:
        """What entities are typed as."""
        found: set[int] = set()
        for relation in self.type_relations:
            found.update(self.store.objects[self.store.with_predicate(relation)].tolist())
        return frozenset(found)

    @cached_property
    def ids(self) -> dict[str, str]:
        """The short id of each IRI that is a subject or an object of the graph."""
        store = self.store
        is_subject = np.zeros(len(store.terms), dtype=bool)
        is_subject[store.subjects] = True
        nodes = distinct(np.concatenate([store.subjects, store.objects]), len(store.terms))
        nodes = nodes[store.kinds[nodes] == IRI]
        split = {
            text: split_iri(text) for text in (store.terms[node] for node in nodes.tolist()) if isinstance(text, str)
        }
        spaces = {
            parts[0] for parts, subject in zip(split.values(), is_subject[nodes].tolist(), strict=True) if subject
        }
        return short_ids(split, {*spaces, *self.vocabulary.namespaces} - {""}, store.prefixes)

    @cached_property
    def iris(self) -> dict[str, str]:
        """The IRI of each short id."""
        return {short: iri for iri, short in self.ids.items()}

    def id(self, node: int) -> str:
        """The id of a node as boxes show it."""
        text = self.store.text(node)
        return self.ids.get(text, text)

    def order(self, node: int) -> tuple[list[tuple[int, str]], str]:
        """A sort key: ids in the order of their texts, numbers in them by size."""
        text = self.id(node)
        return [(int(part), "") if part.isdecimal() else (-1, part) for part in _DIGITS.split(text)], text

    def shown_id(self, node: int) -> str | int:
        """The id as a cell: a whole number where all names are."""
        text = self.id(node)
        return int(text) if self.integer_ids and _WHOLE.fullmatch(text) else text

    # Words -----------------------------------------------------------------------------------------------------

    @cached_property
    def schema_labels(self) -> dict[str, str]:
        """Labels of types and relations, where the graph has them."""
        relations = [self.store.text(int(number)) for number in self.store.relations]
        return self.texts_of(relations)

    def texts_of(self, iris: Iterable[str]) -> dict[str, str]:
        """The labels of ``iris`` that the graph gives."""
        numbers = {number: iri for iri in iris if (number := self.store.number(iri)) is not None}
        found = self.labels(np.array(sorted(numbers), dtype=np.int64))
        return {numbers[number]: label.text for number, label in found.items()}

    def comment(self, iri: str) -> str:
        """What the graph says that a type or relation means; empty where it says nothing."""
        node = self.store.number(iri)
        if node is None:
            return ""
        wanted = self.known((RDFS + "comment", SKOS + "definition", "http://schema.org/description"))
        texts: list[Literal] = []
        for at in self.store.out_of(np.array([node])):
            value = self.store.terms[int(self.store.objects[at])]
            if int(self.store.predicates[at]) in wanted and isinstance(value, Literal):
                texts.append(value)
        language = prefer([text.language for text in texts], self.vocabulary.languages)
        return min((" ".join(text.text.split()) for text in texts if text.language == language), default="")

    def word(self, iri: str, levels: int = 1) -> str:
        """A readable ``snake_case`` name of a type or relation: its local name, or its label where that is opaque.

        Args:
            iri: The type or relation.
            levels: How much of it: 2 adds the part before (``film_actor``, ``foaf_name``), to tell doubles apart.
        """
        space, local = split_iri(iri)
        if is_opaque(local):
            local = self.texts_of([iri]).get(iri, local)
            return snake(local) if levels == 1 else snake(f"{local} {split_iri(iri)[1]}")
        local = unquote(local)
        parts = [part for part in local.split(".") if part] if _is_dotted(local) else [local]
        if levels == 1 or len(parts) >= levels:
            return snake("_".join(parts[-levels:])) or "relation"
        return snake(f"{self._prefix(space)}_{'_'.join(parts)}")

    def _prefix(self, space: str) -> str:
        declared = sorted(prefix for prefix, known in self.store.prefixes.items() if known == space and prefix)
        return declared[0] if declared else last_word(space)


_DIGITS = re.compile(r"(\d+)")
_WHOLE = re.compile(r"-?\d+")
#: Local names of relations that give a name, whatever the vocabulary.
NAMING = frozenset({"label", "name", "title", "preflabel", "fullname", "full_name"})


def _is_dotted(local: str) -> bool:
    return "." in local and " " not in local
