"""Bytes become text: the byte-order mark first, UTF-8 next, then what the bytes look like."""

from __future__ import annotations

import codecs
import re

from boxkit.box import Note
from boxkit.errors import UnreadableSource

__all__ = ["decode"]

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

#: Encodings of one byte a letter for scripts other than Latin.
_OTHER_SCRIPTS = (
    "cp1251",
    "cp1253",
    "cp1255",
    "cp1256",
    "koi8_r",
    "koi8_u",
    "cp866",
    "iso8859_5",
    "iso8859_7",
    "cp874",
)


def decode(raw: bytes, encoding: str | None, box: str, notes: list[Note]) -> str:
    """The text of ``raw``.

    Args:
        raw: The file's bytes.
        encoding: The encoding to use; found where None.
        box: For notes.
        notes: Added to, where the text is not plain UTF-8.

    Raises:
        UnreadableSource: There is no such encoding.
    """
    if encoding is not None:
        return _as_told(raw, encoding, box, notes)
    for mark, codec in _MARKS:
        if raw.startswith(mark) and (mark != codecs.BOM_UTF8 or _holds_utf8(raw)):
            return _lenient(raw, codec, box, notes)
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        # One bad byte in a long UTF-8 text is damage; several kinds of bytes are another encoding.
        found = _guess(raw)
        if found == "utf-8":
            return _lenient(raw, "utf-8", box, notes)
        text = raw.decode(found, "replace")
        line = raw.count(b"\n", 0, error.start) + 1
        notes.append(Note("cast", f"it is not UTF-8 (line {line}); read as {found}", box))
        return text


def _as_told(raw: bytes, encoding: str, box: str, notes: list[Note]) -> str:
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise UnreadableSource(
            f"there is no encoding {encoding!r}", hint="try utf-8, cp1252, latin-1 or utf-16"
        ) from None
    return _lenient(raw, encoding, box, notes)


def _lenient(raw: bytes, codec: str, box: str, notes: list[Note]) -> str:
    try:
        return raw.decode(codec)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        notes.append(Note("undecodable", f"bytes that are not {codec} (first in line {line}) became \ufffd", box))
        return raw.decode(codec, "replace")


def _guess(raw: bytes) -> str:
    if _mostly_utf8(raw):
        return "utf-8"
    from charset_normalizer import from_bytes

    found = [each.encoding for each in from_bytes(raw[:1_000_000], cp_exclusion=["utf_7"])]
    guess = found[0] if found else "cp1252"
    if _is_of_another_script(raw):
        # Macintosh's encodings of a script look like Windows', and are far rarer.
        return next((each for each in found if each in _OTHER_SCRIPTS), guess)
    if guess.startswith(("cp125", "latin", "iso8859", "mac", "cp8", "cp4", "cp10", "hp_", "cp273", "cp500", "cp037")):
        return _western(raw) if guess not in ("cp1251", "cp1253", "cp1255", "cp1256") else guess
    return guess


def _holds_utf8(raw: bytes) -> bool:
    """Whether a mark of UTF-8 stands before UTF-8; a program may have joined it to another encoding."""
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return _mostly_utf8(raw.removeprefix(codecs.BOM_UTF8))
    return True


def _is_of_another_script(raw: bytes) -> bool:
    """Whether letters past ASCII stand in whole words, as in Cyrillic or Greek, rather than here and there in them."""
    text = raw[:1_000_000].decode("latin-1")
    runs = re.findall(r"[\u00c0-\u00ff]+", text)
    return sum(len(each) for each in runs if len(each) > 2) * 2 > sum(map(len, runs))


def _mostly_utf8(raw: bytes) -> bool:
    text = raw.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(char > "\x7f" for char in text) - bad
    return good > 3 * bad


def _western(raw: bytes) -> str:
    # Latin-1 has control characters where cp1252 has quotes and the euro; nobody writes those in tables.
    try:
        raw.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"
