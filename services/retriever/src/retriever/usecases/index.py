"""Taking embedded functions into the index."""

from __future__ import annotations

from collections.abc import Sequence

from retriever.domain.code import IndexEntry
from retriever.ports import CodeIndex


class IndexFunctions:
    """Takes batches into the index; of a code that is in a batch twice the last word counts."""

    def __init__(self, index: CodeIndex) -> None:
        self._index = index

    async def __call__(self, entries: Sequence[IndexEntry]) -> None:
        """Index a batch; doing it again changes nothing."""
        await self._index.upsert(list({entry.code.function_id: entry for entry in entries}.values()))
