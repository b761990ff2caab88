"""Reading code before it runs: for good messages and to know which boxes it names. Never for safety."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from boxkit.executor.environment import ANALYTICS
from boxkit.executor.supply import Supply
from boxkit.failure import Failure

__all__ = ["Reading", "read"]


@dataclass(frozen=True, slots=True)
class Reading:
    """What reading the code has shown.

    Attributes:
        code: The code.
        boxes: The boxes that it names; all where it might mean any.
        columns: For each of these, the columns that it needs; None for all.
        packages: The analytics packages that it names.
        failure: Why it should not run; None where it may.
    """

    code: str
    boxes: tuple[str, ...] = ()
    columns: Mapping[str, tuple[str, ...] | None] = field(default_factory=dict)
    packages: tuple[str, ...] = ()
    failure: Failure | None = None


def read(code: str, source: Supply) -> Reading:
    """Parse ``code`` and say what it needs."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return Reading(code, failure=_unreadable(error, code))
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    words = names | {alias for node in ast.walk(tree) for alias in _imported(node)}
    packages = tuple(package for package in ANALYTICS if package in words)
    if "plt" in names and "matplotlib" not in packages:
        packages = (*packages, "matplotlib")
    boxes = source.names() if _means_any(tree, names) else _named(tree, names, source)
    return Reading(code, boxes, dict.fromkeys(boxes), packages)


def _imported(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [node.module.partition(".")[0]] if isinstance(node, ast.ImportFrom) and node.module else []


def _means_any(tree: ast.Module, names: set[str]) -> bool:
    """Whether the code could reach a box without naming it."""
    if names & {"globals", "locals", "vars", "eval", "exec", "__builtins__"}:
        return True
    constant = sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "boxes"
        and isinstance(node.slice, ast.Constant)
        for node in ast.walk(tree)
    )
    used = sum(isinstance(node, ast.Name) and node.id == "boxes" for node in ast.walk(tree))
    return used > constant


def _named(tree: ast.Module, names: set[str], source: Supply) -> tuple[str, ...]:
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    # query and eval find a variable behind "@" in a text.
    inside = " ".join(text for text in texts if "@" in text)
    return tuple(name for name in source.names() if name in names or name in texts or f"@{name}" in inside)


def _unreadable(error: BaseException, code: str) -> Failure:
    lines = code.splitlines()
    line = error.lineno if isinstance(error, SyntaxError) else None
    text = lines[line - 1] if line and line <= len(lines) else ""
    message = error.msg if isinstance(error, SyntaxError) else f"the code cannot be parsed: {error}"
    return Failure("syntax", message, type(error).__name__, line, text)
