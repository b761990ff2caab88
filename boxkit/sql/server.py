"""A database server's own engine, through SQLAlchemy: read-only transactions, and a time limit of the server's."""

from __future__ import annotations

import threading
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar

from boxkit.box import BoxSet
from boxkit.converters.columns import column, frame_of
from boxkit.converters.sqlalchemy import Server, ServerReader, plain_cell
from boxkit.failure import Failure
from boxkit.naming import field_labels
from boxkit.sql.engine import Fetched, SqlLimits, first_rows, guarded, late, sql_failure, too_large

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
    renamed: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    path = None

    @property
    def dialect(self) -> str:
        """sqlglot's name of its dialect."""
        name = self.server.engine.dialect.name
        return _DIALECTS.get(name, name)

    def prepare(self) -> None:
        """Nothing: see `SqlEngine.prepare`."""

    def query(self, sql: str, limits: SqlLimits = SqlLimits()) -> Fetched | Failure:
        """Run one query; see `SqlEngine.query`."""
        from sqlalchemy.exc import SQLAlchemyError

        refusal = guarded(sql, self.dialect)
        if refusal is not None:
            return refusal
        started = time.monotonic()
        try:
            fetched = self._run(sql, limits, started)
        except TimeoutError:
            return late(sql, limits)
        except MemoryError:
            return too_large(sql, limits)
        except SQLAlchemyError as error:
            cause = getattr(error, "orig", None) or error
            if any(word in str(cause).lower() for word in _STOPPED) or time.monotonic() - started >= limits.seconds:
                return late(sql, limits)
            return sql_failure(cause, sql, self.boxes, native=True)
        # MariaDB's SLEEP and BENCHMARK are no errors when they are stopped; their values are none.
        return late(sql, limits) if fetched.seconds >= limits.seconds else fetched

    def _run(self, sql: str, limits: SqlLimits, started: float) -> Fetched:
        with self.server.engine.connect() as connection:
            if self.dialect == "postgres":
                connection = connection.execution_options(postgresql_readonly=True)
            session, unread = self._hold(connection, limits), False
            stop = threading.Timer(limits.seconds + _GRACE_S, self._cut, [connection, session])
            stop.daemon = True
            stop.start()
            result = None
            try:
                # As it stands: a colon or a percent sign in it is the query's own.
                result = connection.execution_options(stream_results=True, no_parameters=True).exec_driver_sql(sql)
                names = field_labels(result.keys())
                rows, more = first_rows(result.fetchmany, limits, started)
                unread = more
            except (TimeoutError, MemoryError):
                unread = True
                raise
            finally:
                stop.cancel()
                self._close(connection, result, session if unread else 0)
        columns = [column([plain_cell(row[at]) for row in rows]) for at in range(len(names))]
        return Fetched(frame_of(columns, names, len(rows)), more, time.monotonic() - started)

    def _hold(self, connection: Any, limits: SqlLimits) -> int:
        """Hold the session to reading, to a time and to the guard's reading of texts; its number in MySQL, else 0."""
        milliseconds = int(limits.seconds * 1000)
        name = self.server.engine.dialect.name
        if name == "postgresql":
            connection.exec_driver_sql(
                f"SET LOCAL statement_timeout = {milliseconds}; SET LOCAL standard_conforming_strings = on"
            )
        elif name in ("mysql", "mariadb"):
            connection.detach()  # what is set lasts as long as the session, which may be one of a user's pool
            is_mariadb = bool(getattr(connection.dialect, "is_mariadb", False))
            limit = f"max_statement_time = {limits.seconds}" if is_mariadb else f"max_execution_time = {milliseconds}"
            modes = "REPLACE(REPLACE(@@sql_mode, 'ANSI_QUOTES', ''), 'NO_BACKSLASH_ESCAPES', '')"
            connection.exec_driver_sql(f"SET SESSION {limit}, sql_mode = {modes}, sql_select_limit = {limits.rows + 1}")
            # The session too: what commits by itself (CREATE, DROP) leaves a transaction, and then would run.
            connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
            connection.exec_driver_sql("START TRANSACTION READ ONLY")
            return int(connection.exec_driver_sql("SELECT CONNECTION_ID()").scalar_one())
        return 0

    def _cut(self, connection: Any, session: int) -> None:
        """Stop what a server has not stopped by itself."""
        from sqlalchemy.exc import SQLAlchemyError

        with suppress(SQLAlchemyError, OSError):
            driver = connection.connection.driver_connection
            if session:
                self._kill(session)
            elif hasattr(driver, "cancel"):
                driver.cancel()
            else:
                connection.invalidate()

    def _close(self, connection: Any, result: Any, unread: int) -> None:
        """End a query; in MySQL a session that has unread rows is told to stop, else the driver reads them all."""
        from sqlalchemy.exc import SQLAlchemyError

        if unread and result is not None:
            self._kill(unread)
            with suppress(self.server.engine.dialect.loaded_dbapi.Error):
                result.cursor.close()  # SQLAlchemy would log that what was killed ends in an error
        with suppress(SQLAlchemyError):
            if result is not None:
                result.close()
            connection.rollback()

    def _kill(self, session: int) -> None:
        from sqlalchemy.exc import SQLAlchemyError

        with suppress(SQLAlchemyError), self.server.engine.connect() as other:
            other.exec_driver_sql(f"KILL QUERY {session}")
