"""Where a graph's words stand in its boxes: relations in columns, types in boxes, IRIs as ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from boxkit.box import Box, BoxSet, Field
from boxkit.converters.graph.entities import id_of
from boxkit.converters.graph.vocabulary import RDF_VOCABULARY
from boxkit.errors import UnsupportedQuery

__all__ = ["Domains", "GraphBoxes", "Kind", "Place", "kind_of_field", "within"]

#: What a value is: an entity's id, or a sort of literal; ``any`` where a column holds several.
Kind = Literal["entity", "text", "number", "year", "date", "boolean", "any"]

FREEBASE = "http://rdf.freebase.com/ns/"


#: The subjects and the values that matter; None where all do.
Domains = tuple["frozenset[Any] | None", "frozenset[Any] | None"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where pairs of a relation stand.

    Attributes:
        box: The box.
        subject: Its column of subjects.
        value: Its column of values.
        kind: What the values are.
        is_wide: Whether it is a box of its own, a pair a row.
    """

    box: str
    subject: str
    value: str
    kind: Kind
    is_wide: bool


def kind_of_field(field: Field) -> Kind:
    """What a graph's field holds, by its type in words."""
    words = field.type
    if words in ("text, entity id", "text, IRI"):
        return "entity"
    if words == "integer, year":
        return "year"
    if words in ("integer", "number", "decimal"):
        return "number"
    if words == "boolean":
        return "boolean"
    if words.startswith(("text, ISO date", "text, ISO year")):
        return "date"
    return "text" if words.startswith("text") else "any"


def within(pairs: frozenset[tuple[Any, Any]], domains: Domains) -> frozenset[tuple[Any, Any]]:
    """The pairs that are in ``domains``."""
    subjects, values = domains
    if subjects is None and values is None:
        return pairs
    return frozenset(
        pair for pair in pairs if (subjects is None or pair[0] in subjects) and (values is None or pair[1] in values)
    )


def _superclasses(box: Box) -> Mapping[str, Sequence[str]] | None:
    """What the graph of a box says of classes; None where that is not known."""
    origin = getattr(box.reader, "origin", None)
    return getattr(origin, "superclasses", None)


class GraphBoxes:
    """The boxes of a graph, by the words of the graph.

    Args:
        boxes: What a graph was loaded as.
    """

    def __init__(self, boxes: BoxSet) -> None:
        self.boxes = boxes
        self._pairs: dict[Place, frozenset[tuple[Any, Any]]] = {}
        self._types: dict[str, str] = {}
        self._places: dict[str, list[Place]] = {}
        for name, box in boxes.items():
            if box.kind == "graph":
                self._note(name, box)
        self._altered = dict(self._alterations())

    def _note(self, name: str, box: Box) -> None:
        is_wide = len(box.primary_key) == 2
        if not is_wide:
            self._types[box.source_name] = name
        for field in box.fields[1:]:
            if field.source_name != field.label or (is_wide and box.source_name == field.source_name):
                place = Place(name, box.fields[0].label, field.label, kind_of_field(field), is_wide)
                self._places.setdefault(field.source_name, []).append(place)

    def _alterations(self) -> Iterable[tuple[str, str]]:
        """Relations, by their words, whose values are not one for one the graph's triples, and why."""
        for note in self.boxes.loading_notes:
            if note.kind == "dropped" and (found := re.search(r"of '(\w+)', texts in other languages", note.message)):
                yield found[1], "texts in several languages, of which the boxes keep one"
            if note.kind == "cast" and (found := re.search(r"lists under '(\w+)'", note.message)):
                yield found[1], "RDF lists, whose members the boxes hold as values"
        for box in self.boxes.values():
            for field in box.fields:
                if found := re.search(r"holds '(\w+)', its inverse, too", field.description):
                    yield found[1], "a relation that the boxes hold together with its inverse"
                    yield field.label, "a relation that the boxes hold together with its inverse"

    # Words -----------------------------------------------------------------------------------------------------

    def type_box(self, iri: str) -> str:
        """The box of a type.

        Raises:
            UnsupportedQuery: There is none.
        """
        found = self._types.get(iri) or self._types.get(iri.removeprefix(FREEBASE))
        if found is None:
            raise UnsupportedQuery("a type that no box holds", detail=iri)
        return found

    @property
    def types(self) -> dict[str, str]:
        """The boxes by the types that they hold."""
        return dict(self._types)

    def subtypes(self, iri: str, steps: str) -> list[str]:
        """The types under a class, in a fixed order.

        Args:
            iri: The class.
            steps: How far: ``""`` one step, ``"?"`` one at the most, ``"+"`` one or more, ``"*"`` any number.

        Raises:
            UnsupportedQuery: The boxes do not tell, or do not show all entities of such a type.
        """
        known = (_superclasses(box) for box in self.boxes.values())
        above = next((each for each in known if each is not None), None)
        if above is None:
            raise UnsupportedQuery("classes of a graph whose boxes know none", detail=iri)
        under: dict[str, list[str]] = {}
        for lower, uppers in above.items():
            for upper in uppers:
                under.setdefault(upper, []).append(lower)
        found, edge = dict[str, None](), [iri]
        while edge:
            edge = [lower for upper in edge for lower in under.get(upper, ()) if lower not in found]
            found.update(dict.fromkeys(edge))
            if steps in ("", "?"):
                break
        if steps in ("*", "?"):
            found[iri] = None
        if hidden := sorted(found.keys() & RDF_VOCABULARY.ignored_types):
            raise UnsupportedQuery("a type that says nothing", detail=hidden[0])
        return sorted(found)

    def places(self, iri: str) -> list[Place]:
        """Where a relation's pairs stand.

        Raises:
            UnsupportedQuery: Nowhere; or the boxes hold it otherwise than the graph does.
        """
        found = self._places.get(iri) or self._places.get(iri.removeprefix(FREEBASE))
        if not found:
            raise UnsupportedQuery("a relation that no box holds", detail=iri)
        words = {place.value for place in found}
        for word, why in self._altered.items():
            if word in words or any(iri.endswith(f"{mark}{word}") for mark in "/#."):
                raise UnsupportedQuery(why, detail=iri)
        return self._told_once(found)

    def _told_once(self, places: Sequence[Place]) -> list[Place]:
        """A box's own column rather than its column of labels, where it has both."""
        kept: dict[str, Place] = {}
        for place in places:
            before = kept.get(place.box)
            if before is None or before.value == f"{place.box}_label":
                kept[place.box] = place
        return list(kept.values())

    def id(self, iri: str) -> str:
        """The id of an entity."""
        found = id_of(iri, self.boxes)
        return found.removeprefix(FREEBASE) if found == iri else found

    # Rows ------------------------------------------------------------------------------------------------------

    def pairs(self, place: Place) -> frozenset[tuple[Any, Any]]:
        """The pairs that stand there."""
        if place not in self._pairs:
            rows = self.boxes[place.box].frame[[place.subject, place.value]].dropna()
            self._pairs[place] = frozenset(rows.itertuples(index=False, name=None))
        return self._pairs[place]

    def members(self, box: str) -> frozenset[Any]:
        """The ids of a type's box."""
        found = self.boxes[box]
        return frozenset(found.frame[found.fields[0].label].dropna())

    def needed(self, places: Sequence[Place], domains: Domains = (None, None)) -> list[Place]:
        """The fewest places that hold all pairs whose subjects and values are in ``domains`` (None: any)."""

        def of(place: Place) -> frozenset[tuple[Any, Any]]:
            return within(self.pairs(place), domains)

        left = set[tuple[Any, Any]]().union(*map(of, places))
        chosen: list[Place] = []
        rest = sorted(places, key=lambda each: (-len(of(each)), each.box))
        for place in rest:
            if left & of(place):
                chosen.append(place)
                left -= of(place)
        return chosen or rest[:1]

    def all_pairs(self, iri: str) -> frozenset[tuple[Any, Any]]:
        """All pairs of a relation."""
        return frozenset[tuple[Any, Any]]().union(*map(self.pairs, self.places(iri)))

    def place_in(self, box: str, iri: str, domains: Domains = (None, None)) -> Place | None:
        """The relation's column in a type's box, if it says all of its members that are in ``domains``."""
        own = next((place for place in self.places(iri) if place.box == box and not place.is_wide), None)
        if own is None:
            return None
        members = self.members(box)
        subjects = members if domains[0] is None else members & domains[0]
        return own if within(self.all_pairs(iri), (subjects, domains[1])) <= self.pairs(own) else None

    def namespace_of(self, ids: Iterable[Any] | None) -> str | None:
        """The one namespace that these ids stand in; None where there are several, or where it is not known."""
        if ids is None:
            return None
        spaces = {self.namespaces.get(str(each)) for each in ids}
        return next(iter(spaces)) if len(spaces) == 1 else None

    @cached_property
    def namespaces(self) -> dict[str, str]:
        """The namespace that an id stands in, by id, where an id is the end of its IRI."""
        found: dict[str, str] = {}
        for box in self.boxes.values():
            for iri, short in getattr(box.reader, "ids", {}).items():
                if iri.endswith(short):
                    found[short] = iri[: -len(short)]
        return found
