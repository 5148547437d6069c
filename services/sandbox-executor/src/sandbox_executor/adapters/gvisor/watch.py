"""Holds jobs to their memory: gVisor's kernel knows no limit, and the host's would end that kernel with the job.

A thread looks at every container's memory some hundred times a second. A program that has too much is ended by
the container's first process; the cgroup's own limit lies a little higher and ends the whole container, should
memory grow faster than that.
"""

from __future__ import annotations

import contextlib
import threading
import time

from sandbox_executor.adapters.gvisor.container import Container
from sandbox_executor.launcher import messages

EVERY_S = 0.008
_AGAIN_S = 0.25
_SLACK_BYTES = 96 * 1024 * 1024


class Watched:
    """One container under watch.

    Args:
        container: The container, warm and without a job's program yet.
        most_bytes: What a job may use beyond what the container needs by itself.
    """

    def __init__(self, container: Container, most_bytes: int) -> None:
        self.container = container
        self.kills = 0
        self.exceeded = False
        self._own = container.memory(0)
        self._bound = self._own + most_bytes
        self._seen = self._own
        self._highest_before = container.cgroup.usage().memory_bytes
        self._next = 0.0
        container.cgroup.limit_memory(self._bound + _SLACK_BYTES + most_bytes // 4)

    def look(self) -> None:
        """Measure once, and end the program when it has too much."""
        now = self.container.memory(self._bound)
        self._seen = max(self._seen, now)
        self.exceeded = now > self._bound
        if self.exceeded and time.monotonic() >= self._next:
            self._next = time.monotonic() + _AGAIN_S
            # Counted first: whoever hears of the end shall find the reason.
            self.kills += 1
            with contextlib.suppress(OSError):
                messages.send(self.container.control, messages.Kill())

    def peak(self, highest: int) -> int:
        """The most that the job has used.

        Args:
            highest: The kernel's own record, which knows what was before the job, and cached files, too.
        """
        if highest > self._highest_before and self.kills == 0:
            self._seen = max(self._seen, min(highest, self._bound))
        return max(0, self._seen - self._own)


class MemoryWatch:
    """Looks at all containers with a job; the thread ends when it is closed.

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

    def add(self, container: Container, most_bytes: int) -> Watched:
        """Watch a container from now on."""
        watched = Watched(container, most_bytes)
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
                # A container that vanishes tells so by its control socket.
                with contextlib.suppress(OSError):
                    one.look()
            if self._stopping.wait(self._every_s):
                return
