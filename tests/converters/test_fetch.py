"""Addresses: files of http servers and of what fsspec reads, patterns among the latter."""

from __future__ import annotations

from importlib.util import find_spec

import fsspec
import pytest

import boxkit
from boxkit.errors import MissingExtra, SourceNotFound


def put(path: str, content: str = "city,n\nOslo,1\n") -> None:
    with fsspec.open(f"memory://{path}", "w") as file:
        file.write(content)


def test_every_file_that_a_pattern_matches_is_a_box() -> None:
    for name in ("a.csv", "b c#1.csv", "c.json"):
        put(f"pattern/{name}")
    boxes = boxkit.load("memory://pattern/*.csv")
    assert {box.source_name for box in boxes.values()} == {"a", "b c#1"}
    assert boxes.sources == ("memory:///pattern/a.csv", "memory:///pattern/b c#1.csv")
    with pytest.raises(SourceNotFound, match="no file matches"):
        boxkit.load("memory://pattern/*.parquet")


def test_a_folder_says_that_it_is_one_and_a_name_with_a_star_is_a_file() -> None:
    put("folder/odd[1]*.csv")
    assert boxkit.load("memory://folder/odd[1]*.csv")["odd_1"].count() == 1
    with pytest.raises(SourceNotFound, match="this is a folder") as caught:
        boxkit.load("memory://folder")
    assert "pattern" in str(caught.value)
    with pytest.raises(SourceNotFound, match="nothing at this address"):
        boxkit.load("memory://folder/none.csv")


@pytest.mark.parametrize(("address", "package"), [("s3://bucket/a.csv", "s3fs"), ("sftp://host/a.csv", "paramiko")])
def test_the_package_that_an_address_needs_is_named(address: str, package: str) -> None:
    if find_spec(package):
        pytest.skip(f"{package} is installed")
    with pytest.raises(MissingExtra, match=f"pip install {package}"):
        boxkit.load(address)


def test_what_a_file_system_raises_of_its_own_is_told_with_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    class NoCredentialsError(Exception):
        pass

    def refused(*_: object, **__: object) -> None:
        raise NoCredentialsError("Unable to locate credentials")

    put("guarded/a.csv")
    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "open", refused)
    with pytest.raises(SourceNotFound, match=r"memory://guarded/a\.csv: .*credentials") as caught:
        boxkit.load("memory://guarded/a.csv")
    assert "key" in str(caught.value)
