"""What a graph's words mean: which relations type, label and alias its entities, which are inverses.

A profile of one's own takes a few lines::

    Vocabulary(
        "zoo",
        types=("http://zoo.example/kind",),
        labels=("http://zoo.example/called",),
        namespaces=("http://zoo.example/animal/",),
    )
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from boxkit.errors import SourceNotFound

__all__ = [
    "DBPEDIA",
    "FREEBASE",
    "INSIDE",
    "MARKS",
    "OWL",
    "RDF",
    "RDFS",
    "RDF_VOCABULARY",
    "SKOS",
    "VOCABULARIES",
    "WIKIDATA",
    "Vocabulary",
    "detect",
    "freebase",
]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SKOS = "http://www.w3.org/2004/02/skos/core#"
#: Where the relations and types of graphs without IRIs live.
INSIDE = "urn:boxkit:"

FB = "http://rdf.freebase.com/ns/"
WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"
DBO = "http://dbpedia.org/ontology/"

#: Relations that a graph of a vocabulary has, as a rule.
MARKS = (WDT + "P31", DBO + "abstract", DBO + "birthPlace", FB + "type.object.name", FB + "type.object.type")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A profile. Relations and types are full IRIs, or the plain names that a graph without IRIs uses.

    Attributes:
        name: What it is called in ``vocabulary=…``.
        types: Relations from an entity to its type.
        labels: Relations to an entity's label, best first.
        aliases: Relations to its other names.
        namespaces: Namespaces whose IRIs are shortened even where they are no subjects.
        ignored_types: Types that say nothing (``owl:Thing``); no box, unless an entity has no other.
        schema_types: Types of what describes the graph rather than belongs to it: classes, properties, restrictions.
        mediator_types: Types whose entities only tie others together (Freebase's CVTs).
        hidden: Relations that make no column: they are read as a part of the vocabulary, or repeat others.
        domains: Type by relation, in addition to what the graph declares.
        ranges: The same for the relation's values.
        inverses: Relation by relation.
        domain_of: The domain of a relation by its name, where a convention tells (Freebase).
        languages: Preferred language tags of text, best first; ``""`` is text with no tag; then any.
        hops: How far a subgraph reaches from its topics by default.
    """

    name: str
    types: tuple[str, ...] = (RDF + "type",)
    labels: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    ignored_types: frozenset[str] = frozenset()
    schema_types: frozenset[str] = frozenset()
    mediator_types: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    domains: Mapping[str, str] = field(default_factory=dict, hash=False)
    ranges: Mapping[str, str] = field(default_factory=dict, hash=False)
    inverses: Mapping[str, str] = field(default_factory=dict, hash=False)
    domain_of: Callable[[str], str | None] | None = None
    languages: tuple[str, ...] = ("en", "")
    hops: int = 2

    def domain(self, relation: str) -> str | None:
        """The type that a relation's subjects have; None where nothing says."""
        found = self.domains.get(relation)
        return found if found or self.domain_of is None else self.domain_of(relation)


_SCHEMA_TYPES = frozenset(
    {RDF + name for name in ("Property", "List")}
    | {RDFS + name for name in ("Class", "Datatype", "ContainerMembershipProperty")}
    | {
        OWL + name
        for name in (
            "Class", "Restriction", "Ontology", "ObjectProperty", "DatatypeProperty", "AnnotationProperty",
            "FunctionalProperty", "InverseFunctionalProperty", "TransitiveProperty", "SymmetricProperty",
            "AsymmetricProperty", "ReflexiveProperty", "IrreflexiveProperty", "OntologyProperty", "DataRange",
            "DeprecatedClass", "DeprecatedProperty", "AllDifferent", "AllDisjointClasses", "AllDisjointProperties",
            "Axiom", "Annotation", "NegativePropertyAssertion",
        )
    }
    | {"http://www.w3.org/ns/shacl#NodeShape", "http://www.w3.org/ns/shacl#PropertyShape"}
)  # fmt: skip  # names, many a line

_IGNORED_TYPES = frozenset({OWL + "Thing", OWL + "NamedIndividual", RDFS + "Resource", RDFS + "Literal"})

_LABELS = (
    SKOS + "prefLabel",
    RDFS + "label",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://www.w3.org/2006/vcard/ns#fn",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)

_ALIASES = (
    SKOS + "altLabel",
    SKOS + "hiddenLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://xmlns.com/foaf/0.1/nick",
    "http://purl.org/dc/terms/alternative",
)

#: RDF, RDFS, OWL and the common vocabularies for names.
RDF_VOCABULARY = Vocabulary(
    "rdf",
    labels=_LABELS,
    aliases=_ALIASES,
    namespaces=(WD, "http://dbpedia.org/resource/"),
    ignored_types=_IGNORED_TYPES,
    schema_types=_SCHEMA_TYPES,
)

WIKIDATA = replace(
    RDF_VOCABULARY,
    name="wikidata",
    types=(WDT + "P31", RDF + "type"),
    labels=(RDFS + "label", SKOS + "prefLabel", "http://schema.org/name"),
    namespaces=(WD, WDT, "http://www.wikidata.org/entity/statement/"),
    ignored_types=_IGNORED_TYPES
    | {"http://wikiba.se/ontology#Item", "http://wikiba.se/ontology#BestRank", "http://wikiba.se/ontology-beta#Item"},
    mediator_types=frozenset({"http://wikiba.se/ontology#Statement", "http://wikiba.se/ontology-beta#Statement"}),
    hidden=frozenset({SKOS + "prefLabel", "http://schema.org/name", "http://schema.org/version"}),
)

DBPEDIA = replace(
    RDF_VOCABULARY,
    name="dbpedia",
    labels=(RDFS + "label", "http://xmlns.com/foaf/0.1/name", "http://dbpedia.org/property/name"),
    namespaces=("http://dbpedia.org/resource/",),
    hidden=frozenset(
        DBO + name
        for name in ("wikiPageWikiLink", "wikiPageExternalLink", "wikiPageID", "wikiPageRevisionID", "wikiPageLength")
    ),
)


def freebase_domain(relation: str) -> str | None:
    """A Freebase relation's domain: ``people.person.education`` belongs to ``people.person``; None for other names."""
    parts = relation.removeprefix(FB).split(".")
    if len(parts) < 3 or "/" in relation.removeprefix(FB):
        return None
    prefix = FB if relation.startswith(FB) else ""
    return prefix + ".".join(parts[:-1])


def _both(*names: str) -> tuple[str, ...]:
    return tuple(form for name in names for form in (FB + name, name))


FREEBASE = Vocabulary(
    "freebase",
    types=(*_both("type.object.type"), RDF + "type"),
    labels=(*_both("type.object.name"), RDFS + "label"),
    aliases=_both("common.topic.alias"),
    namespaces=(FB,),
    ignored_types=frozenset(_both("common.topic", "type.object", "base.type_ontology.abstract")),
    domain_of=freebase_domain,
    hops=2,
)


def freebase(folder: str | Path) -> Vocabulary:
    """Freebase with its ontology: the domain and range of each relation, and which relations are inverses.

    Args:
        folder: Holds ``fb_roles`` (lines of domain, relation, range) and perhaps ``reverse_properties`` (pairs).

    Raises:
        SourceNotFound: There is no ``fb_roles``.
    """
    roles = Path(folder) / "fb_roles"
    if not roles.is_file():
        raise SourceNotFound("this folder holds no Freebase ontology: fb_roles is missing", where=str(folder))
    domains: dict[str, str] = {}
    ranges: dict[str, str] = {}
    for line in roles.read_text(encoding="utf-8").splitlines():
        parts = line.split()
        if len(parts) == 3:
            domain, relation, range_ = parts
            for space in (FB, ""):
                domains[space + relation] = space + domain
                if not range_.startswith("type."):
                    ranges[space + relation] = space + range_
    return replace(FREEBASE, domains=domains, ranges=ranges, inverses=_inverses(Path(folder) / "reverse_properties"))


def _inverses(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    pairs = (line.split() for line in path.read_text(encoding="utf-8").splitlines())
    return {space + pair[0]: space + pair[1] for pair in pairs if len(pair) == 2 for space in (FB, "")}


#: The profiles that ``vocabulary="…"`` names.
VOCABULARIES: dict[str, Vocabulary] = {each.name: each for each in (RDF_VOCABULARY, WIKIDATA, DBPEDIA, FREEBASE)}


def detect(relations: Iterable[str]) -> Vocabulary:
    """The profile that a graph's relations speak for: the general one unless another's own relations are there."""
    marks = {WDT: WIKIDATA, "http://www.wikidata.org/prop/": WIKIDATA, DBO: DBPEDIA, FB: FREEBASE}
    counts: dict[str, int] = {}
    plain = 0
    for relation in relations:
        for mark, vocabulary in marks.items():
            if relation.startswith(mark):
                counts[vocabulary.name] = counts.get(vocabulary.name, 0) + 1
                break
        else:
            plain += "/" not in relation and ":" not in relation and freebase_domain(relation) is not None
    if plain:
        counts[FREEBASE.name] = counts.get(FREEBASE.name, 0) + plain
    if not counts:
        return RDF_VOCABULARY
    return VOCABULARIES[max(sorted(counts), key=lambda name: counts[name])]
