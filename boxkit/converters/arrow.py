"""Arrow and Feather files, whatever their name says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from boxkit.box import Box, BoxSet, Field, Note, Reading
from boxkit.converters.arrow_memory import frugal_memory
from boxkit.converters.arrow_series import FileColumn
from boxkit.converters.parquet import arrow_reading, arrow_words
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels

__all__ = ["accepts", "convert", "name"]

name = "arrow"

_FILE, _STREAM, _FEATHER_1 = b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"


def accepts(source: Any) -> float:
    """A file that begins with the mark of Arrow's file or stream format."""
    if not isinstance(source, SourceFile):
        return 0.0
    if source.head.startswith((_FILE, _FEATHER_1)):
        return 1.0
    return 0.7 if source.head.startswith(_STREAM) else 0.0


def convert(source: SourceFile, *, table: str | None = None) -> BoxSet:
    """The one box of an Arrow or Feather file.

    Args:
        source: The file.
        table: The box's name; the file's where None.

    Raises:
        UnreadableSource: It is damaged.
    """
    label = box_name(table or source.stem)
    with _opened(source) as file:
        names = file.schema
    labels = field_labels(names.names)
    notes = [
        Note("renamed", f"the column is called {each!r} in the source", label, mine)
        for each, mine in zip(names.names, labels, strict=True)
        if each != mine
    ]
    fields = tuple(Field(mine, arrow_words(names.field(at).type), names.names[at]) for at, mine in enumerate(labels))
    box = Box(label, fields, _Reader(source, labels, label), table or source.stem)
    return BoxSet([box], (), notes, [source.label])


@contextmanager
def _opened(source: SourceFile, columns: Sequence[int] = ()) -> Iterator[Any]:
    """A reader of these columns, by their place; of all where none is named."""
    import pyarrow as pa
    import pyarrow.feather

    options = pa.ipc.IpcReadOptions(included_fields=list(columns))
    try:
        if source.head.startswith(_FEATHER_1):
            yield _Whole(pyarrow.feather.read_table(source.path, columns=list(columns) or None))
            return
        with pa.OSFile(str(source.path)) as file:
            open_ = pa.ipc.open_stream if source.head.startswith(_STREAM) else pa.ipc.open_file
            with open_(file, options=options) as reader:
                yield reader
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"this Arrow file is damaged: {error}", where=source.label) from error


def _batches(file: Any) -> Iterator[Any]:
    """The batches of a file, of a stream or of a table."""
    if hasattr(file, "get_batch"):
        yield from map(file.get_batch, range(file.num_record_batches))
    else:
        yield from file


@dataclass(frozen=True, slots=True)
class _Whole:
    """A table in memory, read as files are."""

    table: Any

    @property
    def schema(self) -> Any:
        return self.table.schema

    def read_all(self) -> Any:
        return self.table

    def __iter__(self) -> Iterator[Any]:
        return iter(self.table.to_batches())


@dataclass(frozen=True, slots=True)
class _Reader:
    source: SourceFile
    labels: tuple[str, ...]
    box: str

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        labels = self.labels if columns is None else tuple(columns)
        rows = self.count() if limit is None else min(limit, self.count())
        with _opened(self.source) as file:
            kinds = list(file.schema.types)
        places = [self.labels.index(label) for label in labels]
        chosen = (FileColumn(kinds[at], rows, partial(self._chunks, at, rows)) for at in places)
        return arrow_reading(chosen, labels, self.box, rows)

    def _chunks(self, at: int, rows: int) -> Iterator[Any]:
        with frugal_memory(), _opened(self.source, [at]) as file:
            for batch in _batches(file):
                yield batch.column(0).slice(0, rows)
                rows -= batch.num_rows
                if rows <= 0:
                    break

    def count(self) -> int:
        """The number of rows."""
        with _opened(self.source, [0] if self.labels else []) as file:
            rows: int = file.read_all().num_rows
            return rows

    def fingerprint(self) -> str:
        """The file's."""
        return self.source.fingerprint()
