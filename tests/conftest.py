"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--rewrite-golden`` for the golden prompts."""
    parser.addoption("--rewrite-golden", action="store_true", help="rewrite the golden prompts; review them as a diff")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real benchmark data that lies beside the project, not in it (licences)."""
    folder = Path(os.environ.get("BOXKIT_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no benchmark data at {folder}: set BOXKIT_DATA to a folder that has it")
    return folder
