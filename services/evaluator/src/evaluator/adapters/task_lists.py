"""Lists of tasks in the blob store."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evaluator.domain.specification import ids_text
from touchstone_runtime.blobs import BlobStore


class BlobTaskLists:
    """Implements `ports.TaskLists`; the key of a list is the SHA-256 of its canonical text."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def put(self, task_ids: Sequence[str]) -> str:
        """Keep a list; gives its digest."""
        return await self._blobs.put(ids_text(task_ids))

    async def get(self, digest: str) -> list[str] | None:
        """A list, or None where it was never kept."""
        if not await self._blobs.exists(digest):
            return None
        return [str(task_id) for task_id in json.loads(await self._blobs.get(digest))]
