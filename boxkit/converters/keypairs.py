"""Foreign keys of several fields that nobody declared: the same names, and the combinations are there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from boxkit.box import Box, BoxSet, ForeignKey
from boxkit.converters.keyvalues import SAMPLE_ROWS, text
from boxkit.converters.keywords import is_generic
from boxkit.errors import SourceError

__all__ = ["composite_keys"]


def composite_keys(
    boxes: BoxSet,
    taken: set[tuple[str, str]],
    explained: set[tuple[str, str]],
    allow: Callable[[str, str], bool] | None = None,
) -> list[ForeignKey]:
    """Keys to declared keys of several fields; of two, one within the other, the wider.

    Args:
        boxes: Whose keys.
        taken: Boxes' fields that are left alone.
        explained: Those that refer to something by themselves: a key that tells nothing beyond them is left out.
        allow: Whether keys from one box to another are looked for; all where None.
    """
    return _widest([key for key in _composite(boxes, taken, allow) if _is_needed(key, explained)])


def _composite(
    boxes: BoxSet, taken: set[tuple[str, str]], allow: Callable[[str, str], bool] | None
) -> Iterator[ForeignKey]:
    """Keys to a declared key of several fields, where a box has fields of all these names."""
    for parent in boxes.values():
        wanted = parent.primary_key
        if len(wanted) < 2:
            continue
        for box in boxes.values():
            if box.name == parent.name or (allow is not None and not allow(box.name, parent.name)):
                continue
            by_name = {label.casefold(): label for label in box.labels}
            own = tuple(by_name.get(label.casefold(), "") for label in wanted)
            if not all(own) or any((box.name, label) in taken for label in own) or not _is_part(box, own):
                continue
            share, rows = _tuples_found(box, own, parent, wanted)
            if rows and share >= 0.99:
                evidence = f"the same names; {share:.0%} of its {rows} combinations are found there"
                yield ForeignKey(box.name, own, parent.name, wanted, "inferred", 0.9, evidence, share < 1.0)


def _is_needed(key: ForeignKey, explained: set[tuple[str, str]]) -> bool:
    """Whether some field of a composite key tells something that keys of single fields do not."""
    return any((key.box, label) not in explained and not is_generic(label) for label in key.fields)


def _widest(keys: list[ForeignKey]) -> list[ForeignKey]:
    """Without those whose fields are among another's: what that refers to refers on."""
    return [key for key in keys if not any(key.box == each.box and set(key.fields) < set(each.fields) for each in keys)]


def _is_part(box: Box, own: tuple[str, ...]) -> bool:
    # Two tables with the same whole key are peers.
    return set(own) != set(box.primary_key) or len(box.labels) > len(own)


def _tuples_found(box: Box, own: tuple[str, ...], parent: Box, theirs: tuple[str, ...]) -> tuple[float, int]:
    try:
        rows = _tuples(box, own)
        known = _tuples(parent, theirs)
    except SourceError:
        return 0.0, 0
    return (len(rows & known) / len(rows) if rows else 0.0), len(rows)


def _tuples(box: Box, labels: tuple[str, ...]) -> set[tuple[str, ...]]:
    frame = box.read(list(labels), SAMPLE_ROWS).dropna()
    return {tuple(map(text, row)) for row in frame.itertuples(index=False, name=None)}
