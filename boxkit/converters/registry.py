"""Which converter reads a source: a lazy table of built-in modules, then the entry points of others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from os import PathLike
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from boxkit.box import BoxSet
from boxkit.converters.source import SourceFile
from boxkit.errors import BoxkitError, UnknownFormat, nearest

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "Converter", "converter", "converter_for", "converter_names"]

#: The entry-point group for converters of third parties.
GROUP = "boxkit.converters"


@runtime_checkable
class Converter(Protocol):
    """Turns one kind of source into a BoxSet. A module or an object; light to import.

    Attributes:
        name: The kind's name, as in ``boxkit.load(x, format="csv")``.
    """

    name: str

    def accepts(self, source: Any) -> float:
        """How surely ``source`` is of this kind, from 0.0 (no) to 1.0 (its content says so).

        Args:
            source: A `SourceFile` for everything on disk (it is path-like and holds the first bytes), a URL as text
                that no file system serves, or the object that the user handed over. Decide by content, never by
                importing a heavy library: look at the object's type's module and name.
        """
        ...

    def convert(self, source: Any, **options: Any) -> BoxSet:
        """The boxes of ``source``.

        Args:
            source: What `accepts` was shown.
            options: The kind's own. Unknown ones are a TypeError.

        Raises:
            SourceError: It can't be read; the message says what, where and what to do.
        """
        ...


#: Built-in converters by name. Order breaks ties between equal scores.
BUILTIN: dict[str, str] = {
    "sqlite": "boxkit.converters.sqlite",
    "duckdb": "boxkit.converters.duckdb",
    "sqlalchemy": "boxkit.converters.sqlalchemy",
    "parquet": "boxkit.converters.parquet",
    "arrow": "boxkit.converters.arrow",
    "excel": "boxkit.converters.excel",
    "saved": "boxkit.converters.saved",
    "frames": "boxkit.converters.frames",
    "records": "boxkit.converters.records",
    "networkx": "boxkit.converters.networkx",
    "rdf": "boxkit.converters.rdf",
    "sparql": "boxkit.converters.sparql",
    "triples": "boxkit.converters.triples",
    "json": "boxkit.converters.json",
    "html": "boxkit.converters.html",
    "csv": "boxkit.converters.delimited",
}


@cache
def _foreign() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=GROUP):
        if point.name in BUILTIN or point.name in found:
            other = found[point.name].value if point.name in found else BUILTIN[point.name]
            raise BoxkitError(
                f"two converters are named {point.name!r}: {other} and {point.value}",
                hint="uninstall one of the packages that bring them, or ask its author to rename it",
            )
        found[point.name] = point
    return found


def converter_names() -> tuple[str, ...]:
    """The names of every installed converter: the built-in ones first."""
    return (*BUILTIN, *_foreign())


@cache
def converter(name: str) -> Converter:
    """The converter of that name.

    Raises:
        UnknownFormat: There is none.
    """
    if name in BUILTIN:
        return cast(Converter, import_module(BUILTIN[name]))
    point = _foreign().get(name)
    if point is None:
        close = nearest(name, converter_names())
        raise UnknownFormat(
            f"no converter is named {name!r}; there are {', '.join(converter_names())}",
            hint=f"nearest: {', '.join(map(repr, close))}" if close else None,
        )
    loaded = point.load()
    return cast(Converter, loaded() if isinstance(loaded, type) else loaded)


def _names() -> Iterator[str]:
    """The names, looking for other packages' only once no built-in one is certain: that takes a while."""
    yield from BUILTIN
    yield from _foreign()


def converter_for(source: object) -> Converter:
    """The converter that is surest of ``source``.

    Raises:
        UnknownFormat: None accepts it.
    """
    best, best_score = None, 0.0
    for name in _names():
        try:
            candidate = converter(name)
        except ModuleNotFoundError as error:
            if error.name == BUILTIN.get(name):  # pragma: no cover - a row whose module a build left out
                continue
            raise
        score = float(candidate.accepts(source))
        if score > best_score:
            best, best_score = candidate, score
        if score >= 1.0:
            break
    if best is None:
        raise _unknown(source)
    return best


def _unknown(source: object) -> UnknownFormat:
    if isinstance(source, SourceFile):
        what = f"this is {source.looks_like}, and no converter reads it"
        return UnknownFormat(
            what, where=source.label, hint=f"boxkit.load(path, format=…) with one of: {', '.join(converter_names())}"
        )
    kind = type(source)
    if isinstance(source, list | tuple | set) and source and all(isinstance(each, str | PathLike) for each in source):
        return UnknownFormat(
            f"this is a {kind.__qualname__} of sources", hint="give each by itself: boxkit.load(*sources)"
        )
    return UnknownFormat(
        f"nothing here makes boxes of a {kind.__module__}.{kind.__qualname__}",
        hint="load a path, a URL, a DataFrame, a dict of DataFrames, a list of dicts, a connection or a graph",
    )
