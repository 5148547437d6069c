"""Verdicts have versions: answers are judged again after the judge or its tools were mended; the old verdicts stay."""

from __future__ import annotations

import asyncio

from evaluator.domain.runs import Run
from evaluator.domain.tasks import Attempt, Rejudged, Verdict
from evaluator.errors import BadSpecificationError, UnknownTaskError
from evaluator.ports import Announcer, Store
from evaluator.usecases.runs import get_answers, get_run

# Announced at a time: one after another, a run of thousands would outlast its caller's patience.
_PORTION = 200


async def judge_again(store: Store, announcer: Announcer, run_id: str, task_id: str, note: str) -> int:
    """Have answers judged once more; the newest verdict counts as soon as it is there.

    An answer whose new verdict is still awaited is asked for under the same number, so that asking twice is asking
    once. Answers that hold no program have nothing to judge.

    Args:
        store: The evaluator's memory.
        announcer: Publishes what is to be judged.
        run_id: Whole id or an unambiguous beginning of a run; empty takes every run.
        task_id: The same of a task; empty takes every task of the run.
        note: Why, for everybody to read.

    Returns:
        How many answers.

    Raises:
        UnknownRunError: There is no such run.
        UnknownTaskError: There is no such task, or the run does not have it.
        BadSpecificationError: Neither a run nor a task is named, or no note is given.
    """
    if not note.strip():
        raise BadSpecificationError(
            "answers are judged again with a note", thing=run_id or task_id, way_out="say why, for readers"
        )
    chosen = [
        (run, attempt)
        for run, attempt in await _chosen(store, run_id, task_id)
        if attempt.verdict is not None
        and attempt.solution is not None
        and attempt.solution.outcome is None
        # Which no verdict counts for until the run is asked for again.
        and not attempt.verdict.cancelled
    ]
    for start in range(0, len(chosen), _PORTION):
        some = chosen[start : start + _PORTION]
        await asyncio.gather(*(_announced(announcer, run, attempt, note.strip()) for run, attempt in some))
    return len(chosen)


async def _announced(announcer: Announcer, run: Run, attempt: Attempt, note: str) -> None:
    assert attempt.solution is not None and attempt.verdict is not None
    judging = attempt.verdict.judging + 1
    await announcer.solution_generated(run, attempt.task, attempt.solution, attempt.sample, judging=judging, note=note)


async def _chosen(store: Store, run_id: str, task_id: str) -> list[tuple[Run, Attempt]]:
    if run_id:
        run = await get_run(store, run_id)
        found = [(run, each) for each in run.attempts if each.task.task_id.startswith(task_id)]
        if task_id and len({attempt.task.task_id for _, attempt in found}) != 1:
            raise UnknownTaskError("the run has no such task, or more than one", thing=task_id)
        return found
    if not task_id:
        raise BadSpecificationError("neither a run nor a task is named", way_out="name one of them, or both")
    return (await get_answers(store, task_id))[2]


async def verdicts_of(store: Store, run_id: str, attempt: Attempt) -> list[Verdict]:
    """Every verdict on an answer, oldest first; the last one counts."""
    if attempt.solution is None:
        return []
    return await store.verdicts_on(run_id, attempt.task.task_id, attempt.solution.solution_id)


async def get_rejudged(store: Store) -> list[tuple[Run, Rejudged]]:
    """Every judgement anew with its run, so that no later one hides a verdict that changed."""
    runs = {run.run_id: run for run, _ in (await store.overview()).runs}
    return [(runs[each.run_id], each) for each in await store.rejudged() if each.run_id in runs]
