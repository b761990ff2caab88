"""``boxkit show``: what a source turns into."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from boxkit.cli.exits import reported
from boxkit.cli.options import Loading, loading
from boxkit.wording import counted

if TYPE_CHECKING:
    from rich.table import Table

    from boxkit.box import Box, BoxSet, ForeignKey

__all__ = ["print_boxes", "show"]

#: Rows from which a field's examples are taken, and examples shown.
SAMPLED_ROWS = 50
EXAMPLES = 3
EXAMPLE_CHARS = 40
NOTES = 30


@click.command()
@loading
@click.option("--box", "names", multiple=True, metavar="NAME", help="Only this box. May be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print the same as JSON.")
@click.option("--prompt", "as_prompt", is_flag=True, help="Print what a language model would be shown.")
@click.option(
    "--draw",
    "drawing",
    type=click.Path(dir_okay=False, writable=True),
    metavar="FILE",
    help="Draw boxes and entities too: .mmd or .md (Mermaid), .png, .svg or .pdf.",
)
@click.option("--budget", type=click.IntRange(min=1), metavar="TOKENS", help="With --prompt: at most this long.")
def show(
    loading: Loading, names: tuple[str, ...], as_json: bool, as_prompt: bool, drawing: str | None, budget: int | None
) -> None:
    """Show the boxes of one SOURCE or several: fields, types, examples, keys, and what loading changed.

    \b
        boxkit show sales.csv
        boxkit show shop.sqlite reviews.ttl --prompt
        boxkit show films.ttl --topic "Alien" --draw alien.svg
    """
    from boxkit.cli import terminal

    if as_json and as_prompt:
        raise click.UsageError("--json and --prompt: choose one")
    with reported():
        boxes = loading.load()
        if names:
            boxes = boxes.only(names)
        if drawing is not None:
            _draw(boxes, drawing)
        if as_prompt:
            terminal.show(terminal.text(boxes.to_prompt(budget), lines=True))
        elif as_json:
            terminal.print_json(as_json_value(boxes))
        else:
            print_boxes(boxes)


def _draw(boxes: BoxSet, file: str) -> None:
    from pathlib import Path

    from boxkit.converters.graph.drawing import draw

    try:
        draw(boxes, Path(file))
    except ValueError as error:
        raise click.UsageError(f"--draw: {error}") from error


def print_boxes(boxes: BoxSet) -> None:
    """Print boxes, keys and notes on stdout."""
    from boxkit.cli.terminal import show, text
    from boxkit.errors import SourceError

    for box in boxes.values():
        try:
            drawn, rows = _fields(box), box.count()
        except SourceError as error:
            show(text(f"{box.name}: {error}", "red", lines=True))
            continue
        origin = f" from {box.source_name}" if box.source_name != box.name else ""
        show(text(f"{box.name}: {rows} {'row' if rows == 1 else 'rows'}, {box.kind}{origin}", "bold"))
        if box.description:
            show(text(box.description))
        show(drawn)
        show("")
    for key in boxes.foreign_keys:
        show(text(f"{key}{_doubt(key)}"))
    for note in boxes.notes[:NOTES]:
        show(text(f"note: {note}", "yellow"))
    if len(boxes.notes) > NOTES:
        more = counted(len(boxes.notes) - NOTES, "more note")
        show(text(f"{more}: --json holds all", "yellow"))


def _doubt(key: ForeignKey) -> str:
    told = [] if key.origin == "declared" else [f"{key.origin}, {key.confidence:.0%} sure"]
    told += [key.evidence] if key.evidence else []
    told += ["some values have no match"] if key.dangling else []
    return f"  ({'; '.join(told)})" if told else ""


def _fields(box: Box) -> Table:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from boxkit.cli.terminal import text

    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    optional = {
        "meaning": {each.label: each.description for each in box.fields if each.description},
        "in the source": {each.label: each.source_name for each in box.fields if each.source_name != each.label},
    }
    extra = {heading: values for heading, values in optional.items() if values}
    for heading in ("field", "type", "examples", *extra):
        drawn.add_column(heading, overflow="fold")
    examples = _examples(box)
    for each in box.fields:
        label = each.label + (" *" if each.label in box.primary_key else "")
        shown = (
            label,
            each.type,
            " | ".join(examples[each.label]),
            *(values.get(each.label, "") for values in extra.values()),
        )
        drawn.add_row(*map(text, shown))
    return drawn


def _examples(box: Box) -> dict[str, list[str]]:
    """A few distinct values of each field, by label; a long one is cut and ends in an ellipsis."""
    from boxkit.canonical import plain
    from boxkit.cli.tables import cell

    unknown = [each.label for each in box.fields if not each.examples]
    sample = box.read(unknown, SAMPLED_ROWS) if unknown else None
    found = {}
    for each in box.fields:
        known = each.examples if sample is None or each.examples else sample[each.label]
        texts = dict.fromkeys(cell(value) for value in map(plain, known) if value is not None)
        found[each.label] = [
            text if len(text) <= EXAMPLE_CHARS else f"{text[:EXAMPLE_CHARS]}…" for text in list(texts)[:EXAMPLES]
        ]
    return found


def as_json_value(boxes: BoxSet) -> dict[str, Any]:
    """Boxes, keys and notes as JSON values."""
    from boxkit.canonical import json_value

    return {
        "sources": list(boxes.sources),
        "boxes": [_box_json(box) for box in boxes.values()],
        "foreign_keys": json_value(boxes.foreign_keys),
        "notes": json_value(boxes.notes),
    }


def _box_json(box: Box) -> dict[str, Any]:
    from boxkit.canonical import json_value

    examples = _examples(box)
    fields = [{**json_value(each), "examples": examples[each.label]} for each in box.fields]
    about = {name: getattr(box, name) for name in ("name", "kind", "source_name", "description")}
    return {**about, "rows": box.count(), "primary_key": list(box.primary_key), "fields": fields}
