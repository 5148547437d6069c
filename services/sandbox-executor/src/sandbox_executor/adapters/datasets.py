"""Datasets on this machine: fetched once, proved to be what was asked for, kept within a bound.

A blob lies in `blobs/` under its digest. A job sees a view: a folder in `views/`, named by what is in it, with hard
links to blobs at the job's own paths. So one read-only mount is all that a backend needs, and the number of a
blob's links says whether some view has it. A view is in use while somebody holds a shared lock on its folder, which
other executors with the same folder see, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

from sandbox_executor.adapters.views import views_in
from sandbox_executor.domain.datasets import Dataset, view_id
from sandbox_executor.errors import BusyError
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import NotFoundError, PreconditionError

# What an executor that was killed left half fetched.
_DRAFT_S = 86_400.0


class HeldView:
    """A view in use, by name; nothing of it is removed until it is released."""

    def __init__(self, view: str, descriptor: int) -> None:
        self.view = view
        self._descriptor = descriptor

    def release(self) -> None:
        """It is not used any more; harmless when said twice."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


class DatasetCache:
    """Views of datasets.

    Args:
        state_dir: The executor's state; blobs and views lie beneath it, on one file system.
        store: Where datasets come from.
        most_bytes: What all of them together may take here.
    """

    def __init__(self, state_dir: Path, store: BlobStore, most_bytes: int) -> None:
        self._views = views_in(state_dir)
        self._blobs = self._views.with_name("blobs")
        self._lock_file = self._views.with_name("lock")
        self._store = store
        self._most_bytes = most_bytes
        self._fetching: dict[str, asyncio.Lock] = {}
        for each in (self._blobs, self._views):
            each.mkdir(parents=True, exist_ok=True)

    async def add(self, content: bytes) -> str:
        """Store a dataset where jobs may name it; gives its digest."""
        return await self._store.put(content)

    async def hold(self, datasets: tuple[Dataset, ...]) -> HeldView:
        """Have the datasets here, and their view until it is released.

        Raises:
            PreconditionError: the store has none with that digest, or it is larger than all that may be kept.
            BusyError: datasets that are in use leave no room.
            DependencyAwayError: the store is away.
            RetryableError: what the store gave is damaged.
        """
        wanted = frozenset(dataset.digest for dataset in datasets)
        for digest in sorted(wanted):
            await self._fetch(digest, wanted)
        return await asyncio.to_thread(self._hold, datasets)

    async def _fetch(self, digest: str, wanted: frozenset[str]) -> None:
        lock = self._fetching.setdefault(digest, asyncio.Lock())
        # Two who want the same fetch it once.
        async with lock:
            if (self._blobs / digest).exists():
                return
            draft = await asyncio.to_thread(self._draft)
            try:
                await self._store.fetch(digest, draft, self._most_bytes)
                await asyncio.to_thread(self._keep, draft, digest, wanted)
            except NotFoundError as error:
                raise PreconditionError(
                    "the store of datasets has none with this digest", thing=digest,
                    way_out="store it there, with `python -m sandbox_executor add-dataset FILE`",
                ) from error  # fmt: skip
            finally:
                await asyncio.to_thread(draft.unlink, missing_ok=True)

    def _draft(self) -> Path:
        descriptor, draft = tempfile.mkstemp(dir=self._blobs, prefix=".")
        os.close(descriptor)
        return Path(draft)

    def _keep(self, draft: Path, digest: str, wanted: frozenset[str]) -> None:
        with self._locked():
            self._evict(draft.stat().st_size, wanted)
            draft.chmod(0o444)
            draft.rename(self._blobs / digest)

    def _hold(self, datasets: tuple[Dataset, ...]) -> HeldView:
        name = view_id(datasets)
        target = self._views / name
        with self._locked():
            if not target.is_dir():
                self._lay_out(datasets, target)
            descriptor = os.open(target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(descriptor, fcntl.LOCK_SH)
            for dataset in datasets:
                # Used now: the last to be removed for room.
                os.utime(target / dataset.path)
        return HeldView(name, descriptor)

    def _lay_out(self, datasets: tuple[Dataset, ...], target: Path) -> None:
        draft = Path(tempfile.mkdtemp(dir=self._views, prefix="."))
        try:
            for dataset in datasets:
                path = draft / dataset.path
                path.parent.mkdir(parents=True, exist_ok=True)
                try:
                    path.hardlink_to(self._blobs / dataset.digest)
                except FileNotFoundError as error:
                    raise BusyError(
                        "there is no room for all datasets that are asked for", thing=dataset.digest,
                        way_out="try again when other jobs have ended",
                    ) from error  # fmt: skip
            for folder in (draft, *(path for path in draft.rglob("*") if path.is_dir())):
                folder.chmod(0o755)
            draft.rename(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _evict(self, coming: int, keep: frozenset[str]) -> None:
        """Make room, the blob used longest ago first; with the lock held.

        Raises:
            BusyError: what is in use leaves too little.
        """
        found: dict[Path, os.stat_result] = {}
        for path in self._blobs.iterdir():
            status = path.stat()
            if path.name[0] != ".":
                found[path] = status
            elif time.time() - status.st_mtime > _DRAFT_S:
                path.unlink()
        total = coming + sum(status.st_size for status in found.values())
        if total <= self._most_bytes:
            return
        for view in self._views.iterdir():
            _remove_unused(view)
        for path in sorted(found, key=lambda path: found[path].st_mtime):
            # One link is its own; more are views in use.
            if total > self._most_bytes and path.name not in keep and path.stat().st_nlink == 1:
                path.unlink()
                total -= found[path].st_size
        if total > self._most_bytes:
            raise BusyError(
                f"datasets in use leave no room for {coming} bytes of {self._most_bytes}", thing="datasets",
                way_out="try again when other jobs have ended",
            )  # fmt: skip

    @contextlib.contextmanager
    def _locked(self) -> Generator[None]:
        with self._lock_file.open("w") as stream:
            fcntl.flock(stream, fcntl.LOCK_EX)
            yield


def _remove_unused(view: Path) -> None:
    descriptor = os.open(view, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(view, ignore_errors=True)
    except BlockingIOError:
        return
    finally:
        os.close(descriptor)
