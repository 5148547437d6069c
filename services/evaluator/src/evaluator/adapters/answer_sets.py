"""Submitted answers in the blob store."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict

from evaluator.domain.submitted import Submission
from touchstone_runtime.blobs import BlobStore

# Runs of submitted answers are solved task by task; their sets are not read anew for each.
_KEPT = 2


class BlobAnswerSets:
    """Implements `ports.AnswerSets`; the key of a set is the SHA-256 of its canonical text."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs
        self._read: OrderedDict[str, Submission] = OrderedDict()

    async def put(self, submitted: Submission) -> str:
        """Keep a set; gives its digest."""
        return await self._blobs.put(await asyncio.to_thread(_written, submitted))

    async def get(self, digest: str) -> Submission | None:
        """A set, or None where it was never kept."""
        if digest in self._read:
            self._read.move_to_end(digest)
            return self._read[digest]
        if not await self._blobs.exists(digest):
            return None
        found = await asyncio.to_thread(_read, await self._blobs.get(digest))
        self._read[digest] = found
        if len(self._read) > _KEPT:
            self._read.popitem(last=False)
        return found


# Both beside the event loop: a set may hold tens of megabytes.
def _written(submitted: Submission) -> bytes:
    rows = [[task_id, sample, text] for (task_id, sample), text in sorted(submitted.answers.items())]
    return json.dumps(rows, separators=(",", ":")).encode()


def _read(text: bytes) -> Submission:
    return Submission({(str(task_id), int(sample)): str(answer) for task_id, sample, answer in json.loads(text)})
