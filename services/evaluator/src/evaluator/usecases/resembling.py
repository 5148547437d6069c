"""Compares wrong answers with the mutants of their ground truths, one task after another, and keeps what is near."""

from __future__ import annotations

from evaluator.domain.resemblance import nearest
from evaluator.ports import KillPatterns, Resemblances

# Of one sweep: a task whose mutants were never judged takes seconds in the sandbox.
_TASKS = 20


async def compare_wrong_answers(resemblances: Resemblances, patterns: KillPatterns) -> int:
    """Compare the wrong answers that were not compared yet; gives how many were.

    Raises:
        ExercisesAwayError: Whoever has the mutants does not answer; what was compared is kept.
    """
    count = 0
    for task_id in await resemblances.waiting(_TASKS):
        known = await patterns.of(task_id)
        answers = await resemblances.uncompared(task_id)
        await resemblances.save([(each, nearest(each.verdict, known)) for each in answers])
        count += len(answers)
    return count
