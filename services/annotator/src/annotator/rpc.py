"""gRPC in: judgements on demand, and what was labelled so far."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

import grpc

from annotator.domain.pair import Pair
from annotator.domain.release import LABELS, QUERIES, Json, Selection, outcome_of
from annotator.domain.review import Review, is_evidence
from annotator.domain.statistics import Interval
from annotator.domain.training import TrainingRow, in_batches, training_lines
from annotator.errors import BadRequestError
from annotator.ports import LabelCounts, Place, StepSummary, StoredLabel, Wanted
from annotator.ports.releases import ReleaseRow
from annotator.ports.waiting import WaitingPair, WaitingState
from annotator.usecases.importing import GivenLabel, LabelImport, pair_of
from annotator.usecases.labelling import Labelling
from annotator.usecases.on_demand import Answer, OnDemand, Question
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.reviewing import ReviewDesk
from annotator.usecases.verify_releases import Verifier
from annotator.usecases.waiting import PoolWork, held_line
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone.common.v1 import progress_pb2
from touchstone_runtime.gate import own_name
from touchstone_runtime.llm import Ledger, spending
from touchstone_runtime.storable import storable

_MOST = 1000
_PIECE_BYTES = 1 << 20


class AnnotatorServicer(rpc.AnnotatorServiceServicer):
    """Answers `touchstone.annotator.v1.AnnotatorService`.

    Args:
        labelling: Labels pairs while a caller waits.
        work: Labels what pools propose.
        releases: Makes releases.
        verifier: Proves them again.
        import_labels: Takes labels in.
        on_demand: Judges while somebody waits.
        reviews: Hands out pairs to people and takes their opinions.
        training: The current labels, for export.
        lag: Messages that wait to be handled; -1 when the broker cannot say.
        standstill: What stands still and why, one line each.
        ledger: What the agents' questions took; None where none are asked.
    """

    def __init__(
        self,
        labelling: Labelling,
        work: PoolWork,
        releases: ReleaseDesk,
        verifier: Verifier,
        import_labels: LabelImport,
        on_demand: OnDemand,
        reviews: ReviewDesk,
        training: Callable[[], AsyncIterator[TrainingRow]],
        lag: Callable[[], Awaitable[int]],
        standstill: Callable[[], list[str]],
        ledger: Ledger | None = None,
    ) -> None:
        self._labelling = labelling
        self._work = work
        self._releases = releases
        self._verifier = verifier
        self._import_labels = import_labels
        self._on_demand = on_demand
        self._reviews = reviews
        self._training = training
        self._lag = lag
        self._standstill = standstill
        self._ledger = ledger

    async def Annotate(  # noqa: D102  described in the proto
        self, request: pb.AnnotateRequest, context: grpc.aio.ServicerContext
    ) -> pb.AnnotateResponse:
        stored = await self._labelling.label(pair_on_demand(request.query, request.code, request.language))
        return pb.AnnotateResponse(pair=to_message(stored))

    async def Judge(  # noqa: D102  described in the proto
        self, request: pb.JudgeRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.JudgeResponse]:
        questions = [_question(each) for each in request.pairs]
        async for answer in self._on_demand.judge(questions, request.budget):
            yield _answer(answer)

    async def ListPairs(  # noqa: D102  described in the proto
        self, request: pb.ListPairsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListPairsResponse:
        limit = min(request.limit or 100, _MOST)
        wanted = Wanted(request.query, request.outcome, request.decided_by, request.language, request.disputed)
        found = await self._labelling.newest(limit, wanted, from_token(request.page_token))
        return pb.ListPairsResponse(
            pairs=[to_message(stored) for stored in found],
            next_page_token=to_token(found[-1]) if len(found) == limit else "",
        )

    async def ListWaiting(  # noqa: D102  described in the proto
        self, request: pb.ListWaitingRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListWaitingResponse:
        state = await self._work.state()
        found = await self._work.listed(min(request.limit or 100, _MOST))
        return pb.ListWaitingResponse(pairs=[_waiting_pair(each) for each in found], state=_waiting_state(state))

    async def GetPair(  # noqa: D102  described in the proto
        self, request: pb.GetPairRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetPairResponse:
        current, *others = await self._labelling.find(request.pair_id)
        return pb.GetPairResponse(pair=to_message(current), others=[to_message(label) for label in others])

    async def ExportPairs(  # noqa: D102  described in the proto
        self, request: pb.ExportPairsRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.ExportPairsResponse]:
        async for lines in in_batches(training_lines(self._training())):
            yield pb.ExportPairsResponse(lines=lines)

    async def ImportLabels(  # noqa: D102  described in the proto
        self, request: pb.ImportLabelsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ImportLabelsResponse:
        given = [_given(each) for each in request.labels]
        # Whose labels they are is the importer's word; who that is, is not.
        done = await self._import_labels(
            request.origin, given, own_name(""), filtered=not request.unfiltered, unnamed=request.unnamed
        )
        refused, against = (
            [pb.RefusedLabel(place=place, reason=reason) for place, reason in told]
            for told in (done.refused, done.contradicting)
        )
        return pb.ImportLabelsResponse(stored=done.stored, already=done.already, refused=refused, contradicting=against)

    async def GetNextReview(  # noqa: D102  described in the proto
        self, request: pb.GetNextReviewRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetNextReviewResponse:
        found = await self._reviews.next_pair(own_name(request.reviewer))
        return pb.GetNextReviewResponse(pair=_to_review(found) if found else None)

    async def GetNextDispute(  # noqa: D102  described in the proto
        self, request: pb.GetNextDisputeRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetNextDisputeResponse:
        found = await self._reviews.next_dispute(own_name(request.reviewer))
        if found is None:
            return pb.GetNextDisputeResponse()
        opinions = [pb.GivenOpinion(opinion=each.opinion, note=each.note) for each in found[1]]
        return pb.GetNextDisputeResponse(pair=_to_review(found[0]), opinions=opinions)

    async def AddReview(  # noqa: D102  described in the proto
        self, request: pb.AddReviewRequest, context: grpc.aio.ServicerContext
    ) -> pb.AddReviewResponse:
        review = Review(request.pair_id, own_name(request.reviewer), request.opinion, request.note)
        return pb.AddReviewResponse(state=await self._reviews.add(review))

    async def Adjudicate(  # noqa: D102  described in the proto
        self, request: pb.AdjudicateRequest, context: grpc.aio.ServicerContext
    ) -> pb.AdjudicateResponse:
        review = Review(request.pair_id, own_name(request.reviewer), request.opinion, request.note)
        return pb.AdjudicateResponse(state=await self._reviews.adjudicate(review))

    async def GetAgreement(  # noqa: D102  described in the proto
        self, request: pb.GetAgreementRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetAgreementResponse:
        found = await self._reviews.agreement()
        return pb.GetAgreementResponse(
            pairs=found.pairs,
            alpha=found.alpha,
            agreed=_share(found.agreed),
            decided=found.decided,
            method_right=_share(found.method_right),
        )

    async def Progress(  # noqa: D102  described in the proto
        self, request: pb.ProgressRequest, context: grpc.aio.ServicerContext
    ) -> pb.ProgressResponse:
        lag, state = await self._lag(), await self._work.state()
        held = held_line(state)
        lag = lag + state.waiting - state.standing if lag >= 0 else lag
        counters = [*to_counters(await self._labelling.counts(), lag), *_waiting_counters(state)]
        activities = [*self._standstill(), *([held] if held else []), *self._work.activities]
        activities += self._labelling.activities
        spent = await spending(self._ledger, request.with_spending)
        return pb.ProgressResponse(
            progress=progress_pb2.Progress(counters=counters, lag=lag, activities=activities, spent=spent)
        )

    async def CreateRelease(  # noqa: D102  described in the proto
        self, request: pb.CreateReleaseRequest, context: grpc.aio.ServicerContext
    ) -> pb.CreateReleaseResponse:
        selection = Selection(tuple(request.languages), tuple(request.licences), tuple(request.decided_by))
        row, already = await self._releases.create(request.name, selection, request.since)
        return pb.CreateReleaseResponse(release=_release(row), already=already)

    async def ListReleases(  # noqa: D102  described in the proto
        self, request: pb.ListReleasesRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListReleasesResponse:
        return pb.ListReleasesResponse(releases=[_release(row) for row in await self._releases.list()])

    async def GetRelease(  # noqa: D102  described in the proto
        self, request: pb.GetReleaseRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetReleaseResponse:
        shown = await self._releases.show(request.name)
        return pb.GetReleaseResponse(release=_release(shown.row), manifest_json=shown.data.decode())

    async def VerifyRelease(  # noqa: D102  described in the proto
        self, request: pb.VerifyReleaseRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.VerifyReleaseResponse]:
        shown = await self._releases.show(request.name)
        done = 0
        async for checked in self._verifier.verify(shown.manifest):
            done = checked.total
            yield pb.VerifyReleaseResponse(**asdict(checked))
        if flaws := await self._releases.flaws_of_since(shown.manifest):
            yield pb.VerifyReleaseResponse(done=done, total=done, problems=flaws)

    async def ExportRelease(  # noqa: D102  described in the proto
        self, request: pb.ExportReleaseRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.ExportReleaseResponse]:
        async for piece in self._releases.export(request.name, request.format):
            for start in range(0, max(1, len(piece.data)), _PIECE_BYTES):
                yield pb.ExportReleaseResponse(path=piece.path, data=piece.data[start : start + _PIECE_BYTES])

    async def StreamLabels(  # noqa: D102  described in the proto
        self, request: pb.StreamLabelsRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.StreamLabelsResponse]:
        async for rows in in_batches(self._releases.stream(request.release, copies=True)):
            yield pb.StreamLabelsResponse(
                queries=[pb.LabelledQuery(**row) for part, row in rows if part == QUERIES],
                labels=[_query_label(row) for part, row in rows if part == LABELS],
            )


def pair_on_demand(query: str, code: str, language: str) -> Pair:
    """A pair that a caller brings: the same words are the same pair, whoever brings them."""
    language = language.strip().lower() or "python"
    return replace(pair_of(GivenLabel(query, code, 0, language)), on_demand=True)


def _to_review(stored: StoredLabel) -> pb.PairToReview:
    pair = stored.pair
    names = ("pair_id", "query", "code", "language", "repository", "path", "qualname")
    fields: dict[str, Any] = {name: getattr(pair, name) for name in names}
    return pb.PairToReview(
        tests=[_step(step) for step in stored.steps if is_evidence(step.name, step.outcome)], **fields
    )


def _share(interval: Interval | None) -> pb.ExactShare | None:
    return pb.ExactShare(value=interval.estimate, low=interval.low, high=interval.high) if interval else None


def _query_label(row: Json) -> pb.QueryLabel:
    names = {name: row[name] for name in ("query_id", "function_id")}
    return pb.QueryLabel(outcome=outcome_of(row["label"]), **names)


def _question(pair: pb.PairToJudge) -> Question:
    return Question(pair.query, pair.code, pair.language.strip().lower() or "python", pair.function_id)


def _answer(answer: Answer) -> pb.JudgeResponse:
    return pb.JudgeResponse(
        place=answer.place,
        done=answer.done,
        total=answer.total,
        pair=to_message(answer.label) if answer.label else None,
        fresh=answer.fresh,
        refused=answer.refused,
    )


def _given(label: pb.ImportedLabel) -> GivenLabel:
    names = ("query", "code", "label", "function_id", "name", "repository", "path", "licence", "reason")
    fields: dict[str, Any] = {name: getattr(label, name) for name in names}
    return GivenLabel(language=label.language.strip().lower() or "python", **fields)


def to_token(last: StoredLabel) -> str:
    """Where a list goes on after this label, as callers hand it back."""
    return f"{last.labelled_at.isoformat()} {last.pair.pair_id}" if last.labelled_at else ""


def from_token(token: str) -> Place | None:
    """The place that a token names; None for an empty one.

    Raises:
        BadRequestError: it is no token of ours.
    """
    if not token:
        return None
    at, _, pair_id = token.partition(" ")
    try:
        if pair_id != storable(pair_id):
            raise ValueError("no pair has such an id")
        return datetime.fromisoformat(at).astimezone(UTC), pair_id
    except (ValueError, OverflowError) as error:
        raise BadRequestError(
            f"no place in a list: {token[:80]!r}", thing="page_token", way_out="send one as an answer gave it"
        ) from error


def to_message(stored: StoredLabel) -> pb.LabelledPair:
    """A label as callers see it."""
    return pb.LabelledPair(
        pair_id=stored.pair.pair_id,
        query=stored.pair.query,
        function_id=stored.pair.function_id,
        code=stored.pair.code,
        label=-1 if stored.label is None else stored.label,
        reason=stored.reason,
        steps=[_step(step) for step in stored.steps],
        self_reported=stored.self_reported,
        repository=stored.pair.repository,
        path=stored.pair.path,
        qualname=stored.pair.qualname,
        outcome=stored.outcome,
        decided_by=stored.decided_by,
        reading=stored.reading,
        score=stored.score,
        method_id=stored.method_id,
        query_id=stored.pair.query_id,
        language=stored.pair.language,
        record_digest=stored.record_digest,
        audit=stored.audit,
        licence=stored.pair.licence,
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
        progress_pb2.Counter(name="pairs_undecided", value=counts.undecided),
    ]


def _waiting_counters(state: WaitingState) -> list[progress_pb2.Counter]:
    return [
        progress_pb2.Counter(name="pairs_held", value=state.standing),
        progress_pb2.Counter(name="pairs_set_aside", value=state.aside),
    ]


def _waiting_pair(found: WaitingPair) -> pb.WaitingPair:
    names = ("pair_id", "query", "language", "repository", "path", "qualname")
    fields: dict[str, Any] = {name: getattr(found.pair, name) for name in names}
    return pb.WaitingPair(priority=found.priority, judged=found.judged, begun=found.begun, aside=found.aside, **fields)


def _waiting_state(state: WaitingState) -> pb.WaitingState:
    caps, spent = state.budget, state.spent
    return pb.WaitingState(
        waiting=state.waiting,
        begun=state.begun,
        aside=state.aside,
        held=held_line(state),
        period=caps.period,
        ends=state.ends.isoformat() if state.ends else "",
        pairs=pb.PoolSpending(spent=spent.pairs, most=caps.pairs),
        tokens=pb.PoolSpending(spent=spent.tokens, most=caps.tokens),
        cost_usd=pb.PoolSpending(spent=spent.cost_usd, most=caps.cost_usd),
    )


def _release(row: ReleaseRow) -> pb.Release:
    return pb.Release(**asdict(row))


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
        content=step.content,
    )
