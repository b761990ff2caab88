"""SQL over frames and graphs through DuckDB: every value and every name is what pandas says, with either pandas."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import boxkit
from boxkit.canonical import canonical_rows
from boxkit.sql import engine_for, schema_text
from boxkit.strategies import Text2SQL
from boxkit.testing import ScriptedLLM

NANOSECOND = pd.Timestamp("2020-01-01 00:00:00.123456789")
INDIA = dt.timezone(dt.timedelta(hours=5, minutes=30))


def objects(*values):
    return pd.Series(list(values), dtype=object)


COLUMNS = {
    "integers": [1, 2, 3],
    "integers with gaps": pd.array([1, None, 3], dtype="Int64"),
    "integers past a float's": pd.array([2**53 + 1, None, 2**62 + 1], dtype="Int64"),
    "unsigned": pd.array([2**64 - 1, 0, None], dtype="UInt64"),
    "integers as objects": objects(2**60 + 1, None, 3),
    "integers past 64 bits": objects(2**70, None, -1),
    "floats": [1.5, np.nan, np.inf],
    "booleans with gaps": pd.array([True, None, False], dtype="boolean"),
    "booleans as objects": objects(True, None, False),
    "decimals": objects(Decimal("1.10"), None, Decimal("123456789012345678.123")),
    "dates": objects(dt.date(2020, 1, 1), None, dt.date(1500, 1, 1)),
    "times": objects(dt.time(1, 2, 3, 4), None, dt.time(23, 59)),
    "moments": pd.Series([pd.Timestamp("2020-01-01 10:00:00.123456"), pd.NaT, pd.Timestamp("1999-12-31")]),
    "moments past nanoseconds": objects(dt.datetime(1, 1, 1), None, dt.datetime(9999, 12, 31, 23, 59)),
    "moments of nanoseconds": pd.Series([NANOSECOND, pd.NaT, pd.Timestamp("2020-01-02")]),
    "moments in a zone": pd.to_datetime(objects("2020-01-01", None, "2020-07-01")).dt.tz_localize("Europe/Berlin"),
    "moments in zones": objects(dt.datetime(2020, 1, 1, tzinfo=INDIA), None, dt.datetime(2020, 7, 1, tzinfo=dt.UTC)),
    "durations": pd.to_timedelta(objects("1 days 02:00:00", None, "-1 min")),
    "durations as objects": objects(dt.timedelta(days=400, microseconds=7), None, dt.timedelta(0)),
    "bytes": objects(b"\x00\xff", None, b""),
    "texts": ["a", None, "ü\n'\"\\"],
    "texts with a zero": objects("a\0b", None, "c"),
    "categories": pd.Categorical(["x", None, "y"]),
    "categories of numbers": pd.Categorical([1, None, 2]),
    "lists": objects([1, 2], None, []),
    "lists of several types": objects([1, "a"], None, []),
    "dicts": objects({"a": 1}, None, {"b": "x"}),
    "periods": pd.period_range("2020-01", periods=3, freq="M").to_series(),
    "nothing": objects(None, None, None),
    "Arrow's decimals": pd.Series([Decimal("1.5"), None], dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
    "Arrow's lists": pd.Series([[1], None, [2, 3]], dtype=pd.ArrowDtype(pa.list_(pa.int64()))),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_value_of_any_type_comes_back_as_pandas_has_it(name):
    values = pd.Series(COLUMNS[name]).reset_index(drop=True)
    boxes = boxkit.load({"t": pd.DataFrame({"k": range(len(values)), "v": values})})
    fetched = engine_for(boxes).query("SELECT v FROM t ORDER BY k")
    own, theirs = canonical_rows(fetched.frame)[0], canonical_rows(boxes["t"].frame[["v"]])[0]
    assert own == theirs
    assert [type(cell) for (cell,) in own] == [type(cell) for (cell,) in theirs]


@pytest.mark.parametrize("values", [[1, "x", None], [1, True, None], [Decimal("1e30"), Decimal("1e-9"), None]])
def test_what_no_one_type_holds_is_text_and_the_schema_says_so(values):
    boxes = boxkit.load({"t": pd.DataFrame({"v": objects(*values)})})
    engine = engine_for(boxes)
    assert engine.query("SELECT v FROM t").frame.v.astype(object).where(lambda cell: cell.notna(), None).tolist() == [
        None if value is None else str(value) for value in values
    ]
    assert "cells of several types" in schema_text(boxes, native=False, as_text=engine.as_text)


def test_a_day_begins_where_utc_says_not_with_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    moments = pd.Series(pd.to_datetime(["2020-01-01 00:30"])).dt.tz_localize("UTC")
    engine = engine_for(boxkit.load({"t": pd.DataFrame({"v": moments})}))
    assert engine.query("SELECT strftime(v, '%d %H:%M') AS day FROM t").frame.day.tolist() == ["01 00:30"]


def test_names_that_sql_would_read_otherwise_are_quoted_and_all_found():
    labels = ["select", 'a"b', "größe", "order", ";--", "x\ny", "a b", "User"]
    frame = pd.DataFrame([list(range(len(labels)))], columns=labels)
    boxes = boxkit.load({"select": frame, "group": frame, "straße": frame})
    engine = engine_for(boxes)
    text = schema_text(boxes, native=False, renamed=engine.renamed, dialect="duckdb")
    assert all(quoted in text for quoted in ('"select" INTEGER', '"a""b" INTEGER', '"order" INTEGER', 'TABLE "group"'))
    for name, box in boxes.items():
        for at, each in enumerate(box.fields):
            quoted = each.label.replace('"', '""')
            assert engine.query(f'SELECT "{quoted}" AS v FROM "{name}"').frame.v.tolist() == [at]


def test_names_that_differ_in_case_only_stay_apart():
    boxes = boxkit.load(
        {"Item": pd.DataFrame({"A": [1], "a": [2]}), "item": pd.DataFrame({"a": [3], "a_2": [4], "A": [5]})}
    )
    llm = ScriptedLLM(["```sql\nSELECT Item.A, Item.a_2, item_2.a, item_2.a_2, item_2.A_3 FROM Item, item_2\n```"])
    answer = Text2SQL(llm).ask("All?", boxes).check()
    assert answer.rows == [(1, 2, 3, 4, 5)]
    assert (
        "CREATE TABLE item_2 (\n  a INTEGER,  -- e.g. 3\n  a_2 INTEGER,  -- e.g. 4\n  A_3 INTEGER"
        in llm.requests[0].text
    )


GRAPH = """@prefix e: <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
e:ada a e:Person ; e:name "Ada" ; e:born "1815-12-10"^^xsd:date ; e:knows e:grace, e:emmy ; e:height 1.65 .
e:grace a e:Person ; e:name "Grace"@en ; e:knows e:ada .
e:emmy a e:Person ; e:name "Emmy" .
e:london a e:City ; e:name "London" ; e:population 9007199254740993 .
"""


def test_the_boxes_of_a_graph_give_the_same_rows_to_sql_and_to_pandas(tmp_path):
    (tmp_path / "people.ttl").write_text(GRAPH, encoding="utf-8")
    boxes = boxkit.load(tmp_path / "people.ttl")
    engine = engine_for(boxes)
    assert engine.dialect == "duckdb"
    for name, box in boxes.items():
        assert canonical_rows(engine.query(f'SELECT * FROM "{name}"').frame)[0] == canonical_rows(box.frame)[0], name
    joined = """SELECT a.person_label, b.person_label FROM person_knows k
JOIN person a USING (person_id) JOIN person b ON b.person_id = k.knows"""
    run = boxkit.execute(
        "named = person[['person_id', 'person_label']]\n"
        "j = person_knows.merge(named, on='person_id')\n"
        "j = j.merge(named, left_on='knows', right_on='person_id', suffixes=('', '_other'))\n"
        "answer = j[['person_label', 'person_label_other']]",
        boxes,
    )
    assert run.ok, run.error
    fetched = engine.query(joined)
    assert sorted(canonical_rows(fetched.frame)[0]) == sorted(canonical_rows(run.answer)[0])
    assert len(fetched.frame) == 3
