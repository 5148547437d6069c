"""Runs: started, solved task by task, judged, read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator.domain.cocost import parse_variant, variant_text
from evaluator.domain.leaderboard import Row, TaskRecord, leaderboard, task_records
from evaluator.domain.tasks import Attempt, Run, Solution, State, Task, Verdict
from evaluator.errors import (
    NoTasksError,
    TaskNotYetKnownError,
    UnknownRunError,
    UnknownStrategyError,
    UnknownTaskError,
)
from evaluator.ports import Announcer, LanguageModels, Store
from evaluator.usecases.strategies import LANGUAGES, Strategy
from touchstone_contracts.envelope import content_id
from touchstone_runtime.errors import SuspendedError


async def start_run(
    store: Store,
    announcer: Announcer,
    models: LanguageModels,
    strategies: Mapping[str, Strategy],
    *,
    model: str = "",
    strategy: str = "",
    language: str = "",
    task_ids: Sequence[str] = (),
    limit: int = 0,
    left_out: str = "",
) -> tuple[Run, int]:
    """Start a run, or add tasks to it and wake what is unfinished.

    The run's id is a hash of model, strategy, language and prompts: asking again resumes the same run.

    Args:
        store: The evaluator's memory.
        announcer: Publishes the requests.
        models: Knows the models' names.
        strategies: By name.
        model: A catalogue name or `name@base_url`; empty is the default.
        strategy: "direct", "cocost", or an ablation such as "cocost:no-search,no-inputs"; empty is "direct".
        language: Target language, lower case; empty is "python".
        task_ids: Ids or unambiguous beginnings of ids; empty takes every task that stands.
        limit: At most so many tasks, 0 takes all. Those that the run has already count first, so that asking again asks
            for nothing new; then the oldest.
        left_out: Parts that CoCoST goes without where the strategy names none.

    Returns:
        The run, and how many of its tasks were asked for by this call.

    Raises:
        UnknownModelError: Nobody knows the model; the message lists the names.
        UnknownStrategyError: There is no such strategy, or no such part to leave out.
        UnknownTaskError: A named task does not exist.
        NoTasksError: There is nothing to solve.
    """
    run = _described_run(models, strategies, model, _full_name(strategy, left_out), language or "python")
    chosen = _chosen(await store.standing_tasks(), task_ids, run.language)
    if limit > 0:
        known = await store.load_run(run.run_id)
        has = {attempt.task.task_id for attempt in known.attempts} if known is not None else set[str]()
        chosen = sorted(chosen, key=lambda task: task.task_id not in has)[:limit]
    if not chosen:
        raise NoTasksError(
            f"there is no task to solve in {LANGUAGES[run.language]}",
            way_out="let the platform build some first: `touchstone run`",
        )
    await store.save_run(run, [task.task_id for task in chosen])
    saved = await store.load_run(run.run_id) or run
    asked = {task.task_id for task in chosen}
    unfinished = [
        attempt.task.task_id
        for attempt in saved.attempts
        if attempt.task.task_id in asked and attempt.state is not State.JUDGED and not attempt.retracted
    ]
    await announcer.request_solutions(run, unfinished)
    await store.mark_requested(run.run_id, unfinished)
    return saved, len(chosen)


async def publish_unrequested(store: Store, announcer: Announcer) -> int:
    """Publish requests that a crash left unpublished; returns how many."""
    waiting: dict[str, tuple[Run, list[str]]] = {}
    for run, task_id in await store.unrequested():
        waiting.setdefault(run.run_id, (run, []))[1].append(task_id)
    for run, task_ids in waiting.values():
        await announcer.request_solutions(run, task_ids)
        await store.mark_requested(run.run_id, task_ids)
    return sum(len(task_ids) for _, task_ids in waiting.values())


async def solve_task(
    store: Store, announcer: Announcer, strategies: Mapping[str, Strategy], run: Run, task_id: str
) -> Attempt:
    """Let the run's model solve one task, once: a second request finds the solution and announces it again.

    Args:
        store: The evaluator's memory.
        announcer: Publishes the solution.
        strategies: By name.
        run: As the request describes it; a run that is known keeps what is known.
        task_id: The task.

    Raises:
        TaskNotYetKnownError: The task's own event has not come yet.
        SuspendedError: The model, the search or the sandbox is away; the run shows as halted.
    """
    task = await store.find_task(task_id)
    if task is None:
        raise TaskNotYetKnownError("a solution was requested for a task that is not known yet", thing=task_id)
    await store.save_run(run, [task_id])
    known = await store.find_run(run.run_id) or run
    attempt = await store.find_attempt(run.run_id, task_id) or Attempt(task)
    if attempt.retracted and known.halted:
        await store.set_halted(run.run_id, "")
    if attempt.retracted or attempt.state is State.JUDGED:
        return attempt
    solution = attempt.solution
    if solution is None:
        solution = await store.save_solution(run.run_id, task_id, await _solved(store, strategies, known, task))
    if known.halted:
        await store.set_halted(run.run_id, "")
    return await _judged_or_announced(store, announcer, known, task, solution)


async def record_verdict(store: Store, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
    """Keep what the sandbox said; False when the verdict is on a solution that nobody here generated."""
    return await store.save_verdict(run_id, task_id, solution_id, verdict)


async def get_run(store: Store, run_id: str) -> Run:
    """A run with its attempts.

    Args:
        store: The evaluator's memory.
        run_id: The id, or an unambiguous beginning of it.

    Raises:
        UnknownRunError: No run, or more than one, begins so.
    """
    if run := await store.load_run(run_id):
        return run
    fitting = [run for run in await store.runs() if run_id and run.run_id.startswith(run_id)]
    if len(fitting) != 1:
        raise UnknownRunError(
            "no run has this id" if not fitting else f"{len(fitting)} runs have ids that begin so",
            thing=run_id,
            way_out="`touchstone leaderboard --json` lists the runs",
        )
    return fitting[0]


async def get_leaderboard(store: Store, language: str = "") -> list[Row]:
    """The leaderboard of now; retracted tasks count nowhere."""
    return leaderboard(await store.runs(), language)


async def get_task_records(store: Store) -> list[TaskRecord]:
    """How each standing task fared."""
    return task_records(await store.standing_tasks(), await store.runs())


def _full_name(strategy: str, left_out: str) -> str:
    return f"cocost:{left_out}" if strategy == "cocost" and left_out else strategy or "direct"


def _described_run(
    models: LanguageModels, strategies: Mapping[str, Strategy], model: str, strategy: str, language: str
) -> Run:
    name, _, parts = strategy.partition(":")
    if name not in strategies or (parts and name != "cocost"):
        raise UnknownStrategyError(
            f"no strategy is called {strategy!r}; known are: {', '.join(sorted(strategies))}", thing=strategy
        )
    if language not in LANGUAGES:
        raise UnknownStrategyError(
            f"no solutions can be asked for in {language!r}; known are: {', '.join(LANGUAGES)}", thing=language
        )
    try:
        variant = variant_text(parse_variant(parts))
    except ValueError as error:
        raise UnknownStrategyError(str(error), thing=strategy) from error
    identity = models.identity(model)
    prompts = models.prompt_versions(strategies[name].prompts)
    return Run(
        run_id=content_id("run", identity, name, variant, language, prompts),
        model=identity,
        endpoint=models.name(model),
        strategy=name,
        language=language,
        variant=variant,
        prompts=prompts,
    )


def _chosen(standing: Sequence[Task], task_ids: Sequence[str], language: str) -> list[Task]:
    # Weakly self-contained tasks need Python's libraries.
    fitting = [task for task in standing if language == "python" or (task.kind == "SC" and language in task.signatures)]
    if not task_ids:
        return fitting
    chosen: dict[str, Task] = {}
    for wanted in task_ids:
        found = [task for task in fitting if wanted and task.task_id.startswith(wanted)]
        if len(found) != 1:
            raise UnknownTaskError(
                "no standing task has this id" if not found else f"{len(found)} tasks have ids that begin so",
                thing=wanted,
                way_out="`touchstone tasks list` lists them",
            )
        chosen[found[0].task_id] = found[0]
    return list(chosen.values())


async def _solved(store: Store, strategies: Mapping[str, Strategy], run: Run, task: Task) -> Solution:
    strategy = strategies.get(run.strategy)
    if strategy is None:
        raise UnknownStrategyError(f"no strategy is called {run.strategy!r}", thing=run.run_id)
    try:
        return await strategy.solve(run, task)
    except SuspendedError as error:
        await store.set_halted(run.run_id, str(error))
        raise


async def _judged_or_announced(store: Store, announcer: Announcer, run: Run, task: Task, solution: Solution) -> Attempt:
    if solution.outcome is not None:
        verdict = Verdict(solution.outcome, cases=task.cases, detail=solution.detail)
        await store.save_verdict(run.run_id, task.task_id, solution.solution_id, verdict)
        return Attempt(task, solution, verdict)
    await announcer.solution_generated(run, task, solution)
    return Attempt(task, solution)
