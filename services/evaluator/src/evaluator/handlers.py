"""Kafka in: tasks come and go, solutions are asked for, verdicts arrive."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from functools import partial
from typing import Any

from evaluator import metrics
from evaluator.domain.copies import shapes_of
from evaluator.domain.lives import RunChange, Touched
from evaluator.domain.outcomes import UnknownOutcome, outcome_named
from evaluator.domain.runs import Run
from evaluator.domain.specification import RunSpec, TaskSet, demand_short
from evaluator.domain.tasks import Task, Verdict
from evaluator.ports import Announcer, LanguageModels, RetrievalScores, Store, TaskLists
from evaluator.usecases.lives import learn_change
from evaluator.usecases.parking import Parked
from evaluator.usecases.runs import Heard, record_verdict, solve_task
from evaluator.usecases.strategies import Strategy
from evaluator.usecases.tasks import learn_task, retract_task
from touchstone_contracts.events import (
    PairLabelled,
    RunChanged,
    RunSpecification,
    SolutionRequested,
    TaskBuilt,
    TaskRetracted,
    TaskSetRef,
    VerdictReached,
)
from touchstone_contracts.licences import licence_of
from touchstone_runtime.likeness import likeness_of
from touchstone_runtime.source_kinds import BENCHMARK
from touchstone_runtime.telemetry import get_logger
from touchstone_runtime.wordings import DESCRIBED

_log = get_logger()
# So many failures of a solution are kept; the rest says nothing new.
_KEPT_FAILURES = 20
# Evidence of when code appeared. The time of a file is that of its unpacking, and a release may hold code of any age.
_FIRM = ("release", "history")


def on_task_built(store: Store) -> Callable[[TaskBuilt], Awaitable[None]]:
    """The handler of `task.built`."""

    async def handle(event: TaskBuilt) -> None:
        await learn_task(store, task_of(event))

    return handle


def on_task_retracted(store: Store) -> Callable[[TaskRetracted], Awaitable[None]]:
    """The handler of `task.retracted`."""

    async def handle(event: TaskRetracted) -> None:
        await retract_task(store, event.task_id, event.reason)
        _log.info("task_retracted", task_id=event.task_id)

    return handle


def on_solution_requested(
    store: Store,
    announcer: Announcer,
    models: LanguageModels,
    strategies: Mapping[str, Strategy],
    lists: TaskLists,
    parked: Parked | None = None,
) -> Callable[[SolutionRequested], Awaitable[None]]:
    """The handler of `solution.requested`."""

    async def handle(event: SolutionRequested) -> None:
        run = run_of(event, models)
        heard = Heard(partial(metrics.count_solution, event.strategy), metrics.count_halt)
        attempt = await solve_task(
            store, announcer, strategies, lists, run, event.task_id, event.sample, parked=parked, heard=heard
        )
        _log.info("task_solved", run_id=event.run_id, task_id=event.task_id, state=attempt.state.value)

    return handle


def on_verdict_reached(store: Store) -> Callable[[VerdictReached], Awaitable[None]]:
    """The handler of `verdict.reached`."""

    async def handle(event: VerdictReached) -> None:
        verdict = verdict_of(event)
        if await record_verdict(store, event.run_id, event.task_id, event.solution_id, verdict):
            unknown = isinstance(verdict.outcome, UnknownOutcome)
            metrics.VERDICTS.labels("unknown" if unknown else verdict.outcome.value).inc()
            if (task := await store.find_task(event.task_id)) is not None:
                metrics.observe_freshness(task.released_at)
        else:
            # Of a run that was removed, or ahead of its solution, as in a replay: that finds it then.
            _log.info("verdict_early_or_foreign", verdict_id=event.verdict_id, solution_id=event.solution_id)

    return handle


def on_run_changed(store: Store, lists: TaskLists) -> Callable[[RunChanged], Awaitable[None]]:
    """The handler of `run.changed`."""

    async def handle(event: RunChanged) -> None:
        run = None if event.spec is None else Run(event.run_id, spec_of(event.spec))
        await learn_change(store, lists, change_of(event), run)
        _log.info("run_changed", run_id=event.run_id, number=event.number, change=event.change)

    return handle


def on_pair_labelled(scores: RetrievalScores) -> Callable[[PairLabelled], Awaitable[None]]:
    """The handler of `pair.labelled`: the next sweep scores retrievers anew, also where a pair is undecided now."""

    async def handle(event: PairLabelled) -> None:
        await scores.note_label()
        _log.debug("label_announced", pair_id=event.pair_id)

    return handle


def task_of(event: TaskBuilt) -> Task:
    """The task that an event describes."""
    function = event.function
    imported = function.source.kind == BENCHMARK
    moment = function.first_seen if function.dating.by in _FIRM else None
    return Task(
        task_id=event.task_id,
        function_id=function.function_id,
        kind=event.kind,
        difficulty=event.difficulty,
        entry_point=event.entry_point,
        instruction=event.instruction,
        signatures=dict(event.signatures),
        prelude=event.prelude,
        suite_digest=event.suite_digest,
        cases=event.cases,
        source=function.source.name,
        version=function.source.version,
        path=function.path,
        qualname=function.qualname,
        licence=licence_of(function.model_dump()) or "",
        released_at=moment.isoformat() if moment else "",
        complexity=function.complexity,
        form=function.form,
        imported=f"{function.source.name} {function.source.version}" if imported else "",
        # A person wrote the words of a set that was imported.
        wording=event.track or (DESCRIBED if imported else ""),
        likeness="" if imported else likeness_of(function.code),
        shapes=shapes_of(function.code, function.name),
    )


def change_of(event: RunChanged) -> RunChange:
    """The change that an event tells of."""
    answers = tuple(Touched(each.task_id, each.sample, each.answered) for each in event.answers)
    return RunChange(event.run_id, event.number, event.change, event.reason, answers)


def run_of(event: SolutionRequested, models: LanguageModels) -> Run:
    """The run that a request belongs to; without a specification, as far as the request tells.

    Raises:
        BadSpecificationError: the specification is longer than one that this service writes.
    """
    if event.spec is not None:
        return Run(event.run_id, spec_of(event.spec), changed=event.after_change)
    endpoint = f"{event.model.name}@{event.model.base_url}" if event.model.base_url else event.model.name
    spec = RunSpec(TaskSet(), event.language, event.strategy, "", "", endpoint)
    demand_short(spec)
    return Run(event.run_id, replace(spec, model=models.identity(endpoint)))


def spec_of(said: RunSpecification) -> RunSpec:
    """The specification that an event carries.

    Raises:
        BadSpecificationError: it is longer than one that this service writes.
    """
    known = _known(RunSpec, said)
    known["tasks"] = TaskSet(**_known(TaskSet, said.tasks))
    known["bounds"] = tuple(sorted(said.bounds.items()))
    spec = RunSpec(**known)
    demand_short(spec)
    return spec


def _known(kind: type[RunSpec] | type[TaskSet], said: RunSpecification | TaskSetRef) -> dict[str, Any]:
    """What an event says of the fields that this version knows; a later version may say more."""
    return {each.name: getattr(said, each.name) for each in fields(kind) if hasattr(said, each.name)}


def verdict_of(event: VerdictReached) -> Verdict:
    """The verdict that an event brings; an outcome of a later version is kept by its name."""
    failures = tuple((failure.index, failure.outcome, failure.detail) for failure in event.failures[:_KEPT_FAILURES])
    return Verdict(
        outcome=outcome_named(event.outcome),
        cases=event.cases,
        passed=event.passed,
        detail=event.failures[0].detail if event.failures else "",
        failures=failures,
        wall_s=event.wall_s,
        cpu_s=event.cpu_s,
        memory_bytes=event.memory_bytes,
        judging=event.judging,
        note=event.judging_note,
    )
