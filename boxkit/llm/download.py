"""One large file over HTTP: it goes on where it stopped, is checked, and appears whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from boxkit.errors import LLMError, ServerUnavailable

__all__ = ["Source", "download", "sha256_of"]

_PIECE = 2**20
_IDLE_TRIES = 4


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file can be read.

    Attributes:
        url: Its address, for a while.
        headers: What must be sent along.
    """

    url: str
    headers: Mapping[str, str]


def download(
    source: Callable[[], Source],
    target: Path,
    *,
    size: int,
    sha256: str,
    timeout_s: float,
    on_progress: Callable[[int], None],
    pause_s: float = 1.0,
) -> None:
    """Fetch a file to ``target``.

    What has arrived lies beside it in a ``.part`` file, named by the checksum, so that a later call goes on from there
    and never mixes two versions.

    Args:
        source: Gives the address; asked again after each break, since such addresses expire.
        target: The file to write.
        size: Its size in bytes.
        sha256: Its checksum; a file that differs is deleted.
        timeout_s: The longest silence, in seconds.
        on_progress: Told the number of bytes that are here.
        pause_s: The wait after a break, in seconds.

    Raises:
        ServerUnavailable: The connection broke several times with nothing gained.
        LLMError: What came is not the file expected.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.{sha256[:16]}.part")
    idle = 0
    while (here := part.stat().st_size if part.exists() else 0) < size:
        on_progress(here)
        try:
            _go_on(source(), part, here, timeout_s, on_progress)
            broke: Exception | None = None
        except (OSError, http.client.HTTPException) as error:
            broke = error
        idle = 0 if part.exists() and part.stat().st_size > here else idle + 1
        if idle >= _IDLE_TRIES:
            gained = f"{part.stat().st_size if part.exists() else 0} of {size} bytes are here"
            hint = "try again: it goes on where it stopped"
            raise ServerUnavailable(f"the download broke off, {gained}: {broke or 'nothing more came'}", hint=hint)
        if broke is not None:
            time.sleep(pause_s)
    on_progress(size)
    _take(part, target, sha256)


def _go_on(source: Source, part: Path, here: int, timeout_s: float, on_progress: Callable[[int], None]) -> None:
    range_wanted = {"Range": f"bytes={here}-"} if here else {}
    request = urllib.request.Request(source.url, headers=range_wanted)  # noqa: S310 - the hub's own http(s) address
    for name, value in source.headers.items():
        # Not sent on to another server that this one may name.
        request.add_unredirected_header(name, value)
    with urllib.request.urlopen(request, timeout=timeout_s) as response:  # noqa: S310 - the hub's own http(s) address
        # A server that knows no ranges sends it all again.
        resumed = response.status == http.HTTPStatus.PARTIAL_CONTENT
        here = here if resumed else 0
        with part.open("ab" if resumed else "wb") as file:
            while piece := response.read1(_PIECE):
                file.write(piece)
                here += len(piece)
                on_progress(here)


def _take(part: Path, target: Path, sha256: str) -> None:
    actual = sha256_of(part)
    if actual != sha256:
        part.unlink()
        hint = "it was deleted; fetch it again, and if it happens again do not trust that source"
        raise LLMError(f"{target.name} is not the file expected: SHA-256 {actual}, not {sha256}", hint=hint)
    os.replace(part, target)


def sha256_of(path: Path) -> str:
    """The file's SHA-256 in hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
