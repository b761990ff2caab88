"""Files of ablations, and what is wrong with one that does not fit."""

from __future__ import annotations

import dataclasses
import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from boxkit.errors import UnreadableSource
from boxkit.evaluation.settings import check_strategy, choices, holds_several

__all__ = ["Variant", "ablations", "folder_of"]

#: What `Memory.only` filters by.
_FILTERS = ("dataset", "kind", "source", "split")


@dataclass(frozen=True, slots=True)
class Variant:
    """One ablation.

    Attributes:
        name: As in a table.
        group: What it is compared with.
        strategy: The strategy as values.
        strategy_graph: The same where the source is a graph; ``strategy`` where None.
        memory: False for no demonstrations; a mapping for a filter of `Memory.only`.
    """

    name: str
    group: str
    strategy: Mapping[str, Any]
    strategy_graph: Mapping[str, Any] | None = None
    memory: bool | Mapping[str, str] = True


def ablations(path: str | Path | None = None, names: Sequence[str] = ()) -> list[Variant]:
    """The ablations of a file; boxkit's own where None.

    Args:
        path: A TOML file of ``[[variant]]`` tables.
        names: Names or groups of those wanted; all where empty.

    Raises:
        SourceError: The file is not there, or a variant of it does not fit; the message names variant and key.
        ValueError: There is none of a name; the message names the nearest.
    """
    source = files("boxkit.evaluation").joinpath("ablations.toml") if path is None else Path(path)
    try:
        every = _variants(tomllib.loads(source.read_text(encoding="utf-8-sig")))
    except UnicodeDecodeError as error:
        raise UnreadableSource("this is no UTF-8 text", where=str(source), hint="save it as UTF-8") from error
    except (OSError, ValueError) as error:  # a fault of TOML is a ValueError too
        raise UnreadableSource(f"this is no file of ablations: {error}", where=str(source)) from error
    known = dict.fromkeys(each for variant in every for each in (variant.name, variant.group))
    for name in names:
        if name not in known:
            raise ValueError(f"no ablation {name!r}; {choices(name, known)}")
    return [each for each in every if not names or each.name in names or each.group in names]


def _variants(document: Mapping[str, Any]) -> list[Variant]:
    tables = document.get("variant")
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ValueError(f"it has no [[variant]] tables; there are: {', '.join(document) or 'no tables'}")
    every: list[Variant] = []
    folders: dict[str, tuple[int, Variant]] = {}
    for number, table in enumerate(tables, start=1):
        told = f"variant {number} ({table.get('name', 'without a name')!r})"
        try:
            variants = list(_expanded(_variant(table)))
            for variant in variants:
                first, other = folders.setdefault(folder_of(variant.name), (number, variant))
                if other is not variant:
                    raise ValueError(_told_twice(variant, first, other))
                for described in (variant.strategy, variant.strategy_graph):
                    if described is not None:
                        check_strategy(described)
        except ValueError as error:
            raise ValueError(f"{told}: {error}") from error
        every += variants
    return every


def folder_of(name: str) -> str:
    """The folder of runs of that name."""
    return re.sub(r"[^\w.=+-]+", "_", name)


def _told_twice(variant: Variant, first: int, other: Variant) -> str:
    """Runs lie in a folder by the variant's name, so that two of one folder would end where the second begins."""
    if (variant.group, variant.name) == (other.group, other.name):
        told = f"group {variant.group!r} has {variant.name!r} twice (variant {first} too)"
        return f"{told}; a name may hold a listed setting in braces: K={{k}}"
    return (
        f"{variant.name!r} would have the folder {folder_of(variant.name)!r} of {other.name!r} in group "
        f"{other.group!r} (variant {first}): give one of them another 'name'"
    )


def _variant(table: Mapping[str, Any]) -> Variant:
    fields = {each.name: each for each in dataclasses.fields(Variant)}
    for key in table:
        if key not in fields:
            raise ValueError(f"there is no key {key!r}; there are: {', '.join(fields)}")
    for key, each in fields.items():
        if key not in table and each.default is dataclasses.MISSING:
            raise ValueError(f"the key {key!r} is missing; there are: {', '.join(table) or 'none'}")
    for key in ("name", "group"):
        if not isinstance(table[key], str) or not table[key].strip():
            raise ValueError(f"{key!r} is a text, not {table[key]!r}")
    if not table["name"].strip("."):  # a folder of that name is no folder of its own
        raise ValueError(f"'name' is {table['name']!r}, which can be no folder's")
    for key in ("strategy", "strategy_graph"):
        if key in table and not isinstance(table[key], dict):
            raise ValueError(f'{key!r} is a table such as {{ kind = "Pandora" }}, not {table[key]!r}')
    memory = table.get("memory", True)
    if isinstance(memory, dict):
        for key, value in memory.items():
            if key not in _FILTERS:
                raise ValueError(f"'memory' has no key {key!r}; there are: {', '.join(_FILTERS)}")
            if not isinstance(value, str):
                raise ValueError(f"{key!r} of 'memory' is a text, not {value!r}")
    elif not isinstance(memory, bool):
        raise ValueError(f"'memory' is true, false or a table such as {{ dataset = \"$dataset\" }}, not {memory!r}")
    return Variant(**table)


def _expanded(variant: Variant) -> Iterator[Variant]:
    """A variant for each value of the settings that are lists; they stand in its name in braces."""
    listed = {name: values for name, values in variant.strategy.items() if isinstance(values, list)}
    listed = {name: values for name, values in listed.items() if not holds_several(variant.strategy, name)}
    for name, values in listed.items():
        if not values:
            raise ValueError(f"{name!r} is a list without values")
    for each in itertools.product(*listed.values()):
        chosen = dict(zip(listed, each, strict=True))
        try:
            name = variant.name.format(**chosen) if chosen else variant.name
        except (LookupError, ValueError, AttributeError, TypeError) as error:
            raise ValueError(f"its name has braces without a listed setting; there are: {', '.join(chosen)}") from error
        yield dataclasses.replace(variant, name=name, strategy={**variant.strategy, **chosen})
