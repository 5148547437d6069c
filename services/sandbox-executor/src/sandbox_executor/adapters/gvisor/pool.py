"""Starts containers, one ahead, so that a job need not wait for the start of a kernel."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from sandbox_executor.adapters.gvisor.bundle import Shape
from sandbox_executor.adapters.gvisor.container import Container
from sandbox_executor.adapters.hosting.cgroups import start_time
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError

_FOLDER = re.compile(r"(\d+)-(\d+)-\d+")
# Several backends of one process are closed one by one.
_owners = itertools.count()


def running_folder(base: Path | None = None) -> Path:
    """A new folder for a backend's containers: short, because sockets lie in it, and only its user's.

    What executors left that are gone is removed.

    Args:
        base: Where such folders lie; by default beneath the system's folder for temporary files.

    Raises:
        IsolationMissingError: somebody else owns the place.
    """
    base = base or Path(tempfile.gettempdir()) / f"touchstone-gvisor-{os.getuid()}"
    base.mkdir(mode=0o700, exist_ok=True)
    status = base.lstat()
    if base.is_symlink() or status.st_uid != os.getuid() or status.st_mode & 0o022:
        raise IsolationMissingError(
            "a folder for containers belongs to somebody else", thing=str(base), way_out=f"remove {base}, or set TMPDIR"
        )
    for folder in base.iterdir():
        match = _FOLDER.fullmatch(folder.name)
        if match is not None and start_time(int(match[1])) != int(match[2]):
            shutil.rmtree(folder, ignore_errors=True)
    own = base / f"{os.getpid()}-{start_time(os.getpid())}-{next(_owners)}"
    own.mkdir(mode=0o700)
    return own


class ContainerPool:
    """Gives warm containers; after each the next of its shape is started in the background.

    Args:
        start: Starts one for a shape, in a folder.
        folder: Holds a folder for each container; removed by `close`.
        spares: How many are kept ready.
    """

    def __init__(self, start: Callable[[Shape, Path], Container], folder: Path, spares: int) -> None:
        self._start = start
        self.folder = folder
        self._spares = spares
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._coming: deque[Future[Container]] = deque()
        self._starter = ThreadPoolExecutor(max(1, spares), "gvisor-spares")
        self._closed = False

    def take(self, shape: Shape) -> Container:
        """A container for one job; the caller closes it.

        Raises:
            SandboxFaultError: it does not start.
        """
        common = shape == Shape()
        container = self._pick() if common else None
        if container is None:
            container = self._make(shape)
        if common:
            self._order()
        return container

    def _pick(self) -> Container | None:
        """The spare one that was ordered first, waited for when it is on its way: it is ahead of a new one."""
        while True:
            with self._lock:
                if not self._coming:
                    return None
                coming = self._coming.popleft()
            with contextlib.suppress(SandboxFaultError, OSError):
                container = coming.result()
                if container.alive:
                    return container
                container.close()

    def _make(self, shape: Shape) -> Container:
        return self._start(shape, self.folder / f"c{next(self._numbers)}")

    def _order(self) -> None:
        with self._lock:
            while not self._closed and len(self._coming) < self._spares:
                self._coming.append(self._starter.submit(self._make, Shape()))

    def waiting(self) -> list[Container]:
        """The spare ones, once all have come."""
        with self._lock:
            coming = list(self._coming)
        found: list[Container] = []
        for future in coming:
            with contextlib.suppress(SandboxFaultError, OSError):
                found.append(future.result())
        return found

    def close(self) -> None:
        """End the spare ones."""
        with self._lock:
            self._closed = True
        for container in self.waiting():
            container.close()
        self._starter.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)
