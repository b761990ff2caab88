"""Archives and compressed files: each file in them a box, and what is cut off, damaged or a trap said by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest

import boxkit
from boxkit.converters import unpack
from boxkit.errors import UnreadableSource

TABLE = b"id,x\n1,2\n3,4\n"


def tar(path: Path, files: dict[str, bytes], mode: str = "w", links: tuple[str, ...] = ()) -> Path:
    with tarfile.open(path, mode) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name in links:
            link = tarfile.TarInfo(name)
            link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(link)
    return path


@pytest.mark.parametrize(
    ("name", "mode"), [("t.tar", "w"), ("t.tar.gz", "w:gz"), ("t.tgz", "w:gz"), ("t.tar.bz2", "w:bz2"), ("t.x", "w:xz")]
)
def test_each_file_of_a_tar_is_a_box_and_none_is_written_where_its_name_says(
    tmp_path: Path, name: str, mode: str
) -> None:
    inside = tmp_path / "in"
    inside.mkdir()
    path = tar(inside / name, {"a.csv": TABLE, "../b.csv": TABLE, f"{tmp_path}/c.csv": TABLE}, mode, ("link.csv",))
    boxes = boxkit.load(path)
    assert set(boxes) == {"a", "b", "c"} and all(
        box.frame.values.tolist() == [[1, 2], [3, 4]] for box in boxes.values()
    )
    assert sorted(each.name for each in tmp_path.rglob("*")) == ["in", name]


@pytest.mark.parametrize(
    ("suffix", "packed"),
    [
        ("gz", gzip.compress(TABLE)),
        ("bz2", bz2.compress(TABLE)),
        ("xz", lzma.compress(TABLE)),
        ("zst", pa.compress(TABLE, "zstd", asbytes=True)),
    ],
    ids=["gz", "bz2", "xz", "zst"],
)
def test_a_compressed_file_is_read_and_a_cut_off_one_says_what_to_do(
    tmp_path: Path, suffix: str, packed: bytes
) -> None:
    path = tmp_path / f"sales.csv.{suffix}"
    path.write_bytes(packed)
    assert boxkit.load(path)["sales"].frame.values.tolist() == [[1, 2], [3, 4]]
    path.write_bytes(packed[:-8])
    with pytest.raises(UnreadableSource, match="cut off or damaged") as caught:
        boxkit.load(path)
    assert path.name in str(caught.value) and "download it again" in str(caught.value)


def test_a_cut_off_zip_says_so_and_a_cut_off_tar_keeps_what_is_whole(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("a.csv", TABLE)
    cut = tmp_path / "cut.zip"
    cut.write_bytes((tmp_path / "all.zip").read_bytes()[:-30])
    with pytest.raises(UnreadableSource, match=r"cut\.zip: this archive is cut off or damaged"):
        boxkit.load(cut)
    path = tar(tmp_path / "all.tar", {"a.csv": TABLE, "b.csv": TABLE})
    path.write_bytes(path.read_bytes()[:1540])
    boxes = boxkit.load(path)
    assert list(boxes) == ["a"] and any("b.csv" in note.message for note in boxes.notes if note.kind == "unreadable")


def test_a_damaged_file_of_an_archive_hides_no_other(tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", b"id,damaged\n1,2\n")
        archive.writestr("b.csv", TABLE)
        archive.writestr("c.zip", b"PK\x03\x04 cut off")
    path.write_bytes(path.read_bytes().replace(b"id,damaged", b"id,DAMAGED", 1))
    boxes = boxkit.load(path)
    said = [note.message for note in boxes.notes if note.kind == "unreadable"]
    assert list(boxes) == ["b"] and len(said) == 2 and "a.csv" in said[0] and "c.zip" in said[1]


def test_an_archive_of_archives_is_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep.csv.gz", gzip.compress(TABLE))
    assert list(boxkit.load(tar(tmp_path / "all.tar.gz", {"in.zip": inner.getvalue()}, "w:gz"))) == ["deep"]


@pytest.mark.parametrize(
    ("limit", "most", "said"),
    [
        ("_MOST_BYTES", 1000, "bytes, which its size does not promise"),
        ("_MOST_FILES", 2, "2 files"),
        ("_MOST_DEEP", 1, "1 deep"),
    ],
)
def test_an_archive_that_would_fill_the_disk_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, most: int, said: str
) -> None:
    monkeypatch.setattr(unpack, limit, most)
    monkeypatch.setattr(unpack, "_MOST_TIMES", 10)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.csv", b"0" * 1_000_000)
    path = tar(tmp_path / "bomb.tar.gz", {f"{at}.zip": inner.getvalue() for at in range(3)}, "w:gz")
    with pytest.raises(UnreadableSource, match=said):
        boxkit.load(path)


def test_what_is_no_data_in_an_archive_is_left_out_as_in_a_folder(tmp_path: Path) -> None:
    path = tar(tmp_path / "all.tar", {"README.md": b"# Read me\n", "t.csv": TABLE, "run.py": b"import os\n"})
    boxes = boxkit.load(path)
    assert list(boxes) == ["t"]
    assert [note.message for note in boxes.notes if note.kind == "skipped"] == [
        "2 files are of no known data kind: 'README.md', 'run.py'"
    ]
    assert list(boxkit.load(tar(tmp_path / "one.tar", {"NOTES": b"a,b\n1,2\n"}))) == ["NOTES"]
