"""MySQL's collation: the case of letters does not count, where the data show that it would make a difference."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from boxkit.errors import UnsupportedQuery
from boxkit.plan import Call, Constant, Expression
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["check_groups", "folded", "order_key"]


def folded(values: Sequence[Expression], reader: ExpressionReader) -> list[Expression]:
    """Operands of a comparison, in lower case where the case of their letters makes a difference."""
    types = [reader.type_of(each) for each in values]
    if reader.dialect != "mysql" or not any(each.kind == "text" for each in types):
        return list(values)
    if not _differ_in_case([each for each in types if each.kind == "text"]):
        return list(values)
    return [_lower(each) if kind.kind == "text" else each for each, kind in zip(values, types, strict=True)]


def _lower(value: Expression) -> Expression:
    if isinstance(value, Constant):
        return Constant(str(value.value).lower())
    return Call("lower", (value,))


def _known(types: Sequence[Type]) -> set[str] | None:
    """Every text that the columns hold; None where that is not known."""
    texts: set[str] = set()
    for each in types:
        if each.values is None:
            return None
        texts |= set(each.values.dropna())
    return texts


def _differ_in_case(types: Sequence[Type]) -> bool:
    texts = _known(types)
    return texts is None or len({text.lower() for text in texts}) < len(texts)


def check_groups(values: Sequence[Expression], reader: ExpressionReader) -> None:
    """Refuses to group texts that MySQL would hold for equal.

    Raises:
        UnsupportedQuery: Two texts of a column differ in nothing but the case of their letters.
    """
    for value in values if reader.dialect == "mysql" else ():
        kind = reader.type_of(value)
        if kind.kind == "text" and kind.values is not None and _differ_in_case([kind]):
            raise UnsupportedQuery("grouping of texts that differ in letters' case only")


def order_key(value: Expression, reader: ExpressionReader) -> Expression:
    """What rows are ordered by: lower case where that gives another order."""
    kind = reader.type_of(value)
    if reader.dialect != "mysql" or kind.kind != "text":
        return value
    texts = _known([kind])
    if texts is not None and sorted(texts) == sorted(texts, key=str.lower):
        return value
    return _lower(value)
