"""What a user hands to `load` becomes files and objects: paths, globs, folders, archives, URLs, objects as they are."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from boxkit.box import Note
from boxkit.converters.fetch import fetched, saved_stream
from boxkit.converters.source import SourceFile
from boxkit.converters.unpack import is_archive, unpacked
from boxkit.errors import SourceNotFound, UnknownFormat, UnreadableSource, nearest

__all__ = ["Located", "locate"]

#: Converters that take an address as it is.
_SERVICES = ("sqlalchemy", "sparql")

#: What a converter says at least of a file that is surely its own kind.
_SURE = 0.5
#: Files that people keep beside their data.
_NO_DATA = frozenset(
    ".py .ipynb .r .jl .js .ts .css .sh .bat .c .h .cpp .java .go .rs .sql .md .rst .tex .log .toml .yaml .yml .ini "
    ".cfg .lock .svg .docx .pptx".split()
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


class Located(list[Any]):
    """What one argument stands for.

    Attributes:
        many: Whether it stands for several files (a folder, a glob, an archive), one of which may be unreadable.
        notes: On what was left out.
    """

    many: bool = False
    notes: tuple[Note, ...] = ()


def locate(source: Any, format: str | None = None) -> Located:  # noqa: A002 - as in load
    """The files (as `SourceFile`) or objects that ``source`` stands for.

    Args:
        source: What the user handed over.
        format: The converter that the user named; an address is not fetched for one that asks a service, and of a
            folder every file is taken for it rather than those of known data kinds.

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
        return Located([source]) if format in _SERVICES else _at_url(text, format is None)
    return _at(Path(text).expanduser(), format is None)


def _at_url(url: str, known: bool) -> Located:
    scheme = urlsplit(url).scheme.lower()
    if scheme == "file":
        return _at(Path(url2pathname(url[len("file://") :].removeprefix("localhost"))), known)
    if scheme == "sqlite":
        return _at(
            Path(unquote(urlsplit(url).path.removeprefix("/")) if not url.startswith("sqlite:////") else url[10:]),
            known,
        )
    if _is_service(url):
        return Located([url])
    files = fetched(url)
    return _unpacked(files, many=len(files) > 1)


def _is_service(url: str) -> bool:
    """Whether the address is a database's or a query service's rather than a file's."""
    from boxkit.converters.registry import converter

    return any(converter(name).accepts(url) >= 0.5 for name in _SERVICES)


def _at(path: Path, known: bool) -> Located:
    if path.is_dir():
        return _in_folder(path, known)
    if path.is_file():
        return _unpacked([_file(path)], known=known)
    if path.exists():
        raise UnreadableSource("this is neither a file nor a folder", where=str(path))
    if glob.has_magic(str(path)):
        found = sorted(each for each in glob.glob(str(path), recursive=True) if os.path.isfile(each))
        if not found:
            raise SourceNotFound("no file matches this pattern", where=str(path))
        return _readable([Path(each) for each in found])
    raise SourceNotFound("there is no such file", where=str(path), hint=_neighbours(path))


def _file(path: Path) -> SourceFile:
    file = SourceFile.of(path)
    try:
        _ = file.head
    except OSError as error:
        raise UnreadableSource(f"this file cannot be opened: {error.strerror}", where=str(path)) from error
    return file


def _in_folder(path: Path, known: bool) -> Located:
    if (path / "boxes.json").is_file():
        return Located([_file(path / "boxes.json")])
    there = sorted(each for each in path.iterdir() if not each.name.startswith("."))
    files: list[SourceFile] = []
    notes = _opened([each for each in there if each.is_file()], files)
    kept, others = _parted(files) if known else (files, [])
    folders = [each.name for each in there if each.is_dir()]
    if not kept and notes:
        raise UnreadableSource(f"no file of this folder can be read: {notes[0].message}", where=str(path))
    if not kept:
        what = f"no file of a known data kind ({_shown([each.name for each in others])})" if others else "no file"
        raise UnreadableSource(
            f"this folder holds {what}", where=str(path), hint="name the files, or a pattern (folder/**/*.csv)"
        )
    found = _unpacked(kept, many=True, known=known)
    found.notes = (*notes, *found.notes)
    found.notes += _skipped(others)
    if folders:
        message = f"subfolders are not looked into: {_shown(folders)}; for theirs, name a pattern (folder/**/*.csv)"
        found.notes += (Note("skipped", message),)
    return found


def _is_data(file: SourceFile) -> bool:
    """Whether its content, or its name, is that of a kind of data; program texts and prose are none."""
    if file.suffix in _NO_DATA:
        return False
    if is_archive(file):
        return True
    from boxkit.converters.registry import converter_for

    try:
        return converter_for(file).accepts(file) >= _SURE
    except UnknownFormat:
        return not file.head and file.suffix not in ("", *_NO_DATA)


def _parted(files: list[SourceFile]) -> tuple[list[SourceFile], list[SourceFile]]:
    """Those that are data, and the others."""
    parts: tuple[list[SourceFile], list[SourceFile]] = [], []
    for each in files:
        parts[0 if _is_data(each) else 1].append(each)
    return parts


def _skipped(others: list[SourceFile]) -> tuple[Note, ...]:
    if not others:
        return ()
    files_are = "1 file is" if len(others) == 1 else f"{len(others)} files are"
    return (Note("skipped", f"{files_are} of no known data kind: {_shown([each.name for each in others])}"),)


def _shown(names: list[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _opened(paths: list[Path], files: list[SourceFile]) -> tuple[Note, ...]:
    """Adds the files that open to ``files``; notes on the others, which must not hide them."""
    notes = []
    for path in paths:
        try:
            files.append(_file(path))
        except UnreadableSource as error:
            notes.append(Note("unreadable", str(error).splitlines()[0]))
    return tuple(notes)


def _readable(paths: list[Path]) -> Located:
    """The files of a pattern, without those that cannot be opened or unpacked, which are notes."""
    files: list[SourceFile] = []
    notes = _opened(paths, files)
    found = _unpacked(files, many=True)
    found.notes = (*notes, *found.notes)
    if not found:
        raise UnreadableSource(f"no file of this pattern can be read: {found.notes[0].message}", where=str(paths[0]))
    return found


def _unpacked(files: list[SourceFile], many: bool = False, known: bool = False) -> Located:
    """The files, and those within archives; with ``known``, of an archive with data in it only the data."""
    found = Located()
    found.many = many
    for each in files:
        try:
            is_packed = is_archive(each)
            inner, notes = unpacked(each) if is_packed else ([each], [])
        except UnreadableSource as error:
            if not many:
                raise
            found.notes += (Note("unreadable", str(error).splitlines()[0]),)
            continue
        found.many = found.many or len(inner) > 1 or bool(notes)
        found.notes += tuple(notes)
        data, others = _parted(inner) if known and is_packed else (inner, [])
        if data:
            found.notes += _skipped(others)
        found.extend(data or inner)
    return found


def _neighbours(path: Path) -> str | None:
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return f"the folder {str(path.parent)!r} is not there either"
    close = nearest(path.name, names)
    return f"nearest: {', '.join(map(repr, close))}" if close else None
