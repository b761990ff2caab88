"""What tests of language models share."""

from __future__ import annotations

import pytest


@pytest.fixture
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key and no address in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
