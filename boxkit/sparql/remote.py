"""Queries of a model's to a SPARQL endpoint: sent once, given up when their time is over."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from boxkit.converters.graph.endpoint import Endpoint
from boxkit.errors import UnreadableSource
from boxkit.failure import Failure
from boxkit.sparql.engine import Found
from boxkit.sparqlguard import CheckedQuery
from boxkit.sql.engine import SqlLimits

__all__ = ["RemoteService"]

#: An answer of so many rows, or a multiple, may have been cut by the service without a word.
_ROUND = 100


@dataclass(frozen=True, slots=True)
class RemoteService:
    """One endpoint."""

    endpoint: Endpoint

    def find(self, query: str, checked: CheckedQuery, limits: SqlLimits) -> Found | bool | Failure:
        """Run a query that has been checked; see `GraphService.find`."""
        asked = replace(self.endpoint, timeout_s=limits.seconds, attempts=2)
        outcome: list[Found | bool | Failure | BaseException] = []

        def ask() -> None:
            try:
                outcome.append(_asked(asked, query, checked, limits))
            except UnreadableSource as error:
                outcome.append(_failure(error, query, limits))
            except BaseException as error:
                outcome.append(error)

        # A server that sends a byte now and then would keep a socket's own time limit from ever being met.
        thread = threading.Thread(target=ask, name="boxkit-sparql", daemon=True)
        thread.start()
        thread.join(limits.seconds)
        if not outcome:
            return _timeout(query, limits)
        if isinstance(outcome[0], BaseException):
            raise outcome[0]
        return outcome[0]


def _asked(endpoint: Endpoint, query: str, checked: CheckedQuery, limits: SqlLimits) -> Found | bool:
    if checked.form == "ASK":
        return endpoint.ask(query)
    bounded = f"{query}\nLIMIT {limits.rows + 1}" if checked.can_be_limited else query
    variables, rows = endpoint.table(bounded)
    more = len(rows) > limits.rows
    if not more and checked.can_be_limited and rows and len(rows) % _ROUND == 0:
        more = bool(endpoint.select(f"{query}\nLIMIT 1 OFFSET {len(rows)}"))
    return Found(variables, [[row.get(name) for name in variables] for row in rows[: limits.rows]], more)


def _timeout(query: str, limits: SqlLimits) -> Failure:
    return Failure("timeout", f"the query took longer than {limits.seconds:g} seconds", source=query)


def _failure(error: UnreadableSource, query: str, limits: SqlLimits) -> Failure:
    if "no answer within" in error.what:
        return _timeout(query, limits)
    return Failure("exception", error.what, type=type(error).__name__, source=query)
