"""Random small databases and random queries over them, from a seed."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

TABLES = {
    "t": {"id": "INTEGER PRIMARY KEY", "a": "INTEGER", "b": "TEXT", "c": "REAL", "u_id": "INTEGER", "day": "DATE"},
    "u": {"id": "INTEGER PRIMARY KEY", "a": "INTEGER", "name": "VARCHAR(10)", "m": "INTEGER", "amt": "DECIMAL(8, 2)"},
    "v": {"k": "TEXT", "n": "INTEGER", "x": "REAL", "code": "VARCHAR(5)"},
}
KINDS = {
    "t": {"id": "number", "a": "number", "b": "text", "c": "number", "u_id": "number", "day": "date"},
    "u": {"id": "number", "a": "number", "name": "text", "m": "mixed", "amt": "number"},
    "v": {"k": "text", "n": "number", "x": "number", "code": "digits"},
}
WORDS = ["ann", "Bob", "bob", "cy", "", "a%b", "x_y", "Zed"]
DAYS = ["2019-01-05", "2019-12-31", "2020-02-29", "2021-07-01"]


def database(seed: int) -> sqlite3.Connection:
    """Three tables with doubles, ties, NULLs and mixed cells."""
    rng = random.Random(seed)
    connection = sqlite3.connect(":memory:")
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
        for row in range(1, rng.choice([0, 3, 6, 8]) + 1):
            values = [row if name == "id" else _cell(rng, KINDS[table][name]) for name in columns]
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
    connection.commit()
    return connection


def _cell(rng: random.Random, kind: str) -> Any:
    if rng.random() < 0.2:
        return None
    if kind == "number":
        return rng.choice([-2, 0, 1, 2, 3, 3, 7, 2.5])
    if kind == "text":
        return rng.choice(WORDS)
    if kind == "date":
        return rng.choice(DAYS)
    if kind == "digits":
        return str(rng.choice([1, 2, 3, 12]))
    return rng.choice([1, 2, 5, "", "n/a"])


class Queries:
    """Writes queries from a seed."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.aliases = 0

    def query(self) -> str:
        """One query."""
        pick = self.rng.random()
        if pick < 0.1:
            kind = self.rng.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"])
            kinds = self.rng.choices(["number", "text"], k=self.rng.choice([1, 2]))
            return f"{self._simple(kinds)} {kind} {self._simple(kinds)}"
        if pick < 0.2:
            inner = self._grouped() if self.rng.random() < 0.5 else self._simple(["number", "text"], named=True)
            if inner.startswith("SELECT g.") or " AS p" not in inner:
                return inner
            return f"WITH w AS ({inner}) SELECT p1, p2 FROM w WHERE p1 IS NOT NULL OR p2 > 1 ORDER BY p1, p2"
        if pick < 0.45:
            return self._grouped()
        if pick < 0.55:
            return self._windowed()
        return self._plain()

    def _source(self) -> tuple[str, list[tuple[str, str]]]:
        """FROM, and the columns that it offers: (name, kind)."""
        rng = self.rng
        self.aliases += 1
        table = rng.choice(list(TABLES))
        first = f"{table}{self.aliases}"
        columns = [(f"{first}.{name}", kind) for name, kind in KINDS[table].items()]
        text = f"{table} AS {first}"
        if rng.random() < 0.4:
            self.aliases += 1
            other = rng.choice(list(TABLES))
            second = f"{other}{self.aliases}"
            more = [(f"{second}.{name}", kind) for name, kind in KINDS[other].items()]
            kind = rng.choice(["number", "text"])
            left, right = self._one(columns, kind), self._one(more, kind)
            join = rng.choice(["JOIN", "JOIN", "LEFT JOIN", ","])
            on = f"{left} = {right}"
            if join == ",":
                return f"{text}, {other} AS {second} WHERE {on}", columns + more
            if join == "JOIN" and rng.random() < 0.2:
                on += f" AND {self._one(columns, 'number')} < {self._one(more, 'number')}"
            return f"{text} {join} {other} AS {second} ON {on}", columns + more
        return text, columns

    def _one(self, columns: list[tuple[str, str]], kind: str) -> str:
        fitting = [name for name, own in columns if own == kind]
        return self.rng.choice(fitting or [name for name, _ in columns])

    def _where(self, source: str, columns: list[tuple[str, str]]) -> str:
        if self.rng.random() < 0.3:
            return source
        condition = self.condition(columns)
        return f"{source} AND ({condition})" if " WHERE " in source else f"{source} WHERE {condition}"

    def condition(self, columns: list[tuple[str, str]], depth: int = 0) -> str:
        """A condition over the columns."""
        rng = self.rng
        pick = rng.random()
        if depth < 2 and pick < 0.25:
            word = rng.choice([" AND ", " OR "])
            return word.join(f"({self.condition(columns, depth + 1)})" for _ in range(2))
        if depth < 2 and pick < 0.32:
            return f"NOT ({self.condition(columns, depth + 1)})"
        if depth < 2 and pick < 0.5:
            return self._subquery_condition(columns)
        number, text = self._one(columns, "number"), self._one(columns, "text")
        sign = rng.choice(["=", "<>", "<", "<=", ">", ">="])
        return rng.choice(
            [
                f"{number} {sign} {rng.choice([0, 1, 2, 3, 2.5])}",
                f"{number} {sign} {number if depth == 2 else self.number(columns)}",
                f"{text} {sign} '{rng.choice(['ann', 'bob', 'B'])}'",
                f"{text} LIKE '{rng.choice(['b%', '%o%', '%b', 'a_n', '%', '', 'bob'])}'",
                f"{text} NOT LIKE '%{rng.choice('aob')}%'",
                f"{rng.choice([number, text])} IS {rng.choice(['', 'NOT '])}NULL",
                f"{number} {rng.choice(['', 'NOT '])}BETWEEN 1 AND 3",
                f"{number} {rng.choice(['', 'NOT '])}IN (1, 3, {rng.choice(['7', 'NULL', '2.5'])})",
                f"{text} {rng.choice(['', 'NOT '])}IN ('ann', 'bob')",
                f"{self._one(columns, 'mixed')} {sign} 2",
                f"{self._one(columns, 'digits')} {sign} {rng.choice([2, '2', 3])}",
                f"{self._one(columns, 'date')} {sign} '2020-01-01'",
            ]
        )

    def _subquery_condition(self, columns: list[tuple[str, str]]) -> str:
        rng = self.rng
        source, own = self._source()
        number, kind = self._one(columns, "number"), rng.choice(["number", "text"])
        source = self._where_flat(source, own)
        pick = rng.random()
        if pick < 0.3:
            word = rng.choice(["IN", "NOT IN"])
            return f"{self._one(columns, kind)} {word} (SELECT {self._one(own, kind)} FROM {source})"
        if pick < 0.55:
            function = rng.choice(["MAX", "MIN", "AVG", "COUNT", "SUM"])
            return (
                f"{number} {rng.choice(['<', '>=', '='])} (SELECT {function}({self._one(own, 'number')}) FROM {source})"
            )
        tie = f"{self._one(own, kind)} = {self._one(columns, kind)}"
        if rng.random() < 0.2:
            tie = f"{self._one(own, 'number')} > {number}"
        tied = f"{source} AND {tie}" if " WHERE " in source else f"{source} WHERE {tie}"
        if pick < 0.8:
            return f"{rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {tied})"
        value = rng.choice(["COUNT(*)", "SUM(1)", f"MAX({self._one(own, 'number')})"])
        return f"{number} > (SELECT {value} FROM {tied})"

    def _where_flat(self, source: str, columns: list[tuple[str, str]]) -> str:
        if self.rng.random() < 0.5:
            return source
        condition = self.condition(columns, depth=2)
        return f"{source} AND ({condition})" if " WHERE " in source else f"{source} WHERE ({condition})"

    def number(self, columns: list[tuple[str, str]]) -> str:
        """A number computed from the columns."""
        rng = self.rng
        a, b = self._one(columns, "number"), self._one(columns, "number")
        text = self._one(columns, "text")
        return rng.choice(
            [
                a,
                f"{a} + {b}",
                f"{a} - {b} * 2",
                f"{a} / {rng.choice([2, 2.0, b])}",
                f"-{a}",
                f"ABS({a})",
                f"LENGTH({text})",
                f"COALESCE({a}, {rng.choice(['0', b])})",
                f"CASE WHEN {self.condition(columns, 2)} THEN {a} ELSE {rng.choice(['0', b, 'NULL'])} END",
                f"CAST({a} AS INTEGER)",
                f"ROUND({a}, 1)",
                f"IIF({a} > 1, 1, 0)",
                f"NULLIF({a}, 3)",
                f"{self._one(columns, 'digits')} + 1",
                f"{a} % 2",
            ]
        )

    def text(self, columns: list[tuple[str, str]]) -> str:
        """A text computed from the columns."""
        rng = self.rng
        text, day = self._one(columns, "text"), self._one(columns, "date")
        return rng.choice(
            [
                text,
                f"UPPER({text})",
                f"SUBSTR({text}, 1, 2)",
                f"SUBSTR({text}, -2)",
                f"{text} || '-' || {self._one(columns, 'text')}",
                f"REPLACE({text}, 'b', 'p')",
                f"COALESCE({text}, 'none')",
                f"CASE {text} WHEN 'ann' THEN 'A' WHEN 'bob' THEN 'B' END",
                f"TRIM({text})",
                f"STRFTIME('%Y', {day})" if day.endswith("day") else text,
            ]
        )

    def _simple(self, kinds: list[str], named: bool = False) -> str:
        source, columns = self._source()
        values = [self.number(columns) if kind == "number" else self.text(columns) for kind in kinds]
        shown = [f"{value} AS p{at}" if named else value for at, value in enumerate(values, start=1)]
        return f"SELECT {', '.join(shown)} FROM {self._where(source, columns)}"

    def _plain(self) -> str:
        rng = self.rng
        source, columns = self._source()
        source = self._where(source, columns)
        if rng.random() < 0.2:
            functions = [
                "COUNT(*)",
                "COUNT({0})",
                "SUM({0})",
                "AVG({0})",
                "MIN({1})",
                "MAX({0})",
                "COUNT(DISTINCT {1})",
            ]
            chosen = rng.sample(functions, rng.choice([1, 2, 3]))
            values = [each.format(self._one(columns, "number"), self._one(columns, "text")) for each in chosen]
            return f"SELECT {', '.join(values)} FROM {source}"
        values = [self.number(columns), self.text(columns), self._one(columns, "mixed")][: rng.choice([1, 2, 3])]
        distinct = "DISTINCT " if rng.random() < 0.25 else ""
        order = ", ".join(f"{at}{rng.choice(['', ' DESC'])}" for at in range(1, len(values) + 1))
        limit = rng.choice(["", " LIMIT 2", " LIMIT 3 OFFSET 1"]) if rng.random() < 0.6 else None
        tail = "" if limit is None else f" ORDER BY {order}{limit}"
        return f"SELECT {distinct}{', '.join(values)} FROM {source}{tail}"

    def _grouped(self) -> str:
        rng = self.rng
        source, columns = self._source()
        key = self._one(columns, rng.choice(["number", "text"]))
        functions = ["COUNT(*)", "COUNT({0})", "SUM({0})", "AVG({0})", "MIN({1})", "MAX({1})", "MAX({0})"]
        functions += ["COUNT(DISTINCT {0})", "SUM(CASE WHEN {0} > 1 THEN 1 ELSE 0 END)", "SUM({0} * 2)", "TOTAL({0})"]
        chosen = rng.sample(functions, rng.choice([1, 2]))
        values = [each.format(self._one(columns, "number"), self._one(columns, "text")) for each in chosen]
        having = (
            f" HAVING {values[0]} {rng.choice(['>', '<='])} 1" if rng.random() < 0.3 and "MIN" not in values[0] else ""
        )
        shown = ", ".join(f"{value} AS p{at}" for at, value in enumerate([key, *values], start=1))
        order = f" ORDER BY 2 {rng.choice(['', 'DESC'])}, 1" if rng.random() < 0.4 else ""
        return f"SELECT {shown} FROM {self._where(source, columns)} GROUP BY {key}{having}{order}"

    def _windowed(self) -> str:
        rng = self.rng
        source, columns = self._source()
        a, key = self._one(columns, "number"), self._one(columns, "text")
        partition = f"PARTITION BY {key} " if rng.random() < 0.6 else ""
        function = rng.choice(["RANK()", "DENSE_RANK()", f"SUM({a})", "COUNT(*)", f"AVG({a})", f"MAX({a})"])
        order = f"ORDER BY {a} {rng.choice(['', 'DESC'])}" if "RANK" in function or rng.random() < 0.4 else ""
        return f"SELECT {key}, {a}, {function} OVER ({partition}{order}) FROM {self._where(source, columns)}"
