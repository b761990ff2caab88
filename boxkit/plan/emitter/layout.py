"""How code is laid out: literals, names, and long statements broken at their brackets."""

from __future__ import annotations

import builtins
import datetime
import itertools
import json
import keyword
import re
from collections.abc import Collection

from boxkit.naming import RESERVED_NAMES

__all__ = ["first_free", "identifier", "keywords", "listed", "literal", "wrap"]

MAX_LINE_CHARS = 100
#: Brackets are broken where little stands behind them and enough in them.
MAX_TAIL_CHARS, MIN_BROKEN_CHARS = 50, 20
_OPENING, _CLOSING = "([{", ")]}"


def literal(value: object) -> str:
    """A value as Python writes it, text in double quotes."""
    if value is None:
        return "None"
    if isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        # What JSON escapes and Python reads otherwise: surrogates and control characters.
        return quoted if value.isprintable() else repr(value)
    if isinstance(value, datetime.date):
        return f'pd.Timestamp("{value.isoformat()}")'
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "np.inf" if value > 0 else "-np.inf"
    return repr(value)


def listed(labels: Collection[str]) -> str:
    """Labels as a list."""
    return f"[{', '.join(map(literal, labels))}]"


def keywords(pairs: Collection[tuple[str, str]]) -> str:
    """Named arguments; names that Python cannot take as such go in a dict behind two stars."""
    if all(name.isidentifier() and not keyword.iskeyword(name) for name, _ in pairs):
        return ", ".join(f"{name}={code}" for name, code in pairs)
    return "**{" + ", ".join(f"{literal(name)}: {code}" for name, code in pairs) + "}"


def identifier(words: str, fallback: str = "value") -> str:
    """A variable's name made of words: lower case, joined by underscores."""
    parts = re.findall(r"\w+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", words))
    name = re.sub(r"_{2,}", "_", "_".join(parts)).strip("_").lower()
    return name if name.isidentifier() and len(name) <= 40 else fallback


def first_free(name: str, taken: Collection[str]) -> str:
    """The name, or the name with the first number that makes it new; never a word that Python or boxkit uses."""
    candidate, number = name, 2
    while candidate in taken or candidate in RESERVED_NAMES or hasattr(builtins, candidate):
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def wrap(code: str, indent: int = 0) -> str:
    """The code, broken inside its longest brackets where a line would be too long."""
    if indent + len(code) <= MAX_LINE_CHARS:
        return code
    span = _brackets_to_break(code, indent)
    if span is None:
        return code
    start, end = span
    inner = indent + 4
    inside = code[start + 1 : end]
    # What fits on one line of its own stays there, as long as it is short to read.
    lines = [inside] if inner + len(inside) <= MAX_LINE_CHARS and " & " not in inside else _pieces(inside)
    broken = "\n".join(" " * inner + wrap(line, inner) for line in lines)
    return f"{code[: start + 1]}\n{broken}\n{' ' * indent}{wrap(code[end:], indent)}"


def _scan(code: str) -> list[tuple[int, str, int]]:
    """Position, character and depth of everything outside of string literals."""
    found, depth, at = [], 0, 0
    while at < len(code):
        char = code[at]
        if char in "\"'":
            end = at + 1
            while code[end] != char:
                end += 2 if code[end] == "\\" else 1
            at = end + 1
            continue
        if char in _CLOSING:
            depth -= 1
        found.append((at, char, depth))
        if char in _OPENING:
            depth += 1
        at += 1
    return found


def _brackets_to_break(code: str, indent: int) -> tuple[int, int] | None:
    """The last outermost brackets before which the line is short enough, else those with the most in them."""
    spans, start = [], 0
    for at, char, depth in _scan(code):
        if depth == 0 and char in _OPENING:
            start = at
        if depth == 0 and char in _CLOSING and at - start > 1:
            spans.append((start, at))
    fitting = [
        (start, end)
        for start, end in spans
        if indent + start < MAX_LINE_CHARS and len(code) - end <= MAX_TAIL_CHARS and end - start > MIN_BROKEN_CHARS
    ]
    if fitting:
        return fitting[-1]
    return max(spans, key=lambda span: span[1] - span[0], default=None)


def _pieces(code: str) -> list[str]:
    """What stands between brackets, a line each: arguments, or the terms of the weakest operator."""
    flat = [(at, char) for at, char, depth in _scan(code) if depth == 0]
    cuts = [at + 1 for at, char in flat if char == ","]
    if cuts:
        bounds = [0, *cuts, len(code)]
        parts = [code[a:b].strip() for a, b in itertools.pairwise(bounds)]
        parts = [part for part in parts if part]
        return [part if part.endswith(",") else part + "," for part in parts]
    for sign in ("|", "&"):
        cuts = [at for at, char in flat if char == sign]
        if cuts:
            bounds = [0, *cuts, len(code)]
            return [code[a:b].strip() for a, b in itertools.pairwise(bounds)]
    return [code]
