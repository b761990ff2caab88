"""Names: any source name becomes a valid, unique box name; any header a unique field label."""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection, Iterable

__all__ = ["RESERVED_NAMES", "box_name", "field_labels", "is_box_name"]

MAX_NAME_CHARS = 64

#: Names that generated code finds in its environment, so that no box may shadow them.
ENVIRONMENT_NAMES = frozenset(
    "pd np boxes answer datetime re math statistics collections itertools Decimal scipy sklearn statsmodels"
    " plt query compute_result database_path".split()
)

#: Names that no box may have: keywords, builtins, and what generated code finds in its environment.
RESERVED_NAMES = frozenset({*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *ENVIRONMENT_NAMES})


def is_box_name(name: str) -> bool:
    """Whether ``name`` may name a box: an identifier that shadows nothing."""
    # The parser reads identifiers in NFKC: another form would name a variable that nobody can look up.
    normal = unicodedata.normalize("NFKC", name)
    return name == normal and name.isidentifier() and name not in RESERVED_NAMES


def box_name(source_name: str, taken: Collection[str] = ()) -> str:
    """A valid box name for ``source_name``, distinct from ``taken``.

    Letters of any script stay; what an identifier cannot hold becomes ``_``; a leading digit gets ``box_`` in
    front, a reserved name ``_box`` behind; doubles are numbered from 2.

    >>> box_name("Dashboard-data"), box_name("2019"), box_name("class"), box_name("t", {"t"})
    ('Dashboard_data', 'box_2019', 'class_box', 't_2')
    """
    text = unicodedata.normalize("NFKC", source_name)
    kept = "".join(char if ("a" + char).isidentifier() else "_" for char in text)
    stem = re.sub(r"_{2,}", "_", kept)[:MAX_NAME_CHARS].strip("_") or "box"
    if not stem.isidentifier():
        stem = f"box_{stem}"
    if stem in RESERVED_NAMES:
        stem = f"{stem}_box"
    return _first_free(stem, taken)


def field_labels(headers: Iterable[object]) -> tuple[str, ...]:
    """Unique text labels for ``headers``, in their order; a header that is fine stays as it is.

    An empty header becomes ``column_<position from 1>``; a double gets ``_2``, ``_3`` …

    >>> field_labels(["id", "name", "id", "", 2019])
    ('id', 'name', 'id_2', 'column_4', '2019')
    """
    texts = ["" if header is None else str(header) for header in headers]
    stems = [text if text.strip() else f"column_{at}" for at, text in enumerate(texts, start=1)]
    labels: list[str] = []
    # A double must not take a label that another header has by right.
    taken, by_right, numbers = set[str](), set(stems), dict[str, int]()
    for stem in stems:
        label = stem
        while label in taken or (label is not stem and label in by_right):
            numbers[stem] = numbers.get(stem, 1) + 1
            label = f"{stem}_{numbers[stem]}"
        taken.add(label)
        labels.append(label)
    return tuple(labels)


def _first_free(stem: str, taken: Collection[str]) -> str:
    if stem not in taken:
        return stem
    number = 2
    while f"{stem}_{number}" in taken:
        number += 1
    return f"{stem}_{number}"
