"""Holds jobs to their memory where a kernel does not: gVisor's counts what a job has, but knows no limit.

A thread looks at every sandbox's memory some hundred times a second. A program that has too much is ended by
the sandbox's first process. Where a cgroup of the host's holds the sandbox, its own limit lies a little higher and ends
all of it, should memory grow faster than that; inside a pod that gVisor runs, that wall is the pod's limit.
"""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Protocol

from sandbox_executor.adapters.hosting.cgroups import JobCgroup

EVERY_S = 0.008
_SETTLE_WITHIN_S = 5.0
_AGAIN_S = 0.25
_SLACK_BYTES = 96 * 1024 * 1024


class Held(Protocol):
    """A sandbox whose memory can be looked at, and whose program can be ended."""

    @property
    def cgroup(self) -> JobCgroup:
        """What counts its memory."""
        ...

    def memory(self, bound: int) -> int:
        """Bytes in use now; exact above the bound. 0 once it is closed."""
        ...

    def end_program(self) -> None:
        """Have its first process end what runs.

        Raises:
            OSError: it is gone.
        """
        ...


class Watched:
    """One sandbox under watch.

    Args:
        sandbox: The sandbox, without a job's program yet.
        most_bytes: What a job may use beyond what the sandbox needs by itself.
    """

    def __init__(self, sandbox: Held, most_bytes: int) -> None:
        self.sandbox = sandbox
        self.kills = 0
        self.exceeded = False
        self._own = sandbox.memory(0)
        self._bound = self._own + most_bytes
        self._seen = self._own
        self._highest_before = sandbox.cgroup.usage().memory_bytes
        self._next = 0.0
        sandbox.cgroup.limit_memory(self._bound + _SLACK_BYTES + most_bytes // 4)

    def look(self) -> None:
        """Measure once, and end the program when it has too much."""
        now = self.sandbox.memory(self._bound)
        self._seen = max(self._seen, now)
        self.exceeded = now > self._bound
        if self.exceeded and time.monotonic() >= self._next:
            self._next = time.monotonic() + _AGAIN_S
            # Counted first: whoever hears of the end shall find the reason.
            self.kills += 1
            with contextlib.suppress(OSError):
                self.sandbox.end_program()

    def settle(self) -> None:
        """Wait until memory of a program that was ended is given back."""
        deadline = time.monotonic() + _SETTLE_WITHIN_S
        while self.exceeded and time.monotonic() < deadline:
            time.sleep(0.005)

    def peak(self, highest: int) -> int:
        """The most that the job has used.

        Args:
            highest: The kernel's own record, which knows what was before the job, and cached files, too.
        """
        if highest > self._highest_before and self.kills == 0:
            self._seen = max(self._seen, min(highest, self._bound))
        return max(0, self._seen - self._own)


class MemoryWatch:
    """Looks at all sandboxes with a job; the thread ends when it is closed.

    Args:
        every_s: Seconds from one look to the next.
    """

    def __init__(self, every_s: float = EVERY_S) -> None:
        self._every_s = every_s
        self._watched: set[Watched] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._stopping = threading.Event()

    def add(self, sandbox: Held, most_bytes: int) -> Watched:
        """Watch a sandbox from now on."""
        watched = Watched(sandbox, most_bytes)
        with self._changed:
            self._watched.add(watched)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="memory-watch", daemon=True)
                self._thread.start()
            self._changed.notify()
        return watched

    def remove(self, watched: Watched) -> None:
        """Watch it no longer."""
        with self._changed:
            self._watched.discard(watched)

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._stopping.set()
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._watched or self._closed)
                watched = list(self._watched)
            for one in watched:
                # A sandbox that vanishes tells so by its control socket.
                with contextlib.suppress(OSError):
                    one.look()
            if self._stopping.wait(self._every_s):
                return
