"""The SQL that Spider's first evaluation script can read, and the units that a query selects.

That script judges a query only where its own small grammar reads it: no alias of a column, no CAST, no constant, no
comma join, a space around each operator. What it cannot read is wrong. This reads exactly as much, and no more: words
as NLTK's tokenizer cuts them, clauses in that script's order, whatever follows the last clause ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["Schema", "Unit", "Unreadable", "read_select"]

_CLAUSES = frozenset({"select", "from", "where", "group", "order", "limit", "intersect", "union", "except"})
_JOINS = frozenset({"join", "on", "as"})
_COMPARISONS = frozenset({"not", "between", "=", ">", "<", ">=", "<=", "!=", "in", "like", "is", "exists"})
_ARITHMETIC = frozenset({"none", "-", "+", "*", "/"})
_AGGREGATES = frozenset({"none", "max", "min", "count", "sum", "avg"})
_SETS = frozenset({"intersect", "union", "except"})
_ENDS = frozenset({")", ";"})

#: What the tokenizer sets apart: brackets and marks always, commas and colons unless a digit follows.
_APART = re.compile(r"[;@#$%&?!\[\](){}<>]|--|[:,](?=\D|$)")

#: Table or aggregate, column id, as the script keys a column.
Column: TypeAlias = tuple[str, str]
#: One column, or an operator between two.
Unit: TypeAlias = Column | tuple[str, Column, Column]


class Unreadable(ValueError):
    """The script's grammar has no such query."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A database as the script sees it.

    Attributes:
        columns: The columns of each table, all in lower case.
        same: For columns tied by foreign keys, the one that stands for all, as ``table.column``.
    """

    columns: Mapping[str, Sequence[str]]
    same: Mapping[str, str] = field(default_factory=dict)


def tokens_of(sql: str) -> list[str]:
    """A query's tokens in lower case, quoted texts whole.

    >>> tokens_of("SELECT count(*) FROM t WHERE a >= 'X y'")
    ['select', 'count', '(', '*', ')', 'from', 't', 'where', 'a', '>=', '"X y"']
    """
    pieces = sql.replace("'", '"').split('"')
    if len(pieces) % 2 == 0:
        raise Unreadable("a quote is not closed")
    # Quoted texts stand in as words until the rest is cut up.
    texts = {f"__val_{at}__": f'"{pieces[at]}"' for at in range(1, len(pieces), 2)}
    joined = "".join(piece if at % 2 == 0 else f"__val_{at}__" for at, piece in enumerate(pieces))
    found: list[str] = []
    for word in _APART.sub(lambda mark: f" {mark[0]} ", joined).split():
        piece = texts.get(word, word.lower())
        if piece == "=" and found and found[-1] in ("!", ">", "<"):
            found[-1] += piece
        else:
            found.append(piece)
    return found


def read_select(sql: str, schema: Schema) -> list[Unit]:
    """What the outermost (first) SELECT selects, in order; the aggregate around a unit is no part of it.

    Raises:
        Unreadable: The grammar does not read the query.
    """
    tokens = tokens_of(sql)
    aliases: dict[str, str] = {}
    for at, word in enumerate(tokens):
        if word == "as":
            if at == 0 or at + 1 >= len(tokens):
                raise Unreadable("'as' without a name")
            aliases[tokens[at + 1]] = tokens[at - 1]
    for table in schema.columns:
        if table in aliases:
            raise Unreadable(f"the alias {table!r} is a table's name")
        aliases[table] = table
    try:
        return _Reader(tokens, aliases, schema).query()
    except (IndexError, KeyError, RecursionError) as error:
        raise Unreadable(f"{type(error).__name__}: {error}") from None


@dataclass(slots=True)
class _Reader:
    """Reads from ``at`` on; what it cannot read is `Unreadable`, or a missing token or name."""

    tokens: Sequence[str]
    aliases: Mapping[str, str]
    schema: Schema
    at: int = 0

    @property
    def more(self) -> bool:
        return self.at < len(self.tokens)

    def next_is(self, *words: str) -> bool:
        return self.more and self.tokens[self.at] in words

    def skip(self, word: str) -> bool:
        """Pass over a word, if it is next. A missing token is an error where one must come."""
        if self.tokens[self.at] != word:
            return False
        self.at += 1
        return True

    def expect(self, word: str) -> None:
        if not self.skip(word):
            raise Unreadable(f"{word!r} is expected, not {self.tokens[self.at]!r}")

    def query(self) -> list[Unit]:
        start = self.at
        bracketed = self.skip("(")
        begin = self.at
        # FROM comes first: it says which tables bare columns may be of.
        tables = self.tables(start)
        after, self.at = self.at, begin
        units = self.selected(tables)
        self.at = after
        self.conditions_after("where", tables)
        self.listed_after("group", lambda: self.column(tables))
        self.conditions_after("having", tables)
        self.listed_after("order", lambda: self.ordered(tables))
        if self.next_is("limit"):
            self.at += 2
            self.tokens[self.at - 1]
        self.pass_semicolons()
        if bracketed:
            self.expect(")")
        self.pass_semicolons()
        if self.next_is(*_SETS):
            self.at += 1
            self.query()
        return units

    def pass_semicolons(self) -> None:
        while self.next_is(";"):
            self.at += 1

    def tables(self, start: int) -> list[str]:
        """The tables of FROM, which bare columns may be of."""
        if "from" not in self.tokens[start:]:
            raise Unreadable("there is no FROM")
        self.at = list(self.tokens).index("from", start) + 1
        named: list[str] = []
        while self.more:
            bracketed = self.skip("(")
            if self.next_is("select"):
                self.query()
            else:
                if self.next_is("join"):
                    self.at += 1
                named.append(self.aliases[self.tokens[self.at]])
                self.schema.columns[named[-1]]
                self.at += 3 if self.tokens[self.at + 1 : self.at + 2] == ["as"] else 1
            if self.next_is("on"):
                self.at += 1
                self.conditions(named)
            if bracketed:
                self.expect(")")
            if self.next_is(*_CLAUSES, *_ENDS):
                break
        return named

    def selected(self, tables: Sequence[str]) -> list[Unit]:
        self.expect("select")
        if self.next_is("distinct"):
            self.at += 1
        units: list[Unit] = []
        while self.more and not self.next_is(*_CLAUSES):
            if self.next_is(*_AGGREGATES):
                self.at += 1
            units.append(self.merged(self.unit(tables), tables))
            if self.next_is(","):
                self.at += 1
        return units

    def merged(self, unit: Unit, tables: Sequence[str]) -> Unit:
        """The unit with columns of this FROM that foreign keys tie replaced by the one that stands for all."""

        def one(column: Column) -> Column:
            aggregate, name = column
            return (aggregate, self.schema.same.get(name, name) if name.split(".")[0] in tables else name)

        if len(unit) == 2:
            return one(unit)
        return (unit[0], one(unit[1]), one(unit[2]))

    def unit(self, tables: Sequence[str]) -> Unit:
        bracketed = self.skip("(")
        found: Unit = self.column(tables)
        if self.next_is(*_ARITHMETIC):
            operator = self.tokens[self.at]
            self.at += 1
            found = (operator, found, self.column(tables))  # type: ignore[assignment]  # a unit of two columns
        if bracketed:
            self.expect(")")
        return found

    def column(self, tables: Sequence[str]) -> Column:
        bracketed = self.skip("(")
        if self.tokens[self.at] in _AGGREGATES:
            aggregate = self.tokens[self.at]
            self.at += 1
            self.expect("(")
            self.skip("distinct")
            name = self.name(tables)
            self.expect(")")
            return aggregate, name  # a bracket around it stays open, as in the script
        self.skip("distinct")
        name = self.name(tables)
        if bracketed:
            self.expect(")")
        return "none", name

    def name(self, tables: Sequence[str]) -> str:
        word = self.tokens[self.at]
        self.at += 1
        if word == "*":
            return word
        if "." in word:
            parts = word.split(".")
            if len(parts) != 2:
                raise Unreadable(f"{word!r} is no column")
            table, column = self.aliases[parts[0]], parts[1]
            if column in self.schema.columns[table]:
                return f"{table}.{column}"
        else:
            for table in tables:
                if word in self.schema.columns[table]:
                    return f"{table}.{word}"
        raise Unreadable(f"{word!r} is no column")

    def ordered(self, tables: Sequence[str]) -> None:
        self.unit(tables)
        if self.next_is("asc", "desc"):
            self.at += 1

    def listed_after(self, clause: str, item: Callable[[], object]) -> None:
        if not self.next_is(clause):
            return
        self.at += 1
        self.expect("by")
        while self.more and not self.next_is(*_CLAUSES, *_ENDS):
            item()
            if not self.next_is(","):
                break
            self.at += 1

    def conditions_after(self, clause: str, tables: Sequence[str]) -> None:
        if self.next_is(clause):
            self.at += 1
            self.conditions(tables)

    def conditions(self, tables: Sequence[str]) -> None:
        while self.more:
            self.unit(tables)
            self.skip("not")
            if not self.next_is(*_COMPARISONS):
                raise Unreadable("a comparison is expected")
            between = self.tokens[self.at] == "between"
            self.at += 1
            self.value(tables)
            if between:
                self.expect("and")
                self.value(tables)
            if self.next_is(*_CLAUSES, *_ENDS, *_JOINS):
                break
            if self.next_is("and", "or"):
                self.at += 1

    def value(self, tables: Sequence[str]) -> None:
        start = self.at
        bracketed = self.skip("(")
        if self.tokens[self.at] == "select":
            self.query()
        elif '"' in self.tokens[self.at] or _is_number(self.tokens[self.at]):
            self.at += 1
        else:
            self.column_value(tables, start)
        if bracketed:
            self.expect(")")

    def column_value(self, tables: Sequence[str], start: int) -> None:
        """A column as a value: it must begin what stands before the next mark; the rest of that is passed over."""
        end = self.at
        while end < len(self.tokens) and not (
            self.tokens[end] in (",", ")", "and") or self.tokens[end] in _CLAUSES or self.tokens[end] in _JOINS
        ):
            end += 1
        _Reader(self.tokens[start:end], self.aliases, self.schema).column(tables)
        self.at = end


def _is_number(token: str) -> bool:
    try:
        float(token)
    except ValueError:
        return False
    return True
