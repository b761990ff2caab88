"""Parsing generated code, in any thread."""

from __future__ import annotations

import ast
import threading

__all__ = ["ONE_PARSER", "parse"]

#: Held while SPARQL is parsed: pyparsing, under rdflib, keeps its state for all threads together, and two at once
#: refuse queries that are right.
ONE_PARSER = threading.RLock()

#: CPython 3.11 counts the parser's depth for all threads together: where the collector lets another thread in, both can
#: fail with SystemError ("AST constructor recursion depth mismatch") on code that is right. One at a time, and again.
_TURN = threading.Lock()

TRIES = 20


def parse(code: str) -> ast.Module:
    """The syntax tree of ``code``.

    Raises:
        SyntaxError: It does not parse.
        ValueError: It holds a null character.
    """
    for _ in range(TRIES):
        try:
            with _TURN:
                return ast.parse(code)
        except SystemError:
            continue
    return ast.parse(code)
