"""The names that generated code finds, and the imports it may make."""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import importlib
import importlib.util
import itertools
import math
import re
import statistics
import types
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

__all__ = [
    "ALLOWED_IMPORTS",
    "ANALYTICS",
    "DATABASE_IMPORTS",
    "Boxes",
    "RefusedImport",
    "importable",
    "names",
    "preload",
]

#: Packages of the extra ``analytics``, brought in when code names them.
ANALYTICS = ("scipy", "statsmodels", "sklearn", "matplotlib")

#: What generated code may import, with everything below it.
ALLOWED_IMPORTS = frozenset(
    "pandas numpy datetime re math statistics collections itertools decimal __future__".split()
) | frozenset(ANALYTICS)

#: What code that queries a database may import besides.
DATABASE_IMPORTS = frozenset({"sqlite3"})

_SUBMODULES = {
    "scipy": ("scipy.stats", "scipy.optimize", "scipy.spatial", "scipy.linalg", "scipy.interpolate", "scipy.signal"),
    "statsmodels": ("statsmodels.api", "statsmodels.formula.api", "statsmodels.stats.multicomp"),
    "sklearn": (
        *("sklearn.linear_model", "sklearn.cluster", "sklearn.ensemble", "sklearn.preprocessing", "sklearn.metrics"),
        *("sklearn.model_selection", "sklearn.decomposition", "sklearn.tree", "sklearn.neighbors", "sklearn.pipeline"),
    ),
    "matplotlib": ("matplotlib.pyplot",),
}


class RefusedImport(ImportError):
    """Generated code imported what it may not."""


class Boxes(dict[str, Any]):
    """The boxes' frames by name; a name that is not there is answered with the nearest."""

    def __missing__(self, name: object) -> Any:
        from boxkit.errors import UnknownBox

        raise KeyError(UnknownBox(str(name), self).what)

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"boxes has no box {name!r}")


class _Datetime(types.ModuleType):
    """``datetime``, for code that means the module and for code that means the class."""

    def __call__(self, *arguments: Any, **options: Any) -> datetime.datetime:
        return datetime.datetime(*arguments, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(datetime.datetime, name)

    def __instancecheck__(self, value: object) -> bool:
        return isinstance(value, datetime.datetime)


def _datetime() -> types.ModuleType:
    module = _Datetime("datetime")
    module.__dict__.update({name: value for name, value in vars(datetime).items() if not name.startswith("__")})
    return module


def _guarded_import(allowed: frozenset[str]) -> Any:
    def guarded(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002 - the names that __import__ has
        locals: Mapping[str, object] | None = None,  # noqa: A002 - the names that __import__ has
        fromlist: Iterable[str] = (),
        level: int = 0,
    ) -> Any:
        # C code that imports what it needs (strptime does) comes by here as well, with an empty list.
        of_interpreter = isinstance(fromlist, list) and not fromlist
        if level or (name.partition(".")[0] not in allowed and not of_interpreter):
            raise RefusedImport(f"{name!r} cannot be imported here", name=name)
        return builtins.__import__(name, globals, locals, tuple(fromlist or ()), level)

    return guarded


@cache
def importable() -> tuple[str, ...]:
    """What generated code may import and finds installed."""
    found = (name for name in ALLOWED_IMPORTS if name != "__future__" and importlib.util.find_spec(name) is not None)
    return tuple(sorted(found))


def preload(packages: Iterable[str]) -> None:
    """Import those of `ANALYTICS` that are named and installed, with the parts that people use."""
    for package in packages:
        if not _imported(package):
            continue
        if package == "matplotlib":
            importlib.import_module("matplotlib").use("Agg", force=True)
        for name in _SUBMODULES[package]:
            _imported(name)


def _imported(name: str) -> bool:
    """Whether the module could be imported; packages that do not fit each other fail in more ways than one."""
    try:
        importlib.import_module(name)
    except (ImportError, AttributeError, TypeError, ValueError, RuntimeError, OSError):
        return False
    return True


def names(
    frames: Mapping[str, Any], packages: Iterable[str] = (), more: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The globals of one run.

    Args:
        frames: The boxes' frames by name.
        packages: Those of `ANALYTICS` that the code names; they are imported already.
        more: Further modules that may be imported; they are there without an import, as the others are.
    """
    import sys

    import numpy as np
    import pandas as pd

    guarded = vars(builtins).copy()
    guarded["__import__"] = _guarded_import(ALLOWED_IMPORTS | more)
    found: dict[str, Any] = {"__builtins__": guarded, "__name__": "__main__", "pd": pd, "np": np}
    found |= {"datetime": _datetime(), "re": re, "math": math, "statistics": statistics, "collections": collections}
    found |= {"itertools": itertools, "Decimal": decimal.Decimal}
    found |= {name: sys.modules[name] for name in (*packages, *more) if name in sys.modules}
    if "matplotlib" in packages and "matplotlib.pyplot" in sys.modules:
        found["plt"] = sys.modules["matplotlib.pyplot"]
    return {**found, **frames, "boxes": Boxes(frames)}
