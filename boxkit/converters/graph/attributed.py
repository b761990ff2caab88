"""networkx graphs as triples: attributes are relations, and an edge with attributes of its own is a row of its own."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from boxkit.box import BoxSet, Note
from boxkit.converters.graph.convert import Graph, graph_boxes
from boxkit.converters.graph.store import XSD, Literal, StoreBuilder, Term
from boxkit.converters.graph.vocabulary import INSIDE, RDF_VOCABULARY, Vocabulary
from boxkit.errors import UnsupportedValue

__all__ = ["ATTRIBUTED", "literal_of", "networkx_boxes"]

NODE, EDGE = f"{INSIDE}node:", f"{INSIDE}edge:"
END = f"{INSIDE}end:"
ATTRIBUTE = f"{INSIDE}attribute:"
TYPE = f"{INSIDE}is:type"

#: Attributes that name a node's type, and an edge's relation, where every node or edge has one.
TYPE_ATTRIBUTES = ("type", "kind", "node_type", "category")
RELATION_ATTRIBUTES = ("relation", "predicate", "rel_type", "edge_type", "type", "kind", "label")
MOST_TYPES = 100

#: The profile of graphs whose nodes and edges carry attributes.
ATTRIBUTED: Vocabulary = replace(RDF_VOCABULARY, name="attributed", types=(TYPE,))


def networkx_boxes(graph: Any, vocabulary: str | Vocabulary = "auto", **options: Any) -> BoxSet:
    """The boxes of a networkx graph; options as `boxkit.from_graph`."""
    reading = _Reading(graph)
    store = reading.triples().build()
    words = ATTRIBUTED if vocabulary == "auto" else vocabulary
    label = f"networkx {type(graph).__name__}"
    declared = {kind: tuple(names) for kind, names in reading.declared.items()}
    read = Graph(store, label, tuple(reading.notes), None, reading.all_integers, words, declared)
    return graph_boxes(read, **options)


@dataclass(slots=True)
class _Reading:
    """One pass over a graph."""

    graph: Any
    notes: list[Note] = field(default_factory=list)
    terms: dict[Hashable, str] = field(default_factory=dict)
    attributes: dict[str, bool] = field(default_factory=dict)
    declared: dict[str, dict[str, None]] = field(default_factory=dict)
    all_integers: bool = False

    def triples(self) -> StoreBuilder:
        """The graph as triples."""
        builder = StoreBuilder()
        self._name_nodes()
        nodes = list(self.graph.nodes(data=True))
        type_attribute = _shared_attribute([data for _, data in nodes], TYPE_ATTRIBUTES)
        for node, data in nodes:
            kind = data[type_attribute] if type_attribute else "node"
            builder.add(self.terms[node], TYPE, NODE + str(kind))
            self._add_attributes(builder, self.terms[node], NODE + str(kind), data, {type_attribute}, f"node {node!r}")
        self._add_edges(builder)
        own = {str(key) for key in self.graph.graph if key not in ("node_default", "edge_default")}
        empty = sorted(name for name, has_value in self.attributes.items() if not has_value)
        if empty:
            self.notes.append(Note("lint", f"no node or edge has a value for these attributes: {', '.join(empty)}"))
        if own:
            self.notes.append(Note("skipped", f"the graph's own attributes make no rows: {', '.join(sorted(own))}"))
        return builder

    def _name_nodes(self) -> None:
        nodes = list(self.graph.nodes)
        self.all_integers = bool(nodes) and all(isinstance(node, int) and not isinstance(node, bool) for node in nodes)
        texts = Counter(str(node) for node in nodes)
        clashing = sorted(text for text, times in texts.items() if times > 1)
        for node in nodes:
            self.terms[node] = repr(node) if texts[str(node)] > 1 else str(node)
        if clashing:
            self.notes.append(
                Note("renamed", f"different nodes are written alike ({clashing[0]!r}): their ids are Python literals")
            )

    def _add_edges(self, builder: StoreBuilder) -> None:
        by_relation: dict[str, list[tuple[str, str, dict[str, Any]]]] = {}
        for source, target, relation, data in self._edges():
            by_relation.setdefault(relation, []).append((self.terms[source], self.terms[target], data))
        directed, number = self.graph.is_directed(), 0
        taken = set(self.terms.values())
        mark = next(
            mark for mark in ("e", "edge", "edge_", "edge__") if not any(f"{mark}{n}" in taken for n in range(1, 10))
        )
        ends = (f"{END}from_node", f"{END}to_node") if directed else (f"{END}node_1", f"{END}node_2")
        for relation, edges in by_relation.items():
            pairs = Counter((source, target) for source, target, _ in edges)
            bare = relation != "edge" and directed and not any(data for *_, data in edges) and max(pairs.values()) == 1
            for source, target, data in edges:
                if bare:
                    builder.add(source, EDGE + relation, target)
                    continue
                number += 1
                edge = f"{mark}{number}"
                builder.add(edge, TYPE, EDGE + relation)
                builder.add(edge, ends[0], source)
                builder.add(edge, ends[1], target)
                self._add_attributes(builder, edge, EDGE + relation, data, set(), f"edge {source!r} → {target!r}")
        if not directed and number:
            self.notes.append(
                Note("lint", "the graph is undirected: each edge stands once, its ends in no particular order")
            )

    def _edges(self) -> Iterator[tuple[Hashable, Hashable, str, dict[str, Any]]]:
        """Ends, relation and remaining attributes of each edge."""
        multi = self.graph.is_multigraph()
        edges = (
            list(self.graph.edges(keys=True, data=True))
            if multi
            else [(u, v, None, data) for u, v, data in self.graph.edges(data=True)]
        )
        attribute = _shared_attribute([data for *_, data in edges], RELATION_ATTRIBUTES)
        keyed = attribute is None and multi and bool(edges) and all(isinstance(key, str) for _, _, key, _ in edges)
        for source, target, key, data in edges:
            relation = str(data[attribute]) if attribute else str(key) if keyed else "edge"
            yield source, target, relation, {name: value for name, value in data.items() if name != attribute}

    def _add_attributes(
        self,
        builder: StoreBuilder,
        subject: str,
        kind: str,
        data: Mapping[Any, Any],
        skipped: set[str | None],
        where: str,
    ) -> None:
        for name, value in data.items():
            if name not in skipped:
                self.attributes.setdefault(str(name), False)
                self.declared.setdefault(kind, {})[ATTRIBUTE + str(name)] = None
                for literal in self._literals(value, f"attribute {name!r} of {where}"):
                    self.attributes[str(name)] = True
                    builder.add(subject, ATTRIBUTE + str(name), literal)

    def _literals(self, value: Any, where: str) -> Iterable[Term]:
        if isinstance(value, (list, tuple, set, frozenset)):
            parts = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
            return [literal for part in parts for literal in self._literals(part, where)]
        literal = literal_of(value, where)
        return [] if literal is None else [literal]


def _shared_attribute(datas: list[dict[str, Any]], names: Iterable[str]) -> str | None:
    """The first of ``names`` that all have as text, with few enough values to be types."""
    for name in names:
        values = [data.get(name) for data in datas]
        if values and all(isinstance(value, str) and value for value in values) and len(set(values)) <= MOST_TYPES:
            return name
    return None


def literal_of(value: Any, where: str) -> Literal | None:
    """A Python value as a literal; None for a missing one.

    Raises:
        UnsupportedValue: It is nothing that a box can hold.
    """
    if hasattr(value, "item") and type(value).__module__ == "numpy":
        value = value.item()
    if (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")
        or (isinstance(value, float) and math.isnan(value))
    ):
        return None
    if isinstance(value, str):
        return Literal(value)
    if isinstance(value, bool):
        return Literal(str(value).lower(), XSD + "boolean")
    if isinstance(value, int):
        return Literal(str(value), XSD + "integer")
    if isinstance(value, float):
        return Literal({"inf": "INF", "-inf": "-INF"}.get(repr(value), repr(value)), XSD + "double")
    return _literal_of_other(value, where)


def _literal_of_other(value: Any, where: str) -> Literal:
    if isinstance(value, decimal.Decimal):
        return Literal(format(value, "f"), XSD + "decimal")
    if isinstance(value, datetime.datetime):
        return Literal(value.isoformat(), XSD + "dateTime")
    if isinstance(value, datetime.date):
        return Literal(value.isoformat(), XSD + "date")
    if isinstance(value, datetime.time):
        return Literal(value.isoformat(), XSD + "time")
    if isinstance(value, bytes):
        return Literal(value.hex())
    if isinstance(value, dict):
        try:
            return Literal(json.dumps(value, sort_keys=True, ensure_ascii=False))
        except (TypeError, ValueError):
            pass
    raise UnsupportedValue(
        f"a value of type {type(value).__name__} can't stand in a box",
        where=where,
        hint="make it text or a number, or delete it",
    )
