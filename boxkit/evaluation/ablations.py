"""Ablations as values: a TOML file names them, and the runner makes a run of each over one fixed sample."""

from __future__ import annotations

import dataclasses
import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnreadableSource, nearest
from boxkit.evaluation.datasets import Dataset
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import RunReport
from boxkit.executor import Limits
from boxkit.llm.protocol import LLM
from boxkit.strategies.steps import Strategy

if TYPE_CHECKING:
    from boxkit.memory import Memory

__all__ = ["Variant", "ablate", "ablations", "build"]


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
        SourceError: The file is not there, or none of ablations.
        ValueError: There is none of a name; the message names the nearest.
    """
    source = files("boxkit.evaluation").joinpath("ablations.toml") if path is None else Path(path)
    try:
        tables = tomllib.loads(source.read_text(encoding="utf-8"))["variant"]
        every = [variant for table in tables for variant in _expanded(Variant(**table))]
    except (OSError, KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise UnreadableSource(f"this is no file of ablations: {error}", where=str(source)) from error
    known = {each for variant in every for each in (variant.name, variant.group)}
    for name in names:
        if name not in known:
            close = nearest(name, known) or sorted(known)
            raise ValueError(f"no ablation {name!r}; there are: {', '.join(close)}")
    return [each for each in every if not names or each.name in names or each.group in names]


def _expanded(variant: Variant) -> Iterator[Variant]:
    """A variant for each value of the settings that are lists; they stand in its name in braces."""
    listed = {name: values for name, values in variant.strategy.items() if isinstance(values, list)}
    for values in itertools.product(*listed.values()):
        chosen = dict(zip(listed, values, strict=True))
        name = variant.name.format(**chosen) if chosen else variant.name
        yield dataclasses.replace(variant, name=name, strategy={**variant.strategy, **chosen})


def build(
    variant: Variant, llm: LLM | None, memory: Memory | None, dataset: Dataset, limits: Limits = Limits()
) -> Strategy:
    """The strategy that a variant describes.

    Raises:
        ValueError: It names a strategy or a setting that there is not, or needs a model.
    """
    is_graph = any(task.kind == "graph" for task in dataset.tasks[:1])
    described = variant.strategy_graph if is_graph and variant.strategy_graph else variant.strategy
    shown = memory if variant.memory else None
    if shown is not None and isinstance(variant.memory, Mapping):
        shown = shown.only(**{name: value.replace("$dataset", dataset.name) for name, value in variant.memory.items()})
    given = {"llm": llm, "memory": shown, "profile": dataset.profile, "limits": limits}
    return _built(described, given)


def _built(described: Mapping[str, Any], given: Mapping[str, Any]) -> Strategy:
    from boxkit import strategies

    kind = str(described.get("kind", ""))
    if kind not in strategies.__all__:
        close = nearest(kind, strategies.__all__) or strategies.__all__
        raise ValueError(f"no strategy {kind!r}; there are: {', '.join(close)}")
    made = getattr(strategies, kind)
    known = {each.name for each in dataclasses.fields(made) if each.init}
    settings = {name: value for name, value in described.items() if name != "kind"}
    unknown = sorted(set(settings) - known)
    if unknown:
        raise ValueError(f"{kind} has no setting {unknown[0]!r}; there are: {', '.join(sorted(known))}")
    if "llm" in known and given["llm"] is None:
        raise ValueError(f"{kind} needs a model")
    parts = {
        name: _built(value, given) if isinstance(value, Mapping) and "kind" in value else value
        for name, value in settings.items()
    }
    strategy: Strategy = made(**{name: value for name, value in given.items() if name in known} | parts)
    return strategy


def ablate(
    dataset: Dataset,
    models: Sequence[LLM | None],
    memory: Memory | None,
    out: str | Path,
    variants: Sequence[Variant] | None = None,
    *,
    limits: Limits = Limits(),
    limit: int | None = None,
    concurrency: int = 8,
    dollars: float | None = None,
    on_run: Callable[[str, str], Callable[[RunReport], None] | None] | None = None,
) -> dict[tuple[str, str], RunReport]:
    """Run every variant with every model over the same questions, each into a folder of its own below ``out``.

    Args:
        dataset: The questions; take a `Dataset.sample`, which is the same for the same seed.
        models: The models; None for what needs none.
        memory: The demonstrations.
        out: The folder; the same call goes on where a killed one stopped.
        variants: Those of boxkit's own file where None.
        limits: Of generated code.
        limit: The first questions only; a later call may raise it.
        concurrency: Questions at once.
        dollars: For each run.
        on_run: Called with a model's and a variant's name before a run; gives what to call after each question.

    Returns:
        The runs, by model's and variant's name.

    Raises:
        ValueError: A variant names what there is not.
        BoxkitError: As `evaluate`.
    """
    done: dict[tuple[str, str], RunReport] = {}
    for llm, variant in itertools.product(models, variants if variants is not None else ablations()):
        model = llm.name if llm is not None else ""
        strategy = build(variant, llm, memory, dataset, limits)
        labels = {"model": model, "variant": variant.name, "group": variant.group}
        done[model, variant.name] = evaluate(
            strategy,
            dataset,
            Path(out) / _folder(dataset.name) / _folder(model or "no model") / _folder(variant.name),
            limit=limit,
            concurrency=concurrency,
            dollars=dollars,
            labels=labels,
            on_progress=on_run(model, variant.name) if on_run else None,
        )
    return done


def _folder(name: str) -> str:
    return re.sub(r"[^\w.=+-]+", "_", name)
