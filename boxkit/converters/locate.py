"""What a user hands to `load` becomes files and objects: paths, globs, folders, archives, URLs, objects as they are."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from boxkit.converters.source import SourceFile
from boxkit.converters.unpack import fetched, is_archive, saved_stream, unpacked
from boxkit.errors import SourceNotFound, UnreadableSource, nearest

__all__ = ["Located", "locate"]

#: Converters that take an address as it is.
_SERVICES = ("sqlalchemy", "sparql")

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class Located(list[Any]):
    """What one argument stands for.

    Attributes:
        many: Whether it stands for several files (a folder, a glob, an archive), one of which may be unreadable.
    """

    many: bool = False


def locate(source: Any, format: str | None = None) -> Located:  # noqa: A002 - as in load
    """The files (as `SourceFile`) or objects that ``source`` stands for.

    Args:
        source: What the user handed over.
        format: The converter that the user named; an address is not fetched for one that asks a service.

    Raises:
        SourceNotFound: Nothing is there.
        UnreadableSource: It is there, but is no file that can be opened.
    """
    if isinstance(source, SourceFile) or not isinstance(source, (str, os.PathLike)):
        if hasattr(source, "read") and not hasattr(source, "execute"):
            return _unpacked([saved_stream(source)])
        return Located([source])
    text = os.fspath(source)
    if isinstance(text, bytes):
        text = os.fsdecode(text)
    if not text.strip():
        raise SourceNotFound("the source is an empty text", hint="name a file, a folder, an address or a pattern")
    if isinstance(source, str) and _SCHEME.match(text):
        return Located([source]) if format in _SERVICES else _at_url(text)
    return _at(Path(text).expanduser())


def _at_url(url: str) -> Located:
    scheme = urlsplit(url).scheme.lower()
    if scheme == "file":
        return _at(Path(url2pathname(url[len("file://") :].removeprefix("localhost"))))
    if scheme == "sqlite":
        return _at(
            Path(unquote(urlsplit(url).path.removeprefix("/")) if not url.startswith("sqlite:////") else url[10:])
        )
    if _is_service(url):
        return Located([url])
    return _unpacked([fetched(url)])


def _is_service(url: str) -> bool:
    """Whether the address is a database's or a query service's rather than a file's."""
    from boxkit.converters.registry import converter

    return any(converter(name).accepts(url) >= 0.5 for name in _SERVICES)


def _at(path: Path) -> Located:
    if path.is_dir():
        return _in_folder(path)
    if path.is_file():
        return _unpacked([_file(path)])
    if path.exists():
        raise UnreadableSource("this is neither a file nor a folder", where=str(path))
    if glob.has_magic(str(path)):
        found = sorted(each for each in glob.glob(str(path), recursive=True) if os.path.isfile(each))
        if not found:
            raise SourceNotFound("no file matches this pattern", where=str(path))
        return _unpacked([_file(Path(each)) for each in found], many=True)
    raise SourceNotFound("there is no such file", where=str(path), hint=_neighbours(path))


def _file(path: Path) -> SourceFile:
    file = SourceFile.of(path)
    try:
        _ = file.head
    except OSError as error:
        raise UnreadableSource(f"this file cannot be opened: {error.strerror}", where=str(path)) from error
    return file


def _in_folder(path: Path) -> Located:
    if (path / "boxes.json").is_file():
        return Located([_file(path / "boxes.json")])
    files = sorted(each for each in path.iterdir() if each.is_file() and not each.name.startswith("."))
    if not files:
        raise UnreadableSource(
            "this folder holds no file", where=str(path), hint="name the files, or a pattern (folder/**/*.csv)"
        )
    return _unpacked([_file(each) for each in files], many=True)


def _unpacked(files: list[SourceFile], many: bool = False) -> Located:
    found = Located()
    found.many = many
    for each in files:
        inner = list(unpacked(each)) if is_archive(each) else [each]
        found.many = found.many or len(inner) > 1
        found.extend(inner)
    return found


def _neighbours(path: Path) -> str | None:
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return f"the folder {str(path.parent)!r} is not there either"
    close = nearest(path.name, names)
    return f"nearest: {', '.join(map(repr, close))}" if close else None
