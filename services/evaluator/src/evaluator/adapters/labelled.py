"""Labels of the annotator and searches of the retriever, for scores of retrievers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc

from evaluator.domain.labelled import IndexState, Labelled, LabelledRows
from evaluator.errors import IncompleteSearchError, SearchAwayError
from touchstone.annotator.v1 import annotator_pb2 as annotator
from touchstone.annotator.v1 import annotator_pb2_grpc as annotator_rpc
from touchstone.retriever.v1 import retriever_pb2 as retriever
from touchstone.retriever.v1 import retriever_pb2_grpc as retriever_rpc
from touchstone_runtime.faults import rpc_fault

R = TypeVar("R")

PLAIN = "plain"
AUGMENTED = "augmented"
# It corrects the others and finds nothing by itself.
_NO_RETRIEVER = "crowding"
_CALL_S = 60.0
_STREAM_S = 600.0
_AUGMENTED_S = 300.0


class AnnotatorLabels:
    """Implements `ports.LabelSets`.

    Args:
        channel: To the annotator.
    """

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub: Any = annotator_rpc.AnnotatorServiceStub(channel)

    async def releases(self) -> list[tuple[str, str]]:
        """Name and digest of every release of labels, oldest first."""
        request = annotator.ListReleasesRequest()
        answer = await _asked("annotator", lambda: self._stub.ListReleases(request, timeout=_CALL_S))
        return [(each.name, each.digest) for each in answer.releases]

    async def labelled(self, name: str, digest: str) -> Labelled:
        """The labels of a release; those of now where its digest is empty."""
        request = annotator.StreamLabelsRequest(release=name if digest else "")

        async def collect() -> LabelledRows:
            rows = LabelledRows()
            async for part in self._stub.StreamLabels(request, timeout=_STREAM_S):
                for query in part.queries:
                    rows.query(query.query_id, query.text)
                for label in part.labels:
                    rows.label(label.query_id, label.function_id, label.outcome)
            return rows

        return (await _asked("annotator", collect)).finish(name, digest)


class PlatformRetrievers:
    """Implements `ports.Retrievers`: the plain search, each of its parts alone, and the augmented search.

    Args:
        channel: To the retriever.
        augmented: Whether the augmented search takes part, which asks the language model at each query.
    """

    def __init__(self, channel: grpc.aio.Channel, *, augmented: bool) -> None:
        self._stub: Any = retriever_rpc.RetrieverServiceStub(channel)
        self._augmented = augmented
        # Of the index, as it was when its retrievers were asked for.
        self._generation = ""

    async def available(self) -> tuple[list[str], IndexState]:
        """Names of the retrievers, and what they have to find."""
        request = retriever.SearchRequest(query="sort a list", limit=1, mode=PLAIN, with_digest=True)
        answer = await self._search(request, _CALL_S)
        _demand_whole(answer, PLAIN)
        self._generation = answer.generation
        parts = [f"{PLAIN}:{part}" for part in answer.parts if part != _NO_RETRIEVER]
        index = IndexState(answer.indexed, answer.generation, answer.index_digest)
        return [PLAIN, *parts, *([AUGMENTED] if self._augmented else [])], index

    async def ranking(self, name: str, query: str, limit: int) -> list[str]:
        """Ids of the codes that a retriever finds, best first; replaced versions and classes among them.

        Raises:
            SearchAwayError: it did less than its name says, or by another generation than `available` named.
            IncompleteSearchError: a language model did not do all its steps.
        """
        mode, _, part = name.partition(":")
        request = retriever.SearchRequest(
            query=query,
            limit=limit,
            mode=mode,
            parts=[part] if part else [],
            include_superseded=True,
            include_classes=True,
        )
        answer = await self._search(request, _AUGMENTED_S if mode == AUGMENTED else _CALL_S)
        if answer.mode != mode or answer.left_out:
            raise _less(answer, name)
        if name == PLAIN:
            _demand_whole(answer, name)
        if mode == AUGMENTED and answer.note:
            # What a model cannot do it seldom can the next time: nobody waits for it, and the others have their scores.
            raise IncompleteSearchError(
                f"did less than was asked: {answer.note}",
                thing=name,
                way_out="use a model that can do all its steps, or let the augmented search take no part",
            )
        if answer.generation and answer.generation != self._generation:
            raise SearchAwayError(
                f"generation {answer.generation} took over from {self._generation or 'none'} meanwhile",
                thing=name,
                way_out="nothing: it is scored by the new one at the next look",
            )
        return [result.function_id for result in answer.results]

    async def _search(self, request: retriever.SearchRequest, timeout_s: float) -> retriever.SearchResponse:
        return await _asked("retriever", lambda: self._stub.Search(request, timeout=timeout_s))


def _demand_whole(answer: retriever.SearchResponse, name: str) -> None:
    """Refuse a ranking without a model that the index has: its score would stand under the name of the whole.

    A note says that less was done than asked. Models find something in every index that holds a code; text by itself
    need not.
    """
    if answer.note and (answer.results or answer.indexed):
        raise _less(answer, name)


def _less(answer: retriever.SearchResponse, name: str) -> SearchAwayError:
    return SearchAwayError(f"did less than was asked: {answer.note}", thing=name, way_out="see `touchstone doctor`")


async def _asked(service: str, call: Callable[[], Awaitable[R]]) -> R:
    try:
        return await call()
    except grpc.aio.AioRpcError as error:
        raise rpc_fault(error, service) from error
