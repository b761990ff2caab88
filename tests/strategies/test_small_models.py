"""What strategies do for a small model, which repeats itself, wraps its code in words and misnames things."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.prompts import layout_for
from boxkit.testing import ScriptedLLM


@pytest.mark.parametrize("strategy", ["Text2SQL", "Text2SQLCode", "Decompose", "Knowledge", "Pandora"])
def test_a_small_models_reply_ends_soon(strategy: str) -> None:
    # At 20 tokens a second, 4096 tokens of one line over and over would take three minutes.
    llm = ScriptedLLM(lambda _: "SELECT SELECT SELECT", layout="compact")
    answer = getattr(boxkit, strategy)(llm).ask("How many?", boxkit.load({"t": pd.DataFrame({"a": [1]})}))
    assert answer.failure is not None
    assert {each.parameters.max_tokens for each in llm.requests} == {layout_for("compact").max_tokens}
