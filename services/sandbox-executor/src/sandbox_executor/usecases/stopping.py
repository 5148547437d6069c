"""Telling a running job to stop."""

from __future__ import annotations

import os
import threading


class Stop:
    """A cancellation: once requested, its descriptor stays readable."""

    def __init__(self) -> None:
        self._descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._lock = threading.Lock()
        self._requested = False
        self._closed = False

    @property
    def descriptor(self) -> int:
        """Readable once the job shall stop."""
        return self._descriptor

    @property
    def requested(self) -> bool:
        """Whether the job shall stop."""
        return self._requested

    def request(self) -> None:
        """Ask the job to stop; harmless after `close`."""
        with self._lock:
            self._requested = True
            if not self._closed:
                os.eventfd_write(self._descriptor, 1)

    def close(self) -> None:
        """Let go of the descriptor; only when no job looks at it any more."""
        with self._lock:
            if not self._closed:
                self._closed = True
                os.close(self._descriptor)
