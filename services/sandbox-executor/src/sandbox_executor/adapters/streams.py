"""Pipes to and from a program: drained all the time, never trusted to be quiet."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Callable

_PIPE_BYTES = 1 << 20
_CHUNK = 1 << 18


def pipe(*, large: bool = False) -> tuple[int, int]:
    """A pipe (read end, write end), close-on-exec; a large one saves switches between writer and reader."""
    read, write = os.pipe2(os.O_CLOEXEC)
    if large:
        enlarge(write)
    return read, write


def enlarge(descriptor: int) -> None:
    """Give a pipe more room, where the user's share of memory for pipes is not used up."""
    with contextlib.suppress(OSError):
        fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def unblocked(descriptor: int) -> int:
    """The descriptor, set not to block."""
    os.set_blocking(descriptor, False)
    return descriptor


def available(descriptor: int) -> tuple[bytes, bool]:
    """What can be read now; the second is True at the end of the stream."""
    try:
        data = os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return b"", False
    return data, not data


# A runtime's last words stand before its stack traces, which may be long.
_TAIL = 40_000


class Drain:
    """Takes everything that a program prints, keeps the beginning.

    Args:
        descriptors: Non-blocking read ends.
        limit: How many bytes may come in all, or since `count_anew`; beyond it `exceeded` is set, and reading goes on.
        kept: How many bytes are kept for showing until `take`.
        forward: Called with (descriptor, bytes) for each piece within the limit.
    """

    def __init__(
        self, descriptors: tuple[int, ...], limit: int, kept: int, forward: Callable[[int, bytes], None] | None = None
    ) -> None:
        self.open = set(descriptors)
        self._descriptors = descriptors
        self._limit = limit
        self._kept = kept
        self._forward = forward
        self._held = bytearray()
        self._tail = bytearray()
        self.total = 0

    @property
    def exceeded(self) -> bool:
        """Whether more came than is allowed."""
        return self.total > self._limit

    def count_anew(self) -> None:
        """What came until now counts no longer towards the limit."""
        self.total = 0

    def read(self, descriptor: int, most: int = 1 << 24) -> None:
        """Take what there is of one stream."""
        taken = 0
        while taken < most and not self.exceeded:
            data, ended = available(descriptor)
            if ended:
                self.open.discard(descriptor)
                return
            if not data:
                return
            taken += len(data)
            if self._forward is not None:
                self._forward(descriptor, data[: max(0, self._limit - self.total)])
            self.total += len(data)
            self._held += data[: max(0, self._kept - len(self._held))]
            self._tail = (self._tail + data)[-_TAIL:]

    def read_all(self) -> None:
        """Take what there is of all streams."""
        for descriptor in self._descriptors:
            if descriptor in self.open:
                self.read(descriptor)

    def take(self) -> str:
        """The beginning of what came since the last `take`, as text."""
        if not self._held:
            return ""
        text = self._held.decode("utf-8", "replace").replace("\0", "\ufffd")
        self._held.clear()
        return text

    @property
    def tail(self) -> str:
        """The end of everything that came."""
        return self._tail.decode("utf-8", "replace").replace("\0", "\ufffd")
