"""Where a run's frames come from: a BoxSet, or DataFrames that somebody handed over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from boxkit.box import BoxSet
from boxkit.errors import UnknownBox
from boxkit.executor.database import companions
from boxkit.naming import box_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DatabaseSupply", "Supply", "supply"]


class Supply(Protocol):
    """Named frames, read on demand.

    Attributes:
        key: Equal for two supplies of the same data; None where that cannot be told.
        database: The SQLite file that the code may read besides; empty where there is none.
    """

    @property
    def key(self) -> str | None:
        """See above."""
        ...

    @property
    def database(self) -> str:
        """See above."""
        ...

    def names(self) -> tuple[str, ...]:
        """The names, in order."""
        ...

    def labels(self, name: str) -> tuple[str, ...] | None:
        """The frame's column labels; None where they are not simply texts."""
        ...

    def read(self, name: str, columns: tuple[str, ...] | None) -> pd.DataFrame:
        """The frame, or some of its columns."""
        ...

    def frame_key(self, name: str, columns: tuple[str, ...] | None) -> str:
        """What tells this reading apart from others of the same supply."""
        ...


def _frame_key(name: str, columns: tuple[str, ...] | None) -> str:
    return name if columns is None else repr((name, sorted(columns)))


@dataclass(frozen=True, slots=True)
class BoxSupply:
    """The boxes of a BoxSet."""

    boxes: BoxSet
    key: str | None
    database: str = ""

    def names(self) -> tuple[str, ...]:
        """The boxes' names."""
        return tuple(self.boxes)

    def labels(self, name: str) -> tuple[str, ...] | None:
        """The box's labels."""
        return self.boxes[name].labels

    def read(self, name: str, columns: tuple[str, ...] | None) -> pd.DataFrame:
        """The box's frame, or some of its columns."""
        box = self.boxes[name]
        return box.frame if columns is None else box.read(columns)

    def frame_key(self, name: str, columns: tuple[str, ...] | None) -> str:
        """Name and columns."""
        return _frame_key(name, columns)


@dataclass(frozen=True, slots=True)
class FrameSupply:
    """DataFrames by name; they may change between two runs, so nothing is kept of them."""

    frames: Mapping[str, Any]
    key: None = None
    database: str = ""

    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(self.frames)

    def labels(self, name: str) -> tuple[str, ...] | None:
        """The frame's labels, where all are texts and none is there twice."""
        labels = list(self.frames[name].columns)
        plain = all(type(label) is str for label in labels) and len(set(labels)) == len(labels)
        return tuple(labels) if plain else None

    def read(self, name: str, columns: tuple[str, ...] | None) -> pd.DataFrame:
        """The frame, or some of its columns."""
        frame: pd.DataFrame = self.frames[name]
        return frame if columns is None else frame[list(columns)]

    def frame_key(self, name: str, columns: tuple[str, ...] | None) -> str:
        """Name and columns."""
        return _frame_key(name, columns)


@dataclass(frozen=True, slots=True)
class DatabaseSupply:
    """No frames, but a database file that the code reads itself."""

    database: str

    @property
    def key(self) -> str:
        """The file's name, and which files lie beside it."""
        return "database " + "\0".join(companions(self.database))

    def names(self) -> tuple[str, ...]:
        """None."""
        return ()

    def labels(self, name: str) -> tuple[str, ...] | None:
        """None."""
        raise UnknownBox(name, ())

    def read(self, name: str, columns: tuple[str, ...] | None) -> pd.DataFrame:  # noqa: ARG002 - a supply without frames
        """There is nothing to read."""
        raise UnknownBox(name, ())

    def frame_key(self, name: str, columns: tuple[str, ...] | None) -> str:  # noqa: ARG002 - a supply without frames
        """There is nothing to read."""
        raise UnknownBox(name, ())


def supply(boxes: BoxSet | Mapping[str, pd.DataFrame]) -> Supply:
    """The supply for what a caller passed.

    Raises:
        TypeError: It is neither a BoxSet nor DataFrames by name.
    """
    if isinstance(boxes, BoxSet):
        return BoxSupply(boxes, boxes.fingerprint)
    import pandas as pd

    if not isinstance(boxes, Mapping) or not all(isinstance(frame, pd.DataFrame) for frame in boxes.values()):
        raise TypeError(f"boxes must be a BoxSet or a dict of DataFrames, not {type(boxes).__name__}")
    frames: dict[str, Any] = {}
    for name, frame in boxes.items():
        frames[box_name(str(name), frames)] = frame
    return FrameSupply(frames)
