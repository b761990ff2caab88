"""DataFrames, dicts of DataFrames, and what speaks Arrow: copied into boxes, the user's own left untouched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from boxkit.box import BoxSet, Note
from boxkit.converters.arrow_series import arrow_series, json_text
from boxkit.converters.columns import column
from boxkit.converters.held import content_state, held_box
from boxkit.converters.lint import lint_categories
from boxkit.errors import UnsupportedValue
from boxkit.naming import box_name, field_labels

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["accepts", "convert", "name", "normal_column", "normal_frame"]

name = "frames"


def accepts(source: Any) -> float:
    """A table in memory (pandas, polars, pyarrow, or what speaks Arrow), or a mapping of names to these."""
    if isinstance(source, Mapping):
        return 1.0 if source and all(_is_table(each) for each in source.values()) else 0.0
    return 1.0 if _is_table(source) else 0.0


def _is_table(source: object) -> bool:
    if isinstance(source, type):
        return False
    protocols = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")
    return _is_frame(source) or any(hasattr(source, each) for each in protocols) or _is_lazy(source)


def _is_lazy(source: object) -> bool:
    return type(source).__module__.startswith("polars.") and type(source).__name__ == "LazyFrame"


def _is_frame(source: object) -> bool:
    # By name, so that pandas is not imported to look at something else.
    return any(
        kind.__module__.split(".")[0] == "pandas" and kind.__name__ in ("DataFrame", "Series")
        for kind in type(source).__mro__
    )


def convert(source: Any, *, table: str | None = None) -> BoxSet:
    """A box a frame.

    Args:
        source: A table, or a mapping of names to tables.
        table: The name of a single frame's box; ``table`` where None.
    """
    frames: dict[Any, Any] = dict(source) if isinstance(source, Mapping) else {table or "table": source}
    boxes, notes, taken = [], [], set[str]()
    for source_name, frame in frames.items():
        label = box_name(str(source_name), taken)
        taken.add(label)
        if label != source_name:
            notes.append(Note("renamed", f"the frame is called {source_name!r} in the source", label))
        own, names, found = normal_frame(*_pandas(frame, label, notes))
        notes.extend(found)
        notes.extend(lint_categories(own, label))
        boxes.append(held_box(label, own, state=content_state(own), source_name=str(source_name), source_names=names))
    what = "a DataFrame" if len(boxes) == 1 else f"{len(boxes)} DataFrames"
    return BoxSet(boxes, (), notes, [what])


def _pandas(source: Any, box: str, notes: list[Note]) -> tuple[Any, str]:
    """The table as a pandas frame, which for other libraries' tables is a copy."""
    if _is_frame(source):
        return source, box
    import pyarrow as pa

    from boxkit.converters.parquet import arrow_reading

    if _is_lazy(source):
        source = source.collect()
    source, wide = _without_wide(source, box)
    try:
        if hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source) if not isinstance(source, pa.ChunkedArray) else pa.table({"value": source})
        elif hasattr(source, "__arrow_c_array__"):
            batch = pa.record_batch(source) if _is_struct(source) else pa.record_batch({"value": pa.array(source)})
            table = pa.Table.from_batches([batch])
        else:
            from pyarrow.interchange import from_dataframe

            table = from_dataframe(source)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnsupportedValue(f"this table cannot be read through Arrow: {error}", where=box) from error
    labels = field_labels(table.schema.names)
    reading = arrow_reading(table.columns, labels, box, table.num_rows)
    notes.extend(reading.notes)
    frame = reading.frame
    for label, name in zip(labels, table.schema.names, strict=True):
        if name in wide:
            frame[label] = column([None if each is None else int(each) for each in table.column(name).to_pylist()])
    return frame, box


def _without_wide(source: Any, box: str) -> tuple[Any, set[str]]:
    """A table of polars' with its integers of 128 bits, which Arrow has not, as text; and the names of these columns.

    Raises:
        UnsupportedValue: It holds Python objects, which polars hands over as bytes of no meaning.
    """
    if not type(source).__module__.startswith("polars."):
        return source, set()
    frame = source.to_frame() if type(source).__name__ == "Series" else source
    kinds = {name: str(kind) for name, kind in zip(frame.columns, frame.dtypes, strict=True)}
    odd = next((name for name, kind in kinds.items() if kind.startswith("Object")), None)
    if odd is not None:
        hint = f"turn it into text first: frame.with_columns(pl.col({odd!r}).map_elements(str, pl.String))"
        raise UnsupportedValue(f"the column {odd!r} holds Python objects", where=box, hint=hint)
    wide = {name for name, kind in kinds.items() if kind in ("Int128", "UInt128")}
    return (frame.with_columns([frame[name].cast(str) for name in wide]), wide) if wide else (source, wide)


def _is_struct(source: Any) -> bool:
    import pyarrow as pa

    return isinstance(source, pa.RecordBatch) or (hasattr(source, "type") and pa.types.is_struct(source.type))


def normal_frame(frame: Any, box: str) -> tuple[pd.DataFrame, list[str], list[Note]]:
    """A copy with unique text labels, no index but the rows' positions, and column types that BOXes hold.

    Returns:
        The copy, its columns' source names, and notes on what changed.

    Raises:
        UnsupportedValue: A column holds values that no BOX can.
    """
    import pandas as pd

    notes: list[Note] = []
    if isinstance(frame, pd.Series):
        frame = frame.to_frame()
    levels = list(_index_columns(frame, box, notes))
    headers = [*(label for label, _ in levels), *map(_header, frame.columns)]
    labels = field_labels(headers)
    columns = [*(values for _, values in levels), *(frame.iloc[:, at] for at in range(frame.shape[1]))]
    made = {
        at: normal_column(values.reset_index(drop=True), box, label, notes)
        for at, (label, values) in enumerate(zip(labels, columns, strict=True))
    }
    own = pd.DataFrame(made, index=pd.RangeIndex(len(frame)))
    own.columns = pd.Index(list(labels)) if labels else pd.Index([], dtype=object)
    for at, label in enumerate(labels):
        if headers[at] != label or not (at < len(levels) or isinstance(frame.columns[at - len(levels)], (str, tuple))):
            shown = headers[at] if at < len(levels) else frame.columns[at - len(levels)]
            notes.append(Note("renamed", f"the column is called {shown!r} in the source", box, label))
    return own, list(map(str, headers)), notes


def _header(label: Any) -> str:
    if isinstance(label, tuple):
        return " ".join(str(part) for part in label if str(part).strip())
    return "" if label is None else str(label)


def _index_columns(frame: pd.DataFrame, box: str, notes: list[Note]) -> Iterator[tuple[str, Any]]:
    import pandas as pd

    index = frame.index
    if index.nlevels == 1 and index.name is None and (isinstance(index, pd.RangeIndex) or index.dtype.kind in "iu"):
        if not index.equals(pd.RangeIndex(len(frame))):
            notes.append(Note("dropped", "the index only numbered the rows; they are numbered from 0 now", box))
        return
    for at, level in enumerate(index.names):
        label = str(level) if level is not None else "index" if index.nlevels == 1 else f"level_{at}"
        notes.append(Note("renamed", "it was the frame's index", box, label))
        yield label, index.get_level_values(at).to_series(index=pd.RangeIndex(len(frame)))


def normal_column(series: Any, box: str, label: str, notes: list[Note], *, is_own: bool = False) -> Any:
    """A column of values that BOXes hold.

    Args:
        series: The values.
        box: For notes and messages.
        label: For notes and messages.
        notes: Added to.
        is_own: Whether nobody else has the series, so that it need not be copied.

    Raises:
        UnsupportedValue: It holds values that no BOX can.
    """
    import pandas as pd

    dtype = series.dtype

    def cast(values: Any, what: str) -> Any:
        notes.append(Note("cast", what, box, label))
        return values

    if isinstance(dtype, pd.CategoricalDtype):
        order = f", in this order: {', '.join(map(str, dtype.categories[:20]))}" if dtype.ordered else ""
        if isinstance(dtype.categories.dtype, (pd.PeriodDtype, pd.IntervalDtype)):
            # As pandas.cut makes them.
            return cast(series.astype(object).map(str, na_action="ignore"), f"a categorical became its values{order}")
        return cast(
            series.astype(dtype.categories.dtype)
            if not series.isna().any() or dtype.categories.dtype.kind not in "iub"
            else series.astype(object).astype("Int64" if dtype.categories.dtype.kind in "iu" else "boolean"),
            f"a categorical became its values{order}",
        )
    if isinstance(dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        kind = "a period" if isinstance(dtype, pd.PeriodDtype) else "an interval"
        return cast(series.astype(object).map(str, na_action="ignore"), f"{kind} became text")
    if isinstance(dtype, pd.SparseDtype):
        return cast(series.sparse.to_dense(), "a sparse column became a dense one")
    if dtype.kind == "c":
        return cast(series.map(str, na_action="ignore"), "complex numbers became text")
    if isinstance(dtype, pd.ArrowDtype) and dtype.kind == "O":
        return _normal_arrow(series, box, label, notes)
    if dtype.kind == "f" and dtype.itemsize > 8:
        return cast(*_normal_long(series))
    if pd.api.types.is_object_dtype(dtype):
        return _normal_objects(series, box, label, notes)
    return series if is_own else series.copy()


def _normal_arrow(series: Any, box: str, label: str, notes: list[Note]) -> Any:
    import pandas as pd
    import pyarrow as pa

    kind = series.dtype.pyarrow_dtype
    if pa.types.is_dictionary(kind):
        notes.append(Note("cast", "a categorical became its values", box, label))
        return series.astype(pd.ArrowDtype(kind.value_type))
    if not pa.types.is_nested(kind):
        return series.copy()
    return arrow_series(pa.chunked_array(series.array.__arrow_array__()), box, label, notes)


def _normal_long(series: Any) -> tuple[Any, str]:
    """Floats of more than 64 bits: as usual ones where those hold the values, else as text."""
    floats = series.astype("float64")
    if ((floats == series) | series.isna()).all():
        return floats, "floats of more than 64 bits became usual ones"
    return series.astype(object).map(str, na_action="ignore"), "floats of more than 64 bits became text"


def _normal_objects(series: Any, box: str, label: str, notes: list[Note]) -> Any:
    import datetime
    import decimal
    import uuid

    import numpy as np
    import pandas as pd

    nested = (Mapping, list, tuple, np.ndarray)
    kinds = set(map(type, series))
    held = (str, int, float, bool, bytes, type(None), decimal.Decimal, datetime.date, datetime.time, datetime.timedelta)
    other = {
        kind for kind in kinds if not issubclass(kind, (*held, np.generic)) and kind not in (type(pd.NA), type(pd.NaT))
    }
    if not other:
        return series.copy()
    if all(issubclass(kind, nested) for kind in other):
        notes.append(Note("cast", "nested values became JSON text", box, label))
        return series.map(lambda cell: json_text(cell) if isinstance(cell, nested) else cell)
    if all(issubclass(kind, (uuid.UUID, complex)) for kind in other):
        notes.append(
            Note("cast", f"{', '.join(sorted(kind.__name__ for kind in other))} values became text", box, label)
        )
        return series.map(lambda cell: str(cell) if isinstance(cell, (uuid.UUID, complex)) else cell)
    what = ", ".join(sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in other))
    raise UnsupportedValue(
        f"the column {label!r} holds values of type {what}, which a BOX cannot hold",
        where=box,
        hint=f"drop the column, or turn it into text first: df[{label!r}].map(str)",
    )
