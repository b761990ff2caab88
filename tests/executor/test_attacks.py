"""The sandbox holds, and each attack would succeed without the layers that stop it."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import boxkit
from boxkit.executor.layers import Layers, available

_spec = importlib.util.spec_from_file_location("boxkit_test_attack_list", Path(__file__).parent / "attacks.py")
assert _spec is not None and _spec.loader is not None
attacks = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = attacks
_spec.loader.exec_module(attacks)

pytestmark = pytest.mark.skipif(
    available()[0] != Layers(), reason="this machine lacks Landlock or seccomp, so there is nothing to attack"
)

each_attack = pytest.mark.parametrize("attack", attacks.ATTACKS, ids=lambda attack: attack.name)


@each_attack
def test_an_attack_achieves_nothing_and_honest_code_works_afterwards(attack: Any, stage: Any, harness: Any) -> None:
    assert not stage.achieves(attack)
    assert harness.run("answer = int(t['a'].sum())").answer == 6


@pytest.mark.slow
@pytest.mark.parametrize("attack", [each for each in attacks.ATTACKS if each.off], ids=lambda attack: attack.name)
def test_without_the_layers_that_stop_it_the_attack_succeeds(attack: Any, stage: Any, harness: Any) -> None:
    # Fewer kinds of worker: one lacks a layer too many rather than each attack having its own.
    off = attack.off if len(attack.off) < 3 else attacks.ALL
    assert stage.achieves(attack, harness.without(*off))


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86-64's")
def test_raw_system_calls_are_refused(harness: Any) -> None:
    refused = harness.run(attacks.RAW_CODE % attacks.RAW).answer
    assert {name for name, code in refused.items() if code != 1} == set()


@pytest.mark.slow
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are x86-64's")
def test_without_seccomp_most_raw_system_calls_reach_the_kernel(harness: Any) -> None:
    # pause, vfork and their like would end the test.
    calls = {name: number for name, number in attacks.RAW.items() if name not in ("pause", "fork", "vfork", "setsid")}
    reached = harness.run(attacks.RAW_CODE % calls, harness.without("seccomp")).answer
    assert len([name for name, code in reached.items() if code != 1]) > len(calls) / 2


@pytest.mark.parametrize(
    ("name", "machine_code"),
    [
        ("getpid by int 0x80", "b814000000cd80c3"),
        ("getpid by x32", "b8270000400f05c3"),
    ],
)
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="these are x86-64's other doors")
def test_other_ways_into_the_kernel_kill_the_run(harness: Any, name: str, machine_code: str) -> None:
    code = f"""
m = pd.io.common.os.sys.modules["mmap"]
c = np.ctypeslib.ctypes
page = m.mmap(-1, 4096, prot=m.PROT_READ | m.PROT_WRITE | m.PROT_EXEC)
page.write(bytes.fromhex({machine_code!r}))
answer = c.CFUNCTYPE(c.c_long)(c.addressof(c.c_char.from_buffer(page)))()
"""
    assert harness.run(code).error.kind == "refused"


def test_no_secret_of_the_host_can_be_found_in_memory(harness: Any, stage: Any) -> None:
    code = """
import_ = pd.io.common.os.sys.modules["builtins"].__import__
gc, sys = import_("gc"), import_("sys")
texts = [repr(frame.f_locals) + repr(list(frame.f_globals)) for frame in sys._current_frames().values()]
texts += [o for o in gc.get_objects() if isinstance(o, str)]
texts += [repr(o) for o in gc.get_objects() if type(o) in (dict, list, tuple) and len(o) < 50]
words = ["crown", "jewels"]
answer = any(" ".join(words) in text for text in texts)
"""
    assert harness.run(code, seconds=20).answer is False


def test_what_a_run_changes_is_gone_in_the_next(harness: Any) -> None:
    spoil = """
t.loc[:, "a"] = 99
t["new"] = 1
arr = t["b"].array
pd.DataFrame.sum = lambda self: "spoilt"
np.sum = pd.Series.sum = lambda self: "spoilt"
pd.io.common.os.sys.modules["boxkit.executor.codec"].encode = lambda value: ("spoilt", [])
answer = 1
"""
    assert harness.run(spoil).answer == "spoilt"
    assert harness.run("answer = (int(t['a'].sum()), list(t.columns))").answer == (6, ["a", "b"])


def test_writing_into_the_shared_buffer_stays_private(harness: Any) -> None:
    assert (
        harness.run("v = t['a'].to_numpy(); v.flags.writeable = True; v[:] = 7; answer = int(t.a.sum())").answer == 21
    )
    assert harness.run("answer = int(t['a'].sum())").answer == 6


def test_a_stopped_child_is_killed_at_its_deadline(harness: Any) -> None:
    code = "s = pd.io.common.os.sys.modules['signal']; s.raise_signal(s.SIGSTOP); answer = 1"
    assert harness.run(code, seconds=1).error.kind == "timeout"
    assert harness.run("answer = 1").answer == 1


def test_what_lies_beside_the_package_cannot_be_read(harness: Any) -> None:
    root = Path(boxkit.__file__).parent.parent
    if root.name == "site-packages":
        pytest.skip("boxkit is installed among the packages, which may be read")
    names = [path.name for path in root.iterdir() if path.is_file()]
    code = f"""
os = pd.io.common.os
answer = []
for name in {names!r}:
    try:
        os.open({str(root)!r} + "/" + name, os.O_RDONLY)
        answer.append(name)
    except OSError:
        pass
"""
    assert harness.run(code).answer == []


@pytest.mark.slow
def test_analytics_do_not_open_the_sandbox(harness: Any, stage: Any) -> None:
    for package in ("scipy", "statsmodels", "sklearn", "matplotlib"):
        pytest.importorskip(package)
    used = "import scipy.stats, statsmodels.api, sklearn.linear_model, matplotlib.pyplot\n"
    assert harness.run(used + "answer = int(t['a'].sum())", memory_mb=1500).answer == 6
    code = used + attacks.PRELUDE + f"answer = os.listdir({str(stage.folder)!r})"
    assert harness.run(code, memory_mb=1500).error.kind == "refused"


# The same as an ordinary user.


def _closed(path: Path) -> Path | None:
    """The outermost folder above ``path`` that other users may not enter."""
    above = [*reversed(path.parents), path]
    return next((folder for folder in above if not stat.S_IMODE(folder.stat().st_mode) & stat.S_IXOTH), None)


def _opened(paths: list[Path], staging: Path) -> str:
    """Shell code that shows ``paths`` to every user, in a mount namespace of its own, where they have always been."""
    hidden = {path: folder for path in dict.fromkeys(paths) if (folder := _closed(path)) is not None}
    lines = ["mount --make-rprivate /"]
    for at, path in enumerate(hidden):
        (staging / str(at)).mkdir()
        lines.append(f"mount --rbind '{path}' '{staging / str(at)}'")
    lines += [f"mount -t tmpfs -o mode=755 tmpfs '{folder}'" for folder in dict.fromkeys(hidden.values())]
    for at, path in enumerate(hidden):
        lines += [f"mkdir -p '{path}'", f"mount --rbind '{staging / str(at)}' '{path}'"]
    return " && ".join(lines)


@pytest.fixture(scope="module")
def ordinary() -> Iterator[dict[str, Any]]:
    """What the attacks achieve when everything runs as a user without rights."""
    if os.getuid():
        pytest.skip("these tests run as an ordinary user already")
    if not (shutil.which("setpriv") and shutil.which("unshare")):
        pytest.skip("setpriv and unshare are needed to become another user")
    staging = Path(tempfile.mkdtemp(prefix="boxkit-user-"))
    root = Path(boxkit.__file__).parent.parent
    script = Path(__file__).parent / "harness.py"
    opened = _opened([Path(sys.base_prefix), Path(sys.prefix), root, script.parent], staging)
    become = "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all"
    command = f"{opened} && exec {become} '{sys.executable}' -B '{script}'"
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )
    if done.stderr.startswith(("mount:", "unshare:")):
        pytest.skip(f"this machine allows no mounts: {done.stderr[-200:]}")
    assert done.returncode == 0, done.stderr
    yield json.loads(done.stdout)
    shutil.rmtree(staging, ignore_errors=True)


@pytest.mark.slow
def test_as_an_ordinary_user_every_attack_achieves_nothing(ordinary: dict[str, Any]) -> None:
    assert ordinary["user"] == 65534 and ordinary["isolation"] == "full" and ordinary["control"] == [6, 6]
    assert len(ordinary["achieved"]) == len(attacks.ATTACKS)
    assert [name for name, achieved in ordinary["achieved"].items() if achieved] == []


@pytest.mark.slow
def test_as_an_ordinary_user_raw_system_calls_are_refused(ordinary: dict[str, Any]) -> None:
    assert {name for name, code in ordinary["raw"].items() if code != 1} == set()
