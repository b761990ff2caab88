"""An embedding ties words to fields that no spelling ties; without one the word stops the Planner."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from boxkit import Planner, load

#: Directions of meaning, as a real embedding would find them.
MEANINGS = {"stipend": 0.0, "salary": 0.3, "name": 1.5, "shoe size": 2.6, "umbrella": 4.2}


class Compass:
    """Texts as directions in the plane."""

    name = "compass"
    dimension = 2

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        angles = np.array([MEANINGS[text.lower()] for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    documents = queries


def test_a_word_is_tied_to_the_field_that_means_something_near():
    boxes = load({"clerk": pd.DataFrame({"name": ["Ada", "Bo"], "salary": [3, 5], "shoe_size": [44, 39]})})
    question = "What is the highest stipend?"
    assert Planner().ask(question, boxes).failure is not None
    assert Planner(embedding=Compass()).ask(question, boxes).rows == [(5,)]
    assert Planner(embedding=Compass()).ask("What is the highest umbrella?", boxes).failure is not None
