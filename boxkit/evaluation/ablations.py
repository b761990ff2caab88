"""Ablations as values: a TOML file names them, and the runner makes a run of each over one fixed sample."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boxkit.errors import LLMError
from boxkit.evaluation.datasets import Dataset
from boxkit.evaluation.ending import has_given_up
from boxkit.evaluation.grids import Variant, ablations, folder_of
from boxkit.evaluation.identity import CORRECTIONS, models_of, sampled
from boxkit.evaluation.runner import evaluate
from boxkit.evaluation.settings import strategy_of
from boxkit.evaluation.summary import RunReport, open_run
from boxkit.executor import Limits
from boxkit.llm.protocol import LLM
from boxkit.strategies.steps import Strategy

if TYPE_CHECKING:
    from boxkit.memory import Memory

__all__ = ["Variant", "ablate", "ablations", "asks_no_more", "build", "runs_of"]


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
        memory: The demonstrations that it chooses from; what asks no model has none.
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
        given = {"llm": llm, "memory": shown, "profile": dataset.profile, "limits": limits}
        strategy = strategy_of(described, given)
        if not models_of(strategy):
            return strategy_of(described, given | {"memory": None})
        return sampled(strategy, temperature, seed)
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
        is_own = "dataset" in wanted and dataset.name == Path(dataset.source).stem
        stem = (
            "; data of your own are called as their file is, so that the file to learn from is called "
            f"{dataset.name}.jsonl too, in another folder"
        )
        raise ValueError(
            f"the memory has no demonstrations of {told}; there are {known}. Learn some (boxkit learn"
            f"{stem if is_own else ''}), or choose other variants (--only)"
        )
    return shown


def _values(memory: Memory, name: str) -> str:
    return ", ".join(sorted({str(getattr(each, name)) or "''" for each in memory})) or "none"


def asks_no_more(strategy: Strategy, other: Strategy) -> bool:
    """Whether a strategy surely asks nothing but what another asks too: its prompts are the same, and no more.

    It may be so where this says no: two memories may show the same demonstrations.
    """
    strategy, other = _as_prompted(strategy), _as_prompted(other)
    if type(strategy) is not type(other):
        return False
    for name in CORRECTIONS:
        own, most = getattr(strategy, name, None), getattr(other, name, None)
        if own is not None and most is not None and own <= most:
            other = dataclasses.replace(other, **{name: own})  # type: ignore[type-var]  # every strategy is a dataclass
    return strategy == other


def _as_prompted(strategy: Strategy) -> Strategy:
    """The same strategy where settings differ that change no prompt: more demonstrations than there are, or none."""
    from boxkit.memory import Memory
    from boxkit.strategies import Pandora

    if not isinstance(strategy, Pandora) or not isinstance(strategy.memory, Memory | None):
        return strategy
    held = len(strategy.memory) if strategy.memory is not None else 0
    if not held or not strategy.k:
        return dataclasses.replace(strategy, memory=None, k=0, select="similar")
    return dataclasses.replace(strategy, k=min(strategy.k, held)) if strategy.select == "similar" else strategy


def runs_of(
    dataset: Dataset,
    models: Sequence[LLM | None],
    memory: Memory | None,
    variants: Sequence[Variant],
    limits: Limits = Limits(),
    *,
    temperature: float | None = None,
    seed: int | None = None,
) -> list[tuple[str, Variant, Strategy]]:
    """The runs of a grid: a variant with each model, and one that asks no model once, with no model.

    Args:
        dataset: As for `build`; the others likewise.
        models: The models; None for what needs none.
        memory: The demonstrations.
        variants: Which.
        limits: Of generated code.
        temperature: Of what asks a model.
        seed: Of the samples.

    Returns:
        The model's name (empty for no model), the variant and its strategy of each run, in order.

    Raises:
        ValueError: As `build`; or two of them would have one folder.
    """
    found: list[tuple[str, Variant, Strategy]] = []
    by_folder: dict[tuple[str, str], tuple[str, Variant]] = {}
    for llm, variant in itertools.product(models, variants):
        strategy = build(variant, llm, memory, dataset, limits, temperature=temperature, seed=seed)
        model = llm.name if llm is not None and models_of(strategy) else ""
        folders = _folders(model, variant)
        if folders not in by_folder:
            by_folder[folders] = model, variant
            found.append((model, variant, strategy))
        elif by_folder[folders] != (model, variant):
            other, named = by_folder[folders]
            raise ValueError(
                f"{variant.name!r} with {model or 'no model'} would have the folder {'/'.join(folders)} of "
                f"{named.name!r} with {other or 'no model'} (group {named.group!r}): run one of them into another "
                "folder"
            )
    return found


def _folders(model: str, variant: Variant) -> tuple[str, str]:
    """Where its run lies below the dataset's folder."""
    return folder_of(model or "no model"), folder_of(variant.name)


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
        models: The models; None for what needs none. What asks no model is run once, with no model.
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
        The runs, by model's and variant's name; the model's is empty where none is asked.

    Raises:
        ValueError: A variant names what there is not, or two would have one folder.
        BoxkitError: As `evaluate`; a server that gives up once it has answered another run is that run's ``stopped``.
    """
    done: dict[tuple[str, str], RunReport] = {}
    chosen = variants if variants is not None else ablations()
    # All are built before the first is paid for.
    planned = runs_of(dataset, models, memory, chosen, limits, temperature=temperature, seed=seed)
    for model, variant, strategy in planned:
        folder = Path(out).joinpath(folder_of(dataset.name), *_folders(model, variant))
        try:
            run = evaluate(
                strategy,
                dataset,
                folder,
                limit=limit,
                concurrency=concurrency,
                dollars=dollars,
                scorers=scorers,
                again=again,
                labels={"model": model, "variant": variant.name, "group": variant.group},
                on_progress=on_run(model, variant.name) if on_run else None,
            )
        except LLMError as error:
            if not has_given_up(error) or not any(each.records for each in done.values()):
                raise
            run = open_run(folder)  # the server has answered other runs: what these came to is told
            run.stopped = str(error).partition("\n")[0]
        done[model, variant.name] = run
    return done
