"""The command line, a twin of the library: each command parses, makes one call, prints."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; the entry point of ``boxkit`` and of ``python -m boxkit``."""
    try:
        from boxkit.cli.app import app
        from boxkit.cli.terminal import forgiving_streams

        forgiving_streams()
        app.main(prog_name="boxkit")
    except KeyboardInterrupt:
        # Before or after a command's own care: while modules load, or while the interpreter clears up.
        sys.exit(130)
