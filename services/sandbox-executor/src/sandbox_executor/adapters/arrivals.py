"""Pipes whose writes the kernel dates: when something came, however late it is looked at.

A program cannot set these times back. The one of a pipe is the time of change of its inode, which the kernel alone
sets, at every write. Pipes without a name are not dated since Linux 6.15, those that had one are: so each is made with
a name, which is removed at once.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import secrets
import select
import struct
import tempfile
import termios
import time
from pathlib import Path

from sandbox_executor.adapters.streams import enlarge, pipe
from sandbox_executor.ports import Layer

# In memory first. The layers of a container's file system do not date the pipes on them.
_FOLDERS = ("/dev/shm", tempfile.gettempdir())
# The kernel's coarse clock moves at least so often.
_TICK_S = 0.02
# CLOCK_REALTIME_COARSE, by which it dates; Python has no name for it.
_DATING_CLOCK = 5
# The clock of the wall may be set; then dates mean nothing.
_STEP_S = 0.25
_MOST = 8 << 20
_NEARLY = 1 << 16


class Clock:
    """Monotonic seconds, and what the kernel's dates are on that clock."""

    def __init__(self) -> None:
        self._ahead = _ahead()

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def wait(self, poll: select.poll, seconds: float) -> set[int]:
        """Descriptors that are ready, once one is or the seconds are over."""
        return {descriptor for descriptor, _ in poll.poll(seconds * 1000 + 1 if seconds > 0 else 0)}

    def written(self, descriptor: int) -> float | None:
        """When a pipe was written to last, at most `resolution_s` early; None where that is not known."""
        return self.at(os.fstat(descriptor).st_ctime_ns / 1e9) if dated_folder() is not None else None

    def at(self, wall_s: float | None) -> float | None:
        """A time of the wall's clock on this one; None when somebody set that clock since it was looked at last."""
        if wall_s is None:
            return None
        before, self._ahead = self._ahead, _ahead()
        return wall_s - self._ahead if abs(self._ahead - before) < _STEP_S else None


def _ahead() -> float:
    """By how much the wall's clock is ahead of the monotonic one."""
    best = (float("inf"), 0.0)
    for _ in range(5):
        before, wall, after = time.monotonic(), time.time(), time.monotonic()
        best = min(best, (after - before, wall - (before + after) / 2))
        if best[0] < 1e-4:
            break
    return best[1]


def dated_pipe() -> tuple[int, int]:
    """A large pipe (read end, write end), close-on-exec, dated where that can be had; the read end does not block."""
    folder = dated_folder()
    if folder is None:
        read, write = pipe(large=True)
        os.set_blocking(read, False)
        return read, write
    read, write = _named_pipe(folder)
    enlarge(write)
    return read, write


def _named_pipe(folder: str) -> tuple[int, int]:
    path = f"{folder}/touchstone-{secrets.token_hex(12)}"
    os.mkfifo(path, 0o600)
    try:
        read = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            return read, os.open(path, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            os.close(read)
            raise
    finally:
        Path(path).unlink()


@functools.cache
def dated_folder() -> str | None:
    """Where pipes are made that the kernel dates, as was tried with one; None when there is no such place."""
    for folder in _FOLDERS:
        with contextlib.suppress(OSError):
            read, write = _named_pipe(folder)
            try:
                made = os.fstat(read).st_ctime_ns
                time.sleep(_TICK_S)
                os.write(write, b"x")
                if os.fstat(read).st_ctime_ns > made:
                    return folder
            finally:
                os.close(read)
                os.close(write)
    return None


def resolution_s() -> float:
    """Seconds by which a date may lie before the write: a tick of the kernel's clock. A limit is held so exactly."""
    return time.clock_getres(_DATING_CLOCK)


def dating_layer() -> Layer:
    """Whether answers are dated by the kernel, as a part of what `layers` of a backend tells."""
    folder = dated_folder()
    ticks = f"to {resolution_s() * 1000:.0f} ms"
    words = f"the kernel dates every answer (pipes of {folder}, {ticks}), so that none counts that came too late"
    if folder is None:
        words = (
            f"no folder of {', '.join(_FOLDERS)} dates its pipes: a late answer counts where the executor is starved"
        )
    return Layer("dated answers", folder is not None, words, required=False)


def arrived(descriptor: int, clock: Clock) -> tuple[bytes, bool, float | None]:
    """Everything that lies in a pipe, whether it ended, and when the last byte of it was written."""
    data = bytearray()
    while True:
        written = clock.written(descriptor)
        try:
            piece = os.read(descriptor, _NEARLY * 4)
        except BlockingIOError:
            # Nothing came since the pipe was asked for its date.
            return bytes(data), False, written
        if not piece:
            return bytes(data), True, written
        data += piece
        if len(data) >= _MOST:
            return bytes(data), False, clock.written(descriptor)


def is_full(descriptor: int) -> bool:
    """Whether so much lies in a pipe that its writer waits for us."""
    (queued,) = struct.unpack("i", fcntl.ioctl(descriptor, termios.FIONREAD, b"\0" * 4))
    size = fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    return queued >= max(size - _NEARLY, size // 2)
