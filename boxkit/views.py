"""A BoxSet for people: a Mermaid diagram of its boxes and keys, and HTML for notebooks."""

from __future__ import annotations

import re
from html import escape

from boxkit.box import Box, BoxSet

__all__ = ["diagram", "html"]

#: Fields of a box that are drawn, and boxes that are shown in full; what is left out is said.
_MOST_FIELDS = 40
_MOST_NOTES = 50


def diagram(boxes: BoxSet) -> str:
    """The boxes and their keys as a Mermaid entity-relationship diagram.

    Keys that were not declared are dashed and say how sure they are; a composite key is one line.
    """
    lines = ["erDiagram"]
    for box in boxes.values():
        lines.append(f"    {_entity(box.name)} {{")
        lines += [f"        {line}" for line in _attributes(box, boxes)]
        lines.append("    }")
    for key in boxes.foreign_keys:
        if key.parent not in boxes:
            continue
        arrow = "||--o{" if key.origin == "declared" else "||..o{"
        sure = "" if key.origin == "declared" else f" ({key.origin}, {key.confidence:.0%})"
        label = _quoted(", ".join(key.fields) + sure)
        lines.append(f"    {_entity(key.parent)} {arrow} {_entity(key.box)} : {label}")
    return "\n".join(lines)


def _entity(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else f'"{name}"'


def _quoted(text: str) -> str:
    return '"' + " ".join(text.replace('"', "'").split()) + '"'


def _attributes(box: Box, boxes: BoxSet) -> list[str]:
    foreign = {label for key in boxes.foreign_keys if key.box == box.name for label in key.fields}
    lines = []
    for field in box.fields[:_MOST_FIELDS]:
        kind = re.sub(r"\W", "_", field.type.split(",")[0]) or "unknown"
        word = re.sub(r"\W", "_", field.label, flags=re.ASCII)
        plain = word if re.match(r"[A-Za-z]", word) else f"f_{word}"
        keys = ", ".join(
            mark for mark, is_so in (("PK", field.label in box.primary_key), ("FK", field.label in foreign)) if is_so
        )
        comment = _quoted(field.label) if plain != field.label else ""
        lines.append(" ".join(part for part in (kind, plain, keys, comment) if part))
    if len(box.fields) > _MOST_FIELDS:
        lines.append(f"etc and_{len(box.fields) - _MOST_FIELDS}_more_fields")
    return lines


def html(boxes: BoxSet) -> str:
    """The boxes, keys and notes as HTML; every text of the source is escaped."""
    parts = ["<div class='boxkit'>"]
    parts += [_box_html(box) for box in boxes.values()]
    if boxes.foreign_keys:
        rows = "".join(
            f"<li><code>{escape(str(key))}</code>{_about(key.origin, key.confidence)}</li>"
            for key in boxes.foreign_keys
        )
        parts.append(
            f"<details open><summary>{len(boxes.foreign_keys)} foreign keys</summary><ul>{rows}</ul></details>"
        )
    notes = boxes.notes
    if notes:
        rows = "".join(f"<li>{escape(str(note))}</li>" for note in notes[:_MOST_NOTES])
        more = f"<li>and {len(notes) - _MOST_NOTES} more</li>" if len(notes) > _MOST_NOTES else ""
        parts.append(f"<details><summary>{len(notes)} notes</summary><ul>{rows}{more}</ul></details>")
    return "".join([*parts, "</div>"])


def _about(origin: str, confidence: float) -> str:
    return "" if origin == "declared" else f" {origin}, {confidence:.0%} sure"


def _box_html(box: Box) -> str:
    rows = "".join(
        f"<tr><td>{escape(field.label)}{' 🔑' if field.label in box.primary_key else ''}</td>"
        f"<td>{escape(field.type)}</td><td>{escape(field.description)}</td></tr>"
        for field in box.fields
    )
    about = f": {escape(box.description)}" if box.description else ""
    head = f"<summary><b>{escape(box.name)}</b> ({len(box.fields)} fields){about}</summary>"
    return f"<details>{head}<table><tr><th>field</th><th>type</th><th>description</th></tr>{rows}</table></details>"
