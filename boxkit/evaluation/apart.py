"""Runs of one name told apart: what differs between their settings stands behind the strategy."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from boxkit.evaluation.summary import RunReport
from boxkit.evaluation.tables import benchmark_of, label_of

__all__ = ["apart", "difference", "settings_of"]

#: Differences that are told, at the most, and characters of a value.
_TOLD, _CHARS = 4, 40

Names = tuple[str, ...]


def apart(runs: Sequence[RunReport]) -> list[RunReport]:
    """The same runs; those that tables would call the same by benchmark, model and strategy have a ``detail`` label.

    ``k=4`` say, or the folder where settings are equal. A run of another benchmark gets the detail too where it has the
    same settings, so that both stand in one row of an overview.
    """
    details = [""] * len(runs)
    for places in _places(runs, lambda run: (label_of(run, "model"), label_of(run, "variant"))):
        benchmarks = [[places[at] for at in some] for some in _places([runs[at] for at in places], benchmark_of)]
        alike = [some for some in benchmarks if len(some) > 1]
        for some in alike:
            for at, detail in zip(some, difference([runs[at] for at in some]), strict=True):
                details[at] = detail
        told = {details[at] for some in alike for at in some}
        names = [_differing([settings_of(runs[at]) for at in some]) for some in alike]
        for (at,) in (some for some in benchmarks if len(some) == 1):
            own = (_told(settings_of(runs[at]), each) for each in names)
            details[at] = next((detail for detail in own if detail in told), "")
    return [_with_detail(run, detail) for run, detail in zip(runs, details, strict=True)]


def difference(runs: Sequence[RunReport], without: Sequence[str] = ()) -> list[str]:
    """For each run what sets it apart from the others, none alike; empty where all settings are the same but for some.

    Args:
        runs: Several.
        without: Names of settings that may differ (``"strategy.k"``); then runs may stay alike.
    """
    settings = _brief([settings_of(run) for run in runs])
    names = tuple(name for name in _differing(settings) if name not in without)
    told = [_told(each, names) for each in settings]
    if without:
        return told
    alike = Counter(told)
    folders = _folders(runs)
    return [
        ", ".join(filter(None, (detail, folder))) if alike[detail] > 1 else detail
        for detail, folder in zip(told, folders, strict=True)
    ]


def settings_of(run: RunReport) -> dict[str, str]:
    """What shapes a run, by dotted name, each value as a text: ``{"strategy.k": "4"}``."""
    strategy = run.settings.get("strategy") or {}
    found = dict(_flat(strategy, "strategy")) if isinstance(strategy, Mapping) else {}
    found["questions"] = f"{run.total}:{str(run.settings.get('questions', ''))[:6]}"
    found["prompts"] = str(run.settings.get("prompts", ""))[:6]
    return found


def _flat(value: Mapping[str, Any], name: str) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        under = f"{name}.{key}"
        if key == "memory" and (item is None or isinstance(item, Mapping)):
            count = "none" if item is None else f"{item.get('demonstrations')}:{str(item.get('digest'))[:6]}"
            yield f"{name}.demonstrations", count
        elif isinstance(item, Mapping):
            yield from _flat(item, under)
        else:
            yield under, _text(item)


def _brief(settings: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """The same, what is counted without its digest where the counts say enough."""
    made = [dict(each) for each in settings]
    for name in {name for each in made for name in each if name.endswith(("questions", "demonstrations"))}:
        values = {each[name] for each in made if name in each}
        if len({value.partition(":")[0] for value in values}) == len(values):
            for each in made:
                each[name] = each.get(name, "none").partition(":")[0]
    return made


def _text(value: Any) -> str:
    told = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    told = {"null": "none"}.get(" ".join(told.split()), " ".join(told.split()))
    if len(told) <= _CHARS:
        return told
    return f"{told[: _CHARS // 2]}…{hashlib.sha256(told.encode('utf-8', 'replace')).hexdigest()[:6]}"


def _differing(settings: Sequence[Mapping[str, str]]) -> Names:
    """The settings that differ; what lies within something of another kind or name is not told one by one."""
    every = dict.fromkeys(name for each in settings for name in each)
    names = [name for name in every if len({each.get(name) for each in settings}) > 1]
    heads = {name.rpartition(".")[0] for name in names if name.rpartition(".")[2] in ("kind", "name")}

    def is_within(name: str) -> bool:
        within, _, own = name.rpartition(".")
        head = next((head for head in heads if f"{within}.".startswith(f"{head}.")), None)
        return head is not None and not (within == head and own in ("kind", "name"))

    return tuple(name for name in names if not is_within(name))


def _told(settings: Mapping[str, str], names: Names) -> str:
    """These settings, each under the shortest name that tells it from the others."""
    shown = names[:_TOLD]
    return ", ".join(f"{_short(name, shown)}={settings.get(name, 'none')}" for name in shown)


def _short(name: str, names: Names) -> str:
    parts = name.split(".")
    parts = parts[:-1] if parts[-1] in ("kind", "name") and len(parts) > 1 else parts
    for count in range(1, len(parts)):
        end = "." + ".".join(parts[-count:])
        if sum(f".{each}".endswith(end) or f".{each}".endswith((f"{end}.kind", f"{end}.name")) for each in names) == 1:
            return end[1:]
    return ".".join(parts)


def _folders(runs: Sequence[RunReport]) -> list[str]:
    """Where each lies below what they share; its number where it lies nowhere."""
    there = [os.path.abspath(run.folder) for run in runs if run.folder is not None]
    shared = os.path.commonpath(there) if len(set(there)) > 1 else ""
    found = []
    for number, run in enumerate(runs, start=1):
        if run.folder is None or not shared:
            found.append(f"run={number}")
        else:
            below = os.path.relpath(os.path.abspath(run.folder), shared)
            found.append(f"folder={run.folder.name if below == os.curdir else below}")
    return found


def _places(runs: Sequence[RunReport], key: Callable[[RunReport], Hashable]) -> list[list[int]]:
    """Where runs of the same key stand."""
    found: dict[Hashable, list[int]] = {}
    for at, run in enumerate(runs):
        found.setdefault(key(run), []).append(at)
    return list(found.values())


def _with_detail(run: RunReport, detail: str) -> RunReport:
    labels = {name: label for name, label in run.about.get("labels", {}).items() if name != "detail"}
    if detail:
        labels["detail"] = detail
    return replace(run, about={**run.about, "labels": labels})
