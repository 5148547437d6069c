"""The evaluator's events, on the bus."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, replace

from evaluator.domain.lives import RunChange
from evaluator.domain.runs import Run
from evaluator.domain.tasks import Solution, Task
from evaluator.ports import Place
from touchstone_contracts.events import (
    ModelSpec,
    RunChanged,
    RunSpecification,
    SolutionGenerated,
    SolutionRequested,
    TouchedAnswer,
    Usage,
)
from touchstone_contracts.topics import RUN_CHANGED, SOLUTION_GENERATED, SOLUTION_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.model_names import asked_at


class BusAnnouncer:
    """Implements `ports.Announcer`.

    Args:
        bus: Takes the events.
        functions_of: Ids of the functions that tasks were made of: a function's trace goes on with every solution.
    """

    def __init__(self, bus: Bus, functions_of: Callable[[Sequence[str]], Awaitable[Mapping[str, str]]]) -> None:
        self._bus = bus
        self._functions_of = functions_of

    async def request_solutions(self, run: Run, places: Sequence[Place]) -> None:
        """Ask for these answers."""
        functions = await self._functions_of(sorted({task_id for task_id, _ in places}))
        requests = [request_of(run, task_id, sample, functions.get(task_id, "")) for task_id, sample in places]
        await self._bus.publish_all(SOLUTION_REQUESTED, requests)

    async def solution_generated(
        self, run: Run, task: Task, solution: Solution, sample: int = 0, *, judging: int = 0, note: str = ""
    ) -> None:
        """Tell that a solution waits for its verdict."""
        event = generated_of(run, task, solution, sample)
        again = {"judging": judging, "judging_note": note} if judging else {}
        await self._bus.publish(SOLUTION_GENERATED, event.model_copy(update=again))

    async def run_changed(self, change: RunChange, run: Run | None) -> None:
        """Tell what became of a run."""
        await self._bus.publish(RUN_CHANGED, changed_of(change, run))


def request_of(run: Run, task_id: str, sample: int = 0, trace_id: str = "") -> SolutionRequested:
    """The event that asks for one answer."""
    return SolutionRequested(
        trace_id=trace_id,
        run_id=run.run_id,
        task_id=task_id,
        model=spec_of(run.spec.endpoint),
        strategy=run.spec.strategy,
        language=run.spec.language,
        sample=sample,
        spec=specification_of(run),
        after_change=run.changed,
    )


def changed_of(change: RunChange, run: Run | None) -> RunChanged:
    """The event that tells of a change of a run."""
    answers = tuple(TouchedAnswer(**each._asdict()) for each in change.answers)
    specification = None if run is None else specification_of(run)
    # An event's list of changes is open: one of a later version is told as it came.
    return RunChanged.model_validate({**asdict(change), "answers": answers, "spec": specification})


def specification_of(run: Run) -> RunSpecification:
    """A run's specification as events carry it."""
    return RunSpecification.model_validate({**asdict(run.spec), "bounds": dict(run.spec.bounds)})


def generated_of(run: Run, task: Task, solution: Solution, sample: int = 0) -> SolutionGenerated:
    """The event that brings one solution to the sandbox."""
    return SolutionGenerated(
        solution_id=solution.solution_id,
        run_id=run.run_id,
        task_id=task.task_id,
        model=spec_of(run.spec.endpoint),
        strategy=run.spec.label,
        language=run.spec.language,
        entry_point=solution.entry_point or task.entry_point,
        code=solution.code,
        suite_digest=solution.suite_digest or task.suite_digest,
        # No time is what the contract has for one that nobody measured.
        usage=Usage(**asdict(replace(solution.effort, seconds=solution.effort.seconds or 0.0))),
        sample=sample,
    )


def spec_of(endpoint: str) -> ModelSpec:
    """A catalogue name, or `name@base_url`, as events carry it."""
    name, base_url = asked_at(endpoint)
    return ModelSpec(name=name, base_url=base_url)
