"""The evaluator's events, on the bus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from evaluator.domain.tasks import Run, Solution, Task
from touchstone_contracts.events import ModelSpec, SolutionGenerated, SolutionRequested, Usage
from touchstone_contracts.topics import SOLUTION_GENERATED, SOLUTION_REQUESTED
from touchstone_runtime.bus import Bus


class BusAnnouncer:
    """Implements `ports.Announcer`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def request_solutions(self, run: Run, task_ids: Sequence[str]) -> None:
        """Ask for solutions of these tasks."""
        await self._bus.publish_all(SOLUTION_REQUESTED, [request_of(run, task_id) for task_id in task_ids])

    async def solution_generated(self, run: Run, task: Task, solution: Solution) -> None:
        """Tell that a solution waits for its verdict."""
        await self._bus.publish(SOLUTION_GENERATED, generated_of(run, task, solution))


def request_of(run: Run, task_id: str) -> SolutionRequested:
    """The event that asks for one solution."""
    return SolutionRequested(
        run_id=run.run_id,
        task_id=task_id,
        model=spec_of(run.endpoint),
        strategy="cocost" if run.strategy == "cocost" else "direct",
        language=run.language,
    )


def generated_of(run: Run, task: Task, solution: Solution) -> SolutionGenerated:
    """The event that brings one solution to the sandbox."""
    return SolutionGenerated(
        solution_id=solution.solution_id,
        run_id=run.run_id,
        task_id=task.task_id,
        model=spec_of(run.endpoint),
        strategy=run.label,
        language=run.language,
        entry_point=task.entry_point,
        code=solution.code,
        suite_digest=task.suite_digest,
        usage=Usage(**asdict(solution.effort)),
    )


def spec_of(endpoint: str) -> ModelSpec:
    """A catalogue name, or `name@base_url`, as events carry it."""
    name, _, base_url = endpoint.partition("@")
    return ModelSpec(name=name, base_url=base_url)
