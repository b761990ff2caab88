"""The SQLite databases of a benchmark: boxes by name, and gold queries run as the benchmark's own scripts run them."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets.rows import BadField
from boxkit.evaluation.sqlite_files import Results, connected

if TYPE_CHECKING:
    from boxkit.box import BoxSet

__all__ = ["Databases", "Kept", "NamedBoxes"]

#: Databases whose boxes are kept in memory.
_KEPT = 24
#: Seconds after which a gold query is given up.
_GOLD_S = 600.0
_STEPS = 100_000
_MAGIC = b"SQLite format 3\0"
_SUFFIXES = (".sqlite", ".sqlite3", ".db")


class Kept:
    """The boxes of sources; the last few are kept, as a benchmark asks many questions of each."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[tuple[str, ...], BoxSet] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, sources: tuple[str, ...]) -> BoxSet:
        """Load them, unless they are in memory.

        Raises:
            SourceError: They cannot be read.
        """
        import boxkit

        with self._lock:
            if sources not in self._loaded:
                self._loaded[sources] = boxkit.load(*sources)
                while len(self._loaded) > _KEPT:
                    self._loaded.popitem(last=False)
            self._loaded.move_to_end(sources)
            return self._loaded[sources]

    def ready(self, sources: tuple[str, ...]) -> BoxSet | None:
        """Them, where they are in memory."""
        return self._loaded.get(sources)


@dataclass(frozen=True, slots=True)
class NamedBoxes:
    """Gives the boxes of some sources."""

    kept: Kept
    sources: tuple[str, ...]

    def __call__(self) -> BoxSet:
        """Load them, unless they are in memory."""
        return self.kept.of(self.sources)

    def ready(self) -> BoxSet | None:
        """Them, where they are in memory."""
        return self.kept.ready(self.sources)


@dataclass(slots=True)
class Databases:
    """Databases laid out as ``<folder>/<name>/<name>.sqlite``.

    Attributes:
        folders: Where to look, in order.
    """

    folders: tuple[Path, ...]
    _kept: Kept = field(default_factory=Kept, repr=False)
    _paths: dict[str, Path] = field(default_factory=dict, repr=False)
    _gold: Results = field(default_factory=Results, repr=False)

    @classmethod
    def of(cls, folders: Iterable[Path]) -> Databases:
        """Those folders of the given ones that exist.

        Raises:
            SourceNotFound: None does.
        """
        given = tuple(dict.fromkeys(folders))
        there = tuple(each for each in given if each.is_dir())
        if not there:
            raise SourceNotFound(
                f"no folder of databases: looked for {', '.join(map(str, given))}",
                hint="say where they lie: databases=… (--databases)",
            )
        return cls(there)

    def path(self, name: str) -> Path:
        """The file of a database.

        Raises:
            BadField: There is none, or it is none of SQLite's.
        """
        if name in self._paths:
            return self._paths[name]
        for folder in self.folders:
            for path in (*(folder / name / f"{name}{suffix}" for suffix in _SUFFIXES), folder / f"{name}.sqlite"):
                if path.is_file():
                    _check_is_database(path)
                    self._paths[name] = path
                    return path
        folders = ", ".join(map(str, self.folders))
        raise BadField(f"no database {name!r} in {folders}: say where it lies with databases=… (--databases)")

    def boxes(self, name: str) -> NamedBoxes:
        """What gives the boxes of a database.

        Raises:
            BadField: There is none.
        """
        return NamedBoxes(self._kept, (str(self.path(name)),))

    @contextmanager
    def checking(self) -> Iterator[Callable[[str, str], None]]:
        """What says whether SQLite takes a query, which is not run; each database is opened once.

        The function takes a database's name and the query, and raises `BadField` where SQLite refuses it, or where
        there is no such database.
        """
        with ExitStack() as opened:
            connections: dict[str, sqlite3.Connection] = {}

            def check(name: str, sql: str) -> None:
                if name not in connections:
                    connections[name] = opened.enter_context(connected(self.path(name)))
                try:
                    connections[name].execute(f"EXPLAIN {sql}").close()
                except (sqlite3.Error, sqlite3.Warning) as error:
                    raise BadField(f"SQLite refuses the gold query: {error}") from None

            yield check

    def rows(self, name: str, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a gold query, text decoded with what is no UTF-8 left out, as the official scripts do.

        Raises:
            UnreadableSource: It fails.
        """
        try:
            path = self.path(name)
            return self._gold.of(path, sql, lambda: _rows(path, sql))
        except (sqlite3.Error, sqlite3.Warning, OSError, BadField) as error:
            raise UnreadableSource(f"the gold query fails: {error}: {sql}", where=name) from error


def _check_is_database(path: Path) -> None:
    """Refuse what is called a database and is none: read as the text that it is, it would be scored all the same."""
    with path.open("rb") as file:
        head = file.read(len(_MAGIC))
    if head and head != _MAGIC:  # an empty file is an empty database
        raise BadField(f"{path} is no SQLite database, whatever its name says: it begins with {head!r}")


def _rows(path: Path, sql: str) -> list[tuple[Any, ...]]:
    deadline = time.monotonic() + _GOLD_S
    with connected(path, partial(bytes.decode, errors="ignore")) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        return connection.execute(sql).fetchall()
