"""Options that several commands share, gathered into one value for each concern."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boxkit.bounds import LONGEST_S, MOST_MB

if TYPE_CHECKING:
    from boxkit.box import BoxSet
    from boxkit.executor import Limits

__all__ = [
    "Asking",
    "Confinement",
    "Finite",
    "Loading",
    "Printing",
    "asking",
    "confinement",
    "gathered",
    "loading",
    "printing",
    "profile_option",
]

F = TypeVar("F", bound=Callable[..., Any])


class Finite(click.FloatRange):
    """A number within bounds; ``nan`` and ``inf``, which no bound holds, are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number


def gathered(kind: type[Any], name: str, *options: Callable[[Any], Any]) -> Callable[[F], F]:
    """A decorator that adds options to a command and hands them over as one ``kind`` in the argument ``name``."""
    labels = [each.name for each in fields(kind)]

    def decorate(command: F) -> F:
        @functools.wraps(command)
        def gathering(*args: Any, **kwargs: Any) -> Any:
            kwargs[name] = kind(**{label: kwargs.pop(label) for label in labels})
            return command(*args, **kwargs)

        decorated: Any = gathering
        for option in reversed(options):
            decorated = option(decorated)
        return decorated  # type: ignore[no-any-return]  # click's decorators return what they are given

    return decorate


@dataclass(frozen=True, slots=True)
class Loading:
    """The sources and how they are read."""

    sources: tuple[str, ...]
    source_format: str | None
    topics: tuple[str, ...]
    hops: int

    def load(self, question: str | None = None) -> BoxSet:
        """The boxes.

        Raises:
            SourceError: A source cannot be read.
        """
        import boxkit
        from boxkit.cli.terminal import waiting

        if "" in self.sources:
            raise click.UsageError("a source is empty: is a shell variable unset?")
        topics = list(self.topics) or None
        with waiting(f"reading {', '.join(self.sources)}"):
            found = boxkit.load(
                *self.sources, question=question, topics=topics, hops=self.hops, format=self.source_format
            )
        if not self.source_format:
            _tell_misnamed(self.sources)
        return found


def _tell_misnamed(sources: tuple[str, ...]) -> None:
    """Say which files are read as something else than their names say."""
    import os

    from boxkit.cli.terminal import say, text
    from boxkit.load import misnamed

    for note in filter(None, (misnamed(each) for each in sources if os.path.isfile(each))):
        say(text(note, "yellow"))


loading = gathered(
    Loading,
    "loading",
    click.argument("sources", nargs=-1, required=True, metavar="SOURCE..."),
    click.option(
        "--format",
        "source_format",
        metavar="NAME",
        help="Read the sources as this, not as they look: csv, sqlite, rdf …",
    ),
    click.option(
        "--topic",
        "topics",
        multiple=True,
        metavar="ENTITY",
        help="For a graph: what the question is about. May be repeated.",
    ),
    click.option(
        "--hops",
        type=click.IntRange(min=1),
        default=2,
        show_default=True,
        help="For a graph: how far to go from the topics.",
    ),
)


@dataclass(frozen=True, slots=True)
class Confinement:
    """What a run of code may use."""

    seconds: float
    memory_mb: int
    allow_weak: bool

    def limits(self) -> Limits:
        """The same as the library's `Limits`."""
        from boxkit.executor import Limits

        return Limits(seconds=self.seconds, memory_mb=self.memory_mb, allow_weak=self.allow_weak)


confinement = gathered(
    Confinement,
    "confinement",
    click.option(
        "--seconds",
        type=Finite(min=0, min_open=True, max=LONGEST_S),
        default=30.0,
        show_default=True,
        help="Kill code that runs longer.",
    ),
    click.option(
        "--memory-mb",
        type=click.IntRange(min=1, max=MOST_MB),
        default=2048,
        show_default=True,
        help="Kill code that takes more memory, in MiB.",
    ),
    click.option("--allow-weak", is_flag=True, help="Run code even where this machine cannot confine it."),
)


profile_option = click.option(
    "--profile",
    metavar="NAME",
    default="default",
    show_default=True,
    help="What an answer should look like: default, spider, bird, starqa-imdb …",
)


@dataclass(frozen=True, slots=True)
class Asking:
    """Who answers, and how."""

    model: str | None
    base_url: str | None
    strategy: str | None
    k: int
    attempts: int
    memory: str | None
    cache: str | None
    profile: str
    force: bool


asking = gathered(
    Asking,
    "asking",
    click.option(
        "--model", metavar="NAME", help="The language model; 'planner' for none. Without it: see `boxkit models`."
    ),
    click.option("--base-url", metavar="URL", help="An OpenAI-compatible server."),
    click.option(
        "--strategy",
        metavar="NAME",
        help="pandora (the default with a model), text2sql, text2sparql, text2sqlcode, text2sqlcode-multi, hybrid "
        "or planner.",
    ),
    click.option(
        "--k", type=click.IntRange(min=0), default=10, show_default=True, help="Demonstrations that the model is shown."
    ),
    click.option(
        "--attempts", type=click.IntRange(min=1), default=3, show_default=True, help="Replies of the model at the most."
    ),
    click.option(
        "--memory",
        metavar="FOLDER",
        type=click.Path(exists=True, file_okay=False),
        help="Demonstrations of your own; without it, those that come with boxkit.",
    ),
    click.option(
        "--cache",
        metavar="FOLDER",
        type=click.Path(file_okay=False),
        help="Keep the model's replies here; what was asked before costs nothing.",
    ),
    profile_option,
    click.option("--force", is_flag=True, help="The planner's best guess where it would abstain, marked as a guess."),
)


@dataclass(frozen=True, slots=True)
class Printing:
    """How rows are printed."""

    as_json: bool
    as_csv: bool
    rows: int | None

    @property
    def form(self) -> str:
        """``table``, ``json`` or ``csv``.

        Raises:
            click.UsageError: Two at once.
        """
        if self.as_json and self.as_csv:
            raise click.UsageError("--json and --csv: choose one")
        return "json" if self.as_json else "csv" if self.as_csv else "table"


printing = gathered(
    Printing,
    "printing",
    click.option("--json", "as_json", is_flag=True, help="Print everything about the answer as JSON."),
    click.option("--csv", "as_csv", is_flag=True, help="Print the rows as CSV."),
    click.option(
        "--rows",
        type=click.IntRange(min=0),
        help="Rows that a table shows; 0 for all. [default: 50 on a terminal, else all]",
    ),
)
