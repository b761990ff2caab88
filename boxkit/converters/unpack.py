"""Compressed files, archives, addresses and streams become local files, gone when the process ends."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from boxkit.converters.source import SourceFile
from boxkit.errors import MissingExtra, SourceNotFound, UnreadableSource

__all__ = ["fetched", "is_archive", "saved_stream", "unpacked"]

_TIMEOUT_S = 60
_STREAMS: dict[bytes, tuple[tuple[str, ...], Callable[..., Any]]] = {
    b"\x1f\x8b": ((".gz", ".gzip"), gzip.open),
    b"BZh": ((".bz2",), bz2.open),
    b"\xfd7zXZ\x00": ((".xz",), lzma.open),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: Files that a zip archive holds where it is a document rather than an archive.
_DOCUMENTS = ("[Content_Types].xml", "mimetype")


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="boxkit-", ignore_cleanup_errors=True)


def _place(name: str) -> Path:
    return Path(tempfile.mkdtemp(dir=_folder().name)) / (Path(name).name or "data")


def is_archive(file: SourceFile) -> bool:
    """Whether it is a compressed file or an archive of files (a workbook is neither)."""
    if any(file.head.startswith(magic) for magic in _STREAMS):
        return True
    if not file.head.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(file.path) as archive:
            return not any(name in _DOCUMENTS for name in archive.namelist())
    except zipfile.BadZipFile:
        return False


def unpacked(file: SourceFile) -> Iterator[SourceFile]:
    """The files in it.

    Raises:
        UnreadableSource: It is damaged, empty, or protected by a password.
    """
    if file.head.startswith(_ZIP):
        yield from _of_zip(file)
        return
    suffixes, opener = next(found for magic, found in _STREAMS.items() if file.head.startswith(magic))
    name = file.name[: -len(file.suffix)] if file.suffix in suffixes else file.name
    target = _place(name)
    try:
        with opener(file.path) as stream, target.open("wb") as out:
            shutil.copyfileobj(stream, out)
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise UnreadableSource(f"this compressed file is damaged: {error}", where=file.label) from error
    yield SourceFile(target, file.label, file.origin)


def _of_zip(file: SourceFile) -> Iterator[SourceFile]:
    try:
        with zipfile.ZipFile(file.path) as archive:
            members = [each for each in archive.infolist() if not each.is_dir() and not _is_hidden(each.filename)]
            if not members:
                raise UnreadableSource("this archive holds no file", where=file.label)
            for member in sorted(members, key=lambda each: each.filename):
                target = _place(PurePosixPath(member.filename).name)
                with archive.open(member) as stream, target.open("wb") as out:
                    shutil.copyfileobj(stream, out)
                inner = SourceFile(target, f"{file.label}/{member.filename}", file.origin)
                yield from unpacked(inner) if is_archive(inner) else [inner]
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise UnreadableSource(f"this archive is damaged: {error}", where=file.label) from error
    except RuntimeError as error:
        raise UnreadableSource(
            "this archive is protected by a password", where=file.label, hint="unpack it yourself and load the folder"
        ) from error


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part != ".." for part in PurePosixPath(name).parts)


def fetched(url: str) -> SourceFile:
    """A local copy of what stands at an address: http and https by themselves, all others through fsspec.

    Raises:
        SourceNotFound: There is nothing, or nobody answers.
        MissingExtra: The package that reads such addresses is not installed.
    """
    target = _place(unquote(urlsplit(url).path))
    try:
        with _opened(url) as stream, target.open("wb") as out:
            shutil.copyfileobj(stream, out)
    except FileNotFoundError as error:
        raise SourceNotFound("there is nothing at this address", where=_without_password(url)) from error
    except urllib.error.HTTPError as error:
        raise SourceNotFound(
            f"the server answered {error.code} {error.reason}", where=_without_password(url)
        ) from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise SourceNotFound(f"the address cannot be read: {reason}", where=_without_password(url)) from error
    return SourceFile(target, _without_password(url), target)


def _opened(url: str) -> IO[bytes]:
    if url.lower().startswith(("http://", "https://")):
        request = urllib.request.Request(url, headers={"User-Agent": "boxkit"})  # noqa: S310 - http and https only
        opened: IO[bytes] = urllib.request.urlopen(request, timeout=_TIMEOUT_S)  # noqa: S310
        return opened
    import fsspec

    try:
        filesystem, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        raise MissingExtra(str(getattr(error, "name", None) or error), "all") from error
    except ValueError as error:
        raise SourceNotFound(
            f"no installed package reads such an address: {error}", where=_without_password(url)
        ) from error
    stream: IO[bytes] = filesystem.open(path, "rb")
    return stream


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":***@")).geturl()


def saved_stream(stream: Any) -> SourceFile:
    """A local copy of what an open file or stream gives."""
    name = str(getattr(stream, "name", "") or "data")
    target = _place(name if not name.startswith("<") else "data")
    content = stream.read()
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    return SourceFile(target, name, target)
