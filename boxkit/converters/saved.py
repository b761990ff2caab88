"""BoxSets on disk: a Parquet file a box and a manifest in JSON. Nothing that runs when it is opened."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import json
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.box import Box, BoxSet, Field, ForeignKey, Note, Reading
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MANIFEST", "accepts", "convert", "name", "save"]

name = "saved"

MANIFEST = "boxes.json"
_VERSION = 1
#: How a cell of a column of several types is written, and read back.
_CODES: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "bool": (bool, bool, bool),
    "int": (int, str, int),
    "float": (float, repr, float),
    "text": (str, str, str),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "decimal": (decimal.Decimal, str, decimal.Decimal),
    "datetime": (datetime.datetime, datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": (datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "duration": (
        datetime.timedelta,
        lambda each: [each.days, each.seconds, each.microseconds],
        lambda each: datetime.timedelta(*each),
    ),
}


def accepts(source: Any) -> float:
    """The manifest of a saved BoxSet; `load` finds it where it is given the folder."""
    is_manifest = isinstance(source, SourceFile) and source.name == MANIFEST and b'"boxkit"' in source.head[:200]
    return 1.0 if is_manifest else 0.0


def save(boxes: BoxSet, folder: str | os.PathLike[str]) -> Path:
    """Write a BoxSet into a folder.

    Args:
        boxes: What to write; boxes not read yet are read one after the other.
        folder: New or empty, or one that holds a saved BoxSet, which is replaced.

    Returns:
        The folder.

    Raises:
        UnreadableSource: The folder holds something else, or a box cannot be read.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()) and not (place / MANIFEST).is_file():
        raise UnreadableSource("this folder holds other files", where=str(place), hint="name a new folder")
    described = [_save_box(box, place, number) for number, box in enumerate(boxes.values())]
    manifest = {
        "boxkit": _VERSION,
        "boxes": described,
        "foreign_keys": list(map(dataclasses.asdict, boxes.foreign_keys)),
        "notes": list(map(dataclasses.asdict, boxes.notes)),
        "sources": list(boxes.sources),
    }
    # The manifest goes last and at once: an interrupted save leaves none that is half true.
    unfinished = place / f".{MANIFEST}"
    unfinished.write_text(json.dumps(manifest, ensure_ascii=False, indent=1), encoding="utf-8")
    unfinished.replace(place / MANIFEST)
    kept = {each["file"] for each in described}
    for old in place.glob("box*.parquet"):
        if old.name not in kept:
            old.unlink()
    return place


def _save_box(box: Box, place: Path, number: int) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = box.frame if box.is_read else box.read()
    arrays, kinds = [], []
    for at in range(frame.shape[1]):
        array, kind = _array(frame.iloc[:, at])
        arrays.append(array)
        kinds.append(kind)
    table = pa.Table.from_arrays(arrays, names=[f"c{at}" for at in range(len(arrays))])
    file = f"box{number}.parquet"
    pq.write_table(table, place / file, compression="zstd")
    described = ("label", "type", "source_name", "description", "declared", "affinity", "collation")
    fields = [{name: getattr(each, name) for name in described} for each in box.fields]
    return {
        "name": box.name,
        "source_name": box.source_name,
        "kind": box.kind,
        "description": box.description,
        "primary_key": list(box.primary_key),
        "fields": fields,
        "dtypes": kinds,
        "rows": len(frame),
        "file": file,
    }


def _array(series: pd.Series[Any]) -> tuple[Any, str]:
    """An Arrow array of the column and what to make of it: a dtype's name, ``text``, or ``values`` one by one."""
    import pandas as pd
    import pyarrow as pa

    if not pd.api.types.is_object_dtype(series.dtype):
        if isinstance(series.dtype, pd.StringDtype):
            return pa.array(series.astype(object).where(series.notna(), None), pa.large_string()), "text"
        return pa.array(series, from_pandas=True), str(series.dtype)
    values = [None if _is_missing(value) else value for value in series.tolist()]
    if all(value is None or type(value) is str for value in values) and any(values):
        try:
            return pa.array(values, pa.large_string()), "text"
        except (UnicodeEncodeError, pa.ArrowInvalid):
            pass
    return pa.array([None if value is None else _coded(value) for value in values], pa.large_string()), "values"


def _is_missing(value: Any) -> bool:
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def _coded(value: Any) -> str:
    item = value.item() if hasattr(value, "item") else value
    for code, (kind, write, _) in _CODES.items():
        if isinstance(item, kind):
            return json.dumps([code, write(item)])
    raise UnreadableSource(f"a value of type {type(value).__name__} cannot be saved")


def convert(source: SourceFile) -> BoxSet:
    """The BoxSet that was saved in the manifest's folder.

    Raises:
        UnreadableSource: It is of another version, or a part is missing or damaged.
    """
    try:
        manifest = json.loads(source.path.read_text(encoding="utf-8"))
        if manifest["boxkit"] != _VERSION:
            raise UnreadableSource(
                f"it was saved in format {manifest['boxkit']}, and this boxkit reads {_VERSION}", where=source.label
            )
        boxes = [_open_box(each, source) for each in manifest["boxes"]]
        keys = [
            ForeignKey(**{**each, "fields": tuple(each["fields"]), "parent_fields": tuple(each["parent_fields"])})
            for each in manifest["foreign_keys"]
        ]
        notes = [Note(**each) for each in manifest["notes"]]
        return BoxSet(boxes, keys, notes, manifest["sources"])
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableSource(f"the manifest is damaged: {error}", where=source.label) from error


def _open_box(each: dict[str, Any], source: SourceFile) -> Box:
    path = source.path.parent / Path(each["file"]).name
    if not path.is_file():
        raise UnreadableSource(f"the file {path.name!r} of the box {each['name']!r} is missing", where=source.label)
    fields = tuple(Field(**field) for field in each["fields"])
    labels = tuple(field.label for field in fields)
    reader = _SavedReader(SourceFile.of(path), labels, tuple(each["dtypes"]), each["rows"])
    return Box(
        each["name"], fields, reader, each["source_name"], tuple(each["primary_key"]), each["kind"], each["description"]
    )


@dataclass(frozen=True, slots=True)
class _SavedReader:
    file: SourceFile
    labels: tuple[str, ...]
    dtypes: tuple[str, ...]
    rows: int

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        from boxkit.converters.columns import frame_of

        labels = self.labels if columns is None else tuple(columns)
        positions = [self.labels.index(label) for label in labels]
        try:
            table = pq.read_table(self.file.path, columns=[f"c{at}" for at in positions])
        except (pa.ArrowException, OSError) as error:
            raise UnreadableSource(f"this file is damaged: {error}", where=self.file.label) from error
        length = self.rows if limit is None else min(limit, self.rows)
        table = table.slice(0, length)
        series = [_restored(table.column(f"c{at}"), self.dtypes[at]) for at in positions]
        return Reading(frame_of(series, labels, length))

    def count(self) -> int:
        """The number of rows."""
        return self.rows

    def fingerprint(self) -> str:
        """The file's."""
        return self.file.fingerprint()


def _restored(array: Any, kind: str) -> pd.Series[Any]:
    import pandas as pd

    from boxkit.converters.columns import column

    if kind == "text":
        return column(array.to_pylist(), "text")
    if kind == "values":
        values = [None if cell is None else _decoded(cell) for cell in array.to_pylist()]
        return pd.Series(values, dtype=object)
    if kind[0].isupper() or kind == "boolean":
        return pd.Series(array.to_pandas(types_mapper=lambda _: pd.api.types.pandas_dtype(kind)))
    return pd.Series(array.to_pandas()).astype(kind)  # type: ignore[call-overload,no-any-return]  # the stubs list dtypes one by one, and kind is any


def _decoded(cell: str) -> Any:
    code, value = json.loads(cell)
    return _CODES[code][2](value)
