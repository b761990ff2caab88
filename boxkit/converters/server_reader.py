"""Rows of one table or view of a database server, every cell as the server has it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from boxkit.box import Note, Reading
from boxkit.converters.catalogue import Table
from boxkit.converters.columns import frame_of
from boxkit.converters.lint import lint_frame
from boxkit.converters.server import Server
from boxkit.converters.server_cells import notes_on_not_a_number, selected, series_of
from boxkit.errors import UnreadableSource

__all__ = ["ServerReader"]

_BATCH_ROWS = 50_000
#: Where a server keeps, for each table, something that changes with its rows.
_STATES = {
    "postgresql": "SELECT n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_all_tables"
    " WHERE schemaname = :schema AND relname = :table",
    "mysql": "SELECT update_time, table_rows FROM information_schema.tables"
    " WHERE table_schema = :schema AND table_name = :table",
}


@dataclass(frozen=True, slots=True)
class ServerReader:
    """The rows of one table or view."""

    server: Server
    table: Table
    box: str
    labels: tuple[str, ...]

    def read(self, columns: Sequence[str] | None = None, limit: int | None = None) -> Reading:
        """Some fields, or the first rows only."""
        labels = self.labels if columns is None else tuple(columns)
        positions = [self.labels.index(label) for label in labels]
        as_text = {at for at in positions if self._has_months(at)}
        try:
            cells, length = self._cells(positions, as_text, limit)
        except UnreadableSource as error:
            if not _is_of_a_value(error):
                raise
            as_text |= {at for at in positions if at not in as_text and self._fails(at, limit)}
            cells, length = self._cells(positions, as_text, limit)
        notes = [Note("cast", self._why(at), self.box, self.labels[at]) for at in positions if at in as_text]
        series = []
        for at, position in enumerate(positions):
            values, cells[at] = cells[at], []
            series.append(series_of(values, self.table.columns[position]))
            if series[-1].dtype in ("float64", "object"):
                notes += notes_on_not_a_number(values, self.box, labels[at])
        frame = frame_of(series, labels, length)
        if columns is None and limit is None:
            notes += lint_frame(frame, self.box)
        return Reading(frame, tuple(notes))

    def _why(self, at: int) -> str:
        return (
            f"some of its values have no counterpart in Python ({self.table.columns[at].declared}), so it became text"
        )

    def _cells(self, positions: Sequence[int], as_text: Collection[int], limit: int | None) -> tuple[list[Any], int]:
        """The driver's values, column by column, and the number of rows."""
        cells: list[list[Any]] = [[] for _ in positions]
        length = 0
        with self.server.connect() as connection:
            query = self._query(positions, as_text, limit)
            for rows in connection.execution_options(stream_results=True).execute(query).partitions(_BATCH_ROWS):
                length += len(rows)
                for kept, values in zip(cells, zip(*rows, strict=True), strict=False):
                    kept.extend(values)
        return cells, length

    def _fails(self, at: int, limit: int | None) -> bool:
        """Whether the driver cannot hold a column's values."""
        try:
            self._cells([at], (), limit)
        except UnreadableSource as error:
            return _is_of_a_value(error)
        return False

    def _has_months(self, at: int) -> bool:
        """Whether a column has intervals of months or years, which the driver would count as 30 or 365 days."""
        from sqlalchemy import column as sql_column
        from sqlalchemy import extract, or_, select

        if not self.table.columns[at].declared.startswith("interval"):
            return False
        own: Any = sql_column(self.table.columns[at].name)
        odd = select(1).select_from(self._source()).where(or_(extract("year", own) != 0, extract("month", own) != 0))
        with self.server.connect() as connection:
            return connection.execute(odd.limit(1)).first() is not None

    def _source(self) -> Any:
        from sqlalchemy import table

        return table(self.table.name, schema=self.table.schema or None)

    def _query(self, positions: Sequence[int], as_text: Collection[int], limit: int | None) -> Any:
        from sqlalchemy import literal_column, select

        dialect = self.server.engine.dialect.name
        chosen = [
            selected(self.table.columns[at], dialect, at in as_text).label(f"c{number}")
            for number, at in enumerate(positions)
        ]
        query = select(*(chosen or [literal_column("1")])).select_from(self._source())
        return query if limit is None else query.limit(limit)

    def count(self) -> int:
        """The number of rows."""
        from sqlalchemy import func, select

        with self.server.connect() as connection:
            found: int = connection.execute(select(func.count()).select_from(self._source())).scalar_one()
            return found

    def fingerprint(self) -> str:
        """The server's own counts of changes to the table, where it keeps them."""
        from sqlalchemy import text

        dialect = self.server.family
        place = f"{self.server.label} {self.table.schema}.{self.table.name}"
        if dialect not in _STATES:
            return place
        with self.server.connect() as connection:
            parameters = {"schema": self.table.schema, "table": self.table.name}
            row = connection.execute(text(_STATES[dialect]), parameters).fetchone()
        return f"{place} {tuple(row) if row else ''}"


def _is_of_a_value(error: UnreadableSource) -> bool:
    """Whether a value is at fault, rather than the server or the way there."""
    from sqlalchemy.exc import DataError

    return isinstance(error.__cause__, DataError)
