"""What is said behind a question: that the names will do, what else to give, which rows come first."""
# ruff: noqa: E501 - a row of a table is easier to read and to change than its wrapping

from __future__ import annotations

import re

from boxkit.strategies.planner.adjectives import ADJECTIVES, one_of, superlatives
from boxkit.strategies.planner.rewriting import Known, Rule, Step

__all__ = ["ENDINGS"]

_END = rf"(?:{one_of(superlatives)}|most (?:{one_of(ADJECTIVES)})|highest|lowest|most|fewest)"
_RANKED = re.compile(rf"\b(?:{_END}|least)\b", re.IGNORECASE)


def _first(match: re.Match[str], _: Known) -> str | None:
    """``the five longest, starting with the longest``: the superlative says the order; else it is said at the end."""
    if _RANKED.search(match.string[: match.start()]):
        return ""
    return f", {match[1]} first" if match.re.groups else None


#: In the order in which they are applied.
ENDINGS: tuple[Step, ...] = (
    # A thing is shown by its name anyway.
    Rule(r"(?:,| -| –| —| \()\s*(?:just |only )?(?:the |their )?(?:names?|titles?) only(?:,? please)?\)?(?=[,.;?!]|$)", "", times="all"),
    Rule(r"(?:,| -| –| —| \()\s*(?:just|only) (?:the |their )?(?:names?|titles?)(?:,? please)?\)?(?=[,.;?!]|$)", "", times="all"),
    Rule(r"[,.;?] ?(?:the |their )?(?:names?|titles?),? please(?=[.?!]*$)", "", times="all"),
    # What is asked is said again.
    Rule(r"[.?;,]\s*(?:and )?(?:just|only|simply)(?: (?:give|show|list|tell|name)(?: me| us)?)? (?:the |their |its |his |her )?((?:\w+ ){0,2}\w+)(?: (?:is|are|will do)(?: fine| enough| sufficient)?)?[.!?]?$", r". Give the \1."),
    Rule(r"[.?;,]\s*i (?:would )?(?:only|just) (?:need|want|like|care about) (?:to know )?(?:the |their |its |his |her )?([^.?!]+)[.!?]?$", r". Give the \1."),
    Rule(r",\s*(\w+) only[.!?]?$", r". Give the \1."),
    # Which rows come first.
    Rule(rf",? (?:in order )?from (?:the )?({_END})(?: \w+)? (?:down|downwards?|on)(?=,|[?.!]*$)", _first),
    (
        Rule(rf",? (?:starting|beginning) (?:with|from) the ({_END})(?: one| ones| first)?[?.]*$", _first),
        Rule(rf", (?:the )?({_END})(?: one| ones)? (?:at the top|on top|to start with)[?.]*$", _first),
        Rule(r"(?:, (?:most|fewest|highest|lowest) \w+ first|,? in (?:de|a)scending order)[?.]*$", _first),
        Rule(r",? (?:sorted|ordered|ranked|arranged|listed)? ?from the (most|fewest|highest|lowest)(?: \w+)? to the (?:fewest|most|lowest|highest)(?: \w+)?[?.]*$", _first),
    ),
)  # fmt: skip
