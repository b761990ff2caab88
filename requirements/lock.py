"""Writes lock.txt, the versions that CI installs: what pip would choose today for everything that the checks need."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Ask pip what it would install, and write that down."""
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--report", "-"]
    told = subprocess.run([*command, f"{HERE.parent}[dev]"], capture_output=True, text=True, check=True).stdout
    found = [each["metadata"] for each in json.loads(told[told.index("{") :])["install"]]
    pins = sorted(
        f"{each['name'].lower().replace('_', '-')}=={each['version']}" for each in found if each["name"] != "boxkit"
    )
    head = "# The versions that CI installs (Python 3.11); a constraint file for pip. Made by `make lock`.\n"
    (HERE / "lock.txt").write_text(head + "\n".join(pins) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
