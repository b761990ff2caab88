"""Whether a text is a graph, by its first bytes: an RDF syntax, or triples as lines. Light: asked of every file."""

from __future__ import annotations

import csv
import json
import re

__all__ = ["HEADERS", "PARTS", "SYNTAXES", "guess_syntax", "looks_like_triples"]

#: Syntaxes by file suffix.
SYNTAXES = {
    ".ttl": "turtle",
    ".turtle": "turtle",
    ".nt": "nt",
    ".ntriples": "nt",
    ".nq": "nquads",
    ".nquads": "nquads",
    ".trig": "trig",
    ".n3": "n3",
    ".rdf": "xml",
    ".owl": "xml",
    ".rdfs": "xml",
    ".jsonld": "json-ld",
    ".trix": "trix",
    ".hext": "hext",
}

_TERM = rb"(?:<[^<>\"{}|^`\\\s]*>|_:[^\s<>\"]+)"
_LITERAL = rb'"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z0-9-]+|\^\^<[^<>\s]*>)?'
_LINE = re.compile(
    rb"\s*" + _TERM + rb"\s*<[^<>\s]+>\s*(?:" + _TERM + rb"|" + _LITERAL + rb")\s*(" + _TERM + rb")?\s*\.\s*(?:#.*)?"
)
_DIRECTIVE = re.compile(
    rb"^\s*(?:@prefix\s+[\w.-]*:\s*<|@base\s+<|PREFIX\s+[\w.-]*:\s*<|BASE\s+<)", re.IGNORECASE | re.MULTILINE
)
_GRAPH_BLOCK = re.compile(rb"^\s*(?:GRAPH\s+)?(?:<[^<>]*>|[\w.-]*:[\w.-]*)\s*\{|^\s*\{", re.IGNORECASE | re.MULTILINE)


def guess_syntax(head: bytes, suffix: str = "") -> tuple[str, float] | None:
    """The RDF syntax that a file's first bytes speak for, and how surely; None where it is no RDF.

    Args:
        head: The first bytes.
        suffix: The file's suffix with its dot, as a hint between syntaxes that look alike.
    """
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    by_suffix = SYNTAXES.get(suffix)
    if not text:
        return None
    if text.startswith(b"<") and (found := _guess_xml(text)):
        return found, 1.0
    if text[:1] in b"{[" and (found := _guess_json(text, by_suffix)):
        return found, 0.95
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith(b"#")), b"")
    line = _LINE.fullmatch(first)
    if line and by_suffix not in ("turtle", "trig", "n3"):
        return ("nquads" if line[1] else "nt"), 1.0
    if line or _DIRECTIVE.search(text):
        if by_suffix in ("turtle", "trig", "n3"):
            return by_suffix, 1.0
        return ("trig" if _GRAPH_BLOCK.search(text) else "turtle"), 1.0
    if by_suffix and by_suffix not in ("xml", "json-ld", "hext", "trix"):
        return by_suffix, 0.6
    return None


def _guess_xml(text: bytes) -> str | None:
    if b"http://www.w3.org/2004/03/trix/trix-1/" in text[:4096]:
        return "trix"
    if re.match(rb"<(?:!doctype\s+)?html", text, re.IGNORECASE):
        return None
    root = re.search(rb"<(?:[\w.-]+:)?RDF[\s>]", text[:16384])
    named = re.search(rb"xmlns(?::[\w.-]+)?\s*=\s*[\"']http://www.w3.org/1999/02/22-rdf-syntax-ns#", text[:16384])
    return "xml" if root or named else None


def _guess_json(text: bytes, by_suffix: str | None) -> str | None:
    if by_suffix == "json-ld" or re.search(rb'"@(?:context|graph|id|type)"\s*:', text):
        return "json-ld"
    six = re.match(rb'\[\s*"(?:[^"\\]|\\.)*"(?:\s*,\s*"(?:[^"\\]|\\.)*"){5}\s*\]\s*(?:\n|$)', text)
    return "hext" if six and b'"http' in text[:4096] else None


# Triples as plain lines ------------------------------------------------------------------------------------------

#: The names under which records hold a triple's three parts.
PARTS = (("subject", "predicate", "object"), ("s", "p", "o"), ("head", "relation", "tail"), ("h", "r", "t"))
#: Headers that no table would have but one of triples.
SURE_HEADERS = frozenset(
    {("subject", "predicate", "object"), ("subject", "relation", "object"), ("head", "relation", "tail")}
)
HEADERS = frozenset(PARTS) | {
    ("head", "rel", "tail"),
    ("source", "relation", "target"),
    ("subject", "relation", "object"),
}

# Freebase's way: a domain, a type, a property. Not an address, a version or a date.
_RELATION = re.compile(r"[a-z_]\w*\.[a-z_]\w*\.[a-z_]\w*(?:\.[a-z_]\w*)*(?<!\.com)(?<!\.org)(?<!\.net)")


def looks_like_triples(head: str, suffix: str) -> float:
    """How surely a text holds triples as lines of three fields, or as JSON records; 0.0 where it does not."""
    lines = [line for line in head.splitlines()[:200] if line.strip()]
    if not lines:
        return 0.0
    if lines[0].lstrip().startswith("{"):
        return 0.95 if _is_record(lines[0]) else 0.0
    for mark in ("\t", ","):
        rows = [line.split(mark) for line in lines] if mark == "\t" else list(csv.reader(lines))
        if len(rows) > 1 and len(head) > 60_000:
            rows = rows[:-1]
        if all(len(row) == 3 for row in rows):
            if tuple(cell.strip().lower() for cell in rows[0]) in SURE_HEADERS:
                return 0.8
            if mark == "\t" and all(_RELATION.fullmatch(row[1].strip()) for row in rows):
                return 0.8
            return 0.15 if mark == "\t" or suffix in (".tsv", ".txt") else 0.1
    return 0.0


def _is_record(line: str) -> bool:
    try:
        record = json.loads(line)
    except json.JSONDecodeError:
        return False
    return isinstance(record, dict) and any(all(name in record for name in names) for names in PARTS[:2])
