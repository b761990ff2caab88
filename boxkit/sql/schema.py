"""A BoxSet as SQL sees it: tables with types, keys, descriptions, true values and categories."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from boxkit.box import Box, BoxSet, Field, ForeignKey
from boxkit.boxcode import estimate_tokens, literal
from boxkit.canonical import plain

__all__ = ["schema_text"]

#: A field of so few distinct values among a box's first rows is shown with all of them.
MAX_CATEGORIES = 8

_SQL_TYPES = {
    "integer": "INTEGER",
    "number": "REAL",
    "text": "TEXT",
    "boolean": "BOOLEAN",
    "bytes": "BLOB",
    "datetime": "TIMESTAMP",
}

#: Words that an engine reads as its own where they are not quoted (those that name things now and then).
_RESERVED = frozenset(
    "ALL ANALYZE AND ANY AS ASC AT BETWEEN BOTH BY CASE CAST CHECK COLLATE COLUMN CONSTRAINT CREATE CROSS"
    " CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEFAULT DELETE DESC DISTINCT DROP ELSE END EXCEPT"
    " EXISTS FALSE FETCH FOR FOREIGN FROM FULL GRANT GROUP HAVING IN INDEX INNER INSERT INTERSECT INTERVAL INTO IS JOIN"
    " KEY LEFT LIKE LIMIT NATURAL NOT NULL OFFSET ON OR ORDER OUTER PRIMARY RANGE RANK REFERENCES RIGHT ROW ROWS"
    " SELECT SESSION_USER SET SOME TABLE THEN TO TRUE UNION UNIQUE UPDATE USER USING VALUES WHEN WHERE"
    " WINDOW WITH".split()
)


def schema_text(
    boxes: BoxSet,
    *,
    native: bool,
    samples: int = 3,
    budget: int | None = None,
    as_text: Mapping[str, Collection[str]] | None = None,
    renamed: Mapping[str, Mapping[str, str]] | None = None,
    dialect: str = "sqlite",
) -> str:
    """``CREATE TABLE`` statements with comments.

    Args:
        boxes: To be described.
        native: Whether to use the source's names, or the boxes' and fields'.
        samples: Example values a column.
        budget: At most this many tokens (estimated); example values go first, and what is left out is said.
        as_text: By box, the fields that the engine holds as text although they are of other types.
        renamed: By box, the table's name under ``""`` and the columns' by label, in place of all others.
        dialect: sqlglot's name of the engine's dialect, for its quotes.
    """
    if as_text:
        boxes = boxes.map_boxes(lambda box: _with_text(box, as_text.get(box.name, ())))
    if renamed:
        boxes, native = boxes.map_boxes(lambda box: _renamed(box, renamed[box.name])), True
    names = _Names(native, dialect)
    text = _all(boxes, names, samples)
    if budget is None or estimate_tokens(text) <= budget:
        return text
    for fewer in range(samples - 1, -1, -1):
        text = _all(boxes, names, fewer)
        if estimate_tokens(text) <= budget:
            break
    return f"{text}\n-- example values left out to save space"


@dataclass(frozen=True, slots=True)
class _Names:
    """How a schema spells names: so that a query that copies them is read as meant.

    Attributes:
        native: Whether by the source's names.
        dialect: sqlglot's name of the engine's dialect.
    """

    native: bool
    dialect: str

    def table(self, box: Box) -> str:
        """A table's name, after its schema's where the server needs that."""
        table = getattr(box.reader, "table", None)
        schema, name = getattr(table, "schema", ""), getattr(table, "name", "")
        if self.native and schema and box.source_name == f"{schema}.{name}":
            return f"{self.quoted(schema)}.{self.quoted(name)}"
        return self.quoted(box.source_name if self.native else box.name)

    def column(self, each: Field) -> str:
        """A column's name."""
        return self.quoted(each.source_name if self.native else each.label)

    def columns(self, box: Box, labels: Sequence[str]) -> str:
        """Names of a box's columns, with commas between."""
        return ", ".join(self.column(box.field(label)) for label in labels)

    def quoted(self, name: str) -> str:
        """A name as the dialect reads it: in MySQL double quotes are a text's, PostgreSQL makes letters small."""
        folded = self.dialect == "postgres" and name != name.lower()
        if name.isidentifier() and name.isascii() and not folded and name.upper() not in _RESERVED:
            return name
        mark = "`" if self.dialect == "mysql" else '"'
        return mark + name.replace(mark, mark * 2) + mark


def _all(boxes: BoxSet, names: _Names, samples: int) -> str:
    return "\n\n".join(_table(box, boxes, names, samples) for box in boxes.values())


def _with_text(box: Box, labels: Collection[str]) -> Box:
    said = "text, cells of several types"
    return replace(box, fields=tuple(replace(each, type=said) if each.label in labels else each for each in box.fields))


def _renamed(box: Box, names: Mapping[str, str]) -> Box:
    fields = tuple(replace(each, source_name=names[each.label]) for each in box.fields)
    return replace(box, source_name=names[""], fields=fields)


def _table(box: Box, boxes: BoxSet, names: _Names, samples: int) -> str:
    lines = [_column(each, box, names, samples) for each in box.fields]
    lines += [(text, "") for text in _keys(box, boxes, names)]
    # A comment stands behind its comma, so that each line is SQL.
    body = "\n".join(
        f"  {text}{',' if at < len(lines) - 1 else ''}" + (f"  -- {comment}" if comment else "")
        for at, (text, comment) in enumerate(lines)
    )
    head = f"-- {' '.join(box.description.split())}\n" if box.description else ""
    return f"{head}CREATE TABLE {names.table(box)} (\n{body}\n);"


def _column(each: Field, box: Box, names: _Names, samples: int) -> tuple[str, str]:
    kind = _SQL_TYPES.get(each.type.split(",")[0], "")
    facts = [part for part in (each.type.partition(", ")[2], " ".join(each.description.split())) if part]
    if samples and each.label in box.head.columns:
        present = [value for value in map(plain, box.head[each.label]) if value not in (None, "")]
        values = list({repr(value): value for value in present}.values())
        is_category = kind == "TEXT" and len(values) <= MAX_CATEGORIES and len(present) > 2 * len(values)
        shown = values if is_category else values[:samples]
        if shown:
            facts.append(("one of " if is_category else "e.g. ") + ", ".join(map(literal, shown)))
    return f"{names.column(each)} {kind}".strip(), "; ".join(facts)


def _keys(box: Box, boxes: BoxSet, names: _Names) -> Iterator[str]:
    if box.primary_key:
        yield f"PRIMARY KEY ({names.columns(box, box.primary_key)})"
    for key in boxes.foreign_keys:
        if key.box == box.name and key.parent in boxes:
            yield _reference(key, boxes, names)


def _reference(key: ForeignKey, boxes: BoxSet, names: _Names) -> str:
    parent = boxes[key.parent]
    own, theirs = names.columns(boxes[key.box], key.fields), names.columns(parent, key.parent_fields)
    return f"FOREIGN KEY ({own}) REFERENCES {names.table(parent)} ({theirs})"
