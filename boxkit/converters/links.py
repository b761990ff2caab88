"""Links across sources: columns of different sources that hold the same things, by their values."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice
from typing import Any

from boxkit.box import Box, BoxSet, ForeignKey, Note
from boxkit.converters.discover import discover_keys
from boxkit.errors import SourceError

__all__ = ["link", "normalised"]

#: More links than this nobody reads.
MAX_LINKS = 12
_SAMPLE_ROWS = 20_000
#: Distinct values above which look-alikes are not searched for.
_FUZZY_VALUES = 300
#: How alike two texts are that are noted as look-alikes, in percent.
_ALIKE = 85
_LEAST_SHARED = 3
_LEAST_SHARE = 0.3

#: The same normalising in pandas, for Latin letters.
_CLEAN = (
    '.str.normalize("NFKD").str.encode("ascii", "ignore").str.decode("ascii").str.casefold()'
    '.str.replace(r"[^0-9a-z]+", " ", regex=True).str.strip()'
)


def normalised(text: str) -> str:
    """What is compared where texts differ in case, accents, spaces and punctuation only."""
    bare = unicodedata.normalize("NFKD", text.casefold())
    return " ".join(
        "".join(char if char.isalnum() else " " for char in bare if not unicodedata.combining(char)).split()
    )


@dataclass
class _Texts:
    box: Box
    label: str
    values: frozenset[str]
    is_unique: bool
    folded: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folded = {normalised(value): value for value in sorted(self.values)}


@dataclass(frozen=True)
class _Link:
    key: ForeignKey
    how: str
    shared: int
    note: Note | None = None


def link(boxes: BoxSet, groups: Sequence[Sequence[str]]) -> BoxSet:
    """The set with links between boxes of different groups.

    Exact links are keys whose values are equal. Where values are equal only after case, accents, spaces and
    punctuation are set aside, the link says so and a note holds the pandas code that joins on it. Look-alikes
    ("Sankt Gallen", "St. Gallen") are noted, never linked.

    Args:
        boxes: All boxes.
        groups: The names of each source's boxes.
    """
    source = {name: at for at, names in enumerate(groups) for name in names}

    def across(one: str, other: str) -> bool:
        return source[one] != source[other]

    named = [
        ForeignKey(
            key.box, key.fields, key.parent, key.parent_fields, "linked", key.confidence, key.evidence, key.dangling
        )
        for key in discover_keys(boxes, boxes.foreign_keys, across)
    ]
    known = {(key.box, key.fields[0]) for key in (*boxes.foreign_keys, *named)}
    texts = {name: list(_texts(box)) for name, box in boxes.items()}
    found = [_Link(key, "exact", 0) for key in named]
    for one, other in combinations(boxes, 2):
        if across(one, other):
            found += _best_links(texts[one], texts[other], known)
    found.sort(key=lambda each: (-each.key.confidence, str(each.key)))
    kept = found[:MAX_LINKS]
    notes = [each.note for each in kept if each.note is not None]
    if len(found) > MAX_LINKS:
        notes.append(Note("truncated", f"{len(found) - MAX_LINKS} weaker links between the sources are left out"))
    notes += islice(_look_alikes(kept, texts), MAX_LINKS)
    keys = (*boxes.foreign_keys, *(each.key for each in kept))
    return BoxSet(boxes.values(), keys, (*boxes.loading_notes, *notes), boxes.sources)


def _texts(box: Box) -> Iterator[_Texts]:
    labels = [each.label for each in box.fields if each.type in ("text", "mixed", "")]
    if not labels:
        return
    try:
        frame = box.read(labels, _SAMPLE_ROWS)
    except SourceError:
        return
    for label in labels:
        present = [value for value in frame[label].dropna().tolist() if isinstance(value, str) and value.strip()]
        values = frozenset(present)
        telling = [value for value in values if any(map(str.isalpha, value)) and len(value) <= 200]
        if len(values) >= _LEAST_SHARED and len(telling) > 0.8 * len(values):
            yield _Texts(box, label, values, len(values) > 0.95 * len(present))


def _best_links(ours: list[_Texts], theirs: list[_Texts], known: set[tuple[str, str]]) -> list[_Link]:
    """At most two links between two boxes, the surest."""
    found: list[_Link] = []
    for one in ours:
        for other in theirs:
            child, parent = (one, other) if other.is_unique else (other, one)
            if not parent.is_unique or known & {(child.box.name, child.label), (parent.box.name, parent.label)}:
                continue
            made = _link(child, parent)
            if made is not None:
                found.append(made)
    found.sort(key=lambda each: (-each.key.confidence, str(each.key)))
    chosen: list[_Link] = []
    for each in found:
        used = {(key.box, key.fields) for key in (one.key for one in chosen)} | {
            (key.parent, key.parent_fields) for key in (one.key for one in chosen)
        }
        if (each.key.box, each.key.fields) not in used and (each.key.parent, each.key.parent_fields) not in used:
            chosen.append(each)
    return chosen[:2]


def _link(child: _Texts, parent: _Texts) -> _Link | None:
    exact = len(child.values & parent.values)
    folded = child.folded.keys() & parent.folded.keys()
    least = min(len(child.values), len(parent.values))
    if exact >= _LEAST_SHARED and exact >= _LEAST_SHARE * least and exact >= 0.8 * len(folded):
        share = exact / len(child.values)
        evidence = f"{exact} of its {len(child.values)} values are there, letter by letter"
        return _Link(_key(child, parent, 0.5 + 0.45 * exact / least, evidence, share < 1.0), "exact", exact)
    if len(folded) >= _LEAST_SHARED and len(folded) >= _LEAST_SHARE * least:
        evidence = (
            f"{len(folded)} of its {len(child.values)} values are there once case, accents, spaces and punctuation are"
            f" set aside; {exact} letter by letter"
        )
        key = _key(child, parent, 0.3 + 0.35 * len(folded) / least, evidence, True)
        return _Link(key, "normalised", len(folded), _normalised_note(key, child, parent, folded))
    return None


def _key(child: _Texts, parent: _Texts, confidence: float, evidence: str, dangling: bool) -> ForeignKey:
    return ForeignKey(
        child.box.name,
        (child.label,),
        parent.box.name,
        (parent.label,),
        "linked",
        round(confidence, 2),
        evidence,
        dangling,
    )


def _normalised_note(key: ForeignKey, child: _Texts, parent: _Texts, folded: Any) -> Note:
    pairs = [
        (child.folded[each], parent.folded[each])
        for each in sorted(folded)
        if child.folded[each] != parent.folded[each]
    ]
    shown = ", ".join(f"{one!r} is {other!r}" for one, other in pairs[:3])
    fix = (
        f"{key.box}.assign(key={key.box}[{child.label!r}]{_CLEAN})"
        f".merge({key.parent}.assign(key={key.parent}[{parent.label!r}]{_CLEAN}), on='key')"
    )
    return Note(
        "ambiguous",
        f"it matches {key.parent}[{parent.label!r}] only after normalising: {shown}",
        key.box,
        child.label,
        None,
        fix,
    )


def _look_alikes(links: Sequence[_Link], texts: dict[str, list[_Texts]]) -> Iterator[Note]:
    """Values of a link that match nothing but nearly match something."""
    from rapidfuzz import fuzz, process

    for each in links:
        child = next((one for one in texts[each.key.box] if one.label == each.key.fields[0]), None)
        parent = next((one for one in texts[each.key.parent] if one.label == each.key.parent_fields[0]), None)
        if child is None or parent is None:
            continue
        unmatched = [value for value in child.folded if value not in parent.folded]
        free = [value for value in parent.folded if value not in child.folded]
        if not unmatched or not free or len(unmatched) > _FUZZY_VALUES or len(free) > _FUZZY_VALUES:
            continue
        pairs = []
        for value in unmatched:
            near = process.extractOne(value, free, scorer=fuzz.ratio, score_cutoff=_ALIKE)
            if near is not None:
                pairs.append(f"{child.folded[value]!r} and {parent.folded[near[0]]!r}")
        if pairs:
            more = f" and {len(pairs) - 5} more pairs" if len(pairs) > 5 else ""
            message = (
                f"these look alike but do not match {each.key.parent}[{parent.label!r}]: {'; '.join(pairs[:5])}{more}"
            )
            yield Note("ambiguous", message, each.key.box, child.label)
