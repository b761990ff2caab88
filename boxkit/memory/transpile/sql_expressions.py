"""Expressions of SQL, read into the algebra's with the conversions that the dialect does silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sql_compare as compare
from boxkit.memory.transpile.sql import operands
from boxkit.memory.transpile.sql_collation import is_nocase, lowered, without_collation
from boxkit.memory.transpile.sql_dates import is_day
from boxkit.memory.transpile.sql_functions import read_function
from boxkit.memory.transpile.sql_rows import rows_compared, rows_in
from boxkit.memory.transpile.sql_scope import Scope
from boxkit.plan import (
    Aggregated,
    Arithmetic,
    Between,
    Call,
    Case,
    Cast,
    Column,
    Compare,
    Constant,
    Exists,
    Expression,
    InPlan,
    InValues,
    IsMissing,
    Like,
    Negative,
    Not,
    Output,
    Project,
    ScalarPlan,
    WindowCall,
    all_of,
    any_of,
)
from boxkit.plan.types import Type

if TYPE_CHECKING:
    from boxkit.memory.transpile.sql_query import QueryReader

__all__ = ["ExpressionReader"]

_COMPARISONS = {exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Mod: "%"}
_AGGREGATES = {exp.Sum: "sum", exp.Avg: "average", exp.Min: "min", exp.Max: "max", exp.Count: "count"}


class ExpressionReader:
    """Reads expressions in one scope.

    Args:
        reader: Reads subqueries.
        scope: What names mean.
    """

    def __init__(self, reader: QueryReader, scope: Scope) -> None:
        self.reader = reader
        self.scope = scope
        self.dialect = reader.dialect

    def type_of(self, expression: Expression) -> Type:
        """The type of an expression that was read here."""
        return self.reader.schema.type_of(expression, self.scope.slots)

    def read(self, node: Any) -> Expression:
        """The value of an expression."""
        match node:
            case exp.Paren():
                return self.read(node.this)
            case exp.Column():
                return self._column(node)
            case exp.Literal():
                return _literal(node)
            case exp.Null():
                return Constant(None)
            case exp.Boolean():
                return Constant(bool(node.this))
            case exp.Neg():
                return self._negative(node)
            case exp.Add() | exp.Sub() | exp.Mul() | exp.Div() | exp.Mod() | exp.IntDiv():
                return self._arithmetic(node)
            case exp.DPipe():
                return joined_text([compare.to_text(self.read(each), self) for each in (node.this, node.expression)])
            case exp.Case() | exp.If():
                return self._case(node)
            case exp.Cast() | exp.TryCast():
                return compare.cast(self.read(node.this), node.to, self)
            case exp.Subquery() | exp.Select() | exp.SetOperation():
                return ScalarPlan(self.reader.query(node, self.scope))
            case exp.Window():
                return self._window(node)
            case exp.Filter():
                return self._filtered(node)
            case exp.Collate():
                return self._collated(node)
            case exp.Star():
                raise UnsupportedQuery("* in an expression")
        if isinstance(node, (*_AGGREGATES, exp.GroupConcat, exp.Anonymous)):
            aggregated = self._aggregated(node)
            if aggregated is not None:
                return aggregated
        if isinstance(node, (exp.Predicate, exp.Not, exp.And, exp.Or, exp.Connector, exp.Escape)):
            return self._condition(node)
        return read_function(self, node)

    def condition(self, node: Any) -> Expression:
        """A condition; a value that is none is true where it is not zero."""
        read = self.read(node)
        kind = self.type_of(read).kind
        if kind in ("text", "mixed"):
            return Compare("!=", compare.number(read, self), Constant(0))
        return read

    def _column(self, node: Any) -> Expression:
        name, table = node.name, node.table
        if isinstance(node.this, exp.Star):
            raise UnsupportedQuery("table.* in an expression")
        if node.args.get("db"):
            raise UnsupportedQuery("a column of another database", detail=node.sql())
        column = self.scope.column(name, table)
        if column is not None:
            return column
        if not table and name.casefold() in self.scope.aliases:
            return self._aliased(name.casefold())
        if not table and node.this.quoted and self.dialect in ("sqlite", "mysql"):
            # Double quotes around what is no column make a text.
            return Constant(name)
        raise UnsupportedQuery(f"the unknown column {node.sql()!r}")

    def _aliased(self, folded: str) -> Expression:
        """What the SELECT list calls by a name that no column has."""
        meant = self.scope.aliases.pop(folded)
        try:
            return self.read(meant)
        finally:
            self.scope.aliases[folded] = meant

    def _negative(self, node: Any) -> Expression:
        value = compare.number(self.read(node.this), self)
        if isinstance(value, Constant) and isinstance(value.value, (int, float)):
            return Constant(-value.value)
        return Negative(value)

    def _arithmetic(self, node: Any) -> Expression:
        left, right = (compare.number(self.read(each), self) for each in (node.this, node.expression))
        if isinstance(node, (exp.Div, exp.IntDiv)):
            truncates = self.dialect != "mysql" or isinstance(node, exp.IntDiv)
            return self._division(left, right, truncates)
        if isinstance(node, exp.Sub) and is_day(left, self) and is_day(right, self):
            return Call("days_between", (left.arguments[0], right.arguments[0]))
        if isinstance(node, exp.Mod) and not all(self.type_of(e).kind in ("integer", "boolean") for e in (left, right)):
            left, right = (compare.to_integer(each, self) for each in (left, right))
        return Arithmetic(_ARITHMETIC[type(node)], left, right)  # type: ignore[arg-type]  # the operators are Arithmetic's, from a table of them

    def _division(self, left: Expression, right: Expression, truncates: bool) -> Expression:
        types = [self.type_of(each) for each in (left, right)]
        whole = all(each.kind == "integer" for each in types)
        if truncates and not whole and all(compare.may_be_whole(each) for each in types):
            raise UnsupportedQuery("division of a column that holds whole and decimal numbers")
        return Arithmetic("div" if truncates else "/", left, right)

    def _case(self, node: Any) -> Expression:
        if isinstance(node, exp.If):
            pairs = [(self.condition(node.this), self.read(node.args["true"]))]
            default = node.args.get("false")
        else:
            subject = None if node.this is None else self.read(node.this)
            pairs = []
            for each in node.args["ifs"]:
                test = (
                    self.condition(each.this) if subject is None else self.compare("=", subject, self.read(each.this))
                )
                pairs.append((test, self.read(each.args["true"])))
            default = node.args.get("default")
        return Case(tuple(pairs), Constant(None) if default is None else self.read(default))

    def _collated(self, node: Any) -> Expression:
        name = node.expression.name.upper()
        if name == "BINARY":
            return self.read(node.this)
        raise UnsupportedQuery(f"COLLATE {name}", detail=node.sql())

    def compare(self, operator: str, left: Expression, right: Expression) -> Expression:
        """A comparison, with the conversion that the dialect does before it."""
        return compare.compared(operator, left, right, self)

    def _condition(self, node: Any) -> Expression:
        match node:
            case exp.Not(this=inner):
                return _negated(self.condition(inner))
            case exp.And():
                return all_of(*(self.condition(each) for each in operands(node, exp.And)))
            case exp.Or():
                return any_of(*(self.condition(each) for each in operands(node, exp.Or)))
            case exp.Between():
                return self._between(node)
            case exp.Is():
                return self._is(node, "is")
            case exp.NullSafeEQ() | exp.NullSafeNEQ():
                return self._is(node, "is" if isinstance(node, exp.NullSafeEQ) else "is not")
            case exp.In():
                return self._in(node)
            case exp.Exists():
                return Exists(self.reader.query(node.this, self.scope))
            case exp.Escape() | exp.Like() | exp.ILike():
                return self._like(node)
            case exp.Glob():
                return self._glob(node)
        if type(node) in _COMPARISONS:
            if isinstance(node.this, exp.Tuple) or isinstance(node.expression, exp.Tuple):
                return rows_compared(self, node)
            return self._compared(_COMPARISONS[type(node)], node.this, node.expression)
        raise UnsupportedQuery(type(node).__name__.upper(), detail=node.sql())

    def _compared(self, operator: str, *sides: Any) -> Expression:
        left, right = (self.read(without_collation(each)) for each in sides)
        if any(map(is_nocase, sides)):
            left, right = lowered(left, self), lowered(right, self)
        return self.compare(operator, left, right)

    def _between(self, node: Any) -> Expression:
        value = self.read(node.this)
        low, high = (self.read(node.args[name]) for name in ("low", "high"))
        bounds = [self.compare(">=", value, low), self.compare("<=", value, high)]
        first, second = bounds
        if isinstance(first, Compare) and isinstance(second, Compare) and first.left == second.left:
            return Between(first.left, first.right, second.right)
        return all_of(*bounds)

    def _is(self, node: Any, operator: str) -> Expression:
        if isinstance(node.expression, exp.Null):
            return IsMissing(self.read(node.this), negated=operator == "is not")
        if isinstance(node.expression, exp.Boolean):
            value = self.condition(node.this)
            truth = Compare("=" if not node.expression.this else "!=", compare.number(value, self), Constant(0))
            known = all_of(IsMissing(value, negated=True), truth)
            return known if operator == "is" else _negated(known)
        return self.compare(operator, self.read(node.this), self.read(node.expression))

    def _in(self, node: Any) -> Expression:
        query = node.args.get("query")
        if query is None and node.args.get("field") is not None:
            raise UnsupportedQuery("IN a table", detail=node.sql())
        if isinstance(node.this, exp.Tuple):
            return rows_in(self, node, query)
        value = self.read(without_collation(node.this) if query is None else node.this)
        if query is None:
            members = [self.read(each) for each in node.expressions]
            if is_nocase(node.this):
                value, *members = (lowered(each, self) for each in (value, *members))
            return compare.in_values(value, members, self)
        return compare.in_plan(value, self.reader.query(query, self.scope), self)

    def _like(self, node: Any) -> Expression:
        escape = ""
        if isinstance(node, exp.Escape):
            escape, node = node.expression.name, node.this
        if not isinstance(node, (exp.Like, exp.ILike)):
            raise UnsupportedQuery(f"ESCAPE after {type(node).__name__.upper()}", detail=node.sql())
        pattern = self.read(node.expression)
        if not isinstance(pattern, Constant):
            raise UnsupportedQuery("LIKE with a computed pattern", detail=node.sql())
        text = None if pattern.value is None else str(pattern.value)
        value = self.read(node.this)
        if self.dialect != "sqlite" and not escape:
            escape = "\\"
        sensitive = self.dialect == "postgres" and isinstance(node, exp.Like)
        if not sensitive and text is not None and not text.isascii():
            raise UnsupportedQuery("LIKE with letters beyond ASCII", detail=node.sql())
        return Like(value, Constant(text), sensitive, bool(node.args.get("negate")), escape)

    def _glob(self, node: Any) -> Expression:
        """GLOB: ``*`` any text, ``?`` one character, letters' case counts."""
        pattern = self.read(node.expression)
        if not isinstance(pattern, Constant) or not isinstance(pattern.value, str) or "[" in pattern.value:
            raise UnsupportedQuery("GLOB with a computed pattern or a class of characters", detail=node.sql())
        escaped = "".join(f"\\{char}" if char in "%_\\" else char for char in pattern.value)
        translated = escaped.replace("*", "%").replace("?", "_")
        return Like(self.read(node.this), Constant(translated), case_sensitive=True, escape="\\")

    def _filtered(self, node: Any) -> Expression:
        from dataclasses import replace

        inner = self.read(node.this)
        if not isinstance(inner, Aggregated):
            raise UnsupportedQuery("FILTER on what is no aggregate", detail=node.sql())
        return replace(inner, condition=self.condition(node.expression.this))

    def _aggregated(self, node: Any) -> Expression | None:
        """An aggregate; None where the function is none."""
        if isinstance(node, exp.Anonymous):
            if node.this.lower() != "total":
                return None
            return Aggregated("total", compare.number(self.read(node.expressions[0]), self))
        argument, distinct = node.this, False
        if isinstance(node, exp.GroupConcat):
            return self._concatenated(node)
        if isinstance(argument, exp.Order):
            raise UnsupportedQuery("ORDER BY in an aggregate", detail=node.sql())
        if isinstance(argument, exp.Distinct):
            distinct = True
            if len(argument.expressions) != 1:
                raise UnsupportedQuery("DISTINCT over several values", detail=node.sql())
            argument = argument.expressions[0]
        name = _AGGREGATES[type(node)]
        if isinstance(node, exp.Count) and (argument is None or isinstance(argument, exp.Star)):
            return Aggregated("count")
        if node.expressions:
            raise UnsupportedQuery(f"{name} of several values", detail=node.sql())
        value = self.read(argument)
        if name in ("sum", "average"):
            value = compare.number(value, self)
        if name == "count" and isinstance(value, Constant) and value.value is not None and not distinct:
            return Aggregated("count")
        if name in ("min", "max"):
            distinct = False
        return Aggregated(name, value, distinct)  # type: ignore[arg-type]  # the name is one of Aggregated's, from a table of them

    def _concatenated(self, node: Any) -> Expression:
        argument, distinct = node.this, False
        if isinstance(argument, exp.Distinct):
            argument, distinct = argument.expressions[0], True
        if isinstance(argument, exp.Order):
            raise UnsupportedQuery("ORDER BY in an aggregate", detail=node.sql())
        separator = node.args.get("separator")
        if separator is not None and not (isinstance(separator, exp.Literal) and separator.is_string):
            raise UnsupportedQuery("group_concat with a computed separator", detail=node.sql())
        value = self.read(argument)
        if self.type_of(value).kind != "text":
            value = Cast(value, "text")
        return Aggregated("concatenate", value, distinct, separator="," if separator is None else separator.this)

    def _window(self, node: Any) -> Expression:
        from boxkit.memory.transpile.sql_windows import read_window

        window: WindowCall = read_window(self, node)
        return window


def joined_text(values: list[Expression]) -> Expression:
    """Texts joined; constants at once."""
    found = values[0]
    for value in values[1:]:
        both = (found, value)
        if all(isinstance(each, Constant) and isinstance(each.value, (str, int)) for each in both):
            found = Constant("".join(str(each.value) for each in both if isinstance(each, Constant)))
        else:
            found = Arithmetic("||", found, value)
    return found


def _literal(node: Any) -> Constant:
    if node.is_string:
        return Constant(node.this)
    text = node.this
    if text.isdigit():
        return Constant(int(text))
    return Constant(float(text))


def _negated(condition: Expression) -> Expression:
    """NOT, written into the condition where it has a place for it."""
    from dataclasses import replace

    if isinstance(condition, (Between, IsMissing, InValues, InPlan, Exists, Like)):
        return replace(condition, negated=not condition.negated)
    return Not(condition)


def single_column(plan: Any, value: Expression, name: str) -> Project:
    """A plan's only column, changed."""
    return Project(plan, (Output(value, name),))


def column_of(plan: Any, reader: QueryReader) -> tuple[Column, Type]:
    """The only column of a plan, and its type."""
    slots = reader.schema.slots(plan)
    if len(slots) != 1:
        raise UnsupportedQuery(f"a subquery of {len(slots)} columns where one is wanted")
    return Column(slots[0].name, slots[0].of), slots[0].type
