"""Strategies as values of a file: each setting is read as it is declared, and one that does not fit is refused."""

from __future__ import annotations

import ast
import dataclasses
import math
from collections.abc import Iterable, Mapping
from typing import Any

from boxkit.errors import nearest
from boxkit.executor import Limits
from boxkit.memory.selection import MODES
from boxkit.profile import PROFILES
from boxkit.prompts.layout import LAYOUTS
from boxkit.sql import SqlLimits
from boxkit.strategies.steps import Strategy

__all__ = ["check_strategy", "choices", "holds_several", "strategy_of"]

#: How a setting is declared → what may be given for it, and how to say so.
_SIMPLE: dict[str, tuple[tuple[type, ...], str]] = {
    "int": ((int,), "a whole number"),
    "float": ((int, float), "a number"),
    "str": ((str,), "a text"),
    "bool": ((bool,), "true or false"),
}
#: What is given by its name.
_NAMED: dict[str, Mapping[Any, Any]] = {"Profile": PROFILES, "PromptLayout": LAYOUTS}
#: What is given by its fields.
_FIELDS: dict[str, type[Limits] | type[SqlLimits]] = {"Limits": Limits, "SqlLimits": SqlLimits}
#: Texts of which a strategy takes only some.
_CHOICES: dict[str, tuple[str, ...]] = {"select": MODES}
_SEVERAL = "tuple[Strategy, ...]"
_TABLE = 'a table such as { kind = "Pandora" }'
#: Where what no file may give comes from.
_ELSEWHERE = {
    "llm": "the model is given with the command: --model",
    "memory": "demonstrations are given with the command (--memory), and chosen by 'memory' beside 'strategy'",
    "allow_weak": "whether code may run unconfined is for whoever runs it to say: --allow-weak",
}


def strategy_of(described: Mapping[str, Any], given: Mapping[str, Any]) -> Strategy:
    """The strategy that values describe.

    Args:
        described: Its ``kind`` and settings; ``profile`` and ``layout`` by name, ``limits`` and ``sql_limits`` as
            tables of their fields, strategies within it likewise.
        given: ``llm``, ``memory``, ``profile`` and ``limits`` for whatever has such a setting and does not say it.

    Raises:
        ValueError: There is no such strategy or setting, one is missing or of another kind, or it needs a model.
    """
    kind, made = _kind(described)
    known = {each.name: each for each in dataclasses.fields(made) if each.init}
    if "llm" in known and given.get("llm") is None:
        raise ValueError(f"{kind} needs a model")
    shared = {name: value for name, value in given.items() if name in known}
    if str(getattr(known.get("limits"), "type", "")) != "Limits":  # a query's limits are others than those of code
        shared.pop("limits", None)
    parts = {}
    for name, value in described.items():
        if name == "kind":
            continue
        if name not in known:
            raise ValueError(f"{kind} has no setting {name!r}; there are: {', '.join(sorted(known))}")
        base = shared.get(name, known[name].default)
        parts[name] = _read(f"{name!r} of {kind}", name, str(known[name].type), value, base, given)
    for name, each in known.items():
        if name not in shared | parts and each.default is each.default_factory is dataclasses.MISSING:
            wanted = {"Strategy": _TABLE, _SEVERAL: "a list of such tables"}.get(str(each.type), str(each.type))
            raise ValueError(f"the setting {name!r} of {kind} is missing: {wanted}")
    strategy: Strategy = made(**shared | parts)
    return strategy


def check_strategy(described: Mapping[str, Any]) -> None:
    """Whether values describe a strategy, and the strategies within it.

    Raises:
        ValueError: As `strategy_of`, for whichever model.
    """
    strategy_of(described, {"llm": object()})  # no strategy asks when it is made


def holds_several(described: Mapping[str, Any], name: str) -> bool:
    """Whether a setting is a list by itself, so that its values are no variants."""
    _, made = _kind(described)
    return any(each.name == name and each.type == _SEVERAL for each in dataclasses.fields(made))


def choices(name: str, known: Iterable[str]) -> str:
    """The names near one that there is not, said to be so; all where none is near."""
    every = list(known)
    close = nearest(name, every)
    return f"nearest: {', '.join(close)}" if close else f"there are: {', '.join(every)}"


def _kind(described: Mapping[str, Any]) -> tuple[str, Any]:
    from boxkit import strategies

    kinds = [each for each in strategies.__all__ if dataclasses.is_dataclass(getattr(strategies, each))]
    kind = str(described.get("kind", ""))
    if kind not in kinds:
        raise ValueError(f"no strategy {kind!r}; {choices(kind, kinds)}")
    return kind, getattr(strategies, kind)


def _read(told: str, name: str, declared: str, value: Any, base: Any, given: Mapping[str, Any]) -> Any:
    """A value as the setting is declared.

    Args:
        told: The setting, as a message says it.
        name: Its name.
        declared: Its annotation.
        value: What the file has.
        base: What it is without the file; a table of limits changes some of these.
        given: As for `strategy_of`.
    """
    declared = declared.removesuffix(" | None")
    if name in _ELSEWHERE:
        raise ValueError(f"{told} is no value of a file: {_ELSEWHERE[name]}")
    if declared in _SIMPLE:
        return _simple(told, name, declared, value)
    if declared.startswith("Literal["):
        return _chosen(told, value, ast.literal_eval(f"({declared[len('Literal[') : -1]},)"))
    if declared in _NAMED:
        return _NAMED[declared][_chosen(told, value, _NAMED[declared])]
    if declared in _FIELDS:
        return _limits(told, _FIELDS[declared], value, base)
    if declared == "Strategy":
        return _within(told, value, given)
    if declared == _SEVERAL:
        if not isinstance(value, list):
            raise ValueError(f'{told} is a list of tables such as {{ kind = "Pandora" }}, not {value!r}')
        return tuple(_within(told, each, given) for each in value)
    raise ValueError(f"{told} cannot be given in a file")


def _simple(told: str, name: str, declared: str, value: Any) -> Any:
    taken, wanted = _SIMPLE[declared]
    if not isinstance(value, taken) or (isinstance(value, bool) and bool not in taken):
        raise ValueError(f"{told} is {wanted}, not {value!r}")
    if isinstance(value, (int, float)) and not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{told} is {wanted} from 0, not {value!r}")
    return _chosen(told, value, _CHOICES[name]) if name in _CHOICES else value


def _chosen(told: str, value: Any, known: Iterable[str]) -> str:
    every = list(known)
    if not isinstance(value, str) or value not in every:
        raise ValueError(f"{told} is one of {', '.join(every)}, not {value!r}")
    return value


def _limits(told: str, made: type[Limits] | type[SqlLimits], value: Any, base: Any) -> Any:
    known = {each.name: str(each.type) for each in dataclasses.fields(made)}
    if not isinstance(value, Mapping):
        raise ValueError(f"{told} is a table such as {{ seconds = 5 }}, not {value!r}")
    read = {}
    for name, each in value.items():
        if name not in known:
            raise ValueError(f"{told} has no field {name!r}; {choices(name, known)}")
        read[name] = _read(f"{name!r} in {told}", name, known[name], each, None, {})
    return dataclasses.replace(base if isinstance(base, made) else made(), **read)


def _within(told: str, value: Any, given: Mapping[str, Any]) -> Strategy:
    if not isinstance(value, Mapping):
        raise ValueError(f"{told} is {_TABLE}, not {value!r}")
    try:
        return strategy_of(value, given)
    except ValueError as error:
        raise ValueError(f"{told}: {error}") from error
