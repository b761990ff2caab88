"""Arrow, Feather and Parquet files: the schema at once, and of the rows only what is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
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


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".arrow", ".arrows"])
def test_columns_read_chunk_by_chunk_are_those_read_at_once(tmp_path: Path, suffix: str) -> None:
    rows = 3_000
    whole = pa.table(
        {
            "integers": pa.array([None if at % 3 == 0 and at > 2000 else at * 2**50 for at in range(rows)]),
            "none": pa.array([None] * rows, pa.int64()),
            "numbers": pa.array([None if at % 5 == 0 else at / 7 for at in range(rows)]),
            "texts": pa.array([None if at % 4 == 0 else f"é{at}" for at in range(rows)]),
            "small": pa.array([at % 100 for at in range(rows)], pa.int8()),
            "days": pa.array(list(range(rows)), pa.date32()),
            "lists": pa.array([[at] if at % 2 else None for at in range(rows)]),
            "codes": pa.array([f"c{at % 9}" for at in range(rows)]).dictionary_encode(),
        }
    )
    parts = pa.concat_tables([whole.slice(start, 1_000) for start in range(0, rows, 1_000)])
    path = tmp_path / f"made{suffix}"
    if suffix == ".parquet":
        pq.write_table(parts, path, row_group_size=1_000)
    else:
        write(path, parts)
    frame = boxkit.load(path)["made"].frame
    for name in whole.column_names[:4]:
        assert [None if pd.isna(cell) else cell for cell in frame[name]] == whole[name].to_pylist()
    assert [str(frame[name].dtype) for name in whole.column_names[:3]] == ["Int64", "Int64", "float64"]
    assert frame["small"].tolist() == whole["small"].to_pylist() and frame["days"].tolist() == whole["days"].to_pylist()
    assert frame["lists"].tolist()[1:4:2] == ["[1]", "[3]"] and frame["codes"].tolist() == whole["codes"].to_pylist()


def test_a_row_longer_than_a_block_is_read_as_the_others_are(tmp_path: Path) -> None:
    path = tmp_path / "made.csv"
    long = "x" * 300_000
    path.write_text("id,text\n" + "".join(f"{at},{'word ' * 9}\n" for at in range(90_000)) + f"90000,{long}\n")
    frame = boxkit.load(path)["made"].frame
    assert frame["id"].tolist() == list(range(90_001)) and frame["text"].iloc[-1] == long


def test_reading_leaves_arrow_with_the_memory_pool_that_it_had(tmp_path: Path) -> None:
    path = tmp_path / "made.parquet"
    write(path, TABLE)
    before = pa.default_memory_pool().backend_name
    assert boxkit.load(path)["made"].frame.shape == (3, 3)
    assert pa.default_memory_pool().backend_name == before
