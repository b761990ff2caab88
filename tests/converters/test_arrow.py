"""Arrow, Feather and Parquet files: the schema at once, and of the rows only what is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import boxkit

TABLE = pa.table(
    {
        "a": pa.chunked_array([[1, None], [2**53 + 1]]),
        "b": pa.chunked_array([["x", None], ["é"]]),
        "c": pa.chunked_array([[1.5, None], [2.0]]),
    }
)


def write(path: Path, table: Any) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".feather":
        pyarrow.feather.write_feather(table, path)
    else:
        opened = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
        with opened(str(path), table.schema) as writer:
            writer.write_table(table)


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow", ".arrows"])
def test_columns_rows_and_counts_are_those_asked_for(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"made{suffix}"
    write(path, TABLE)
    box = boxkit.load(path)["made"]
    assert not box.is_read and box.count() == 3
    assert [field.type for field in box.fields] == ["integer", "text", "number"]
    some = box.read(["b", "a"], limit=2)
    assert some.columns.tolist() == ["b", "a"] and len(some) == 2 and some["a"].tolist()[0] == 1
    assert len(box.read([])) == 3 and box.read(limit=0).columns.tolist() == ["a", "b", "c"]
    assert box.frame["a"].tolist()[2] == 2**53 + 1 and box.frame["b"].tolist()[::2] == ["x", "é"]


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow", ".arrows"])
def test_a_frame_does_not_change_with_its_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"made{suffix}"
    write(path, pa.table({"a": list(range(5000)), "b": [str(at) for at in range(5000)]}))
    frame = boxkit.load(path)["made"].frame
    with path.open("r+b") as file:
        file.write(b"\0" * path.stat().st_size)
    assert frame["a"].tolist() == list(range(5000)) and frame["b"].iloc[-1] == "4999"


def test_columns_of_one_name_are_read_by_their_place(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    write(path, pa.table([[1, 2], ["x", "y"]], names=["a", "a"]))
    box = boxkit.load(path)["made"]
    assert box.frame.iloc[:, 1].tolist() == ["x", "y"] and box.read(limit=1).iloc[:, 0].tolist() == [1]
