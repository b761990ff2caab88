"""What the emitter holds of a node once its code stands: code for the frame, and where each column is in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from boxkit.plan import expressions as ex
from boxkit.plan.emitter.layout import listed, literal
from boxkit.plan.schema import Slot, resolve

__all__ = ["Cell", "Table", "unique_labels"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A column: what plans call it, and the frame's label, or the code of its one value where there is no frame."""

    slot: Slot
    label: str
    single: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A node's rows.

    Attributes:
        code: An expression for the frame; empty where the node's one row is held as single values.
        cells: The node's columns, in order; the frame may have more.
        labels: The frame's own labels, in order.
        is_name: Whether ``code`` is a variable, cheap to repeat.
        words: What a variable that holds it is called after.
    """

    code: str
    cells: tuple[Cell, ...]
    labels: tuple[str, ...] = ()
    is_name: bool = False
    words: str = "selected"

    @property
    def is_single(self) -> bool:
        """Whether the one row is held as single values."""
        return not self.code

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The columns as plans see them."""
        return tuple(cell.slot for cell in self.cells)

    def cell(self, column: ex.Column) -> Cell:
        """The cell that a column means."""
        return self.cells[resolve(column, self.slots)]

    @property
    def frame(self) -> str:
        """An expression for a frame of exactly the node's columns."""
        wanted = tuple(cell.label for cell in self.cells)
        return self.code if wanted == self.labels else f"{self.code}[{listed(wanted)}]"

    def column(self, cell: Cell) -> str:
        """The code of a column."""
        return cell.single if self.is_single else f"{self.code}[{literal(cell.label)}]"

    def with_code(self, code: str, *, is_name: bool = False) -> Table:
        """The same columns in another frame of the same labels."""
        return replace(self, code=code, is_name=is_name)

    def exact(self, code: str) -> Table:
        """The same columns in a frame that has no others."""
        return replace(self, code=code, labels=tuple(cell.label for cell in self.cells), is_name=False)


def unique_labels(names: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Labels for columns of these names; a double is numbered."""
    labels: list[str] = []
    for name in names:
        label, number = name or "value", 2
        while label in labels or label in taken:
            label, number = f"{name}_{number}", number + 1
        labels.append(label)
    return labels
