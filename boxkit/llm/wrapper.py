"""What models that stand around another model share: they are told apart as the model within is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from boxkit.llm.protocol import LLM, PromptLayoutName

__all__ = ["Wrapper", "identity_of"]


class _Around(Protocol):
    """Whatever holds a model."""

    @property
    def llm(self) -> LLM:
        """The model within."""
        ...


class Wrapper:
    """Name, layout and identity of the model in ``llm``."""

    __slots__ = ()

    @property
    def name(self: _Around) -> str:
        """The model's name."""
        return self.llm.name

    @property
    def layout(self: _Around) -> PromptLayoutName:
        """The model's layout."""
        return self.llm.layout

    @property
    def identity(self: _Around) -> Mapping[str, Any]:
        """The model's identity."""
        return identity_of(self.llm)


def identity_of(llm: LLM) -> Mapping[str, Any]:
    """What tells a model's replies from another's: its own ``identity`` where it has one, else its kind and name."""
    identity = getattr(llm, "identity", None)
    if isinstance(identity, Mapping):
        return identity
    return {"kind": f"{type(llm).__module__}.{type(llm).__qualname__}", "name": llm.name}
