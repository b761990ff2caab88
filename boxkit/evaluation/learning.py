"""`boxkit.learn`: annotate training questions, verify under the dataset's own scorer, keep what is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from boxkit.evaluation.scorers import score
from boxkit.memory.learning import Annotator, Ask, Example, InTurn, Report, Transpile
from boxkit.memory.learning import learn as _learn
from boxkit.profile import PROFILES

if TYPE_CHECKING:
    from boxkit.llm.protocol import LLM
    from boxkit.memory import Memory

__all__ = ["SCORER_OF", "annotator_for", "learn"]

#: Dataset → the scorer that decides what is right; of others, Spider's comparison done right.
SCORER_OF = {
    "spider": "spider",
    "bird": "bird",
    "archer": "archer",
    "wikitq": "wikitq",
    "grailqa": "grailqa",
    "webqsp": "webqsp",
}


def learn(
    examples: Iterable[Example],
    llm: LLM | None,
    memory: Memory,
    *,
    annotator: Literal["transpile", "llm", "transpile,llm"] | Annotator | None = None,
    attempts: int = 3,
    k: int = 10,
    show_gold: bool = False,
    concurrency: int = 4,
    dollars: float | None = None,
    target: int | None = None,
    on_progress: Callable[[Report], None] | None = None,
) -> Report:
    """Turn training questions into demonstrations (Pandora, section 5): database tasks first, then tables and graphs.

    An example is kept only if running its code gave the gold answer under its dataset's scorer. Resumable where the
    memory has a folder: the same call goes on where a killed one stopped.

    Args:
        examples: What to learn from.
        llm: The model; None where gold programs are to be transpiled only, which costs nothing.
        memory: Where demonstrations go.
        annotator: ``"transpile"``, ``"llm"``, or ``"transpile,llm"`` (the model only for what was refused); by default
            the last where there is a model, else the first. Or an annotator of your own.
        attempts: Replies at the most, a question.
        k: Demonstrations shown to the model, in the second stage.
        show_gold: Whether the model sees the gold program beside the question.
        concurrency: Examples at once.
        dollars: Stop before models cost more than this.
        target: Stop when this many demonstrations are kept.
        on_progress: Called after each example.

    Raises:
        ValueError: An annotator that needs a model where there is none.
        LLMError: The model could not be asked, several times in a row.
    """
    if annotator is None or isinstance(annotator, str):
        annotator = annotator_for(annotator, llm, attempts=attempts, k=k, show_gold=show_gold)
    return _learn(
        examples,
        annotator,
        memory,
        scorer=_is_right,
        scorer_name="the dataset's own",
        concurrency=concurrency,
        dollars=dollars,
        target=target,
        on_progress=on_progress,
    )


def annotator_for(
    name: str | None, llm: LLM | None, *, attempts: int = 3, k: int = 10, show_gold: bool = False
) -> Annotator:
    """The annotator of that name.

    Raises:
        ValueError: There is none, or it needs a model.
    """
    name = name or ("transpile,llm" if llm is not None else "transpile")
    if name == "transpile":
        return Transpile()
    if name not in ("llm", "transpile,llm"):
        raise ValueError(f"an annotator is 'transpile', 'llm' or 'transpile,llm', not {name!r}")
    if llm is None:
        raise ValueError(f"the annotator {name!r} needs a model")
    model = llm

    def strategy(shown: Memory | None) -> Any:
        from boxkit.strategies import Pandora

        return Pandora(model, shown, k=k, attempts=attempts, profile=PROFILES["spider"])

    asking = Ask(strategy, llm.name, _with_gold if show_gold else _question)
    return asking if name == "llm" else InTurn(Transpile(), asking)


def _question(example: Example) -> str:
    return example.question


def _with_gold(example: Example) -> str:
    if not example.program:
        return example.question
    return f"{example.question}\n(A program in {example.language} that answers it: {example.program})"


def _is_right(example: Example, rows: Sequence[Sequence[Any]]) -> bool:
    gold = example.gold()
    name = SCORER_OF.get(example.dataset, "spider_strict")
    if name in ("spider", "spider_strict", "archer"):
        return score(name, rows, gold, ordered=example.ordered).correct
    if name == "bird":
        return score(name, rows, gold).correct
    cells = [cell for row in gold for cell in row]
    if name == "wikitq":
        return score(name, rows, [str(cell) for cell in cells]).correct
    answers = [{"Answers": [{"AnswerArgument": cell} for cell in cells], "AnnotatorComment": _SOUND}]
    return score(name, rows, answers if name == "webqsp" else cells).correct


_SOUND = {"QuestionQuality": "Good", "ParseQuality": "Complete"}
