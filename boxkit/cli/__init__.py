"""The command line, a twin of the library: each command parses, makes one call, prints."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """Run the command line; the entry point of ``boxkit`` and of ``python -m boxkit``."""
    from boxkit.cli.app import app
    from boxkit.cli.terminal import forgiving_streams

    forgiving_streams()
    app.main(prog_name="boxkit")
