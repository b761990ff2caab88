"""The benchmark that a command's argument names, and the options that its reader takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boxkit.errors import UnreadableSource

if TYPE_CHECKING:
    from boxkit.evaluation.datasets import Dataset

__all__ = ["dataset_named", "dataset_options", "guessed"]

#: Rows left out that are named one by one.
_NAMED = 5

F = TypeVar("F", bound=Callable[..., Any])


def dataset_options(command: F) -> F:
    """Options that shape which questions are asked."""
    for option in reversed(
        (
            click.option("--limit", type=click.IntRange(min=1), help="The first questions only."),
            click.option("--sample", type=click.IntRange(min=1), help="So many at random, the same for the same seed."),
            click.option(
                "--sample-seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of --sample."
            ),
            click.option("--databases", metavar="FOLDER", help="Where the databases lie, if not beside the questions."),
            click.option(
                "--graph",
                metavar="SOURCE",
                help="For questions over a graph: its file, folder or endpoint, or 'questions'.",
            ),
            click.option("--hops", type=click.IntRange(min=0), help="For a graph: steps from the topics; 0 for all."),
            click.option("--skip-bad", is_flag=True, help="Leave rows out that do not fit, instead of refusing them."),
        )
    ):
        command = option(command)
    return command


def dataset_named(given: str, options: dict[str, Any]) -> Dataset:
    """The dataset of ``NAME[/SPLIT]=PATH``, or of a path alone; its options are taken out of ``options``.

    All but ``limit``: a run may be extended, and so is of all its questions.

    Raises:
        SourceError: It cannot be read.
        click.UsageError: There is no such benchmark, split or option.
    """
    from boxkit.cli.terminal import waiting
    from boxkit.evaluation.datasets import open_dataset

    sample, seed = (options.pop(name) for name in ("sample", "sample_seed"))
    skip_bad = options.pop("skip_bad")
    taken = {name: options.pop(name) for name in ("databases", "graph", "hops")}
    named, equals, path = given.partition("=")
    if not equals or not path:
        named, path = guessed(given), given
    name, _, split = named.partition("/")
    more = {key: value for key, value in taken.items() if value is not None}
    read = partial(open_dataset, name, path, split=split or None, **more)
    try:
        with waiting(f"reading {given}"):
            is_rescored, limit = options.get("rescore", False), options.get("limit") if sample is None else None
            dataset = _read(read, skip_bad=skip_bad, limit=limit, is_rescored=is_rescored)
    except (ValueError, TypeError) as error:
        raise click.UsageError(f"{given}: {error}") from error
    _tell_skipped(dataset)
    if not dataset.tasks:
        raise UnreadableSource("it holds no question that can be asked", where=given)
    return dataset if sample is None else dataset.sample(sample, seed)


def _read(read: Callable[..., Dataset], *, skip_bad: bool, limit: int | None, is_rescored: bool) -> Dataset:
    """The dataset; its bad rows are refused only where they are among what is to be asked or judged.

    Behind the first questions no row counts; what is judged anew are a run's own questions, which are looked up.
    """
    try:
        return read(skip_bad=skip_bad)
    except UnreadableSource:
        if limit is None and not is_rescored:
            raise
        dataset = read(skip_bad=True)
        if not dataset.skipped or not (is_rescored or all(each.before >= (limit or 0) for each in dataset.skipped)):
            raise
        return dataset


def _tell_skipped(dataset: Dataset) -> None:
    """Which rows were left out, and why: the first few of them."""
    from boxkit.cli.terminal import say, text

    skipped = dataset.skipped
    if skipped:
        more = [f"… and {len(skipped) - _NAMED} more"] if len(skipped) > _NAMED else []
        lines = [
            f"rows left out: {len(skipped)}",
            *(f"  {each}" for each in skipped[:_NAMED]),
            *(f"  {each}" for each in more),
        ]
        say(text("\n".join(lines), "dim", lines=True))


def guessed(path: str) -> str:
    """The name of the benchmark that a path tells."""
    from boxkit.evaluation.datasets import DATASETS

    if not Path(path).exists():
        raise click.UsageError(f"there is no {path!r}; a dataset is NAME=PATH: spider=data/spider")
    stem = Path(path).stem.lower().replace("_", "-")
    if stem in DATASETS:
        return stem
    if Path(path).suffix == ".jsonl":
        return "own"
    raise click.UsageError(f"which benchmark is {path!r}? Say NAME={path}, with one of: {', '.join(DATASETS)}")
