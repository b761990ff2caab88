"""How many declared foreign keys are found again when nobody declares them: Spider, with its keys dropped.

    python benchmarks/loading_keys.py [--misses]

The weights were chosen on every second training database in alphabetical order; the others, and the dev databases, were
only measured. "wrong" are keys that the database does not declare; many of them are true (``departments.location_id``).
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.discover import discover_keys

DATA = Path(os.environ.get("BOXKIT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "spider"


def pairs(boxes: BoxSet, keys: tuple[boxkit.box.ForeignKey, ...]) -> set[tuple[str, str, str, str]]:
    return {
        (key.box, label, key.parent, parent_label)
        for key in keys
        if key.parent in boxes
        for label, parent_label in zip(key.fields, key.parent_fields, strict=True)
    }


def measure(title: str, names: list[str], *, primary_keys: bool, misses: bool) -> None:
    right = wrong = missed = 0
    for name in names:
        boxes = boxkit.load(DATA / "database" / name / f"{name}.sqlite", discover=False)
        bare = BoxSet(replace(box, primary_key=box.primary_key if primary_keys else ()) for box in boxes.values())
        declared, found = pairs(boxes, boxes.foreign_keys), pairs(bare, discover_keys(bare))
        right, wrong, missed = (
            right + len(declared & found),
            wrong + len(found - declared),
            missed + len(declared - found),
        )
        if misses:
            for mark, each in [("+", pair) for pair in found - declared] + [("-", pair) for pair in declared - found]:
                print(f"    {mark} {name}: {each[0]}.{each[1]} -> {each[2]}.{each[3]}")
    known = "primary keys declared" if primary_keys else "nothing declared"
    scores = f"precision {right / (right + wrong):.3f}, recall {right / (right + missed):.3f}"
    print(f"{title:24} {known:24} {scores} ({right} right, {wrong} wrong, {missed} missed)")


def main() -> None:
    there = sorted(path.parent.name for path in DATA.glob("database/*/*.sqlite"))
    train = {each["db_id"] for each in json.loads((DATA / "train_spider.json").read_text())}
    training = [name for name in there if name in train]
    dev = [name for name in there if name not in train]
    misses = "--misses" in sys.argv
    for title, names in (("train, weights chosen", training[::2]), ("train, others", training[1::2]), ("dev", dev)):
        for primary_keys in (True, False):
            measure(title, names, primary_keys=primary_keys, misses=misses and title.startswith("train, weights"))


if __name__ == "__main__":
    main()
