"""Boxes that a model's code names in another case, or with other underscores, than they have."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

from boxkit.syntax import parse

__all__ = ["with_box_names"]


def with_box_names(code: str, names: Iterable[str]) -> str:
    """The code, with a line in front for each box that it spells otherwise: ``customer = Customer``.

    Only a name that the code never assigns, and that is like exactly one box's but for case and underscores.

    >>> print(with_box_names("answer = len(invoice_line)", ["InvoiceLine"]))
    invoice_line = InvoiceLine
    answer = len(invoice_line)
    """
    try:
        tree = parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code  # running it says what is wrong with it
    known = list(names)
    alike: dict[str, list[str]] = {}
    for name in known:
        alike.setdefault(_letters(name), []).append(name)
    lines = []
    for name in sorted(_unassigned(tree) - {*known, *dir(builtins)}):
        boxes = alike.get(_letters(name), [])
        if len(boxes) == 1:
            lines.append(f"{name} = {boxes[0]}")
    return "\n".join([*lines, code])


def _letters(name: str) -> str:
    return name.casefold().replace("_", "")


def _unassigned(tree: ast.Module) -> set[str]:
    """Names that are read and never bound."""
    read: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (read if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return read - bound
