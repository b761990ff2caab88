"""Namespaces of a worker's own: users, processes, network, IPC and mounts. A second fence, where there are any."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable

from boxkit.executor import kernel

__all__ = ["enter", "private_root"]

CLONE_NEWNS = 0x00020000
CLONE_NEWIPC = 0x08000000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
CLONE_NEWNET = 0x40000000
_ALL = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET

MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC = 1, 2, 4, 8
MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 32, 4096, 16384, 1 << 18


def enter(parting: Callable[[], None]) -> bool:
    """Go on as the first process of new namespaces; False, with nothing changed, where the machine does not allow it.

    A process cannot move itself into a PID namespace: a child goes on, and this one waits for it and ends when it ends.

    Args:
        parting: Closes, in the process that waits, what only the other should hold.
    """
    if not _allowed():
        return False
    _unshare()
    child = os.fork()
    if child == 0:
        kernel.set_parent_death_signal(signal.SIGKILL)
        return True
    parting()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _, status = os.waitpid(child, 0)
    os._exit(max(0, os.waitstatus_to_exitcode(status)))


def _unshare() -> None:
    user, group = os.getuid(), os.getgid()
    kernel.unshare(_ALL)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def _allowed() -> bool:
    """Try it in a process that then ends: half a success could not be taken back."""
    child = os.fork()
    if child == 0:
        try:
            _unshare()
            kernel.mount("none", "/", flags=MS_REC | MS_PRIVATE)
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def private_root(readable: Iterable[str]) -> bool:
    """See, from now on, only these files and folders; False, with all still in sight, where mounting is not allowed."""
    paths = _outermost(readable)
    site = next(
        (each for each in _SITES if os.path.isdir(each) and not any(_below(path, each) for path in paths)), None
    )
    if site is None:
        return False
    try:
        kernel.unshare(CLONE_NEWNS)
        kernel.mount("none", "/", flags=MS_REC | MS_PRIVATE)
        kernel.mount("tmpfs", site, "tmpfs", MS_NOSUID | MS_NODEV)
        for path in paths:
            _bind(path, site + path)
        os.mkdir(site + "/.old")
        kernel.pivot_root(site, site + "/.old")
    except OSError:
        return False
    os.chdir("/")
    kernel.unmount("/.old")
    os.rmdir("/.old")
    return True


#: Folders that a new root may be built on; it hides what lies below.
_SITES = ("/sys", "/mnt", "/media", "/srv", "/run", "/tmp")  # noqa: S108 - places to mount on, no files of ours


def _outermost(paths: Iterable[str]) -> list[str]:
    """The paths as they are spelled and as they really are, without those that lie below another."""
    spelled = {os.path.normpath(path) for path in paths if os.path.exists(path)}
    every = sorted(spelled | {os.path.realpath(path) for path in spelled})
    return [path for path in every if path != "/" and not any(_below(path, other) for other in every)]


def _below(path: str, folder: str) -> bool:
    return path.startswith(folder + "/")


def _bind(path: str, target: str) -> None:
    if os.path.isdir(path):
        os.makedirs(target, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "x"):
            pass
    kernel.mount(path, target, flags=MS_BIND | MS_REC)
