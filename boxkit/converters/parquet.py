"""Parquet files, whatever their name says: the schema at once, the columns on use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from boxkit.box import Box, BoxSet, Field, Note, Reading
from boxkit.converters.arrow_memory import frugal_memory
from boxkit.converters.arrow_series import FileColumn, arrow_series
from boxkit.converters.columns import frame_of
from boxkit.converters.frames import normal_column
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource
from boxkit.naming import box_name, field_labels

__all__ = ["accepts", "arrow_reading", "arrow_words", "convert", "name"]

name = "parquet"

_BUFFER_BYTES = 1_048_576


def accepts(source: Any) -> float:
    """A file that begins with Parquet's mark."""
    return 1.0 if isinstance(source, SourceFile) and source.head.startswith(b"PAR1") else 0.0


def convert(source: SourceFile, *, table: str | None = None) -> BoxSet:
    """The one box of a Parquet file.

    Args:
        source: The file.
        table: The box's name; the file's where None.

    Raises:
        UnreadableSource: It is damaged.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        schema = pq.read_schema(source.path)
    except (pa.ArrowException, OSError) as error:
        raise UnreadableSource(f"this Parquet file is damaged: {error}", where=source.label) from error
    label = box_name(table or source.stem)
    names = tuple(schema.names)
    labels = field_labels(names)
    notes = [] if label == (table or source.stem) else [Note("renamed", f"the file is called {source.name!r}", label)]
    notes += [
        Note("renamed", f"the column is called {each!r} in the source", label, mine)
        for each, mine in zip(names, labels, strict=True)
        if each != mine
    ]
    fields = tuple(Field(mine, arrow_words(schema.field(at).type), names[at]) for at, mine in enumerate(labels))
    return BoxSet(
        [Box(label, fields, ParquetReader(source, labels, label), table or source.stem)], (), notes, [source.label]
    )


@dataclass(frozen=True, slots=True)
class ParquetReader:
    """Reads columns of a Parquet file."""

    source: SourceFile
    labels: tuple[str, ...]
    box: str

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        wanted = list(self.labels if columns is None else columns)
        positions = [self.labels.index(each) for each in wanted]
        try:
            # Neither is a column read ahead, nor are its pages at once.
            with (
                frugal_memory(),
                pq.ParquetFile(self.source.path, pre_buffer=False, buffer_size=_BUFFER_BYTES) as file,
            ):
                rows = file.metadata.num_rows if limit is None else min(limit, file.metadata.num_rows)
                return arrow_reading(_columns(file, positions, limit), wanted, self.box, rows)
        except (pa.ArrowException, OSError) as error:
            raise UnreadableSource(f"this Parquet file cannot be read: {error}", where=self.source.label) from error

    def count(self) -> int:
        """The number of rows, from the footer."""
        import pyarrow.parquet as pq

        with pq.ParquetFile(self.source.path) as file:
            rows: int = file.metadata.num_rows
            return rows

    def fingerprint(self) -> str:
        """The file's."""
        return self.source.fingerprint()


def _columns(file: Any, positions: Sequence[int], limit: int | None) -> Iterator[Any]:
    """The columns, one after the other; together where their names do not tell them apart."""
    schema = file.schema_arrow
    if len(set(schema.names)) < len(schema.names):
        table = file.read() if limit is None else file.read().slice(0, limit)
        yield from map(table.column, positions)
        return
    for at in positions:
        chosen = [schema.names[at]]
        if limit is None:
            chunks = partial(_chunks, file, chosen)
            yield FileColumn(schema.field(at).type, file.metadata.num_rows, chunks)
        else:
            yield _first_rows(file, chosen, limit)


def _chunks(file: Any, chosen: list[str]) -> Iterator[Any]:
    for batch in file.iter_batches(columns=chosen):
        yield batch.column(0)


def _first_rows(file: Any, chosen: list[str], limit: int) -> Any:
    import pyarrow as pa

    first = next(file.iter_batches(batch_size=limit, columns=chosen), None) if limit else None
    if first is None:
        return file.schema_arrow.empty_table().select(chosen).column(0)
    return pa.Table.from_batches([first]).column(0).slice(0, limit)


def arrow_reading(columns: Iterable[Any], labels: Sequence[str], box: str, length: int) -> Reading:
    """Arrow columns as a frame: integers with missing values stay integers, nested values are normalised.

    Args:
        columns: The columns, as chunked arrays or `FileColumn`s; of the latter none is held twice.
        labels: One label a column.
        box: For notes.
        length: The number of rows.
    """
    notes: list[Note] = []
    made = []
    with frugal_memory() as pool:
        for array, label in zip(columns, labels, strict=True):
            series = arrow_series(array, box, label, notes).reset_index(drop=True)
            made.append(normal_column(series, box, label, notes, is_own=True))
            # What is free again goes back, or reading the next column would take as much once more.
            del array
            pool.release_unused()
    return Reading(frame_of(made, labels, length), tuple(notes))


def arrow_words(kind: Any) -> str:
    """An Arrow type in words."""
    import pyarrow as pa

    tests = (
        (pa.types.is_boolean, "boolean"),
        (pa.types.is_integer, "integer"),
        (pa.types.is_floating, "number"),
        (pa.types.is_decimal, "decimal"),
        (pa.types.is_timestamp, "datetime"),
        (pa.types.is_date, "date"),
        (pa.types.is_time, "time"),
        (pa.types.is_duration, "duration"),
        (pa.types.is_binary, "bytes"),
        (pa.types.is_large_binary, "bytes"),
        (pa.types.is_string, "text"),
        (pa.types.is_large_string, "text"),
    )
    if pa.types.is_dictionary(kind):
        return arrow_words(kind.value_type)
    for test, words in tests:
        if test(kind):
            return words
    return "text" if pa.types.is_nested(kind) else str(kind)
