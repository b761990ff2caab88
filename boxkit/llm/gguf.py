"""What a GGUF file says of the model in it, from its header alone (versions 2 and 3 of the format)."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from boxkit.errors import LLMError, ModelNotFound

__all__ = ["GGUF", "read_gguf"]

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST = 1 << 32


@dataclass(frozen=True, slots=True)
class GGUF:
    """A model file's header.

    Attributes:
        path: The file.
        architecture: Such as ``"llama"`` or ``"qwen2"``; empty where the file does not say.
        parameters: The number of weights, counted from the tensors.
        context_tokens: The longest context the model was trained for; None where the file does not say.
        chat: Whether it brings a chat template.
    """

    path: Path
    architecture: str
    parameters: int
    context_tokens: int | None
    chat: bool


def read_gguf(path: Path) -> GGUF:
    """The header of the model file at ``path``.

    Raises:
        ModelNotFound: No file stands there.
        LLMError: The file is no GGUF file, or ends before its header does.
    """
    if not path.is_file():
        hint = "give the path of a .gguf file; `boxkit models` lists what is here"
        raise ModelNotFound("no model file stands there", where=str(path), hint=hint)
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise LLMError("this is no GGUF model file", where=str(path), hint="give a .gguf file of a chat model")
        try:
            return _header(path, file)
        except (struct.error, ValueError, OverflowError, MemoryError) as error:
            hint = "fetch it again: the download may have been cut short"
            raise LLMError(f"the model file is damaged: {error}", where=str(path), hint=hint) from error


def _header(path: Path, file: BinaryIO) -> GGUF:
    (version,) = _read(file, "I")
    if version not in (2, 3):
        raise ValueError(f"version {version} of the format is not known")
    tensors, pairs = _read(file, "QQ")
    said: dict[str, Any] = {}
    for _ in range(pairs):
        key = _string(file)
        said[key] = _value(file, _read(file, "I")[0])
    architecture = str(said.get("general.architecture", ""))
    context = said.get(f"{architecture}.context_length")
    return GGUF(
        path,
        architecture,
        sum(_tensor_size(file) for _ in range(tensors)),
        context if isinstance(context, int) else None,
        bool(said.get("tokenizer.chat_template")),
    )


def _tensor_size(file: BinaryIO) -> int:
    _string(file)
    (dimensions,) = _read(file, "I")
    if dimensions > 8:
        raise ValueError(f"a tensor of {dimensions} dimensions")
    sizes = _read(file, f"{dimensions}Q")
    _read(file, "IQ")
    return math.prod(sizes)


def _read(file: BinaryIO, layout: str) -> tuple[Any, ...]:
    size = struct.calcsize("<" + layout)
    return struct.unpack("<" + layout, file.read(size))


def _string(file: BinaryIO) -> str:
    (length,) = _read(file, "Q")
    if length > _MOST:
        raise ValueError(f"a text of {length} bytes")
    raw = file.read(length)
    if len(raw) < length:
        raise ValueError("it ends in the middle of its header")
    return raw.decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind in _SCALARS:
        return _read(file, _SCALARS[kind])[0]
    if kind == _STRING:
        return _string(file)
    if kind != _ARRAY:
        raise ValueError(f"a value of the unknown type {kind}")
    inner, length = _read(file, "IQ")
    if inner in _SCALARS:
        file.seek(length * struct.calcsize("<" + _SCALARS[inner]), 1)
    else:
        for _ in range(length):
            _value(file, inner)
    return None
