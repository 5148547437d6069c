"""gRPC in: runs are started, read and withdrawn; boards are read."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass

import grpc

from evaluator.adapters.answer_messages import NONE, to_answer, to_task, to_verdict_change, to_version
from evaluator.adapters.language_messages import to_languages
from evaluator.adapters.messages import (
    BoardAnswers,
    RunSummaries,
    to_change,
    to_comparison,
    to_counters,
    to_profile,
    to_retraction,
    to_retrieval_score,
    to_row,
    to_run,
    to_run_page,
    to_task_score,
)
from evaluator.domain.submitted import SubmittedAnswer
from evaluator.ports import (
    Announcer,
    AnswerSets,
    Exercises,
    LanguageModels,
    Releases,
    Resemblances,
    RetrievalScores,
    Store,
    TaskLists,
)
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.deciding import advance, compared
from evaluator.usecases.ending import cancel_run
from evaluator.usecases.parking import Parking
from evaluator.usecases.rejudging import get_rejudged, judge_again, verdicts_of
from evaluator.usecases.run_pages import run_page
from evaluator.usecases.runs import (
    delete_run,
    get_answers,
    get_attempt,
    get_run,
    pause_run,
    resume_run,
    start_run,
    withdraw_run,
)
from evaluator.usecases.scoring_retrievers import list_scores
from evaluator.usecases.strategies import Strategy
from evaluator.usecases.submitted import submit_answers
from evaluator.usecases.tasks import get_retractions
from touchstone.common.v1 import progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_runtime.costs import SUBMITTED
from touchstone_runtime.llm import Ledger, spending


@dataclass(frozen=True)
class Parts:
    """What the servicer stands on.

    Attributes:
        store: The evaluator's memory.
        announcer: Publishes requests.
        models: Knows the models' names.
        strategies: By name.
        releases: Knows the releases of tasks.
        lists: Keeps the tasks of runs for replays.
        sets: Keeps submitted answers.
        exercises: Poses tasks as other questions.
        boards: Computes boards.
        scores: Scores of retrievers.
        resemblances: Which mutants wrong answers resemble.
        parking: Looks after answers that wait for a batch.
    """

    store: Store
    announcer: Announcer
    models: LanguageModels
    strategies: Mapping[str, Strategy]
    releases: Releases
    lists: TaskLists
    sets: AnswerSets
    exercises: Exercises
    boards: Boards
    scores: RetrievalScores
    resemblances: Resemblances
    parking: Parking


async def _nothing() -> list[str]:
    return []


class EvaluatorServicer(rpc.EvaluatorServiceServicer):
    """Answers `touchstone.evaluator.v1.EvaluatorService`.

    Args:
        parts: What it stands on.
        left_out: Parts that CoCoST goes without where a request names none.
        report_url: Where the pages are.
        lag: Messages that wait to be handled; -1 when the broker cannot say.
        standstill: What stands still and why, one line each.
        ledger: What questions to models took; None where none are asked.
        waiting: What open batches wait for, one line each.
    """

    def __init__(
        self,
        parts: Parts,
        *,
        left_out: str,
        report_url: str,
        lag: Callable[[], Awaitable[int]],
        standstill: Callable[[], list[str]],
        ledger: Ledger | None = None,
        waiting: Callable[[], Awaitable[list[str]]] = _nothing,
    ) -> None:
        self._parts = parts
        self._store = parts.store
        self._boards = parts.boards
        self._answers, self._summaries = BoardAnswers(), RunSummaries()
        self._left_out = left_out
        self._report_url = report_url
        self._lag = lag
        self._standstill = standstill
        self._ledger = ledger
        self._waiting = waiting

    async def StartRun(  # noqa: D102  described in the proto
        self, request: pb.StartRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.StartRunResponse:
        parts = self._parts
        if not request.answers:
            await parts.parking.begin_anew(parts.models.identity(request.model))
        run = await start_run(
            parts.store,
            parts.announcer,
            parts.models,
            parts.strategies,
            parts.releases,
            parts.lists,
            parts.sets,
            parts.exercises,
            wanted_of(request),
            left_out=self._left_out,
        )
        asked = {attempt.task.task_id for attempt in run.attempts if not attempt.retracted}
        return pb.StartRunResponse(
            run_id=run.run_id, tasks=len(asked), task_set=run.spec.tasks.name, left_out=dict(run.left_out)
        )

    async def SubmitAnswers(  # noqa: D102  described in the proto
        self, request: pb.SubmitAnswersRequest, context: grpc.aio.ServicerContext
    ) -> pb.SubmitAnswersResponse:
        given = (SubmittedAnswer(answer.task_id, answer.sample, answer.text) for answer in request.answers)
        digest, answers, tasks = await submit_answers(self._parts.sets, given)
        return pb.SubmitAnswersResponse(digest=digest, answers=answers, tasks=tasks)

    async def ListStrategies(  # noqa: D102  described in the proto
        self, request: pb.ListStrategiesRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListStrategiesResponse:
        # Submitted answers are no way of asking.
        asking = {name: each for name, each in self._parts.strategies.items() if name != SUBMITTED}
        found = [pb.Strategy(name=name, parts=each.parts) for name, each in sorted(asking.items())]
        return pb.ListStrategiesResponse(strategies=found)

    async def GetRun(  # noqa: D102  described in the proto
        self, request: pb.GetRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetRunResponse:
        if request.HasField("most"):
            part = {"outcome": request.outcome, "start": request.start, "most": request.most}
            found = await run_page(self._store, self._boards, request.run_id, **part)
            near = await self._parts.resemblances.found(found.results.run.run_id) if found.attempts else NONE
            return await asyncio.to_thread(to_run_page, found, near)
        run = await get_run(self._store, request.run_id)
        near = await self._parts.resemblances.found(run.run_id)
        return await asyncio.to_thread(to_run, run, near)

    async def ListRuns(  # noqa: D102  described in the proto
        self, request: pb.ListRunsRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListRunsResponse:
        summaries = await self._boards.summaries()
        # Tens of thousands of answers are counted: beside the event loop.
        return await asyncio.to_thread(self._summaries.answer, summaries)

    async def CancelRun(  # noqa: D102  described in the proto
        self, request: pb.CancelRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.CancelRunResponse:
        cancelled = await cancel_run(self._store, self._parts.announcer, await get_run(self._store, request.run_id))
        after = await get_run(self._store, request.run_id)
        await self._parts.parking.give_up(after.run_id)
        return pb.CancelRunResponse(run=to_run(after).summary, cancelled=cancelled)

    async def PauseRun(  # noqa: D102  described in the proto
        self, request: pb.PauseRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.PauseRunResponse:
        run = await get_run(self._store, request.run_id)
        if request.resume:
            await self._parts.parking.begin_anew(run.spec.model)
            answers = await resume_run(self._store, self._parts.announcer, run)
        else:
            answers = await pause_run(self._store, self._parts.announcer, run)
        after = await get_run(self._store, run.run_id)
        return pb.PauseRunResponse(run=to_run(after).summary, answers=answers)

    async def CompareRuns(  # noqa: D102  described in the proto
        self, request: pb.CompareRunsRequest, context: grpc.aio.ServicerContext
    ) -> pb.CompareRunsResponse:
        seen = await compared(self._store, request.run_a, request.run_b, request.wording)
        return pb.CompareRunsResponse(comparison=to_comparison(seen))

    async def AdvanceComparison(  # noqa: D102  described in the proto
        self, request: pb.AdvanceComparisonRequest, context: grpc.aio.ServicerContext
    ) -> pb.AdvanceComparisonResponse:
        parts = self._parts
        seen, step, asked = await advance(
            parts.store,
            parts.announcer,
            request.run_a,
            request.run_b,
            request.budget_usd,
            again=request.again,
            wording=request.wording,
        )
        comparison = to_comparison(seen)
        return pb.AdvanceComparisonResponse(comparison=comparison, state=step.value, asked=asked, halted=seen.halted)

    async def DeleteRun(  # noqa: D102  described in the proto
        self, request: pb.DeleteRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.DeleteRunResponse:
        deleted = await delete_run(self._store, self._parts.announcer, request.run_id)
        await self._parts.parking.give_up(deleted.run_id)
        return pb.DeleteRunResponse(run=to_run(deleted).summary)

    async def WithdrawRun(  # noqa: D102  described in the proto
        self, request: pb.WithdrawRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.WithdrawRunResponse:
        run = await withdraw_run(
            self._store, self._parts.announcer, request.run_id, request.reason, restore=request.restore
        )
        return pb.WithdrawRunResponse(run=to_run(run).summary)

    async def GetAttempt(  # noqa: D102  described in the proto
        self, request: pb.GetAttemptRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetAttemptResponse:
        run, attempt = await get_attempt(self._store, request.run_id, request.task_id, request.sample)
        near = await self._parts.resemblances.found(run.run_id, attempt.task.task_id)
        return pb.GetAttemptResponse(
            task=to_task(attempt.task, attempt.retracted),
            answer=to_answer(run, attempt, near),
            verdicts=[to_version(each) for each in await verdicts_of(self._store, run.run_id, attempt)],
        )

    async def JudgeAgain(  # noqa: D102  described in the proto
        self, request: pb.JudgeAgainRequest, context: grpc.aio.ServicerContext
    ) -> pb.JudgeAgainResponse:
        count = await judge_again(self._store, self._parts.announcer, request.run_id, request.task_id, request.note)
        return pb.JudgeAgainResponse(answers=count)

    async def ListVerdictChanges(  # noqa: D102  described in the proto
        self, request: pb.ListVerdictChangesRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListVerdictChangesResponse:
        found = [to_verdict_change(run, each) for run, each in await get_rejudged(self._store)]
        return pb.ListVerdictChangesResponse(changes=found)

    async def ListAnswers(  # noqa: D102  described in the proto
        self, request: pb.ListAnswersRequest, context: grpc.aio.ServicerContext
    ) -> AsyncIterator[pb.ListAnswersResponse]:
        run = await get_run(self._store, request.run_id)
        near = await self._parts.resemblances.found(run.run_id)
        for attempt in run.attempts:
            yield pb.ListAnswersResponse(answer=to_answer(run, attempt, near))

    async def ListTaskScores(  # noqa: D102  described in the proto
        self, request: pb.ListTaskScoresRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListTaskScoresResponse:
        scores = sorted((await self._boards.task_scores()).items())
        return pb.ListTaskScoresResponse(scores=[to_task_score(*each) for each in scores])

    async def GetTaskAnswers(  # noqa: D102  described in the proto
        self, request: pb.GetTaskAnswersRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetTaskAnswersResponse:
        task, retracted, answers = await get_answers(self._store, request.task_id)
        near = await self._parts.resemblances.found(task_id=task.task_id)
        return pb.GetTaskAnswersResponse(
            task=to_task(task, retracted), answers=[to_answer(run, attempt, near) for run, attempt in answers]
        )

    async def GetBoard(  # noqa: D102  described in the proto
        self, request: pb.GetBoardRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetBoardResponse:
        found = await self._boards.board(request.scope, request.language, request.mode, request.wording)
        # Thousands of pairs: beside the event loop, and once for each board.
        return await asyncio.to_thread(self._answers.answer, *found)

    async def GetLanguages(  # noqa: D102  described in the proto
        self, request: pb.GetLanguagesRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetLanguagesResponse:
        return to_languages(*await self._boards.languages(request.scope, request.mode, request.wording))

    async def GetRunProfile(  # noqa: D102  described in the proto
        self, request: pb.GetRunProfileRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetRunProfileResponse:
        return to_profile(await self._boards.profile(request.run_id, self._parts.models.cutoff, request.wording))

    async def GetRetraction(  # noqa: D102  described in the proto
        self, request: pb.GetRetractionRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetRetractionResponse:
        retraction, found = await self._boards.effect(request.task_id)
        return pb.GetRetractionResponse(
            retraction=to_retraction(retraction), changes=[to_change(change) for change in found]
        )

    async def Leaderboard(  # noqa: D102  described in the proto
        self, request: pb.LeaderboardRequest, context: grpc.aio.ServicerContext
    ) -> pb.LeaderboardResponse:
        boards = [
            board for board in await self._boards.every(request.wording) if request.language in ("", board.language)
        ]
        retractions = [to_retraction(each) for each in await get_retractions(self._store)]
        rows = [to_row(board, row) for board in boards for row in board.rows]
        return pb.LeaderboardResponse(rows=rows, report_url=self._report_url, retractions=retractions)

    async def ListRetrievalScores(  # noqa: D102  described in the proto
        self, request: pb.ListRetrievalScoresRequest, context: grpc.aio.ServicerContext
    ) -> pb.ListRetrievalScoresResponse:
        found = await list_scores(self._parts.scores, request.labels, history=request.history)
        return pb.ListRetrievalScoresResponse(scores=[to_retrieval_score(score) for score in found])

    async def Progress(  # noqa: D102  described in the proto
        self, request: pb.ProgressRequest, context: grpc.aio.ServicerContext
    ) -> pb.ProgressResponse:
        counters = to_counters(await self._store.counts())
        halted = [f"{run.spec.model} {run.spec.label}: halted: {run.halted}" for run in await self._store.halted_runs()]
        activities = [*halted, *await self._waiting(), *self._standstill()]
        spent = await spending(self._ledger, request.with_spending)
        progress = progress_pb2.Progress(counters=counters, lag=await self._lag(), activities=activities, spent=spent)
        return pb.ProgressResponse(progress=progress)


def wanted_of(request: pb.StartRunRequest) -> Wanted:
    """What a caller asks for."""
    return Wanted(
        model=request.model,
        strategy=request.strategy,
        language=request.language,
        release=request.release,
        task_ids=tuple(request.task_ids),
        limit=request.limit,
        sample_seed=request.sample_seed,
        samples=request.samples or 1,
        temperature=request.temperature,
        seed=request.seed,
        answers=request.answers,
        held=request.held,
        track=request.track,
        band=request.band,
    )
