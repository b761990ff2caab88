"""What a run will cost, before the first call: real prompts of some questions, put to a model that only counts."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boxkit.answer import Usage
from boxkit.bounds import check_count
from boxkit.errors import BoxkitError
from boxkit.evaluation.arguments import names_of
from boxkit.evaluation.datasets import Dataset
from boxkit.evaluation.folder import SETTINGS, check_settings, read_run
from boxkit.evaluation.identity import CORRECTIONS, formerly, models_of, rewritten, run_settings, without_split
from boxkit.llm.cache import Cached
from boxkit.llm.prices import Price, price_of
from boxkit.llm.protocol import LLM, Completion, Message, Parameters
from boxkit.llm.reply import TokenCount
from boxkit.llm.tokens import estimate_prompt_tokens
from boxkit.llm.wrapper import Wrapper
from boxkit.strategies.steps import Strategy

__all__ = ["REPLY_TOKENS", "Estimate", "estimate", "left_to_ask"]

#: Tokens that a reply is taken to have: a few sentences and a short program.
REPLY_TOKENS = 250

#: Of so many corrections prompts are made; what more of them cost follows from these, since prompts grow evenly.
_MADE = (12, 16, 20)

#: A reply that every strategy finds something to run in.
_RUNS = """It needs one step.
Decomposition:
Text2SQL: everything

```sql
SELECT 1 AS answer
```

```python
answer = 1


def compute_result(*given):
    return [(1,)]
```

```json
[[1]]
```
"""


@dataclass(frozen=True, slots=True)
class Load:
    """What a question costs on the average.

    Attributes:
        calls: Of models.
        prompt_tokens: Sent, by the calls that are paid for.
        completion_tokens: Received, likewise.
        cached_calls: How many of the calls a cache answers, which cost nothing.
    """

    calls: float
    prompt_tokens: float
    completion_tokens: float
    cached_calls: float = 0.0

    def dollars(self, price: Price | None) -> float | None:
        """Its price; None where that is unknown."""
        if price is None:
            return None
        tokens = (self.prompt_tokens, self.completion_tokens)
        return price.dollars(TokenCount(prompt=1_000_000, completion=0)) * tokens[0] / 1e6 + (
            price.dollars(TokenCount(prompt=0, completion=1_000_000)) * tokens[1] / 1e6
        )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will cost.

    Attributes:
        questions: How many are to be asked.
        looked_at: Of how many the prompts were made.
        model: Who would be asked; empty for no model.
        likely: A question, where the first reply of each call serves.
        most: A question, where every correction is needed.
        price: For a million tokens; None where it is unknown.
    """

    questions: int
    looked_at: int
    model: str
    likely: Load
    most: Load
    price: Price | None = None

    @property
    def dollars(self) -> float | None:
        """The whole run's likely cost."""
        each = self.likely.dollars(self.price)
        return None if each is None else each * self.questions

    @property
    def dollars_at_most(self) -> float | None:
        """The same where every correction is needed."""
        each = self.most.dollars(self.price)
        return None if each is None else each * self.questions


@dataclass(slots=True)
class _Counting(Wrapper):
    """A model that answers the same to everything, and counts what it is sent."""

    llm: LLM
    reply: str
    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0

    def complete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The fixed reply."""
        self.calls += 1
        if _is_cached(self.llm, messages, parameters):
            self.cached_calls += 1
            return Completion(self.reply, Usage(1, cached_calls=1), cached=True)
        tokens = estimate_prompt_tokens(messages)
        self.prompt_tokens += tokens
        return Completion(self.reply, Usage(1, prompt_tokens=tokens, completion_tokens=REPLY_TOKENS))

    async def acomplete(self, messages: Sequence[Message], parameters: Parameters = Parameters()) -> Completion:
        """The same."""
        return self.complete(messages, parameters)


def _is_cached(llm: LLM, messages: Sequence[Message], parameters: Parameters) -> bool:
    """Whether a model, or one that it wraps, keeps the reply on disk."""
    if isinstance(llm, Cached) and llm.path_of(messages, parameters).is_file():
        return True
    within = getattr(llm, "llm", None)
    return isinstance(within, LLM) and _is_cached(within, messages, parameters)


def left_to_ask(strategy: Strategy, dataset: Dataset, out: str | Path | None, again: Iterable[str] = ()) -> Dataset:
    """The questions that `evaluate` with these arguments has yet to ask: the run in ``out`` has not finished them.

    Args:
        strategy: As for `evaluate`.
        dataset: As for `evaluate`.
        out: The run's folder, which need not be there yet; nothing is finished where None.
        again: The kinds of failure whose questions are asked anew.

    Raises:
        SourceError: The folder holds a damaged run.
        BoxkitError: It is of other settings, so that the run would be refused.
        ValueError: There is no such kind of failure.
    """
    _, kinds = names_of(None, tuple(again))
    folder = None if out is None else Path(out)
    if folder is None or not (folder / SETTINGS).exists():
        return dataset
    strategy = without_split(strategy, dataset.name, dataset.split)
    check_settings(folder, run_settings(strategy, dataset), formerly(dataset))
    done = {record.key for record in read_run(folder).records if record.failure not in kinds}
    return dataclasses.replace(dataset, tasks=tuple(task for task in dataset.tasks if task.key not in done))


def estimate(strategy: Strategy, dataset: Dataset, *, sample: int = 12, price: Price | None = None) -> Estimate:
    """What it would cost to evaluate a strategy; nothing is asked.

    Args:
        strategy: As for `evaluate`.
        dataset: What is left to ask; `left_to_ask` gives it. Calls that a cache answers (`Cached`) cost nothing; how
            many these are is taken from the sample.
        sample: Of how many questions to make the prompts.
        price: The model's; as its name says where None.

    Raises:
        ValueError: The sample is no whole number from 1.
    """
    check_count("sample", sample)
    models = models_of(strategy)
    strategy = without_split(strategy, dataset.name, dataset.split)
    looked = dataset.sample(sample)
    likely, most = (_load(strategy, looked, reply) for reply in (_RUNS, ""))
    # A strategy of several steps may end at its first failure.
    most = max(likely, most, key=lambda load: (load.prompt_tokens, load.calls))
    names = ", ".join(dict.fromkeys(llm.name for llm in models))
    return Estimate(len(dataset), len(looked), names, likely, most, price or _price(models))


def _load(strategy: Strategy, dataset: Dataset, reply: str) -> Load:
    """A question's load where every call of a model is answered so."""
    wanted = max(_corrections(strategy), default=0)
    if wanted <= _MADE[-1]:
        return _load_made(strategy, dataset, reply)
    loads = [_load_made(_held(strategy, most), dataset, reply) for most in _MADE]

    def at_wanted(name: str) -> float:
        """Through three points goes one parabola, and each correction makes the next prompt longer by as much."""
        return sum(
            float(getattr(load, name)) * math.prod((wanted - other) / (at - other) for other in _MADE if other != at)
            for at, load in zip(_MADE, loads, strict=True)
        )

    return Load(*(at_wanted(each.name) for each in dataclasses.fields(Load)))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """What a strategy is made of, by name."""
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, LLM)):
        yield from ((each.name, getattr(value, each.name)) for each in dataclasses.fields(value) if each.init)


def _corrections(value: Any) -> Iterator[int]:
    for name, part in _parts(value):
        if name in CORRECTIONS and isinstance(part, int):
            yield part
        for inner in part if isinstance(part, tuple) else (part,):
            yield from _corrections(inner)


def _held(value: Any, most: int) -> Any:
    """The same strategy with so many corrections at the most, in those that it wraps too."""
    if type(value) is tuple:
        return tuple(_held(each, most) for each in value)
    changed = {}
    for name, part in _parts(value):
        is_more = name in CORRECTIONS and isinstance(part, int) and part > most
        held = most if is_more else _held(part, most)
        if held != part:
            changed[name] = held
    return dataclasses.replace(value, **changed) if changed else value


def _price(models: Sequence[LLM]) -> Price | None:
    if not models:
        return Price(0.0, 0.0)
    given = [getattr(llm, "price", None) or price_of(llm.name) for llm in models]
    return given[0] if len(set(given)) == 1 else None


def _load_made(strategy: Strategy, dataset: Dataset, reply: str) -> Load:
    made: list[_Counting] = []

    def counting(llm: LLM) -> LLM:
        made.append(_Counting(llm, reply))
        return made[-1]

    stub: Strategy = rewritten(strategy, LLM, counting)
    asked = 0
    for task in dataset if made else ():
        try:
            stub.ask(task.asked, task.boxes())
        except BoxkitError:
            continue  # its source cannot be read, which costs nothing
        asked += 1
    calls, cached = sum(each.calls for each in made), sum(each.cached_calls for each in made)
    tokens, paid = sum(each.prompt_tokens for each in made), (calls - cached) * REPLY_TOKENS
    of = asked or 1
    return Load(calls / of, tokens / of, paid / of, cached / of)
