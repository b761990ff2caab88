"""Stems are the same in every thread."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from boxkit.strategies.planner.words import stem

WORDS = [
    f"{start}{end}"
    for start in ("relation", "nation", "organ", "electric")
    for end in ("ally", "ization", "ing", "ities")
]


def test_threads_do_not_mix_their_words():
    alone = [stem(word) for word in WORDS]
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            together = list(pool.map(lambda _: [stem.__wrapped__(word) for word in WORDS * 30], range(4)))
        assert together == [alone * 30] * 4
    finally:
        sys.setswitchinterval(before)
