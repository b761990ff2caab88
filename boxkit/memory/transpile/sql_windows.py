"""Window functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_compare as compare
from boxkit.plan import Aggregated, Constant, Expression, WindowCall

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_expressions import ExpressionReader

__all__ = ["read_window"]

_RANKS = {
    exp.RowNumber: "row_number",
    exp.Rank: "rank",
    exp.DenseRank: "dense_rank",
    exp.PercentRank: "percent_rank",
    exp.CumeDist: "cume_dist",
    exp.Ntile: "ntile",
}
_VALUES = {exp.Lag: "lag", exp.Lead: "lead", exp.FirstValue: "first_value", exp.LastValue: "last_value"}


def read_window(reader: ExpressionReader, node: Any) -> WindowCall:
    """A function with OVER."""
    from boxkit.memory.transpile.sql_query import sort_key

    partition = tuple(reader.read(each) for each in node.args.get("partition_by") or ())
    order = node.args.get("order")
    keys = tuple(sort_key(each, reader.read(each.this)) for each in (order.expressions if order is not None else ()))
    function, arguments = _function(reader, node.this)
    span = _span(node)
    running = "row" if span is not None else _running(node, bool(keys))
    return WindowCall(function, arguments, partition, keys, running, span)


def _span(node: Any) -> tuple[int, int] | None:
    """The rows before and after the current one that a frame of so many ROWS has; None for another frame."""
    spec = node.args.get("spec")
    if spec is None or spec.args.get("kind") != "ROWS" or spec.args.get("exclude"):
        return None
    before = _rows(spec.args.get("start"), spec.args.get("start_side"), "PRECEDING")
    after = _rows(spec.args.get("end") or "CURRENT ROW", spec.args.get("end_side"), "FOLLOWING")
    return None if before is None or after is None else (before, after)


def _rows(bound: Any, side: Any, wanted: str) -> int | None:
    """How many rows a bound of a frame is away; None where it is no number of rows on that side."""
    if bound == "CURRENT ROW":
        return 0
    if not isinstance(bound, exp.Literal) or bound.is_string or not bound.this.isdigit() or side != wanted:
        return None
    return int(bound.this)


def _function(reader: ExpressionReader, node: Any) -> tuple[str, tuple[Expression, ...]]:
    if type(node) in _RANKS:
        inner = [node.this] if node.this is not None else []
        return _RANKS[type(node)], tuple(reader.read(each) for each in inner)
    if type(node) in _VALUES:
        arguments = [node.this, node.args.get("offset"), node.args.get("default")]
        return _VALUES[type(node)], tuple(reader.read(each) for each in arguments if each is not None)
    read = reader.read(node)
    if not isinstance(read, Aggregated) or read.distinct or read.condition is not None:
        raise UnsupportedQuery("a window function", detail=node.sql())
    if read.argument is None or isinstance(read.argument, Constant):
        return read.function, ()
    value = compare.number(read.argument, reader) if read.function in ("sum", "average") else read.argument
    return read.function, (value,)


def _running(node: Any, ordered: bool) -> Literal["row", "peers", "all"]:
    spec = node.args.get("spec")
    if spec is None:
        return "peers" if ordered else "all"
    start, end = str(spec.args.get("start")), str(spec.args.get("end") or "CURRENT ROW")
    if start != "UNBOUNDED" or spec.args.get("exclude"):
        raise UnsupportedQuery("a window frame", detail=spec.sql())
    if end == "UNBOUNDED":
        return "all"
    if end != "CURRENT ROW":
        raise UnsupportedQuery("a window frame", detail=spec.sql())
    if not ordered:
        return "all" if spec.args.get("kind") == "RANGE" else "row"
    return "row" if spec.args.get("kind") == "ROWS" else "peers"
