"""Submitted answers in the blob store."""

from __future__ import annotations

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
        rows = [[task_id, sample, text] for (task_id, sample), text in sorted(submitted.answers.items())]
        return await self._blobs.put(json.dumps(rows, separators=(",", ":")).encode())

    async def get(self, digest: str) -> Submission | None:
        """A set, or None where it was never kept."""
        if digest in self._read:
            self._read.move_to_end(digest)
            return self._read[digest]
        if not await self._blobs.exists(digest):
            return None
        rows = json.loads(await self._blobs.get(digest))
        found = Submission({(str(task_id), int(sample)): str(text) for task_id, sample, text in rows})
        self._read[digest] = found
        if len(self._read) > _KEPT:
            self._read.popitem(last=False)
        return found
