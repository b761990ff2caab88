"""Boxes whose rows are in memory already: the reader of every source that is parsed whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from boxkit.box import Box, Field, Reading, SourceKind
from boxkit.converters.columns import type_in_words

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["FrameReader", "held_box"]


@dataclass(frozen=True, slots=True)
class FrameReader:
    """Reads from a frame of boxkit's own.

    Attributes:
        frame: The rows.
        state: Tells the state of what the frame was made from.
    """

    frame: pd.DataFrame
    state: Callable[[], str]

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        frame = self.frame if columns is None else self.frame[list(columns)]
        return Reading(frame if limit is None else frame.head(limit))

    def count(self) -> int:
        """The number of rows."""
        return len(self.frame)

    def fingerprint(self) -> str:
        """The state of what the frame was made from."""
        return self.state()


def held_box(
    name: str,
    frame: pd.DataFrame,
    *,
    state: Callable[[], str],
    source_name: str = "",
    source_names: Sequence[str] | None = None,
    primary_key: Sequence[str] = (),
    kind: SourceKind = "table",
    description: str = "",
) -> Box:
    """A box around a frame whose labels are unique texts.

    Args:
        name: The box's name.
        frame: The rows; boxkit's own, never the user's.
        state: Called for the fingerprint.
        source_name: The name in the source.
        source_names: The columns' names in the source, where they differ from the labels.
        primary_key: Labels of the key.
        kind: What kind of source it came from.
        description: What it holds.
    """
    names = list(source_names) if source_names is not None else list(frame.columns)
    fields = tuple(
        Field(str(label), type_in_words(series), own) for (label, series), own in zip(frame.items(), names, strict=True)
    )
    return Box(name, fields, FrameReader(frame, state), source_name, tuple(primary_key), kind, description)


def content_state(frame: pd.DataFrame) -> Callable[[], str]:
    """A fingerprint of a frame's content: its labels, dtypes and values, hashed once on first use."""
    found: list[str] = []

    def state() -> str:
        if not found:
            found.append(_hash(frame))
        return found[0]

    return state


def _hash(frame: pd.DataFrame) -> str:
    import pandas as pd

    digest = hashlib.sha256(repr([(label, str(kind)) for label, kind in frame.dtypes.items()]).encode())
    digest.update(str(len(frame)).encode())
    for at in range(frame.shape[1]):
        series = frame.iloc[:, at]
        try:
            hashed = pd.util.hash_pandas_object(series, index=False, categorize=False)
        except (TypeError, ValueError):
            # Values that do not hash, and texts that are no Unicode.
            hashed = pd.util.hash_pandas_object(series.astype(object).map(ascii), index=False, categorize=False)
        digest.update(hashed.to_numpy().tobytes())
    return digest.hexdigest()[:32]
