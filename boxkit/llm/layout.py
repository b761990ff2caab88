"""Which prompt layout suits a model, by its size."""

from __future__ import annotations

import re

from boxkit.llm.protocol import PromptLayoutName

__all__ = ["COMPACT_BELOW", "layout_for", "parameters_named"]

#: Models with fewer parameters than this get the compact layout: they copy examples and do not follow instructions.
COMPACT_BELOW = 3_000_000_000

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)(m|b)(?![a-z0-9])", re.IGNORECASE)


def parameters_named(model: str) -> int | None:
    """The number of parameters that a model's name gives; None where it gives none.

    >>> parameters_named("qwen2.5-coder:1.5b"), parameters_named("SmolLM2-135M-Instruct"), parameters_named("gpt-4o")
    (1500000000, 135000000, None)
    """
    found = _SIZE.search(model)
    return None if found is None else round(float(found[1]) * (1e9 if found[2].lower() == "b" else 1e6))


def layout_for(parameters: int | None) -> PromptLayoutName:
    """The layout for a model of that many parameters; ``full`` where the number is unknown."""
    return "compact" if parameters is not None and parameters < COMPACT_BELOW else "full"
