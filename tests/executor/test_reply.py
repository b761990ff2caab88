"""Replies that nobody vouches for: forged, cut, mutated, lying about their size."""

from __future__ import annotations

import json
import random
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from boxkit.executor.claims import CorruptValue
from boxkit.executor.codec import encode
from boxkit.executor.limits import Limits
from boxkit.executor.outcome import outcome
from boxkit.executor.program import Reply
from boxkit.executor.reading import Reading
from boxkit.executor.reply import Incoming, TooLarge
from boxkit.executor.session import Ending
from boxkit.executor.supply import supply

LIMIT = 1 << 20


def written(value: Any) -> bytes:
    """The bytes of an honest reply."""
    head, parts = encode(value)
    pieces: list[bytes] = []

    def write(data: Any) -> int:
        pieces.append(bytes(data))
        return len(data)

    Reply({"value": head}, parts).write(write)
    return b"".join(pieces)


def received(data: bytes, limit: int = LIMIT) -> Any:
    incoming = Incoming(limit)
    for start in range(0, len(data), 997):
        incoming.feed(data[start : start + 997])
    if not incoming.complete:
        raise CorruptValue("it ends too early")
    run = outcome(Ending(incoming), Reading("answer = 1"), supply({}), Limits(), "full")
    if run.error is not None:
        raise CorruptValue(run.error.message)
    return run.answer


SAMPLES = [
    {"a": [1, 2.5, None, "x", b"y"], "b": (pd.Timestamp("2024-01-01", tz="UTC"), 2**80)},
    pd.DataFrame({"i": [1, 2], "s": ["a", None], "f": [0.5, np.nan], "o": pd.Series([1, "z"], dtype=object)}),
    pd.DataFrame(
        {
            "c": pd.Categorical(["a", "b"]),
            "z": pd.date_range("2024", periods=2, tz="Europe/Berlin"),
            "n": pd.array([1, None], dtype="Int64"),
            "p": pd.period_range("2024", periods=2, freq="M"),
            "b": [True, False],
        },
        index=pd.MultiIndex.from_tuples([("a", 1), ("b", 2)]),
    ),
    pd.Series(pd.arrays.SparseArray([0, 0, 1]), name="s"),
    [np.array(["ab", "c"]), np.array([1, 2], dtype=">i2"), np.float32(1), np.datetime64("2024")],
]


def mutated(data: bytes, dice: random.Random) -> bytes:
    """``data`` with a few bytes changed, removed, doubled or moved."""
    bent = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(bent))
        match dice.randrange(6):
            case 0:
                bent[at] = dice.randrange(256)
            case 1:
                bent[at] ^= 1 << dice.randrange(8)
            case 2:
                del bent[at : at + dice.randrange(1, 9)]
            case 3:
                bent[at:at] = bent[at : at + dice.randrange(1, 20)]
            case 4:
                bent[at : at + 8] = dice.choice((b"\xff" * 8, b"\0" * 8, b"9" * 8, b'{"$":"a"', b"[[[[[[[["))
            case _:
                other = dice.randrange(len(bent))
                bent[at : at + 4], bent[other : other + 4] = bent[other : other + 4], bent[at : at + 4]
        if not bent:
            return b"\0"
    return bytes(bent)


@pytest.mark.slow
def test_eight_thousand_mutated_replies_are_a_value_or_a_clear_refusal() -> None:
    dice = random.Random(7)
    honest = [written(sample) for sample in SAMPLES]
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in range(8_000):
            try:
                value = received(mutated(honest[number % len(honest)], dice))
            except (CorruptValue, TooLarge):
                refused += 1
            else:
                repr(value)  # nothing that trips over itself later
    assert refused > 2_000


def reply(head: Any, *parts: bytes, length: int | None = None, sizes: list[Any] | None = None) -> bytes:
    text = json.dumps({"value": head, "parts": [len(part) for part in parts] if sizes is None else sizes}).encode()
    return (len(text) if length is None else length).to_bytes(8, "little") + text + b"".join(parts)


HUGE = 1 << 50
DATA = {"n": 1, "type": "large_string", "buffers": [None, 0, 1]}
TEXT = {"as": "text", "n": 1, "storage": "pyarrow", "na": "nan", "data": DATA}
ODD = {"as": "arrow", "n": 1, "data": {"n": 1, "type": ["extension", "x"], "buffers": []}}
PATH = ["zoneinfo", "../../etc/passwd"]
FORGED: dict[str, bytes] = {
    "a length beyond the limit": reply(1, length=HUGE),
    "parts beyond the limit": reply(1, sizes=[HUGE]),
    "parts that add up beyond the limit": reply(1, sizes=[LIMIT // 2] * 4),
    "a negative part": reply(1, sizes=[-5]),
    "parts by the million": reply(1, sizes=[0] * 200_000),
    "no head": (8).to_bytes(8, "little") + b"[1, 2,3]",
    "NaN": (30).to_bytes(8, "little") + b'{"value": NaN, "parts": []}   ',
    "nesting": (200_000).to_bytes(8, "little") + b"[" * 200_000,
    "a giant integer": (100_040).to_bytes(8, "little") + b'{"parts": [], "value": ' + b"9" * 100_010 + b"}      ",
    "an unknown tag": reply({"$": "pickle", "v": "x"}),
    "a tag that is no text": reply({"$": ["dict"]}),
    "an array larger than its bytes": reply({"$": "array", "shape": [HUGE], "dtype": "<i8", "part": 0}, b"12345678"),
    "an array of nothing, many times": reply({"$": "array", "shape": [HUGE], "dtype": "<U0", "part": 0}, b""),
    "a negative shape": reply({"$": "array", "shape": [-1, -8], "dtype": "<i8", "part": 0}, b"12345678"),
    "an array of objects by its bytes": reply({"$": "array", "shape": [1], "dtype": "|O", "part": 0}, b"12345678"),
    "a part that is not there": reply({"$": "array", "shape": [1], "dtype": "<i8", "part": 7}, b"12345678"),
    "a character beyond Unicode": reply({"$": "array", "shape": [1], "dtype": "<U1", "part": 0}, b"\xff\xff\xff\xff"),
    "a boolean of seven": reply({"$": "array", "shape": [1], "dtype": "|b1", "part": 0}, b"\x07"),
    "an index that never ends": reply({"$": "index", "kind": "range", "ends": [0, HUGE, 1], "name": None}),
    "a sparse column that never ends": reply(
        {
            "$": "extension",
            "column": {
                "as": "sparse",
                "n": HUGE,
                "kind": "integer",
                "fill": 0,
                "values": {"as": "numpy", "array": {"$": "array", "shape": [0], "dtype": "<i8", "part": 0}},
                "at": 0,
            },
        },
        b"",
    ),
    "categories out of range": reply(
        {
            "$": "extension",
            "column": {
                "as": "categories",
                "n": 1,
                "codes": 0,
                "dtype": "|i1",
                "ordered": False,
                "categories": {"$": "index", "kind": "range", "ends": [0, 1, 1], "name": None},
            },
        },
        b"\x05",
    ),
    "text with lying offsets": reply(
        {
            "$": "extension",
            "column": {
                "as": "text",
                "n": 1,
                "storage": "pyarrow",
                "na": "nan",
                "data": {"n": 1, "type": "large_string", "buffers": [None, 0, 1]},
            },
        },
        b"\0" * 8 + (1 << 40).to_bytes(8, "little"),
        b"ab",
    ),
    "text that is no UTF-8": reply(
        {
            "$": "extension",
            "column": {
                "as": "text",
                "n": 1,
                "storage": "pyarrow",
                "na": "nan",
                "data": {"n": 1, "type": "large_string", "buffers": [None, 0, 1]},
            },
        },
        b"\0" * 8 + (2).to_bytes(8, "little"),
        b"\xff\xfe",
    ),
    "a zone with a path": reply({"$": "datetime", "v": "2024-01-01T00:00:00", "fold": 0, "zone": PATH}),
    "an extension type": reply(
        {
            "$": "extension",
            "column": {"as": "arrow", "n": 1, "data": {"n": 1, "type": ["extension", "x"], "buffers": []}},
        }
    ),
    "unhashable keys": reply({"$": "dict", "v": [[[1], 2]]}),
    "a name that is code": reply({"$": "namedtuple", "name": "x(", "fields": ["a"], "v": [1]}),
    "a named tuple after another": reply(
        [{"$": "namedtuple", "name": f"T{n}", "fields": ["a"], "v": [n]} for n in range(500)]
    ),
    "lists by the million": (6_000_030).to_bytes(8, "little") + b'{"parts": [], "value": [' + b"[]," * 2_000_002,
    "a fraction that takes for ever": reply({"$": "Fraction", "v": ["0x" + "f" * 100_000, "0x" + "e" * 99_999]}),
    "a decimal without end": reply({"$": "Decimal", "v": "abc"}),
    "columns of two lengths": reply(
        {
            "$": "frame",
            "columns": [{"as": "numpy", "array": {"$": "array", "shape": [1], "dtype": "<i8", "part": 0}}],
            "labels": {"$": "index", "kind": "range", "ends": [0, 1, 1], "name": None},
            "index": {"$": "index", "kind": "range", "ends": [0, 9, 1], "name": None},
        },
        b"12345678",
    ),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_reply_is_refused(name: str) -> None:
    with pytest.raises((CorruptValue, TooLarge)):
        received(FORGED[name])


FORGE = """
os = pd.io.common.os
def send(data):
    view = memoryview(data)
    while view: view = view[os.write(4, view):]
"""


FORGERIES = {
    "garbage": ("send(b'garbage that is no reply' * 9); os._exit(0)", "too large"),
    "no JSON": ("send((9).to_bytes(8, 'little') + b'[' * 9); os._exit(0)", "crashed"),
    "a lying length": ("send((1 << 60).to_bytes(8, 'little')); os._exit(0)", "too large"),
    "cut short": ("send((60).to_bytes(8, 'little') + b'x'); os._exit(0)", "crashed"),
    "cut short and waiting": ("send((60).to_bytes(8, 'little') + b'x')\nwhile True: pass", "timeout"),
    "silence": ("os._exit(0)", "crashed"),
    "an odd kind": (
        'h = b\'{"error": {"kind": "odd"}, "parts": []}\'\nsend(len(h).to_bytes(8, \'little\') + h); os._exit(0)',
        "crashed",
    ),
    "a slow drip": ("send((1 << 20).to_bytes(8, 'little'))\nwhile True: send(b' '); sum(range(10**5))", "timeout"),
}


@pytest.mark.parametrize(("code", "kind"), FORGERIES.values(), ids=FORGERIES)
def test_a_child_that_forges_its_reply_spoils_only_its_own_run(code: str, kind: str, harness: Any) -> None:
    assert harness.run(FORGE + code, seconds=1).error.kind == kind
    assert harness.run("answer = int(t['a'].sum())").answer == 6


def test_a_child_can_forge_its_own_answer_and_nothing_else(harness: Any) -> None:
    text = b'{"value": 42, "parts": [], "stdout": "", "cut": false}'
    run = harness.run(FORGE + f"send(({len(text)}).to_bytes(8, 'little') + {text!r})\nwhile True: pass", seconds=5)
    assert run.answer == 42 and run.seconds < 4 and run.isolation == "full"


def test_an_answer_over_the_limit_is_too_large(harness: Any) -> None:
    run = harness.run("answer = np.zeros(3_000_000)", reply_mb=8)
    assert run.error.kind == "too large" and "8 MB" in run.error.message
    assert harness.run("answer = np.zeros(900_000)", reply_mb=8).answer.size == 900_000
