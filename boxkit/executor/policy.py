"""The pass over code before it runs, for messages: habits that pandas ignores or refuses, and what is out of reach.

It is no part of the safety: what it overlooks is refused when it runs. It never refuses pandas that would work.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Iterable, Iterator

from boxkit.executor.environment import ALLOWED_IMPORTS, importable
from boxkit.executor.habits import FREQUENCIES, REMOVED, fix_for_attribute
from boxkit.executor.reading import Reading, imported, parse, read
from boxkit.executor.supply import Supply
from boxkit.failure import Failure, FailureKind

__all__ = ["review"]

_NETWORK = frozenset(
    "socket ssl requests httpx urllib http aiohttp ftplib smtplib asyncio websocket websockets".split()
)
_PROCESSES = frozenset("subprocess multiprocessing os sys signal ctypes threading concurrent pty resource".split())
_FILES = frozenset("io pathlib shutil tempfile glob fileinput zipfile tarfile pickle shelve sqlite3 csv json".split())
_READERS = frozenset(
    "read_csv read_table read_excel read_parquet read_json read_html read_xml read_pickle read_feather read_hdf"
    " read_orc read_stata read_sas read_spss read_fwf".split()
)
_WRITERS = frozenset("to_csv to_excel to_parquet to_json to_html to_pickle to_feather to_hdf to_stata to_orc".split())
_SILENT = frozenset(
    "fillna replace clip mask where interpolate ffill bfill rename dropna drop_duplicates sort_values".split()
)
_FRAME_METHODS = frozenset(
    "copy merge join assign drop rename sort_values reset_index dropna fillna drop_duplicates query head tail astype"
    " set_index groupby pivot_table".split()
)

Check = Callable[["_Code"], Iterator[tuple[FailureKind, ast.AST, str, str]]]


def review(code: str, source: Supply, more: frozenset[str] = frozenset()) -> Reading:
    """Parse ``code``, say what it needs, and why it should not run where a line would be refused or do nothing.

    Args:
        code: Generated code.
        source: The boxes there are.
        more: Modules that it may import besides the usual.
    """
    tree = parse(code)
    if isinstance(tree, Failure):
        return Reading(code, failure=tree)
    reading = read(code, tree, source)
    view = _Code(tree, tuple(ast.walk(tree)), _frames(tree, source.names()), ALLOWED_IMPORTS | more)
    found = next((each for check in _CHECKS for each in check(view)), None)
    if found is None:
        return reading
    kind, node, message, hint = found
    line = getattr(node, "lineno", None)
    text = code.splitlines()[line - 1] if line else ""
    return dataclasses.replace(reading, failure=Failure(kind, message, "", line, text, hint))


@dataclasses.dataclass(frozen=True, slots=True)
class _Code:
    """What the checks look at.

    Attributes:
        tree: The code.
        nodes: Every node of it.
        frames: Names that stand for DataFrames for certain.
        allowed: Modules that may be imported.
    """

    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    frames: frozenset[str]
    allowed: frozenset[str]

    def is_frame(self, node: ast.AST) -> bool:
        """Whether the expression is a name of a DataFrame."""
        return isinstance(node, ast.Name) and node.id in self.frames

    def is_column(self, node: ast.AST) -> bool:
        """Whether the expression is one column of such a frame."""
        return isinstance(node, ast.Subscript) and self.is_frame(node.value) and _is_text(node.slice)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _frames(tree: ast.Module, boxes: Iterable[str]) -> frozenset[str]:
    """The boxes, and names that are only ever assigned a frame made from one of these."""
    known, spoilt = set(boxes), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            spoilt |= {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
            spoilt |= {argument.arg for argument in node.args.args}
        elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            (known if _makes_frame(node.value, known) else spoilt).add(name)
    return frozenset(known - spoilt)


def _makes_frame(node: ast.AST, known: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.Subscript) and _is_name(node.value, known):
        return isinstance(node.slice, (ast.Compare, ast.BinOp, ast.List))
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    method, base = node.func.attr, node.func.value
    if _is_name(base, {"pd"}):
        return method in ("DataFrame", "merge")
    return method in _FRAME_METHODS - {"groupby"} and _makes_frame(base, known)


def _is_name(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _imports(code: _Code) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    tried = {id(inner) for node in code.nodes if isinstance(node, ast.Try) for inner in ast.walk(node)}
    for node in code.nodes:
        if id(node) in tried:
            continue  # the code has an answer to a failed import
        for module in imported(node):
            if module.partition(".")[0] not in code.allowed:
                yield "refused", node, f"{module!r} cannot be imported: {_purpose(module)}", _offer(code)


def _purpose(module: str) -> str:
    top = module.partition(".")[0]
    if top in _NETWORK:
        return "generated code has no network"
    if top in _PROCESSES:
        return "generated code cannot reach processes or the system"
    if top in _FILES:
        return "generated code has no files"
    return "it is not among the modules that generated code may use"


def _offer(code: _Code) -> str:
    allowed = (*importable(), *sorted(code.allowed - ALLOWED_IMPORTS))
    return f"the boxes are there as DataFrames; imports allowed: {', '.join(allowed)}"


def _files(code: _Code) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    own = {node.name for node in code.nodes if isinstance(node, ast.FunctionDef)}
    for node in code.nodes:
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "open" and "open" not in own:
            yield (
                "refused",
                node,
                "open() is refused: generated code has no files",
                "use the boxes; they hold all the data",
            )
        if not isinstance(node.func, ast.Attribute) or not node.args or not _is_text(node.args[0]):
            continue
        name = node.func.attr
        if name in _READERS and _is_name(node.func.value, {"pd", "pandas"}):
            yield "refused", node, f"pd.{name} of a file is refused: generated code has no files", "use the boxes"
        elif name in _WRITERS and not _is_name(node.func.value, {"pd", "pandas"}):
            yield "refused", node, f".{name} to a file is refused: generated code has no files", "assign it to `answer`"


def _silent(code: _Code) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    """What pandas 3 does not do and does not say: changing a frame through a column taken from it."""
    for node in code.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _SILENT:
            column = node.func.value
            if code.is_column(column) and any(each.arg == "inplace" and _is_true(each.value) for each in node.keywords):
                text = ast.unparse(column)
                kept = [each for each in node.keywords if each.arg != "inplace"]
                call = ast.unparse(ast.Call(node.func, node.args, kept))
                yield "policy", node, f"{ast.unparse(node)} changes a copy, not the frame", f"write {text} = {call}"
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                yield from _chained(code, node, target)


def _is_true(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _chained(code: _Code, node: ast.AST, target: ast.AST) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    if not isinstance(target, ast.Subscript):
        return
    inner = target.value
    if isinstance(inner, ast.Attribute) and inner.attr in ("loc", "iloc", "at", "iat"):
        inner = inner.value
    if not isinstance(inner, ast.Subscript):
        return
    base = inner.value
    if isinstance(base, ast.Attribute) and base.attr in ("loc", "iloc"):
        base = base.value
    if not code.is_frame(base):
        return
    name = ast.unparse(base)
    row, column = (target.slice, inner.slice) if _is_text(inner.slice) else (inner.slice, target.slice)
    fix = f"write {name}.loc[{ast.unparse(row)}, {ast.unparse(column)}] = …"
    yield "policy", node, f"{ast.unparse(target)} = … changes a copy, not {name}", fix


def _removed(code: _Code) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    """What the installed pandas no longer has."""
    import pandas as pd

    for node in code.nodes:
        if not isinstance(node, ast.Attribute):
            continue
        fix = fix_for_attribute(node.attr)
        certain = (
            node.attr in REMOVED
            or (node.attr in ("append", "iteritems", "ix", "lookup") and code.is_frame(node.value))
            or (
                node.attr in ("week", "weekofyear")
                and isinstance(node.value, ast.Attribute)
                and node.value.attr == "dt"
            )
        )
        if fix and certain and not hasattr(pd.DataFrame, node.attr):
            yield "policy", node, f"pandas {pd.__version__} has no .{node.attr}", fix


def _frequencies(code: _Code) -> Iterator[tuple[FailureKind, ast.AST, str, str]]:
    import pandas as pd

    words = " ".join(node.attr for node in code.nodes if isinstance(node, ast.Attribute))
    if int(pd.__version__.partition(".")[0]) < 3 or "eriod" in words:
        return
    for node in code.nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        given = [each.value for each in node.keywords if each.arg in ("freq", "rule")]
        if node.func.attr in ("resample", "asfreq"):
            given += node.args[:1]
        elif node.func.attr not in ("date_range", "Grouper", "bdate_range"):
            continue
        for value in given:
            new = FREQUENCIES.get(str(value.value)) if isinstance(value, ast.Constant) else None
            if new:
                message = f"pandas {pd.__version__} has no frequency {ast.unparse(value)} for dates"
                yield "policy", node, message, f"write {new!r}"


_CHECKS: tuple[Check, ...] = (_imports, _files, _silent, _removed, _frequencies)
