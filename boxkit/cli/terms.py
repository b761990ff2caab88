"""Options of a run and of a grid of runs: how models are sampled, how fast, at what price, and who judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from boxkit.cli.options import Finite, gathered

if TYPE_CHECKING:
    from boxkit.llm.protocol import LLM

__all__ = ["Terms", "check_budget", "price_option", "terms"]

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Terms:
    """How models are asked, and how their answers are judged.

    Attributes:
        seed: Of samples; the strategy's own where None.
        temperature: Of samples; the strategy's own where None.
        concurrency: Questions at once.
        dollars: The most that a run may cost; None for no limit.
        requests_per_minute: The server's limit; None for none.
        tokens_per_minute: The same for tokens.
        price: Dollars for a million tokens, sent and received; the listed one where None.
        scorers: By name; the benchmark's where there are none.
        again: Kinds of failure whose questions are asked anew.
    """

    seed: int | None
    temperature: float | None
    concurrency: int
    dollars: float | None
    requests_per_minute: float | None
    tokens_per_minute: float | None
    price: tuple[float, float] | None
    scorers: tuple[str, ...]
    again: tuple[str, ...]

    def around(self) -> Callable[[LLM], LLM]:
        """What puts models within the server's limits, which one model keeps wherever it is asked, and at the price."""
        from boxkit.cli.strategies import is_free
        from boxkit.evaluation.priced import Priced
        from boxkit.llm.cache import Cached
        from boxkit.llm.limits import Paced
        from boxkit.llm.prices import FREE, Price

        limits = {"requests_per_minute": self.requests_per_minute, "tokens_per_minute": self.tokens_per_minute}
        paced: dict[int, LLM] = {}

        def slowed(llm: LLM) -> LLM:
            if isinstance(llm, Cached):  # what the cache answers asks nothing of the server
                return replace(llm, llm=slowed(llm.llm))
            return paced.setdefault(id(llm), Paced(llm, **limits))

        def within(llm: LLM) -> LLM:
            price = Price(*self.price) if self.price else FREE if is_free(llm) else None
            llm = slowed(llm) if any(limits.values()) else llm
            return llm if price is None else Priced(llm, price)  # which an estimate reads

        return within


def check_budget(dollars: float | None, price: tuple[float, float] | None, models: Iterable[LLM]) -> None:
    """Refuse a limit in dollars that would never hold: a server on this machine counts as free, a gateway's is not.

    Raises:
        click.UsageError: One of the models is behind such a server, or has no known price, and none is given.
    """
    from boxkit.cli.strategies import is_free, is_on_this_machine
    from boxkit.llm.prices import price_of

    if dollars is None or price:
        return
    for llm in models:
        if is_on_this_machine(llm):
            raise click.UsageError(
                "--dollars needs --price here: what a server on this machine costs is unknown (--price 0 0 if nothing)"
            )
        if not is_free(llm) and price_of(llm.name) is None:
            raise click.UsageError(f"--dollars needs --price here: what {llm.name!r} costs is unknown")


price_option = click.option(
    "--price", nargs=2, type=Finite(min=0), metavar="IN OUT", help="Dollars for a million tokens, sent and received."
)


def terms(dollars: str) -> Callable[[F], F]:
    """A decorator that adds these options; ``dollars`` says what happens at the limit."""
    return gathered(
        Terms,
        "terms",
        click.option("--seed", type=click.IntRange(min=0, max=2**63 - 1), help="Sample the model with this seed."),
        click.option("--temperature", type=Finite(min=0), help="Sample the model at this temperature."),
        click.option(
            "--concurrency", type=click.IntRange(min=1), default=8, show_default=True, help="Questions at once."
        ),
        click.option("--dollars", type=Finite(min=0, min_open=True), help=dollars),
        click.option(
            "--requests-per-minute",
            type=Finite(min=0, min_open=True),
            help="The server's limit; what the cache answers does not count.",
        ),
        click.option("--tokens-per-minute", type=Finite(min=0, min_open=True), help="The server's limit."),
        price_option,
        click.option(
            "--scorer", "scorers", multiple=True, metavar="NAME", help="Instead of the benchmark's. May be repeated."
        ),
        click.option(
            "--again", multiple=True, metavar="KIND", help="Ask anew what ended in this failure. May be repeated."
        ),
    )
