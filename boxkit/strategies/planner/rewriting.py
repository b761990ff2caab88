"""Tables of rules that put a question in other words, and the one way in which they are applied."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from boxkit.strategies.planner.words import stem

__all__ = ["Known", "Rule", "Step", "rewritten"]


@dataclass(frozen=True, slots=True)
class Known:
    """What a rule may ask about the data.

    Attributes:
        has: Whether a box or a field is called by the word with this stem, or by another of the same meaning.
        is_called: Whether something is called by these singular words.
    """

    has: Callable[[str], bool]
    is_called: Callable[[tuple[str, ...]], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A turn of phrase, and what says the same more plainly.

    Attributes:
        pattern: Of `re`; upper and lower case are one where it has no ``[A-Z]``.
        to: A template of `re`, or what makes the new text of the match; None leaves the text as it is.
        needs: Words, with spaces between them; the data must have something called by each.
        times: How often it is applied: at its first place, at all its places, or again ``while`` it changes the text.
    """

    pattern: str
    to: str | Callable[[re.Match[str], Known], str | None]
    needs: str = ""
    times: Literal["once", "all", "while"] = "once"


#: A rule; or several, of which the first that fits is applied.
Step = Rule | tuple[Rule, ...]


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, 0 if "[A-Z]" in pattern else re.IGNORECASE)


@lru_cache(maxsize=256)
def _stems(words: str) -> tuple[str, ...]:
    return tuple(map(stem, words.split()))


def rewritten(text: str, steps: Iterable[Step], known: Known) -> str:
    """The text after each of the steps, in their order.

    >>> rewritten("What's the dearest one?", [Rule(r"\\bwhat's\\b", "what is")], Known(lambda _: True, lambda _: True))
    'what is the dearest one?'
    """
    for step in steps:
        for rule in (step,) if isinstance(step, Rule) else step:
            changed = _applied(rule, text, known)
            if changed != text:
                text = changed
                break
    return text


def _applied(rule: Rule, text: str, known: Known) -> str:
    if not all(map(known.has, _stems(rule.needs))):
        return text
    pattern, to = _compiled(rule.pattern), rule.to

    def new(match: re.Match[str]) -> str:
        made = match.expand(to) if isinstance(to, str) else to(match, known)
        return match.group() if made is None else made

    changed = pattern.sub(new, text, count=0 if rule.times == "all" else 1)
    while rule.times == "while" and changed != text:
        text, changed = changed, pattern.sub(new, changed, count=1)
    return changed
