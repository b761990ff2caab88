"""How many declared foreign keys are found again when nobody declares them: Spider, with its keys dropped.

    python benchmarks/loading_keys.py [--misses]

The rules were made on the dev databases, on every second training database in alphabetical order, and on schemas of our
own; the other half of the training databases was only measured. A key that the database does not declare counts as
wrong; "with joins" counts it as right where a gold query joins these two fields, so that someone knew it to be a key.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import sqlglot
from data_folder import needed
from sqlglot import exp

import boxkit
from boxkit.box import Box, BoxSet
from boxkit.converters.discover import discover_keys

DATA = Path(os.environ.get("BOXKIT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "spider"


def pairs(boxes: BoxSet, keys: tuple[boxkit.box.ForeignKey, ...]) -> set[tuple[str, str, str, str]]:
    return {
        (key.box, label, key.parent, parent_label)
        for key in keys
        if key.parent in boxes
        for label, parent_label in zip(key.fields, key.parent_fields, strict=True)
    }


def gold_joins(queries: list[str], boxes: BoxSet) -> set[tuple[str, str, str, str]]:
    """The pairs of fields that queries set equal, both ways round."""
    names = {box.source_name.casefold(): box for box in boxes.values()}
    found = set()
    for query in queries:
        for select in sqlglot.parse_one(query, dialect="sqlite").find_all(exp.Select):
            tables = [
                each for each in (_source(select), *(join.this for join in select.args.get("joins") or [])) if each
            ]
            aliases = {each.alias_or_name.casefold(): names.get(each.name.casefold()) for each in tables}
            for equal in select.find_all(exp.EQ):
                ends = [_end(side, aliases) for side in (equal.left, equal.right)]
                if ends[0] and ends[1]:
                    found |= {(*ends[0], *ends[1]), (*ends[1], *ends[0])}
    return found


def _source(select: exp.Select) -> exp.Table | None:
    clause = select.args.get("from_") or select.args.get("from")
    return clause.this if clause is not None and isinstance(clause.this, exp.Table) else None


def _end(side: object, aliases: dict[str, Box | None]) -> tuple[str, str] | None:
    if not isinstance(side, exp.Column):
        return None
    for alias, box in aliases.items():
        if box is not None and side.table.casefold() in ("", alias):
            for field in box.fields:
                if field.source_name.casefold() == side.name.casefold():
                    return box.name, field.label
    return None


def measure(title: str, names: list[str], queries: dict[str, list[str]], *, primary_keys: bool, misses: bool) -> None:
    right = wrong = missed = joined = 0
    for name in names:
        boxes = boxkit.load(DATA / "database" / name / f"{name}.sqlite", discover=False)
        bare = BoxSet(replace(box, primary_key=box.primary_key if primary_keys else ()) for box in boxes.values())
        declared, found = pairs(boxes, boxes.foreign_keys), pairs(bare, discover_keys(bare))
        right += len(declared & found)
        wrong += len(found - declared)
        missed += len(declared - found)
        joined += len((found - declared) & gold_joins(queries.get(name, []), boxes))
        if misses:
            for mark, each in [("+", pair) for pair in found - declared] + [("-", pair) for pair in declared - found]:
                print(f"    {mark} {name}: {each[0]}.{each[1]} -> {each[2]}.{each[3]}")
    known = "primary keys declared" if primary_keys else "nothing declared"
    with_joins = (right + joined) / (right + wrong)
    scores = (
        f"precision {right / (right + wrong):.3f} ({with_joins:.3f} with joins), recall {right / (right + missed):.3f}"
    )
    print(f"{title:24} {known:24} {scores} ({right} right, {wrong} wrong, {missed} missed)")


def main() -> None:
    there = sorted(path.parent.name for path in DATA.glob("database/*/*.sqlite"))
    queries: dict[str, list[str]] = {}
    examples = json.loads((DATA / "train_spider.json").read_text())
    train = {each["db_id"] for each in examples}
    for each in [*examples, *json.loads((DATA / "dev.json").read_text())]:
        queries.setdefault(each["db_id"], []).append(each["query"])
    training = [name for name in there if name in train]
    dev = [name for name in there if name not in train]
    misses = "--misses" in sys.argv
    for title, names in (("dev", dev), ("train, developed on", training[::2]), ("train, others", training[1::2])):
        for primary_keys in (True, False):
            measure(title, names, queries, primary_keys=primary_keys, misses=misses and title != "train, others")


if __name__ == "__main__":
    needed(DATA)
    main()
