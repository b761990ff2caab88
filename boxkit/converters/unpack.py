"""Compressed files and archives become local files, gone when the process ends."""

from __future__ import annotations

import bz2
import errno
import gzip
import lzma
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any

from boxkit.box import Note
from boxkit.converters.source import SourceFile
from boxkit.errors import UnreadableSource

__all__ = ["is_archive", "place_for", "unpacked"]


def _open_zstd(path: Path) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


_STREAMS: dict[bytes, tuple[tuple[str, ...], Callable[..., Any]]] = {
    b"\x1f\x8b": ((".gz", ".gzip"), gzip.open),
    b"BZh": ((".bz2",), bz2.open),
    b"\xfd7zXZ\x00": ((".xz",), lzma.open),
    b"\x28\xb5\x2f\xfd": ((".zst", ".zstd"), _open_zstd),
}
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: Files that a zip archive holds where it is a document rather than an archive.
_DOCUMENTS = ("[Content_Types].xml", "mimetype")
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_DAMAGE = (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError, NotImplementedError)
_CHUNK_BYTES = 1_000_000
#: A file may unpack to this many times its own size, or to so many bytes where that is more.
_MOST_TIMES, _MOST_BYTES = 200, 2_000_000_000
#: Files that one archive may hold, and archives that may stand one in another.
_MOST_FILES, _MOST_DEEP = 10_000, 5


@cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="boxkit-", ignore_cleanup_errors=True)


def place_for(name: str) -> Path:
    """A path in a new temporary folder whose last part is that of ``name``; wherever ``name`` would lead."""
    return Path(tempfile.mkdtemp(dir=_folder().name)) / (Path(name).name or "data")


def is_archive(file: SourceFile) -> bool:
    """Whether it is a compressed file or an archive of files (a workbook is neither)."""
    return _is_stream(file) or _is_tar(file) or _is_zip(file)


def _is_stream(file: SourceFile) -> bool:
    return any(file.head.startswith(magic) for magic in _STREAMS)


def _is_tar(file: SourceFile) -> bool:
    """By its mark, or by its name where nothing else says what it is (the oldest kind has no mark)."""
    if file.head[_TAR_MARK_AT : _TAR_MARK_AT + len(_TAR_MARK)] == _TAR_MARK:
        return True
    return file.suffix == ".tar" and b"\0" in file.head[:512]


def _is_zip(file: SourceFile) -> bool:
    if not file.head.startswith(_ZIP):
        return False
    try:
        with zipfile.ZipFile(file.path) as archive:
            return not any(name in _DOCUMENTS for name in archive.namelist())
    except zipfile.BadZipFile:
        # Its list of files is at its end: what is cut off or damaged is known by the first of them.
        return not any(name.encode() in file.head[:200] for name in _DOCUMENTS)


def unpacked(file: SourceFile) -> tuple[list[SourceFile], list[Note]]:
    """The files in it, those of archives in it too, and notes on what cannot be read: one does not hide the others.

    Raises:
        UnreadableSource: Nothing of it can be read: it is damaged, cut off, empty, protected by a password, or would
            take far more room than a file of its size should.
    """
    into = _Unpacking(file)
    into.open(file, 0)
    if not into.files:
        raise into.first or UnreadableSource("this archive holds no file", where=file.label)
    return into.files, into.notes


@dataclass
class _Unpacking:
    """What one file of the user's has been unpacked to so far.

    Attributes:
        outer: The user's file.
        files: Those found.
        notes: On what cannot be read.
        written: Bytes, all files together.
        first: The first error noted; the one to raise where nothing can be read.
    """

    outer: SourceFile
    files: list[SourceFile] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    written: int = 0
    first: UnreadableSource | None = None

    def note(self, error: UnreadableSource) -> None:
        """Note what cannot be read."""
        self.first = self.first or error
        self.notes.append(Note("unreadable", str(error).splitlines()[0]))

    def open(self, file: SourceFile, depth: int) -> None:
        """Add the files in ``file``, or the file itself where it is no archive."""
        if not is_archive(file):
            self.files.append(file)
            if len(self.files) > _MOST_FILES:
                raise self._too_much(f"more than {_MOST_FILES:,} files")
        elif depth == _MOST_DEEP:
            raise self._too_much(f"archives more than {_MOST_DEEP} deep in each other")
        elif _is_stream(file):
            self._of_stream(file, depth)
        elif _is_tar(file):
            self._of_tar(file, depth)
        else:
            self._of_zip(file, depth)

    def _of_stream(self, file: SourceFile, depth: int) -> None:
        suffixes, opener = next(found for magic, found in _STREAMS.items() if file.head.startswith(magic))
        name = file.name[: -len(file.suffix)] if file.suffix in suffixes else file.name
        target = place_for(name)
        try:
            with opener(file.path) as stream:
                self._copy(stream, target)
        except _DAMAGE as error:
            # What came before the damage may be the half of a table; of an archive, it may be whole files.
            inner = SourceFile(target, file.label, file.origin)
            if not target.exists() or not _is_tar(inner):
                raise _damaged(file, "compressed file", error) from error
            self.note(_damaged(file, "archive", error))
        self.open(SourceFile(target, file.label, file.origin), depth + 1)

    def _of_zip(self, file: SourceFile, depth: int) -> None:
        try:
            with zipfile.ZipFile(file.path) as archive:
                named = [(each.filename, each) for each in archive.infolist() if not each.is_dir()]
                self._members(file, named, archive.open, depth)
        except _DAMAGE as error:
            raise _damaged(file, "archive", error) from error

    def _of_tar(self, file: SourceFile, depth: int) -> None:
        found: list[tuple[str, tarfile.TarInfo]] = []
        try:
            with tarfile.open(file.path, "r:") as archive:
                try:
                    # Links may lead anywhere and devices never end; files alone are data.
                    found.extend((each.name, each) for each in archive if each.isreg())
                except tarfile.TarError as error:
                    if not found:
                        raise
                    self.note(_damaged(file, "archive", error))
                self._members(file, found, archive.extractfile, depth)
        except _DAMAGE as error:
            raise _damaged(file, "archive", error) from error

    def _members(
        self, file: SourceFile, named: Iterable[tuple[str, Any]], opener: Callable[[Any], Any], depth: int
    ) -> None:
        for name, member in sorted(named, key=lambda each: each[0]):
            if _is_hidden(name):
                continue
            target = place_for(PurePosixPath(name).name)
            inner = SourceFile(target, f"{file.label}/{name}", file.origin)
            try:
                with opener(member) as stream:
                    self._copy(stream, target)
            except _DAMAGE as error:
                self.note(_damaged(inner, "file of an archive", error))
                continue
            except RuntimeError:
                self.note(_protected(inner))
                continue
            try:
                self.open(inner, depth + 1)
            except _TooMuch:
                raise
            except UnreadableSource as error:
                self.note(error)

    def _copy(self, stream: IO[bytes], target: Path) -> None:
        most = max(_MOST_BYTES, _MOST_TIMES * self.outer.size)
        with target.open("wb") as out:
            while chunk := stream.read(_CHUNK_BYTES):
                self.written += len(chunk)
                if self.written > most:
                    target.unlink()
                    raise self._too_much(f"more than {most:,} bytes")
                out.write(chunk)

    def _too_much(self, what: str) -> _TooMuch:
        for each in self.files:
            each.path.unlink(missing_ok=True)
        hint = "if that is right, unpack it yourself and load the folder"
        return _TooMuch(f"it holds {what}, which its size does not promise", where=self.outer.label, hint=hint)


class _TooMuch(UnreadableSource):
    """An archive made to fill disks."""


def _damaged(file: SourceFile, kind: str, error: BaseException) -> UnreadableSource:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        hint = "make room, or name another folder in TMPDIR"
        return UnreadableSource("there is no room to unpack it", where=file.label, hint=hint)
    hint = "copy or download it again, and compare its size with the original's"
    return UnreadableSource(f"this {kind} is cut off or damaged: {error}", where=file.label, hint=hint)


def _protected(file: SourceFile) -> UnreadableSource:
    hint = "unpack it yourself and load the folder"
    return UnreadableSource("it is protected by a password", where=file.label, hint=hint)


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "__MACOSX")) and part not in ("..", ".") for part in PurePosixPath(name).parts)
