"""The levels of isolation: what each refuses, and that the caller is told which it is."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from boxkit.errors import IsolationUnavailable
from boxkit.executor import examine, kernel, landlock, seccomp
from boxkit.executor import layers as layers_module
from boxkit.executor.layers import Layers, available
from boxkit.executor.syscalls import ALLOWED, AUDIT_ARCHITECTURE, FILE_CALLS, SYSCALLS

STRICT = Layers(landlock=False, preloaded=True)
WEAK = Layers(False, False, False, True, forks=False)


def test_this_machine_says_what_it_has_and_why() -> None:
    layers, reasons = available()
    assert layers.level in ("full", "strict", "weak")
    assert (layers.level == "full") == (not reasons)


def test_strict_runs_without_any_file_call(harness: Any) -> None:
    run = harness.run("answer = (int(t.a.sum()), str(pd.Timestamp('2024-07-01', tz='Asia/Tokyo').tz))", STRICT)
    assert run.answer == (6, "Asia/Tokyo") and run.isolation == "strict"
    for code in ("pd.io.common.os.listdir('/')", "pd.io.common.os.stat('/')", "np.fromfile(np.__file__)"):
        assert harness.run(code, STRICT).error.kind in ("refused", "exception")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("answer = int(t.a.sum())", None),
        ("1 / 0", "exception"),
        ("while True: pass", "timeout"),
        ("x = 10**10**8", "timeout"),
        ("x = bytearray(4 * 10**9)", "memory"),
        ("pd.io.common.os._exit(0)", "crashed"),
        ("print('only this')", "no answer"),
        ("answer = 'OPENAI' in str(pd.io.common.os.environ)", None),
    ],
)
def test_weak_is_a_process_that_is_killed_at_its_limits(code: str, kind: str | None, harness: Any) -> None:
    run = harness.run(code, WEAK, seconds=2, memory_mb=512)
    assert run.isolation == "weak"
    assert (run.error.kind if run.error else None) == kind
    if kind is None:
        assert run.answer in (6, False)


@pytest.mark.slow
def test_weak_needs_none_of_what_only_unix_has(harness: Any) -> None:
    code = """
import sys
for name in ("fcntl", "resource", "grp", "pwd"): sys.modules[name] = None
import pandas as pd, boxkit.executor
e = sys.modules["boxkit.executor.execute"]
from boxkit.executor.layers import Layers
weak = Layers(False, False, False, False, forks=False)
limits = e.Limits(allow_weak=True)
frames = e.supply({"t": pd.DataFrame({"a": [1, 2]})})
print(e._execute("int(t.a.sum())", frames, limits, weak, None).answer)
print(e._execute("pd.io.common.os._exit(9)", frames, limits, weak, None).error.kind)
"""
    root = str(Path(harness.__file__).parent.parent.parent)
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "3\ncrashed\n", done.stderr


def test_weak_is_refused_unless_allowed(harness: Any) -> None:
    with pytest.raises(IsolationUnavailable, match="allow_weak=True"):
        harness.run("answer = 1", WEAK, allow_weak=False)


@pytest.mark.parametrize(
    ("machine", "abi", "filters", "level", "reason"),
    [
        (True, 7, True, "full", ""),
        (True, 2, True, "strict", "version 2"),
        (True, 0, True, "strict", "missing"),
        (True, 7, False, "weak", "seccomp"),
        (False, 0, False, "weak", "needs Linux"),
    ],
)
def test_the_level_follows_from_what_the_machine_has(
    machine: bool, abi: int, filters: bool, level: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel, "supported", lambda: machine)
    monkeypatch.setattr(landlock, "abi", lambda: abi)
    monkeypatch.setattr(seccomp, "available", lambda: filters)
    layers, reasons = layers_module.available.__wrapped__(Layers())
    assert layers.level == level and reason in "; ".join(reasons)


@pytest.mark.parametrize("machine", SYSCALLS)
def test_every_processor_has_what_the_filter_needs(machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "machine", lambda: machine)
    numbers = SYSCALLS[machine]
    assert len(set(numbers.values())) == len(numbers) and machine in AUDIT_ARCHITECTURE
    assert {"openat", "read", "write", "mmap", "futex", "exit_group", "clone", "clone3", "prlimit64"} <= set(numbers)
    assert not {"socket", "execve", "fork", "kill", "ptrace", "memfd_create"} & {*ALLOWED, *FILE_CALLS}
    for files in (True, False):
        program = seccomp.program(77, files=files)
        assert verdict(program, machine, numbers["read"]) == "allow"
        assert (verdict(program, machine, numbers["openat"]) == "allow") == files
        assert verdict(program, machine, 99_999) == errno.EPERM
        assert verdict(program, machine, numbers["clone3"]) == errno.ENOSYS
        assert verdict(program, machine, numbers["clone"], 0x00010F00) == "allow"
        assert verdict(program, machine, numbers["clone"], 0x11) == errno.EPERM
        assert verdict(program, machine, numbers["clone"], 0x40010F00) == errno.EPERM
        assert verdict(program, machine, numbers["tgkill"], 77) == "allow"
        assert verdict(program, machine, numbers["tgkill"], 78) == errno.EPERM
        assert verdict(program, machine, numbers["prlimit64"], 0, 7, 0) == "allow"
        assert verdict(program, machine, numbers["prlimit64"], 0, 7, 1 << 40) == errno.EPERM
        assert verdict(program, machine, numbers["prlimit64"], 1, 7, 0) == errno.EPERM
        assert verdict(program, machine, numbers["ioctl"], 1, 0x5401) == "allow"
        assert verdict(program, machine, numbers["ioctl"], 1, 0x5412) == errno.ENOTTY
        assert verdict(program, machine, numbers["fcntl"], 1, 3) == "allow"
        assert verdict(program, machine, numbers["fcntl"], 1, 1024) == errno.EPERM
        assert verdict(program, machine, numbers["fcntl"], 1, 6) == errno.EPERM
        assert verdict(program, "other", numbers["read"]) == "kill"
        assert verdict(program, machine, numbers["read"] | 0x40000000) == "kill"
    assert verdict(seccomp.program(77, files=True, locks=True), machine, numbers["fcntl"], 1, 6) == "allow"
    assert verdict(seccomp.program(77, files=True, threads=False), machine, numbers["clone"], 0x10F00) == errno.EPERM


def verdict(program: bytes, machine: str, number: int, *arguments: int) -> Any:
    """What the kernel would do: the BPF program run by hand."""
    import struct

    words = struct.pack(
        "=IIQ6Q", number, AUDIT_ARCHITECTURE.get(machine, 1), 0, *(*arguments, *[0] * (6 - len(arguments)))
    )
    at, held = 0, 0
    while True:
        operation, if_true, if_false, value = struct.unpack_from("=HBBI", program, 8 * at)
        at += 1
        if operation == 0x20:
            held = struct.unpack_from("=I", words, value)[0]
        elif operation == 0x06:
            return {0x7FFF0000: "allow", 0x80000000: "kill"}.get(value, value & 0xFFFF)
        else:
            met = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[operation]
            at += if_true if met else if_false


def test_the_frames_survive_every_level(harness: Any) -> None:
    for layers in (Layers(), STRICT):
        answer = harness.run("answer = t", layers).answer
        pd.testing.assert_frame_equal(answer, harness.frames()["t"])


def test_the_examination_tells_level_layers_and_times() -> None:
    found = examine()
    assert found.level == available()[0].level and not found.problem
    assert set(found.layers) <= {"landlock", "seccomp", "namespaces", "rlimits"} and found.layers
    assert 0 < found.next_s < found.first_s
