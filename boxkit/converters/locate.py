"""What a user hands to `load` becomes files and objects: paths, globs, folders, archives, URLs, objects as they are."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from boxkit.converters.source import SourceFile
from boxkit.errors import SourceNotFound, UnreadableSource, nearest

__all__ = ["locate"]


def locate(source: Any) -> Iterator[Any]:
    """The files (as `SourceFile`) or objects that ``source`` stands for.

    Raises:
        SourceNotFound: Nothing is there.
    """
    if not isinstance(source, (str, os.PathLike)) or isinstance(source, SourceFile):
        yield source
        return
    text = os.fspath(source)
    if isinstance(source, str) and text.startswith("file://"):
        yield from _at(Path(unquote(urlsplit(text).path)))
        return
    if isinstance(source, str) and text.startswith("sqlite:///"):
        yield from _at(Path(text.removeprefix("sqlite:///")))
        return
    if isinstance(source, str) and "://" in text.split("?")[0]:
        yield text
        return
    yield from _at(Path(text).expanduser())


def _at(path: Path) -> Iterator[SourceFile]:
    if path.is_file():
        yield SourceFile.of(path)
    elif path.is_dir():
        yield from _in_folder(path)
    elif path.exists():
        raise UnreadableSource("this is neither a file nor a folder", where=str(path))
    elif glob.has_magic(str(path)):
        found = sorted(each for each in glob.glob(str(path), recursive=True) if os.path.isfile(each))
        if not found:
            raise SourceNotFound("no file matches this pattern", where=str(path))
        yield from map(SourceFile.of, found)
    else:
        raise SourceNotFound("there is no such file", where=str(path), hint=_neighbours(path))


def _in_folder(path: Path) -> Iterator[SourceFile]:
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    if not files:
        raise UnreadableSource("this folder holds no file", where=str(path))
    yield from map(SourceFile.of, files)


def _neighbours(path: Path) -> str | None:
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return f"the folder {str(path.parent)!r} is not there either"
    close = nearest(path.name, names)
    return f"nearest: {', '.join(map(repr, close))}" if close else None
