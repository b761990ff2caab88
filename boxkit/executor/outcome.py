"""From how a run ended to what the caller gets: an answer, or a failure that says what to do."""

from __future__ import annotations

import signal
from typing import Any

from boxkit.executor import codec
from boxkit.executor.advice import advised
from boxkit.executor.claims import CorruptValue
from boxkit.executor.emptiness import is_empty
from boxkit.executor.limits import Isolation, Limits
from boxkit.executor.reading import Reading
from boxkit.executor.run import Run
from boxkit.executor.session import Ending
from boxkit.executor.supply import Supply
from boxkit.failure import FAILURE_KINDS, Failure

__all__ = ["outcome"]

_MAX_TEXT = 20_000
_SIGKILL, _SIGXCPU, _SIGSYS = 9, 24, 31  # Linux's numbers; Windows has none of them
_PNG = b"\x89PNG"


def outcome(ending: Ending, reading: Reading, source: Supply, limits: Limits, level: Isolation) -> Run:
    """The `Run` that an `Ending` amounts to."""
    head = ending.reply.head if ending.reply is not None else {}
    stdout = _text(head.get("stdout"), limits.output_kb << 10)
    if head.get("cut") is True:
        stdout += f"\n[cut: only the first {limits.output_kb} KB of the output are kept]"
    answer, error = None, _broken(ending, limits)
    drawn: tuple[bytes, ...] = ()
    if error is None:
        try:
            answer, error, drawn = _answer(ending, reading, stdout)
        except CorruptValue as corrupt:
            error = Failure("crashed", f"the answer that came back is damaged: {corrupt}", stdout=stdout)
    return Run(
        answer,
        advised(error, source) if error is not None else None,
        _empty(answer, head, stdout) if error is None else None,
        figures=drawn,
        stdout=stdout,
        seconds=ending.seconds,
        peak_memory_mb=ending.peak_mb,
        isolation=level,
        boxes=reading.boxes,
    )


def _broken(ending: Ending, limits: Limits) -> Failure | None:
    """What the zygote and the host saw, whatever the code claims."""
    if ending.too_large:
        return Failure(
            "too large",
            f"the answer is larger than {limits.reply_mb} MB",
            hint="return only the rows and columns that were asked for",
        )
    if ending.damaged:
        return Failure("crashed", f"what came back is no answer: {ending.damaged}")
    if ending.reply is not None:
        return None
    if ending.killed == "cancelled":
        return Failure("crashed", "the run was cancelled")
    spent = limits.cpu_seconds or limits.seconds
    if (
        ending.killed == "timeout"
        or ending.exit == -_SIGXCPU
        or (ending.exit == -_SIGKILL and ending.cpu_seconds >= spent)
    ):
        return Failure(
            "timeout",
            f"the code ran for more than {limits.seconds:g} seconds and was stopped",
            hint="avoid loops over rows and merges that multiply rows; filter before you merge",
        )
    if ending.exit == -_SIGKILL:
        return Failure("memory", "the code was stopped because the machine ran out of memory")
    if ending.exit == -_SIGSYS:
        return Failure("refused", "the code made a system call that is not allowed and was stopped")
    how = signal.Signals(-ending.exit).name if ending.exit < 0 else f"exit code {ending.exit}"
    return Failure("crashed", f"the interpreter that ran the code ended early ({how})")


def _answer(ending: Ending, reading: Reading, stdout: str) -> tuple[Any, Failure | None, tuple[bytes, ...]]:
    assert ending.reply is not None
    head, parts = ending.reply.head, ending.reply.parts()
    count = head.get("figures", 0)
    if type(count) is not int or not 0 <= count <= len(parts):
        raise CorruptValue("figures that are not there")
    drawn = tuple(bytes(part) for part in parts[:count])
    if any(not part.startswith(_PNG) for part in drawn):
        raise CorruptValue("a figure that is no PNG")
    if "value" in head:
        return codec.decode(head["value"], parts[count:]), None, drawn
    if "none" in head:
        return None, _no_answer(head["none"], stdout, bool(drawn)), drawn
    return None, _failure(head.get("error"), reading.code, stdout), drawn


def _no_answer(said: Any, stdout: str, drew: bool) -> Failure:
    hint = "assign the result to the variable `answer`"
    if stdout:
        hint += " instead of printing it"
    elif drew:
        hint += ": the figure was drawn, the values behind it are missing"
    state = _text(said.get("state"), _MAX_TEXT) if type(said) is dict else ""
    return Failure("no answer", "the code assigned no `answer`", hint=hint, state=state, stdout=stdout)


def _empty(answer: Any, head: dict[str, Any], stdout: str) -> Failure | None:
    """What to say to a caller who takes an empty answer for a failure."""
    if not is_empty(answer):
        return None
    said = head.get("empty")
    hint, state = (_text(said.get(name), _MAX_TEXT) if type(said) is dict else "" for name in ("hint", "state"))
    hint = hint or "check the values that the conditions compare with, and how boxes are joined"
    return Failure("empty", "the code ran, but its answer is empty", hint=hint, state=state, stdout=stdout)


def _failure(error: Any, code: str, stdout: str) -> Failure:
    if type(error) is not dict or error.get("kind") not in FAILURE_KINDS:
        raise CorruptValue("a reply that says neither an answer nor an error")
    lines = code.splitlines()
    line = error.get("line")
    if type(line) is not int or not 1 <= line <= len(lines):
        line = None
    kind, message = _text(error.get("type"), 200), _text(error.get("message"), _MAX_TEXT)
    return Failure(
        error["kind"],
        message if error["kind"] == "unsupported" else f"{kind}: {message}" if message else kind,
        kind,
        line,
        lines[line - 1] if line else "",
        _text(error.get("hint"), _MAX_TEXT),
        _text(error.get("state"), _MAX_TEXT),
        stdout,
    )


def _text(value: Any, limit: int) -> str:
    return value[:limit] if type(value) is str else ""
