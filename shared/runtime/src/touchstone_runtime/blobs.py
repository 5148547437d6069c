"""The content-addressed store for what is too large for an event."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import hashlib
import uuid

from fsspec.core import url_to_fs

from touchstone_runtime.errors import NotFoundError, RetryableError


class BlobStore:
    """Blobs under their SHA-256, in a folder or a bucket.

    Args:
        url: fsspec URL, for example `file:///var/lib/touchstone/blobs` or `s3://bucket/prefix`.
    """

    def __init__(self, url: str) -> None:
        filesystem, root = url_to_fs(url)
        self._fs = filesystem
        self._root: str = str(root).rstrip("/")
        self._local = "file" in str(getattr(filesystem, "protocol", ""))

    def _path(self, digest: str) -> str:
        return f"{self._root}/{digest[:2]}/{digest}"

    async def put(self, data: bytes) -> str:
        """Store the bytes and return their digest, 64 hexadecimal characters; storing twice is harmless.

        Raises:
            RetryableError: the store is full or away.
        """
        digest = hashlib.sha256(data).hexdigest()
        await self.put_at(f"{digest[:2]}/{digest}", data, keep=True)
        return digest

    async def get(self, digest: str) -> bytes:
        """Read a blob.

        Raises:
            NotFoundError: there is none with this digest.
            RetryableError: the store is away, or the blob is damaged.
        """
        data = await self.get_at(f"{digest[:2]}/{digest}")
        if data is None:
            raise NotFoundError("no such blob", thing=digest, way_out="was the blob store's folder replaced?")
        if hashlib.sha256(data).hexdigest() != digest:
            raise RetryableError("the blob is damaged", thing=digest, way_out="remove it and let its maker run again")
        return data

    async def exists(self, digest: str) -> bool:
        """Whether a blob with this digest is stored."""
        return bool(await asyncio.to_thread(self._fs.exists, self._path(digest)))

    async def put_at(self, key: str, data: bytes, *, keep: bool = False) -> None:
        """Store bytes under a key of the caller's; `keep` leaves what is there.

        Raises:
            RetryableError: the store is full or away.
        """
        path = f"{self._root}/{key}"

        def write() -> None:
            if keep and self._fs.exists(path):
                return
            self._fs.makedirs(path.rsplit("/", 1)[0], exist_ok=True)
            # A reader must never see half a blob: local files are renamed into place, buckets put whole objects.
            target = f"{path}.{uuid.uuid4().hex}" if self._local else path
            self._fs.pipe_file(target, data)
            if self._local:
                self._fs.mv(target, path)

        try:
            await asyncio.to_thread(write)
        except OSError as error:
            raise RetryableError(
                f"cannot write a blob of {len(data)} bytes: {error}", thing=self._root, way_out="is the disk full?"
            ) from error

    async def get_at(self, key: str) -> bytes | None:
        """Read what lies under a key; None when there is nothing.

        Raises:
            RetryableError: the store is away.
        """
        try:
            return bytes(await asyncio.to_thread(self._fs.cat_file, f"{self._root}/{key}"))
        except FileNotFoundError:
            return None
        except OSError as error:
            raise RetryableError(f"cannot read {key}: {error}", thing=self._root) from error
