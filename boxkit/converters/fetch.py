"""Addresses and streams become local files, gone when the process ends."""

from __future__ import annotations

import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from boxkit.converters.source import SourceFile
from boxkit.converters.unpack import place_for
from boxkit.errors import BoxkitError, MissingExtra, SourceNotFound

__all__ = ["fetched", "saved_stream"]

_TIMEOUT_S = 60
_PATTERN = re.compile(r"[*?\[]")


def fetched(url: str) -> list[SourceFile]:
    """Local copies of what stands at an address: http and https by themselves, all others through fsspec.

    Args:
        url: A file's; where fsspec reads it, a pattern's too (``s3://bucket/2024/*.csv``).

    Raises:
        SourceNotFound: There is nothing, or nobody answers.
        MissingExtra: The package that reads such addresses is not installed.
    """
    if not url.lower().startswith(("http://", "https://")):
        return _through_fsspec(url)
    where = _without_password(url)
    request = urllib.request.Request(url, headers={"User-Agent": "boxkit"})  # noqa: S310 - http and https only
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as stream:  # noqa: S310 - http and https only
            return [_copied(stream, unquote(urlsplit(url).path), where)]
    except urllib.error.HTTPError as error:
        raise SourceNotFound(f"the server answered {error.code} {error.reason}", where=where) from error
    except OSError as error:
        raise SourceNotFound(f"the address cannot be read: {getattr(error, 'reason', error)}", where=where) from error


def _through_fsspec(url: str) -> list[SourceFile]:
    where = _without_password(url)
    with _translated(where):
        import fsspec

        filesystem, path = fsspec.core.url_to_fs(url)
        if not _PATTERN.search(path):
            return [_opened(filesystem, path, where)]
        if filesystem.exists(path):
            return [_opened(filesystem, path, where)]
        found = sorted(each for each in filesystem.glob(path) if filesystem.isfile(each))
        if not found:
            raise SourceNotFound("no file matches this pattern", where=where)
        return [_opened(filesystem, each, str(filesystem.unstrip_protocol(each))) for each in found]


def _opened(filesystem: Any, path: str, where: str) -> SourceFile:
    if not path.strip("/") or filesystem.isdir(path):
        raise SourceNotFound("this is a folder", where=where, hint="name a file in it, or a pattern (folder/*.csv)")
    with filesystem.open(path, "rb") as stream:
        return _copied(stream, path, where)


def _copied(stream: IO[bytes], path: str, where: str) -> SourceFile:
    target = place_for(path)
    with target.open("wb") as out:
        shutil.copyfileobj(stream, out)
    return SourceFile(target, where, target)


@contextmanager
def _translated(where: str) -> Iterator[None]:
    """What fsspec's file systems raise, each of its own, becomes boxkit's errors inside the ``with``."""
    try:
        yield
    except BoxkitError:
        raise
    except ImportError as error:
        raise MissingExtra(_package(error)) from error
    except FileNotFoundError as error:
        raise SourceNotFound("there is nothing at this address", where=where) from error
    except ValueError as error:
        raise SourceNotFound(f"no installed package reads such an address: {error}", where=where) from error
    except Exception as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        hint = "check the address, and the user and key that it needs"
        raise SourceNotFound(f"the address cannot be read: {reason}", where=where, hint=hint) from error


def _package(error: ImportError) -> str:
    """The package that fsspec says is missing ("Install s3fs to access S3")."""
    named = re.search(r'[Ii]nstall (?:the )?([\w-]+)|"([\w-]+)"', str(error))
    cause = error.__cause__
    return (named[1] or named[2]) if named else str(getattr(cause, "name", None) or error.name or error)


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    if parts.password is None:
        return url
    return parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":***@")).geturl()


def saved_stream(stream: Any) -> SourceFile:
    """A local copy of what an open file or stream gives."""
    name = str(getattr(stream, "name", "") or "data")
    target = place_for(name if not name.startswith("<") else "data")
    content = stream.read()
    target.write_bytes(content.encode() if isinstance(content, str) else content)
    return SourceFile(target, name, target)
