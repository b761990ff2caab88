"""What `evaluate` is given, looked at before anything is read or asked: a slip is told by what is wanted."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from boxkit.bounds import check_count, check_number
from boxkit.errors import nearest
from boxkit.evaluation.datasets import Dataset, Task
from boxkit.evaluation.scorers import scorer
from boxkit.failure import FAILURE_KINDS
from boxkit.llm.protocol import LLM

__all__ = ["check_dataset", "check_numbers", "check_strategy", "check_tasks", "names_of"]

_KINDS = tuple(dict.fromkeys([*FAILURE_KINDS, "model", "source", "boxkit"]))


def check_strategy(strategy: Any) -> None:
    """Refuse what answers no questions.

    Raises:
        TypeError: It is a class, a model, or something else; or it has no name.
    """
    if isinstance(strategy, type):
        raise TypeError(f"a strategy is wanted, not its class: {strategy.__name__}(…)")
    if not callable(getattr(strategy, "aask", None)):
        what = "a model, which needs one around it" if isinstance(strategy, LLM) else repr(strategy)
        raise TypeError(
            f"a strategy is wanted (it has `aask`), such as boxkit.Pandora(llm) or boxkit.Planner(), not {what}"
        )
    if not isinstance(getattr(strategy, "name", None), str):
        raise TypeError(f"a strategy has a `name`, by which tables call it; {strategy!r} has none that is a text")


def check_dataset(dataset: Any) -> None:
    """Refuse what holds no questions.

    Raises:
        TypeError: It is neither a dataset nor a path.
    """
    if not isinstance(dataset, (Dataset, str, Path)):
        raise TypeError(
            "a dataset is wanted, from boxkit.open_dataset(name, path), or the path of a JSONL file of question, "
            f"source and answer; not a {type(dataset).__name__}"
        )


def check_tasks(tasks: Sequence[Task]) -> None:
    """Refuse tasks whose answers could not be told apart, or kept.

    Raises:
        ValueError: Two have the same id.
        TypeError: A question is no text, or what belongs to it is no JSON.
    """
    keys: set[str] = set()
    for task in tasks:
        if task.key in keys:
            raise ValueError(f"two tasks have the id {task.key!r}: an answer could be either's")
        keys.add(task.key)
        for what, value in (("question", task.question), ("evidence", task.evidence), ("source", task.source)):
            if not isinstance(value, str):
                raise TypeError(f"the {what} of {task.key!r} is a text, not {value!r}")
        try:
            with suppress(ValueError):  # a number of more digits than Python writes, which a folder keeps
                json.dumps([dict(task.context), {name: list(values) for name, values in task.groups.items()}])
        except (TypeError, AttributeError) as error:
            raise TypeError(f"the context and groups of {task.key!r} are JSON values: {error}") from error


def check_numbers(limit: Any, concurrency: Any, dollars: Any) -> None:
    """Refuse bounds that bound nothing.

    Raises:
        ValueError: One is no number, or not above 0.
    """
    check_count("concurrency", concurrency)
    if limit is not None:
        check_count("limit", limit)
    if dollars is not None:
        check_number("dollars", dollars)


def names_of(scorers: Sequence[str] | None, again: Sequence[str]) -> tuple[list[str], frozenset[str]]:
    """The scorers that are asked for (none where it is the dataset's) and the kinds of failure.

    Raises:
        TypeError: One is a text, where a list of names is wanted.
        ValueError: There is no such scorer or kind; the message names those that there are.
    """
    for what, value in (("scorers", scorers), ("again", again)):
        if isinstance(value, str):
            raise TypeError(f"{what} is a list of names: {what}=[{value!r}]")
    scorer_names, kinds = list(scorers or ()), frozenset(again)
    for name in scorer_names:
        scorer(name)
    for kind in kinds:
        if kind not in _KINDS:
            close = nearest(str(kind), _KINDS)
            listed = f"there are {', '.join(_KINDS)}" + (f"; nearest: {', '.join(close)}" if close else "")
            raise ValueError(f"no kind of failure {kind!r}; {listed}")
    return scorer_names, kinds
