"""Processes that outlive their time are killed, however many run at once."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from boxkit.process import end, killed_after


def sleeping():
    return subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], stdin=subprocess.PIPE)


def test_each_process_is_killed_at_its_own_time_and_no_sooner():
    late, soon = sleeping(), sleeping()
    try:
        with killed_after(late, 60) as spared, killed_after(soon, 0.1) as killed:
            assert soon.wait(10) != 0 and killed.is_set()
            assert late.poll() is None and not spared.is_set()
    finally:
        end(late)
        end(soon)


def test_one_that_is_through_in_time_is_left_alone_and_hundreds_take_one_thread():
    process, before = sleeping(), threading.active_count()
    try:
        for _ in range(300):
            with killed_after(process, 0.2) as killed:
                assert threading.active_count() <= before + 1
            assert not killed.is_set()
        time.sleep(0.4)
        assert process.poll() is None
    finally:
        end(process)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_watches_its_own():
    parents = sleeping()
    with killed_after(parents, 60):
        child = os.fork()
        if child == 0:
            own = sleeping()
            with killed_after(own, 0.1):
                os._exit(0 if own.wait(10) else 1)
    end(parents)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
