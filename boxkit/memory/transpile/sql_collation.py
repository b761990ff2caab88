"""Where the case of letters does not count: in MySQL always, in SQLite for the letters of ASCII under COLLATE NOCASE.

Lower case is written only where the data show that it makes a difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.plan import Call, Column, Constant, Expression, ScalarPlan
from boxkit.plan.schema import walk
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["check_groups", "folded", "is_nocase", "lowered", "only_ascii", "order_key", "without_collation"]


def is_nocase(node: Any) -> bool:
    """Whether an operand has COLLATE NOCASE."""
    node = node.unnest()
    return isinstance(node, exp.Collate) and node.expression.name.upper() == "NOCASE"


def without_collation(node: Any) -> Any:
    """An operand without its COLLATE NOCASE."""
    return node.unnest().this if is_nocase(node) else node


def lowered(value: Expression, reader: ExpressionReader) -> Expression:
    """A value whose letters' case does not count, as SQLite's NOCASE has it."""
    if isinstance(value, Constant):
        return Constant(_ascii_lower(value.value)) if isinstance(value.value, str) else value
    if reader.type_of(value).kind != "text":
        return value
    return Call("lower" if only_ascii(value, reader) else "lower_ascii", (value,))


def _ascii_lower(text: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in text)


def only_ascii(value: Expression, reader: ExpressionReader) -> bool:
    """Whether a text has no letter that Python changes and SQLite does not, as far as the data show."""
    if reader.dialect != "sqlite":
        return True
    for each in walk(value, into_plans=False):
        if isinstance(each, Constant) and isinstance(each.value, str) and not each.value.isascii():
            return False
        if isinstance(each, ScalarPlan) or (isinstance(each, Column) and not _is_ascii(reader.type_of(each))):
            return False
    return True


def _is_ascii(kind: Type) -> bool:
    if kind.kind not in ("text", "mixed"):
        return True
    return kind.values is not None and all(not isinstance(each, str) or each.isascii() for each in kind.values.unique())


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
