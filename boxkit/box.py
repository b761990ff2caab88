"""BOXes: named data frames, described without being read, and the foreign keys between them.

A BOX (Pandora, section 3) is a name, field names, and a list of values for each field; here its values are a pandas
DataFrame that is read on first use. A `BoxSet` is what every source turns into and all that generated code sees.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from boxkit.description import Field, ForeignKey, Note, Reader, Reading, SourceKind
from boxkit.errors import BoxError, UnknownBox, UnknownField
from boxkit.naming import is_box_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Box", "BoxSet", "Field", "ForeignKey", "Note", "Reader", "Reading", "SourceKind"]

#: Rows read to take example values from.
HEAD_ROWS = 40


@dataclass(frozen=True, slots=True)
class _Held:
    """What has been read of a box so far; shared by copies of the box."""

    frame: list[pd.DataFrame] = field(default_factory=list)
    head: list[pd.DataFrame] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)


@dataclass(frozen=True, slots=True)
class Box:
    """A named table: its description at once, its rows on first use.

    Attributes:
        name: A valid identifier that shadows nothing; the variable that generated code uses.
        fields: In the frame's column order.
        reader: Where the rows come from.
        source_name: The name in the source (a table's name, a sheet's, a class's IRI).
        primary_key: Labels of the fields that identify a row; empty where none are known.
        kind: What kind of source it came from.
        description: What the source or the user says it holds.
    """

    name: str
    fields: tuple[Field, ...]
    reader: Reader = field(repr=False, compare=False)
    source_name: str = ""
    primary_key: tuple[str, ...] = ()
    kind: SourceKind = "table"
    description: str = ""
    _held: _Held = field(default_factory=_Held, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not is_box_name(self.name):
            raise BoxError(f"{self.name!r} cannot name a box", hint="use boxkit.naming.box_name to derive one")
        if not self.source_name:
            object.__setattr__(self, "source_name", self.name)
        labels = self.labels
        doubled = {label for label in labels if labels.count(label) > 1} if len(set(labels)) < len(labels) else set()
        if doubled:
            raise BoxError(
                f"box {self.name!r} has the field {min(doubled)!r} twice", hint="use boxkit.naming.field_labels"
            )
        for label in self.primary_key:
            self.field(label)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of its fields, in order."""
        return tuple(each.label for each in self.fields)

    def field(self, label: str) -> Field:
        """The field of that label.

        Raises:
            UnknownField: There is none; the message names the nearest.
        """
        for each in self.fields:
            if each.label == label:
                return each
        raise UnknownField(self.name, label, self.labels)

    @property
    def frame(self) -> pd.DataFrame:
        """All rows and fields. Read once; treat it as read-only, and copy it before you change it."""
        with self._held.lock:
            if not self._held.frame:
                reading = self.reader.read()
                self._held.frame.append(reading.frame)
                self._held.notes.extend(note for note in reading.notes if note not in self._held.notes)
            return self._held.frame[0]

    @property
    def is_read(self) -> bool:
        """Whether `frame` is in memory already."""
        return bool(self._held.frame)

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> pd.DataFrame:
        """Some fields, or the first rows only, without keeping them in memory."""
        if self.is_read:
            frame = self._held.frame[0]
            if columns is not None:
                frame = frame[list(columns)]
            return frame if limit is None else frame.head(limit)
        return self.reader.read(columns, limit).frame

    @property
    def head(self) -> pd.DataFrame:
        """The first `HEAD_ROWS` rows, to take examples from; the same whether or not `frame` has been read."""
        with self._held.lock:
            if not self._held.head:
                self._held.head.append(self.read(limit=HEAD_ROWS))
            return self._held.head[0]

    def count(self) -> int:
        """The number of rows."""
        return len(self._held.frame[0]) if self.is_read else self.reader.count()

    @property
    def reading_notes(self) -> tuple[Note, ...]:
        """What reading the rows brought to light; empty before the first use of `frame`."""
        return tuple(self._held.notes)


class BoxSet(Mapping[str, Box]):
    """The boxes of one or more sources, by name, and the keys between them. Immutable.

    Args:
        boxes: In the order in which they are shown.
        foreign_keys: Their ends must be boxes and fields of the set, except a dangling key's parent.
        notes: What loading has to say.
        sources: What was loaded, in words (file names, URLs without passwords).

    Raises:
        BoxError: Two boxes of one name, or a key to something that is not there.
    """

    __slots__ = ("__weakref__", "_boxes", "_fingerprint", "_foreign_keys", "_notes", "_opened", "_sources")

    def __init__(
        self,
        boxes: Iterable[Box] = (),
        foreign_keys: Iterable[ForeignKey] = (),
        notes: Iterable[Note] = (),
        sources: Iterable[str] = (),
    ) -> None:
        self._boxes: dict[str, Box] = {}
        for box in boxes:
            if box.name in self._boxes:
                raise BoxError(f"two boxes are named {box.name!r}")
            self._boxes[box.name] = box
        self._foreign_keys = tuple(dict.fromkeys(foreign_keys))
        self._notes = tuple(dict.fromkeys(notes))
        self._sources = tuple(sources)
        for key in self._foreign_keys:
            self._check(key)
        self._fingerprint: str | None = None
        self._opened = {name: box.reader.fingerprint() for name, box in self._boxes.items()}

    def _check(self, key: ForeignKey) -> None:
        if len(key.fields) != len(key.parent_fields) or not key.fields:
            raise BoxError(f"the foreign key {key} pairs {len(key.fields)} fields with {len(key.parent_fields)}")
        for label in key.fields:
            self[key.box].field(label)
        if key.dangling and key.parent not in self._boxes:
            return
        for label in key.parent_fields:
            self[key.parent].field(label)

    def __getitem__(self, name: str) -> Box:
        try:
            return self._boxes[name]
        except KeyError:
            raise UnknownBox(name, self._boxes) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._boxes)

    def __len__(self) -> int:
        return len(self._boxes)

    def __contains__(self, name: object) -> bool:
        return name in self._boxes

    def __repr__(self) -> str:
        return f"BoxSet({', '.join(self._boxes)})"

    def __copy__(self) -> BoxSet:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> BoxSet:
        return self

    def __reduce__(self) -> NoReturn:
        raise TypeError("a BoxSet is not pickled: boxes.save(folder) keeps it, BoxSet.open(folder) reads it again")

    @property
    def foreign_keys(self) -> tuple[ForeignKey, ...]:
        """Every foreign key; a composite one stands once."""
        return self._foreign_keys

    @property
    def loading_notes(self) -> tuple[Note, ...]:
        """What was noted before any row was read; always the same for the same source."""
        return self._notes

    @property
    def notes(self) -> tuple[Note, ...]:
        """Everything loading changed or could not read, and what reading the rows has shown so far."""
        found = (note for box in self._boxes.values() for note in box.reading_notes)
        return tuple(dict.fromkeys((*self._notes, *found)))

    @property
    def sources(self) -> tuple[str, ...]:
        """What was loaded, in words."""
        return self._sources

    @property
    def fingerprint(self) -> str:
        """A hash (64 hex digits) over the boxes' descriptions and their sources' state when loaded."""
        if self._fingerprint is None:
            digest = hashlib.sha256()
            for name, box in self._boxes.items():
                digest.update(repr((name, box.fields, box.primary_key, self._opened[name])).encode())
            digest.update(repr(self._foreign_keys).encode())
            self._fingerprint = digest.hexdigest()
        return self._fingerprint

    @property
    def is_stale(self) -> bool:
        """Whether a source has changed since it was loaded."""
        return any(box.reader.fingerprint() != self._opened[name] for name, box in self._boxes.items())

    def only(self, names: Iterable[str]) -> BoxSet:
        """The set of these boxes, in this set's order, with the keys and notes that concern them."""
        wanted = {self[name].name for name in names}
        return BoxSet(
            (box for name, box in self._boxes.items() if name in wanted),
            (key for key in self._foreign_keys if key.box in wanted and key.parent in wanted),
            (note for note in self._notes if note.box is None or note.box in wanted),
            self._sources,
        )

    def with_descriptions(self, descriptions: Mapping[str, str | Mapping[str, str]]) -> BoxSet:
        """A copy that explains itself: ``{"author": "who writes", "book": {"price": "euros"}}``.

        Raises:
            UnknownBox: A description of a box that is not there.
            UnknownField: A description of a field that is not there.
        """
        changed = dict(self._boxes)
        for name, text in descriptions.items():
            box = self[name]
            if isinstance(text, str):
                changed[name] = replace(box, description=text)
                continue
            for label in text:
                box.field(label)
            fields = tuple(replace(each, description=text.get(each.label, each.description)) for each in box.fields)
            changed[name] = replace(box, fields=fields)
        return BoxSet(changed.values(), self._foreign_keys, self._notes, self._sources)

    def map_boxes(self, change: Callable[[Box], Box]) -> BoxSet:
        """A copy with ``change`` done to each box; names must stay."""
        return BoxSet(map(change, self._boxes.values()), self._foreign_keys, self._notes, self._sources)

    def to_prompt(self, budget: int | None = None, *, question: str | None = None, samples: int = 3) -> str:
        """The BOX code that a model sees: fields with types, keys, notes and true sample values.

        Args:
            budget: At most this many tokens (estimated); what is left out to fit is said. None for no bound.
            question: What to keep first where the budget is short.
            samples: How many rows' worth of example values a field shows.
        """
        from boxkit.boxcode import render

        return render(self, budget=budget, question=question, samples=samples)

    def diagram(self) -> str:
        """The boxes and their keys as a Mermaid entity-relationship diagram."""
        from boxkit.views import diagram

        return diagram(self)

    def _repr_html_(self) -> str:
        from boxkit.views import html

        return html(self)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the boxes into a new folder, as Parquet files and a manifest; `BoxSet.open` and `boxkit.load` read it.

        Raises:
            UnreadableSource: The folder holds something else, or a box cannot be read.
        """
        import_module("boxkit.converters.saved").save(self, folder)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> BoxSet:
        """The BoxSet that was saved in ``folder``.

        Raises:
            SourceError: There is none, or it is damaged.
        """
        opened: BoxSet = import_module("boxkit.load").load(folder, format="saved")
        return opened
