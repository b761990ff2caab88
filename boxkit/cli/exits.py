"""How a command ends: an exit code for each kind of outcome, and an error as a message instead of a traceback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import IO, Any, NoReturn

import click

from boxkit.cli.interrupt import none_lost
from boxkit.errors import BoxError, BoxkitError, ExecutorError, LLMError, SourceError

__all__ = ["Exit", "end", "reported"]


#: The environment variable under which a fault of boxkit's own shows its traceback.
DEBUG = "BOXKIT_DEBUG"


class Exit(IntEnum):
    """The exit codes."""

    ANSWERED = 0
    NO_ANSWER = 1
    USAGE = 2
    SOURCE = 3
    MODEL = 4
    SANDBOX = 5
    OTHER = 6
    INTERRUPTED = 130

    @classmethod
    def of(cls, error: BoxkitError) -> Exit:
        """The code of an error."""
        for kind, code in _CODES:
            if isinstance(error, kind):
                return code
        return cls.OTHER


_CODES: tuple[tuple[type[BoxkitError], Exit], ...] = (
    (SourceError, Exit.SOURCE),
    (BoxError, Exit.SOURCE),
    (LLMError, Exit.MODEL),
    (ExecutorError, Exit.SANDBOX),
)


class Unforeseen(click.ClickException):
    """A fault of boxkit's own, on its way to the screen."""

    exit_code = Exit.OTHER

    def __init__(self, error: Exception) -> None:
        kind, told = type(error).__name__, str(error).partition("\n")[0]
        hint = f"{DEBUG}=1 shows where; please report it with what that shows"
        super().__init__(f"a fault in boxkit: {kind}: {told}\n  try: {hint}")

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Print the message on stderr."""
        from boxkit.cli.terminal import complain

        complain(self.message)


class Refused(click.ClickException):
    """What the machine has not enough of, or does not allow; no fault of boxkit's."""

    exit_code = Exit.OTHER

    def __init__(self, error: OSError | MemoryError) -> None:
        what = "there is not enough memory for this" if isinstance(error, MemoryError) else str(error)
        super().__init__(f"{what}\n  try: more room or rights for it; {DEBUG}=1 shows where")

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Print the message on stderr."""
        from boxkit.cli.terminal import complain

        complain(self.message)


class Reported(click.ClickException):
    """A `BoxkitError` on its way to the screen."""

    def __init__(self, error: BoxkitError) -> None:
        super().__init__(str(error))
        self.usage = error.usage if isinstance(error, LLMError) else None
        self.exit_code = Exit.of(error)  # type: ignore[misc]  # click reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:  # noqa: ARG002 - click's signature
        """Print the message on stderr, and what was spent all the same."""
        from boxkit.cli.answers import cost
        from boxkit.cli.terminal import complain, say, text

        complain(self.message)
        if self.usage is not None:
            say(text(f"spent: {cost(self.usage)}", "dim"))


@contextmanager
def reported() -> Iterator[None]:
    """What is raised inside ends the command with its message and exit code."""
    try:
        with none_lost():
            yield
    except BoxkitError as error:
        raise Reported(error) from error
    except KeyboardInterrupt:
        raise click.exceptions.Exit(Exit.INTERRUPTED) from None
    except (click.ClickException, click.Abort, click.exceptions.Exit, BrokenPipeError):
        raise
    except (OSError, MemoryError) as error:
        if os.environ.get(DEBUG):
            raise
        raise Refused(error) from error
    except Exception as error:  # the border to the user: what boxkit did not foresee is a message too
        if os.environ.get(DEBUG):
            raise
        raise Unforeseen(error) from error


def end(code: Exit) -> NoReturn:
    """End the command with ``code``."""
    raise click.exceptions.Exit(code)
