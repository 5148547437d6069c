"""Files analysed in processes of their own, so that the service goes on answering meanwhile."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import multiprocessing.connection
import os
import resource
import signal
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from typing import TypeVar

from ingester.domain.analysis import FileAnalysis, analyse_file, fingerprint_file
from ingester.domain.dating import Fingerprint
from ingester.domain.filters import Limits
from ingester.domain.libraries import default_libraries
from ingester.domain.packages import Package, Siblings
from ingester.ports import ENDS_ITS_PROCESS, SourceFile

# Twice what the largest file that is read takes.
_MEMORY_BYTES = 2 << 30
Result = TypeVar("Result")
Instead = TypeVar("Instead")


class AnalysisPool:
    """A pool of processes; see `Analyser`.

    Args:
        processes: How many.
        cpu_s: Seconds of a processor that one file may take. The largest honest ones take some fifteen.
    """

    def __init__(self, processes: int, cpu_s: float = 120.0) -> None:
        self._processes = processes
        self._cpu_s = cpu_s
        self._pool: ProcessPoolExecutor | None = None

    @property
    def width(self) -> int:
        """Enough to keep every process busy while one result is handed on."""
        return 2 * self._processes

    async def analyse(
        self, file: SourceFile, own_names: frozenset[str], siblings: Siblings | None = None
    ) -> FileAnalysis:
        """Analyse one file; one that ends its process, or takes too long, counts as one that does not parse."""
        broken = FileAnalysis((), ENDS_ITS_PROCESS)
        return await self._in_process(partial(_analyse, file.content, file.path, own_names, siblings), broken)

    async def fingerprints(self, content: bytes) -> tuple[Fingerprint, ...] | None:
        """Fingerprints of the functions of one file; of one that kills its process nobody can tell."""
        return await self._in_process(partial(fingerprint_file, content), None)

    async def _in_process(self, work: Callable[[], Result], broken: Instead) -> Result | Instead:
        loop = asyncio.get_running_loop()
        pool = self._started()
        work = partial(_within, self._cpu_s, work)
        try:
            return await loop.run_in_executor(pool, work)
        except BrokenProcessPool:
            # Another file's crash breaks the pool for all: try alone in a fresh pool before blaming this file.
            if self._pool is pool:
                self._pool = None
            with _pool(1) as alone:
                try:
                    return await loop.run_in_executor(alone, work)
                except BrokenProcessPool:
                    return broken

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            self._pool = _pool(self._processes)
        return self._pool

    async def close(self) -> None:
        """End the processes; what they are at is finished first."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)


def _pool(processes: int) -> ProcessPoolExecutor:
    # Not forked from the service: threads of gRPC and Kafka do not survive that.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=_prepare)


def _within(cpu_s: float, work: Callable[[], Result]) -> Result:
    """Do one file's work, or end this process: the system does it, whatever the file keeps busy here."""
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        return work()
    except MemoryError:
        os._exit(1)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _prepare() -> None:
    # A stop is the service's business: it lets the work in hand finish.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    default_libraries()
    tune_collector()


def _leave_with_parent() -> None:
    """End this process when the service is gone: killed, it cannot end its pool itself."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        multiprocessing.connection.wait([parent.sentinel])
        os._exit(1)


def tune_collector() -> None:
    """Keep the collector off what was loaded at start; a file's graph has no cycles and needs it rarely."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _analyse(content: bytes, path: str, own_names: frozenset[str], siblings: Siblings | None) -> FileAnalysis:
    package = _package(siblings) if siblings is not None and path.endswith(".py") else None
    return analyse_file(content, path, limits=Limits(own_names=own_names), package=package)


# One source at a time, and the one that was begun meanwhile.
@lru_cache(maxsize=2)
def _package(siblings: Siblings) -> Package:
    return Package(siblings, default_libraries())
