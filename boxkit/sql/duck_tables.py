"""Boxes' frames as files of Arrow's, each written when it is first wanted, for processes that make tables of them."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet
from boxkit.canonical import plain
from boxkit.errors import ExecutorError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["Table", "Tables", "named_boxes"]

#: What a HUGEINT holds.
_HUGE = 2**127


@dataclass(frozen=True, slots=True)
class Table:
    """A box on its way.

    Attributes:
        path: Its frame as a file of Arrow's.
        sql: What makes the table of it, where it is registered as ``boxkit_frame``.
        as_text: The labels of the fields that had to become text.
        size: The file's length in bytes.
    """

    path: str
    sql: str
    as_text: frozenset[str]
    size: int


class Tables:
    """The boxes' tables, in a private folder that goes when this does, or at the interpreter's end.

    Attributes:
        name: What no other's data are called.
        folder: Theirs.
        renamed: By box, its table's name under ``""`` and its fields' by label.
    """

    def __init__(self, boxes: BoxSet, renamed: Mapping[str, Mapping[str, str]], gone: Callable[[str], None]) -> None:
        """
        Args:
            boxes: The data.
            renamed: By box, its table's name under ``""`` and its fields' by label.
            gone: Called with the name when this goes.
        """
        self.name = uuid.uuid4().hex
        self.folder = Path(tempfile.mkdtemp(prefix="boxkit-sql-"))
        self._boxes, self.renamed = boxes, renamed
        self._written: dict[str, Table] = {}
        self._lock = threading.Lock()
        weakref.finalize(self, _removed, self.folder, self.name, gone, os.getpid())

    @property
    def megabytes(self) -> int:
        """What the files hold together, in MiB."""
        return sum(table.size for table in list(self._written.values())) >> 20

    def of(self, names: Iterable[str]) -> list[Table]:
        """The tables of these boxes.

        Raises:
            ExecutorError: There is no room for one.
        """
        with self._lock:
            for name in names:
                if name not in self._written:
                    path = self.folder / f"{len(self._written)}.arrow"
                    frame = self._boxes[name].frame
                    try:
                        self._written[name] = _written(frame, self.renamed[name], path)
                    except OSError as error:
                        hint = "make room there, or name another folder in TMPDIR"
                        raise ExecutorError(f"a table cannot be written: {error}", where=name, hint=hint) from error
            return [self._written[name] for name in names]


def _removed(folder: Path, name: str, gone: Callable[[str], None], owner: int) -> None:
    if owner == os.getpid():  # not in a process forked from ours
        gone(name)
        shutil.rmtree(folder, ignore_errors=True)


def named_boxes(sql: str, renamed: Mapping[str, Mapping[str, str]]) -> list[str]:
    """The boxes that a query names; all of them where it may ask for others in ways that its tree does not tell.

    Args:
        sql: One query.
        renamed: By box, its table's name under ``""``.
    """
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    boxes = {tables[""].casefold(): name for name, tables in renamed.items()}
    try:
        tree = sqlglot.parse_one(sql, dialect="duckdb")
    except (SqlglotError, RecursionError):
        return list(renamed)
    ours = {each.alias.casefold() for each in tree.find_all(exp.CTE)}
    wanted = set()
    for table in tree.find_all(exp.Table):
        name = table.name.casefold()
        if not isinstance(table.this, exp.Identifier) or table.db not in ("", "main"):
            return list(renamed)
        if name in boxes:
            wanted.add(boxes[name])
        elif name not in ours:
            return list(renamed)
    return [name for name in renamed if name in wanted]


def _written(frame: pd.DataFrame, names: Mapping[str, str], path: Path) -> Table:
    """Write a box's frame, for a table of these names."""
    import pyarrow as pa

    arrays, casts, as_text = [], [], set()
    for at, label in enumerate(map(str, frame.columns)):
        array, kind = _column(frame.iloc[:, at])
        arrays.append(array)
        quoted = '"' + names[label].replace('"', '""') + '"'
        casts.append(f"CAST(c{at} AS {kind}) AS {quoted}" if kind == "HUGEINT" else f"c{at} AS {quoted}")
        if kind == "VARCHAR":
            as_text.add(label)
    table = pa.table(arrays, names=[f"c{at}" for at in range(len(arrays))])
    with pa.ipc.new_file(str(path), table.schema) as file:
        file.write_table(table)
    # A box's name is an identifier, so that it needs no escaping.
    sql = f'CREATE TABLE "{names[""]}" AS SELECT {", ".join(casts) or "*"} FROM boxkit_frame'  # noqa: S608 - made of our own names, quoted
    return Table(str(path), sql, frozenset(as_text), path.stat().st_size)


def _column(values: pd.Series[Any]) -> tuple[pa.Array, str]:
    """The values as Arrow, and what DuckDB makes of them: HUGEINT from text, VARCHAR for want of a type, or as is."""
    import pyarrow as pa

    try:
        array = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError, TypeError, ValueError):
        array = None
    if array is not None and not pa.types.is_decimal256(array.type):
        return _in_microseconds(array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array), ""
    cells = [plain(value) for value in values]
    integers = all(cell is None or (type(cell) is int and abs(cell) < _HUGE) for cell in cells)
    texts = pa.array([_text(cell) for cell in cells], type=pa.string())
    return texts, "HUGEINT" if integers else "VARCHAR"


def _in_microseconds(array: pa.Array) -> pa.Array:
    """Timestamps of nanoseconds, which pandas 2 makes of every date, in DuckDB's usual unit where none is cut."""
    import pyarrow as pa

    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        try:
            return array.cast(pa.timestamp("us", array.type.tz))
        except pa.ArrowInvalid:
            return array
    return array


def _text(value: Any) -> str | None:
    if value is None:
        return None
    return value.hex() if isinstance(value, bytes) else str(value).encode("utf-8", "replace").decode()
