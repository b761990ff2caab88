"""What to do about an exception of generated code: the nearest names, the dtypes, the cast. Runs beside the code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from boxkit.errors import nearest
from boxkit.executor.habits import FREQUENCIES, fix_for_attribute

__all__ = ["Place", "hint"]

_MAX_NAMES = 12


@dataclass(frozen=True, slots=True)
class Place:
    """Where an exception was raised.

    Attributes:
        tree: The code.
        line: The line of generated code.
        scope: The variables at that point.
        boxes: Which of these are boxes.
    """

    tree: ast.Module
    line: int | None
    scope: Mapping[str, Any]
    boxes: frozenset[str]

    def nodes(self) -> Iterator[ast.AST]:
        """The nodes of the innermost statement at that line."""
        holding = [
            node
            for node in ast.walk(self.tree)
            if isinstance(node, ast.stmt) and self.line and node.lineno <= self.line <= (node.end_lineno or node.lineno)
        ]
        narrowest = min(holding, key=lambda node: (node.end_lineno or node.lineno) - node.lineno, default=self.tree)
        return ast.walk(narrowest)

    def frames(self) -> dict[str, pd.DataFrame]:
        """The frames that the statement names, boxes first; all boxes where it names none."""
        names = [node.id for node in self.nodes() if isinstance(node, ast.Name)]
        found = {name: self.scope[name] for name in names if isinstance(self.scope.get(name), pd.DataFrame)}
        if not found:
            found = {name: self.scope[name] for name in self.boxes if isinstance(self.scope.get(name), pd.DataFrame)}
        return dict(sorted(found.items(), key=lambda item: item[0] not in self.boxes))

    def title(self, name: str) -> str:
        """``box 'author'`` or ``frame 'rich'``."""
        return f"{'box' if name in self.boxes else 'frame'} {name!r}"


def hint(error: BaseException, place: Place) -> str:
    """What to do about ``error``; empty where nothing is known."""
    for kind, advise in _ADVICE:
        if isinstance(error, kind):
            text = advise(error, place)
            if text:
                return text
    return ""


def _key_error(error: BaseException, place: Place) -> str:
    key = error.args[0] if error.args else ""
    if isinstance(key, str) and key.startswith("there is no box"):
        return ""  # the host knows the boxes
    missing = _missing_labels(key)
    lines = [line for label in missing for line in _about_label(label, place)]
    return "; ".join(dict.fromkeys(lines))


def _missing_labels(key: Any) -> list[Any]:
    if not isinstance(key, str):
        return [key]
    listed = re.match(r"(?:None of )?(?:Index\()?\[(.*?)\](?:, dtype=.*\))?\]? (?:are in|not in|not found)", key, re.S)
    quoted = re.findall(r"'([^']*)'|\"([^\"]*)\"", listed.group(1)) if listed else []
    return [one or two for one, two in quoted] or [key]


def _about_label(label: Any, place: Place) -> Iterator[str]:
    frames = place.frames()
    named = [name for name in _subscripted(label, place) if name in frames]
    for name in named or frames:
        columns = list(frames[name].columns)
        if label in columns:
            continue
        known = [str(column) for column in columns]
        close = nearest(str(label), known)
        tail = f"nearest: {', '.join(map(repr, close))}" if close else f"its fields are: {_listed(known)}"
        yield f"{place.title(name)} has no field {label!r}; {tail}"
    others = [name for name in place.boxes if _has(place.scope.get(name), label)]
    if others:
        yield f"{label!r} is a field of {' and '.join(map(place.title, sorted(others)))}"


def _has(frame: Any, label: Any) -> bool:
    return isinstance(frame, pd.DataFrame) and label in list(frame.columns)


def _subscripted(label: Any, place: Place) -> list[str]:
    """The names of which the statement takes that very label."""
    found = []
    for node in place.nodes():
        if not isinstance(node, ast.Subscript):
            continue
        root: ast.AST = node.value
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = root.func if isinstance(root, ast.Call) else root.value
        constants = [each.value for each in ast.walk(node.slice) if isinstance(each, ast.Constant)]
        if isinstance(root, ast.Name) and label in constants:
            found.append(root.id)
    return list(dict.fromkeys(found))


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(map(repr, names[:_MAX_NAMES])) + more


def _attribute_error(error: BaseException, place: Place) -> str:
    name = getattr(error, "name", None) or (re.findall(r"attribute '(\w+)'", str(error)) or [""])[0]
    fix = fix_for_attribute(name)
    owner = getattr(error, "obj", None)
    if (fix and isinstance(owner, (pd.DataFrame, pd.Series, pd.Index))) or "accessor" in str(error):
        return fix or _accessor(str(error))
    if isinstance(owner, pd.DataFrame):
        if name == "frame":
            return "a box is the DataFrame already; leave .frame out"
        for title, frame in place.frames().items():
            if frame is owner or list(frame.columns) == list(owner.columns):
                return next(iter(_about_label(name, place)), "") or _near(
                    name, [str(each) for each in owner.columns], title
                )
    if fix:
        return fix
    return _near(name, [each for each in dir(owner) if not each.startswith("_")], "") if owner is not None else ""


def _near(name: str, known: list[str], title: str) -> str:
    close = nearest(name, known)
    return f"nearest{f' in {title}' if title else ''}: {', '.join(map(repr, close))}" if close else ""


def _accessor(message: str) -> str:
    if ".str" in message:
        return "the column holds no text: cast it with .astype(str), or leave .str out"
    return "the column holds no dates: cast it with pd.to_datetime(column, errors='coerce')" if ".dt" in message else ""


def _name_error(error: BaseException, place: Place) -> str:
    name = getattr(error, "name", None) or ""
    close = nearest(name, (each for each in place.scope if not each.startswith("_")))
    return f"nearest variable: {', '.join(map(repr, close))}" if close else ""


def _value_error(error: BaseException, place: Place) -> str:
    text = str(error)
    if "trying to merge on" in text:
        return _cast_for_merge(place)
    if "truth value of a" in text:
        return "combine conditions with & | ~, each in parentheses, or reduce one with .any(), .all() or .empty"
    if "Invalid frequency" in text or "is no longer supported" in text:
        old = (re.findall(r"[Ff]requency: '?([A-Za-z-]+)|^'?([A-Za-z-]+)'? is no longer", text) or [("", "")])[0]
        new = FREQUENCIES.get(old[0] or old[1])
        return f"write {new!r}" if new else ""
    if "could not convert" in text or "invalid literal" in text or "Unable to parse" in text:
        return "some values are no numbers: use pd.to_numeric(column, errors='coerce')"
    if "time data" in text or "doesn't match format" in text or "Unknown datetime" in text:
        return "some values are no dates of that form: use pd.to_datetime(column, errors='coerce')"
    return ""


def _cast_for_merge(place: Place) -> str:
    """The cast that makes a merge on columns of different types possible."""
    keys = [key for pair in _merge_keys(place) for key in pair]
    known = [(name, frame, key) for name, frame in place.frames().items() for key in keys if _has(frame, key)]
    typed = list({(name, key): frame[key].dtype for name, frame, key in known}.items())
    if len(typed) < 2:
        return "the keys have different types: cast one with .astype(str), or pd.to_numeric(…, errors='coerce')"
    told = ", ".join(f"{name}[{key!r}] is {dtype}" for (name, key), dtype in typed)
    texts = [(name, key) for (name, key), dtype in typed if not pd.api.types.is_numeric_dtype(dtype)]
    name, key = texts[0] if texts else typed[0][0]
    return f"{told}; cast before merging: {name}[{key!r}] = pd.to_numeric({name}[{key!r}], errors='coerce')"


def _merge_keys(place: Place) -> list[list[str]]:
    keys: list[list[str]] = []
    for node in place.nodes():
        if isinstance(node, ast.Call):
            given = [each.value for each in node.keywords if each.arg in ("on", "left_on", "right_on")]
            constants = [each for value in given for each in ast.walk(value) if isinstance(each, ast.Constant)]
            keys.append([each.value for each in constants if isinstance(each.value, str)])
    return keys


def _type_error(error: BaseException, place: Place) -> str:
    text = str(error)
    mixed = (
        "not supported between",
        "unsupported operand",
        "Invalid comparison",
        "can only concatenate",
        "Cannot perform",
    )
    if not any(words in text for words in (*mixed, "does not support", "agg function failed", "dtype")):
        return ""
    named = [
        f"{name}[{column!r}] is {frame[column].dtype}"
        for name, frame in place.frames().items()
        for column in frame.columns[~frame.columns.duplicated()]
        if any(_mentions(node, column) for node in place.nodes())
    ]
    if not named:
        return ""
    cast = "cast text with pd.to_numeric(…, errors='coerce') or pd.to_datetime(…, errors='coerce')"
    return f"{', '.join(named[:6])}; {cast}"


def _mentions(node: ast.AST, column: Any) -> bool:
    return (isinstance(node, ast.Constant) and node.value == column) or (
        isinstance(node, ast.Attribute) and node.attr == column
    )


def _os_error(_error: BaseException, _place: Place) -> str:
    return "files, the network and other processes are out of reach; the boxes hold all the data"


def _import_error(error: BaseException, _place: Place) -> str:
    from boxkit.executor.environment import importable

    missing = f"{error.name} is not installed; " if isinstance(error, ModuleNotFoundError) and error.name else ""
    return f"{missing}imports allowed: {', '.join(importable())}"


def _memory_error(_error: BaseException, _place: Place) -> str:
    return "filter and choose columns before you merge; avoid cross joins and lists of all rows"


def _recursion_error(_error: BaseException, _place: Place) -> str:
    return "use pandas' own operations, or a loop, instead of a function that calls itself"


def _chained(_error: BaseException, _place: Place) -> str:
    return "this changes a copy, not the frame: write frame.loc[rows, column] = … or frame[column] = …"


_ADVICE: tuple[tuple[type[BaseException], Callable[[BaseException, Place], str]], ...] = (
    (KeyError, _key_error),
    (AttributeError, _attribute_error),
    (NameError, _name_error),
    (ImportError, _import_error),
    (OSError, _os_error),
    (MemoryError, _memory_error),
    (RecursionError, _recursion_error),
    (ValueError, _value_error),
    (TypeError, _type_error),
    (Warning, _chained),
)
