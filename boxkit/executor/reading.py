"""Reading code before it runs: which boxes, columns and packages it names."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from boxkit.executor.environment import ANALYTICS
from boxkit.executor.supply import Supply
from boxkit.failure import Failure

__all__ = ["Reading", "imported", "parse", "read"]


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


def parse(code: str) -> ast.Module | Failure:
    """The code's tree, or the failure that says in which line it stops being Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape in generated code is no news to the caller
            tree = ast.parse(code)
            compile(tree, "<answer>", "exec")
            return tree
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return _unreadable(error, code)


def _unreadable(error: BaseException, code: str) -> Failure:
    lines = code.splitlines()
    line = error.lineno if isinstance(error, SyntaxError) else None
    text = lines[line - 1] if line and line <= len(lines) else ""
    if isinstance(error, SyntaxError):
        hint = "return only Python code, with no prose and no Markdown"
        return Failure("syntax", f"{type(error).__name__}: {error.msg}", type(error).__name__, line, text, hint)
    return Failure("syntax", f"the code cannot be parsed: {error or 'it nests too deeply'}", type(error).__name__)


def read(code: str, tree: ast.Module, source: Supply) -> Reading:
    """What the code of that tree needs."""
    nodes = list(ast.walk(tree))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    words = names | {module.partition(".")[0] for node in nodes for module in imported(node)}
    if "plt" in names:
        words.add("matplotlib")
    packages = tuple(package for package in ANALYTICS if package in words)
    if _means_any(nodes, names):
        boxes = source.names()
        return Reading(code, boxes, dict.fromkeys(boxes), packages)
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    at_signs = " ".join(text for text in texts if "@" in text)  # query and eval find a variable behind "@"
    boxes = tuple(name for name in source.names() if name in names or name in texts or f"@{name}" in at_signs)
    pairs = list(_with_parents(nodes))
    columns = {
        name: None if name in texts or f"@{name}" in at_signs else _columns(pairs, name, source) for name in boxes
    }
    return Reading(code, boxes, columns, packages)


def imported(node: ast.AST) -> tuple[str, ...]:
    """The modules that a statement imports."""
    if isinstance(node, ast.Import):
        return tuple(alias.name for alias in node.names)
    return (node.module,) if isinstance(node, ast.ImportFrom) and node.module else ()


def _means_any(nodes: list[ast.AST], names: set[str]) -> bool:
    """Whether the code could reach a box without naming it."""
    if names & {"globals", "locals", "vars", "eval", "exec", "__builtins__", "__import__"}:
        return True
    constant = sum(
        isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "boxes"
        and isinstance(node.slice, ast.Constant)
        for node in nodes
    )
    return sum(isinstance(node, ast.Name) and node.id == "boxes" for node in nodes) > constant


def _columns(pairs: list[tuple[ast.AST, ast.AST]], name: str, source: Supply) -> tuple[str, ...] | None:
    """The only columns of the box that the code can touch; None where that is not certain."""
    labels = source.labels(name)
    if labels is None:
        return None
    touched: set[str] = set()
    for parent, node in pairs:
        if not (isinstance(node, ast.Name) and node.id == name):
            continue
        found = _constant_labels(parent) if isinstance(parent, ast.Subscript) and parent.value is node else None
        if found is None or not isinstance(node.ctx, ast.Load) or isinstance(getattr(parent, "ctx", None), ast.Store):
            return None
        touched |= found
    if not touched <= set(labels) or len(touched) == len(labels):
        return None
    return tuple(label for label in labels if label in touched)


def _with_parents(nodes: list[ast.AST]) -> Iterator[tuple[ast.AST, ast.AST]]:
    for parent in nodes:
        for node in ast.iter_child_nodes(parent):
            yield parent, node


def _constant_labels(node: ast.Subscript) -> set[str] | None:
    """``x["a"]`` or ``x[["a", "b"]]``."""
    chosen = node.slice.elts if isinstance(node.slice, ast.List) else [node.slice]
    labels = [each.value for each in chosen if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    return set(labels) if len(labels) == len(chosen) else None
