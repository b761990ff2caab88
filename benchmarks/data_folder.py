"""What a script says where the benchmark data are not there, instead of a traceback, or of figures over nothing."""

from __future__ import annotations

import sys
from pathlib import Path


def needed(folder: Path) -> None:
    if not folder.is_dir():
        sys.exit(
            f"{folder} is not there: BOXKIT_DATA names the folder of the benchmark data (../shared/data beside the "
            "project, where it is not set)"
        )
