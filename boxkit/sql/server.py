"""A database server's own engine, through SQLAlchemy: read-only transactions, and a time limit of the server's."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.converters.sqlalchemy import Server, ServerReader, plain_cell
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sql.engine import Fetched, SqlLimits, guarded, sql_failure

__all__ = ["ServerEngine", "server_engine"]

_DIALECTS = {"postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "mssql": "tsql", "oracle": "oracle"}
#: What servers say of a query that they stopped.
_STOPPED = ("timeout", "max_statement_time", "interrupted", "maximum statement execution time", "cancel")
#: The server's own limit comes first; this is for a server that does not keep it.
_GRACE_S = 2.0


def server_engine(boxes: BoxSet) -> ServerEngine | None:
    """The engine of the one server that all boxes come from; None where they do not."""
    servers = {box.reader.server for box in boxes.values() if isinstance(box.reader, ServerReader)}
    every = all(isinstance(box.reader, ServerReader) for box in boxes.values())
    return ServerEngine(servers.pop(), boxes) if every and len(servers) == 1 else None


@dataclass(frozen=True, slots=True)
class ServerEngine:
    """Queries over one database server, by its own names."""

    server: Server
    boxes: BoxSet

    native = True
    as_text: ClassVar[Mapping[str, Collection[str]]] = {}
    path = None

    @property
    def dialect(self) -> str:
        """sqlglot's name of its dialect."""
        name = self.server.engine.dialect.name
        return _DIALECTS.get(name, name)

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        from sqlalchemy.exc import SQLAlchemyError

        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        started = time.monotonic()
        try:
            return self._run(sql, limits, started)
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error)
            if any(word in reason.lower() for word in _STOPPED) or time.monotonic() - started >= limits.seconds:
                return Failure("timeout", f"the query took longer than {limits.seconds:g} seconds", source=sql)
            cause = getattr(error, "orig", None) or error
            return sql_failure(cause, sql, self.boxes, native=True)

    def _run(self, sql: str, limits: SqlLimits, started: float) -> Fetched | Failure:
        with self.server.engine.connect() as connection:
            if self.dialect == "postgres":
                connection = connection.execution_options(postgresql_readonly=True)
            self._limit(connection, limits)
            stop = threading.Timer(limits.seconds + _GRACE_S, _cut, [connection])
            stop.daemon = True
            stop.start()
            try:
                # As it stands: a colon or a percent sign in it is the query's own.
                result = connection.execution_options(stream_results=True, no_parameters=True).exec_driver_sql(sql)
                names = field_labels(result.keys())
                rows = result.fetchmany(limits.rows + 1)
                result.close()
            finally:
                stop.cancel()
                connection.rollback()
        kept = rows[: limits.rows]
        columns = [column([plain_cell(row[at]) for row in kept]) for at in range(len(names))]
        return Fetched(frame_of(columns, names, len(kept)), len(rows) > limits.rows, time.monotonic() - started)

    def _limit(self, connection: Any, limits: SqlLimits) -> None:
        milliseconds = int(limits.seconds * 1000)
        name = self.server.engine.dialect.name
        if name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL statement_timeout = {milliseconds}")
        elif name in ("mysql", "mariadb"):
            is_mariadb = bool(getattr(connection.dialect, "is_mariadb", False))
            limit = f"max_statement_time = {limits.seconds}" if is_mariadb else f"max_execution_time = {milliseconds}"
            connection.exec_driver_sql(f"SET SESSION {limit}")
            connection.exec_driver_sql("START TRANSACTION READ ONLY")


def _cut(connection: Any) -> None:
    connection.invalidate()
