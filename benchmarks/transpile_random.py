"""Random queries over real databases: whatever `sql_to_pandas` writes must give the rows that SQLite gives.

    python benchmarks/transpile_random.py --count 200 --seed 1 shop.sqlite other.sqlite

Queries follow the database's own foreign keys and take their constants from its cells. A refusal is fine; each wrong
answer is printed with its query and its code, and ends the run with exit code 1.
"""

from __future__ import annotations

import argparse
import random
import sys
import warnings
from collections import Counter
from pathlib import Path

from transpile import verdict
from transpile_tables import Column, Table, literal, quoted, tables_of

import boxkit


class Queries:
    """Writes queries over tables, from a seed."""

    def __init__(self, tables: dict[str, Table], seed: int) -> None:
        self.rng = random.Random(seed)
        self.tables = tables
        self.aliases = 0

    def query(self) -> str:
        """One query."""
        writers = [self._plain] * 5 + [self._grouped] * 4 + [self._combined, self._common, self._windowed, self._whole]
        return self.rng.choice(writers)()

    # ------------------------------------------------------------------ FROM and WHERE

    def source(self, most: int = 3) -> tuple[str, list[Column]]:
        """FROM without its keyword, and the columns that it offers."""
        rng = self.rng
        table = rng.choice(list(self.tables.values()))
        text, columns = self._aliased(table)
        reachable = {text.split(" AS ")[1]: table}
        for _ in range(rng.choice([0, 0, 1, 1, 2])):
            steps = [
                (alias, link) for alias, each in reachable.items() for link in each.links if link[1] in self.tables
            ]
            if not steps or len(reachable) >= most:
                break
            alias, (own, other, theirs) = rng.choice(steps)
            piece, more = self._aliased(self.tables[other])
            new = piece.split(" AS ")[1]
            kind = rng.choice(["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "INNER JOIN"])
            condition = f"{alias}.{quoted(own)} = {new}.{quoted(theirs)}"
            if own == theirs and len(reachable) == 1 and rng.random() < 0.2:
                text = f"{text} {kind} {piece} USING ({quoted(own)})"
                more = [each for each in more if each.written != f"{new}.{quoted(own)}"]
            else:
                if rng.random() < 0.15:
                    condition += f" AND {self.condition(more, 2)}"
                text = f"{text} {kind} {piece} ON {condition}"
            columns += more
            reachable[new] = self.tables[other]
        return text, columns

    def _aliased(self, table: Table) -> tuple[str, list[Column]]:
        self.aliases += 1
        alias = f"t{self.aliases}"
        columns = [Column(f"{alias}.{quoted(name)}", each.kind, each.cells) for name, each in table.columns.items()]
        return f"{quoted(table.name)} AS {alias}", columns

    def one(self, columns: list[Column], kind: str = "") -> Column:
        """One of the columns, of that kind where there is one."""
        fitting = [each for each in columns if each.kind == kind]
        return self.rng.choice(fitting or columns)

    def cell(self, column: Column) -> object:
        """One of its cells."""
        return self.rng.choice(column.cells)

    def where(self, source: str, columns: list[Column]) -> str:
        """FROM and, mostly, WHERE."""
        return source if self.rng.random() < 0.35 else f"{source} WHERE {self.condition(columns)}"

    def condition(self, columns: list[Column], depth: int = 0) -> str:
        """A condition over the columns."""
        rng = self.rng
        pick = rng.random()
        if depth < 2 and pick < 0.2:
            return rng.choice([" AND ", " OR "]).join(f"({self.condition(columns, depth + 1)})" for _ in range(2))
        if depth < 2 and pick < 0.27:
            return f"NOT ({self.condition(columns, depth + 1)})"
        if depth < 2 and pick < 0.45:
            return self._nested(columns)
        column, other = self.one(columns), self.one(columns)
        name, value = column.written, self.cell(column)
        sign = rng.choice(["=", "<>", "<", "<=", ">", ">=", "!=", "=="])
        no = rng.choice(["", "NOT "])
        number, text = self.one(columns, "number").written, self.one(columns, "text")
        last = rng.choice(["NULL", "1", "'x'"])
        piece = str(self.cell(text) or "a")
        start = rng.randrange(max(len(piece) - 1, 1))
        piece = piece[start : start + 3].replace("'", "")
        return rng.choice(
            [
                f"{name} {sign} {literal(value)}",
                f"{name} {sign} {literal(value)}",
                f"{name} {sign} {literal(str(value))}",
                f"{literal(value)} {sign} {name}",
                f"{name} {sign} {other.written}",
                f"{number} {sign} {self.number(columns, depth + 1)}",
                f"{name} IS {no}NULL",
                f"{name} IS {no}{literal(value)}",
                f"{name} {no}BETWEEN {literal(value)} AND {literal(self.cell(column))}",
                f"{name} {no}BETWEEN {literal(str(value))} AND {literal(str(self.cell(column)))}",
                f"{name} {no}IN ({literal(value)}, {literal(self.cell(column))}, {last})",
                f"{name} {no}IN ({literal(str(value))}, {literal(self.cell(column))})",
                f"{text.written} {no}LIKE '%{piece}%'",
                f"{name} {no}LIKE '{piece}%'",
                f"{text.written} {no}LIKE '_{piece}%'",
                f"{text.written} GLOB '*{piece}*'",
                f"LENGTH({text.written}) {sign} {rng.choice([3, 5, 8])}",
                f"{text.written} = {literal(str(self.cell(text)).upper())} COLLATE NOCASE",
                f"({name} {sign} {literal(value)}) = ({number} > 1)",
                f"COALESCE({name}, {literal(value)}) {sign} {literal(self.cell(column))}",
            ]
        )

    def _nested(self, columns: list[Column]) -> str:
        rng = self.rng
        source, own = self.source(2)
        kind = rng.choice(["number", "text"])
        pick = rng.random()
        if pick < 0.3:
            outer, inner = self.one(columns, kind).written, self.one(own, kind).written
            return f"{outer} {rng.choice(['IN', 'NOT IN'])} (SELECT {inner} FROM {self._flat(source, own)})"
        if pick < 0.55:
            function = rng.choice(["MAX", "MIN", "AVG", "COUNT", "SUM"])
            value = f"{function}({self.one(own, 'number').written})"
            left = self.one(columns, "number").written
            return f"{left} {rng.choice(['<', '>=', '='])} (SELECT {value} FROM {self._flat(source, own)})"
        outer, inner = self._tied(columns, own, kind)
        flat = self._flat(source, own)
        tied = f"{flat}{' AND' if ' WHERE ' in flat else ' WHERE'} {inner.written} = {outer.written}"
        if pick < 0.8:
            return f"{rng.choice(['', 'NOT '])}EXISTS (SELECT 1 FROM {tied})"
        value = rng.choice(
            ["COUNT(*)", f"MAX({self.one(own, 'number').written})", f"AVG({self.one(own, 'number').written})"]
        )
        return f"{self.one(columns, 'number').written} {rng.choice(['<', '>', '<='])} (SELECT {value} FROM {tied})"

    def _tied(self, columns: list[Column], own: list[Column], kind: str) -> tuple[Column, Column]:
        for outer in self.rng.sample(columns, len(columns)):
            for inner in own:
                if outer.written.split(".")[1] == inner.written.split(".")[1]:
                    return outer, inner
        return self.one(columns, kind), self.one(own, kind)

    def _flat(self, source: str, columns: list[Column]) -> str:
        return source if self.rng.random() < 0.5 else f"{source} WHERE ({self.condition(columns, 2)})"

    # ------------------------------------------------------------------ values

    def number(self, columns: list[Column], depth: int = 0) -> str:
        """A number computed from the columns."""
        rng = self.rng
        a, b = self.one(columns, "number").written, self.one(columns, "number").written
        text, day = self.one(columns, "text").written, self.one(columns, "date")
        choices = [
            a,
            f"{a} + {b}",
            f"{a} - {b} * 2",
            f"{a} / {rng.choice(['2', '2.0', '3', b])}",
            f"{a} * 1.0 / {b}",
            f"-{a}",
            f"ABS({a} - {b})",
            f"LENGTH({text})",
            f"COALESCE({a}, {rng.choice(['0', '1.5', b])})",
            f"IFNULL({a}, 0)",
            f"CAST({rng.choice([a, text])} AS {rng.choice(['INTEGER', 'REAL', 'INT', 'FLOAT'])})",
            f"ROUND({a}, {rng.choice([0, 1, 2])})",
            f"ROUND({a} / 3.0, 2)",
            f"NULLIF({a}, {literal(self.cell(self.one(columns, 'number')))})",
            f"{text} + 1",
            f"{a} % {rng.choice([2, 7])}",
            f"INSTR({text}, 'a')",
            f"({a} > {b})",
            f"({text} IS NULL)",
            f"MAX({a}, {b})",
        ]
        if day.kind == "date":
            choices += [
                f"CAST(STRFTIME('%Y', {day.written}) AS INTEGER)",
                f"STRFTIME('%m', {day.written}) + 0",
                f"JULIANDAY({day.written}) - JULIANDAY('2000-01-01')",
            ]
        if depth < 2:
            choices += [
                f"CASE WHEN {self.condition(columns, 2)} THEN {a} ELSE {rng.choice(['0', b, 'NULL'])} END",
                f"IIF({self.condition(columns, 2)}, 1, 0)",
            ]
        return rng.choice(choices)

    def text(self, columns: list[Column]) -> str:
        """A text computed from the columns."""
        rng = self.rng
        text, day = self.one(columns, "text").written, self.one(columns, "date")
        other = self.one(columns).written
        choices = [
            text,
            text,
            other,
            f"UPPER({text})",
            f"LOWER({text})",
            f"SUBSTR({text}, {rng.choice(['1, 2', '2', '-2', '0, 3', '2, 1', '-3, 2'])})",
            f"{text} || ' ' || {other}",
            f"REPLACE({text}, 'a', 'o')",
            f"COALESCE({text}, 'none')",
            f"CASE {text} WHEN {literal(self.cell(self.one(columns, 'text')))} THEN 'A' ELSE 'B' END",
            f"TRIM({text})",
            f"CAST({other} AS TEXT)",
            f"NULLIF({text}, '')",
        ]
        if day.kind == "date":
            choices += [f"STRFTIME('{rng.choice(['%Y', '%m', '%d', '%Y-%m', '%w', '%j'])}', {day.written})"]
            choices += [
                f"DATE({day.written}, '{rng.choice(['+1 day', '-10 days', '+1 month', '-2 years', 'start of month'])}')"
            ]
        return rng.choice(choices)

    def aggregate(self, columns: list[Column]) -> str:
        """A value of many rows."""
        number, text = self.one(columns, "number").written, self.one(columns, "text").written
        any_ = self.one(columns).written
        return self.rng.choice(
            [
                "COUNT(*)",
                f"COUNT({any_})",
                f"COUNT(DISTINCT {any_})",
                f"SUM({number})",
                f"AVG({number})",
                f"MIN({any_})",
                f"MAX({any_})",
                f"TOTAL({number})",
                f"SUM({self.number(columns)})",
                f"AVG({self.number(columns)})",
                f"SUM(CASE WHEN {self.condition(columns, 2)} THEN 1 ELSE 0 END)",
                f"MAX({number}) - MIN({number})",
                f"SUM({number}) * 1.0 / COUNT(*)",
                f"ROUND(AVG({number}), 2)",
                f"SUM(DISTINCT {number})",
                f"MAX(LENGTH({text}))",
                f"COUNT(*) FILTER (WHERE {self.condition(columns, 2)})",
                f"SUM({number} > {literal(self.cell(self.one(columns, 'number')))})",
            ]
        )

    # ------------------------------------------------------------------ queries

    def _simple(self, kinds: list[str], named: bool = False) -> str:
        source, columns = self.source()
        values = [self.number(columns) if kind == "number" else self.text(columns) for kind in kinds]
        shown = [f"{value} AS p{at}" if named else value for at, value in enumerate(values, start=1)]
        return f"SELECT {', '.join(shown)} FROM {self.where(source, columns)}"

    def _plain(self) -> str:
        rng = self.rng
        source, columns = self.source()
        values = [rng.choice([self.number, self.text])(columns) for _ in range(rng.choice([1, 2, 3]))]
        distinct = "DISTINCT " if rng.random() < 0.25 else ""
        return f"SELECT {distinct}{', '.join(values)} FROM {self.where(source, columns)}{self._tail(len(values))}"

    def _tail(self, width: int) -> str:
        rng = self.rng
        if rng.random() < 0.4:
            return ""
        places = rng.choice(["", "", "", " NULLS LAST", " NULLS FIRST"])
        order = ", ".join(f"{at}{rng.choice(['', ' DESC', ' ASC'])}{places}" for at in range(1, width + 1))
        return f" ORDER BY {order}{rng.choice(['', ' LIMIT 1', ' LIMIT 5', ' LIMIT 3 OFFSET 2', ' LIMIT 2, 4'])}"

    def _whole(self) -> str:
        source, columns = self.source()
        values = [self.aggregate(columns) for _ in range(self.rng.choice([1, 2, 3]))]
        having = f" HAVING {self.aggregate(columns)} > 1" if self.rng.random() < 0.15 else ""
        return f"SELECT {', '.join(values)} FROM {self.where(source, columns)}{having}"

    def _grouped(self) -> str:
        rng = self.rng
        source, columns = self.source()
        keys = [self.one(columns).written for _ in range(rng.choice([1, 1, 2]))]
        if rng.random() < 0.2:
            keys[0] = rng.choice([self.number, self.text])(columns)
        values = [self.aggregate(columns) for _ in range(rng.choice([1, 2]))]
        shown = [f"{value} AS p{at}" for at, value in enumerate([*keys, *values], start=1)]
        grouped = ", ".join(rng.choice([key, f"p{at}", str(at)]) for at, key in enumerate(keys, start=1))
        having = ""
        if rng.random() < 0.35:
            tested = rng.choice([values[0], f"p{len(keys) + 1}", "COUNT(*)", self.aggregate(columns)])
            having = f" HAVING {tested} {rng.choice(['>', '<=', '>=', '<>'])} {rng.choice(['1', '2', '3.5'])}"
        tail = self._tail(len(shown))
        return f"SELECT {', '.join(shown)} FROM {self.where(source, columns)} GROUP BY {grouped}{having}{tail}"

    def _combined(self) -> str:
        rng = self.rng
        kinds = rng.choices(["number", "text"], k=rng.choice([1, 2]))
        parts = [self._simple(kinds) for _ in range(rng.choice([2, 2, 3]))]
        signs = [rng.choice(["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]) for _ in parts[1:]]
        text = parts[0] + "".join(f" {sign} {part}" for sign, part in zip(signs, parts[1:], strict=True))
        return text + self._tail(len(kinds))

    def _common(self) -> str:
        rng = self.rng
        inner = self._simple(["number", "text"], named=True) if rng.random() < 0.5 else self._grouped()
        width = 2 if " AS p3" not in inner else 3
        shown = ", ".join(f"w.p{at}" for at in range(1, width + 1))
        condition = rng.choice(["w.p1 IS NOT NULL", "w.p2 > 1 OR w.p1 = 1", "w.p2 > (SELECT AVG(p2) FROM w)", "1"])
        if rng.random() < 0.5:
            return f"SELECT {shown} FROM ({inner}) AS w WHERE {condition.replace('FROM w', f'FROM ({inner}) AS z')}"
        return f"WITH w AS ({inner}) SELECT {shown} FROM w WHERE {condition}"

    def _windowed(self) -> str:
        rng = self.rng
        source, columns = self.source(2)
        number, key = self.one(columns, "number").written, self.one(columns).written
        frame = rng.choice(["", "", " ROWS UNBOUNDED PRECEDING", " ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING"])
        frame = rng.choice([frame, " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", " RANGE UNBOUNDED PRECEDING"])
        order = ", ".join(f"{each.written}{rng.choice(['', ' DESC'])}" for each in columns)
        partition = f"PARTITION BY {key} " if rng.random() < 0.6 else ""
        ranked = f"{partition}ORDER BY {number}{rng.choice(['', ' DESC'])}"
        function = rng.choice(
            [
                f"RANK() OVER ({ranked})",
                f"DENSE_RANK() OVER ({ranked})",
                f"ROW_NUMBER() OVER ({partition}ORDER BY {order})",
                f"LAG({number}) OVER ({partition}ORDER BY {order})",
                f"LEAD({number}, 2, -1) OVER ({partition}ORDER BY {order})",
                f"FIRST_VALUE({number}) OVER ({partition}ORDER BY {order})",
                f"LAST_VALUE({number}) OVER ({partition}ORDER BY {order})",
                f"NTILE(3) OVER ({partition}ORDER BY {order})",
                f"PERCENT_RANK() OVER ({ranked})",
                f"CUME_DIST() OVER ({ranked})",
                *(f"{name}({number}) OVER ({partition}ORDER BY {order}{frame})" for name in ("SUM", "AVG", "MAX")),
                f"SUM({number}) OVER ({ranked})",
                f"COUNT(*) OVER ({partition.strip()})",
                f"MIN({key}) OVER ({partition.strip()})",
            ]
        )
        return f"SELECT {key}, {number}, {function} FROM {self.where(source, columns)}"


def main() -> None:
    parser = argparse.ArgumentParser(description="Random queries, compared with SQLite.")
    parser.add_argument("databases", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=200, help="queries a database")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--refused", action="store_true", help="count the reasons of refusals")
    options = parser.parse_args()
    warnings.simplefilter("error")
    total, reasons = Counter[str](), Counter[str]()
    for path in options.databases:
        tables, boxes = tables_of(path), boxkit.load(path)
        for number in range(options.count):
            sql = Queries(tables, options.seed * 1_000_000 + number).query()
            kind, detail = verdict(sql, path, boxes)
            total[kind] += 1
            if kind == "wrong":
                print(f"--- {path.stem} {number}\n{sql}\n{detail}")
            if kind == "refused":
                reasons[detail] += 1
    if options.refused:
        print(*(f"{count:>6} {reason}" for reason, count in reasons.most_common(40)), sep="\n", file=sys.stderr)
    print(dict(total), file=sys.stderr)
    sys.exit(1 if total["wrong"] else 0)


if __name__ == "__main__":
    main()
