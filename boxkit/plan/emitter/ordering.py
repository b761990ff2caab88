"""`sort_values`, as the keys of an order need it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxkit.plan import algebra as pa
from boxkit.plan.emitter.layout import listed, literal

if TYPE_CHECKING:
    from boxkit.plan.types import Type

__all__ = ["sorted_code"]

_NUMBERS_FIRST = 'key=lambda column: column.map(lambda value: (isinstance(value, str), value), na_action="ignore")'


def sorted_code(
    code: str, keys: Sequence[pa.SortKey], labels: Sequence[str], kinds: Sequence[Type], *, stable: bool = True
) -> str:
    """A frame's code with its rows in order; ``labels`` are the keys' columns, ``kinds`` their types.

    ``stable`` says it where pandas would keep tying rows in their order without being told.
    """
    first = [bool(key.nulls_first) for key in keys]
    placed = {place for place, kind in zip(first, kinds, strict=True) if kind.nullable}
    if len(placed) > 1 or (len(labels) > 1 and any(kind.kind == "mixed" for kind in kinds)):
        return _one_by_one(code, keys, labels, [kind.kind == "mixed" for kind in kinds])
    arguments = [literal(labels[0]) if len(labels) == 1 else listed(labels)]
    descending = [key.descending for key in keys]
    if all(descending):
        arguments.append("ascending=False")
    elif any(descending):
        arguments.append(f"ascending=[{', '.join(str(not each) for each in descending)}]")
    if placed == {True}:
        arguments.append('na_position="first"')
    if stable:
        arguments.append('kind="stable"')
    if kinds[0].kind == "mixed":
        arguments.append(_NUMBERS_FIRST)
    return f"{code}.sort_values({', '.join(arguments)})"


def _one_by_one(code: str, keys: Sequence[pa.SortKey], labels: Sequence[str], mixed: Sequence[bool]) -> str:
    """Stable sorts from the last key to the first: each key may place its missing values as it likes."""
    for key, label, is_mixed in reversed(list(zip(keys, labels, mixed, strict=True))):
        arguments = [literal(label)]
        arguments += ["ascending=False"] if key.descending else []
        arguments += ['na_position="first"'] if key.nulls_first else []
        arguments += ['kind="stable"']
        arguments += [_NUMBERS_FIRST] if is_mixed else []
        code = f"{code}.sort_values({', '.join(arguments)})"
    return code
