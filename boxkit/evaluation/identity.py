"""What a strategy is made of, as JSON for a run's settings, and the same strategy over another model or memory."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar

from boxkit.canonical import json_value
from boxkit.errors import BoxkitError
from boxkit.evaluation.datasets import Dataset
from boxkit.llm.protocol import LLM
from boxkit.llm.wrapper import identity_of
from boxkit.memory import Memory
from boxkit.prompts import prompt_version
from boxkit.strategies.steps import Strategy

__all__ = [
    "CORRECTIONS",
    "check_same",
    "described",
    "formerly",
    "models_of",
    "questions_of",
    "rewritten",
    "run_settings",
    "sampled",
    "seed_of",
    "without_split",
]

T = TypeVar("T")

#: The settings of strategies that say how often a reply may be corrected.
CORRECTIONS = ("attempts", "corrections")
#: What a text of Python's has that stands for an object by its place in memory.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def described(value: Any) -> Any:
    """What shapes a strategy's answers, as JSON values: its kind and settings, its model, its demonstrations.

    Never a key: a model tells its identity by itself.
    """
    if isinstance(value, LLM):
        return {"model": json_value(identity_of(value))}
    if isinstance(value, Memory):
        return {"demonstrations": len(value), "digest": _digest(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        settings = {
            each.name: described(getattr(value, each.name))
            for each in dataclasses.fields(value)
            if not each.name.startswith("_")
        }
        return {"kind": type(value).__name__, **settings}
    if callable(getattr(value, "aask", None)) and hasattr(value, "__dict__"):  # a strategy of one's own
        settings = {name: described(item) for name, item in vars(value).items() if not name.startswith("_")}
        return {"kind": type(value).__name__, **settings}
    if isinstance(value, Mapping):
        return {str(key): described(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(item) for item in value]
    if isinstance(value, (set, frozenset)):  # in an order that the next process has too
        return sorted((described(item) for item in value), key=json.dumps)
    return _plain(value)


def _plain(value: Any) -> Any:
    """A value that tells itself from others of its kind; a name where it has nothing else to tell."""
    if isinstance(value, Integral) and not isinstance(value, bool):
        return json_value(int(value))  # NumPy's as Python's
    if isinstance(value, Real) and not isinstance(value, bool):
        return json_value(float(value))
    if value is None or isinstance(value, (str, bool)):
        return json_value(value)
    name: str = getattr(value, "__qualname__", type(value).__qualname__)
    text = repr(value)
    return name if hasattr(value, "__qualname__") or _ADDRESS.search(text) else text


def run_settings(strategy: Strategy, dataset: Dataset) -> dict[str, Any]:
    """What shapes a run's outcome: a run goes on only where all of it is the same."""
    return {
        "dataset": dataset.name,
        "split": dataset.split,
        "questions": questions_of(dataset),
        "strategy": described(strategy),
        "prompts": prompt_version(),
    }


def questions_of(dataset: Dataset) -> str:
    """What tells a dataset's questions from others: 16 hex digits of their ids, words and sources.

    Not of gold, in which a mistake may be mended: answers stay what they are, and `rescore` judges them anew.
    """
    told = hashlib.sha256()
    for task in dataset.tasks:
        told.update(repr((task.key, task.asked, task.source)).encode("utf-8", "surrogatepass"))
    return told.hexdigest()[:16]


def formerly(dataset: Dataset) -> dict[str, Any]:
    """Settings that say the same as `run_settings` in folders of earlier versions, which counted gold programs too."""
    return {"questions": dataset.digest}


def check_same(theirs: Mapping[str, Any], ours: Mapping[str, Any], where: Path) -> None:
    """Whether the settings of the run in a folder are these, both as JSON gives them.

    Raises:
        BoxkitError: They are not; the message lists the first that differ.
    """
    changed = list(_differences(theirs, ours, ""))
    if not changed:
        return
    hint = "go on with the same settings, or evaluate into another folder"
    if [name for name, _, _ in changed] == ["questions"]:
        hint = (
            "go on with the same questions, or evaluate into another folder; where these have all that the run has "
            "answered (rows were added, gold was mended), --rescore judges those by them, and the run goes on"
        )
    listed = "".join(f"\n  {name}: was {was!r}, is {now!r}" for name, was, now in changed[:5])
    what = f"this run was begun with other settings, and runs do not mix:{listed}"
    raise BoxkitError(what, where=str(where), hint=hint)


def _differences(was: Any, now: Any, name: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(was, dict) and isinstance(now, dict):
        for key in dict.fromkeys((*was, *now)):
            yield from _differences(was.get(key), now.get(key), f"{name}.{key}" if name else key)
    elif was != now:
        yield name, was, now


def _digest(memory: Memory) -> str:
    told = hashlib.sha256()
    for each in sorted(f"{demonstration.id}\0{demonstration.code}" for demonstration in memory):
        told.update(each.encode("utf-8", "surrogatepass") + b"\0")
    return told.hexdigest()[:16]


def rewritten(value: T, kind: type[Any], change: Callable[[Any], Any]) -> T:
    """A strategy with every part of that kind changed, in the strategies that it wraps too; the same where it has none.

    Args:
        value: The strategy.
        kind: `LLM`, say.
        change: From a part to its replacement.
    """
    if isinstance(value, kind):
        changed_part: T = change(value)
        return changed_part
    if isinstance(value, tuple) and type(value) is tuple:
        items = tuple(rewritten(item, kind, change) for item in value)
        same = all(one is other for one, other in zip(items, value, strict=True))
        return value if same else items  # type: ignore[return-value]  # a tuple still
    if not dataclasses.is_dataclass(value) or isinstance(value, (type, LLM)):
        return value
    changed = {}
    for each in dataclasses.fields(value):
        part = getattr(value, each.name)
        new = rewritten(part, kind, change) if each.init else part
        if new is not part:
            changed[each.name] = new
    return dataclasses.replace(value, **changed) if changed else value


def sampled(strategy: Strategy, temperature: float | None, seed: int | None) -> Strategy:
    """The same strategy, its model sampled so; what is None stays as the strategy has it.

    Raises:
        TypeError: It asks no model, and one is given.
    """
    if temperature is None and seed is None:
        return strategy
    own = getattr(strategy, "temperature", 0.0) if temperature is None else temperature
    return strategy.sampled(own, (getattr(strategy, "seed", None) or 0) if seed is None else seed)


def models_of(strategy: Any) -> list[LLM]:
    """The models that a strategy asks, each once."""
    found: list[LLM] = []

    def note(llm: LLM) -> LLM:
        if not any(llm is each for each in found):
            found.append(llm)
        return llm

    rewritten(strategy, LLM, note)
    return found


def without_split(strategy: T, dataset: str, split: str) -> T:
    """The same strategy, never shown a demonstration from the part of a benchmark that is under evaluation."""
    return rewritten(strategy, Memory, lambda memory: memory.excluding(f"{dataset}/{split}"))


def seed_of(strategy: Any) -> int | None:
    """The seed of a strategy, or of the first that it wraps; None where there is none."""
    seed = getattr(strategy, "seed", None)
    if seed is not None or not dataclasses.is_dataclass(strategy):
        return int(seed) if isinstance(seed, Integral) else None
    parts = (getattr(strategy, each.name) for each in dataclasses.fields(strategy))
    return next((found for part in parts if hasattr(part, "ask") and (found := seed_of(part)) is not None), None)
