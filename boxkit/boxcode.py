"""The BOX code that a model sees: empty DataFrames with their fields, keys and notes (Pandora, section 3).

Cells and headers are data: they enter as Python literals, cut visibly, so that no value can end a line or a comment.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from boxkit.box import Box, BoxSet, Field, ForeignKey
from boxkit.canonical import plain

__all__ = ["estimate_tokens", "labels_only", "literal", "render"]

MAX_CELL_CHARS = 60
MAX_DESCRIPTION_CHARS = 240
MAX_NOTES = 20
MAX_LISTED_NAMES = 40

#: Characters a token, on the cautious side: schemas hold more signs and fragments than prose.
CHARS_PER_TOKEN = 3.2


def estimate_tokens(text: str) -> int:
    """An estimate of the tokens in ``text``, rather too many than too few."""
    return int(len(text) / CHARS_PER_TOKEN) + 1


def literal(value: Any, max_chars: int = MAX_CELL_CHARS) -> str:
    """A plain value as a Python literal on one line; a long text is cut, and the cut is said.

    >>> print(literal('a "b"\\n'), literal("x" * 99, max_chars=3))
    "a \\"b\\"\\n" "xxx…(99 characters)"
    """
    if isinstance(value, str):
        kept = value if len(value) <= max_chars else f"{value[:max_chars]}…({len(value)} characters)"
        return '"' + "".join(map(_escape, kept)) + '"'
    text = repr(value)
    return text if len(text) <= max_chars else f"{text[:max_chars]}…({len(text)} characters)"


def _escape(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else repr(char)[1:-1]


def labels_only(boxcode: str) -> str:
    """BOX code cut to the labels, a line a box: what a small model needs of a demonstration.

    A text that is no BOX code stays as it is.

    >>> print(labels_only('lamp = pd.DataFrame({\\n    "price": [],  # number\\n    "watt": [],\\n})\\n\\n# notes'))
    lamp = pd.DataFrame(columns=["price", "watt"])
    """
    try:
        lines = [_labels_line(each) for each in ast.parse(boxcode).body]
    except (SyntaxError, ValueError):
        return boxcode
    return "\n".join(line for line in lines if line) or boxcode


def _labels_line(statement: ast.stmt) -> str:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(args=[ast.Dict(keys=keys)])):
            labels = ", ".join(
                _label(key.value) for key in keys if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )
            return f"{name} = pd.DataFrame(columns=[{labels}])"
    return ""


@dataclass(frozen=True, slots=True)
class _Plan:
    """How much of each box is shown.

    Attributes:
        fields: For each box shown, its labels, most relevant first; the rendering keeps the box's order.
        samples: For each box shown, how many example values a field has.
        descriptions: Whether descriptions are shown.
        notes: How many notes are shown at the most.
        listed: How many names of what is left out are shown at the most.
    """

    fields: Mapping[str, tuple[str, ...]]
    samples: Mapping[str, int]
    descriptions: bool = True
    notes: int = MAX_NOTES
    listed: int = MAX_LISTED_NAMES


def render(boxes: BoxSet, *, budget: int | None = None, question: str | None = None, samples: int = 3) -> str:
    """The BOX code of ``boxes``; see `BoxSet.to_prompt`.

    Over budget, the least relevant goes first: example values, then fields that are no keys, then notes, then whole
    boxes; each omission is said in the text.
    """
    examples = {name: _examples(box, samples) for name, box in boxes.items()} if samples else {}
    plan = _Plan(
        {name: box.labels for name, box in boxes.items()},
        dict.fromkeys(boxes, samples),
    )
    text = _write(boxes, plan, examples)
    if budget is None or estimate_tokens(text) <= budget:
        return text
    ranked = _ranked(boxes, question or "", examples)
    for smaller in _shrink(boxes, plan, ranked):
        text = _write(boxes, smaller, examples)
        if estimate_tokens(text) <= budget:
            return text
    return text


def _examples(box: Box, wanted: int) -> dict[str, list[Any]]:
    """For each field, up to ``wanted`` distinct values that are there: the given ones, else from the first rows."""
    missing = [each.label for each in box.fields if not each.examples]
    found: dict[str, list[Any]] = {
        each.label: [plain(value) for value in each.examples[:wanted]] for each in box.fields
    }
    if missing:
        frame = box.head
        for label in missing:
            found[label] = _distinct(frame[label], wanted) if label in frame.columns else []
    return found


def _distinct(values: Iterable[Any], wanted: int) -> list[Any]:
    kept: dict[str, Any] = {}
    for value in values:
        cell = plain(value)
        if cell is not None and cell != "":
            kept.setdefault(repr(cell), cell)
        if len(kept) == wanted:
            break
    return list(kept.values())


# Writing ---------------------------------------------------------------------------------------------------------


def _write(boxes: BoxSet, plan: _Plan, examples: Mapping[str, Mapping[str, Sequence[Any]]]) -> str:
    parts = [_box_code(boxes[name], plan, examples.get(name, {})) for name in boxes if name in plan.fields]
    left_out = [name for name in boxes if name not in plan.fields]
    if left_out:
        parts.append(f"# left out to save space, {len(left_out)} boxes{_listed(left_out, plan.listed)}")
    keys = [key for key in boxes.foreign_keys if key.box in plan.fields and key.parent in plan.fields]
    if keys:
        parts.append("# foreign keys\n" + "\n".join(map(_key_line, keys)))
    notes = [note for note in boxes.loading_notes if note.box is None or note.box in plan.fields]
    if notes and plan.notes:
        lines = [f"# - {_one_line(str(note))}" for note in notes[: plan.notes]]
        if len(notes) > plan.notes:
            lines.append(f"# - and {len(notes) - plan.notes} more notes, left out to save space")
        parts.append("# notes on the data\n" + "\n".join(lines))
    return "\n\n".join(parts)


def _box_code(box: Box, plan: _Plan, examples: Mapping[str, Sequence[Any]]) -> str:
    head = f"# {_one_line(box.description)}\n" if box.description and plan.descriptions else ""
    if box.source_name != box.name and not _is_iri_of(box.source_name, box.name):
        head += f"# {box.name} stands for {literal(box.source_name)}\n"
    shown = set(plan.fields[box.name])
    lines = [
        _field_line(each, box, plan.descriptions, examples.get(each.label, ())[: plan.samples[box.name]])
        for each in box.fields
        if each.label in shown
    ]
    left_out = [each.label for each in box.fields if each.label not in shown]
    if left_out:
        lines.append(f"    # left out to save space, {len(left_out)} fields{_listed(left_out, plan.listed)}")
    return head + f"{box.name} = pd.DataFrame({{\n" + "\n".join(lines) + "\n})"


def _is_iri_of(source: str, name: str) -> bool:
    """Whether a source's name is an IRI whose last word ends the box's name: then it tells nobody more."""
    if "://" not in source:
        return False
    last = "".join(filter(str.isalnum, re.split(r"[/#:]", source)[-1])).lower()
    return last != "" and name.replace("_", "").endswith(last)


def _field_line(each: Field, box: Box, descriptions: bool, examples: Sequence[Any]) -> str:
    facts = [each.type] if each.type else []
    # A graph's relation has a box of pairs: that both are its key goes without saying.
    if each.label in box.primary_key and not (box.kind == "graph" and len(box.primary_key) > 1):
        facts.append("primary key" if len(box.primary_key) == 1 else "part of the primary key")
    if each.description and descriptions:
        facts.append(_one_line(each.description))
    if examples:
        facts.append("e.g. " + ", ".join(map(literal, examples)))
    comment = f"  # {'; '.join(facts)}" if facts else ""
    return f"    {literal(each.label, max_chars=len(each.label))}: [],{comment}"


def _key_line(key: ForeignKey) -> str:
    pairs = zip(key.fields, key.parent_fields, strict=True)
    ends = " and ".join(f"{key.box}[{_label(own)}] = {key.parent}[{_label(theirs)}]" for own, theirs in pairs)
    doubts = []
    if key.origin != "declared":
        doubts.append(f"{key.origin}, confidence {key.confidence:.2f}")
    if key.dangling:
        doubts.append("some values have no parent")
    return f"# {ends}" + (f"  ({'; '.join(doubts)})" if doubts else "")


def _label(label: str) -> str:
    return literal(label, max_chars=len(label))


def _one_line(text: str) -> str:
    flat = "".join(char if char.isprintable() else " " for char in text).strip()
    return flat if len(flat) <= MAX_DESCRIPTION_CHARS else f"{flat[:MAX_DESCRIPTION_CHARS]}…"


def _listed(names: Sequence[str], most: int) -> str:
    if not most:
        return ""
    shown = ", ".join(literal(name, max_chars=40) for name in names[:most])
    return f": {shown}" + (f" and {len(names) - most} more" if len(names) > most else "")


# Pruning ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Boxes and fields by relevance to the question, best first; ties in the source's order."""

    boxes: list[str]
    fields: dict[str, list[str]]


def _words(text: str) -> set[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    return {_stem(word) for word in re.findall(r"[^\W_]+", spaced.casefold())}


def _stem(word: str) -> str:
    """A crude stem: enough for "authors" to meet "author" and "countries" "country"."""
    for ending, instead in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)] + instead
    return word


def _ranked(boxes: BoxSet, question: str, examples: Mapping[str, Mapping[str, Sequence[Any]]]) -> _Ranked:
    asked = _words(question)
    keys = _key_fields(boxes)
    field_scores = {
        name: {each.label: _field_score(each, asked, examples.get(name, {}).get(each.label, ())) for each in box.fields}
        for name, box in boxes.items()
    }
    own = {
        name: 4 * len(asked & _words(f"{name} {box.source_name} {box.description}"))
        + sum(sorted(field_scores[name].values(), reverse=True)[:3])
        for name, box in boxes.items()
    }
    near: dict[str, float] = dict(own)
    for key in boxes.foreign_keys:  # a bridge between two asked-for boxes is needed as well
        if key.parent in own:
            near[key.box] += own[key.parent] * 0.3
            near[key.parent] += own[key.box] * 0.3
    order = list(boxes)
    return _Ranked(
        sorted(order, key=lambda name: (-near[name], order.index(name))),
        {
            name: sorted(box.labels, key=lambda label: (label not in keys[name], -field_scores[name][label]))
            for name, box in boxes.items()
        },
    )


def _field_score(each: Field, asked: set[str], examples: Sequence[Any]) -> int:
    named = len(asked & _words(f"{each.label} {each.description}"))
    held = len(asked & _words(" ".join(str(value)[:MAX_CELL_CHARS] for value in examples)))
    return 3 * named + held


def _key_fields(boxes: BoxSet) -> dict[str, set[str]]:
    keys = {name: set(box.primary_key) for name, box in boxes.items()}
    for key in boxes.foreign_keys:
        keys[key.box].update(key.fields)
        if key.parent in keys:
            keys[key.parent].update(key.parent_fields)
    return keys


#: Boxes that a question can hardly do without, however small the budget: they lose fields before they go.
ESSENTIAL_BOXES = 4


def _shrink(boxes: BoxSet, plan: _Plan, ranked: _Ranked) -> Iterator[_Plan]:
    """Ever smaller plans: fewer examples, then fields of the boxes least asked for, then boxes, then the rest."""
    best = set(ranked.boxes[: max(ESSENTIAL_BOXES, len(ranked.boxes) // 4)])
    for many, few in ((3, 1), (1, 1), (1, 0)):
        samples = {name: min(count, many if name in best else few) for name, count in plan.samples.items()}
        yield (plan := replace(plan, samples=samples))
    keys = _key_fields(boxes)
    for most in (20, 8, 0):
        yield (plan := _cut_fields(plan, ranked, keys, [name for name in plan.fields if name not in best], most))
    for count in _falling(len(ranked.boxes), to=ESSENTIAL_BOXES):
        yield (plan := _keep_boxes(plan, ranked.boxes[:count]))
    for most, listed in ((80, 40), (40, 40), (20, 40), (10, 40), (5, 40), (5, 10), (2, 10), (1, 10), (1, 3), (1, 0)):
        plan = replace(plan, listed=min(listed, plan.listed))
        yield (plan := _cut_fields(plan, ranked, keys, list(plan.fields), most))
    yield (plan := replace(plan, samples=dict.fromkeys(plan.samples, 0), descriptions=False, notes=5))
    yield (plan := replace(plan, notes=0))
    yield (plan := _cut_fields(plan, ranked, keys, list(plan.fields), 0))
    for count in _falling(len(plan.fields), to=1):
        yield (plan := _keep_boxes(plan, ranked.boxes[:count]))


def _cut_fields(plan: _Plan, ranked: _Ranked, keys: Mapping[str, set[str]], names: Sequence[str], most: int) -> _Plan:
    cut = {
        name: tuple(label for at, label in enumerate(ranked.fields[name]) if at < most or label in keys[name])
        for name in names
    }
    return replace(plan, fields={**plan.fields, **cut})


def _keep_boxes(plan: _Plan, names: Sequence[str]) -> _Plan:
    return replace(plan, fields={name: labels for name, labels in plan.fields.items() if name in names})


def _falling(count: int, to: int) -> Iterator[int]:
    while count > to:
        count = max(to, min(count - 1, int(count * 0.8)))
        yield count
