"""Window functions: a value for each row from the rows of its partition."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from boxkit.errors import PlanError
from boxkit.plan import expressions as ex
from boxkit.plan.emitter.code import SUM, Code
from boxkit.plan.emitter.layout import listed, literal

if TYPE_CHECKING:
    from boxkit.plan.emitter.values import Values

__all__ = ["write_window"]

_REDUCTIONS = {"sum": "sum", "total": "sum", "average": "mean", "min": "min", "max": "max", "count": "count"}
_RUNNING = {"sum": "cumsum", "total": "cumsum", "min": "cummin", "max": "cummax"}


def write_window(values: Values, call: ex.WindowCall) -> Code:
    """The code of a window function."""
    kind = values.type_of(call)
    if call.function == "row_number":
        return Code(f"{_grouped(values, call, None)}.cumcount() + 1", kind, binds=SUM)
    if call.function in ("rank", "dense_rank"):
        return _rank(values, call)
    if call.function in ("lag", "lead"):
        return _shifted(values, call)
    if call.function == "first_value" or (call.function == "last_value" and call.running == "all"):
        place = 0 if call.function == "first_value" else -1
        grouped = _grouped(values, call, call.arguments[0])
        if call.partition:
            return Code(f"{grouped}.transform(lambda values: values.iloc[{place}])", kind)
        return Code(f"next(iter({grouped}{'' if place == 0 else '[::-1]'}), np.nan)", kind, single=True)
    if call.function in _REDUCTIONS:
        return _aggregate(values, call)
    raise PlanError(f"the window function {call.function} cannot be written")


def _label(values: Values, expression: ex.Expression) -> str:
    if not isinstance(expression, ex.Column):
        raise PlanError("a window over a computed value: derive the value first")
    return values.table.cell(expression).label


def _grouped(values: Values, call: ex.WindowCall, argument: ex.Expression | None) -> str:
    """The table in the window's order, grouped by its partition; with an argument, that column of it."""
    frame = values.table.code
    if call.order:
        labels = [_label(values, key.value) for key in call.order]
        types = [values.type_of(key.value) for key in call.order]
        directions = {key.descending for key in call.order}
        arguments = [literal(labels[0]) if len(labels) == 1 else listed(labels)]
        if directions == {True}:
            arguments.append("ascending=False")
        elif len(directions) == 2:
            arguments.append(f"ascending=[{', '.join(str(not key.descending) for key in call.order)}]")
        first = {bool(key.nulls_first) for key, kind in zip(call.order, types, strict=True) if kind.nullable}
        if len(first) > 1:
            raise PlanError("a window whose keys place missing values differently")
        if first == {True}:
            arguments.append('na_position="first"')
        frame = f'{frame}.sort_values({", ".join(arguments)}, kind="stable")'
    labels = [_label(values, each) for each in call.partition]
    column = f"[{literal(_label(values, argument))}]" if argument is not None else ""
    if not labels:
        return frame + column if argument is not None else f"{frame}.groupby(lambda row: 0)"
    nullable = any(values.type_of(each).nullable for each in call.partition)
    by = literal(labels[0]) if len(labels) == 1 else listed(labels)
    return f"{frame}.groupby({by}{', dropna=False' if nullable else ''}){column}"


def _rank(values: Values, call: ex.WindowCall) -> Code:
    if len(call.order) != 1:
        raise PlanError(f"{call.function} over several keys cannot be written")
    key = call.order[0]
    if values.type_of(key.value).kind == "mixed":
        raise PlanError(f"{call.function} over numbers and texts cannot be written")
    method = "min" if call.function == "rank" else "dense"
    arguments = [f'method="{method}"', *(["ascending=False"] if key.descending else [])]
    if values.type_of(key.value).nullable:
        arguments.append(f'na_option="{"top" if key.nulls_first else "bottom"}"')
    kind = values.type_of(key.value)
    grouped = _grouped(values, replace(call, order=()), key.value)
    if kind.kind == "integer" and kind.nullable and not call.partition:
        # pandas 2 ranks missing values wrongly among its nullable integers.
        grouped += ".astype(float)"
    return Code(f"{grouped}.rank({', '.join(arguments)}).astype(int)", values.type_of(call))


def _shifted(values: Values, call: ex.WindowCall) -> Code:
    step = 1
    if len(call.arguments) > 1:
        if not isinstance(call.arguments[1], ex.Constant) or not isinstance(call.arguments[1].value, int):
            raise PlanError(f"{call.function} by a computed step cannot be written")
        step = call.arguments[1].value
    if len(call.arguments) > 2:
        raise PlanError(f"{call.function} with a default cannot be written")
    step = -step if call.function == "lead" else step
    return Code(f"{_grouped(values, call, call.arguments[0])}.shift({step})", values.type_of(call))


def _aggregate(values: Values, call: ex.WindowCall) -> Code:
    kind = values.type_of(call)
    argument = call.arguments[0] if call.arguments else None
    whole = call.running == "all" or not call.order
    if argument is None:
        if not whole:
            text = f"{_grouped(values, call, None)}.cumcount() + 1"
            if call.running == "peers":
                return Code(_at_last_peer(values, call, f"({text})"), kind)
            return Code(text, kind, binds=SUM)
        if not call.partition:
            return Code(f"len({values.table.code})", kind, single=True)
        grouped = _grouped(values, replace(call, order=()), call.partition[0])
        return Code(f'{grouped}.transform("size")', kind)
    if not values.type_of(argument).is_number and call.function not in ("count", "min", "max"):
        raise PlanError(f"{call.function} of {values.type_of(argument).kind} values")
    if whole:
        grouped = _grouped(values, replace(call, order=()), argument)
        method = _REDUCTIONS[call.function]
        needs_one = "min_count=1" if call.function == "sum" and values.type_of(argument).nullable else ""
        if not call.partition:
            return Code(f"{grouped}.{method}({needs_one})", kind, single=True)
        return Code(f'{grouped}.transform("{method}"{", " + needs_one if needs_one else ""})', kind)
    return _running(values, call, argument)


def _running(values: Values, call: ex.WindowCall, argument: ex.Expression) -> Code:
    kind = values.type_of(argument)
    if not kind.is_number:
        raise PlanError(f"a running {call.function} of {kind.kind} values cannot be written")
    grouped = _grouped(values, call, argument)
    if call.function in _RUNNING and not kind.nullable:
        text = f"{grouped}.{_RUNNING[call.function]}()"
    else:
        reduced = f"expanding().{_REDUCTIONS[call.function]}()"
        text = f"{grouped}.transform(lambda values: values.{reduced})" if call.partition else f"{grouped}.{reduced}"
    if call.running == "peers":
        text = _at_last_peer(values, call, text)
    return Code(text, values.type_of(call))


def _at_last_peer(values: Values, call: ex.WindowCall, text: str) -> str:
    """Rows that tie in the window's order all get the value of the last of them."""
    columns = [*call.partition, *(key.value for key in call.order)]
    labels = dict.fromkeys(_label(values, each) for each in columns)
    keys = ", ".join(f"{values.table.code}[{literal(label)}]" for label in labels)
    nullable = any(values.type_of(each).nullable for each in columns)
    return f'{text}.groupby([{keys}]{", dropna=False" if nullable else ""}).transform("last")'
