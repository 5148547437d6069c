"""gRPC in: judgements on demand, and what was labelled so far."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import grpc

from annotator.domain.pair import Pair
from annotator.ports import LabelCounts, StepSummary, StoredLabel
from annotator.usecases.labelling import Labelling
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone.common.v1 import progress_pb2
from touchstone_contracts.envelope import content_id

_MOST = 1000


class AnnotatorServicer(rpc.AnnotatorServiceServicer):
    """Answers `touchstone.annotator.v1.AnnotatorService`.

    Args:
        labelling: Labels pairs.
        lag: Messages that wait to be handled; -1 when the broker cannot say.
        standstill: What stands still and why, one line each.
    """

    def __init__(
        self, labelling: Labelling, lag: Callable[[], Awaitable[int]], standstill: Callable[[], list[str]]
    ) -> None:
        self._labelling = labelling
        self._lag = lag
        self._standstill = standstill

    async def Annotate(  # noqa: D102  described in the proto
        self, request: pb.AnnotateRequest, context: grpc.aio.ServicerContext
    ) -> pb.AnnotateResponse:
        stored = await self._labelling.label(pair_on_demand(request.query, request.code, request.language))
        return pb.AnnotateResponse(pair=to_message(stored))

    async def ListPairs(  # noqa: D102  described in the proto
        self, request: pb.ListPairsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListPairsResponse:
        found = await self._labelling.newest(min(request.limit or 100, _MOST), request.query)
        return pb.ListPairsResponse(pairs=[to_message(stored) for stored in found])

    async def Progress(  # noqa: D102  described in the proto
        self, request: pb.ProgressRequest, context: grpc.aio.ServicerContext
    ) -> pb.ProgressResponse:
        lag = await self._lag()
        counters = to_counters(await self._labelling.counts(), lag)
        activities = [*self._standstill(), *self._labelling.activities]
        return pb.ProgressResponse(progress=progress_pb2.Progress(counters=counters, lag=lag, activities=activities))


def pair_on_demand(query: str, code: str, language: str) -> Pair:
    """A pair that a caller brings; the same words are the same pair."""
    language = language.strip().lower() or "python"
    return Pair(
        pair_id=content_id("pair-on-demand", query, code, language),
        query_id=content_id("query-on-demand", query),
        query=query,
        function_id=content_id("function-on-demand", code, language),
        code=code,
        language=language,
        on_demand=True,
    )


def to_message(stored: StoredLabel) -> pb.LabelledPair:
    """A label as callers see it."""
    return pb.LabelledPair(
        pair_id=stored.pair.pair_id,
        query=stored.pair.query,
        function_id=stored.pair.function_id,
        code=stored.pair.code,
        label=stored.label,
        reason=stored.reason,
        steps=[_step(step) for step in stored.steps],
        self_reported=stored.self_reported,
        repository=stored.pair.repository,
        path=stored.pair.path,
        qualname=stored.pair.qualname,
    )


def to_counters(counts: LabelCounts, lag: int) -> list[progress_pb2.Counter]:
    """Counts as progress displays read them."""
    total = counts.labelled + lag if lag >= 0 else 0
    return [
        progress_pb2.Counter(name="pairs_labelled", value=counts.labelled, total=total),
        progress_pb2.Counter(name="pairs_matching", value=counts.matching),
        progress_pb2.Counter(name="pairs_unclear", value=counts.unclear),
        progress_pb2.Counter(name="pairs_tested", value=counts.tested),
        progress_pb2.Counter(name="pairs_executed", value=counts.executed),
        progress_pb2.Counter(name="pairs_disputed", value=counts.disputed),
    ]


def _step(step: StepSummary) -> pb.Step:
    return pb.Step(
        name=step.name,
        outcome=step.outcome,
        detail=step.detail,
        model=step.model,
        tokens_in=step.tokens_in,
        tokens_out=step.tokens_out,
        elapsed_s=step.elapsed_s,
        cost_usd=step.cost_usd,
    )
