"""Facts become boxes: one a type with one row a subject, and one of two columns for each relation of several values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from boxkit.box import Box, Field, Note
from boxkit.converters.graph.columns import Cells, cells_of, frame_of
from boxkit.converters.graph.facts import ENTITY, Facts
from boxkit.converters.graph.names import snake
from boxkit.converters.graph.origin import Origin
from boxkit.converters.graph.reader import GraphReader
from boxkit.converters.graph.store import LITERAL
from boxkit.converters.graph.vocabulary import INSIDE
from boxkit.naming import box_name, field_labels

__all__ = ["Column", "Table", "boxes_of", "lay_out"]


@dataclass(slots=True)
class Column:
    """A column to be.

    Attributes:
        label: Its label, before doubles are told apart.
        cells: Its values.
        source: The relation's IRI; empty for ids and labels that come from several places.
        description: What it means.
        targets: For ids of entities, the entities (as integers), one a row, -1 for none; empty for values.
        range: The declared type of the targets; empty where nothing says.
    """

    label: str
    cells: Cells
    source: str = ""
    description: str = ""
    targets: Sequence[int] = ()
    range: str = ""


@dataclass(slots=True)
class Table:
    """A box to be.

    Attributes:
        name: The box's name.
        source: The type's or relation's IRI.
        columns: First the id.
        members: For a type's box, its entities in the order of rows; empty for a relation's.
        description: What it holds.
        key: How many of the first columns identify a row.
    """

    name: str
    source: str
    columns: list[Column]
    members: Sequence[int] = ()
    description: str = ""
    key: int = 1
    notes: list[Note] = field(default_factory=list)

    @property
    def labels(self) -> tuple[str, ...]:
        """Unique labels of the columns."""
        return field_labels(column.label for column in self.columns)


def lay_out(facts: Facts, declared: Mapping[str, Sequence[str]] | None = None) -> list[Table]:
    """The tables of ``facts``: types first, the largest first, then relations of several values.

    Args:
        facts: What to show.
        declared: For each type, relations that get a column of missing values where nothing else shows them.
    """
    members: dict[str, list[int]] = {}
    for node in sorted(facts.types, key=facts.lexicon.order):
        for name in facts.types[node]:
            members.setdefault(name, []).append(node)
    order = sorted(members, key=lambda name: (name == ENTITY, -len(members[name]), name))
    names = _names(facts, order)
    homes = {name: frozenset(members[name]) for name in order}
    tables = {
        name: Table(names[name], name, _first_columns(facts, names[name], members[name]), members[name])
        for name in order
    }
    several: list[Table] = []
    taken = set(names.values())
    for relation in sorted(facts.relations, key=lambda each: _relation_order(facts, each)):
        wide = _place(facts, relation, tables, homes)
        if wide:
            table = _several_table(facts, relation, wide, tables, homes, taken)
            taken.add(table.name)
            several.append(table)
    for kind, relations in (declared or {}).items():
        if kind in tables:
            shown = {table.source for table in several} | {column.source for column in tables[kind].columns}
            tables[kind].columns.extend(
                _empty_column(facts, tables[kind], each) for each in relations if each not in shown
            )
    for table in tables.values():
        table.description = _described(facts, table)
        _tell_apart(facts, table)
    return [*tables.values(), *several]


def _relation_order(facts: Facts, relation: int) -> tuple[bool, bool, str]:
    name = facts.store.text(relation)
    return relation not in facts.lexicon.label_relations, not name.startswith(f"{INSIDE}end:"), name


def _names(facts: Facts, types: Sequence[str]) -> dict[str, str]:
    """A box name for each type: its last word, or more of it where two types have that word."""
    short = {name: facts.lexicon.word(name) if name != ENTITY else ENTITY for name in types}
    times = Counter(short.values())
    names: dict[str, str] = {}
    for name in types:
        stem = short[name] if times[short[name]] == 1 or name == ENTITY else facts.lexicon.word(name, levels=2)
        names[name] = box_name(stem, names.values())
        if times[short[name]] > 1 and name != ENTITY:
            facts.notes.append(
                Note("renamed", f"several types are called {short[name]!r}: this one is {name}", box=names[name])
            )
    return names


def _first_columns(facts: Facts, name: str, members: Sequence[int]) -> list[Column]:
    lexicon = facts.lexicon
    columns = [
        Column(f"{name}_id", Cells.ids([lexicon.shown_id(node) for node in members]), description="", targets=members),
    ]
    labels = [facts.labels.get(node) for node in members]
    if any(label is not None for label in labels):
        relations = {label.relation for label in labels if label is not None}
        source = facts.store.text(next(iter(relations))) if len(relations) == 1 and -1 not in relations else ""
        texts = [None if label is None else label.text for label in labels]
        columns.append(Column(f"{name}_label", Cells.labels(texts), source, _label_note(relations)))
    return columns


def _label_note(relations: set[int]) -> str:
    if relations == {-1}:
        return "made from the id: the graph gives no label"
    return "made from the id where the graph gives no label" if -1 in relations else ""


def _place(facts: Facts, relation: int, tables: dict[str, Table], homes: dict[str, frozenset[int]]) -> list[str]:
    """Add the relation's column to its boxes; return those in which some subject has several values."""
    by_subject = facts.relations[relation]
    domain = facts.lexicon.domain(facts.store.text(relation))
    if domain in homes and by_subject.keys() <= homes[domain]:
        chosen = [domain]
    else:
        chosen = list(dict.fromkeys(name for subject in by_subject for name in facts.types.get(subject, ())))
    kept = facts.preferred(relation)
    wide = [name for name in chosen if any(len(values) > 1 for node, values in kept.items() if node in homes[name])]
    for name in chosen:
        if name not in wide:
            tables[name].columns.extend(_columns(facts, relation, kept, tables[name].members, tables[name]))
    return wide


def _columns(
    facts: Facts, relation: int, kept: dict[int, list[int]], members: Sequence[int], table: Table
) -> Iterable[Column]:
    """The relation's column, and beside ids of entities their labels."""
    numbers = [kept[node][0] if kept.get(node) else -1 for node in members]
    name = facts.store.text(relation)
    label = facts.lexicon.word(name)
    if not _is_the_label(table, relation, facts, numbers):
        column = _column(facts, relation, numbers, label)
        yield column
        if column.targets and any(target in facts.labels for target in column.targets):
            labels = [facts.labels[n].text if n in facts.labels else None for n in column.targets]
            yield Column(f"{label}_label", Cells.labels(labels))


def _is_the_label(table: Table, relation: int, facts: Facts, numbers: Sequence[int]) -> bool:
    """Whether the relation would only repeat the label column."""
    if len(table.columns) < 2 or table.columns[1].source != facts.store.text(relation):
        return False
    return all(
        n < 0 or facts.store.text(n) == text for n, text in zip(numbers, table.columns[1].cells.values, strict=True)
    )


def _column(facts: Facts, relation: int, numbers: Sequence[int], label: str) -> Column:
    name = facts.store.text(relation)
    column = Column(
        label, cells_of(facts, numbers), name, _meaning(facts, relation), range=facts.lexicon.range(name) or ""
    )
    if any(n >= 0 and facts.store.kinds[n] != LITERAL for n in numbers):
        column.targets = [n if n >= 0 and facts.store.kinds[n] != LITERAL else -1 for n in numbers]
    return column


def _empty_column(facts: Facts, table: Table, relation: str) -> Column:
    return Column(facts.lexicon.word(relation), Cells([None] * len(table.members), "empty", ""), relation)


def _meaning(facts: Facts, relation: int) -> str:
    name = facts.store.text(relation)
    parts = [facts.lexicon.comment(name)]
    label = facts.lexicon.texts_of([name]).get(name, "")
    if label and snake(label) != facts.lexicon.word(name):
        parts.insert(0, label)
    parts.extend(
        f"holds {facts.lexicon.word(other)!r}, its inverse, too" for other in facts.inverse_names.get(relation, ())
    )
    return "; ".join(part for part in parts if part)


def _several_table(
    facts: Facts,
    relation: int,
    wide: Sequence[str],
    tables: dict[str, Table],
    homes: dict[str, frozenset[int]],
    taken: set[str],
) -> Table:
    """The two-column table of a relation: a subject and one of its values a row."""
    name = facts.store.text(relation)
    word = facts.lexicon.word(name)
    kept = facts.preferred(relation)
    inside = frozenset[int]().union(*(homes[home] for home in wide))
    pairs = [(node, value) for node in sorted(kept.keys() & inside, key=facts.lexicon.order) for value in kept[node]]
    home = min(wide, key=lambda each: (len({node for node, _ in pairs} - homes[each]), len(homes[each]), each))
    whole = all(node in homes[home] for node, _ in pairs)
    stem = f"{tables[home].name}_{word}" if whole else word
    first = Column(
        f"{tables[home].name}_id" if whole else "subject_id",
        Cells.ids([facts.lexicon.shown_id(node) for node, _ in pairs]),
        targets=[node for node, _ in pairs],
        range=home,
    )
    second = _column(facts, relation, [value for _, value in pairs], word)
    return Table(
        box_name(stem, taken),
        name,
        [first, second],
        description=f"{first.label.removesuffix('_id').replace('_', ' ')} and {word.replace('_', ' ')}, one pair a row",
        key=2,
    )


def _described(facts: Facts, table: Table) -> str:
    if table.source == ENTITY:
        return "entities of no known type"
    return facts.lexicon.comment(table.source)


def _tell_apart(facts: Facts, table: Table) -> None:
    """Columns of one label get more of their relations' names, and a note."""
    times = Counter(column.label for column in table.columns)
    short = {at: column.label for at, column in enumerate(table.columns) if times[column.label] > 1 and column.source}
    for at in short:
        column = table.columns[at]
        column.label = facts.lexicon.word(column.source, levels=2)
        beside = table.columns[at + 1] if at + 1 < len(table.columns) else None
        if beside is not None and beside.label == f"{short[at]}_label" and not beside.source:
            beside.label = f"{column.label}_label"
    labels = table.labels
    for at, label in short.items():
        what = f"several relations are called {label!r}: this one is {table.columns[at].source}"
        table.notes.append(Note("renamed", what, table.name, labels[at]))


def _outside(source: str) -> str:
    """A relation's or type's name as its source has it."""
    return source.rsplit(":", 1)[-1] if source.startswith(INSIDE) else source


def _examples(column: Column, at: int) -> tuple[object, ...]:
    """One of ids and of labels beside them, which stand elsewhere; two of texts; as many as are wanted of the rest."""
    cells = column.cells
    if cells.sort != "id" and cells.sort != "text":
        return ()
    stands_elsewhere = cells.sort == "id" or (at > 1 and not column.source)
    distinct = dict.fromkeys(value for value in cells.values if value is not None and value != "")
    return tuple(islice(distinct, 1 if stands_elsewhere else 2))


def boxes_of(
    facts: Facts,
    tables: Sequence[Table],
    content: str,
    state: Callable[[], str] | None = None,
    origin: Origin | None = None,
) -> tuple[list[Box], list[Note]]:
    """The boxes of ``tables``, with their rows, and what typing their values brought to light."""
    boxes: list[Box] = []
    notes: list[Note] = []
    for table in tables:
        labels = table.labels
        frame, found = frame_of(table, labels)
        notes.extend((*table.notes, *found))
        fields = tuple(
            Field(label, column.cells.type, _outside(column.source), column.description, _examples(column, at))
            for at, (label, column) in enumerate(zip(labels, table.columns, strict=True))
        )
        reader = GraphReader(frame, facts.lexicon.iris, facts.lexicon.ids, content, state, origin)
        boxes.append(
            Box(table.name, fields, reader, _outside(table.source), labels[: table.key], "graph", table.description)
        )
    return boxes, notes
