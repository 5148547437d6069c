"""Domain objects as the messages of `touchstone.evaluator.v1`."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence

from evaluator.adapters.answer_messages import NONE, Near, to_result
from evaluator.domain.board import Board, BoardRow, Pair
from evaluator.domain.clustered import Interval
from evaluator.domain.contamination import Around
from evaluator.domain.difficulty import Difficulty
from evaluator.domain.labelled import RetrievalScore
from evaluator.domain.memory import MemoryGap
from evaluator.domain.outcomes import Outcome, is_scored, outcome_named
from evaluator.domain.profile import Profile
from evaluator.domain.results import Cell, RunResults, Scope, cell_of, scope_digest, unpriced
from evaluator.domain.retracting import Change
from evaluator.domain.runs import Run
from evaluator.domain.scores import TaskScore
from evaluator.domain.slices import Slice
from evaluator.domain.specification import RunSpec
from evaluator.domain.stopping import ALPHA
from evaluator.domain.tasks import Retraction
from evaluator.ports import Counts
from evaluator.usecases.deciding import Seen
from evaluator.usecases.run_pages import RunPage
from touchstone.common.v1 import progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_runtime.llm import without_keys
from touchstone_runtime.tracks import WRITE


def to_spec(spec: RunSpec) -> pb.RunSpec:
    """A specification."""
    tasks = spec.tasks
    name, at, address = spec.endpoint.partition("@")
    return pb.RunSpec(
        tasks=pb.TaskSet(
            digest=tasks.digest, kind=tasks.kind, name=tasks.name, count=tasks.count, release=tasks.release
        ),
        language=spec.language,
        strategy=spec.strategy,
        variant=spec.variant,
        bounds=dict(spec.bounds),
        model=spec.model,
        # Runs from before addresses with keys were refused may hold one.
        endpoint=f"{name}{at}{without_keys(address)}",
        model_digest=spec.model_digest,
        samples=spec.samples,
        temperature=spec.temperature,
        seed=spec.seed,
        prompts=spec.prompts,
        answers=spec.answers,
        track=spec.track,
    )


def to_summary(results: RunResults, retracted: frozenset[str]) -> pb.RunSummary:
    """A run without its tasks; retracted ones count nowhere."""
    given = [cell for task_id, cells in results.cells.items() if task_id not in retracted for cell in cells]
    return _summary(results.run, given, named=not results.unpriced)


def _summary(run: Run, cells: Sequence[Cell], *, named: bool = True) -> pb.RunSummary:
    """What is counted over the answers of a run to standing tasks; `named` as of `unpriced`."""
    outcomes = [outcome_named(cell.outcome) for cell in cells if cell.outcome]
    lost = sum(not is_scored(outcome) for outcome in outcomes)
    return pb.RunSummary(
        run_id=run.run_id,
        spec=to_spec(run.spec),
        answers=len(cells),
        judged=len(outcomes) - lost,
        passed=sum(outcome is Outcome.PASSED for outcome in outcomes),
        infrastructure=lost,
        halted=run.halted,
        withdrawn=run.withdrawn,
        paused=run.paused,
        cost_usd=sum(cell.cost_usd for cell in cells),
        tokens_in=sum(cell.tokens_in for cell in cells),
        tokens_out=sum(cell.tokens_out for cell in cells),
        unpriced=unpriced(run, cells, named=named),
        cancelled=sum(cell.cancelled for cell in cells),
    )


class RunSummaries:
    """Keeps what was said of each run: all answers of all runs are hundreds of thousands."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[RunResults, frozenset[str], pb.RunSummary]] = {}

    def answer(self, found: Iterable[tuple[Run, RunResults, frozenset[str]]]) -> pb.ListRunsResponse:
        """Every run without its tasks."""
        kept = {run.run_id: self._of(results, retracted) for run, results, retracted in found}
        self._kept = kept
        return pb.ListRunsResponse(runs=[summary for *_, summary in kept.values()])

    def _of(self, results: RunResults, retracted: frozenset[str]) -> tuple[RunResults, frozenset[str], pb.RunSummary]:
        known = self._kept.get(results.run.run_id)
        # By identity: results are read anew where anything of a run changed.
        if known is None or known[0] is not results or known[1] != retracted:
            known = (results, retracted, to_summary(results, retracted))
        return known


def to_run(run: Run, near: Near = NONE) -> pb.GetRunResponse:
    """A run with its tasks; retracted ones are listed and counted nowhere."""
    summary = _summary(run, [cell_of(attempt) for attempt in run.attempts if not attempt.retracted])
    return pb.GetRunResponse(
        run_id=run.run_id,
        model=run.spec.model,
        strategy=run.spec.label,
        language=run.spec.language,
        tasks=summary.answers,
        finished=summary.judged + summary.infrastructure,
        results=[to_result(run, attempt, near) for attempt in run.attempts],
        halted=run.halted,
        summary=summary,
    )


def to_run_page(page: RunPage, near: Near) -> pb.GetRunResponse:
    """A part of a run's answers, with what is counted over all of them."""
    run, summary = page.results.run, to_summary(page.results, page.retracted)
    return pb.GetRunResponse(
        run_id=run.run_id,
        model=run.spec.model,
        strategy=run.spec.label,
        language=run.spec.language,
        tasks=summary.answers,
        finished=summary.judged + summary.infrastructure,
        results=[to_result(run, attempt, near) for attempt in page.attempts],
        halted=run.halted,
        summary=summary,
        total=page.total,
        outcomes=[pb.FailureCount(outcome=name, count=count) for name, count in page.outcomes],
        near_misses=page.near_misses,
    )


def board_body(board: Board) -> pb.GetBoardResponse:
    """What a board says of its runs and pairs: the large part, which changes only with the board."""
    return pb.GetBoardResponse(
        language=board.language,
        mode=board.mode,
        rows=[to_board_row(row) for row in board.rows],
        pairs=[to_pair(pair) for pair in board.pairs],
        repositories=board.repositories,
        retracted=board.retracted,
        wording=board.wording,
        tasks=board.tasks,
        tasks_elsewhere=board.elsewhere,
    )


def around(
    body: pb.GetBoardResponse, board: Board, scopes: Sequence[Scope], runs: Iterable[Run]
) -> pb.GetBoardResponse:
    """That part with its scope, a hash of both, and the scopes that there are beside it."""
    inside = [run for run in runs if not run.withdrawn]
    answer = pb.GetBoardResponse()
    answer.CopyFrom(body)
    answer.scope.CopyFrom(to_scope(board.scope, inside))
    answer.digest = hashlib.sha256(answer.SerializeToString(deterministic=True)).hexdigest()
    answer.scopes.extend(to_scope(scope, inside) for scope in scopes)
    return answer


class BoardAnswers:
    """Keeps the large part of the boards that were asked for last."""

    def __init__(self, kept: int = 16) -> None:
        self._kept = kept
        self._bodies: list[tuple[Board, pb.GetBoardResponse]] = []
        self._lock = threading.Lock()

    def answer(self, board: Board, scopes: Sequence[Scope], runs: Iterable[Run]) -> pb.GetBoardResponse:
        """A board, with every scope that there is, and a hash of what it says."""
        with self._lock:
            # By identity: to compare two boards would cost as much as to write one.
            body = next((body for known, body in self._bodies if known is board), None)
            if body is None:
                body = board_body(board)
                self._bodies = [*self._bodies[1 - self._kept :], (board, body)]
        return around(body, board, scopes, runs)


def to_scope(scope: Scope, runs: Iterable[Run]) -> pb.Scope:
    """A set of tasks, with how many runs it has and in which languages."""
    mine = [run for run in runs if scope_digest(run) == scope.digest]
    return pb.Scope(
        digest=scope.digest,
        kind=scope.kind,
        name=scope.label,
        tasks=len(scope.task_ids),
        runs=len(mine),
        languages=sorted({run.spec.language for run in mine}),
    )


def to_board_row(row: BoardRow) -> pb.BoardRow:
    """One line of a board."""
    low, high = row.rank or (0, 0)
    return pb.BoardRow(
        run=pb.RunSummary(
            run_id=row.run.run_id,
            spec=to_spec(row.run.spec),
            answers=row.asked,
            judged=row.judged,
            passed=row.passed,
            infrastructure=row.infrastructure,
            halted=row.run.halted,
            paused=row.run.paused,
            cost_usd=row.totals.cost_usd,
            tokens_in=row.totals.tokens_in,
            tokens_out=row.totals.tokens_out,
            unpriced=row.totals.unpriced,
            cancelled=row.cancelled,
        ),
        judged=row.judged_tasks,
        tasks=row.tasks,
        passed=row.solved,
        value=row.share.value,
        low=row.share.low,
        high=row.share.high,
        least=row.least,
        most=row.most,
        rank_low=low,
        rank_high=high,
        pass_at=[pb.PassAtK(k=k, value=each.value, low=each.low, high=each.high) for k, each in row.pass_at],
        failures=[pb.FailureCount(outcome=outcome.value, count=count) for outcome, count in row.outcomes],
        classes=[pb.FailureCount(outcome=name, count=count) for name, count in row.classes],
        near_misses=row.near_misses,
        by_kind=[to_share(name, value) for name, value in row.by_kind],
        by_difficulty=[to_share(name, value) for name, value in row.by_difficulty],
        by_month=[to_share(name, value) for name, value in row.by_month],
        infrastructure=row.infrastructure,
        seconds=row.totals.seconds,
        sandbox_cpu_s=row.totals.cpu_s,
        cpu_ratio=row.cpu_ratio,
        memory=_memory(row.memory) if row.memory else None,
    )


def to_pair(pair: Pair) -> pb.BoardPair:
    """Two runs compared."""
    return pb.BoardPair(
        run_a=pair.a,
        run_b=pair.b,
        only_a=pair.only_a,
        only_b=pair.only_b,
        difference=pair.difference.value,
        low=pair.difference.low,
        high=pair.difference.high,
        p=pair.p,
        p_holm=pair.p_holm,
        decided=pair.decided,
    )


def to_row(board: Board, row: BoardRow) -> pb.LeaderboardRow:
    """One line of a leaderboard that spans several sets of tasks."""
    low, high = row.rank or (0, 0)
    return pb.LeaderboardRow(
        model=row.run.spec.model,
        strategy=row.run.spec.label,
        language=row.run.spec.language,
        pass_at_1=to_interval("all", row),
        by_kind=[to_share(name, value) for name, value in row.by_kind],
        by_difficulty=[to_share(name, value) for name, value in row.by_difficulty],
        failures=[pb.FailureCount(outcome=outcome.value, count=count) for outcome, count in row.outcomes],
        near_misses=row.near_misses,
        tokens_in=row.totals.tokens_in,
        tokens_out=row.totals.tokens_out,
        model_seconds=row.totals.seconds,
        cost_usd=row.totals.cost_usd,
        sandbox_cpu_s=row.totals.cpu_s,
        run_id=row.run.run_id,
        pending=row.asked - row.judged - row.infrastructure,
        retracted=board.retracted,
        task_set=board.scope.label,
        rank_low=low,
        rank_high=high,
        infrastructure=row.infrastructure,
        track=row.run.spec.track or WRITE,
        cpu_ratio=row.cpu_ratio,
        memory=_memory(row.memory) if row.memory else None,
        scope=board.scope.digest,
        mode=board.mode,
        samples=row.run.spec.samples,
        temperature=row.run.spec.temperature,
        wording=board.wording,
        tasks=board.tasks,
        tasks_elsewhere=board.elsewhere,
        least=row.least,
        most=row.most,
        judged=row.judged_tasks,
        solved=row.solved,
        unpriced=row.totals.unpriced,
        cancelled=row.cancelled,
    )


def to_interval(group: str, row: BoardRow) -> pb.Share:
    """The share of a row; `passed` and `total` are answers."""
    share: Interval = row.share
    return pb.Share(
        group=group,
        passed=row.passed,
        total=row.judged,
        value=share.value,
        low=share.low,
        high=share.high,
        asked=row.run.spec.samples * row.tasks,
        least=row.least,
        most=row.most,
    )


def to_retrieval_score(score: RetrievalScore) -> pb.RetrievalScore:
    """How well a retriever found what is labelled."""
    return pb.RetrievalScore(
        labels=score.labels,
        labels_digest=score.digest,
        retriever=score.retriever,
        queries=score.queries,
        answerable=score.answerable,
        measures={name: _ends(mean) for name, mean in score.measures.items()},
        condensed={name: _ends(mean) for name, mean in score.condensed.items()},
        unjudged_at_10=score.unjudged_at_10,
        indexed=score.indexed,
        scored_at=score.scored_at.isoformat(),
        method=score.method,
        generation=score.generation,
        index_digest=score.index_digest,
    )


def to_profile(profile: Profile) -> pb.GetRunProfileResponse:
    """A run by slices."""
    return pb.GetRunProfileResponse(
        run=to_summary(profile.results, profile.retracted),
        slices=[pb.Slice(dimension=name, share=to_share(group, value)) for name, group, value in profile.slices],
        around=_around(profile.around) if profile.around else None,
        memory=_memory(profile.memory) if profile.memory else None,
        wording=profile.wording,
        by_wording=[
            pb.WordingShare(
                wording=wording,
                tasks=row.tasks,
                judged=row.judged_tasks,
                share=_ends(row.share),
                least=row.least,
                most=row.most,
            )
            for wording, row in profile.rows
        ],
    )


def _memory(gap: MemoryGap) -> pb.MemoryGap:
    return pb.MemoryGap(
        plain=_ends(gap.plain),
        neutral=_ends(gap.neutral),
        gap=_ends(gap.gap),
        tasks=gap.tasks,
        repositories=gap.repositories,
        left_out=gap.left_out,
        only_plain=gap.only_plain,
        only_neutral=gap.only_neutral,
        p=gap.p,
        decided=gap.decided,
        plain_run=gap.plain_run,
        neutral_run=gap.neutral_run,
        missing=gap.missing,
    )


def _around(around: Around) -> pb.AroundCutoff:
    return pb.AroundCutoff(
        cutoff=around.cutoff,
        before=_ends(around.before),
        after=_ends(around.after),
        tasks_before=around.tasks_before,
        tasks_after=around.tasks_after,
        undated=around.undated,
        gap=_ends(around.gap),
        decided=around.decided,
        missing_before=around.missing_before,
        missing_after=around.missing_after,
    )


def _ends(found: Interval | Difficulty) -> pb.Interval:
    return pb.Interval(value=found.value, low=found.low, high=found.high)


def to_retraction(retraction: Retraction) -> pb.Retraction:
    """A task that was taken back."""
    return pb.Retraction(
        task_id=retraction.task_id,
        entry_point=retraction.entry_point,
        source=retraction.source,
        note=retraction.note,
    )


def to_change(change: Change) -> pb.RankChange:
    """A row with a task and without it; one that stands there no more is over no tasks."""
    run, scope = change.before.run, change.board.scope
    return pb.RankChange(
        scope=scope.digest,
        scope_name=scope.label,
        language=change.board.language,
        mode=change.board.mode,
        run_id=run.run_id,
        model=run.spec.model,
        strategy=run.spec.label,
        before=_standing(change.before),
        after=_standing(change.after) if change.after else pb.Standing(),
    )


def _standing(row: BoardRow) -> pb.Standing:
    low, high = row.rank or (0, 0)
    return pb.Standing(value=row.share.value, rank_low=low, rank_high=high, judged=row.judged_tasks, tasks=row.tasks)


def to_task_score(task_id: str, score: TaskScore) -> pb.TaskScore:
    """A task over all runs."""
    return pb.TaskScore(
        task_id=task_id,
        judged=score.judged,
        passed=score.passed,
        near_misses=score.near_misses,
        difficulty=_ends(score.difficulty) if score.difficulty else None,
    )


def to_comparison(seen: Seen) -> pb.Comparison:
    """How two runs stand, repository by repository."""
    found = seen.comparison
    return pb.Comparison(
        decision=found.decision.value,
        repositories=found.looks,
        of=seen.repositories,
        evidence=found.evidence,
        needed=1.0 / ALPHA,
        difference=found.difference,
        tasks=found.tasks,
        cost_usd=seen.cost_usd,
        wording=seen.wording,
        tasks_of=seen.tasks,
        tasks_elsewhere=seen.elsewhere,
        lost=found.lost,
        least=found.least,
        most=found.most,
        absent=seen.absent,
    )


def to_share(group: str, found: Slice) -> pb.Share:
    """A slice with its interval, and what it can be where answers are missing."""
    return pb.Share(
        group=group,
        passed=found.hits,
        total=found.total,
        value=found.value,
        low=found.low,
        high=found.high,
        asked=found.asked,
        least=found.least,
        most=found.most,
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
