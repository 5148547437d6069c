"""The content-addressed store for what is too large for an event."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import re
import uuid
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

from fsspec.core import url_to_fs
from obstore.exceptions import BaseError
from obstore.fsspec import register

from touchstone_runtime.errors import NotFoundError, PreconditionError, RetryableError
from touchstone_runtime.faults import file_fault

# Buckets are read and written by obstore behind fsspec's interface; its faults are no OSErrors.
register("s3")
T = TypeVar("T")
_FAULTS = (OSError, BaseError)
_PIECE = 1 << 20
# What disks without hard links say to one.
_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV)
_DIGEST = re.compile(r"[0-9a-f]{64}")
# Who waits how long for a store that is away is decided above, once for all dependencies.
_BUCKET_OPTIONS: dict[str, Any] = {"retry_config": {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}}


class BlobStore:
    """Blobs under their SHA-256, in a folder or a bucket.

    Args:
        url: fsspec URL, for example `file:///var/lib/touchstone/blobs` or `s3://bucket/prefix`.

    Raises:
        PreconditionError: nothing here speaks with a store of this kind.
    """

    def __init__(self, url: str) -> None:
        try:
            filesystem, root = url_to_fs(url, **(_BUCKET_OPTIONS if url.startswith("s3://") else {}))
        except (ImportError, ValueError) as error:
            # The rest of the address may hold a password.
            scheme = url.partition("://")[0]
            raise PreconditionError(
                "blobs cannot be kept there",
                thing=f"{scheme}://…",
                way_out="name a folder (file:///…) or a bucket that speaks S3 (s3://…) in TOUCHSTONE_BLOB_URL",
            ) from error
        self._fs = filesystem
        self._root: str = str(root).rstrip("/")
        self._made = False
        self._local = "file" in str(getattr(filesystem, "protocol", ""))

    @property
    def folder(self) -> Path | None:
        """Where the blobs lie; None where that is a bucket."""
        return Path(self._root) if self._local else None

    def _key(self, digest: str) -> str:
        # Digests come from outside: as a path, one could lead out of the store, to a device, or to a folder whose
        # fault looks like a store that is away.
        if not _DIGEST.fullmatch(digest):
            raise _missing(digest)
        return f"{digest[:2]}/{digest}"

    async def put(self, data: bytes) -> str:
        """Store the bytes and return their digest, 64 hexadecimal characters; storing twice is harmless.

        A blob that was damaged meanwhile is whole again then.

        Raises:
            DependencyAwayError: the store is full or away.
        """
        digest = hashlib.sha256(data).hexdigest()
        key = self._key(digest)
        if not await self._in_thread(lambda: self._holds(key, data)):
            await self.put_at(key, data)
        return digest

    async def get(self, digest: str) -> bytes:
        """Read a blob.

        Raises:
            NotFoundError: there is none with this digest, or it is no digest at all.
            DependencyAwayError: the store is away.
            RetryableError: the blob is damaged.
        """
        data = await self.get_at(self._key(digest))
        if data is None:
            raise _missing(digest)
        if hashlib.sha256(data).hexdigest() != digest:
            raise RetryableError("the blob is damaged", thing=digest, way_out="let its maker run again")
        return data

    async def fetch(self, digest: str, target: Path, most_bytes: int) -> None:
        """Write a blob into a file, piece by piece.

        Args:
            digest: Of the blob.
            target: Written over; holds nothing of use when this raises.
            most_bytes: The largest blob that is taken.

        Raises:
            NotFoundError: there is none with this digest, or it is no digest at all.
            PreconditionError: it is larger.
            DependencyAwayError: the store is away.
            RetryableError: the blob is damaged.
        """

        key = self._key(digest)

        def copy() -> str:
            self._make_root()
            seen, size = hashlib.sha256(), 0
            try:
                source: Any = self._fs.open(f"{self._root}/{key}", "rb")
            except FileNotFoundError:
                self._make_root()
                raise _missing(digest) from None
            with source, target.open("wb") as stream:
                while piece := source.read(_PIECE):
                    size += len(piece)
                    if size > most_bytes:
                        raise PreconditionError(f"larger than {most_bytes} bytes", thing=digest)
                    seen.update(piece)
                    stream.write(piece)
            return seen.hexdigest()

        found = await self._in_thread(copy)
        if found != digest:
            raise RetryableError("the blob is damaged", thing=digest, way_out="let its maker run again")

    async def exists(self, digest: str) -> bool:
        """Whether a blob with this digest is stored.

        Raises:
            DependencyAwayError: the store is away.
        """

        def look() -> bool:
            self._make_root()
            return bool(self._fs.exists(f"{self._root}/{digest[:2]}/{digest}"))

        if not _DIGEST.fullmatch(digest):
            return False
        return await self._in_thread(look)

    async def put_at(self, key: str, data: bytes, *, keep: bool = False) -> None:
        """Store bytes under a key of the caller's; `keep` leaves what is there.

        Raises:
            DependencyAwayError: the store is full or away.
        """
        path = f"{self._root}/{key}"

        def write() -> None:
            self._make_root()
            if keep and self._fs.exists(path):
                return
            self._fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            # A reader must never see half a blob: local files are renamed into place, buckets put whole objects.
            target = f"{path}.{uuid.uuid4().hex}" if self._local else path
            try:
                self._fs.pipe_file(target, data)
                if self._local:
                    # What is said to be stored may be announced the moment after, and has to outlive a power cut.
                    _synced(target)
                    if not (keep and _linked(target, path)):
                        self._fs.mv(target, path)
                    _synced(path.rsplit("/", 1)[0])
            except BaseException:
                # On a full disk what was begun would keep what is freed, once for each try.
                if self._local:
                    Path(target).unlink(missing_ok=True)
                raise

        await self._in_thread(write)

    async def get_at(self, key: str) -> bytes | None:
        """Read what lies under a key; None when there is nothing.

        Raises:
            DependencyAwayError: the store is away.
        """

        def read() -> bytes | None:
            self._make_root()
            try:
                return bytes(self._fs.cat_file(f"{self._root}/{key}"))
            except FileNotFoundError:
                # Nothing lies there; or the whole store went away meanwhile, and then nobody can say.
                self._make_root()
                return None

        return await self._in_thread(read)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except _FAULTS as error:
            raise file_fault(error, self._root) from error

    def _holds(self, key: str, data: bytes) -> bool:
        """Whether these very bytes lie under a key: a file may be there, and empty since the power went."""
        self._make_root()
        try:
            source: Any = self._fs.open(f"{self._root}/{key}", "rb")
        except FileNotFoundError:
            return False
        wanted, seen = memoryview(data), 0
        with source:
            while piece := source.read(_PIECE):
                if piece != wanted[seen : seen + len(piece)]:
                    return False
                seen += len(piece)
        return seen == len(data)

    def _make_root(self) -> None:
        """Make the folder with the first use; one that is gone later is away, and is not made anew."""
        if not self._local:
            return
        if not self._made:
            self._fs.makedirs(self._root, exist_ok=True)
            self._made = True
        elif not self._fs.exists(self._root):
            raise FileNotFoundError(f"{self._root} is gone")


def _synced(path: str) -> None:
    """Have the disk hold a file's bytes, or a folder's names."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _linked(target: str, path: str) -> bool:
    """Put a file where none lies, whoever else does the same; False where the disk knows no links.

    Of two that write side by side one is first: the other's file goes, and both read what the first one wrote.
    """
    try:
        os.link(target, path)
    except FileExistsError:
        pass
    except OSError as error:
        if error.errno in _NO_LINKS:
            return False
        raise
    Path(target).unlink()
    return True


def _missing(digest: str) -> NotFoundError:
    return NotFoundError("no such blob", thing=digest, way_out="was the blob store's folder replaced?")
