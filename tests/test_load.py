# ruff: noqa: E501 - scripts as they stand
"""`load`: which converter reads what, what it costs to import, and how errors read."""

from __future__ import annotations

import contextlib
import copy
import gzip
import pickle
import sqlite3
import subprocess
import sys
import zipfile
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import boxkit
from boxkit.converters import Converter, SourceFile, converter, converter_for, converter_names, registry
from boxkit.errors import BoxkitError, UnknownFormat, UnreadableSource


@pytest.fixture(autouse=True)
def fresh_registry(monkeypatch: pytest.MonkeyPatch):
    registry._foreign.cache_clear()
    yield
    monkeypatch.undo()
    registry._foreign.cache_clear()


def points(monkeypatch: pytest.MonkeyPatch, *found: tuple[str, str]) -> None:
    made = [EntryPoint(name, value, registry.GROUP) for name, value in found]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: made if group == registry.GROUP else [])


@pytest.mark.parametrize("name", sorted(registry.BUILTIN))
def test_every_converter_has_the_protocol_its_name_and_refuses_what_is_not_its_own(name: str, tmp_path: Path) -> None:
    each = converter(name)
    assert isinstance(each, Converter) and each.name == name
    (tmp_path / "odd.bin").write_bytes(b"\x00\x01\x02" * 20)
    for stranger in (SourceFile.of(tmp_path / "odd.bin"), object(), 7, None, SimpleNamespace()):
        assert each.accepts(stranger) == 0.0


class Shouting:
    """A third party's converter: text in capitals."""

    name = "shout"

    def accepts(self, source: Any) -> float:
        return 1.0 if isinstance(source, SourceFile) and source.head.startswith(b"SHOUT") else 0.0

    def convert(self, source: SourceFile, *, times: int = 1) -> boxkit.BoxSet:
        words = source.path.read_text().split()[1:] * times
        return boxkit.load(pd.DataFrame({"word": words}))


def test_a_third_party_comes_through_the_same_door(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    points(monkeypatch, ("shout", f"{__name__}:Shouting"))
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(Shouting=Shouting))
    path = tmp_path / "a.txt"
    path.write_text("SHOUT one two")
    assert "shout" in converter_names() and converter_for(SourceFile.of(path)).name == "shout"
    assert boxkit.load(path, times=2)["table"].count() == 4


@pytest.mark.parametrize("found", [[("csv", "mine:csv")], [("x", "mine:x"), ("x", "yours:x")]])
def test_a_doubled_name_is_an_error_that_names_both(
    monkeypatch: pytest.MonkeyPatch, found: list[tuple[str, str]]
) -> None:
    points(monkeypatch, *found)
    with pytest.raises(BoxkitError, match="two converters are named") as caught:
        converter_names()
    assert found[-1][1] in str(caught.value)


HEAVY = (
    "rdflib",
    "duckdb",
    "sqlalchemy",
    "torch",
    "faiss",
    "openai",
    "lxml",
    "python_calamine",
    "networkx",
    "polars",
    "fsspec",
)


@pytest.mark.parametrize(("name", "content"), [("a.csv", b"a,b\n1,x\n"), ("a.json", b'[{"a": 1}]')])
def test_loading_a_file_imports_nothing_that_it_does_not_need(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    code = f"import sys, boxkit; boxkit.load({str(tmp_path / name)!r})['a'].frame; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_loading_a_database_imports_no_pandas_until_it_is_read(tmp_path: Path) -> None:
    code = (
        "import sys, sqlite3, boxkit; c = sqlite3.connect(sys.argv[1]); c.execute('CREATE TABLE t(a INTEGER)'); c.commit();"
        "b = boxkit.load(sys.argv[1]); print('pandas' in sys.modules); b['t'].frame; print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.sqlite")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "True"]


def test_one_kind_each_refuses_the_others_by_name(tmp_path: Path, data: Path) -> None:
    table, database = tmp_path / "a.csv", data / "sample_dbs" / "chinook" / "Chinook_Sqlite.sqlite"
    table.write_text("a,b\n1,2\n")
    assert boxkit.from_table(table)["a"].count() == 1 and len(boxkit.from_database(database)) == 11
    with pytest.raises(UnknownFormat, match="no table but sqlite"):
        boxkit.from_table(database)
    with pytest.raises(UnknownFormat, match="no database but csv"):
        boxkit.from_database(table)
    with pytest.raises(UnknownFormat, match="no graph but csv"):
        boxkit.from_graph(table)


def test_nothing_to_load_is_a_callers_slip() -> None:
    with pytest.raises(TypeError, match="at least one source"):
        boxkit.load()


def test_a_device_is_neither_file_nor_folder() -> None:
    with pytest.raises(UnreadableSource, match="neither"):
        boxkit.load("/dev/null")


def test_an_http_address_is_fetched(tmp_path: Path) -> None:
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from threading import Thread

    (tmp_path / "a b.csv").write_text("a,b\n1,x\n")
    handler = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None, "directory": str(tmp_path)})
    with ThreadingHTTPServer(("127.0.0.1", 0), lambda *args: handler(*args, directory=str(tmp_path))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert boxkit.load(f"{address}/a%20b.csv")["a_b"].count() == 1
        with pytest.raises(BoxkitError, match="404"):
            boxkit.load(f"{address}/none.csv")
        server.shutdown()


def test_other_addresses_go_through_fsspec() -> None:
    import fsspec

    with fsspec.open("memory://folder/cities.csv", "w") as file:
        file.write("city,n\nOslo,1\n")
    assert boxkit.load("memory://folder/cities.csv")["cities"].frame["city"].tolist() == ["Oslo"]
    with pytest.raises(BoxkitError):
        boxkit.load("nosuch://folder/cities.csv")


def test_only_files_of_known_data_kinds_in_a_folder_become_tables(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    (tmp_path / "b.json").write_text('[{"x": 1}]')
    for name in ("tool.py", "README.md", "run.log", "LICENSE", "odd.xyz"):
        (tmp_path / name).write_text("one, two\nthree, four\n")
    (tmp_path / "p.png").write_bytes(b"\x89PNG\r\n\x1a\n\x00")
    (tmp_path / "more").mkdir()
    boxes = boxkit.load(tmp_path)
    assert set(boxes) == {"a", "b"}
    others, folders = (note.message for note in boxes.notes if note.kind == "skipped")
    assert "6 files" in others and "'README.md'" in others and "'more'" in folders


def test_a_damaged_file_of_a_folder_or_pattern_does_not_hide_the_others(tmp_path: Path) -> None:
    (tmp_path / "good.csv").write_text("id,x\n1,2\n")
    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"id,x\n1,2\n" * 1000)[:30])
    for source in (tmp_path, tmp_path / "*"):
        boxes = boxkit.load(source)
        assert list(boxes) == ["good"]
        assert any(note.kind == "unreadable" and "cut.csv.gz" in note.message for note in boxes.notes)
    (tmp_path / "good.csv").unlink()
    with pytest.raises(UnreadableSource, match="damaged"):
        boxkit.load(tmp_path / "*")


def test_archives_give_every_file_they_hold_wherever_it_would_go(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        for name in ("a.csv", "deep/b.csv", "../../c.csv", "/d.csv", "__MACOSX/._a.csv"):
            archive.writestr(name, "id\n1\n")
    boxes = boxkit.load(tmp_path / "all.zip")
    assert {box.source_name for box in boxes.values()} == {"a", "b", "c", "d"}
    with zipfile.ZipFile(tmp_path / "none.zip", "w"):
        pass
    with pytest.raises(UnreadableSource, match="holds no file"):
        boxkit.load(tmp_path / "none.zip")


def test_a_list_of_paths_is_told_how_to_give_them(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match=r"load\(\*sources\)"):
        boxkit.load([tmp_path / "a.csv", "b.csv"])


def test_a_folder_of_several_kinds_is_linked_as_its_files_are_one_by_one(tmp_path: Path) -> None:
    """Who puts a CSV file beside a database means to ask of both."""
    (tmp_path / "sale.csv").write_text("buyer,pieces\nAnna,3\nBob,1\nChloé,2\n", encoding="utf-8")
    with contextlib.closing(sqlite3.connect(tmp_path / "crm.sqlite")) as connection:
        connection.execute("create table customer(id integer primary key, name text)")
        connection.executemany("insert into customer(name) values (?)", [("Anna",), ("Bob",), ("Chloé",)])
        connection.commit()
    alone = boxkit.load(tmp_path / "sale.csv", tmp_path / "crm.sqlite")
    assert [str(key) for key in boxkit.load(tmp_path).foreign_keys] == [str(key) for key in alone.foreign_keys] != []


def test_a_set_of_boxes_is_its_own_copy_and_says_how_it_is_kept() -> None:
    boxes = boxkit.load(pd.DataFrame({"a": [1]}))
    assert copy.deepcopy({"boxes": boxes})["boxes"] is boxes
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(boxes)


@pytest.mark.parametrize("ending", [".sqlite", ".sqlite3", ".db", ".duckdb", ".db3"])
def test_a_file_that_is_not_what_its_name_says_is_read_and_noted(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"crm{ending}"
    path.write_text("id,name\n1,Ada\n")
    boxes = boxkit.load(path)
    assert boxes["crm"].frame["name"].tolist() == ["Ada"]
    assert any(f"'crm{ending}' holds csv" in note.message for note in boxes.notes)
    (tmp_path / "fine.csv").write_text("id,name\n1,Ada\n")
    assert not boxkit.load(tmp_path / "fine.csv").notes
