"""Tests of language: boxes keep one language of a text, English before none before others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_relation import Bound

__all__ = ["language_test"]


def language_test(parts: Sequence[Any], bound: Mapping[str, Bound]) -> bool | None:
    """The truth of a test of one variable's language, its parts joined by OR; None where it is no such test.

    Args:
        parts: Expressions.
        bound: The variables.

    Raises:
        UnsupportedQuery: A test that the boxes cannot answer, for they do not keep the languages of texts.
    """
    asked: set[str] = set()
    names: set[str] = set()
    allows_others = False
    for part in parts:
        found = _asked(part)
        if found is not None:
            asked.add(found[1].lower())
            names.add(found[0])
        elif (name := _not_literal(part)) is not None:
            names.add(name)
            allows_others = True
        else:
            return None
    if len(names) != 1 or not asked:
        return None
    name = next(iter(names))
    own = bound.get(name)
    if own is None:
        raise UnsupportedQuery("a variable that is not bound", detail=f"?{name}")
    if own.kind == "entity":
        return allows_others
    if own.kind in ("number", "year", "date", "boolean"):
        return "" in asked
    if own.kind == "text" and {"", "en"} <= asked:
        return True
    raise UnsupportedQuery("a test of a text's language, which boxes do not keep", detail=f"?{name}")


def _asked(part: Any) -> tuple[str, str] | None:
    """Variable and language of ``lang(?x) = "…"`` or ``langMatches(lang(?x), "…")``."""
    name = getattr(part, "name", "")
    if name == "RelationalExpression" and str(part.op) == "=":
        call, text = part.expr, part.other
    elif name == "Builtin_LANGMATCHES":
        call, text = part.arg1, part.arg2
    else:
        return None
    if getattr(call, "name", "") != "Builtin_LANG" or type(call.arg).__name__ != "Variable":
        return None
    return str(call.arg), str(text)


def _not_literal(part: Any) -> str | None:
    if getattr(part, "name", "") != "UnaryNot" or getattr(part.expr, "name", "") != "Builtin_isLITERAL":
        return None
    return str(part.expr.arg) if type(part.expr.arg).__name__ == "Variable" else None
