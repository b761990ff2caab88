"""The command line, a twin of the library: each command parses, makes one call, prints."""

from __future__ import annotations

import os
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the entry point of ``boxkit`` and of ``python -m boxkit``."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Nothing is there yet that would have to be cleared up; an exception could get lost while modules load.
        signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from boxkit.cli.interrupt import INTERRUPTED, dropped_are_told, leave, leave_at_once

    leave_at_once()
    dropped_are_told()
    code = _run()
    if code == INTERRUPTED:
        leave()
    sys.exit(code)


def _run() -> int:
    """The exit code."""
    import click

    from boxkit.cli.app import app
    from boxkit.cli.exits import Exit
    from boxkit.cli.terminal import complain, forgiving_streams

    forgiving_streams()
    try:
        return int(app.main(prog_name="boxkit", standalone_mode=False) or 0)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            return Exit.INTERRUPTED
        complain("the input ended")
        return Exit.NO_ANSWER
