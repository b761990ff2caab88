"""Expressions of SPARQL: what a filter tests, what BIND and SELECT compute."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import GraphBoxes
from boxkit.memory.transpile.sparql_compare import compared
from boxkit.memory.transpile.sparql_exists import condition as exists
from boxkit.memory.transpile.sparql_functions import BUILTINS, cast, is_date_cast
from boxkit.memory.transpile.sparql_group import Group
from boxkit.memory.transpile.sparql_language import language_test
from boxkit.memory.transpile.sparql_relation import Bound, Relation, calculable
from boxkit.memory.transpile.sparql_terms import TermReader
from boxkit.plan import (
    Arithmetic,
    Case,
    Compare,
    Constant,
    Expression,
    InValues,
    Negative,
    Not,
    all_of,
    any_of,
)

if TYPE_CHECKING:
    from boxkit.memory.transpile.sparql_query import QueryReader

__all__ = ["ExpressionReader"]

Bindings = Mapping[str, Bound]

_CONDITIONS = frozenset(
    "RelationalExpression ConditionalAndExpression ConditionalOrExpression UnaryNot Builtin_EXISTS Builtin_NOTEXISTS"
    " Builtin_BOUND Builtin_CONTAINS Builtin_STRSTARTS Builtin_STRENDS Builtin_REGEX Builtin_isIRI Builtin_isURI"
    " Builtin_isBLANK Builtin_isLITERAL Builtin_isNUMERIC Builtin_LANGMATCHES Builtin_sameTerm TrueFilter".split()
)


class ExpressionReader:
    """Reads expressions over the variables of a row.

    Args:
        graph: The boxes.
        terms: Reads constants.
        query: What reads patterns inside EXISTS.
    """

    def __init__(self, graph: GraphBoxes, terms: TermReader, query: QueryReader) -> None:
        self.graph = graph
        self.terms = terms
        self.query = query

    def names(self, expr: Any, scope: frozenset[str] = frozenset()) -> list[str]:
        """The variables that an expression reads; inside EXISTS, those of ``scope``."""
        return list(dict.fromkeys(self._names(expr, scope)))

    def _names(self, expr: Any, scope: frozenset[str]) -> Iterator[str]:
        if type(expr).__name__ == "Variable":
            yield str(expr)
        elif isinstance(expr, (list, tuple)):
            for each in expr:
                yield from self._names(each, scope)
        elif getattr(expr, "name", "") in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            group = Group()
            self.query.gatherer.gather(expr.graph, group)
            yield from sorted(group.names & scope)
        elif hasattr(expr, "items"):
            for key, each in expr.items():
                if key != "_vars":
                    yield from self._names(each, scope)

    # Conditions ------------------------------------------------------------------------------------------------

    def condition(self, expr: Any, rows: Relation) -> Expression:
        """A condition: true, false, or unknown where SPARQL has an error."""
        name = getattr(expr, "name", "")
        match name:
            case "ConditionalAndExpression":
                return _and([self.condition(each, rows) for each in (expr.expr, *expr.other)])
            case "ConditionalOrExpression":
                return self._or([expr.expr, *expr.other], rows)
            case "UnaryNot":
                return _not(self.condition(expr.expr, rows))
            case "RelationalExpression":
                return self._relation(expr, rows)
            case "Builtin_EXISTS" | "Builtin_NOTEXISTS":
                return exists(self.query, expr, rows)
            case "TrueFilter":
                return Constant(True)
        found = language_test([expr], rows.bound)
        if found is not None:
            return Constant(found)
        value = self.value(expr, rows.bound)
        if value.kind != "boolean":
            raise UnsupportedQuery(f"a {value.kind} value as a condition")
        known = isinstance(value.value, Constant) or name in _CONDITIONS
        return value.value if known else Compare("=", value.value, Constant(True))

    def _or(self, parts: list[Any], rows: Relation) -> Expression:
        found = language_test(parts, rows.bound)
        if found is not None:
            return Constant(found)
        conditions = [self.condition(each, rows) for each in parts]
        if Constant(True) in conditions:
            return Constant(True)
        return any_of(*(each for each in conditions if each != Constant(False)))

    def _relation(self, expr: Any, rows: Relation) -> Expression:
        operator = str(expr.op)
        if operator in ("IN", "NOT IN"):
            return self._among(expr, rows, negated=operator != "IN")
        found = language_test([expr], rows.bound)
        if found is not None:
            return Constant(found)
        difference = self._dates_apart(expr, rows.bound)
        left, right = difference or (expr.expr, expr.other)
        loosely = is_date_cast(left) or is_date_cast(right) or difference is not None
        ids = self._texts_of_entities(left, right, rows.bound)
        if ids is not None:
            return Compare(operator, ids[0].value, ids[1].value)  # type: ignore[arg-type]  # the operator is one of Compare's, from a table of them
        return compared(operator, self.value(left, rows.bound), self.value(right, rows.bound), loosely=loosely)

    def _dates_apart(self, expr: Any, bound: Bindings) -> tuple[Any, Any] | None:
        """The dates of ``date - date < 0``, which Virtuoso allows."""
        left = expr.expr
        zero = str(expr.other) == "0" and getattr(left, "name", "") == "AdditiveExpression"
        if not zero or list(left.op) != ["-"]:
            return None
        ends = left.expr, left.other[0]
        kinds = {self.value(each, bound).kind for each in ends}
        return ends if kinds <= {"date", "year"} else None

    def _texts_of_entities(self, left: Any, right: Any, bound: Bindings) -> tuple[Bound, Bound] | None:
        """Two entities whose IRIs are compared as texts: their ids, where both stand in one namespace."""
        sides = []
        for each in (left, right):
            if getattr(each, "name", "") != "Builtin_STR":
                return None
            sides.append(self.value(each.arg, bound))
        spaces = {self.graph.namespace_of(side.known) for side in sides if side.kind == "entity"}
        both = all(side.kind == "entity" for side in sides) and len(spaces) == 1 and None not in spaces
        return (sides[0], sides[1]) if both else None

    def _among(self, expr: Any, rows: Relation, negated: bool) -> Expression:
        value = self.value(expr.expr, rows.bound)
        others = expr.other if isinstance(expr.other, list) else []
        members = [self.value(each, rows.bound) for each in others]
        if not all(isinstance(each.value, Constant) for each in members):
            raise UnsupportedQuery("IN with values that are computed")
        tests = [compared("=", value, each) for each in members]
        kept = [each.value for each, test in zip(members, tests, strict=True) if test != Constant(False)]
        if any(not isinstance(test, (Compare, Constant)) for test in tests):
            raise UnsupportedQuery("IN with values of several kinds")
        return InValues(value.value, tuple(kept), negated) if kept else Constant(negated)

    # Values ----------------------------------------------------------------------------------------------------

    def value(self, expr: Any, bound: Bindings) -> Bound:
        """A value and its kind.

        Raises:
            UnsupportedQuery: It is of a construct that is not read.
        """
        kind = type(expr).__name__
        if kind == "Variable":
            if str(expr) not in bound:
                raise UnsupportedQuery("a variable that is not bound", detail=f"?{expr}")
            return bound[str(expr)]
        if kind in ("URIRef", "Literal"):
            found = self.terms.value(expr)
            return Bound(Constant(found.value), found.kind)
        name = getattr(expr, "name", kind)
        if name in ("AdditiveExpression", "MultiplicativeExpression"):
            return self._arithmetic(expr, bound)
        if name in ("UnaryMinus", "UnaryPlus"):
            inner = self.number(expr.expr, bound)
            return inner if name == "UnaryPlus" else Bound(Negative(inner.value), "number", inner.maybe)
        if name == "Function":
            return cast(self, expr, bound)
        if name in BUILTINS:
            return BUILTINS[name](self, expr, bound)
        if name == "Builtin_IF":
            return self._if(expr, bound)
        if name in _CONDITIONS:
            return Bound(self.condition(expr, Relation(None, bound)), "boolean", maybe=True)
        raise UnsupportedQuery(name.removeprefix("Builtin_"))

    def number(self, expr: Any, bound: Bindings) -> Bound:
        """A value that must be a number."""
        value = self.value(expr, bound)
        if value.kind != "number":
            raise UnsupportedQuery(f"arithmetic with {value.kind} values")
        return calculable(value)

    def _arithmetic(self, expr: Any, bound: Bindings) -> Bound:
        result = self.number(expr.expr, bound)
        for operator, other in zip(expr.op, expr.other, strict=True):
            right = self.number(other, bound)
            maybe = result.maybe or right.maybe or operator == "/"
            result = Bound(Arithmetic(operator, result.value, right.value), "number", maybe)
        return result

    def _if(self, expr: Any, bound: Bindings) -> Bound:
        test = self.condition(expr.arg1, Relation(None, bound))
        yes, no = self.value(expr.arg2, bound), self.value(expr.arg3, bound)
        if yes.kind != no.kind:
            raise UnsupportedQuery("IF with values of several kinds")
        # An unknown condition gives no value at all.
        branches = ((test, yes.value), (Not(test), no.value))
        return Bound(Case(branches), yes.kind, maybe=True)

    def text(self, expr: Any, bound: Bindings) -> Bound:
        """A value that must be text."""
        value = self.value(expr, bound)
        if value.kind != "text":
            raise UnsupportedQuery(f"a text function of {value.kind} values")
        return value


def _and(parts: list[Expression]) -> Expression:
    if Constant(False) in parts:
        return Constant(False)
    return all_of(*(each for each in parts if each != Constant(True)))


def _not(condition: Expression) -> Expression:
    if isinstance(condition, Constant) and isinstance(condition.value, bool):
        return Constant(not condition.value)
    return Not(condition)
