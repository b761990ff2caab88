"""Advice that needs the boxes that were not sent: names and fields that the code meant and did not hit."""

from __future__ import annotations

import dataclasses
import re

from boxkit.errors import UnknownBox, nearest
from boxkit.executor.supply import Supply
from boxkit.failure import Failure

__all__ = ["advised"]

_MAX_BOXES = 500


def advised(failure: Failure, source: Supply) -> Failure:
    """``failure`` with a hint that knows every box, sent or not."""
    names = source.names()
    if failure.type == "NameError":
        missing = (re.findall(r"name '([^']+)' is not defined", failure.message) or [""])[0]
        close = nearest(missing, names)
        hint = f"nearest box: {', '.join(map(repr, close))}" if close else _listed(names)
        return dataclasses.replace(failure, hint="; ".join(dict.fromkeys(filter(None, (failure.hint, hint)))))
    if failure.type != "KeyError":
        return failure
    unknown = re.search(r"there is no box '([^']*)'", failure.message)
    if unknown:
        error = UnknownBox(unknown.group(1), names)
        return dataclasses.replace(failure, message=f"KeyError: {error.what}", hint=error.hint or "")
    elsewhere = [text for label in re.findall(r"'([^']+)'", failure.message) for text in _elsewhere(label, source)]
    told = [text for text in dict.fromkeys(elsewhere) if text not in failure.hint]
    return dataclasses.replace(failure, hint="; ".join(filter(None, (failure.hint, *told[:3]))))


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"the boxes are: {', '.join(names[:20])}{more}" if names else "there are no boxes"


def _elsewhere(label: str, source: Supply) -> list[str]:
    """The boxes that have that very field; else the one field of any box that comes nearest."""
    labels = {name: source.labels(name) or () for name in source.names()[:_MAX_BOXES]}
    exact = [name for name, known in labels.items() if label in known]
    if exact:
        return [f"{label!r} is a field of box {name!r}" for name in exact]
    close = nearest(label, {each for known in labels.values() for each in known}, limit=1)
    return [f"box {name!r} has {close[0]!r}" for name, known in labels.items() if close and close[0] in known]
