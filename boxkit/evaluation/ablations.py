"""Ablations as values: a TOML file names them, and the runner makes a run of each over one fixed sample."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.evaluation.datasets import Dataset
from boxkit.evaluation.grids import Variant, ablations, check_strategy
from boxkit.evaluation.identity import CORRECTIONS, models_of, sampled
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.summary import RunReport
from boxkit.executor import Limits
from boxkit.llm.protocol import LLM
from boxkit.strategies.steps import Strategy

if TYPE_CHECKING:
    from boxkit.memory import Memory

__all__ = ["Variant", "ablate", "ablations", "asks_no_more", "build"]


def build(
    variant: Variant,
    llm: LLM | None,
    memory: Memory | None,
    dataset: Dataset,
    limits: Limits = Limits(),
    *,
    temperature: float | None = None,
    seed: int | None = None,
) -> Strategy:
    """The strategy that a variant describes.

    Args:
        variant: Which.
        llm: Who is asked; None for nobody.
        memory: The demonstrations that it chooses from.
        dataset: What it answers.
        limits: Of generated code.
        temperature: At which the model is sampled; the variant's where None. What asks no model is not sampled.
        seed: Of the samples; the variant's where None.

    Raises:
        ValueError: It names a strategy or a setting that there is not, needs a model, or leaves no demonstration of
            the memory.
    """
    is_graph = any(task.kind == "graph" for task in dataset.tasks[:1])
    described = variant.strategy_graph if is_graph and variant.strategy_graph else variant.strategy
    try:
        shown = _shown(variant, memory, dataset)
        check_strategy(described)
        strategy = _built(described, {"llm": llm, "memory": shown, "profile": dataset.profile, "limits": limits})
        return sampled(strategy, temperature, seed) if models_of(strategy) else strategy
    except ValueError as error:
        raise ValueError(f"{variant.name}: {error}") from error


def _shown(variant: Variant, memory: Memory | None, dataset: Dataset) -> Memory | None:
    """The demonstrations of a variant; a filter that leaves none would measure another ablation than it says."""
    if memory is None or not variant.memory:
        return None
    if not isinstance(variant.memory, Mapping):
        return memory
    wanted = {name: value.replace("$dataset", dataset.name) for name, value in variant.memory.items()}
    shown = memory.only(**wanted)
    if not len(shown):
        told = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        known = "; ".join(f"{name}: {_values(memory, name)}" for name in wanted)
        raise ValueError(
            f"the memory has no demonstrations of {told}; there are {known}. Learn some (boxkit learn), or choose "
            "other variants (--only)"
        )
    return shown


def _values(memory: Memory, name: str) -> str:
    return ", ".join(sorted({str(getattr(each, name)) or "''" for each in memory})) or "none"


def _built(described: Mapping[str, Any], given: Mapping[str, Any]) -> Strategy:
    from boxkit import strategies

    kind = str(described["kind"])
    made = getattr(strategies, kind)
    known = {each.name: each.default for each in dataclasses.fields(made) if each.init}
    if "llm" in known and given["llm"] is None:
        raise ValueError(f"{kind} needs a model")
    parts = {
        name: _built(value, given) if isinstance(value, Mapping) and "kind" in value else value
        for name, value in described.items()
        if name != "kind"
    }
    shared = {name: value for name, value in given.items() if name in known}
    if not isinstance(known.get("limits"), Limits):  # a query's limits are others than those of generated code
        shared.pop("limits", None)
    strategy: Strategy = made(**shared | parts)
    return strategy


def asks_no_more(strategy: Strategy, other: Strategy) -> bool:
    """Whether a strategy asks nothing but what another asks too: it is the same, or gives up after fewer replies."""
    if type(strategy) is not type(other):
        return False
    for name in CORRECTIONS:
        own, most = getattr(strategy, name, None), getattr(other, name, None)
        if own is not None and most is not None and own <= most:
            other = dataclasses.replace(other, **{name: own})  # type: ignore[type-var]  # every strategy is a dataclass
    return strategy == other


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
    temperature: float | None = None,
    seed: int | None = None,
    scorers: Sequence[str] | None = None,
    again: Sequence[str] = (),
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
        temperature: As for `build`.
        seed: As for `build`.
        scorers: As for `evaluate`.
        again: As for `evaluate`.
        on_run: Called with a model's and a variant's name before a run; gives what to call after each question.

    Returns:
        The runs, by model's and variant's name.

    Raises:
        ValueError: A variant names what there is not.
        BoxkitError: As `evaluate`.
    """
    done: dict[tuple[str, str], RunReport] = {}
    pairs = list(itertools.product(models, variants if variants is not None else ablations()))
    # All are built before the first is paid for.
    built = [build(variant, llm, memory, dataset, limits, temperature=temperature, seed=seed) for llm, variant in pairs]
    for (llm, variant), strategy in zip(pairs, built, strict=True):
        model = llm.name if llm is not None else ""
        labels = {"model": model, "variant": variant.name, "group": variant.group}
        done[model, variant.name] = evaluate(
            strategy,
            dataset,
            Path(out) / _folder(dataset.name) / _folder(model or "no model") / _folder(variant.name),
            limit=limit,
            concurrency=concurrency,
            dollars=dollars,
            scorers=scorers,
            again=again,
            labels=labels,
            on_progress=on_run(model, variant.name) if on_run else None,
        )
    return done


def _folder(name: str) -> str:
    return re.sub(r"[^\w.=+-]+", "_", name)
