"""What somebody asks a run for, and the tasks that this chooses."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from evaluator.domain.exercises import WRITE
from evaluator.domain.specification import TaskSet, spread, task_set
from evaluator.domain.submitted import Submission, answering_name
from evaluator.domain.tasks import Task, fits
from evaluator.errors import (
    BadSpecificationError,
    NoTasksError,
    TaskNotYetKnownError,
    UnknownAnswersError,
    UnknownTaskError,
)
from evaluator.ports import AnswerSets, Exercises, Posable, Release, Releases, Store
from evaluator.usecases.strategies import LANGUAGES
from touchstone_runtime.bands import BANDS, HARD, USUAL, band_of
from touchstone_runtime.costs import SUBMITTED
from touchstone_runtime.likeness import Comparable, similar
from touchstone_runtime.meant import meant, the_one
from touchstone_runtime.tracks import WRITE as NAMED_WRITE
from touchstone_runtime.wordings import DESCRIBED


@dataclass(frozen=True)
class Wanted:
    """What somebody asks for; empty and zero stand for what is usual.

    Attributes:
        model: A catalogue name or `name@base_url`; empty is the default.
        strategy: Its name, or an ablation such as "cocost:no-search,no-inputs"; empty is "direct".
        language: Target language, lower case; empty is "python".
        release: Name of a release; its tasks in place of all that stand now.
        task_ids: Ids or unambiguous beginnings of ids; empty takes all.
        limit: A sample of so many tasks, spread over packages and kinds; 0 takes all.
        sample_seed: Another seed is another sample of tasks.
        samples: Answers for each task.
        temperature: 0 asks for the likeliest answer.
        seed: Another seed is other answers to the same questions.
        answers: Digest of submitted answers, which are judged in place of any that a model would be asked for.
        held: A new run is kept paused and asks for nothing; one that is known stays as it is.
        track: What is asked of each task; empty is to write the function.
        band: "usual" or "hard": which of all tasks; empty is "usual". A release or named tasks are taken as they are.
    """

    model: str = ""
    strategy: str = ""
    language: str = ""
    release: str = ""
    task_ids: tuple[str, ...] = ()
    limit: int = 0
    sample_seed: int = 0
    samples: int = 1
    temperature: float = 0.0
    seed: int = 0
    answers: str = ""
    held: bool = False
    track: str = ""
    band: str = ""


async def with_submitted(sets: AnswerSets, wanted: Wanted) -> tuple[Wanted, Submission]:
    """The same, with what the submitted answers decide: how many there are, and of which tasks; and the answers."""
    found = await sets.get(wanted.answers) if wanted.answers else None
    if found is None:
        raise UnknownAnswersError(
            "nobody submitted answers with this digest",
            thing=wanted.answers,
            way_out="submit them: `touchstone evaluate --samples FILE`",
        )
    if wanted.strategy not in ("", SUBMITTED):
        raise BadSpecificationError("submitted answers have no strategy of ours", thing=wanted.strategy)
    chosen = wanted.task_ids or (() if wanted.release or wanted.limit else found.task_ids)
    model = answering_name(wanted.model)
    told = replace(wanted, model=model, strategy=SUBMITTED, task_ids=chosen, samples=found.samples, seed=0)
    return told, found


async def demand_answered(store: Store, found: Submission, ids: Sequence[str], *, part: bool) -> None:
    """See to it that submitted answers are to the tasks of their run: what nobody answered counts as wrong.

    Args:
        store: The evaluator's memory.
        found: The answers.
        ids: The tasks of the run.
        part: Whether somebody chose a part of the tasks, so that answers to others are to be expected.

    Raises:
        UnknownTaskError: An answer is to a task that nobody built, or to one of several.
        BadSpecificationError: Most are to tasks outside the run, or a task goes by two names.
    """
    inside = set(ids)
    known = {task.task_id for task in await store.standing_tasks()}
    retracted = {each.task_id for each in await store.retractions()}
    tasks: dict[str, list[str]] = {name: [] for name in found.task_ids}
    for task_id in sorted(known | retracted | inside):
        names = found.names_of(task_id)
        if len(names) > 1 and task_id in inside:
            raise BadSpecificationError(f"its answers go by {len(names)} names of it", thing=task_id)
        for name in names:
            tasks[name].append(task_id)
    unclear = [name for name, meant in tasks.items() if len(meant) != 1]
    if unclear:
        raise UnknownTaskError(
            f"answers are to a task of this name, and {len(tasks[unclear[0]]) or 'no'} tasks are called so"
            f" ({len(unclear)} of {len(tasks)} names are unclear)",
            thing=unclear[0],
            way_out="name tasks by their ids, as `touchstone tasks list --json` and a release tell them",
        )
    strange = [name for name, (task_id,) in tasks.items() if task_id not in inside | retracted]
    if len(strange) == len(tasks) or (not part and 2 * len(strange) > len(tasks)):
        raise BadSpecificationError(
            f"the answers are to {len(tasks)} tasks, and {len(strange)} of them are not in the run, this one the first",
            thing=strange[0],
            way_out="name the release that was answered, or no release",
        )


async def chosen_tasks(
    store: Store, releases: Releases, exercises: Exercises, wanted: Wanted, language: str
) -> tuple[TaskSet, list[str], Posable]:
    """The set of tasks that is asked for, its ids, and what can be made of them in a track; version 0 in none.

    A release has its tasks that were taken back, too, which nobody is asked for and which count nowhere: the same call
    is the same run before and after.
    """
    standing = await store.standing_tasks()
    gone: frozenset[str] = frozenset()
    back: dict[str, Task] = {}
    kind, name, digest = "all", "every task that stood", ""
    band = _demand_band(wanted)
    if wanted.release:
        release = await releases.find(wanted.release)
        kind, name, digest = "release", release.name, release.digest
        await _demand_known(store, release, standing)
        chosen = set(release.task_ids)
        standing = [task for task in standing if task.task_id in chosen]
        back = await _known_of(store, chosen - {task.task_id for task in standing})
    # Somebody else's tasks are asked for by their release or by name only.
    fitting = [task for task in (*standing, *back.values()) if fits(task, language)]
    fitting = [task for task in fitting if wanted.release or not task.imported]
    if not wanted.release:
        fitting = [task for task in fitting if band_of(task.complexity) == band]
        # One question that is asked several times is asked once, but where somebody names its tasks.
        alike = similar(map(_comparable, fitting))
        fitting = [task for task in fitting if task.task_id not in alike]
        name = "every task of the hard band that stood" if band == HARD else name
    if wanted.task_ids:
        kind, name = "named", "tasks chosen by name"
        gone = await _taken_back(store, standing, wanted)
        fitting = _named(standing, [each for each in wanted.task_ids if each not in gone], language)
        _demand_one_kind(fitting)
    posable = Posable((), 0)
    if wanted.track not in (WRITE, NAMED_WRITE):
        posable = await exercises.posable(wanted.track, [task.task_id for task in fitting])
        possible = set(posable.task_ids)
        fitting = [task for task in fitting if task.task_id in possible]
    asked = [task for task in fitting if task.task_id not in back]
    if wanted.limit and wanted.limit < len(asked):
        all_of = "all tasks of the hard band" if band == HARD else "all tasks"
        of = f"release {name}" if digest else all_of if kind == "all" else name
        kind, name = "sample", f"{wanted.limit} of {of}, sample {wanted.sample_seed}"
        fitting = spread(asked, wanted.limit, wanted.sample_seed)
    if not asked:
        raise NoTasksError(
            f"there is no task to solve in {LANGUAGES[language]}",
            way_out="let the platform build some first: `touchstone run`",
        )
    ids = sorted(task.task_id for task in fitting)
    if unasked := len(gone) + sum(task_id in back for task_id in ids):
        posable = replace(posable, left_out=(("was taken back", unasked), *posable.left_out))
    # A part of a release is no longer that release.
    return task_set(kind, name, ids, digest if kind == "release" else ""), ids, posable


async def _known_of(store: Store, task_ids: Collection[str]) -> dict[str, Task]:
    """Those of some tasks that have come, by id: one that was taken back may never come."""
    found = [await store.find_task(task_id) for task_id in sorted(task_ids)]
    return {task.task_id: task for task in found if task is not None}


async def _taken_back(store: Store, standing: Sequence[Task], wanted: Wanted) -> frozenset[str]:
    """Which tasks that were answered do not stand any more: they are left out.

    Raises:
        UnknownTaskError: None of them stands.
    """
    if wanted.strategy != SUBMITTED:
        return frozenset()
    known, retracted = [task.task_id for task in standing], [each.task_id for each in await store.retractions()]
    gone = {
        named
        for named in wanted.task_ids
        if named and any(each.startswith(named) for each in retracted)
        if not any(each.startswith(named) for each in known)
    }
    if gone and len(gone) == len(set(wanted.task_ids)):
        raise UnknownTaskError(
            "every task that was answered was taken back",
            thing=wanted.task_ids[0],
            way_out="answer tasks that stand: `touchstone tasks list` lists them",
        )
    return frozenset(gone)


def _comparable(task: Task) -> Comparable:
    place = (task.source, task.path)
    return Comparable(task.task_id, place, task.qualname, task.likeness, task.wording == DESCRIBED, task.function_id)


def _demand_band(wanted: Wanted) -> str:
    if wanted.band not in ("", *BANDS):
        raise BadSpecificationError("no such band of tasks", thing=wanted.band, way_out=f"one of {', '.join(BANDS)}")
    if wanted.band and (wanted.release or wanted.task_ids):
        raise BadSpecificationError(
            "a band is of all tasks that stand", thing=wanted.band, way_out="name a band, or tasks or a release"
        )
    return wanted.band or USUAL


async def _demand_known(store: Store, release: Release, standing: Sequence[Task]) -> None:
    known = {task.task_id for task in standing} | {each.task_id for each in await store.retractions()}
    missing = set(release.task_ids) - known
    if missing:
        raise TaskNotYetKnownError(
            f"{len(missing)} of the {len(release.task_ids)} tasks of the release have not come yet",
            thing=release.name,
            way_out="ask again in a moment",
        )


def _demand_one_kind(tasks: Sequence[Task]) -> None:
    sets = sorted({task.imported or "this platform" for task in tasks})
    if len(sets) > 1:
        raise BadSpecificationError(
            f"tasks of {' and of '.join(sets)} are never ranked together", way_out="make a run of each"
        )


def _named(standing: Sequence[Task], wanted: Sequence[str], language: str) -> list[Task]:
    chosen: dict[str, Task] = {}
    for beginning in wanted:
        found = meant(beginning, standing, lambda task: task.task_id)
        names = ("standing task", f"{len(found)} tasks")
        task = the_one(beginning, found, names, UnknownTaskError, way_out="`touchstone tasks list` lists them")
        if not fits(task, language):
            fitting = ", ".join(LANGUAGES[each] for each in LANGUAGES if fits(task, each))
            raise BadSpecificationError(
                f"the task is not certified in {LANGUAGES[language]}",
                thing=beginning,
                way_out=f"it can be solved in {fitting}",
            )
        chosen[task.task_id] = task
    return list(chosen.values())
