"""What gVisor shows in `/proc` beside a job's own processes: no option of the mount hides it, so it is covered."""

from __future__ import annotations

import os
from pathlib import Path

from sandbox_executor.launcher.syscalls import MS_NODEV, MS_NOEXEC, MS_NOSUID, MS_RDONLY, MS_REMOUNT, bind, mount

QUIET = MS_NOSUID | MS_NODEV | MS_NOEXEC
# What is left: processes that are still to come, and names that lead to the caller's own.
_OWN = ("self", "thread-self", "mounts")


def is_gvisor(release: str | None = None) -> bool:
    """Whether the kernel is gVisor's, in user space, by what it calls itself.

    Args:
        release: As `uname` tells it; that of this process where it is left out.
    """
    return "gvisor" in (os.uname().release if release is None else release).lower()


def hide(folder: str) -> None:
    """Cover all that is in `/proc`, the caller too, and let nobody write to what comes.

    Each process that comes has a `net` of its own, where gVisor shows the sockets of all network namespaces: addresses
    to which a job has no way.

    Args:
        folder: An empty one in memory, in which nobody else will look for files.

    Raises:
        OSError: the kernel refused.
    """
    nothing = Path(folder, "nothing")
    nothing.touch(0)
    empty = Path(folder, "empty")
    empty.mkdir(0)
    for path in Path("/proc").iterdir():
        # Of the processes only this one is there yet.
        if path.name not in _OWN:
            bind(str(empty if path.is_dir() else nothing), str(path))
    mount("none", "/proc", "", MS_REMOUNT | MS_RDONLY | QUIET)
