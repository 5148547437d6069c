"""Code search through the retriever, with a memory of what it answered."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import grpc

from evaluator.domain.found import Snippet
from evaluator.errors import SearchAwayError
from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_contracts.envelope import content_id
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault

_FOLDER = "cocost-searches"
# What ranks when no model can be asked, see docs/search.md.
_WORDS_ALONE = ["text"]


class RetrieverSearch:
    """Implements `ports.CodeSearch`.

    Args:
        channel: To the retriever.
        blobs: Keeps each answer by its occasion: the index grows, and a replay must ask the same questions.
        deadline_s: Longest wait for an answer.
    """

    def __init__(self, channel: grpc.aio.Channel, blobs: BlobStore, *, deadline_s: float = 60.0) -> None:
        self._stub = rpc.RetrieverServiceStub(channel)
        self._blobs = blobs
        self._deadline_s = deadline_s

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Snippet]:
        """Find code."""
        key = f"{_FOLDER}/{content_id(occasion, query, limit)}.json"
        known = await self._blobs.get_at(key)
        if known is None:
            found = [asdict(snippet) for snippet in await self._ask(query, limit)]
            await self._blobs.put_at(key, json.dumps(found, sort_keys=True).encode(), keep=True)
            known = await self._blobs.get_at(key) or b"[]"
        stored: list[dict[str, Any]] = json.loads(known)
        return [Snippet(**fields) for fields in stored]

    async def _ask(self, query: str, limit: int) -> list[Snippet]:
        request = pb.SearchRequest(query=query, limit=limit, mode="plain")
        try:
            response: pb.SearchResponse = await self._stub.Search(request, timeout=self._deadline_s)  # pyright: ignore[reportGeneralTypeIssues]
        except grpc.aio.AioRpcError as error:
            if refused(error):
                return []
            raise rpc_fault(
                error,
                "retriever",
                kinds=FaultKinds(away=SearchAwayError),
                way_out="start it, or leave the search out: strategy cocost:no-search",
            ) from error
        if list(response.parts) == _WORDS_ALONE or response.left_out:
            # It is kept for ever, and belongs to a run in which all models rank.
            raise SearchAwayError(response.note, thing="retriever", way_out="nothing: it is asked again")
        return [
            Snippet(
                repository=result.location.repository,
                path=result.location.path,
                qualname=result.location.qualname,
                code=result.code,
                function_id=result.function_id,
                score=result.score,
            )
            for result in response.results
        ]
