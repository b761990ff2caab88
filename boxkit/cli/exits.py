"""How a command ends: an exit code for each kind of outcome, and an error as a message instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from typing import IO, Any, NoReturn

import click

from boxkit.errors import BoxError, BoxkitError, ExecutorError, LLMError, SourceError

__all__ = ["Exit", "end", "reported"]


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
        yield
    except BoxkitError as error:
        raise Reported(error) from error
    except KeyboardInterrupt:
        from boxkit.cli.terminal import complain

        complain("interrupted")
        raise click.exceptions.Exit(Exit.INTERRUPTED) from None


def end(code: Exit) -> NoReturn:
    """End the command with ``code``."""
    raise click.exceptions.Exit(code)
