"""What SQL holds for equal and pandas does not: texts of columns that are compared without case, accents or spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from boxkit.box import Box, Field, Note

__all__ = ["Equality", "equalities", "notes_on_collations"]

#: More fields of one collation than this are one note.
_MOST_NOTES = 3
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Equality:
    """What a collation does not tell apart.

    Attributes:
        case: Capitals and small letters of English.
        accents: Letters with an accent and without.
        spaces: Texts that differ by spaces at the end.
        all_case: Capitals and small letters of other languages too.
    """

    case: bool = False
    accents: bool = False
    spaces: bool = False
    all_case: bool = False

    @property
    def words(self) -> str:
        """What it has no regard to; empty where it tells everything apart."""
        case = "case" if self.all_case else "the case of ASCII letters"
        said = [name for name, same in ((case, self.case), ("accents", self.accents)) if same]
        said += ["spaces at the end"] if self.spaces else []
        return " and ".join(filter(None, (", ".join(said[:-1]), *said[-1:])))

    def fix(self, column: str) -> str:
        """pandas code for the column as it is compared."""
        code = column
        if self.accents:
            code += '.str.normalize("NFKD").str.replace(r"[\\u0300-\\u036f]", "", regex=True)'
        code += ".str.casefold()" if self.case else ""
        return code + ('.str.rstrip(" ")' if self.spaces else "")


def equalities(
    first_row: Callable[[str], Sequence[Any] | None], written: Callable[[str, str], str]
) -> Callable[[str], Equality | None]:
    """Asks a database what a collation does not tell apart; None where it does not know the collation.

    Args:
        first_row: The first row of a query there; None where it fails.
        written: The SQL for a text (which needs no escapes) under a collation.
    """

    @cache
    def asked(collation: str) -> Equality | None:
        pairs = (("a", "A"), ("a", "\u00e1"), ("a", "a "), ("\u00e1", "\u00c1"))
        tests = [
            f"CASE WHEN {written(one, collation)} = {written(other, collation)} THEN 1 ELSE 0 END"
            for one, other in pairs
        ]
        row = first_row(f"SELECT {', '.join(tests)}")
        return None if row is None else Equality(*map(bool, row))

    return asked


def notes_on_collations(boxes: Iterable[Box], equality: Callable[[str], Equality | None]) -> Iterator[Note]:
    """Notes on fields that SQL compares more loosely than pandas; one note where there are many.

    Args:
        boxes: Of one database.
        equality: What a collation does not tell apart.
    """
    by_name: dict[str, list[tuple[Box, Field]]] = {}
    for box in boxes:
        for field in box.fields:
            if field.collation:
                by_name.setdefault(field.collation, []).append((box, field))
    for name, found in by_name.items():
        same = equality(name)
        if same is not None and not same.words:
            continue
        message = f"SQL compares {{}} by the collation {name!r}, which a program defines; pandas letter by letter"
        if same is not None:
            message = f"SQL compares {{}} without regard to {same.words} (collation {name}), pandas letter by letter"
        if len(found) <= _MOST_NOTES:
            for box, field in found:
                fix = same.fix(f"{box.name}[{field.label!r}]") if same else None
                yield Note("lint", message.format("it"), box.name, field.label, None, fix)
            continue
        shown = ", ".join(f"{box.name}[{field.label!r}]" for box, field in found[:_MOST_NAMED])
        more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        fix = same.fix(f"{found[0][0].name}[{found[0][1].label!r}]") if same else None
        yield Note("lint", f"{message.format(f'{len(found)} fields')}: {shown}{more}", None, None, None, fix)
