"""The same question twice costs once; another model, or data that have changed since, are asked anew."""

from __future__ import annotations

import pandas as pd
import pytest

import boxkit
from boxkit.llm import Cached
from boxkit.strategies import Decompose, Pandora, SelfConsistency, Text2SQL, Text2SQLCode
from boxkit.testing import ScriptedLLM

QUERY = "```sql\nSELECT sum(price) FROM item\n```"
STRATEGIES = {
    "pandora": (Pandora, ["```python\nanswer = item.price.sum()\n```"]),
    "query": (Text2SQL, [QUERY]),
    "single": (
        Text2SQLCode,
        ["```python\ndef compute_result(query):\n    return query('SELECT sum(price) FROM item')\n```"],
    ),
    "multi": (
        lambda llm: Text2SQLCode(llm, calls="multi"),
        ["Decomposition:\nText2SQL: the sum of all prices", QUERY],
    ),
    "voting": (lambda llm: SelfConsistency(Text2SQL(llm)), [QUERY] * 3),
    "decompose": (
        Decompose,
        [
            '{"subquestions": ["The sum?"]}',
            "```python\nstep_1 = item.price.sum()\nanswer = step_1\n```",
            "```python\nanswer = item.price.sum()\n```",
        ],
    ),
}


def prices(*values):
    return boxkit.load({"item": pd.DataFrame({"price": values})})


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_reply_is_cached_for_its_model_and_its_data(tmp_path, name):
    make, replies = STRATEGIES[name]
    calls = len(replies)

    def ask(boxes, model):
        return make(Cached(model, tmp_path)).ask("What is the sum?", boxes).check()

    model = ScriptedLLM(replies * 2, name="one")
    assert ask(prices(1.0, 2.0), model).rows == [(3.0,)]
    again = ask(prices(1.0, 2.0), model)
    assert (again.rows, len(model.requests), again.usage.cached_calls) == ([(3.0,)], calls, calls)
    other = ScriptedLLM(replies, name="other")
    assert ask(prices(1.0, 2.0), other).usage.cached_calls == 0
    changed = ask(prices(1.0, 9.0), model)
    assert (changed.rows, len(model.requests), changed.usage.cached_calls) == ([(10.0,)], 2 * calls, 0)
