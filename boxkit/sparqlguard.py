"""Whether a SPARQL text is one single query that only reads the graph it is put to, told by its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from boxkit.errors import UnsafeSPARQL
from boxkit.syntax import ONE_PARSER

__all__ = ["CheckedQuery", "check"]

_HINT = "send one SELECT or ASK over this graph"


@dataclass(frozen=True, slots=True)
class CheckedQuery:
    """What the tree of a query that passed says.

    Attributes:
        form: ``"SELECT"`` or ``"ASK"``.
        limit: How many rows it asks for at the most; None where it does not say.
        can_be_limited: Whether it says neither, so that ``LIMIT`` and ``OFFSET`` may be written at its end.
        undeclared: The prefixes that it uses without declaring them.
    """

    form: str
    limit: int | None = None
    can_be_limited: bool = False
    undeclared: frozenset[str] = frozenset()


def check(query: str) -> CheckedQuery:
    """Let pass one SELECT or ASK, refuse everything else.

    Updates, CONSTRUCT and DESCRIBE are refused, and so is what leads out of the graph: ``SERVICE`` anywhere, and
    ``FROM``, with which an engine may fetch what stands at an address.

    Raises:
        UnsafeSPARQL: It is no such query, or more than one; or it cannot be parsed.
    """
    from pyparsing.exceptions import ParseBaseException
    from rdflib.plugins.sparql.parser import parseQuery

    if not query.strip():
        raise UnsafeSPARQL("nothing where one query is expected", hint=_HINT)
    try:
        with ONE_PARSER:
            prologue, tree = parseQuery(query)
    except ParseBaseException as error:
        raise UnsafeSPARQL(_reason(error, query), where=_shown(query), hint=_HINT) from None
    except (RecursionError, ValueError, AttributeError, KeyError, TypeError) as error:
        # What rdflib's parse actions raise on texts that its grammar lets through.
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise UnsafeSPARQL(f"this cannot be read as SPARQL: {reason}", where=_shown(query), hint=_HINT) from None
    problem = _problem(tree)
    if problem:
        raise UnsafeSPARQL(problem, where=_shown(query), hint=_HINT)
    form = "ASK" if tree.name == "AskQuery" else "SELECT"
    bounds = tree["limitoffset"] if "limitoffset" in tree else {}  # noqa: SIM401 - rdflib's nodes make up what lacks
    limit = int(bounds["limit"]) if "limit" in bounds else None
    is_open = form == "SELECT" and "limitoffset" not in tree and "valuesClause" not in tree
    used = {_prefix(node) for node in _nodes(tree) if getattr(node, "name", "") == "pname"}
    declared = {_prefix(node) for node in _nodes(prologue) if getattr(node, "name", "") == "PrefixDecl"}
    return CheckedQuery(form, limit, is_open, frozenset(used - declared))


_CHANGING = frozenset("INSERT DELETE LOAD CLEAR DROP CREATE ADD MOVE COPY WITH".split())


def _reason(error: Any, query: str) -> str:
    """Why a text does not parse, by line and column."""
    word = query[error.loc :].split(None, 1)[:1]
    if word and word[0].upper() in _CHANGING:
        return f"{word[0].upper()} is no query"
    at = f"line {error.lineno}, column {error.column}"
    return f"this cannot be read as SPARQL: {error.msg} at {at}: {error.line.strip()[:80]!r}"


def _shown(query: str) -> str:
    flat = " ".join(query.split())
    return flat if len(flat) <= 80 else f"{flat[:80]}…"


def _problem(tree: Any) -> str:
    """What is wrong with the tree; empty where it only reads."""
    if tree.name not in ("SelectQuery", "AskQuery"):
        return f"{tree.name.removesuffix('Query').upper()} gives no rows"
    if "datasetClause" in tree:
        return "FROM names another graph than the one that is asked"
    if any(getattr(node, "name", "") == "ServiceGraphPattern" for node in _nodes(tree)):
        return "SERVICE asks another server"
    return ""


def _prefix(node: Any) -> str:
    return str(node["prefix"]) if "prefix" in node else ""


def _nodes(tree: Any) -> Iterator[Any]:
    """Every node below and including this one."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if hasattr(node, "values"):  # rdflib's nodes are dictionaries
            waiting.extend(node.values())
        if isinstance(node, (list, tuple)) or type(node).__name__ in ("ParseResults", "plist"):
            waiting.extend(node)
