"""Tasks, answers and verdicts as the messages of `touchstone.evaluator.v1`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from types import MappingProxyType

from evaluator.domain.outcomes import is_near_miss
from evaluator.domain.resemblance import AnswerPlace, Resemblance
from evaluator.domain.runs import Run
from evaluator.domain.tasks import PENDING, RETRACTED, Attempt, Rejudged, Task, Verdict
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED

# What answers resemble, by where they stand.
Near = Mapping[AnswerPlace, tuple[Resemblance, ...]]
NONE: Near = MappingProxyType({})


def outcome_of(attempt: Attempt) -> str:
    """How an answer stands, in one word."""
    if attempt.retracted:
        return RETRACTED
    if attempt.verdict is not None:
        return attempt.verdict.outcome.value
    return PENDING


def to_result(run: Run, attempt: Attempt, near: Near) -> pb.TaskResult:
    """One answer of a run, in a line."""
    verdict = attempt.verdict
    return pb.TaskResult(
        task_id=attempt.task.task_id,
        outcome=outcome_of(attempt),
        cases=verdict.cases if verdict else attempt.task.cases,
        passed=verdict.passed if verdict else 0,
        detail=attempt.retracted or (verdict.detail if verdict else ""),
        entry_point=attempt.task.entry_point,
        sample=attempt.sample,
        near_miss=verdict is not None and is_near_miss(verdict.outcome, verdict.cases, verdict.passed),
        resembles=_resembled(run, attempt, near),
        wording=_wording(attempt.task),
    )


def _wording(task: Task) -> str:
    return DESCRIBED if task.wording == DESCRIBED else BY_EXAMPLE


def _resembled(run: Run, attempt: Attempt, near: Near) -> list[pb.Resemblance]:
    found = near.get((run.run_id, attempt.task.task_id, attempt.sample), ())
    return [pb.Resemblance(**asdict(each), how=each.how) for each in found]


def to_task(task: Task, retracted: str) -> pb.TaskInfo:
    """A task as its event described it."""
    return pb.TaskInfo(
        task_id=task.task_id,
        kind=task.kind,
        difficulty=task.difficulty,
        entry_point=task.entry_point,
        instruction=task.instruction,
        signatures=task.signatures,
        prelude=task.prelude,
        cases=task.cases,
        source=task.source,
        version=task.version,
        path=task.path,
        qualname=task.qualname,
        licence=task.licence,
        released_at=task.released_at,
        retracted=retracted,
        wording=_wording(task),
    )


def to_answer(run: Run, attempt: Attempt, near: Near = NONE) -> pb.Answer:
    """An answer, whole: code, steps, effort, failures."""
    answer = pb.Answer(
        run_id=run.run_id,
        model=run.spec.model,
        strategy=run.spec.label,
        language=run.spec.language,
        sample=attempt.sample,
        task_id=attempt.task.task_id,
        entry_point=attempt.task.entry_point,
        outcome=outcome_of(attempt),
        cases=attempt.task.cases,
        resembles=_resembled(run, attempt, near),
        wording=_wording(attempt.task),
    )
    if (solution := attempt.solution) is not None:
        answer.code, answer.detail = solution.code, solution.detail
        answer.steps.extend(json.dumps(step, ensure_ascii=False) for step in solution.steps)
        answer.tokens_in, answer.tokens_out = solution.effort.tokens_in, solution.effort.tokens_out
        if solution.effort.seconds is not None and not run.spec.answers:
            answer.seconds = solution.effort.seconds
        answer.cost_usd = solution.effort.cost_usd
        answer.calls = solution.effort.calls
        # A track may name the task's own, too.
        own = solution.suite_digest == attempt.task.suite_digest
        answer.suite_digest = "" if own else solution.suite_digest
    if (verdict := attempt.verdict) is not None:
        answer.cases, answer.passed, answer.detail = verdict.cases, verdict.passed, verdict.detail
        answer.cpu_s, answer.memory_bytes = verdict.cpu_s, verdict.memory_bytes
        answer.failures.extend(
            pb.Failure(index=index, outcome=outcome, detail=detail) for index, outcome, detail in verdict.failures
        )
    return answer


def to_version(verdict: Verdict) -> pb.VerdictVersion:
    """One version of a verdict."""
    return pb.VerdictVersion(
        judging=verdict.judging,
        note=verdict.note,
        outcome=verdict.outcome.value,
        cases=verdict.cases,
        passed=verdict.passed,
    )


def to_verdict_change(run: Run, each: Rejudged) -> pb.VerdictChange:
    """An answer that was judged again."""
    return pb.VerdictChange(
        run_id=each.run_id,
        model=run.spec.model,
        strategy=run.spec.label,
        task_id=each.task_id,
        entry_point=each.entry_point,
        sample=each.sample,
        before=to_version(each.before),
        after=to_version(each.after),
    )
