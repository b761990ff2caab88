"""Triple patterns become scans and joins: what is said of one subject in its box, the rest along the variables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile.sparql_boxes import Domains, GraphBoxes, Kind, Place, within
from boxkit.memory.transpile.sparql_relation import Bound, Relation, filtered
from boxkit.plan import (
    Alias,
    Column,
    Compare,
    Constant,
    Expression,
    Filter,
    IsMissing,
    Output,
    Plan,
    Project,
    Scan,
    SetOperation,
)

__all__ = [
    "Alternative",
    "Inverse",
    "Path",
    "PatternReader",
    "Term",
    "Triple",
    "Value",
    "Variable",
    "same_value",
]


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A constant: an entity's id, or a literal's value."""

    value: object
    kind: Kind


Term = Variable | Value


@dataclass(frozen=True, slots=True)
class Inverse:
    """A relation read from its end."""

    path: Path


@dataclass(frozen=True, slots=True)
class Alternative:
    """One of several relations."""

    paths: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """A relation followed again and again: ``+`` once or more, ``*`` never or more, ``?`` never or once."""

    path: Path
    times: str


#: A relation's IRI, or what is made of such.
Path = str | Inverse | Alternative | Closure


@dataclass(frozen=True, slots=True)
class Triple:
    """A pattern; where ``relation`` is empty, ``value`` is the type's IRI."""

    subject: Term
    relation: Path
    value: Term

    @property
    def variables(self) -> tuple[str, ...]:
        """The names in it."""
        return tuple(each.name for each in (self.subject, self.value) if isinstance(each, Variable))


class PatternReader:
    """Reads triple patterns over boxes.

    Args:
        graph: The boxes.
    """

    def __init__(self, graph: GraphBoxes) -> None:
        self.graph = graph
        self._aliases: dict[str, int] = {}
        self._scanned: dict[str, str] = {}

    def alias(self, stem: str) -> str:
        """A name for a source that no other has."""
        number = self._aliases.get(stem, 0) + 1
        self._aliases[stem] = number
        return f"{stem} {number}"

    def scan(self, box: str) -> Scan:
        """A scan of a box under a name of its own."""
        scan = Scan(box, self.alias(box))
        self._scanned[scan.alias] = box
        return scan

    def attribute(self, subject: Bound, relation: Path) -> Bound | None:
        """The relation's column beside the column that a subject's ids stand in, where that box has one."""
        column = subject.column
        box = self._scanned.get(column.of) if column is not None else None
        if column is None or box is None or not isinstance(relation, str) or not relation:
            return None
        if column.name != self.graph.boxes[box].fields[0].label or len(self.graph.boxes[box].primary_key) != 1:
            return None
        place = self.graph.place_in(box, relation)
        return None if place is None else replace(self.bound(place, column.of), maybe=self.misses(place))

    def bound(self, place: Place, alias: str) -> Bound:
        """What a place's values are, in a scan."""
        known = frozenset(value for _, value in self.graph.pairs(place))
        return Bound(Column(place.value, alias), place.kind, known=known)

    def misses(self, place: Place) -> bool:
        """Whether some subjects have no value there."""
        return not place.is_wide and bool(self.graph.boxes[place.box].frame[place.value].isna().any())

    def read(self, triples: Sequence[Triple]) -> list[Relation]:
        """Patterns as rows still to be joined: one for what is said of a subject in its box, one for each other."""
        return _Conjunction(self, triples).parts()


class _Conjunction:
    """Patterns that hold together, read at once.

    Args:
        reader: What gives names.
        triples: The patterns.
    """

    def __init__(self, reader: PatternReader, triples: Sequence[Triple]) -> None:
        self.reader = reader
        self.graph = reader.graph
        self.triples = triples
        self.domains: dict[Term, frozenset[object]] = {}
        self._narrow()

    def parts(self) -> list[Relation]:
        """The patterns as rows still to be joined."""
        self._unify()
        return [part for subject, own in _by_subject(self.triples).items() for part in self._star(subject, own)]

    def _narrow(self) -> None:
        """What each variable can be, by all that is said of it: it tells which boxes are worth looking into."""
        for _ in range(3):
            for triple in self.triples:
                if triple.relation == "" and isinstance(triple.value, Value):
                    self._meet_domain(triple.subject, self.graph.members(self.graph.type_box(str(triple.value.value))))
                elif isinstance(triple.relation, str) and triple.relation:
                    pairs = within(self.graph.all_pairs(triple.relation), self._of(triple))
                    self._meet_domain(triple.subject, frozenset(subject for subject, _ in pairs))
                    self._meet_domain(triple.value, frozenset(value for _, value in pairs))

    def _meet_domain(self, term: Term, values: frozenset[object]) -> None:
        if isinstance(term, Variable):
            self.domains[term] = self.domains[term] & values if term in self.domains else values

    def _of(self, triple: Triple) -> Domains:
        """The subjects and values that matter for a pattern."""
        # A literal may be written otherwise in the boxes than in the query.
        is_entity = isinstance(triple.value, Value) and triple.value.kind == "entity"
        value = frozenset({triple.value.value}) if isinstance(triple.value, Value) and is_entity else None
        subject = frozenset({triple.subject.value}) if isinstance(triple.subject, Value) else None
        return self.domains.get(triple.subject, subject), self.domains.get(triple.value, value)

    def _unify(self) -> None:
        """One variable for what must be the same: the one value of a subject under a relation.

        Only variables that a path has brought in are taken away; the query does not know them.
        """
        for own in _by_subject(self.triples).values():
            said = [each for each in own if each.relation != ""]
            anchor = self._anchor(self._types(own), said)
            seen: dict[Path, Term] = {}
            for triple in said if anchor is not None else ():
                if not isinstance(triple.value, Variable) or self._inside(anchor or "", triple) is None:
                    continue
                first = seen.setdefault(triple.relation, triple.value)
                if first != triple.value and triple.value.name.startswith(" "):
                    others = [each for each in self.triples if each is not triple]
                    self.triples = _renamed(others, triple.value, first)
                    self._unify()
                    return

    def _types(self, triples: Sequence[Triple]) -> list[str]:
        values = [each.value for each in triples if each.relation == ""]
        return [self.graph.type_box(str(value.value)) for value in values if isinstance(value, Value)]

    def _star(self, subject: Term, triples: Sequence[Triple]) -> list[Relation]:
        types = self._types(triples)
        said = [each for each in triples if each.relation != ""]
        anchor = self._anchor(types, said)
        if anchor is None:
            return [self._pairs(each) for each in said]
        inside = [each for each in said if self._inside(anchor, each) is not None]
        parts = [self._one_box(subject, anchor, inside)]
        members = self.graph.members(anchor)
        others = [box for box in types if box != anchor and not members <= self.graph.members(box)]
        parts.extend(self._one_box(subject, box, []) for box in others)
        parts.extend(self._pairs(each) for each in said if each not in inside)
        return parts

    def _inside(self, box: str, triple: Triple) -> Place | None:
        is_plain = isinstance(triple.relation, str) and triple.relation != ""
        return self.graph.place_in(box, str(triple.relation), self._of(triple)) if is_plain else None

    def _anchor(self, types: Sequence[str], said: Sequence[Triple]) -> str | None:
        """The box in which to look the subject up."""

        def inside(box: str) -> int:
            return sum(self._inside(box, each) is not None for each in said)

        if types:
            return max(types, key=lambda box: (inside(box), -len(self.graph.members(box))))
        found: dict[str, int] = {}
        for triple in said:
            if isinstance(triple.relation, str):
                wanted = self.graph.needed(self.graph.places(triple.relation), self._of(triple))
                if len(wanted) == 1 and not wanted[0].is_wide:
                    found[wanted[0].box] = inside(wanted[0].box)
        return max(found, key=lambda box: (found[box], -len(self.graph.members(box)))) if found else None

    def _one_box(self, subject: Term, box: str, said: Sequence[Triple]) -> Relation:
        scan = self.reader.scan(box)
        key = Column(self.graph.boxes[box].fields[0].label, scan.alias)
        bound: dict[str, Bound] = {}
        conditions: list[Expression] = []
        if isinstance(subject, Variable):
            bound[subject.name] = Bound(key, "entity", known=self.graph.members(box))
        else:
            conditions.append(Compare("=", key, Constant(subject.value)))
        for triple in said:
            place = self._inside(box, triple)
            assert place is not None
            own = self.reader.bound(place, scan.alias)
            self._meet(triple.value, own, bound, conditions)
            if isinstance(triple.value, Variable) and self.reader.misses(place):
                name = triple.value.name
                elsewhere = any(name in each.variables for each in self.triples if each.subject != subject)
                if not elsewhere:
                    conditions.append(IsMissing(own.value, negated=True))
        narrow = any(isinstance(each, Compare) for each in conditions)
        return filtered(Relation(scan, bound, True, narrow), *conditions)

    def _meet(self, term: Term, own: Bound, bound: dict[str, Bound], conditions: list[Expression]) -> None:
        """A term stands where a column is: a condition, or a variable bound."""
        if isinstance(term, Value):
            conditions.append(same_value(own, term))
        elif term.name in bound:
            conditions.append(Compare("=", bound[term.name].value, own.value))
        else:
            bound[term.name] = own

    # Pairs -----------------------------------------------------------------------------------------------------

    def _pairs(self, triple: Triple) -> Relation:
        subject, value, once = self._path(triple.relation, self._of(triple))
        plan = subject[0]
        bound: dict[str, Bound] = {}
        conditions: list[Expression] = []
        self._meet(triple.subject, subject[1], bound, conditions)
        self._meet(triple.value, value, bound, conditions)
        missing = [IsMissing(each.value, negated=True) for each in (subject[1], value) if each.maybe]
        bound = {name: replace(each, maybe=False) for name, each in bound.items()}
        narrow = any(isinstance(each, Compare) for each in conditions)
        conditions.extend(each for each in missing if not any(_tests(c, each.value) for c in conditions))
        return filtered(Relation(plan, bound, once, narrow), *conditions)

    def _path(self, path: Path, domains: Domains) -> tuple[tuple[Plan, Bound], Bound, bool]:
        """The pairs of a path: plan and subjects, values, and whether each pair stands once."""
        if isinstance(path, Inverse):
            (plan, subject), value, once = self._path(path.path, (domains[1], domains[0]))
            return (plan, value), subject, once
        if isinstance(path, Alternative):
            return self._union([self._path(each, domains) for each in path.paths], once=False)
        if isinstance(path, Closure):
            raise UnsupportedQuery(f"a property path repeated ({path.times})")
        places = self.graph.needed(self.graph.places(path), domains)
        if len(places) == 1:
            return self._place(places[0])
        return self._union([self._place(each) for each in places], once=True)

    def _place(self, place: Place) -> tuple[tuple[Plan, Bound], Bound, bool]:
        scan = self.reader.scan(place.box)
        subjects = frozenset(subject for subject, _ in self.graph.pairs(place))
        subject = Bound(Column(place.subject, scan.alias), "entity", known=subjects)
        return (scan, subject), replace(self.reader.bound(place, scan.alias), maybe=self.reader.misses(place)), True

    def _union(
        self, parts: Sequence[tuple[tuple[Plan, Bound], Bound, bool]], once: bool
    ) -> tuple[tuple[Plan, Bound], Bound, bool]:
        plans: list[Plan] = []
        for (plan, subject), value, _ in parts:
            for each in (subject, value):
                if each.maybe:
                    plan = Filter(plan, IsMissing(each.value, negated=True))
            plans.append(Project(plan, (Output(subject.value, "subject_id"), Output(value.value, "value"))))
        together = plans[0]
        for plan in plans[1:]:
            together = SetOperation(together, plan, "union", keep_doubles=not once)
        alias = self.reader.alias("pairs")
        first = _merged([subject for (_, subject), _, _ in parts], Column("subject_id", alias))
        second = _merged([value for _, value, _ in parts], Column("value", alias))
        return (Alias(together, alias, ("subject_id", "value")), first), second, once


def _by_subject(triples: Sequence[Triple]) -> dict[Term, list[Triple]]:
    found: dict[Term, list[Triple]] = {}
    for triple in triples:
        found.setdefault(triple.subject, []).append(triple)
    return found


def _renamed(triples: Sequence[Triple], old: Term, new: Term) -> list[Triple]:
    return [
        replace(
            each,
            subject=new if each.subject == old else each.subject,
            value=new if each.value == old else each.value,
        )
        for each in triples
    ]


def _tests(condition: Expression, value: Expression) -> bool:
    return isinstance(condition, Compare) and value in (condition.left, condition.right)


def _merged(parts: Iterable[Bound], column: Column) -> Bound:
    listed = list(parts)
    kinds = {each.kind for each in listed}
    known = [each.known for each in listed]
    values = None if any(each is None for each in known) else frozenset[object]().union(*(each or () for each in known))
    return Bound(column, next(iter(kinds)) if len(kinds) == 1 else "any", known=values)


def same_value(own: Bound, term: Value) -> Expression:
    """A column's value is a constant."""
    value = term.value
    if own.kind in ("date", "text") and term.kind == "year":
        value = f"{value:04d}"
    literal = {"number", "year", "boolean"}
    if (own.kind in literal) != (term.kind in literal) and "any" not in (own.kind, term.kind):
        return Constant(False) if own.kind in literal or isinstance(value, (int, float)) else _compared(own, value)
    return _compared(own, value)


def _compared(own: Bound, value: object) -> Expression:
    return Compare("=", own.value, Constant(value))
