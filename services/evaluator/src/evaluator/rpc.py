"""gRPC in: runs are started and read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import grpc

from evaluator.domain.leaderboard import Row
from evaluator.domain.statistics import Share
from evaluator.domain.tasks import Attempt, Retraction, Run
from evaluator.ports import Announcer, Counts, LanguageModels, Store
from evaluator.usecases.runs import get_leaderboard, get_run, start_run
from evaluator.usecases.strategies import Strategy
from evaluator.usecases.tasks import get_retractions
from touchstone.common.v1 import progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc


class EvaluatorServicer(rpc.EvaluatorServiceServicer):
    """Answers `touchstone.evaluator.v1.EvaluatorService`.

    Args:
        store: The evaluator's memory.
        announcer: Publishes requests.
        models: Knows the models' names.
        strategies: By name.
        left_out: Parts that CoCoST goes without where a request names none.
        report_url: Where the report page is.
        lag: Messages that wait to be handled; -1 when the broker cannot say.
        standstill: What stands still and why, one line each.
    """

    def __init__(
        self,
        store: Store,
        announcer: Announcer,
        models: LanguageModels,
        strategies: Mapping[str, Strategy],
        *,
        left_out: str,
        report_url: str,
        lag: Callable[[], Awaitable[int]],
        standstill: Callable[[], list[str]],
    ) -> None:
        self._store = store
        self._announcer = announcer
        self._models = models
        self._strategies = strategies
        self._left_out = left_out
        self._report_url = report_url
        self._lag = lag
        self._standstill = standstill

    async def StartRun(  # noqa: D102  described in the proto
        self, request: pb.StartRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.StartRunResponse:
        run, tasks = await start_run(
            self._store,
            self._announcer,
            self._models,
            self._strategies,
            model=request.model,
            strategy=request.strategy,
            language=request.language,
            task_ids=list(request.task_ids),
            limit=request.limit,
            left_out=self._left_out,
        )
        return pb.StartRunResponse(run_id=run.run_id, tasks=tasks)

    async def GetRun(  # noqa: D102  described in the proto
        self, request: pb.GetRunRequest, context: grpc.aio.ServicerContext
    ) -> pb.GetRunResponse:
        return to_run(await get_run(self._store, request.run_id))

    async def Leaderboard(  # noqa: D102  described in the proto
        self, request: pb.LeaderboardRequest, context: grpc.aio.ServicerContext
    ) -> pb.LeaderboardResponse:
        rows = await get_leaderboard(self._store, request.language)
        retractions = [to_retraction(each) for each in await get_retractions(self._store)]
        return pb.LeaderboardResponse(
            rows=[to_row(row) for row in rows], report_url=self._report_url, retractions=retractions
        )

    async def Progress(  # noqa: D102  described in the proto
        self, request: pb.ProgressRequest, context: grpc.aio.ServicerContext
    ) -> pb.ProgressResponse:
        counters = to_counters(await self._store.counts())
        halted = [f"{run.model} {run.label}: halted: {run.halted}" for run in await self._store.halted_runs()]
        activities = [*halted, *self._standstill()]
        progress = progress_pb2.Progress(counters=counters, lag=await self._lag(), activities=activities)
        return pb.ProgressResponse(progress=progress)


def to_run(run: Run) -> pb.GetRunResponse:
    """A run as callers see it; retracted tasks are listed and counted nowhere."""
    standing = [attempt for attempt in run.attempts if not attempt.retracted]
    return pb.GetRunResponse(
        run_id=run.run_id,
        model=run.model,
        strategy=run.label,
        language=run.language,
        tasks=len(standing),
        finished=sum(attempt.verdict is not None for attempt in standing),
        results=[to_result(attempt) for attempt in run.attempts],
        halted=run.halted,
    )


def to_result(attempt: Attempt) -> pb.TaskResult:
    """One task of a run as callers see it."""
    verdict = attempt.verdict
    outcome = verdict.outcome.value if verdict else "pending"
    return pb.TaskResult(
        task_id=attempt.task.task_id,
        outcome="retracted" if attempt.retracted else outcome,
        cases=verdict.cases if verdict else attempt.task.cases,
        passed=verdict.passed if verdict else 0,
        detail=attempt.retracted or (verdict.detail if verdict else ""),
        entry_point=attempt.task.entry_point,
    )


def to_row(row: Row) -> pb.LeaderboardRow:
    """One line of the leaderboard as callers see it."""
    return pb.LeaderboardRow(
        model=row.run.model,
        strategy=row.run.label,
        language=row.run.language,
        pass_at_1=to_share("all", row.pass_at_1),
        by_kind=[to_share(name, value) for name, value in row.by_kind],
        by_difficulty=[to_share(name, value) for name, value in row.by_difficulty],
        failures=[pb.FailureCount(outcome=outcome.value, count=count) for outcome, count in row.failures],
        near_misses=row.near_misses,
        tokens_in=row.effort.tokens_in,
        tokens_out=row.effort.tokens_out,
        model_seconds=row.effort.seconds,
        cost_usd=row.effort.cost_usd,
        sandbox_cpu_s=row.sandbox_cpu_s,
        run_id=row.run.run_id,
        pending=row.pending,
        retracted=row.retracted,
    )


def to_retraction(retraction: Retraction) -> pb.Retraction:
    """A task that was taken back as callers see it."""
    return pb.Retraction(
        task_id=retraction.task_id,
        entry_point=retraction.entry_point,
        source=retraction.source,
        note=retraction.note,
    )


def to_share(group: str, share: Share) -> pb.Share:
    """A share as callers see it."""
    return pb.Share(
        group=group, passed=share.hits, total=share.total, value=share.value, low=share.low, high=share.high
    )


def to_counters(counts: Counts) -> list[progress_pb2.Counter]:
    """Counts as progress displays read them."""
    return [
        progress_pb2.Counter(name="tasks_known", value=counts.tasks),
        progress_pb2.Counter(name="tasks_retracted", value=counts.retracted),
        progress_pb2.Counter(name="runs_started", value=counts.runs),
        progress_pb2.Counter(name="solutions_generated", value=counts.generated, total=counts.attempts),
        progress_pb2.Counter(name="verdicts_reached", value=counts.judged, total=counts.attempts),
    ]
