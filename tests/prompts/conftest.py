"""Golden prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def golden(request):
    """Compares messages with a file byte for byte; with ``--rewrite-golden`` writes the file."""

    def check(name, messages):
        text = "".join(f"=== {message.role}\n{message.content}" for message in messages)
        file = GOLDEN / f"{name}.txt"
        if request.config.getoption("--rewrite-golden"):
            file.write_text(text, encoding="utf-8")
        assert file.read_text(encoding="utf-8") == text, "run `make golden` and review the diff"

    return check
