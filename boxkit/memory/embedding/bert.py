"""BERT sentence models (MiniLM, bge) in NumPy: the same vectors as sentence-transformers, without torch's load time."""

from __future__ import annotations

import importlib.util
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import UnreadableSource

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from boxkit.memory.embedding.protocol import Vectors

    Floats = npt.NDArray[np.float32]

__all__ = ["BertEmbedding", "runs_here"]

BATCH = 32

_NUMBER_TYPES = {"F32": "<f4", "F16": "<f2"}


def runs_here(folder: Path) -> bool:
    """Whether the weights in a folder are a BERT that this module runs, and ``tokenizers`` is installed."""
    try:
        config = json.loads((folder / "config.json").read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and all((folder / name).is_file() for name in ("model.safetensors", "tokenizer.json"))
        and importlib.util.find_spec("tokenizers") is not None
    )


class BertEmbedding:
    """A BERT encoder with mean or first-token pooling; weights are read on first use.

    Args:
        name: The model's name.
        folder: Its weights, configuration and tokenizer.
        query_prefix: What to put in front of a query.
    """

    def __init__(self, name: str, folder: Path, query_prefix: str = "") -> None:
        self.name = name
        self._folder = folder
        self._query_prefix = query_prefix
        self._config = json.loads((folder / "config.json").read_text("utf-8"))
        self._weights: dict[str, Any] | None = None
        self._tokenizer: Any = None
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        return int(self._config["hidden_size"])

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of demonstrations' questions: (n, dimension) float32, L2-normalised."""
        import numpy as np

        from boxkit.memory.embedding.protocol import unit

        with self._lock:
            if self._weights is None:
                self._load()
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        for start in range(0, len(order), BATCH):
            some = order[start : start + BATCH]
            vectors[some] = self._pooled([texts[at] for at in some])
        return unit(vectors)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions asked, with the prefix that the model wants."""
        return self.documents([self._query_prefix + text for text in texts])

    def _load(self) -> None:
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        limits = _json(self._folder / "sentence_bert_config.json")
        self._tokenizer.enable_truncation(limits.get("max_seq_length") or self._config["max_position_embeddings"])
        self._tokenizer.enable_padding()
        self._first_token = bool(_json(self._folder / "1_Pooling" / "config.json").get("pooling_mode_cls_token"))
        self._weights = _tensors(self._folder / "model.safetensors")

    def _pooled(self, texts: list[str]) -> Floats:
        import numpy as np

        encoded = self._tokenizer.encode_batch(texts)
        tokens = np.asarray([each.ids for each in encoded])
        there = np.asarray([each.attention_mask for each in encoded], dtype=np.float32)
        states = self._states(tokens, there)
        if self._first_token:
            return np.asarray(states[:, 0], dtype=np.float32)
        weights = there[:, :, None]
        mean: Floats = (states * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
        return mean

    def _states(self, tokens: npt.NDArray[Any], there: Floats) -> Floats:
        """(texts, tokens, dimension): the last layer's output (Devlin et al. 2019)."""
        weights = self._weights or {}
        states: Floats = (
            weights["embeddings.word_embeddings.weight"][tokens]
            + weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
            + weights["embeddings.token_type_embeddings.weight"][0]
        )
        states = self._norm(states, "embeddings.LayerNorm")
        hidden = (1 - there)[:, None, None, :] * -1e9
        for layer in range(self._config["num_hidden_layers"]):
            at = f"encoder.layer.{layer}."
            attended = self._linear(self._attention(states, hidden, at), at + "attention.output.dense")
            states = self._norm(states + attended, at + "attention.output.LayerNorm")
            inner = _gelu(self._linear(states, at + "intermediate.dense"))
            states = self._norm(states + self._linear(inner, at + "output.dense"), at + "output.LayerNorm")
        return states

    def _attention(self, states: Floats, hidden: Floats, at: str) -> Floats:
        import numpy as np

        texts, length, width = states.shape
        heads = self._config["num_attention_heads"]

        def split(part: str) -> Floats:
            projected = self._linear(states, f"{at}attention.self.{part}")
            return projected.reshape(texts, length, heads, width // heads).transpose(0, 2, 1, 3)

        query, key, value = map(split, ("query", "key", "value"))
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(width // heads).astype(np.float32) + hidden
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        mixed = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        result: Floats = mixed.transpose(0, 2, 1, 3).reshape(texts, length, width)
        return result

    def _linear(self, states: Floats, name: str) -> Floats:
        weights = self._weights or {}
        result: Floats = states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return result

    def _norm(self, states: Floats, name: str) -> Floats:
        import numpy as np

        weights = self._weights or {}
        centred = states - states.mean(axis=-1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._config["layer_norm_eps"])
        result: Floats = centred / scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return result


def _gelu(states: Floats) -> Floats:
    """The exact GELU; NumPy has no erf, so by Abramowitz and Stegun 7.1.26 (error below 1.5e-7)."""
    import numpy as np

    x = np.abs(states) / np.float32(np.sqrt(2))
    t = 1 / (1 + 0.3275911 * x)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(states) * (1 - series * np.exp(-x * x))
    result: Floats = (0.5 * states * (1 + erf)).astype(np.float32)
    return result


def _tensors(path: Path) -> dict[str, Any]:
    """The tensors of a safetensors file: a JSON header after eight bytes of length, then numbers. Mapped, not read."""
    import numpy as np

    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > path.stat().st_size:
            raise UnreadableSource("not a safetensors file", where=str(path))
        header = json.loads(file.read(length))
    content = np.memmap(path, mode="r", offset=8 + length)
    tensors = {}
    for name, about in header.items():
        if name == "__metadata__" or about["dtype"] not in _NUMBER_TYPES:
            continue  # Positions' indices, as integers: not needed.
        start, end = about["data_offsets"]
        tensor = content[start:end].view(_NUMBER_TYPES[about["dtype"]]).reshape(about["shape"])
        tensors[name.removeprefix("bert.")] = np.asarray(tensor, dtype=np.float32)
    return tensors


def _json(path: Path) -> dict[str, Any]:
    values: dict[str, Any] = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    return values
