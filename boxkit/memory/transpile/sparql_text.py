"""The text of a query to rdflib's algebra, with what Virtuoso allows and the standard does not put right."""

from __future__ import annotations

import re
from typing import Any

from boxkit.errors import MissingExtra, UnsupportedQuery

__all__ = ["algebra_of", "standard"]

_TOKENS = re.compile(
    r"""<[^<>"{}|^`\\\s]*> | \"{3}.*?\"{3} | '{3}.*?'{3} | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | \#[^\n]*
    | [\w.:?$-]+ | \s+ | .""",
    re.VERBOSE | re.DOTALL,
)

#: Prefixes that engines know without being told.
PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": "http://www.wikidata.org/entity/",
    "wdt": "http://www.wikidata.org/prop/direct/",
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
}


def standard(query: str) -> str:
    """The query in standard SPARQL: ``||`` for ``OR``, ``&&`` for ``AND``, prefixes declared, ``xsd:dateTime``."""
    tokens = [token for token in _TOKENS.findall(query) if not token.startswith("#")]
    words = {"or": "||", "and": "&&"}
    changed = [words.get(token.lower(), token) for token in tokens]
    changed = ["xsd:dateTime" if token.lower() == "xsd:datetime" else token for token in changed]
    used = {token.split(":")[0] for token in changed if re.fullmatch(r"\w+:[\w.-]*", token)}
    text = "".join(changed)
    declared = {name.lower() for name in re.findall(r"\bPREFIX\s+(\w+):", text, re.IGNORECASE)}
    missing = [name for name in PREFIXES if name in used and name.lower() not in declared]
    return "".join(f"PREFIX {name}: <{PREFIXES[name]}>\n" for name in missing) + text


def algebra_of(query: str) -> Any:
    """rdflib's algebra of a query.

    Raises:
        UnsupportedQuery: It does not parse.
        MissingExtra: rdflib is not installed.
    """
    try:
        from pyparsing.exceptions import ParseBaseException
        from rdflib.plugins.sparql.algebra import translateQuery
        from rdflib.plugins.sparql.parser import parseQuery
    except ImportError as error:
        raise MissingExtra("rdflib", "all") from error
    text = standard(query)
    try:
        return translateQuery(parseQuery(text)).algebra
    except ParseBaseException as error:
        raise UnsupportedQuery("a query that does not parse", detail=str(error).splitlines()[0]) from error
    except RecursionError as error:
        raise UnsupportedQuery("a query that is nested too deeply") from error
    except Exception as error:
        # rdflib raises plain exceptions for unknown prefixes and misplaced aggregates.
        if type(error) is not Exception and not type(error).__module__.startswith("rdflib"):
            raise
        raise UnsupportedQuery("a query that does not parse", detail=str(error)) from error
