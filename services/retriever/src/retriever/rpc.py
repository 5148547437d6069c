"""gRPC in."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import asdict, replace
from datetime import UTC
from typing import Any

from retriever import metrics
from retriever.adapters.shipped import shipped_queries
from retriever.domain.code import CLASS_FORMS, FUNCTION_FORMS, IndexedCode, SearchFilter
from retriever.domain.ensemble import CROWDING, TEXT
from retriever.domain.generations import Later
from retriever.domain.pools import shared_by_models
from retriever.ports import CodeIndex, ProposalStore
from retriever.usecases.answer import ANSWER, SearchAnswer, SearchPiece, SearchResult
from retriever.usecases.augmented import LookUp
from retriever.usecases.generations import GenerationReport, Generations
from retriever.usecases.proposals import ImportQueries, query_meant
from retriever.usecases.question import SearchQuestion
from retriever.usecases.rebuild import RebuildIndex
from retriever.usecases.search import Search
from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_runtime.llm import Ledger, spending

_MOST_QUERIES = 1000


class RetrieverServicer(retriever_pb2_grpc.RetrieverServiceServicer):
    """Answers `touchstone.retriever.v1.RetrieverService`.

    Args:
        search: Answers searches.
        import_queries: Takes queries in.
        index: For counts.
        store: For counts.
        lag: Messages not yet handled; -1 when the broker cannot say.
        activities: What the service is busy with, for people.
        generations: What the index was made by.
        rebuild: Builds it again.
        ledger: What questions to models took; None where none are asked.
        memory: What is held in memory, in words.
        search_of: Gives the search that answers a question; always `search` where left out.
    """

    def __init__(
        self,
        search: Search,
        import_queries: ImportQueries,
        index: CodeIndex,
        store: ProposalStore,
        lag: Callable[[], Awaitable[int]],
        activities: Callable[[], list[str]],
        generations: Generations,
        rebuild: RebuildIndex,
        ledger: Ledger | None = None,
        memory: Callable[[], str] = lambda: "off",
        search_of: Callable[[SearchQuestion], Awaitable[Search]] | None = None,
    ) -> None:
        self._search = search
        self._search_of = search_of
        self._import_queries = import_queries
        self._index = index
        self._store = store
        self._generations = generations
        self._rebuild = rebuild
        self._lag = lag
        self._activities = activities
        self._ledger = ledger
        self._memory = memory

    async def Search(self, request: retriever_pb2.SearchRequest, context: Any) -> retriever_pb2.SearchResponse:
        """Search the indexed code."""
        question = replace(_question(request), within_s=_time_left(context))
        answer = await (await self._of(question))(question)
        metrics.observe_search(answer)
        return _response(answer)

    async def StreamSearch(
        self, request: retriever_pb2.StreamSearchRequest, context: Any
    ) -> AsyncIterator[retriever_pb2.StreamSearchResponse]:
        """Search the indexed code, and tell each step that is done."""
        question = replace(_question(request.search), within_s=_time_left(context))
        async with aclosing((await self._of(question)).pieces(question)) as pieces:
            async for piece in pieces:
                if piece.step == ANSWER:
                    metrics.observe_search(piece.answer)
                yield _piece(piece)

    async def _of(self, question: SearchQuestion) -> Search:
        return await self._search_of(question) if self._search_of else self._search

    async def GetCode(self, request: retriever_pb2.GetCodeRequest, context: Any) -> retriever_pb2.GetCodeResponse:
        """One function or class, whole."""
        found = await self._search.code(request.function_id)
        answer = retriever_pb2.GetCodeResponse(docstring=found.code.docstring)
        _put_result(answer.code, SearchResult(found, ()))
        return answer

    async def ImportQueries(
        self, request: retriever_pb2.ImportQueriesRequest, context: Any
    ) -> retriever_pb2.ImportQueriesResponse:
        """Take queries in; without any the shipped ones."""
        queries = [(query.text, query.origin) for query in request.queries] or shipped_queries()
        query_ids, new = await self._import_queries(queries, request.candidates)
        return retriever_pb2.ImportQueriesResponse(query_ids=query_ids, met_before=len(query_ids) - new)

    async def ListQueries(
        self, request: retriever_pb2.ListQueriesRequest, context: Any
    ) -> retriever_pb2.ListQueriesResponse:
        """The queries that came in, by id."""
        limit = min(max(request.limit, 0) or 100, _MOST_QUERIES)
        found = await self._store.listed(limit, request.page_token)
        return retriever_pb2.ListQueriesResponse(
            queries=[retriever_pb2.QueryInfo(**asdict(query), proposed=count) for query, count in found],
            next_page_token=found[-1][0].query_id if len(found) == limit else "",
        )

    async def DescribeIndex(
        self, request: retriever_pb2.DescribeIndexRequest, context: Any
    ) -> retriever_pb2.DescribeIndexResponse:
        """Generations of the index."""
        return retriever_pb2.DescribeIndexResponse(index=await self._described())

    async def BuildIndex(
        self, request: retriever_pb2.BuildIndexRequest, context: Any
    ) -> retriever_pb2.BuildIndexResponse:
        """Read again what was embedded."""
        await self._rebuild.begin()
        return retriever_pb2.BuildIndexResponse(index=await self._described())

    async def SwitchIndex(
        self, request: retriever_pb2.SwitchIndexRequest, context: Any
    ) -> retriever_pb2.SwitchIndexResponse:
        """Let a generation answer."""
        await self._generations.switch(request.generation, anyway=request.anyway)
        return retriever_pb2.SwitchIndexResponse(index=await self._described())

    async def DropIndex(self, request: retriever_pb2.DropIndexRequest, context: Any) -> retriever_pb2.DropIndexResponse:
        """Let go of a generation."""
        await self._generations.drop(request.generation)
        return retriever_pb2.DropIndexResponse(index=await self._described())

    async def _described(self) -> retriever_pb2.IndexInfo:
        counts, reports = await self._index.counts(), await self._generations.report()
        build, described = await self._rebuild.report(), self._generations.described
        return retriever_pb2.IndexInfo(
            build=retriever_pb2.IndexBuild(taken=build.taken, left=build.left) if build else None,
            generations=[_generation(report) for report in reports],
            indexed=counts.indexed,
            superseded=counts.superseded,
            memory=self._memory(),
            later=_later(described.later) if described and described.later else None,
            missing=[
                retriever_pb2.MissingModel(name=name, reason=reason)
                for name, reason in (described.missing if described else ())
            ],
        )

    async def DescribePools(
        self, request: retriever_pb2.DescribePoolsRequest, context: Any
    ) -> retriever_pb2.DescribePoolsResponse:
        """How pools of candidates grew, and how much of them the models share."""
        query_id = await query_meant(self._store, request.query_id) if request.query_id else ""
        versions = await self._store.versions(query_id)
        shared = shared_by_models([(one.query_id, one.look.asked, one.look.shared) for one in versions])
        overlaps = [
            retriever_pb2.ModelOverlap(first=first, second=second, shared=share, pools=pools)
            for (first, second), (share, pools) in shared.items()
        ]
        told = [
            retriever_pb2.PoolVersion(
                version=one.version, entered=one.entered, made_at=one.look.at.astimezone(UTC).isoformat()
            )
            for one in versions
            if request.query_id
        ]
        return retriever_pb2.DescribePoolsResponse(versions=told, overlaps=overlaps)

    async def Progress(self, request: retriever_pb2.ProgressRequest, context: Any) -> retriever_pb2.ProgressResponse:
        """What was done and what waits."""
        indexed, proposed, lag = await self._index.counts(), await self._store.counts(), await self._lag()
        counters = [
            progress_pb2.Counter(name="functions_indexed", value=indexed.indexed),
            progress_pb2.Counter(name="functions_superseded", value=indexed.superseded),
            progress_pb2.Counter(name="queries_answered", value=proposed.answered, total=proposed.queries),
            progress_pb2.Counter(name="pairs_proposed", value=proposed.proposals),
        ]
        spent = await spending(self._ledger, request.with_spending)
        progress = progress_pb2.Progress(counters=counters, lag=lag, activities=self._activities(), spent=spent)
        return retriever_pb2.ProgressResponse(progress=progress)


def _later(later: Later) -> retriever_pb2.IndexLater:
    return retriever_pb2.IndexLater(
        models=sorted(later.models), done=later.done, total=later.total, left_s=later.left_s, rests=later.rests
    )


def _generation(report: GenerationReport) -> retriever_pb2.IndexGeneration:
    one = report.generation
    return retriever_pb2.IndexGeneration(
        name=one.name,
        models=[retriever_pb2.GenerationModel(name=space.model, identity=space.identity) for space in one.spaces],
        text_form=one.text_form,
        weights={space.model: one.weights.of(space.model) for space in one.spaces}
        | {TEXT: one.weights.text, CROWDING: one.weights.crowding},
        active=report.active,
        pinned=report.pinned,
        current=report.current,
        lacking=report.lacking,
        made_at=one.made_at,
        left_out=report.left_out,
    )


def _question(request: retriever_pb2.SearchRequest) -> SearchQuestion:
    asked = request.filters
    forms = frozenset(asked.kinds) or FUNCTION_FORMS
    chosen = SearchFilter(
        repositories=_values(request.repository, *asked.repositories),
        languages=_values(request.language, *asked.languages),
        forms=forms | CLASS_FORMS if request.include_classes else forms,
        # Who asks for a version gets it, replaced or not.
        superseded=request.include_superseded or bool(asked.version.strip()),
        licences=_values(*asked.licences),
        symbol=asked.symbol.strip(),
        path=_path(asked.path.strip()),
        pattern=asked.pattern,
        version=asked.version.strip(),
    )
    return SearchQuestion(
        query=request.query,
        chosen=chosen,
        limit=request.limit,
        mode=request.mode,
        cursor=request.cursor,
        merge_duplicates=request.merge_duplicates,
        parts=tuple(request.parts),
        query_is_code=request.query_is_code,
        like_function_id=request.like_function_id,
        steps=tuple(request.steps),
        generation=request.generation,
        kinds_named=bool(asked.kinds),
        with_digest=request.with_digest,
    )


def _path(path: str) -> str:
    """A path as it is compared; the top of all is everything."""
    return path if path.strip("./") or not path else "**"


def _time_left(context: Any) -> float:
    """Seconds that the caller still waits; without end where it named no deadline."""
    left = context.time_remaining() if context is not None else None
    return math.inf if left is None else max(float(left), 0.0)


def _values(*texts: str) -> tuple[str, ...]:
    return tuple(text for text in texts if text.strip())


def _response(answer: SearchAnswer) -> retriever_pb2.SearchResponse:
    response = retriever_pb2.SearchResponse(
        index_lag=answer.functions_behind,
        indexed=answer.indexed,
        elapsed_s=answer.elapsed_s,
        augmented_query=answer.augmented_query,
        mode=answer.mode,
        note=answer.note,
        next_cursor=answer.next_cursor,
        parts=answer.parts,
        steps=[retriever_pb2.StepUse(**asdict(one)) for one in answer.steps],
        generation=answer.generation,
        left_out=answer.left_out,
        index_digest=answer.index_digest,
    )
    for result in answer.results:
        _put_result(response.results.add(), result)
    return response


def _piece(piece: SearchPiece) -> retriever_pb2.StreamSearchResponse:
    return retriever_pb2.StreamSearchResponse(
        step=piece.step,
        answer=_response(piece.answer),
        look_ups=[_look_up(one) for one in piece.look_ups],
        going_on=piece.going_on,
    )


def _look_up(one: LookUp) -> retriever_pb2.LookUp:
    if one.found is None:
        return retriever_pb2.LookUp(text=one.text)
    code = one.found.code
    look_up = retriever_pb2.LookUp(text=one.text, function_id=code.function_id)
    _put_location(look_up.found, code)
    return look_up


# Messages are filled where they belong: one that is made by itself is written and parsed again to go into another.
def _put_result(into: retriever_pb2.SearchResult, result: SearchResult) -> None:
    code = result.hit.code
    _put_location(into.location, code)
    into.score = result.hit.score
    into.code = code.code
    into.function_id = code.function_id
    into.streams.extend(result.streams)
    into.summary = code.summary
    into.form = code.form
    into.superseded = result.hit.superseded
    for one in result.parts:
        into.explanation.add(part=one.part, value=one.value, z=one.z, weight=one.weight, contribution=one.contribution)
    into.more_duplicates = result.more_duplicates
    for one in result.duplicates:
        _put_location(into.duplicates.add(), one)


def _put_location(into: code_pb2.CodeLocation, code: IndexedCode) -> None:
    into.repository = code.repository
    into.version = code.version
    # As paths of a question are compared, and as a working tree has it.
    into.path = code.plain_path
    into.line_start = code.line_start
    into.line_end = code.line_end
    into.qualname = code.qualname
    into.language = code.language
    into.licence = code.licence
    into.released_at = code.changed_at
