"""Arrow arrays on the wire: a type from a list, and raw buffers.

Never an IPC stream: what is not there (compression, extension types, dictionaries by reference) cannot be abused.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from boxkit.executor.claims import CorruptValue, Unsupported, list_of, text_of, whole_of
from boxkit.executor.codec import Decoder, Encoder

__all__ = ["from_texts", "large_text", "one_chunk", "read", "write"]

_PLAIN: dict[str, Any] = {
    str(kind): kind
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.null(), pa.date32(), pa.date64()),
        *(pa.string(), pa.large_string(), pa.binary(), pa.large_binary()),
        *(pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
        *(make(unit) for make in (pa.timestamp, pa.duration) for unit in ("s", "ms", "us", "ns")),
    )
}


def from_texts(texts: list[str | None]) -> Any:
    """The texts as an Arrow array; None where one is no valid Unicode (a lone surrogate)."""
    try:
        return pa.array(texts, type=pa.large_string())
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return None


def one_chunk(column: Any) -> Any:
    """A chunked array as one array."""
    if isinstance(column, pa.ChunkedArray):
        return (
            column.chunk(0) if column.num_chunks == 1 else pa.concat_arrays([pa.array([], column.type), *column.chunks])
        )
    return column


def large_text(column: Any) -> Any:
    """A column of texts, with 64-bit offsets."""
    column = one_chunk(column)
    return column if column.type == pa.large_string() else column.cast(pa.large_string())


def write(encoder: Encoder, array: Any) -> Any:
    """``array`` as JSON and parts."""
    if array.offset or _is_slice(array):
        array = pa.concat_arrays([pa.array([], array.type), array])  # drops what a slice does not show
    kind = array.type
    head: dict[str, Any] = {"n": len(array), "type": _type_head(kind)}
    if pa.types.is_dictionary(kind):
        return {**head, "indices": write(encoder, array.indices), "dictionary": write(encoder, array.dictionary)}
    if pa.types.is_struct(kind):
        fields = [write(encoder, array.field(at)) for at in range(kind.num_fields)]
        return {**head, "buffers": _buffers(encoder, array.buffers()[:1]), "children": fields}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return {**head, "buffers": _buffers(encoder, array.buffers()[:2]), "children": [write(encoder, array.values)]}
    return {**head, "buffers": _buffers(encoder, array.buffers())}


def _is_slice(array: Any) -> bool:
    return bool(array.get_total_buffer_size() > array.nbytes + 64 * (len(array.buffers()) + 1))


def _buffers(encoder: Encoder, buffers: list[Any]) -> list[int | None]:
    return [None if buffer is None else encoder.part(buffer) for buffer in buffers]


def _type_head(kind: Any) -> Any:
    if str(kind) in _PLAIN:
        return str(kind)
    if pa.types.is_timestamp(kind):
        return ["timestamp", kind.unit, kind.tz]
    if pa.types.is_decimal128(kind) or pa.types.is_decimal256(kind):
        return [f"decimal{kind.bit_width}", kind.precision, kind.scale]
    if pa.types.is_fixed_size_binary(kind):
        return ["fixed", kind.byte_width]
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return ["large_list" if pa.types.is_large_list(kind) else "list", _field_head(kind.value_field)]
    if pa.types.is_struct(kind):
        return ["struct", *(_field_head(kind.field(at)) for at in range(kind.num_fields))]
    if pa.types.is_dictionary(kind):
        return ["dictionary", _type_head(kind.index_type), _type_head(kind.value_type), kind.ordered]
    raise Unsupported(f"a column of Arrow type {kind} cannot leave the sandbox; cast it with .astype(…)")


def _field_head(each: Any) -> list[Any]:
    return [each.name, _type_head(each.type), each.nullable]


def _type_of(head: Any, depth: int = 0) -> Any:
    if type(head) is str:
        return _PLAIN[head]
    if depth > 20:
        raise CorruptValue("nests too deeply")
    name, *rest = list_of(head)
    if name == "timestamp":
        return pa.timestamp(text_of(rest[0]), tz=text_of(rest[1]))
    if name in ("decimal128", "decimal256"):
        return getattr(pa, name)(whole_of(rest[0]), whole_of(rest[1]))
    if name == "fixed" and 0 < whole_of(rest[0]) < 1 << 30:
        return pa.binary(rest[0])
    if name in ("list", "large_list"):
        return (pa.list_ if name == "list" else pa.large_list)(_field_of(rest[0], depth))
    if name == "struct":
        return pa.struct([_field_of(each, depth) for each in rest])
    if name == "dictionary":
        index, value = (_type_of(each, depth + 1) for each in rest[:2])
        return pa.dictionary(index, value, ordered=bool(rest[2]))
    raise CorruptValue("no such Arrow type")


def _field_of(head: Any, depth: int) -> Any:
    name, kind, nullable = list_of(head, 3)
    return pa.field(text_of(name), _type_of(kind, depth + 1), nullable=bool(nullable))


def read(decoder: Decoder, head: dict[str, Any]) -> Any:
    """The Arrow array that `write` wrote, checked to the last offset and character."""
    array = _read(decoder, head, 0)
    array.validate(full=True)
    return array


def _read(decoder: Decoder, head: dict[str, Any], depth: int) -> Any:
    if depth > 20:
        raise CorruptValue("nests too deeply")
    kind, count = _type_of(head["type"]), whole_of(head["n"])
    if not 0 <= count <= 1 << 40:
        raise CorruptValue("not a length")
    if pa.types.is_dictionary(kind):
        indices, dictionary = (_read(decoder, head[part], depth + 1) for part in ("indices", "dictionary"))
        if indices.type != kind.index_type or dictionary.type != kind.value_type:
            raise CorruptValue("a dictionary of another type")
        return pa.DictionaryArray.from_arrays(indices, dictionary, ordered=kind.ordered, safe=True)
    children = [_read(decoder, child, depth + 1) for child in list_of(head.get("children", []))]
    buffers = [None if part is None else pa.py_buffer(decoder.part(part)) for part in list_of(head["buffers"])]
    if all(buffer is None for buffer in buffers):
        decoder.spend(count)
    return pa.Array.from_buffers(kind, count, buffers, children=children or None)
