"""Runs: started, solved task by task, judged, read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import count

from evaluator.domain.outcomes import Outcome
from evaluator.domain.runs import Run, run_named
from evaluator.domain.specification import (
    ASKED_ANEW,
    MOST_ANSWERS,
    SEEDING,
    SEEDING_VERSION,
    RunSpec,
    TaskSet,
    demand_short,
)
from evaluator.domain.submitted import MAX_SAMPLES
from evaluator.domain.tasks import Attempt, Solution, State, Task, Verdict
from evaluator.errors import (
    BadSpecificationError,
    TaskNotYetKnownError,
    UnknownStrategyError,
    UnknownTaskError,
)
from evaluator.ports import (
    Announcer,
    AnswerSets,
    Exercises,
    LanguageModels,
    Place,
    Releases,
    Store,
    TaskLists,
)
from evaluator.usecases.choosing import Wanted, chosen_tasks, demand_answered, with_submitted
from evaluator.usecases.lives import known_run, publish_changes
from evaluator.usecases.parking import Parked
from evaluator.usecases.strategies import LANGUAGES, Draft, Strategy
from evaluator.usecases.tracks import TRACKS, track_named
from touchstone_contracts.envelope import content_id
from touchstone_runtime.costs import SUBMITTED
from touchstone_runtime.errors import PendingError, StoppingError, SuspendedError
from touchstone_runtime.extraction import READING
from touchstone_runtime.faults import is_the_platforms
from touchstone_runtime.tracks import EXERCISE
from touchstone_runtime.wordings import DESCRIBED, wording_named

# Characters that say why a run is withdrawn, on every page that names it.
MOST_REASON = 2_000


@dataclass(frozen=True)
class Heard:
    """Who hears of each solution that is made, and each time that a run comes to stand still; of either once.

    Requests come again, and ask again what they wait for: whoever counts those counts something else.
    """

    made: Callable[[Solution], object] = lambda _solution: None
    stopped: Callable[[SuspendedError], object] = lambda _fault: None


_NOBODY = Heard()


async def start_run(
    store: Store,
    announcer: Announcer,
    models: LanguageModels,
    strategies: Mapping[str, Strategy],
    releases: Releases,
    lists: TaskLists,
    sets: AnswerSets,
    exercises: Exercises,
    wanted: Wanted,
    *,
    left_out: str = "",
) -> Run:
    """Start a run, or wake what is unfinished of it.

    The run's id is a hash of its specification, the set of its tasks included: the same specification is the same
    run, and another one, be it by one task, is another run.

    Args:
        store: The evaluator's memory.
        announcer: Publishes the requests.
        models: Knows the models' names.
        strategies: By name.
        releases: Knows the releases.
        lists: Keeps the run's list of tasks for replays.
        sets: Knows the submitted answers.
        exercises: Knows which tasks can be put as other questions.
        wanted: What is asked for.
        left_out: Parts that CoCoST goes without where the strategy names none.

    Returns:
        The run with its attempts.

    Raises:
        UnknownModelError: Nobody knows the model; the message lists the names.
        UnknownStrategyError: There is no such strategy, variant or language.
        UnknownTrackError: There is no such track, or the strategy or the language has none of it.
        ExercisesAwayError: Whoever poses tasks in the track does not answer.
        UnknownReleaseError: There is no such release.
        UnknownTaskError: A named task does not exist.
        UnknownAnswersError: Nobody submitted answers with this digest.
        BadSpecificationError: Several greedy samples, which would be one answer said again, a number that is negative
            or too large, a model's address that is too long, or a named task that is not certified in the language.
        TaskNotYetKnownError: Tasks of the release have not come yet.
        NoTasksError: There is nothing to solve.
    """
    language = wanted.language or "python"
    submitted, part = None, False
    if wanted.answers or wanted.strategy == SUBMITTED:
        # Whoever asks for a part has answers to more.
        part = bool(wanted.limit or wanted.task_ids or wanted.track)
        wanted, submitted = await with_submitted(sets, wanted)
    described = _described(models, strategies, wanted, _full_name(wanted.strategy, left_out), language)
    demand_short(described)
    tasks, ids, posable = await chosen_tasks(store, releases, exercises, wanted, language)
    if submitted is not None:
        await demand_answered(store, submitted, ids, part=part)
    bounds = dict(described.bounds) | ({EXERCISE: posable.version} if posable.version else {})
    run = await _not_deleted(store, replace(described, tasks=tasks), bounds)
    run = replace(run, paused=wanted.held)
    _demand_few(len(ids), run.spec.samples)
    await lists.put(ids)
    await store.save_run(run, ids)
    if wanted.held:
        await publish_changes(store, announcer, run.run_id)
    else:
        await resume_run(store, announcer, run)
    return replace(await store.load_run(run.run_id) or run, left_out=posable.left_out)


async def resume_run(store: Store, announcer: Announcer, run: Run) -> int:
    """Ask for every answer of a run that has no verdict; gives how many.

    What was lost to a fault of the platform or of an endpoint is asked for again, and a pause ends.
    """
    await store.set_paused(run.run_id, paused=False)
    await store.reopen(run.run_id)
    await publish_changes(store, announcer, run.run_id)
    run = await store.load_run(run.run_id) or run
    unfinished = unfinished_of(run)
    await announcer.request_solutions(run, unfinished)
    await store.mark_requested(run.run_id, unfinished)
    return len(unfinished)


async def pause_run(store: Store, announcer: Announcer, run: Run) -> int:
    """Ask for nothing more of a run, loaded with its attempts, until it goes on; gives how many answers wait.

    What a model is answering now is kept, and what is answered is judged.
    """
    await store.set_paused(run.run_id, paused=True)
    await store.set_halted(run.run_id, "")
    await publish_changes(store, announcer, run.run_id)
    return len(await store.unasked(run.run_id) & set(unfinished_of(run)))


def unfinished_of(run: Run) -> list[Place]:
    """Answers of a run, loaded with its attempts, that have no verdict and whose tasks stand.

    Described tasks come first: the board that is shown where none is asked for is theirs.
    """
    unfinished = [attempt for attempt in run.attempts if attempt.state is not State.JUDGED and not attempt.retracted]
    unfinished.sort(key=lambda attempt: wording_named(attempt.task.wording) != DESCRIBED)
    return [(attempt.task.task_id, attempt.sample) for attempt in unfinished]


async def publish_unrequested(store: Store, announcer: Announcer) -> int:
    """Publish requests that a crash left unpublished; returns how many."""
    waiting: dict[str, tuple[Run, list[Place]]] = {}
    for run, task_id, sample in await store.unrequested():
        waiting.setdefault(run.run_id, (run, []))[1].append((task_id, sample))
    for run, places in waiting.values():
        await announcer.request_solutions(run, places)
        await store.mark_requested(run.run_id, places)
    return sum(len(places) for _, places in waiting.values())


async def solve_task(
    store: Store,
    announcer: Announcer,
    strategies: Mapping[str, Strategy],
    lists: TaskLists,
    run: Run,
    task_id: str,
    sample: int = 0,
    *,
    parked: Parked | None = None,
    heard: Heard = _NOBODY,
) -> Attempt:
    """Let the run's model answer one task, once: a second request finds the solution and announces it again.

    Args:
        store: The evaluator's memory.
        announcer: Publishes the solution.
        strategies: By name.
        lists: Knows the run's tasks where the store does not, as in a replay.
        run: As the request describes it, with the last change that whoever asked knew; a run that is known keeps what
            is known.
        task_id: The task.
        sample: Number of the answer.
        parked: Keeps answers whose questions wait for a batch; without it a request waits with them.
        heard: Hears what comes of it.

    Returns:
        The attempt; without a solution where the run was removed meanwhile, or waits.

    Raises:
        TaskNotYetKnownError: The task's own event has not come yet.
        SuspendedError: The model, the search or the sandbox is away; the run shows as halted.
    """
    task = await store.find_task(task_id)
    if task is None:
        raise TaskNotYetKnownError("a solution was requested for a task that is not known yet", thing=task_id)
    known = await known_run(store, lists, run)
    if known is None:
        return Attempt(task, sample=sample)
    await store.save_run(known, [task_id])
    await store.note_asked(run.run_id, (task_id, sample), run.changed)
    attempt = await store.find_attempt(run.run_id, task_id, sample) or Attempt(task, sample=sample)
    held = known.paused and attempt.solution is None and (task_id, sample) in await store.unasked(run.run_id)
    if attempt.retracted or attempt.state is State.JUDGED or held:
        if known.halted:
            await store.set_halted(run.run_id, "")
        return attempt
    solution = attempt.solution
    if solution is None:
        try:
            made = await _solved(store, strategies, known, task, sample, heard)
        except PendingError as pending:
            if parked is None:
                raise
            await parked.park(run.run_id, (task_id, sample), pending.key)
            return attempt
        if await store.is_forgotten(run.run_id):
            # Somebody removed the run while its model was thinking.
            return Attempt(task, sample=sample)
        solution = await store.save_solution(run.run_id, task_id, made, sample)
        heard.made(solution)
        await _kept_through_a_pause(store, announcer, run.run_id, (task_id, sample))
    if known.halted:
        await store.set_halted(run.run_id, "")
    return await _judged_or_announced(store, announcer, known, Attempt(task, solution, sample=sample))


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
    found = await store.load_run(run_id) or await store.load_run((await named_run(store, run_id)).run_id)
    # Deleted in between.
    return run_named(run_id, () if found is None else (found,))


async def named_run(store: Store, run_id: str) -> Run:
    """The same without its attempts.

    Raises:
        UnknownRunError: No run, or more than one, begins so.
    """
    if run := await store.find_run(run_id):
        return run
    return run_named(run_id, [run for run, _ in (await store.overview()).runs])


async def get_attempt(store: Store, run_id: str, task_id: str, sample: int = 0) -> tuple[Run, Attempt]:
    """One answer of a run, whole.

    Raises:
        UnknownRunError: There is no such run.
        UnknownTaskError: The run has no such task or sample.
    """
    run = await named_run(store, run_id)
    # Whole ids are the rule, and a run may have thousands of answers with their code.
    if (named := await store.find_attempt(run.run_id, task_id, sample)) is not None:
        return run, named
    run = await get_run(store, run.run_id)
    fitting = [each for each in run.attempts if task_id and each.task.task_id.startswith(task_id)]
    found = [each for each in fitting if each.sample == sample]
    if len(found) != 1:
        raise UnknownTaskError("the run has no such task, or more than one", thing=task_id)
    return run, found[0]


async def get_answers(store: Store, task_id: str) -> tuple[Task, str, list[tuple[Run, Attempt]]]:
    """A task, why it was taken back, and what every run that is not withdrawn made of it.

    Raises:
        UnknownTaskError: No task, or more than one, begins so.
    """
    task = await store.find_task(task_id)
    if task is None:
        fitting = [each.task_id for each in await store.task_facts() if task_id and each.task_id.startswith(task_id)]
        task = await store.find_task(fitting[0]) if len(fitting) == 1 else None
    if task is None:
        raise UnknownTaskError(
            "no task, or more than one, has an id that begins so",
            thing=task_id,
            way_out="`touchstone tasks list` lists them",
        )
    retracted = {each.task_id: each.note for each in await store.retractions()}
    answers = [(run, attempt) for run, attempt in await store.answers_to(task.task_id) if not run.withdrawn]
    return task, retracted.get(task.task_id, ""), answers


async def withdraw_run(store: Store, announcer: Announcer, run_id: str, reason: str, *, restore: bool = False) -> Run:
    """Take a run off the board with a public reason, or put it back; its answers stay.

    Raises:
        UnknownRunError: There is no such run.
        BadSpecificationError: No reason is given, or one that is too long.
    """
    run = await named_run(store, run_id)
    if not restore and not reason.strip():
        raise BadSpecificationError("a run is withdrawn with a reason", thing=run_id, way_out="say why, for readers")
    if len(reason) > MOST_REASON:
        raise BadSpecificationError(
            f"a reason has {MOST_REASON:,} characters at most, and this one {len(reason):,}", thing=run_id
        )
    await store.set_withdrawn(run.run_id, "" if restore else reason.strip())
    await publish_changes(store, announcer, run.run_id)
    return await get_run(store, run.run_id)


async def delete_run(store: Store, announcer: Announcer, run_id: str) -> Run:
    """Remove a run with its answers for good; gives it as it was.

    Asking for the same again is another run, whose questions are all asked again: an endpoint that was repaired is not
    answered for by what it said before.

    Raises:
        UnknownRunError: There is no such run.
    """
    run = await get_run(store, run_id)
    await store.forget_run(run.run_id)
    try:
        await publish_changes(store, announcer, run.run_id)
    except Exception as error:
        # Gone it is, and nobody could ask for it again: what cannot be told now is told by the sweep.
        if not is_the_platforms(error):
            raise
    return run


async def _not_deleted(store: Store, spec: RunSpec, bounds: Mapping[str, int]) -> Run:
    """The first run of a specification that nobody deleted; how many were is counted among its bounds."""
    for deleted in count():
        counted = {ASKED_ANEW: deleted} if deleted else {}
        numbered = replace(spec, bounds=tuple(sorted({**bounds, **counted}.items())))
        run = Run(content_id("run", *numbered.identity()), numbered)
        if not await store.is_forgotten(run.run_id):
            return run
    raise AssertionError("there is always a next number")


def _demand_few(tasks: int, samples: int) -> None:
    """Refuse a run of more answers than one is held with: each is asked for, paid for, and read with its run."""
    if tasks * samples > MOST_ANSWERS:
        raise BadSpecificationError(
            f"{tasks:,} tasks with {samples:,} answers each are {tasks * samples:,} answers, and a run has "
            f"{MOST_ANSWERS:,} at most",
            way_out="ask for fewer samples, or for a part of the tasks: `--limit N`",
        )


def _full_name(strategy: str, left_out: str) -> str:
    return f"cocost:{left_out}" if strategy == "cocost" and left_out else strategy or "direct"


def _described(
    models: LanguageModels, strategies: Mapping[str, Strategy], wanted: Wanted, full_name: str, language: str
) -> RunSpec:
    name, _, parts = full_name.partition(":")
    if name not in strategies:
        raise UnknownStrategyError(
            f"no strategy is called {full_name!r}; known are: {', '.join(sorted(strategies))}", thing=full_name
        )
    if language not in LANGUAGES:
        raise UnknownStrategyError(
            f"no solutions can be asked for in {language!r}; known are: {', '.join(LANGUAGES)}", thing=language
        )
    strategy = strategies[name]
    try:
        variant = strategy.variant(parts)
    except ValueError as error:
        raise UnknownStrategyError(str(error), thing=full_name) from error
    track = track_named(strategy, full_name, wanted.track, language)
    samples = wanted.samples or 1
    if samples < 1 or wanted.limit < 0 or not 0.0 <= wanted.temperature <= 2.0:
        raise BadSpecificationError("samples and limit are not negative, and the temperature lies between 0 and 2")
    if samples > MAX_SAMPLES:
        raise BadSpecificationError(
            f"a task has {MAX_SAMPLES:,} answers at most, and {samples:,} are asked for",
            way_out="ask for fewer samples",
        )
    if samples > 1 and wanted.temperature == 0.0:
        raise BadSpecificationError(
            f"{samples} samples at temperature 0 would be one answer, said again",
            way_out="give the temperature, or one sample",
        )
    return RunSpec(
        tasks=TaskSet(),
        language=language,
        strategy=name,
        variant=variant,
        # Whoever gave submitted answers need not be known here, and is asked nothing.
        model=wanted.model if wanted.answers else models.identity(wanted.model),
        endpoint="" if wanted.answers else models.name(wanted.model),
        model_digest="" if wanted.answers else models.digest(wanted.model),
        # Of a track the one prompt is the track's own; submitted answers have none.
        prompts=models.prompt_versions((TRACKS[track].prompt,) if track and strategy.prompts else strategy.prompts),
        bounds=_bounds(
            strategy,
            thinking=0 if wanted.answers else models.thinking_tokens(wanted.model),
            seeded=wanted.temperature > 0 and not wanted.answers,
        ),
        samples=samples,
        temperature=wanted.temperature,
        # A greedy answer has no seed: naming one would make another run of the same.
        seed=wanted.seed if wanted.temperature else 0,
        answers=wanted.answers,
        track=track,
    )


def _bounds(strategy: Strategy, *, thinking: int, seeded: bool) -> tuple[tuple[str, int], ...]:
    """Bounds of the strategy, of a thought where the model thinks, how answers are read, and how they are told apart.

    Another of them is another run.
    """
    own = {"reading": READING} | ({"thinking": thinking} if thinking else {})
    own |= {SEEDING: SEEDING_VERSION} if seeded else {}
    return tuple(sorted({**strategy.bounds, **own}.items()))


async def _solved(
    store: Store, strategies: Mapping[str, Strategy], run: Run, task: Task, sample: int, heard: Heard
) -> Solution:
    strategy = strategies.get(run.spec.strategy)
    if strategy is None:
        # A package that is gone: no fault of the model, and asking for the run again asks for it again.
        why = f"no strategy is called {run.spec.strategy!r}: the package that brings it is not installed any more"
        return Draft(run, task, sample).given_up(Outcome.INFRASTRUCTURE, why)
    try:
        return await strategy.solve(run, task, sample)
    except (PendingError, StoppingError):
        # It does not stand still: its questions are being answered, or whoever comes after this process asks them.
        raise
    except SuspendedError as error:
        # Somebody may have paused or ended it while this was tried.
        if await store.set_halted(run.run_id, str(error), (task.task_id, sample)):
            heard.stopped(error)
        raise


async def _kept_through_a_pause(store: Store, announcer: Announcer, run_id: str, place: Place) -> None:
    """An answer that was being made when its run was paused is kept: it is asked for by name, for whoever replays."""
    run = await store.find_run(run_id)
    if run is not None and run.paused and place in await store.unasked(run_id):
        await store.mark_requested(run_id, [place], by_name=True)
        await announcer.request_solutions(await store.find_run(run_id) or run, [place])


async def _judged_or_announced(store: Store, announcer: Announcer, run: Run, attempt: Attempt) -> Attempt:
    solution = attempt.solution
    assert solution is not None
    if solution.outcome is not None:
        verdict = Verdict(solution.outcome, cases=attempt.task.cases, detail=solution.detail)
        await store.save_verdict(run.run_id, attempt.task.task_id, solution.solution_id, verdict)
        return replace(attempt, verdict=verdict)
    await announcer.solution_generated(run, attempt.task, solution, attempt.sample)
    return attempt
