"""Embeddings by an OpenAI-compatible server."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from boxkit.errors import BadReply, MissingKey
from boxkit.llm.clients import Clients, client_errors
from boxkit.llm.server_errors import Server, of_exception

if TYPE_CHECKING:
    from boxkit.memory.embedding.protocol import Vectors

__all__ = ["OpenAIEmbedding"]

#: Texts a request.
BATCH = 256

_DEFAULT_URL = "https://api.openai.com/v1"


class OpenAIEmbedding:
    """A model behind ``/embeddings`` of OpenAI, vLLM, Ollama, llama.cpp, LM Studio…

    Args:
        model: The model's name, as the server knows it.
        base_url: The server's address; else ``OPENAI_BASE_URL``, else OpenAI's own.
        api_key: The key; else ``OPENAI_API_KEY``.
        dimension: Numbers a vector, where the model can be asked for fewer; the model's own where None.
        query_prefix: What the model wants in front of a query.
        timeout_s: The longest one try may take, in seconds.
        max_retries: Tries after the first, on a busy or failing server.

    Raises:
        MissingKey: There is no key, and the server is OpenAI's own.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        dimension: int | None = None,
        query_prefix: str = "",
        timeout_s: float = 60.0,
        max_retries: int = 4,
    ) -> None:
        address = (base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL).rstrip("/")
        key = api_key or os.environ.get("OPENAI_API_KEY") or ""
        if not key and address == _DEFAULT_URL:
            hint = "set OPENAI_API_KEY, pass api_key=…, or name another server with base_url=…"
            raise MissingKey("there is no key for OpenAI's own server", where=address, hint=hint)
        self.name = f"openai:{model}" + (f":{dimension}" if dimension else "")
        self._model = model
        self._asked_dimension = dimension
        self._dimension = dimension
        self._query_prefix = query_prefix
        self._timeout_s = timeout_s
        self._max_retries = max_retries
        self._server = Server(model, address, key)
        self._clients = Clients(address, key or "none", {})

    @property
    def dimension(self) -> int:
        """Numbers a vector; asks the server once where it was not given."""
        if self._dimension is None:
            self._dimension = int(self.documents(["dimension"]).shape[1])
        return self._dimension

    def documents(self, texts: Sequence[str]) -> Vectors:
        """Vectors of demonstrations' questions: (n, dimension) float32, L2-normalised.

        Raises:
            LLMError: One of its kinds says which way the server failed, after polite retries.
        """
        import numpy as np

        from boxkit.memory.embedding.protocol import unit

        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        batches = [self._embedded(list(texts[start : start + BATCH])) for start in range(0, len(texts), BATCH)]
        return unit(np.concatenate(batches))

    def queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions asked, with the prefix."""
        return self.documents([self._query_prefix + text for text in texts])

    def _embedded(self, texts: list[str]) -> Any:
        import numpy as np

        # A server refuses an empty text; it has no meaning to place anyway.
        arguments: dict[str, Any] = {"model": self._model, "input": [text or " " for text in texts]}
        if self._asked_dimension:
            arguments["dimensions"] = self._asked_dimension
        client = self._clients.blocking().with_options(max_retries=self._max_retries, timeout=self._timeout_s)
        try:
            reply = client.embeddings.create(encoding_format="float", **arguments)
        except client_errors() as error:
            raise of_exception(error, self._server, self._timeout_s) from error
        except (ValueError, TypeError, AttributeError) as error:  # The package's own, on a reply that is none.
            raise BadReply(f"not a list of embeddings: {error}", where=self._server.where) from None
        try:
            vectors = np.asarray(list(_in_order(reply)), dtype=np.float32)
        except (ValueError, TypeError, AttributeError) as error:
            raise BadReply(f"not a list of embeddings: {error}", where=self._server.where) from None
        if vectors.ndim != 2 or len(vectors) != len(texts) or not np.isfinite(vectors).all():
            raise BadReply(
                f"{len(texts)} texts were sent; the vectors that came back have the shape {vectors.shape}",
                where=self._server.where,
            )
        return vectors


def _in_order(reply: Any) -> Iterator[list[float]]:
    return (each.embedding for each in sorted(reply.data, key=lambda each: each.index))
