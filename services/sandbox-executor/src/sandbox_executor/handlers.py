"""Kafka in: a solution is judged."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sandbox_executor.domain.jobs import Solution
from sandbox_executor.usecases import Judging
from touchstone_contracts.events import SolutionGenerated


def judge_generated(judging: Judging) -> Callable[[SolutionGenerated], Awaitable[None]]:
    """The handler of `solution.generated`."""

    async def handle(event: SolutionGenerated) -> None:
        await judging.judge(
            Solution(
                solution_id=event.solution_id,
                run_id=event.run_id,
                task_id=event.task_id,
                language=event.language,
                entry_point=event.entry_point,
                source=event.code,
                suite_digest=event.suite_digest,
                judging=event.judging,
                judging_note=event.judging_note,
            )
        )

    return handle
