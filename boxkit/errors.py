"""Every error boxkit raises on purpose.

    BoxkitError
    ├── SourceError                 a source could not be read (what, where, what to do)
    │   ├── SourceNotFound          no such file, table, database or graph
    │   ├── UnknownFormat           the content is no kind of source that an installed converter reads
    │   ├── UnreadableSource        damaged, locked, protected, empty, or not what its name says
    │   └── UnsupportedValue        a value or a type that a BOX cannot hold unchanged
    ├── BoxError                    a BoxSet that contradicts itself, or a box or field that is not there
    │   ├── UnknownBox              also a KeyError
    │   └── UnknownField            also a KeyError
    ├── ExecutorError               the sandbox broke: terminal, never the generated code's fault
    │   └── IsolationUnavailable    this machine cannot confine generated code and the caller did not allow less
    ├── LLMError                    a model could not be asked
    │   ├── MissingKey              no key, or one that the server does not accept
    │   ├── RateLimited             the server said to slow down, and went on saying so
    │   ├── LLMTimeout              no answer in time
    │   ├── BadReply                an answer that is no completion: broken JSON, no choices, a page of HTML
    │   ├── Refused                 the model, or a filter before it, declined
    │   ├── ModelNotFound           no such model here
    │   ├── ServerUnavailable       the server failed, or cannot be reached
    │   ├── PromptTooLong           more tokens than the model's context holds
    │   └── BudgetSpent             the next call would pass a limit that the caller set
    ├── PlanError                   a plan that cannot be written as pandas
    │   └── UnsupportedQuery        a construct that a reader of SQL, SPARQL or s-expressions refuses, by name
    ├── MemoryStoreError            a memory on disk that is damaged, or made with another embedding model
    ├── UnsafeSQL                   a statement that is not one read-only query
    ├── UnsafeSPARQL                the same in SPARQL
    ├── AnswerError                 asked for on demand: no attempt gave an answer
    └── MissingExtra                an optional dependency is not installed (also an ImportError)

A failure of *generated code* is not an exception but a value, ``boxkit.failure.Failure``: it is fed back to
the model and counted. A caller's slip (a negative limit, say) is a plain ``ValueError`` or ``TypeError``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boxkit.answer import Answer, Usage

__all__ = [
    "AnswerError",
    "BadReply",
    "BoxError",
    "BoxkitError",
    "BudgetSpent",
    "ExecutorError",
    "IsolationUnavailable",
    "LLMError",
    "LLMTimeout",
    "MemoryStoreError",
    "MissingExtra",
    "MissingKey",
    "ModelNotFound",
    "PlanError",
    "PromptTooLong",
    "RateLimited",
    "Refused",
    "ServerUnavailable",
    "SourceError",
    "SourceNotFound",
    "UnknownBox",
    "UnknownField",
    "UnknownFormat",
    "UnreadableSource",
    "UnsafeSPARQL",
    "UnsafeSQL",
    "UnsupportedQuery",
    "UnsupportedValue",
    "nearest",
]


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names closest to ``name``, best first; letters' case does not count."""
    by_folded: dict[str, str] = {}
    for candidate in known:
        by_folded.setdefault(candidate.casefold(), candidate)
    close = difflib.get_close_matches(name.casefold(), list(by_folded), n=limit, cutoff=0.5)
    return [by_folded[folded] for folded in close]


class BoxkitError(Exception):
    """The root of boxkit's errors.

    Args:
        what: What was wrong, in one sentence.
        where: The file, table, box, line or address concerned, if any.
        hint: What the user can do next, if anything is known.
    """

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(what)

    def __str__(self) -> str:
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  try: {self.hint}" if self.hint else text

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__.copy()))


def _rebuild(kind: type[BoxkitError], state: dict[str, object]) -> BoxkitError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    error.args = (state["what"],)
    return error


class SourceError(BoxkitError):
    """A source could not be read."""


class SourceNotFound(SourceError):
    """Nothing stands at the given place."""


class UnknownFormat(SourceError):
    """The content is no format that an installed converter reads."""


class UnreadableSource(SourceError):
    """The source is there, but damaged, locked, protected or empty."""


class UnsupportedValue(SourceError):
    """A value or type that a BOX cannot hold unchanged."""


class BoxError(BoxkitError):
    """A BoxSet that contradicts itself."""


class UnknownBox(BoxError, KeyError):
    """No box of that name; lists the known and the nearest."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        known = list(known)
        close = nearest(name, known)
        hint = f"nearest: {', '.join(map(repr, close))}" if close else None
        listed = ", ".join(known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        super().__init__(f"there is no box {name!r}; the boxes are: {listed or 'none'}", hint=hint)


class UnknownField(BoxError, KeyError):
    """No field of that label in the box; lists the known and the nearest."""

    def __init__(self, box: str, label: str, known: Iterable[str]) -> None:
        known = list(known)
        close = nearest(label, known)
        hint = f"nearest: {', '.join(map(repr, close))}" if close else None
        listed = ", ".join(map(repr, known[:20])) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        super().__init__(f"box {box!r} has no field {label!r}; its fields are: {listed}", hint=hint)


class ExecutorError(BoxkitError):
    """The sandbox itself broke; the generated code is not to blame."""


class IsolationUnavailable(ExecutorError):
    """This machine cannot confine generated code as strictly as the caller asked."""


class LLMError(BoxkitError):
    """A model could not be asked, or did not answer.

    Args:
        what: What was wrong, in one sentence.
        where: The model and its server.
        hint: What the user can do next, if anything is known.
        usage: What the call cost all the same, its failed tries together; None where nothing was sent.
        status: The server's HTTP status; None where there was none.
        retry_after_s: How long the server asked to wait, in seconds; infinite where no wait helps, None where it did
            not say.
    """

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        usage: Usage | None = None,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(what, where=where, hint=hint)
        self.usage = usage
        self.status = status
        self.retry_after_s = retry_after_s


class MissingKey(LLMError):
    """No key was given, or the server does not accept it."""


class RateLimited(LLMError):
    """The server asked for fewer requests and went on asking after polite retries."""


class LLMTimeout(LLMError):
    """No complete answer came in time."""


class BadReply(LLMError):
    """The server answered with something that is no completion."""


class Refused(LLMError):
    """The model, or a filter before it, declined to answer."""


class ModelNotFound(LLMError):
    """There is no such model on this machine or server."""


class ServerUnavailable(LLMError):
    """The model's server failed, or cannot be reached."""


class PromptTooLong(LLMError):
    """The prompt and the room for a reply are more tokens than the model's context holds."""


class BudgetSpent(LLMError):
    """The next call would pass a limit that the caller set."""


class PlanError(BoxkitError):
    """A plan that cannot be written as pandas."""


class UnsupportedQuery(PlanError):
    """A construct that a reader of gold programs refuses rather than guess.

    Args:
        construct: The construct's name, as its language calls it (``"RECURSIVE CTE"``).
        detail: The piece of query concerned.
    """

    def __init__(self, construct: str, detail: str = "") -> None:
        self.construct = construct
        self.detail = detail
        super().__init__(f"{construct} is not supported" + (f": {detail}" if detail else ""))


class MemoryStoreError(BoxkitError):
    """A memory on disk is damaged, or was made with another embedding model."""


class UnsafeSQL(BoxkitError):
    """A statement that is not one single read-only query."""


class UnsafeSPARQL(BoxkitError):
    """A SPARQL text that is not one single SELECT or ASK over the one graph."""


class AnswerError(BoxkitError):
    """No attempt gave an answer; ``answer`` holds every attempt and its failure."""

    def __init__(self, what: str, answer: Answer, *, hint: str | None = None) -> None:
        super().__init__(what, hint=hint)
        self.answer = answer


class MissingExtra(BoxkitError, ImportError):
    """An optional dependency is not installed.

    Args:
        package: The import that failed.
        extra: The extra of boxkit's that brings it; None where none does, and the package is installed by itself.
    """

    def __init__(self, package: str, extra: str | None = None) -> None:
        self.package = package
        self.extra = extra
        hint = f'pip install "boxkit[{extra}]"' if extra else f"pip install {package}"
        super().__init__(f"this needs {package!r}, which is not installed", hint=hint)
