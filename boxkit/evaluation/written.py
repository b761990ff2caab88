"""The files of a report in its folder: which are boxkit's own, so that another report replaces these and no others."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from boxkit.errors import BoxkitError

__all__ = ["REPORT", "replacing"]

REPORT = "report.md"
#: Name → digest of each file that the folder's report has; an empty digest until the first is whole.
LIST = ".boxkit-report.json"
#: How a report begins, by which one without a list is known.
BEGIN = "# Evaluation\n"


@contextmanager
def replacing(folder: Path, names: Iterable[str]) -> Iterator[set[str]]:
    """Write a report into a folder; what an earlier one has left there is removed when it ends.

    Args:
        folder: Where; made if need be.
        names: The files that may be written.

    Yields:
        To be filled with the names of the files that are written.

    Raises:
        BoxkitError: One of the files is there, and no report's, or someone has changed it since.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names, earlier = set(names), _listed(folder)
    taken = sorted(name for name in names - earlier.keys() if (folder / name).exists())
    if taken and not _is_unlisted_report(folder):
        raise BoxkitError(
            f"it holds {', '.join(taken)}, which no report of boxkit's has written and this one would overwrite",
            where=str(folder),
            hint="name another folder, or move what is there",
        )
    edited = sorted(name for name in names & earlier.keys() if _is_edited(folder / name, earlier[name]))
    if edited:
        raise BoxkitError(
            f"someone has changed {', '.join(edited)} since a report was written there, which this one would overwrite",
            where=str(folder),
            hint="keep what was changed under another name, or name another folder",
        )
    # A report that is cut short leaves files of which no digest is known: the next one may overwrite these.
    _list(folder, {**earlier, **dict.fromkeys(names, "")})
    written: set[str] = set()
    yield written
    for name in earlier.keys() - written:
        if _digest(folder / name) == earlier[name]:  # what someone has changed since is theirs
            (folder / name).unlink()
    _list(folder, {name: _digest(folder / name) for name in sorted(written)})


def _listed(folder: Path) -> dict[str, str]:
    try:
        found = json.loads((folder / LIST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    listed = found.get("files") if isinstance(found, dict) else None
    if not isinstance(listed, dict):
        return {}
    return {name: str(digest) for name, digest in listed.items() if name == Path(name).name}


def _list(folder: Path, files: Mapping[str, str]) -> None:
    (folder / LIST).write_text(json.dumps({"files": files}, indent=2) + "\n", encoding="utf-8")


def _is_unlisted_report(folder: Path) -> bool:
    """Whether a version of boxkit that kept no list has written a report there."""
    try:
        with (folder / REPORT).open(encoding="utf-8") as file:
            return not (folder / LIST).exists() and file.read(len(BEGIN)) == BEGIN
    except (OSError, ValueError):
        return False


def _is_edited(path: Path, digest: str) -> bool:
    return bool(digest) and path.exists() and _digest(path) != digest


def _digest(path: Path) -> str:
    """A file's content in short; a dash where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return "-"
