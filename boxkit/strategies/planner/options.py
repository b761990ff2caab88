"""What each word of a draft may mean in its role: the options among which the search chooses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from boxkit.strategies.planner.adjectives import ADJECTIVES
from boxkit.strategies.planner.draft import Clause, Draft, Figure, Target
from boxkit.strategies.planner.fields import FieldIndex, Place
from boxkit.strategies.planner.index import Index
from boxkit.strategies.planner.lexicon import PERSON_WORDS, PLACE_WORDS
from boxkit.strategies.planner.linking import Link
from boxkit.strategies.planner.naming import without_units
from boxkit.strategies.planner.tagging import Item
from boxkit.strategies.planner.units import MONEY, unit_of
from boxkit.strategies.planner.words import normal, singular, stem

__all__ = ["Option", "Slot", "flips", "slots_of"]

_SMALL = frozenset(
    "young short small low cheap light slow poor shallow narrow cold bad close early brief thin tiny".split()
)
#: Adjectives of time, and whether they mean the earlier of two times.
_TIMES = dict.fromkeys(("old", "ancient", "early", "senior"), True) | dict.fromkeys(
    ("young", "new", "recent", "late"), False
)
#: An option more costly than the best of its slot by more than this is not tried.
SPREAD = 0.5
MAX_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Option:
    """One meaning.

    Attributes:
        box: The box.
        field: The field; empty for the box itself.
        cost: How ill the words fit, from 0.
        values: For a value: as the source writes it.
        how: The kind of match.
    """

    box: str
    field: str
    cost: float
    values: tuple[Any, ...] = ()
    how: str = "exact"

    @property
    def place(self) -> Place:
        """Its field."""
        return Place(self.box, self.field)


@dataclass(slots=True)
class Slot:
    """A place to fill: a mention, or something only implied; and what may fill it."""

    key: object
    item: Item | None
    options: list[Option] = field(default_factory=list)


def flips(adjective: str, of: FieldIndex) -> bool:
    """Whether a high degree of the adjective means a small value of the field."""
    known = ADJECTIVES.get(adjective)
    if known is None:
        return False
    if of.kind in ("year", "date") and adjective in _TIMES:
        return _TIMES[adjective]
    stems = set(of.stems)
    if stems & set(known.large):
        return False
    return bool(stems & set(known.small)) or adjective in _SMALL


class _Slots:
    """Collects the slots of a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.index: Index = draft.index
        self.pairs = self.index.junctions()
        self.slots: dict[object, Slot] = {}

    def mention(self, item: Item, accept: Callable[[Link], float | None]) -> None:
        """A mention's options: the links that are accepted, at what they say they cost more."""
        found = []
        for link in item.links:
            extra = accept(link)
            if extra is not None:
                found.append(Option(link.box, link.field, 1 - link.score + extra, link.values, link.how))
        self._merge(id(item), item, found)

    def implied(self, key: object, found: Iterable[Option]) -> None:
        """Something that no mention names."""
        self._merge(key, None, list(found))

    def _merge(self, key: object, item: Item | None, found: list[Option]) -> None:
        found.sort(key=lambda option: option.cost)
        kept = [option for option in found if option.cost <= found[0].cost + SPREAD][:MAX_OPTIONS]
        if key in self.slots:
            meanings = {(option.box, option.field, option.values): option for option in kept}
            self.slots[key].options = [
                option for option in self.slots[key].options if (option.box, option.field, option.values) in meanings
            ]
        else:
            self.slots[key] = Slot(key, item, kept)

    def field_of(self, link: Link) -> FieldIndex:
        return self.index.fields[link.place]

    def anything(self, link: Link) -> float | None:
        """A box or a field."""
        return None if link.kind == "value" else 0.0

    def countable(self, link: Link, distinct: bool = False) -> float | None:
        """Things rather than amounts."""
        if link.kind == "value":
            return None
        if link.kind == "box":
            return 0.0
        known = self.field_of(link)
        if known.kind == "number" or known.has_figures:
            return 0.4
        # Rows or different values? Both may be meant, unless each row has its own or but ties a pair.
        return 0.08 if known.unique or distinct or link.box in self.pairs else 0.18

    def amount(self, link: Link) -> float | None:
        """Fields that can be summed up and averaged."""
        if link.kind != "field":
            return None
        return {"number": 0.0, "year": 0.2}.get(self.field_of(link).kind)

    def ordered(self, link: Link) -> float | None:
        """Fields with an order that means something."""
        if link.kind != "field":
            return None
        known = self.field_of(link)
        return 0.0 if known.is_ordered else 0.4 if known.kind in ("text", "id") else None

    def flag(self, link: Link) -> float | None:
        """Fields of yes and no."""
        return 0.0 if link.kind == "field" and self.field_of(link).yes else None

    def moment(self, link: Link) -> float | None:
        """Dates and years."""
        if link.kind != "field":
            return None
        return 0.0 if self.field_of(link).kind in ("date", "year") else None

    def textual(self, link: Link) -> float | None:
        """Text fields."""
        if link.kind != "field":
            return None
        return 0.0 if self.field_of(link).is_text else None

    def comparable(self, literal: Any, operator: str, dated: bool) -> Callable[[Link], float | None]:
        """Fields that can be compared with this literal."""

        def accept(link: Link) -> float | None:
            return None if link.kind != "field" else self.fits(self.field_of(link), literal, operator, dated)

        return accept

    def fits(self, known: FieldIndex, literal: Any, operator: str, dated: bool) -> float | None:
        """What it costs to compare the field with the literal; None where that makes no sense."""
        first = literal[0] if isinstance(literal, tuple) else literal
        if isinstance(first, str):
            return {"date": 0.0, "year": 0.2}.get(known.kind)
        each = literal if isinstance(literal, tuple) else (literal,)
        is_year = all(isinstance(one, int) and 1000 <= one <= 2100 for one in each)
        if known.kind == "date":
            # A field of years is likelier meant than one of dates.
            return (0.07 if dated else 0.12) if is_year else None
        if known.kind == "year":
            return 0.0 if is_year else 0.3
        if known.kind == "number":
            return 0.25 if is_year and dated else 0.0
        if operator == "=" and known.kind == "id" and not known.is_text:
            return 0.0
        if operator == "=" and known.is_text:
            places = self.index.values.get(normal(str(first)), {})
            return 0.0 if known.place in places else None
        return None

    def by_adjective(self, adjective: str, accept: Callable[[FieldIndex], bool]) -> Iterator[Option]:
        """Fields that an adjective speaks of; the likelier measure costs less."""
        known = ADJECTIVES.get(adjective)
        if known is None:
            return
        for each in self.index.fields.values():
            if not accept(each):
                continue
            for measures in (known.large, known.small):
                ranks = [rank for rank, measure in enumerate(measures) if measure in each.stems]
                if ranks:
                    extra = 0.03 * (len(without_units(each.words)) - 1)
                    yield Option(
                        each.place.box, each.place.field, 0.05 + 0.04 * min(ranks[0], 4) + extra, how="adjective"
                    )
                    break

    def persons(self) -> Iterator[Option]:
        """Boxes whose rows are people, then any with a name."""
        persons = {stem(word) for word in PERSON_WORDS}
        for box, stems in self.index.box_stems.items():
            if not self.index.naming.get(box):
                continue
            words = {word for each in self.index.of_box(box) for word in each.words}
            is_person = bool(persons & set(stems)) or bool({"birth", "born", "gender", "sex", "age", "salary"} & words)
            yield Option(box, "", 0.0 if is_person else 0.25, how="who")

    def doers(self) -> Iterator[Option]:
        """``Who published …``: the box, or the field, of those who do what the verb says."""
        at = next((place for place, item in enumerate(self.draft.items) if item.text.lower() == "who"), None)
        verb = self.draft.at(self.draft.after(at, frozenset(("empty",)))) if at is not None else None
        if verb is None or verb.kind != "mention" or verb.is_value:
            return
        for link in verb.links:
            words = self.index.boxes[link.box] if link.kind == "box" else self.field_of(link).words
            does_it = bool(words) and _is_doer(words[-1]) and singular(normal(verb.text)) != words[-1]
            told = self.field_of(link).is_text if link.kind == "field" else bool(self.index.naming.get(link.box))
            if link.score >= 0.6 and does_it and told:
                yield Option(link.box, link.field, 0.02, how="who")

    def moments(self) -> Iterator[Option]:
        """Every date and year."""
        for each in self.index.fields.values():
            if each.kind in ("date", "year"):
                yield Option(each.place.box, each.place.field, 0.12, how="when")

    def places(self) -> Iterator[Option]:
        """Fields that say where."""
        for each in self.index.fields.values():
            ranks = [at for at, word in enumerate(PLACE_WORDS) if word in each.words]
            if ranks and each.is_text:
                yield Option(each.place.box, each.place.field, 0.08 + 0.03 * ranks[0], how="where")

    def only_amount(self, fits: Callable[[FieldIndex], bool]) -> Iterator[Option]:
        """``invoices over 15``, where an invoice has but one amount."""
        named = {
            link.box
            for item in self.draft.items
            for link in item.only("box")
            if link.score >= 0.9 and link.how in ("exact", "stem")
        }
        for box in sorted(named):
            amounts = [each for each in self.index.of_box(box) if each.kind == "number"]
            if len(amounts) == 1 and fits(amounts[0]):
                yield Option(box, amounts[0].place.field, 0.12, how="only")

    def all_boxes(self) -> Iterator[Option]:
        """Every box, where nothing says which."""
        valued = {link.box for item in self.draft.items if item.is_value for link in item.only("value")}
        named = {each.links[0].box for each in self.draft.items if each.links and each.links[0].kind == "box"}
        for box in self.index.boxes:
            nameless = all(word == "box" or word.isdigit() for word in self.index.boxes[box])
            cost = 0.04 if box in named else 0.1 if box in valued or not valued else 0.2
            yield Option(box, "", cost + 0.25 * nameless, how="any")


def slots_of(draft: Draft) -> list[Slot]:
    """The slots of a draft; one without options cannot be filled."""
    slots = _Slots(draft)
    for at, target in enumerate(draft.targets):
        _target(slots, ("target", at), target)
    for at, clause in enumerate(draft.clauses):
        _clause(slots, ("clause", at), clause)
        if clause.value is not None:
            _prefer_names(slots, clause.value)
    for mention in draft.groups:
        slots.mention(mention, slots.anything)
    for related in draft.related:
        slots.mention(related.item, slots.anything)
    for at, superlative in enumerate(draft.superlatives):
        _figure(slots, ("superlative", at), superlative.figure)
    for at, order in enumerate(draft.orders):
        if order.figure is not None:
            _figure(slots, ("order", at), order.figure)
    return list(slots.slots.values())


def _prefer_names(slots: _Slots, value: Item) -> None:
    """``albums by AC/DC``: what something is called by, before a text that only repeats it elsewhere."""
    slot = slots.slots[id(value)]
    said = {
        link.box for item in slots.draft.items if not item.is_value for link in item.only("box") if link.score >= 0.6
    }
    names = [each for each in slot.options if each.field in slots.index.naming.get(each.box, ())]
    if not names or any(each.box in said for each in slot.options):
        return
    slot.options = [each if each in names else replace(each, cost=each.cost + 0.05) for each in slot.options]


def _is_doer(word: str) -> bool:
    return word in PERSON_WORDS or word.endswith(("er", "or", "ist", "ant"))


def _target(slots: _Slots, key: object, target: Target) -> None:
    figure = target.figure
    if target.kind == "measure":
        slots.implied(key, slots.by_adjective(figure.adjective, lambda each: each.is_ordered))
    elif target.kind in ("when", "year"):
        if figure.item is not None:
            slots.mention(figure.item, slots.moment)
        else:
            slots.implied(key, slots.moments())
    elif target.kind == "where":
        slots.implied(key, slots.places())
    elif target.kind == "who":
        doers = list(slots.doers())
        known = {option.box for option in doers if not option.field}
        named = {link.box for item in slots.draft.items for link in item.only("box") if link.score >= 0.9}
        said = any(each.box in named and each.cost == 0.0 for each in slots.persons())
        others = (
            # "Who is the oldest employee?" asks for no customer.
            replace(each, cost=each.cost + 0.15 * bool(doers) + 0.1 * (said and each.box not in named))
            for each in slots.persons()
            if each.box not in known
        )
        slots.implied(key, (*doers, *others))
    elif target.kind == "difference" and figure.item is None:
        slots.implied(key, slots.by_adjective(figure.adjective, lambda each: each.is_ordered))
    elif target.kind == "difference" and figure.item is not None:
        slots.mention(figure.item, slots.amount)
    elif figure.item is None:
        slots.implied(key, slots.all_boxes())
    else:
        _figure(slots, key, figure)


def _figure(slots: _Slots, key: object, figure: Figure) -> None:
    accept: dict[str, Callable[[Link], float | None]] = {
        "count": partial(slots.countable, distinct=figure.distinct),
        "sum": slots.amount,
        "average": slots.amount,
        "median": slots.amount,
        "min": slots.ordered,
        "max": slots.ordered,
    }
    if figure.item is not None:
        is_ranking = isinstance(key, tuple) and key[0] in ("superlative",)
        slots.mention(figure.item, accept.get(figure.function, slots.ordered if is_ranking else slots.anything))
    elif figure.adjective:
        slots.implied(key, slots.by_adjective(figure.adjective, lambda each: each.is_ordered))


def _clause(slots: _Slots, key: object, clause: Clause) -> None:
    if clause.figure is not None:
        assert clause.figure.item is not None
        _figure(slots, key, clause.figure)
        return
    if clause.value is not None:
        slots.mention(clause.value, lambda link: 0.0 if link.kind == "value" else None)
        if clause.subject is not None:
            slots.mention(clause.subject, slots.anything)
    if clause.operator == "flag":
        assert clause.subject is not None
        slots.mention(clause.subject, slots.flag)
    elif clause.operator in ("contains", "starts", "ends"):
        if clause.subject is not None:
            slots.mention(clause.subject, lambda link: 0.0 if link.kind == "box" else slots.textual(link))
        else:
            naming = (Place(box, fields[0]) for box, fields in slots.index.naming.items() if fields)
            slots.implied(key, (Option(place.box, place.field, 0.1, how="naming") for place in naming))
    elif clause.operator in ("average", "exceed"):
        if clause.subject is not None:
            slots.mention(clause.subject, slots.ordered)
        else:
            slots.implied(key, slots.by_adjective(clause.adjective, lambda each: each.is_ordered))
    elif clause.value is None:
        _literal_clause(slots, key, clause)


def _literal_clause(slots: _Slots, key: object, clause: Clause) -> None:
    def fits(each: FieldIndex) -> bool:
        return slots.fits(each, clause.literal, clause.operator, clause.dated) is not None

    if clause.subject is not None:
        slots.mention(clause.subject, slots.comparable(clause.literal, clause.operator, clause.dated))
        if slots.slots[id(clause.subject)].options:
            return
    if clause.adjective:
        slots.implied(key, slots.by_adjective(clause.adjective, fits))
    elif clause.unit in MONEY:
        slots.implied(key, slots.by_adjective("expensive", fits))
    elif clause.unit:
        held = (each for each in slots.index.fields.values() if clause.unit in map(unit_of, each.words) and fits(each))
        slots.implied(key, (Option(each.place.box, each.place.field, 0.1, how="unit") for each in held))
    elif clause.dated:
        moments = (each for each in slots.index.fields.values() if each.kind in ("date", "year") and fits(each))
        slots.implied(key, (Option(each.place.box, each.place.field, 0.12, how="when") for each in moments))
    else:
        slots.implied(key, slots.only_amount(fits))
