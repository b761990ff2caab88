"""The process that runs DuckDB's queries: a function of its cannot be stopped in the middle of its work, a process can.

Run as a script, with the folders of DuckDB and Arrow as arguments, so that nothing else is imported. Standard input
brings one JSON line a query (data, tables, query, limits). Out go pickled values, plain ones and those of `PLAIN`:
the word that the tables are there, the columns' names and types, batches of rows, and what there is to say at the end.
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import signal
import sys
import zoneinfo
from collections.abc import Iterable
from typing import Any

#: What cells are made of beside the plain values, by module: all that is read back.
PLAIN = {
    "datetime": ("date", "datetime", "time", "timedelta", "timezone"),
    "decimal": ("Decimal",),
    "pytz": ("_UTC",),
    "uuid": ("UUID", "SafeUUID"),
    "zoneinfo": ("ZoneInfo",),
}

MEMORY_LIMIT = "2GB"
#: Types whose values Python's own would change: months become days, nanoseconds are lost.
LOSSY = frozenset({"INTERVAL", "TIMESTAMP_NS"})
#: Rows sent at once.
BATCH_ROWS = 500
#: A host that lives ends this process in time; without one, it ends by itself so many seconds later.
_GRACE_S = 5


def main() -> None:
    """One query after the other until there are no more, over the last one's tables where they are the same data."""
    sys.path.extend(sys.argv[1:])
    _confine()
    _warm_up()
    data, fresh = None, _connected()
    while asked := sys.stdin.buffer.readline():
        head = json.loads(asked)
        if data is None or data.name != head["data"]:
            if data is not None:
                data.connection.close()  # gives the memory back
            data, fresh = _Data(head["data"], fresh or _connected(), head["spill"]), None
        _run(data, head)
        sys.stdout.buffer.flush()
        fresh = fresh or _connected()  # no one waits for it now: it takes longer than most queries


class _Data:
    """A connection with the tables in it that queries have named so far."""

    def __init__(self, name: str, connection: Any, spill: str) -> None:
        self.name, self.connection = name, connection
        self.loaded: set[str] = set()
        folder = spill.replace("'", "''")
        for setting in (
            f"temp_directory = '{folder}'",
            "python_enable_replacements = false",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            connection.execute(f"SET {setting}")

    def load(self, tables: Iterable[dict[str, str]]) -> None:
        """Create the tables that are not there yet, each from its file of Arrow's."""
        for table in tables:
            if table["path"] not in self.loaded:
                _create(self.connection, table["path"], table["sql"])
                self.loaded.add(table["path"])


def _create(connection: Any, path: str, sql: str) -> None:
    import pyarrow as pa

    with pa.memory_map(path) as source:
        connection.register("boxkit_frame", pa.ipc.open_file(source).read_all())
        try:
            connection.execute(sql)
        finally:
            connection.unregister("boxkit_frame")


def _connected() -> Any:
    import duckdb

    connection = duckdb.connect(":memory:", config={"memory_limit": MEMORY_LIMIT, "threads": 1})
    connection.execute("SET TimeZone = 'UTC'")  # else a day would begin with this machine's
    return connection


def _warm_up() -> None:
    """Load what DuckDB and Arrow load at their first use."""
    import pyarrow as pa

    with contextlib.closing(_connected()) as connection:
        connection.register("boxkit_frame", pa.table({"a": [1]}))
        connection.execute("CREATE TABLE t AS SELECT * FROM boxkit_frame")
        connection.execute("SELECT TIMESTAMPTZ '2020-01-01', uuid(), 1.5 FROM t").fetchall()


def _run(data: _Data, head: dict[str, Any]) -> None:
    """Load, say so, run, send."""
    import duckdb

    try:
        data.load(head["tables"])
        _say({"ready": True})
        _end_in(head["seconds"] + _GRACE_S)
        sys.stdout.buffer.flush()
        names, kinds, result = _fetched(data.connection, head["sql"])
        _say({"names": names, "kinds": kinds})
        left = head["rows"] + 1
        while left and (rows := result.fetchmany(min(BATCH_ROWS, left))):
            left -= len(rows)
            _say(rows)
        _say({"end": True})
    except MemoryError as error:
        _say({"error": str(error), "type": "OutOfMemoryException"})
    except (duckdb.Error, ValueError, OverflowError) as error:
        _say({"error": str(error), "type": type(error).__name__})
    finally:
        _end_in(0)


def _fetched(connection: Any, sql: str) -> tuple[list[str], list[str], Any]:
    """The columns' names and types, and the result; values that Python's types could change come as text."""
    result = connection.execute(sql)
    description = result.description or []
    names = [name for name, *_ in description]
    kinds = [str(kind) for _, kind, *_ in description]
    if not LOSSY.isdisjoint(kinds):
        places = ", ".join(
            f"CAST(c{at} AS VARCHAR) AS c{at}" if kind in LOSSY else f"c{at}" for at, kind in enumerate(kinds)
        )
        inner = sql.strip().rstrip(";")
        labels = ", ".join(f"c{at}" for at in range(len(description)))
        result = connection.execute(f"SELECT {places} FROM ({inner}\n) AS result({labels})")  # noqa: S608 - the guard has passed the query, and the labels are quoted
    return names, kinds, result


def _end_in(seconds: float) -> None:
    """Let the system end this process then, whatever it does; never for zero."""
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _confine() -> None:
    """No dump of what it held, and the first to be ended where the machine's memory is short."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")


#: Zones by their names: how Python itself pickles them could call anything.
_REDUCED: dict[type, Any] = {zoneinfo.ZoneInfo: lambda zone: (zoneinfo.ZoneInfo, (zone.key,))}


class Received(pickle.Unpickler):
    """What `_say` sent, and nothing that is no value."""

    def find_class(self, module: str, name: str) -> Any:
        """One of `PLAIN`."""
        if name not in PLAIN.get(module, ()):
            raise pickle.UnpicklingError(f"{module}.{name} is no value")
        return super().find_class(module, name)


def _say(what: Any) -> None:
    """Send a value."""
    written = io.BytesIO()
    pickler = pickle.Pickler(written, 5)
    pickler.dispatch_table = _REDUCED
    pickler.dump(what)
    sys.stdout.buffer.write(written.getbuffer())


if __name__ == "__main__":
    main()
