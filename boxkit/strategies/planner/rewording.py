"""A question in plainer words, as the rest of the Planner reads it."""

from __future__ import annotations

from collections.abc import Callable

from boxkit.strategies.planner.endings import ENDINGS
from boxkit.strategies.planner.idioms import IDIOMS
from boxkit.strategies.planner.phrases import PHRASES
from boxkit.strategies.planner.quoted import around_quotes
from boxkit.strategies.planner.rewriting import Known, Step, rewritten
from boxkit.strategies.planner.roundabout import ROUNDABOUT

__all__ = ["reworded"]

#: What stands around a question hides its idioms, and the other way round; so these are looked for twice.
_STEPS: tuple[Step, ...] = (*ROUNDABOUT, *ENDINGS, *IDIOMS, *ENDINGS, *PHRASES, *IDIOMS, *ENDINGS)


def reworded(question: str, has: Callable[[str], bool], is_called: Callable[[tuple[str, ...]], bool]) -> str:
    """The question with its turns of phrase in plainer words; quoted texts stay as they are.

    Args:
        question: The question.
        has: Whether a box or a field is called by the word with this stem.
        is_called: Whether something in the data is called by these singular words.

    >>> def of_shop(question):
    ...     return reworded(question, lambda word: True, lambda words: False)
    >>> of_shop("Could you tell me how many books there are, please?")
    'how many books there are?'
    >>> of_shop("Which authors came into the world before all the others?")
    'Which authors was born first?'
    >>> of_shop("Take the plants from Lund and work out their mean price.")
    'what is the mean price of the plants from Lund.'
    """
    known = Known(has, is_called)
    return around_quotes(question, lambda text: _spaced(rewritten(_spaced(text), _STEPS, known)))


def _spaced(text: str) -> str:
    return " ".join(text.split())
