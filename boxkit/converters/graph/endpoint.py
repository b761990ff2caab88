"""A SPARQL endpoint over HTTP: one query at a time, politely repeated, its results read whole, page by page."""

from __future__ import annotations

import base64
import http.client
import json
import re
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from boxkit.converters.graph.store import XSD, Literal, Term
from boxkit.errors import SourceError, SourceNotFound, UnreadableSource

__all__ = ["Endpoint", "Row"]

#: A solution: what each variable is bound to; unbound ones are missing.
Row: TypeAlias = Mapping[str, Term]

_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_WAIT_S = 30.0


class _Again(Exception):
    """This attempt failed in a way that another may not."""

    def __init__(self, what: str, wait_s: float | None = None) -> None:
        super().__init__(what)
        self.wait_s = wait_s


@dataclass
class Endpoint:
    """A SPARQL 1.1 query service.

    Attributes:
        url: Its address; a user and password in it are sent as such and never shown.
        timeout_s: How long one answer may take.
        attempts: How often a query is sent at the most.
        page: How many rows are asked for at a time.
        default_graph: The graph that queries are about; the service's default where None.
        sleep: What waits between attempts; for tests.
        row_cap: How many rows the service gives at a time, once that has shown; None before.
        pages_read: How many pages have been read.
    """

    url: str
    timeout_s: float = 60.0
    attempts: int = 3
    page: int = 10_000
    default_graph: str | None = None
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    row_cap: int | None = field(default=None, init=False)
    pages_read: int = field(default=0, init=False)
    _whole: int = field(default=0, init=False, repr=False)

    @property
    def label(self) -> str:
        """The address without user and password."""
        parts = urllib.parse.urlsplit(self.url)
        host = parts.hostname or ""
        place = f"{host}:{parts.port}" if parts.port else host
        return urllib.parse.urlunsplit((parts.scheme, place, parts.path, "", ""))

    def select(self, query: str) -> list[Row]:
        """The rows of one query, as the service gives them: its row cap applies.

        Raises:
            SourceNotFound: Nothing answers at the address.
            UnreadableSource: It refused the query, or gave no SPARQL results in spite of retries.
        """
        return self.table(query)[1]

    def table(self, query: str) -> tuple[list[str], list[Row]]:
        """The variables that a query selects, in order, and its rows; else as `select`."""
        body = self._answer(query)
        bindings = body.get("results", {}).get("bindings", ())
        rows = [_row(binding) for binding in bindings]
        named = body.get("head", {}).get("vars") or dict.fromkeys(name for row in rows for name in row)
        return list(named), rows

    def ask(self, query: str) -> bool:
        """The truth of an ASK query."""
        body = self._answer(query)
        if "boolean" in body:
            return bool(body["boolean"])
        # Virtuoso answers in rows: one that holds 1, or none.
        rows = [_row(binding) for binding in body.get("results", {}).get("bindings", ())]
        return any(isinstance(value, Literal) and value.text in ("1", "true") for row in rows for value in row.values())

    def pages(self, pattern: str, variables: str, limit: int | None = None) -> Iterator[list[Row]]:
        """All rows of ``SELECT DISTINCT variables WHERE { pattern }`` in a fixed order, page by page.

        The service may cut an answer without saying so: a page shorter than asked for is the last only if it is shorter
        than an answer that is known to be whole, or the next page is empty.

        Args:
            pattern: The group graph pattern.
            variables: What is selected and sorted by.
            limit: How many rows are wanted at the most.
        """
        read, short = 0, 0
        while limit is None or read < limit:
            wanted = self.page if limit is None else min(self.page, limit - read)
            # The inner query sorts, the outer one cuts: Virtuoso refuses to sort for a far offset in one.
            inner = f"SELECT DISTINCT {variables} WHERE {{ {pattern} }} ORDER BY {variables}"
            rows = self.select(f"SELECT {variables} WHERE {{ {{ {inner} }} }} LIMIT {wanted} OFFSET {read}")
            if not rows:
                self._whole = max(self._whole, short)
                return
            self.pages_read += 1
            if short:
                self.row_cap = self.page = short
            yield rows
            read += len(rows)
            if len(rows) < wanted and len(rows) < self._whole:
                return
            short = len(rows) if len(rows) < wanted else 0

    # One request ---------------------------------------------------------------------------------------------------

    def _answer(self, query: str) -> dict[str, Any]:
        last = ""
        for attempt in range(1, self.attempts + 1):
            try:
                return self._once(query)
            except _Again as failure:
                last = str(failure)
                if attempt < self.attempts:
                    wait = (
                        failure.wait_s if failure.wait_s is not None else min(0.5 * 3 ** (attempt - 1), _LONGEST_WAIT_S)
                    )
                    self.sleep(min(wait, _LONGEST_WAIT_S))
        times = f"{self.attempts} times" if self.attempts > 1 else "once"
        raise UnreadableSource(
            f"the SPARQL endpoint was asked {times}: {last}",
            where=self.label,
            hint="try later, ask for less (fewer hops or topics), or raise timeout_s",
        )

    def _once(self, query: str) -> dict[str, Any]:
        request = self._request(query)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_s) as response:  # noqa: S310 - http or https only
                kind = response.headers.get_content_type()
                if response.headers.get("X-SQL-State", "").startswith("S1TAT"):
                    raise _Again("the server ran out of its own time and gave a part of the results")
                data = response.read()
        except urllib.error.HTTPError as error:
            raise self._of_status(error) from None
        except urllib.error.URLError as error:
            raise self._of_reason(error.reason) from None
        except (TimeoutError, http.client.HTTPException, ConnectionError, OSError) as error:
            raise self._of_reason(error) from None
        return self._parsed(data, kind)

    def _request(self, query: str) -> urllib.request.Request:
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https"):
            raise SourceNotFound("a SPARQL endpoint's address begins with http:// or https://", where=self.label)
        address = urllib.parse.urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))
        form = {"query": query}
        if self.default_graph:
            form["default-graph-uri"] = self.default_graph
        headers = {
            "Accept": "application/sparql-results+json",
            "Content-Type": "application/x-www-form-urlencoded",
            "User-Agent": "boxkit (SPARQL client)",
        }
        if parts.username:
            pair = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        return urllib.request.Request(address, urllib.parse.urlencode(form).encode(), headers)  # noqa: S310 - an endpoint's address is http or https

    def _of_status(self, error: urllib.error.HTTPError) -> SourceError | _Again:
        said = _gist(error.read(4096))
        if error.code in _RETRIED and not _is_refusal(said):
            return _Again(f"status {error.code}: {said}", _seconds(error.headers.get("Retry-After")))
        if error.code in (401, 403):
            hint = "put user and password into the address: http://user:password@host/sparql"
            return UnreadableSource(
                f"the SPARQL endpoint lets us not in (status {error.code}): {said}", where=self.label, hint=hint
            )
        if error.code == 404:
            return SourceNotFound("there is no SPARQL endpoint at this address (status 404)", where=self.label)
        return UnreadableSource(
            f"the SPARQL endpoint refused the query (status {error.code}): {said}", where=self.label
        )

    def _of_reason(self, reason: object) -> SourceError | _Again:
        if isinstance(reason, TimeoutError):
            return _Again(f"no answer within {self.timeout_s:g} s")
        if isinstance(reason, ConnectionRefusedError):
            return SourceNotFound("nothing answers at this address", where=self.label, hint="is the server running?")
        if isinstance(reason, socket.gaierror):
            return SourceNotFound("no machine has this name", where=self.label)
        return _Again(f"the connection broke ({type(reason).__name__}: {str(reason)[:100]})")

    def _parsed(self, data: bytes, kind: str) -> dict[str, Any]:
        try:
            body = json.loads(data, strict=False)
        except ValueError:
            if kind.endswith("json"):
                raise _Again("the results break off in the middle") from None
            raise UnreadableSource(
                f"the answer is {kind}, no SPARQL results: {_gist(data)}",
                where=self.label,
                hint="give the address of the query service itself, which often ends in /sparql or /query",
            ) from None
        if not isinstance(body, dict) or not ("results" in body or "boolean" in body):
            raise UnreadableSource(f"the answer is JSON, but no SPARQL results: {_gist(data)}", where=self.label)
        return body


def _is_refusal(said: str) -> bool:
    """Whether a 5xx answer is about the query itself, as Virtuoso's are for some."""
    return bool(re.search(r"syntax error|SP030|SP031|SR353|22023|MalformedQuery|parse error", said, re.IGNORECASE))


def _gist(data: bytes) -> str:
    """The first words of an answer, without markup."""
    text = re.sub(r"(?s)<(script|style).*?</\1>|<[^>]+>", " ", data.decode("utf-8", "replace"))
    return " ".join(text.split())[:200] or "(nothing)"


def _seconds(header: str | None) -> float | None:
    return float(header) if header and re.fullmatch(r"\d+(\.\d+)?", header) else None


def _row(binding: Mapping[str, Mapping[str, str]]) -> Row:
    return {name: _term(value) for name, value in binding.items()}


def _term(value: Mapping[str, str]) -> Term:
    kind, text = value["type"], value["value"]
    if kind == "uri":
        return text
    if kind == "bnode":
        return f"_:{text.removeprefix('nodeID://')}"
    datatype, language = value.get("datatype", ""), value.get("xml:lang", "").lower()
    return Literal(text, "" if language or datatype == XSD + "string" else datatype, language)
