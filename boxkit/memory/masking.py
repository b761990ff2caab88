"""Questions without what they are about, and programs without what they are on: what is left is their shape."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from boxkit.memory.demonstration import Demonstration
from boxkit.syntax import parse

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["fields_of", "labels_of", "likeness", "mask", "masked_question", "skeleton"]

_LABEL = re.compile(r'^\s+"((?:[^"\\]|\\.)+)": \[', re.MULTILINE)
_BOX = re.compile(r"^(\w+) = pd\.DataFrame\(", re.MULTILINE)
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_WORD = re.compile(r"(?<![\w<])\w+(?![\w>])")
_QUOTED = re.compile(r"'[^']+'(?!\w)|\"[^\"]+\"|“[^”]+”|„[^“]+“|«[^»]+»")
_NUMBER = re.compile(r"(?<![\w<])\d[\d.,:/-]*(?:\s*%)?")
_NAME = re.compile(r"(?<=[\w,;:] )(?:[A-ZÄÖÜÉ][\w'’.-]*)(?: (?:of |de |von |van |the )?[A-ZÄÖÜÉ][\w'’.-]*)*")

#: Words of labels that are words of any question.
_COMMON = frozenset("id name number count date year type kind total average max min time first last".split())


def mask(question: str, labels: Iterable[str] = (), values: Iterable[str] = ()) -> str:
    """The question with values, numbers, names, and the words of box and field labels masked.

    >>> mask("How many lamps of Mr Pike cost more than 20?", ["lamp", "cost"], ["Mr Pike"])
    'How many <field> of <value> <field> more than <number>?'
    """
    text = question
    for value in sorted({value for value in values if len(value) > 1}, key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "<value>", text, flags=re.IGNORECASE)
    text = _NAME.sub("<value>", _NUMBER.sub("<number>", _QUOTED.sub("<value>", text)))
    words = {_stem(word) for label in labels for word in _PARTS.findall(label)}
    words = {word for word in words if len(word) > 2 and word not in _COMMON}
    text = _WORD.sub(lambda word: "<field>" if _is_of(word.group(), words) else word.group(), text)
    return re.sub(r"(<\w+>)(?: \1)+", r"\1", text)


def _is_of(word: str, words: set[str]) -> bool:
    parts = [_stem(part) for part in _PARTS.findall(word)] or [word]
    return _stem(word) in words or all(part in words for part in parts)


def _stem(word: str) -> str:
    word = word.casefold()
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def labels_of(boxes: BoxSet | str | None) -> list[str]:
    """The box names and field labels of boxes, or in BOX code; none for None."""
    if boxes is None:
        return []
    if isinstance(boxes, str):
        return [*_BOX.findall(boxes), *_LABEL.findall(boxes)]
    return [label for name, box in boxes.items() for label in (name, *box.labels)]


def fields_of(code: str) -> dict[str, set[str]]:
    """The field labels of each box in BOX code, by the box's name."""
    parts = _BOX.split(code)
    return {
        name: {json.loads(f'"{label}"') for label in _LABEL.findall(body)}
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


def masked_question(demonstration: Demonstration) -> str:
    """A demonstration's question, masked by its own boxes and by the texts in its code."""
    return mask(demonstration.question, labels_of(demonstration.boxes), _texts(demonstration.code))


def _texts(code: str) -> list[str]:
    try:
        tree = parse(code)
    except SyntaxError:
        return []
    return [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def skeleton(code: str) -> Counter[str]:
    """What a program does, in order, without what it does it to: methods, operators, and pairs of neighbours.

    Empty where the code does not parse.

    >>> sorted(skeleton("answer = len(lamp[lamp['price'] > 20])"))
    ['Gt', 'Gt len', 'len']
    """
    try:
        tree = parse(code)
    except SyntaxError:
        return Counter()
    steps = list(_steps(tree))
    return Counter(steps) + Counter(f"{one} {other}" for one, other in itertools.pairwise(steps))


def _steps(node: ast.AST) -> Iterable[str]:
    """Operations in the order in which they run: the innermost first."""
    for child in ast.iter_child_nodes(node):
        yield from _steps(child)
    match node:
        case ast.Attribute(attr=name):
            yield name
        case ast.Call(func=ast.Name(id=name)):
            yield name
        case ast.Compare(ops=operators):
            yield from (type(operator).__name__ for operator in operators)
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            yield type(operator).__name__


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """How much two skeletons share: Dice's coefficient, in [0, 1]."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
