"""Window functions: a value for each row from the rows of its partition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import SUM, Code
from boxkit.plan.emitter.layout import listed, literal
from boxkit.plan.emitter.ordering import sorted_code

if TYPE_CHECKING:
    from boxkit.plan.emitter.values import Values
    from boxkit.plan.types import Type

__all__ = ["write_window"]

_REDUCTIONS = {"sum": "sum", "total": "sum", "average": "mean", "min": "min", "max": "max", "count": "count"}
_RUNNING = {"sum": "cumsum", "total": "cumsum", "min": "cummin", "max": "cummax"}
_RANKS = ("rank", "dense_rank", "percent_rank", "cume_dist")


def write_window(values: Values, call: ex.WindowCall) -> Code:
    """The code of a window function."""
    if call.function == "row_number":
        return Code(_numbered(values, call), values.type_of(call), binds=SUM)
    if call.function in _RANKS:
        return _rank(values, call) if len(call.order) == 1 else _rank_by_several(values, call)
    if call.function == "ntile":
        return _tiles(values, call)
    if call.function in ("lag", "lead"):
        return _shifted(values, call)
    if call.function in ("first_value", "last_value"):
        return _end_value(values, call)
    if call.function in _REDUCTIONS:
        return _aggregate(values, call)
    raise PlanError(f"the window function {call.function} cannot be written")


def _label(values: Values, expression: ex.Expression) -> str:
    if not isinstance(expression, ex.Column):
        raise PlanError("a window over a computed value: derive the value first")
    return values.table.cell(expression).label


def _ordered(values: Values, call: ex.WindowCall) -> str:
    """The table in the window's order."""
    if not call.order:
        return values.table.code
    labels = [_label(values, key.value) for key in call.order]
    return sorted_code(values.table.code, call.order, labels, [values.type_of(key.value) for key in call.order])


def _partitioned(values: Values, call: ex.WindowCall, frame: str, column: str) -> str:
    """A frame grouped by the window's partition; with a column's label, that column of it."""
    labels = [_label(values, each) for each in call.partition]
    nullable = any(values.type_of(each).nullable for each in call.partition)
    by = literal(labels[0]) if len(labels) == 1 else listed(labels)
    chosen = f"[{literal(column)}]" if column else ""
    return f"{frame}.groupby({by}{', dropna=False' if nullable else ''}){chosen}"


def _grouped(values: Values, call: ex.WindowCall, argument: ex.Expression) -> str:
    """A column in the window's order, grouped by its partition where it has one."""
    frame, label = _ordered(values, call), _label(values, argument)
    return _partitioned(values, call, frame, label) if call.partition else f"{frame}[{literal(label)}]"


def _numbered(values: Values, call: ex.WindowCall) -> str:
    """The rows' numbers in the window's order, from 1."""
    frame = _ordered(values, call)
    if call.partition:
        return f"{_partitioned(values, call, frame, '')}.cumcount() + 1"
    return f"pd.Series(range(1, len({values.table.code}) + 1), index={frame}.index)"


def _rank(values: Values, call: ex.WindowCall) -> Code:
    key = call.order[0]
    kind, result = values.type_of(key.value), values.type_of(call)
    if kind.kind == "mixed":
        raise PlanError(f"{call.function} over numbers and texts cannot be written")
    method = {"dense_rank": "dense", "cume_dist": "max"}.get(call.function, "min")
    arguments = [f'method="{method}"', *(["ascending=False"] if key.descending else [])]
    if kind.nullable:
        arguments.append(f'na_option="{"top" if key.nulls_first else "bottom"}"')
    grouped = _grouped(values, replace(call, order=()), key.value)
    if kind.kind == "integer" and kind.nullable and not call.partition:
        # pandas 2 ranks missing values wrongly among its nullable integers.
        grouped += ".astype(float)"
    ranked = f"{grouped}.rank({', '.join(arguments)})"
    if call.function in ("rank", "dense_rank"):
        return Code(f"{ranked}.astype(int)", result)
    size = _size(values, call)
    if call.function == "cume_dist":
        return Code(f"{ranked} / {size}", result, binds=SUM)
    return Code(f"(({ranked} - 1) / ({size} - 1)).fillna(0)", result)


def _rank_by_several(values: Values, call: ex.WindowCall) -> Code:
    """Rows that tie in every key get the number of the first of them."""
    if call.function not in ("rank", "dense_rank") or not call.order:
        raise PlanError(f"{call.function} over {len(call.order)} keys cannot be written")
    first = _of_peers(values, call, f"({_numbered(values, call)})", "min")
    if call.function == "rank":
        return Code(first, values.type_of(call))
    grouped = f"{first}.groupby({_columns(values, call.partition)})" if call.partition else first
    return Code(f'{grouped}.rank(method="dense").astype(int)', values.type_of(call))


def _size(values: Values, call: ex.WindowCall) -> str:
    """How many rows each row's partition has."""
    if not call.partition:
        return f"len({values.table.code})"
    label = _label(values, call.partition[0])
    return f'{_partitioned(values, call, values.table.code, label)}.transform("size")'


def _tiles(values: Values, call: ex.WindowCall) -> Code:
    count = call.arguments[0] if call.arguments else None
    if not isinstance(count, ex.Constant) or not isinstance(count.value, int) or count.value < 1:
        raise PlanError("ntile by a computed number cannot be written")
    frame, kind = _ordered(values, call), values.type_of(call)
    parts = f"[len(part) for part in np.array_split(range(len(values)), {count.value})]"
    numbered = f"np.repeat(range(1, {count.value + 1}), {parts})"
    if call.partition:
        grouped = _partitioned(values, call, frame, _label(values, call.partition[0]))
        return Code(f"{grouped}.transform(lambda values: {numbered})", kind)
    table = values.table.code
    return Code(f"pd.Series({numbered.replace('len(values)', f'len({table})')}, index={frame}.index)", kind)


def _shifted(values: Values, call: ex.WindowCall) -> Code:
    step, filled = 1, ""
    if len(call.arguments) > 1:
        if not isinstance(call.arguments[1], ex.Constant) or not isinstance(call.arguments[1].value, int):
            raise PlanError(f"{call.function} by a computed step cannot be written")
        step = call.arguments[1].value
    if len(call.arguments) > 2:
        kinds = [values.type_of(call.arguments[at]) for at in (0, 2)]
        default = call.arguments[2]
        if not isinstance(default, ex.Constant) or kinds[0].kind != kinds[1].kind:
            raise PlanError(f"{call.function} with a default of another kind cannot be written")
        filled = f", fill_value={literal(default.value)}"
    step = -step if call.function == "lead" else step
    return Code(f"{_grouped(values, call, call.arguments[0])}.shift({step}{filled})", values.type_of(call))


def _end_value(values: Values, call: ex.WindowCall) -> Code:
    """The first or last value of the window's frame."""
    kind, argument = values.type_of(call), call.arguments[0]
    if call.span is not None:
        raise PlanError(f"{call.function} in a frame of so many rows cannot be written")
    grouped = _grouped(values, call, argument)
    if call.function == "last_value" and call.running != "all" and call.order:
        column = f"{values.table.code}[{literal(_label(values, argument))}]"
        if call.running == "row" or not _ties(values, call):
            return Code(column, kind)
        if values.type_of(argument).nullable:
            raise PlanError("last_value of values that can be missing, among rows that tie, cannot be written")
        ordered = _ordered(values, call) + f"[{literal(_label(values, argument))}]"
        return Code(_of_peers(values, call, ordered, "last"), kind)
    place = 0 if call.function == "first_value" else -1
    if call.partition:
        return Code(f"{grouped}.transform(lambda values: values.iloc[{place}])", kind)
    return Code(f"next(iter({grouped}{'' if place == 0 else '[::-1]'}), np.nan)", kind, single=True)


def _aggregate(values: Values, call: ex.WindowCall) -> Code:
    kind = values.type_of(call)
    argument = call.arguments[0] if call.arguments else None
    whole = (call.running == "all" or not call.order) and call.span is None
    if argument is None:
        return _counted(values, call, whole)
    if not values.type_of(argument).is_number and call.function not in ("count", "min", "max"):
        raise PlanError(f"{call.function} of {values.type_of(argument).kind} values")
    if not whole:
        return _running(values, call, argument, values.type_of(argument))
    grouped = _grouped(values, replace(call, order=()), argument)
    method = _REDUCTIONS[call.function]
    needs_one = "min_count=1" if call.function == "sum" and values.type_of(argument).nullable else ""
    if not call.partition:
        return Code(f"{grouped}.{method}({needs_one})", kind, single=True)
    return Code(f'{grouped}.transform("{method}"{", " + needs_one if needs_one else ""})', kind)


def _counted(values: Values, call: ex.WindowCall, whole: bool) -> Code:
    """COUNT(*)."""
    kind = values.type_of(call)
    if call.span is not None:
        raise PlanError("a count of rows in a frame of so many rows cannot be written")
    if whole:
        return Code(_size(values, call), kind, single=not call.partition)
    text = _numbered(values, call)
    if call.running == "peers" and _ties(values, call):
        return Code(_of_peers(values, call, f"({text})", "last"), kind)
    return Code(text, kind, binds=SUM)


def _running(values: Values, call: ex.WindowCall, argument: ex.Expression, kind: Type) -> Code:
    if not kind.is_number:
        raise PlanError(f"a running {call.function} of {kind.kind} values cannot be written")
    grouped, method = _grouped(values, call, argument), _REDUCTIONS[call.function]
    if call.span is None and call.function in _RUNNING and not kind.nullable:
        text = f"{grouped}.{_RUNNING[call.function]}()"
    else:
        reduced = f"{'expanding()' if call.span is None else _rolling(call.span)}.{method}()"
        text = f"{grouped}.transform(lambda values: values.{reduced})" if call.partition else f"{grouped}.{reduced}"
    if call.running == "peers" and call.span is None and _ties(values, call):
        text = _of_peers(values, call, text, "last")
    return Code(text, values.type_of(call))


def _rolling(span: tuple[int, int]) -> str:
    """pandas' window of so many rows before and after the current one."""
    before, after = span
    if before and after and before != after:
        raise PlanError("a window frame of unequal sides cannot be written")
    if after and not before:
        window = f"pd.api.indexers.FixedForwardWindowIndexer(window_size={after + 1})"
        return f"rolling({window}, min_periods=1)"
    return f"rolling({before + after + 1}, {'center=True, ' if after else ''}min_periods=1)"


def _ties(values: Values, call: ex.WindowCall) -> bool:
    """Whether rows may tie in the window's order: a box's own rows do not where one key is different in each."""
    if values.table.code not in values.emitter.boxes:
        return True
    kinds = [values.type_of(key.value) for key in call.order]
    return not any(kind.values is not None and kind.values.is_unique and not kind.nullable for kind in kinds)


def _of_peers(values: Values, call: ex.WindowCall, text: str, which: str) -> str:
    """Rows that tie in the window's order all get the value of one of them: ``"last"``, ``"min"`` …"""
    columns = [*call.partition, *(key.value for key in call.order)]
    return f'{text}.groupby({_columns(values, columns)}).transform("{which}")'


def _columns(values: Values, columns: Sequence[ex.Expression]) -> str:
    """groupby's arguments for columns that stand beside what is grouped."""
    labels = dict.fromkeys(_label(values, each) for each in columns)
    keys = [f"{values.table.code}[{literal(label)}]" for label in labels]
    nullable = any(values.type_of(each).nullable for each in columns)
    by = keys[0] if len(keys) == 1 else f"[{', '.join(keys)}]"
    return f"{by}{', dropna=False' if nullable else ''}"
