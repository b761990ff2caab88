"""S-expressions as patterns: each operator says something of a variable."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeAlias

from boxkit.box import BoxSet
from boxkit.converters.graph.literals import decode
from boxkit.converters.graph.store import XSD, Literal
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import FREEBASE, GraphBoxes
from boxkit.memory.transpile.sparql_compare import compared
from boxkit.memory.transpile.sparql_group import Group, Step, built
from boxkit.memory.transpile.sparql_patterns import Inverse, Path, PatternReader, Term, Triple, Value, Variable
from boxkit.memory.transpile.sparql_relation import Bound, Relation, filtered
from boxkit.memory.transpile.sparql_terms import KINDS
from boxkit.plan import (
    Aggregate,
    Aggregated,
    Constant,
    Distinct,
    Expression,
    Extreme,
    InPlan,
    Output,
    Plan,
    Project,
    any_of,
)
from boxkit.plan.expressions import IsMissing

__all__ = ["ExpressionReader", "parsed", "value_of"]

Tree: TypeAlias = "str | list[Tree]"

_TOKEN = re.compile(r"\s*(\(|\)|\"(?:[^\"\\]|\\.)*\"[^\s()]*|[^\s()]+)")
_COMPARISONS = {"le": "<=", "lt": "<", "ge": ">=", "gt": ">"}
_OPERATORS = ("AND", "JOIN", "R", "COUNT", "ARGMAX", "ARGMIN", "TC", *_COMPARISONS)
_NOW = "2015-08-10"


def parsed(text: str) -> Tree:
    """The tree of an s-expression.

    Raises:
        UnsupportedQuery: It is none.
    """
    open_lists: list[list[Tree]] = [[]]
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            break
        at = found.end()
        if found[1] == "(":
            open_lists.append([])
        elif found[1] != ")":
            open_lists[-1].append(found[1])
        elif len(open_lists) > 1:
            inner = open_lists.pop()
            open_lists[-1].append(inner)
        else:
            raise UnsupportedQuery("an s-expression that does not parse", detail=text)
    if len(open_lists) != 1 or len(open_lists[0]) != 1:
        raise UnsupportedQuery("an s-expression that does not parse", detail=text)
    return open_lists[0][0]


class ExpressionReader:
    """Reads one s-expression.

    Args:
        boxes: The graph, loaded.
    """

    def __init__(self, boxes: BoxSet) -> None:
        self.graph = GraphBoxes(boxes)
        self.patterns = PatternReader(self.graph)
        self._count = 0

    def read(self, tree: Tree) -> Plan:
        """The plan of an expression."""
        if isinstance(tree, list) and len(tree) == 2 and tree[0] == "COUNT":
            counted = self._answer(tree[1])
            column = Aggregated("count", counted.of("x").value, distinct=True)
            assert counted.plan is not None
            return Aggregate(counted.plan, (), (Output(column, "count"),))
        rows = self._answer(tree)
        assert rows.plan is not None
        return Distinct(Project(rows.plan, (Output(rows.of("x").value, "answer"),)))

    def _answer(self, tree: Tree) -> Relation:
        x = Variable("x")
        group = Group()
        if isinstance(tree, list) and tree and tree[0] in ("ARGMAX", "ARGMIN"):
            _, members, path = self._operands(tree, 3)
            self._say(x, members, group)
            value = self._along(x, path, group)
            self._apart(x, group)
            rows = built(group, self.patterns, {"x", value.name}, as_set=True)
            return _extreme(rows, value.name, smallest=tree[0] == "ARGMIN")
        self._say(x, tree, group)
        self._apart(x, group)
        return built(group, self.patterns, {"x"}, as_set=True)

    def _operands(self, tree: list[Tree], length: int) -> list[Tree]:
        if len(tree) != length:
            raise UnsupportedQuery(f"{tree[0]} with {len(tree) - 1} operands")
        return tree

    def _fresh(self) -> Variable:
        self._count += 1
        return Variable(f"y{self._count}")

    # What an expression says of a variable ---------------------------------------------------------------------

    def _say(self, x: Variable, tree: Tree, group: Group) -> None:
        """The members of an expression are what ``x`` stands for."""
        if isinstance(tree, str):
            self._atom(x, tree, group)
            return
        head = tree[0] if tree else ""
        if not isinstance(head, str) or head not in _OPERATORS:
            raise UnsupportedQuery(f"the operator {head}" if isinstance(head, str) else "a list without an operator")
        if head == "AND":
            for each in self._operands(tree, 3)[1:]:
                self._say(x, each, group)
        elif head == "JOIN":
            self._operands(tree, 3)
            self._join(x, self._path(tree[1]), tree[2], group)
        elif head in _COMPARISONS:
            self._operands(tree, 3)
            value = self._along(x, tree[1], group)
            group.steps.append(_comparison(value.name, _COMPARISONS[head], self._value(tree[2])))
        elif head == "TC":
            self._operands(tree, 4)
            self._say(x, tree[1], group)
            self._temporal(x, tree[2], tree[3], group)
        else:
            raise UnsupportedQuery(f"{head} inside an expression")

    def _atom(self, x: Variable, word: str, group: Group) -> None:
        if not self._is_type(word):
            raise UnsupportedQuery("an entity or value where a class is wanted", detail=word)
        group.triples.append(Triple(x, "", Value(FREEBASE + word, "entity")))

    def _is_type(self, word: str) -> bool:
        return word in self.graph.types or FREEBASE + word in self.graph.types or not self._is_value(word)

    def _is_value(self, word: str) -> bool:
        known = self.graph.id(FREEBASE + word) != FREEBASE + word and self._is_known(word)
        return bool(re.match(r"[mg]\.|\"|[+-]?\d", word)) or "^^" in word or known

    def _is_known(self, word: str) -> bool:
        return any(FREEBASE + word in getattr(box.reader, "ids", {}) for box in self.graph.boxes.values())

    def _join(self, x: Variable, path: Path, tree: Tree, group: Group) -> None:
        if isinstance(tree, str) and self._is_value(tree):
            group.triples.append(_triple(x, path, self._value(tree)))
            return
        y = self._fresh()
        group.triples.append(_triple(x, path, y))
        self._say(y, tree, group)

    def _along(self, x: Variable, tree: Tree, group: Group) -> Variable:
        """The variable at the end of a path that starts at ``x``."""
        if isinstance(tree, list) and tree and tree[0] == "JOIN":
            self._operands(tree, 3)
            middle = self._along(x, tree[1], group)
            return self._along(middle, tree[2], group)
        y = self._fresh()
        group.triples.append(_triple(x, self._path(tree), y))
        return y

    def _path(self, tree: Tree) -> Path:
        if isinstance(tree, list):
            if len(tree) == 2 and tree[0] == "R":
                return Inverse(self._path(tree[1]))
            raise UnsupportedQuery("a relation that is an expression")
        return tree if "://" in tree else FREEBASE + tree

    def _value(self, tree: Tree) -> Value:
        if isinstance(tree, list):
            raise UnsupportedQuery("an expression where a value is wanted")
        return value_of(tree, self.graph)

    def _temporal(self, x: Variable, relation: Tree, moment: Tree, group: Group) -> None:
        """TC: what has begun by a moment and has not ended before it; what has no such date counts."""
        if not isinstance(relation, str) or not isinstance(moment, str):
            raise UnsupportedQuery("TC with an expression as its relation or moment")
        year = moment.split("^^")[0].strip('"')
        if moment != "NOW" and not re.fullmatch(r"\d{4}", year):
            raise UnsupportedQuery("TC with another moment than a year or NOW", detail=moment)
        until, since = (_NOW, _NOW) if moment == "NOW" else (f"{year}-12-31", f"{year}-01-01")
        for name, operator, day in ((relation, "<=", until), (_end_of(relation), ">=", since)):
            self._dated(x, FREEBASE + name, operator, Value(day, "date"), group)

    def _dated(self, x: Variable, relation: str, operator: str, day: Value, group: Group) -> None:
        def apply(rows: Relation) -> Relation:
            beside = self.patterns.attribute(rows.of(x.name), relation)
            own = Bound(Constant(day.value), "date")
            if beside is not None:
                within = compared(operator, beside, own, loosely=True)
                return filtered(rows, any_of(IsMissing(beside.value), within) if beside.maybe else within)
            inside = Group([Triple(x, relation, Variable("day"))])
            dated = built(inside, self.patterns, {x.name, "day"}, as_set=True)
            assert dated.plan is not None
            key = rows.of(x.name).value
            fitting = filtered(dated, compared(operator, dated.of("day"), own, loosely=True))
            assert fitting.plan is not None
            there = Project(dated.plan, (Output(dated.of(x.name).value, "id"),))
            right = Project(fitting.plan, (Output(fitting.of(x.name).value, "id"),))
            return filtered(rows, any_of(InPlan(key, there, negated=True), InPlan(key, right)))

        group.steps.append(Step(frozenset({x.name}), apply, is_filter=True))

    def _apart(self, x: Variable, group: Group) -> None:
        """The answer is none of the entities named, as GrailQA's queries have it."""
        named = {each for triple in group.triples for each in (triple.subject, triple.value) if triple.relation != ""}
        for value in sorted((each for each in named if isinstance(each, Value)), key=lambda each: str(each.value)):
            group.steps.append(_comparison(x.name, "!=", value))


def _triple(x: Term, path: Path, y: Term) -> Triple:
    while isinstance(path, Inverse):
        x, path, y = y, path.path, x
    return Triple(x, path, y)


def _comparison(name: str, operator: str, value: Value) -> Step:
    def apply(rows: Relation) -> Relation:
        return filtered(rows, _test(rows.of(name), operator, value))

    return Step(frozenset({name}), apply, is_filter=True)


def _test(bound: Bound, operator: str, value: Value) -> Expression:
    return compared(operator, bound, Bound(Constant(value.value), value.kind), loosely=True)


def _extreme(rows: Relation, value: str, smallest: bool) -> Relation:
    if rows.of(value).kind not in ("number", "year", "date"):
        raise UnsupportedQuery(f"the largest or smallest of {rows.of(value).kind} values")
    assert rows.plan is not None
    return replace(rows, plan=Extreme(rows.plan, rows.of(value).value, smallest))


def _end_of(relation: str) -> str:
    """The relation that dates the end, of the one that dates the start."""
    for start, end in (("from_date", "to_date"), ("start_date", "end_date"), ("from", "to")):
        if relation.endswith(start):
            return relation.removesuffix(start) + end
    raise UnsupportedQuery("TC with a relation that dates no start", detail=relation)


def value_of(word: str, graph: GraphBoxes) -> Value:
    """A constant of an s-expression: an entity, or a literal with its datatype."""
    text, mark, datatype = word.partition("^^")
    if not mark and not text.startswith('"') and not re.fullmatch(r"[+-]?\d+(\.\d*)?", text):
        return Value(graph.id(word if "://" in word else FREEBASE + word), "entity")
    language = ""
    if found := re.fullmatch(r'"(.*)"(?:@([\w-]+))?', text):
        text, language = found[1], found[2] or ""
    if not mark and not language and re.fullmatch(r"[+-]?\d+(\.\d*)?", text):
        datatype = XSD + ("float" if "." in text else "integer")
    kind = datatype.strip("<>")
    kind = XSD + kind.removeprefix("xsd:") if kind.startswith("xsd:") else kind
    found_value = decode(Literal(text, kind, language))
    return Value(found_value.value, KINDS.get(found_value.sort, "text"))
