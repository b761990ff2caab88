"""What exceeds its limits is stopped, in time, and named; the next run is right."""

from __future__ import annotations

import time
from typing import Any

import pytest

from boxkit.executor import Limits

IMPORT = 'imp = pd.io.common.os.sys.modules["builtins"].__import__\n'


IGNORE = IMPORT + "s = imp('signal')\nfor n in (s.SIGTERM, s.SIGINT, s.SIGXCPU, s.SIGALRM): s.signal(n, s.SIG_IGN)\n"
ENDLESS = {
    "a loop": "while True: pass",
    "a power in C": "x = 10**10**8",
    "a cross merge": "u = pd.DataFrame({'k': 1, 'v': range(30_000)})\nanswer = len(u.merge(u, on='k'))",
    "a regular expression": "re.match(r'(a+)+$', 'a' * 60 + 'b')",
    "a huge product": "itertools.product(range(10**9)).__next__()",
    "a caught end": "try:\n    while True: pass\nexcept BaseException: pass\nwhile True: pass",
    "a sleep": IMPORT + "imp('time').sleep(60)",
    "ignored signals": IGNORE + "while True: pass",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_what_never_ends_is_stopped_in_time(code: str, harness: Any) -> None:
    started = time.perf_counter()
    run = harness.run(code, seconds=1, memory_mb=1500)
    assert run.error.kind in ("timeout", "memory")
    assert time.perf_counter() - started < 6
    assert harness.run("answer = int(t['a'].sum())").answer == 6


@pytest.mark.slow
def test_processor_time_is_limited_too(harness: Any) -> None:
    ignore = IMPORT + "s = imp('signal'); s.signal(s.SIGXCPU, s.SIG_IGN)\n"
    run = harness.run(ignore + "while True: pass", seconds=30, cpu_seconds=1)
    assert run.error.kind == "timeout" and run.seconds < 25


GREEDY = [
    "x = bytearray(1_500_000_000)",
    "x = [0] * 10**9",
    "x = np.ones(10**9)",
    "x = 'a' * 10**10",
    "x = [list(range(10**6)) for i in range(10**3)]",
]


@pytest.mark.parametrize("code", GREEDY)
def test_too_much_memory_is_a_memory_failure(code: str, harness: Any) -> None:
    run = harness.run(code + "\nanswer = 1", memory_mb=512)
    assert run.error.kind == "memory" and run.error.hint
    assert harness.run("answer = 1").answer == 1


def test_memory_within_the_limit_is_there_and_measured(harness: Any) -> None:
    run = harness.run("x = np.ones(20_000_000); answer = float(x.sum())", memory_mb=512)
    assert run.answer == 20_000_000
    assert 140 < run.peak_memory_mb < 300


def test_printing_without_end_is_cut_and_said_to_be(harness: Any) -> None:
    run = harness.run("for i in range(300): print('x' * 1_000_000)\nanswer = 1", seconds=20)
    assert run.answer == 1
    assert len(run.stdout) < 70_000 and "[cut:" in run.stdout


def test_threads_that_outlive_the_run_are_ended(harness: Any) -> None:
    code = IMPORT + "def spin():\n    while True: pass\nimp('threading').Thread(target=spin).start(); answer = 5"
    run = harness.run(code, seconds=5)
    assert run.answer == 5 and run.seconds < 4


BAD_ENDS = {
    "_exit": ("pd.io.common.os._exit(3)", "crashed"),
    "segfault": ("np.ctypeslib.ctypes.string_at(0)", "crashed"),
    "abort": ("pd.io.common.os.abort()", "crashed"),
    "SystemExit": ("raise SystemExit(0)", "exception"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "exception"),
    "no text": ("class E(BaseException):\n    def __str__(self): raise ValueError\nraise E", "exception"),
    "recursion": ("def f(n): return f(n + 1)\nf(0)", "exception"),
    "deep nesting": ("x = ()\nfor i in range(10**6): x = (x,)\nanswer = x", "unsupported"),
    "a circle": ("x = []\nx.append(x)\nanswer = x", "unsupported"),
}


@pytest.mark.parametrize(("code", "kind"), BAD_ENDS.values(), ids=BAD_ENDS)
def test_a_run_that_ends_badly_says_how(code: str, kind: str, harness: Any) -> None:
    assert harness.run(code).error.kind == kind
    assert harness.run("answer = int(t['a'].sum())").answer == 6


@pytest.mark.parametrize("name", ["seconds", "memory_mb", "output_kb", "reply_mb", "cpu_seconds"])
def test_limits_must_be_positive(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: 0})
