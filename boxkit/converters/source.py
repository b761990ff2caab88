"""A file as a converter sees it: a local path, what the user calls it, and its first bytes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

__all__ = ["HEAD_BYTES", "SourceFile"]

#: How much of a file is read to tell what it is.
HEAD_BYTES = 65_536
#: Bytes of text for each zero byte, at least, in a text with a few of them.
_TEXT_PER_ZERO = 10
#: Bytes that no text has: control characters other than zero, tabs, line ends, form feeds and escapes.
_CONTROLS = frozenset({*range(1, 9), 11, *range(14, 27), *range(28, 32)})

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"SQLite format 3\x00", "a SQLite database"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE file (old Office, or a password-protected workbook)"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ\x00", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
)


def _is_stained(head: bytes) -> bool:
    """Whether a few zero bytes, such as programs leave, stand in what else is text in UTF-8."""
    if head.count(b"\x00") * _TEXT_PER_ZERO > len(head) or any(byte in _CONTROLS for byte in head):
        return False
    try:
        head[:-3].decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start > len(head) - 7
    return True


@dataclass(frozen=True)
class SourceFile(os.PathLike[str]):
    """A file to convert; path-like, so ``Path(source)`` and ``open(source)`` work.

    Attributes:
        path: Where its bytes are, uncompressed. For an archive's member or a URL, a temporary file of this process.
        label: What the user calls it (path or URL); for messages.
        origin: The user's own file, whose change makes the boxes stale.
    """

    path: Path
    label: str
    origin: Path

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> SourceFile:
        """The file at ``path``, as it is."""
        path = Path(path)
        return cls(path, str(path), path)

    def __fspath__(self) -> str:
        return str(self.path)

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB."""
        with open(self.path, "rb") as file:
            return file.read(HEAD_BYTES)

    @cached_property
    def size(self) -> int:
        """Bytes."""
        return self.path.stat().st_size

    @property
    def suffix(self) -> str:
        """The lower-case suffix with its dot; a hint about the content, never proof."""
        return self.path.suffix.lower()

    @property
    def name(self) -> str:
        """The file's own name."""
        return self.path.name

    @property
    def stem(self) -> str:
        """The file's name without its suffix."""
        return self.path.stem or self.path.name

    @property
    def is_binary(self) -> bool:
        """Whether the first bytes can be no text in any common encoding."""
        head = self.head
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            return False
        return any(head.startswith(magic) for magic, _ in _MAGIC) or (b"\x00" in head and not _is_stained(head))

    @property
    def looks_like(self) -> str:
        """What the first bytes say it is, in words."""
        if not self.head:
            return "an empty file"
        for magic, words in _MAGIC:
            if self.head.startswith(magic):
                return words
        return "a binary file of no known kind" if self.is_binary else "text of no known kind"

    def fingerprint(self) -> str:
        """Changes whenever the user's file does: its place, size and time of change (ns)."""
        try:
            state = self.origin.stat()
        except OSError:
            return f"{self.label} gone"
        return f"{self.label} {state.st_size} {state.st_mtime_ns} {state.st_ino}"
