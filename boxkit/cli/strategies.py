"""Which strategy and which model answer, from what the user said and what this machine has."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from boxkit.cli.options import Asking

if TYPE_CHECKING:
    from boxkit.executor import Limits
    from boxkit.llm.protocol import LLM
    from boxkit.memory import Memory
    from boxkit.profile import Profile
    from boxkit.strategies.steps import Strategy

__all__ = ["STRATEGIES", "is_free", "is_on_this_machine", "memory_at", "model_for", "profile_named", "strategy_for"]

PLANNER = "planner"


def strategy_for(asking: Asking, limits: Limits) -> tuple[Strategy, str]:
    """The strategy, and in words who answers.

    Raises:
        LLMError: The model that was asked for is not to be had.
        click.UsageError: There is no such strategy or profile, or the options contradict each other.
    """
    name = asking.strategy or (PLANNER if asking.model == PLANNER else None)
    if name not in (None, PLANNER, *STRATEGIES):
        raise click.UsageError(f"there is no strategy {name!r}; there are: {', '.join([*STRATEGIES, PLANNER])}")
    profile = profile_named(asking.profile)
    if name == PLANNER:
        if asking.base_url or asking.model not in (None, PLANNER):
            raise click.UsageError("the planner asks no model: leave out --model and --base-url")
        return _planner(asking, profile, limits), "the planner (no language model)"
    llm, why = model_for(asking.model, asking.base_url)
    if llm is None:
        if name is not None:
            raise click.UsageError(f"--strategy {name} needs a model: --model or --base-url, or see `boxkit models`")
        return _planner(asking, profile, limits), f"the planner ({why})"
    if asking.force:
        raise click.UsageError("--force is the planner's: a model abstains from nothing; --model planner asks none")
    if asking.cache is not None:
        from boxkit.llm.cache import Cached

        llm = Cached(llm, asking.cache)
    return STRATEGIES[name or "pandora"](llm, _memory(asking), asking, profile, limits), f"{llm.name} ({why})"


def model_for(model: str | None, base_url: str | None) -> tuple[LLM | None, str]:
    """The model that was named, else the first that there is here; None where there is none. And why this one.

    Raises:
        LLMError: The model that was asked for is not to be had.
    """
    from boxkit.errors import MissingKey, ModelNotFound
    from boxkit.llm import OpenAI
    from boxkit.llm.clients import is_loopback
    from boxkit.llm.models import choose
    from boxkit.llm.prices import FREE, price_of

    if base_url is not None:
        return _at(base_url, model)
    try:
        choice = choose(model)
    except ModelNotFound as error:
        if model is None or price_of(model) is None or os.environ.get("OPENAI_API_KEY", "").strip():
            raise
        raise MissingKey(
            f"OPENAI_API_KEY is not set, and {model!r} is a model of OpenAI's own server",
            hint=f"set OPENAI_API_KEY; or a server's address with --base-url or OPENAI_BASE_URL ({error.what})",
        ) from error
    if isinstance(choice.llm, OpenAI) and is_loopback(choice.llm.base_url):  # as with --base-url
        return OpenAI(choice.name, base_url=choice.llm.base_url, price=FREE), choice.why
    return choice.llm, choice.why


def is_free(llm: LLM) -> bool:
    """Whether a model's calls cost nothing: it runs in this process, or behind a server on this machine."""
    from boxkit.llm import LocalLLM

    return isinstance(_uncached(llm), LocalLLM) or is_on_this_machine(llm)


def is_on_this_machine(llm: LLM) -> bool:
    """Whether a model is behind a server on this machine, which may be a gateway to one that is not."""
    from boxkit.llm import OpenAI
    from boxkit.llm.clients import is_loopback

    asked = _uncached(llm)
    return isinstance(asked, OpenAI) and is_loopback(asked.base_url)


def _uncached(llm: LLM) -> LLM:
    """The model behind its caches."""
    from boxkit.llm.cache import Cached

    while isinstance(llm, Cached):
        llm = llm.llm
    return llm


def _at(base_url: str, model: str | None) -> tuple[LLM, str]:
    """The model at a server, by name, else the first that the server lists."""
    from boxkit.llm import OpenAI
    from boxkit.llm.clients import is_loopback
    from boxkit.llm.models import LocalAddress, available
    from boxkit.llm.prices import FREE

    if model is None:
        found = next(each for each in available(servers=[LocalAddress(base_url, base_url)]) if each.kind == base_url)
        if not found.models:
            raise click.UsageError(f"--base-url needs --model: {found.why}")
        model = found.models[0]
    try:
        price = FREE if is_loopback(base_url) else None  # elsewhere as the model's name says
        return OpenAI(model, base_url=base_url, price=price), f"the server at {base_url}"
    except ValueError as error:
        raise click.UsageError(f"--base-url: {error}") from error


def profile_named(name: str) -> Profile:
    """The profile of that name.

    Raises:
        click.UsageError: There is none.
    """
    from boxkit.profile import PROFILES

    if name not in PROFILES:
        raise click.UsageError(f"there is no profile {name!r}; there are: {', '.join(PROFILES)}")
    return PROFILES[name]


def memory_at(folder: str | None) -> Memory:
    """The memory of that folder; the one that comes with boxkit where None. An empty one is said to be so."""
    from boxkit.cli.terminal import say, text
    from boxkit.memory import Memory

    if not folder:
        return Memory.starter()
    memory = Memory.open(folder)
    if not len(memory):
        say(text(f"the memory {folder} is empty: no demonstrations are shown (boxkit learn makes some)", "yellow"))
    return memory


def _memory(asking: Asking) -> Memory | None:
    return None if asking.k == 0 else memory_at(asking.memory)


def _planner(asking: Asking, profile: Profile, limits: Limits) -> Strategy:
    from boxkit.strategies import Planner

    memory = _memory(asking) if asking.memory else None
    return Planner(force=asking.force, memory=memory, profile=profile, limits=limits)


def _pandora(llm: LLM, memory: Memory | None, asking: Asking, profile: Profile, limits: Limits) -> Strategy:
    from boxkit.strategies import Pandora

    return Pandora(llm, memory, k=asking.k, attempts=asking.attempts, profile=profile, limits=limits)


def _text2sql(llm: LLM, _memory: Memory | None, asking: Asking, profile: Profile, _limits: Limits) -> Strategy:
    from boxkit.strategies import Text2SQL

    return Text2SQL(llm, corrections=asking.attempts - 1, profile=profile)


def _text2sparql(llm: LLM, _memory: Memory | None, asking: Asking, profile: Profile, _limits: Limits) -> Strategy:
    from boxkit.strategies import Text2SPARQL

    return Text2SPARQL(llm, corrections=asking.attempts - 1, profile=profile)


def _single(llm: LLM, _memory: Memory | None, asking: Asking, profile: Profile, limits: Limits) -> Strategy:
    from boxkit.strategies import Text2SQLCode

    return Text2SQLCode(llm, calls="single", corrections=asking.attempts - 1, profile=profile, limits=limits)


def _multi(llm: LLM, _memory: Memory | None, asking: Asking, profile: Profile, limits: Limits) -> Strategy:
    from boxkit.strategies import Text2SQLCode

    return Text2SQLCode(llm, calls="multi", corrections=asking.attempts - 1, profile=profile, limits=limits)


def _hybrid(llm: LLM, memory: Memory | None, asking: Asking, profile: Profile, limits: Limits) -> Strategy:
    from boxkit.strategies import Hybrid

    return Hybrid(
        _text2sql(llm, memory, asking, profile, limits),
        _single(llm, memory, asking, profile, limits),
    )


#: The strategies that ask a model, by name.
STRATEGIES: Mapping[str, Callable[[LLM, Memory | None, Asking, Profile, Limits], Strategy]] = {
    "pandora": _pandora,
    "text2sql": _text2sql,
    "text2sparql": _text2sparql,
    "text2sqlcode": _single,
    "text2sqlcode-multi": _multi,
    "hybrid": _hybrid,
}
