"""Values on the wire: a JSON head and raw buffers, for answers on their way out and frames on their way in.

Every value comes out as the same value of the same type, or `encode` refuses it by name. `decode` reads untrusted
bytes: it knows a list of tags, checks what each claims, and builds nothing but the types listed here and in
`boxkit.executor.tabular`.
"""

from __future__ import annotations

import base64
import collections
import datetime
import json
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from boxkit.executor.claims import CorruptValue, Unsupported, list_of, text_of, whole_of
from boxkit.executor.zones import zone_head, zone_of

__all__ = ["MAX_DEPTH", "Buffer", "Decoder", "Encoder", "decode", "encode"]

Buffer = Any  # whatever has the buffer protocol

MAX_DEPTH = 60
_JSON_INTEGER = 1 << 53
_MAX_ITEMS = 50_000_000
_MAX_NAMED_TUPLES = 100
_MAX_FRACTION_DIGITS = 5000  # in hexadecimal; a fraction is reduced, which takes long for longer ones
_FACTORIES: dict[str, Any] = {
    kind.__name__: kind for kind in (int, float, str, list, dict, set, tuple, bool, collections.Counter)
}


@dataclass(slots=True)
class Encoder:
    """Encodes one value; the buffers gather in ``parts``."""

    parts: list[Buffer] = field(default_factory=list)
    depth: int = 0

    def part(self, buffer: Buffer) -> int:
        """Keep ``buffer`` and return its number."""
        self.parts.append(buffer)
        return len(self.parts) - 1

    def value(self, value: Any) -> Any:
        """``value`` as JSON, with a tag where JSON has no such type.

        Raises:
            Unsupported: It has a type that cannot be carried, or nests too deeply.
        """
        kind = type(value)
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_JSON_INTEGER < value < _JSON_INTEGER else {"$": "int", "v": hex(value)}
        if kind is float:
            return value if math.isfinite(value) else {"$": "float", "v": repr(value)}
        write = _WRITERS.get(kind)
        if write is None:
            write = _foreign_writer(value)
        if self.depth >= MAX_DEPTH:
            raise Unsupported(f"the value nests more than {MAX_DEPTH} levels deep")
        self.depth += 1
        try:
            return write(self, value)
        finally:
            self.depth -= 1

    def values(self, values: Any) -> list[Any]:
        """Each of ``values``."""
        return [self.value(item) for item in values]

    def text(self, values: list[str]) -> int:
        """A long list of texts as one JSON part."""
        return self.part(json.dumps(values, separators=(",", ":")).encode())


@dataclass(slots=True)
class Decoder:
    """Decodes one value whose buffers are ``parts``."""

    parts: list[Buffer]
    budget: int = _MAX_ITEMS
    named: dict[tuple[str, ...], Any] = field(default_factory=dict)
    depth: int = 0

    def part(self, number: Any) -> Buffer:
        """The buffer of that number."""
        if type(number) is not int or not 0 <= number < len(self.parts):
            raise CorruptValue("no such part")
        return self.parts[number]

    def spend(self, items: int) -> None:
        """Count items that no bytes stand behind."""
        self.budget -= items
        if items < 0 or self.budget < 0:
            raise CorruptValue("more items than an answer may have")

    def value(self, head: Any) -> Any:
        """The value that ``head`` stands for."""
        if type(head) is not dict:
            return [self.value(item) for item in head] if type(head) is list else head
        tag = head.get("$")
        read = _READERS.get(tag) if type(tag) is str else None
        if read is None:
            read = _foreign_reader(tag)
        if self.depth > 2 * MAX_DEPTH:
            raise CorruptValue("nests too deeply")
        self.depth += 1
        try:
            return read(self, head)
        finally:
            self.depth -= 1

    def values(self, heads: Any) -> list[Any]:
        """Each of ``heads``."""
        return [self.value(item) for item in list_of(heads)]


def encode(value: Any) -> tuple[Any, list[Buffer]]:
    """``value`` as JSON values and buffers.

    Raises:
        Unsupported: It, or a part of it, cannot be carried; the message names the type.
    """
    encoder = Encoder()
    return encoder.value(value), encoder.parts


def decode(head: Any, parts: list[Buffer]) -> Any:
    """The value that `encode` encoded. Arrays are views over ``parts``, writable where these are.

    Raises:
        CorruptValue: `encode` cannot have written this.
    """
    import pyarrow as pa

    wrong = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, NotImplementedError)
    try:
        return Decoder(parts).value(head)
    except CorruptValue:
        raise
    except (*wrong, TypeError, ValueError, RecursionError, pa.ArrowException) as error:
        raise CorruptValue(f"{type(error).__name__}: {error}") from error


# Writers: one a type, exact types only, so that a subclass is refused rather than flattened.


def _tagged(tag: str, text: Callable[[Any], Any]) -> Callable[[Encoder, Any], Any]:
    return lambda _encoder, value: {"$": tag, "v": text(value)}


def _sequence(tag: str) -> Callable[[Encoder, Any], Any]:
    return lambda encoder, value: {"$": tag, "v": encoder.values(value)}


def _pairs(encoder: Encoder, value: Any) -> list[Any]:
    return [[encoder.value(key), encoder.value(item)] for key, item in value.items()]


def _write_datetime(_encoder: Encoder, value: datetime.datetime) -> Any:
    head = {"$": "datetime", "v": value.replace(tzinfo=None, fold=0).isoformat(), "fold": value.fold}
    return {**head, "zone": zone_head(value.tzinfo)}


def _write_time(_encoder: Encoder, value: datetime.time) -> Any:
    head = {"$": "time", "v": value.replace(tzinfo=None, fold=0).isoformat(), "fold": value.fold}
    return {**head, "zone": zone_head(value.tzinfo)}


def _write_defaultdict(encoder: Encoder, value: collections.defaultdict[Any, Any]) -> Any:
    factory = value.default_factory
    name = None if factory is None else getattr(factory, "__name__", "")
    if name is not None and _FACTORIES.get(name) is not factory:
        raise Unsupported("a defaultdict of a function cannot leave the sandbox; return dict(…) of it")
    return {"$": "defaultdict", "factory": name, "v": _pairs(encoder, value)}


def _write_fraction(value: Fraction) -> Any:
    ends = [hex(value.numerator), hex(value.denominator)]
    if max(map(len, ends)) > _MAX_FRACTION_DIGITS:
        raise Unsupported("a fraction of that many digits cannot leave the sandbox; use a float or a Decimal")
    return {"$": "Fraction", "v": ends}


def _read_fraction(_decoder: Decoder, head: dict[str, Any]) -> Fraction:
    if any(len(text_of(text)) > _MAX_FRACTION_DIGITS for text in list_of(head["v"], 2)):
        raise CorruptValue("a fraction of too many digits")
    return Fraction(*_whole_numbers(head, 2))


def _write_deque(encoder: Encoder, value: collections.deque[Any]) -> Any:
    return {"$": "deque", "max": value.maxlen, "v": encoder.values(value)}


def _write_named_tuple(encoder: Encoder, value: Any) -> Any:
    return {"$": "namedtuple", "name": type(value).__name__, "fields": list(value._fields), "v": encoder.values(value)}


def _base64(value: bytes | bytearray) -> str:
    return base64.b64encode(value).decode()


_WRITERS: dict[type, Callable[[Encoder, Any], Any]] = {
    list: lambda encoder, value: encoder.values(value),
    tuple: _sequence("tuple"),
    set: _sequence("set"),
    frozenset: _sequence("frozenset"),
    dict: lambda encoder, value: {"$": "dict", "v": _pairs(encoder, value)},
    collections.OrderedDict: lambda encoder, value: {"$": "OrderedDict", "v": _pairs(encoder, value)},
    collections.Counter: lambda encoder, value: {"$": "Counter", "v": _pairs(encoder, value)},
    collections.defaultdict: _write_defaultdict,
    collections.deque: _write_deque,
    complex: _tagged("complex", lambda value: [value.real.hex(), value.imag.hex()]),
    bytes: _tagged("bytes", _base64),
    bytearray: _tagged("bytearray", _base64),
    Decimal: _tagged("Decimal", str),
    Fraction: lambda _encoder, value: _write_fraction(value),
    range: _tagged("range", lambda value: [hex(value.start), hex(value.stop), hex(value.step)]),
    datetime.datetime: _write_datetime,
    datetime.date: _tagged("date", datetime.date.isoformat),
    datetime.time: _write_time,
    datetime.timedelta: _tagged("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
}


def _foreign_writer(value: Any) -> Callable[[Encoder, Any], Any]:
    """The writer for NumPy's and pandas' types, and for named tuples."""
    from boxkit.executor import tabular

    write = tabular.writer(value)
    if write is not None:
        return write
    kind = type(value)
    if isinstance(value, tuple) and kind.__bases__ == (tuple,) and hasattr(kind, "_fields"):
        return _write_named_tuple
    raise Unsupported(_advice(value))


def _advice(value: Any) -> str:
    kind = type(value)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    text = f"a value of type {name} cannot leave the sandbox"
    if hasattr(value, "__next__") or kind.__name__ in (
        "dict_keys",
        "dict_values",
        "dict_items",
        "zip",
        "map",
        "filter",
    ):
        return f"{text}; use list(…) of it"
    if "GroupBy" in kind.__name__:
        return f"{text}; aggregate the groups first, with .size(), .sum() or .agg(…)"
    if callable(value) and not isinstance(value, type):
        return f"{text}; call it"
    return f"{text}; use a number, text, date, list, dict, Series or DataFrame"


# Readers: one a tag.


def _read_float(_decoder: Decoder, head: dict[str, Any]) -> float:
    if head["v"] not in ("nan", "inf", "-inf"):
        raise CorruptValue("not such a float")
    return float(head["v"])


def _read_datetime(_decoder: Decoder, head: dict[str, Any]) -> datetime.datetime:
    value = datetime.datetime.fromisoformat(text_of(head["v"]))
    return value.replace(tzinfo=zone_of(head["zone"]), fold=whole_of(head["fold"]))


def _read_time(_decoder: Decoder, head: dict[str, Any]) -> datetime.time:
    value = datetime.time.fromisoformat(text_of(head["v"]))
    return value.replace(tzinfo=zone_of(head["zone"]), fold=whole_of(head["fold"]))


def _read_pairs(decoder: Decoder, head: dict[str, Any]) -> dict[Any, Any]:
    pairs = (list_of(pair, 2) for pair in list_of(head["v"]))
    return {decoder.value(key): decoder.value(item) for key, item in pairs}


def _read_defaultdict(decoder: Decoder, head: dict[str, Any]) -> collections.defaultdict[Any, Any]:
    name = head["factory"]
    return collections.defaultdict(None if name is None else _FACTORIES[text_of(name)], _read_pairs(decoder, head))


def _read_counter(decoder: Decoder, head: dict[str, Any]) -> collections.Counter[Any]:
    counter: collections.Counter[Any] = collections.Counter()
    dict.update(counter, _read_pairs(decoder, head))
    return counter


def _read_deque(decoder: Decoder, head: dict[str, Any]) -> collections.deque[Any]:
    return collections.deque(decoder.values(head["v"]), None if head["max"] is None else whole_of(head["max"]))


def _read_named_tuple(decoder: Decoder, head: dict[str, Any]) -> Any:
    values = decoder.values(head["v"])
    fields = [text_of(name) for name in list_of(head["fields"], len(values))]
    key = (text_of(head["name"]), *fields)
    if key not in decoder.named:
        if len(fields) > 1000 or len(decoder.named) >= _MAX_NAMED_TUPLES:
            raise CorruptValue("too many named tuples")
        decoder.named[key] = collections.namedtuple(key[0], fields)
    return decoder.named[key](*values)


def _from_hex(text: Any) -> int:
    return int(text_of(text), 16)


def _whole_numbers(head: dict[str, Any], count: int) -> list[int]:
    return [_from_hex(text) for text in list_of(head["v"], count)]


def _bytes(_decoder: Decoder, head: dict[str, Any]) -> bytes:
    return base64.b64decode(text_of(head["v"]), validate=True)


_READERS: dict[str, Callable[[Decoder, dict[str, Any]], Any]] = {
    "int": lambda _decoder, head: _from_hex(head["v"]),
    "float": _read_float,
    "complex": lambda _decoder, head: complex(*(float.fromhex(text_of(part)) for part in list_of(head["v"], 2))),
    "bytes": _bytes,
    "bytearray": lambda decoder, head: bytearray(_bytes(decoder, head)),
    "Decimal": lambda _decoder, head: Decimal(text_of(head["v"])),
    "Fraction": _read_fraction,
    "range": lambda _decoder, head: range(*_whole_numbers(head, 3)),
    "datetime": _read_datetime,
    "date": lambda _decoder, head: datetime.date.fromisoformat(text_of(head["v"])),
    "time": _read_time,
    "timedelta": lambda _decoder, head: datetime.timedelta(*map(whole_of, list_of(head["v"], 3))),
    "tuple": lambda decoder, head: tuple(decoder.values(head["v"])),
    "set": lambda decoder, head: set(decoder.values(head["v"])),
    "frozenset": lambda decoder, head: frozenset(decoder.values(head["v"])),
    "dict": _read_pairs,
    "OrderedDict": lambda decoder, head: collections.OrderedDict(_read_pairs(decoder, head)),
    "Counter": _read_counter,
    "defaultdict": _read_defaultdict,
    "deque": _read_deque,
    "namedtuple": _read_named_tuple,
}


def _foreign_reader(tag: Any) -> Callable[[Decoder, dict[str, Any]], Any]:
    from boxkit.executor import tabular

    read = tabular.READERS.get(tag) if type(tag) is str else None
    if read is None:
        raise CorruptValue("no such tag")
    return read
