"""A graph as SPARQL sees it: prefixes, classes with their relations and true values, entities that a question names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from boxkit.box import Box, BoxSet, Field
from boxkit.boxcode import estimate_tokens, literal
from boxkit.canonical import plain
from boxkit.converters.graph.names import last_word, split_iri
from boxkit.converters.graph.origin import Origin
from boxkit.converters.graph.reader import GraphReader
from boxkit.errors import nearest
from boxkit.sparql.engine import GraphEngine

__all__ = ["graph_text", "prefixes_of", "unknown_words"]

#: Prefixes that everybody knows.
WELL_KNOWN: Mapping[str, str] = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
    "ns": "http://rdf.freebase.com/ns/",
}

#: Entities of the question that are shown at the most.
MAX_TOPICS = 12
_SHORTEST_NAME = 3
_WORD = re.compile(r"\w+")
_LOCAL = re.compile(r"[A-Za-z_][\w-]*(?:\.[\w-]+)*|\d[\w-]*", re.ASCII)


def prefixes_of(boxes: BoxSet, origin: Origin) -> dict[str, str]:
    """Namespaces by prefix: those that the source declares, the well-known ones, and one made up for each other."""
    found: dict[str, str] = {}
    for name, space in (*origin.prefixes.items(), *WELL_KNOWN.items()):
        if re.fullmatch(r"(?:[A-Za-z][\w-]*)?", name, re.ASCII) and space not in found.values():
            found.setdefault(name, space)
    for space in dict.fromkeys(split_iri(iri)[0] for iri in _words(boxes, origin)):
        if space and space not in found.values():
            stem = re.sub(r"\W", "", last_word(space), flags=re.ASCII) or "ns"
            name, number = stem, 2
            while name in found:
                name, number = f"{stem}{number}", number + 1
            found[name] = space
    return found


def _words(boxes: BoxSet, origin: Origin) -> Iterator[str]:
    """The IRIs of classes and relations."""
    yield from (*origin.types, *origin.labels)
    for box in _graph_boxes(boxes):
        yield from (origin.iri(source) for source in (box.source_name, *(each.source_name for each in box.fields)))


def _graph_boxes(boxes: BoxSet) -> list[Box]:
    return [box for box in boxes.values() if isinstance(box.reader, GraphReader)]


def graph_text(engine: GraphEngine, question: str, *, samples: int = 3, budget: int | None = None) -> str:
    """The graph for a prompt.

    Args:
        engine: The graph's.
        question: The entities that it names are shown by their IRIs.
        samples: Example values a relation.
        budget: At most this many tokens (estimated); example values go first, and what is left out is said.
    """
    text = _Writer(engine, samples).text(question)
    if budget is None or estimate_tokens(text) <= budget:
        return text
    for fewer in range(samples - 1, -1, -1):
        text = _Writer(engine, fewer).text(question)
        if estimate_tokens(text) <= budget:
            break
    return f"{text}\n# example values left out to save space"


def unknown_words(engine: GraphEngine, query: str) -> str:
    """Which of a query's names nothing shown has, with the nearest that there are; empty where all are known."""
    writer = _Writer(engine, 0)
    readers = [box.reader for box in _graph_boxes(engine.boxes) if isinstance(box.reader, GraphReader)]
    known = {iri for iri in _words(engine.boxes, engine.origin) if split_iri(iri)[0]}
    said = []
    for prefix, local in dict.fromkeys(re.findall(r"(?<![\w.<:/-])([\w-]*):([\w-]+)", query)):
        iri = engine.prefixes.get(prefix, "") + local
        is_ours = any(word.startswith(engine.prefixes.get(prefix, "?")) for word in known)
        if iri not in known and is_ours and not any(iri in reader.ids for reader in readers):
            near = nearest(writer.short(iri), map(writer.short, sorted(known)))
            said.append(f"no {prefix}:{local} is shown" + (f", nearest: {', '.join(near)}" if near else ""))
    return "".join(f"{each}; " for each in said)


@dataclass(slots=True)
class _Writer:
    """One rendering."""

    engine: GraphEngine
    samples: int

    def text(self, question: str) -> str:
        origin = self.engine.origin
        parts = [self._classes(), self._named(question)]
        types = ", ".join(map(self.short, map(origin.iri, origin.types))) or "none: entities have no classes"
        labels = ", ".join(map(self.short, map(origin.iri, origin.labels))) or "none: the IRIs are the names"
        head = f"# relation to a class: {types}\n# relation to a label: {labels}"
        body = "\n\n".join(filter(None, [head, *parts]))
        used = [name for name in self.engine.prefixes if re.search(rf"(?<![\w.-]){re.escape(name)}:", body)]
        declared = "\n".join(f"PREFIX {name}: <{self.engine.prefixes[name]}>" for name in used)
        return f"{declared}\n\n{body}" if declared else body

    def short(self, iri: str) -> str:
        """An IRI with its prefix where it can be written so."""
        space, local = split_iri(iri)
        if local and _LOCAL.fullmatch(local):
            for prefix, namespace in self.engine.prefixes.items():
                if namespace == space:
                    return f"{prefix}:{local}"
        return f"<{iri}>"

    def _classes(self) -> str:
        boxes = self.engine.boxes
        several: dict[str, list[Box]] = {}
        homes: list[Box] = []
        for box in _graph_boxes(boxes):
            if len(box.fields) == 2 and len(box.primary_key) == 2 and box.fields[1].source_name == box.source_name:
                several.setdefault(self._home(box), []).append(box)
            else:
                homes.append(box)
        parts = [self._class(box, several.pop(box.name, [])) for box in homes]
        rest = [line for each in several.values() for box in each for line in self._relation(box, box.fields[1], True)]
        return "\n".join([*parts, *(["# of entities of several classes", *rest] if rest else [])])

    def _home(self, box: Box) -> str:
        first = box.fields[0].label
        keys = [key for key in self.engine.boxes.foreign_keys if key.box == box.name and key.fields == (first,)]
        return keys[0].parent if keys else ""

    def _class(self, box: Box, several: list[Box]) -> str:
        name = "# entities of no class"
        if box.source_name != "entity":
            name = self.short(self.engine.origin.iri(box.source_name))
        examples = self._entities(box, box.fields[0], box.fields[1] if _is_label(box, box.fields[1:2]) else None)
        facts = [f"entities: {box.count()}", *filter(None, [" ".join(box.description.split()), examples])]
        lines = [f"{name}  # {'; '.join(facts)}"]
        for at, each in enumerate(box.fields[1:], start=1):
            if not (each.label.endswith("_label") and each.source_name == each.label):
                lines += self._relation(box, each, False, box.fields[at + 1 : at + 2])
        for other in several:
            lines += self._relation(other, other.fields[1], True)
        return "\n".join(lines)

    def _relation(self, box: Box, each: Field, is_several: bool, beside: tuple[Field, ...] = ()) -> list[str]:
        if not each.source_name:
            return []
        keys = self.engine.boxes.foreign_keys
        target = next((key.parent for key in keys if key.box == box.name and key.fields == (each.label,)), "")
        facts = []
        if "entity id" in each.type:
            source = self.engine.boxes[target].source_name if target in self.engine.boxes else ""
            is_class = source and source != "entity"
            facts.append(f"to {self.short(self.engine.origin.iri(source))}" if is_class else "to an entity")
            shown = self._entities(box, each, beside[0] if _is_label(box, beside) else None)
        else:
            facts.append(each.type)
            shown = self._values(box, each)
        if is_several:
            facts.append("several values")
        facts += filter(None, [" ".join(each.description.split()), shown])
        return [f"  {self.short(self.engine.origin.iri(each.source_name))}  # {'; '.join(facts)}"]

    def _values(self, box: Box, each: Field) -> str:
        if not self.samples or each.label not in box.head.columns:
            return ""
        present = [value for value in map(plain, box.head[each.label]) if value not in (None, "")]
        values = list({repr(value): value for value in present}.values())[: self.samples]
        return "e.g. " + ", ".join(map(literal, values)) if values else ""

    def _entities(self, box: Box, each: Field, label: Field | None) -> str:
        """Some entities of a field by their IRIs, with their labels where a field beside it has them."""
        if not self.samples or each.label not in box.head.columns:
            return ""
        texts = box.head[label.label] if label is not None else [None] * len(box.head)
        pairs = {plain(one): plain(text) for one, text in zip(box.head[each.label], texts, strict=True)}
        some = [pair for pair in pairs.items() if pair[0] is not None][: min(self.samples, 2)]
        return "e.g. " + ", ".join(self._entity(one, text) for one, text in some) if some else ""

    def _entity(self, entity: object, label: object = None) -> str:
        iri = self.engine.origin.iri(str(entity))
        for box in _graph_boxes(self.engine.boxes):
            if isinstance(box.reader, GraphReader) and (own := box.reader.iris.get(str(entity))):
                iri = self.engine.origin.iri(own)
                break
        return f"{self.short(iri)} ({literal(label)})" if label is not None else self.short(iri)

    def _named(self, question: str) -> str:
        found = _topics(self.engine.boxes, question)
        if not found:
            return ""
        lines = [f"{self._entity(entity, name)}, {self._class_name(box)}" for entity, name, box in found]
        return "# named in the question\n" + "\n".join(f"# {line}" for line in lines)

    def _class_name(self, box: Box) -> str:
        return "of no class" if box.source_name == "entity" else self.short(self.engine.origin.iri(box.source_name))


def _is_label(box: Box, fields: tuple[Field, ...]) -> bool:
    return bool(fields) and fields[0].label.endswith("_label") and fields[0].label in box.head.columns


def _words_of(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _topics(boxes: BoxSet, question: str) -> list[tuple[str, str, Box]]:
    """The entities whose label or id stands in the question as whole words, the longest names first."""
    words = f" {_words_of(question)} "
    single = frozenset(words.split())
    hits: dict[tuple[str, str], Box] = {}
    for box in _graph_boxes(boxes):
        if len(box.primary_key) != 1:
            continue  # a relation's pairs: its entities stand in their classes' boxes
        label = box.fields[1].label if _is_label(box, box.fields[1:2]) else box.fields[0].label
        frame = box.read([box.fields[0].label, label] if label != box.fields[0].label else [label])
        for entity, name in zip(frame.iloc[:, 0].tolist(), frame.iloc[:, -1].tolist(), strict=True):
            if not isinstance(name, str) or len(name) < _SHORTEST_NAME:
                continue
            first = _WORD.search(name)  # looked at alone first: of many names few begin with a word of the question
            if first is not None and first[0].casefold() in single and f" {_words_of(name)} " in words:
                hits.setdefault((str(entity), name), box)
    names = sorted({name.casefold() for _, name in hits}, key=lambda name: (-len(name), name))
    outer = [name for at, name in enumerate(names) if not any(name in longer for longer in names[:at])]
    ranked = sorted(hits.items(), key=lambda hit: (-len(hit[0][1]), hit[0]))
    return [(entity, name, box) for (entity, name), box in ranked if name.casefold() in outer][:MAX_TOPICS]
