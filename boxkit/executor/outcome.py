"""From how a run ended to what the caller gets: an answer, or a failure that says what to do."""

from __future__ import annotations

import signal
from typing import Any

from boxkit.executor import codec
from boxkit.executor.limits import Isolation, Limits
from boxkit.executor.policy import Reading
from boxkit.executor.run import Run
from boxkit.executor.session import Ending
from boxkit.failure import FAILURE_KINDS, Failure

__all__ = ["outcome"]

_MAX_TEXT = 20_000


def outcome(ending: Ending, reading: Reading, limits: Limits, level: Isolation) -> Run:
    """The `Run` that an `Ending` amounts to."""
    head = ending.reply.head if ending.reply is not None else {}
    stdout = _text(head.get("stdout"), limits.output_kb << 10)
    if head.get("cut") is True:
        stdout += f"\n[cut: only the first {limits.output_kb} KB of the output are kept]"
    answer, error = None, _broken(ending, limits)
    if error is None:
        try:
            answer, error = _answer(ending, reading, stdout)
        except codec.CorruptValue as corrupt:
            error = Failure("crashed", f"the answer that came back is damaged: {corrupt}")
    return Run(
        answer,
        error,
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
    if ending.reply is not None:
        return None
    if ending.killed == "cancelled":
        return Failure("crashed", "the run was cancelled")
    spent = limits.cpu_seconds or limits.seconds
    if (
        ending.killed == "timeout"
        or ending.exit == -signal.SIGXCPU
        or (ending.exit == -signal.SIGKILL and ending.cpu_seconds >= spent)
    ):
        return Failure(
            "timeout",
            f"the code ran for more than {limits.seconds:g} seconds and was stopped",
            hint="avoid loops over rows and merges that multiply rows; filter before you merge",
        )
    if ending.exit == -signal.SIGKILL:
        return Failure("memory", "the code was stopped because the machine ran out of memory")
    if ending.exit == -getattr(signal, "SIGSYS", 31):
        return Failure("refused", "the code made a system call that is not allowed and was stopped")
    how = signal.Signals(-ending.exit).name if ending.exit < 0 else f"exit code {ending.exit}"
    return Failure("crashed", f"the interpreter that ran the code ended early ({how})")


def _answer(ending: Ending, reading: Reading, stdout: str) -> tuple[Any, Failure | None]:
    assert ending.reply is not None
    head = ending.reply.head
    if "value" in head:
        return codec.decode(head["value"], ending.reply.parts()), None
    if head.get("none") is True:
        hint = "assign the result to the variable `answer`"
        if stdout:
            hint += " instead of printing it"
        return None, Failure("no answer", "the code assigned no `answer`", hint=hint, stdout=stdout)
    return None, _failure(head.get("error"), reading.code, stdout)


def _failure(error: Any, code: str, stdout: str) -> Failure:
    if type(error) is not dict or error.get("kind") not in FAILURE_KINDS:
        raise codec.CorruptValue("a reply that says neither an answer nor an error")
    lines = code.splitlines()
    line = error.get("line")
    if type(line) is not int or not 1 <= line <= len(lines):
        line = None
    kind, message = _text(error.get("type"), 200), _text(error.get("message"), _MAX_TEXT)
    return Failure(
        error["kind"],
        f"{kind}: {message}" if message else kind,
        kind,
        line,
        lines[line - 1] if line else "",
        _text(error.get("hint"), _MAX_TEXT),
        _text(error.get("state"), _MAX_TEXT),
        stdout,
    )


def _text(value: Any, limit: int) -> str:
    return value[:limit] if type(value) is str else ""
