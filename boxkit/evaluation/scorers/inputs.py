"""What a scorer can compare: input of another kind would equal nothing, and be wrong without a word."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from typing import Any

__all__ = ["check_inputs"]

#: What the items of gold are, by scorer; others take rows and bare cells alike.
_ROWS = dict.fromkeys(("spider", "spider_strict", "archer", "bird", "bird_f1"), "rows")
_GOLD = {**_ROWS, "wikitq": "texts", "grailqa": "texts", "webqsp": "parses", "dabench": "pairs", "spider_exec": "sql"}
#: Scorers whose official scripts take, or end on, predictions of any kind: they say themselves what comes of one.
_VERDICT_ON_ALL = ("grailqa", "webqsp")
#: Scorers that take a text where others take rows: a reply with named answers, GrailQA's gold "null".
_TEXT_TOO = ("dabench", "grailqa")
_TOLD = {
    "rows": "rows, each a tuple or a list: [('Ann', 6)]",
    "cells": "rows or values: [('Ann',)] or ['Ann']",
    "texts": "texts: ['Ann', 'Bo']",
    "parses": "the parses of WebQSP, mappings with 'Answers'",
    "pairs": "rows of a name and a value: [('mean', '6')]",
    "sql": "one text of SQL",
}
_FITS: dict[str, Callable[[Any], bool]] = {
    "rows": lambda item: isinstance(item, (list, tuple)),
    "cells": lambda item: not isinstance(item, Mapping),
    "texts": lambda item: isinstance(item, str),
    "parses": lambda item: isinstance(item, Mapping) and "Answers" in item,
    "pairs": lambda item: isinstance(item, (list, tuple)) and len(item) == 2,
}


def check_inputs(name: str, made: Callable[..., Any], predicted: Any, gold: Any, context: Mapping[str, Any]) -> None:
    """Whether a scorer can compare these.

    Raises:
        TypeError: It takes no such setting, or rows or gold are of another kind; the message says what it takes.
    """
    taken = _settings(made)
    for key in context:
        if key not in [each.name for each in taken]:
            takes = ", ".join(each.name for each in taken)
            raise TypeError(f"the scorer {name!r} takes no {key!r}; it takes {takes or 'nothing but rows and gold'}")
    for each in taken:
        if each.default is each.empty and each.name not in context:
            raise TypeError(f"the scorer {name!r} needs {each.name!r}")
    kind = _GOLD.get(name, "cells")
    _check(name, "gold", gold, kind)
    if kind in ("rows", "sql"):
        _check(name, "predicted", predicted, kind)
    elif name not in _VERDICT_ON_ALL or _is_frame(predicted):
        _check_items(name, "predicted", predicted, "cells")


@cache
def _settings(made: Callable[..., Any]) -> Sequence[Parameter]:
    """What a scorer takes beside rows and gold."""
    return list(signature(made).parameters.values())[2:]


def _check(name: str, which: str, value: Any, kind: str) -> None:
    if kind != "sql":
        _check_items(name, which, value, kind)
    elif not isinstance(value, str):
        raise TypeError(f"{which} of the scorer {name!r} is {_TOLD[kind]}, not a {type(value).__name__}")


def _check_items(name: str, which: str, value: Any, kind: str) -> None:
    if isinstance(value, str) and name in _TEXT_TOO:
        return
    if _is_frame(value) or not isinstance(value, Iterable) or isinstance(value, (str, Mapping)):
        how = "; a DataFrame gives its rows by list(frame.itertuples(index=False, name=None))"
        told = how if _is_frame(value) else ""
        raise TypeError(f"{which} of the scorer {name!r} is {_TOLD[kind]}, not a {type(value).__name__}{told}")
    for at, item in enumerate(value if isinstance(value, (list, tuple)) else ()):
        if not _FITS[kind](item):
            raise TypeError(f"{which} of the scorer {name!r} is {_TOLD[kind]}; item {at} is {item!r:.60}")


def _is_frame(value: Any) -> bool:
    return hasattr(value, "to_numpy") or hasattr(value, "__array__")
