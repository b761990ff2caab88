"""Quoted texts stay as they are while what stands around them is put in other words."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["OPEN", "around_quotes"]

_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|«[^»]+»|(?<![\w'])['‘](?=\S)[^'‘’]*(?:['’]\w[^'‘’]*)*['’](?!\w)")
#: What a quoted text's stand-in begins and ends with; characters that no text has.
OPEN, _CLOSE = "\ue000", "\ue001"
_STAND_IN = re.compile(f"{OPEN}(.){_CLOSE}")
_FIRST = 0xE100
#: A question that quotes more is left alone.
_MOST = 50


def around_quotes(question: str, rewrite: Callable[[str], str]) -> str:
    """The question as ``rewrite`` puts it, which sees a stand-in for each quoted text; as it was where nothing is left.

    >>> around_quotes("Who wrote 'THE SEA'?", str.lower)
    "who wrote 'THE SEA'?"
    """
    kept = _QUOTED.findall(question)
    if len(kept) > _MOST:
        return question
    places = iter(range(len(kept)))
    text = rewrite(_QUOTED.sub(lambda _: f"{OPEN}{chr(_FIRST + next(places))}{_CLOSE}", question))
    return _STAND_IN.sub(lambda match: kept[ord(match[1]) - _FIRST], text).strip() or question
