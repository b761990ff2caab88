"""``python -m boxkit``."""

from __future__ import annotations

from boxkit.cli import main

if __name__ == "__main__":
    main()
