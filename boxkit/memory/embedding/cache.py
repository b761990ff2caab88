"""Vectors kept by content, so that no text is embedded twice by one model on one machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from boxkit.memory.embedding.protocol import Embedding

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = ["CachedEmbedding", "cache_file"]

#: SQLite takes so many parameters in one statement on every build.
BATCH = 500


def cache_file() -> Path:
    """The file in which vectors are kept: in ``XDG_CACHE_HOME``, else ``~/.cache``."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "boxkit" / "embeddings.sqlite"


class CachedEmbedding:
    """An embedding that looks up what it has embedded before. Safe across threads and processes.

    A cache that cannot be written or read is done without.

    Args:
        embedding: Makes the vectors that are not there.
        file: Where they are kept; `cache_file` where None.
    """

    def __init__(self, embedding: Embedding, file: Path | None = None) -> None:
        self._embedding = embedding
        self._file = file or cache_file()

    @property
    def name(self) -> str:
        """The embedding's own name."""
        return self._embedding.name

    @property
    def dimension(self) -> int:
        """Numbers a vector."""
        return self._embedding.dimension

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched."""
        return self._vectors("document", texts, self._embedding.documents)

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of what is searched for."""
        return self._vectors("query", texts, self._embedding.queries)

    def _vectors(self, role: str, texts: Sequence[str], embed: Callable[[Sequence[str]], Vectors]) -> Vectors:
        import numpy as np

        if not texts:
            return embed(texts)
        keys = [
            hashlib.sha256(f"{self.name}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest() for text in texts
        ]
        found = self._read(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = embed(list(missing.values()))
            new = {key: vector.tobytes() for key, vector in zip(missing, made, strict=True)}
            self._write(new)
            found |= new
        return np.stack([np.frombuffer(found[key], dtype=np.float32) for key in keys])

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        found: dict[bytes, bytes] = {}
        with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(self._connection()) as connection:
            for start in range(0, len(keys), BATCH):
                some = keys[start : start + BATCH]
                marks = ", ".join("?" * len(some))
                found.update(connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some))  # noqa: S608 - question marks only
        return found

    def _write(self, vectors: dict[bytes, bytes]) -> None:
        with contextlib.suppress(sqlite3.Error, OSError), contextlib.closing(self._connection()) as connection:
            rows: Iterable[tuple[bytes, bytes]] = vectors.items()
            with connection:
                connection.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)

    def _connection(self) -> sqlite3.Connection:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(self._file, timeout=5)
        try:
            connection.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        except sqlite3.Error:
            connection.close()
            raise
        return connection
