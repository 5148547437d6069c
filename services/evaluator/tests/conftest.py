"""Fakes that implement the evaluator's ports; the store passes the contract suite of the real one."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings
from pydantic import BaseModel

from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.domain.cocost import parse_variant, variant_text
from evaluator.domain.exercises import Exercise
from evaluator.domain.lives import Change, RunChange
from evaluator.domain.outcomes import Outcome
from evaluator.domain.results import Cell, Overview, RunResults, TaskFacts, cell_of
from evaluator.domain.runs import Run
from evaluator.domain.specification import RunSpec, Sampling, TaskSet, ids_text
from evaluator.domain.tasks import Attempt, Effort, Rejudged, Retraction, Solution, Task, Verdict, fits
from evaluator.errors import NoExerciseError, UnknownReleaseError
from evaluator.ports import GREEDY, Counts, Filled, Place, Posable, Release, Said
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.direct import Direct
from evaluator.usecases.runs import solve_task, start_run
from evaluator.usecases.spending import spent
from evaluator.usecases.tasks import learn_task
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.llm import Catalogue, Endpoint

# A busy machine is no failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
EFFORT = Effort(100, 10, 0.5, 0.001, 1)


def _neighbour(name: str) -> ModuleType:
    spec = spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class MemoryStore(_neighbour("memory_lives").MemoryLives):
    def __init__(self) -> None:
        super().__init__()
        self.tasks: dict[str, Task] = {}
        self.sets: dict[str, list[str]] = {}

    async def save_task(self, task: Task) -> None:
        known = self.tasks.setdefault(task.task_id, task)
        told = {name: getattr(known, name) or getattr(task, name) for name in ("wording", "likeness", "shapes")}
        self.tasks[task.task_id] = replace(known, **told)
        for run in self.kept.values():
            if run.paused and task.task_id in self.sets.get(run.spec.tasks.digest, []):
                for sample in range(run.spec.samples):
                    place = (run.run_id, task.task_id, sample)
                    self.changes[run.run_id] += place not in self.attempts
                    self.attempts.setdefault(place, Attempt(self.tasks[task.task_id], sample=sample))

    async def retract_task(self, task_id: str, reason: str) -> None:
        self.taken_back.setdefault(task_id, reason)

    async def retractions(self) -> list[Retraction]:
        found = []
        for task_id, note in sorted(self.taken_back.items()):
            task = self.tasks.get(task_id)
            origin = (task.entry_point, f"{task.source} {task.version}".strip()) if task else ("", "")
            found.append(Retraction(task_id, note, *origin))
        return found

    async def find_task(self, task_id: str) -> Task | None:
        return self.tasks.get(task_id)

    async def functions_of(self, task_ids: Sequence[str]) -> dict[str, str]:
        return {task_id: self.tasks[task_id].function_id for task_id in task_ids if task_id in self.tasks}

    async def standing_tasks(self) -> list[Task]:
        return [task for task in self._ordered() if task.task_id not in self.taken_back]

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        if run.run_id in self.forgotten:
            return
        if run.run_id not in self.kept:
            self.kept[run.run_id] = replace(run, attempts=(), withdrawn="", paused=False, changed=0, askings=0)
            if not self.hold(run.run_id) and run.paused:
                self.note(run.run_id, Change.PAUSED)
        if task_ids and hashlib.sha256(ids_text(task_ids)).hexdigest() == run.spec.tasks.digest:
            self.sets.setdefault(run.spec.tasks.digest, sorted(set(task_ids)))
        for task_id in task_ids:
            for sample in range(run.spec.samples if task_id in self.tasks else 0):
                place = (run.run_id, task_id, sample)
                self.changes[run.run_id] += place not in self.attempts
                self.attempts.setdefault(place, Attempt(self.tasks[task_id], sample=sample))
        self.settle(run.run_id)

    async def task_ids_of(self, digest: str) -> list[str] | None:
        return self.sets.get(digest)

    async def find_run(self, run_id: str) -> Run | None:
        return self.kept.get(run_id)

    async def load_run(self, run_id: str) -> Run | None:
        run = self.kept.get(run_id)
        if run is None:
            return None
        found = [
            await self.find_attempt(run_id, task.task_id, sample)
            for task in self._ordered()
            for sample in range(run.spec.samples)
        ]
        return replace(run, attempts=tuple(attempt for attempt in found if attempt is not None))

    async def find_attempt(self, run_id: str, task_id: str, sample: int = 0) -> Attempt | None:
        attempt = self.attempts.get((run_id, task_id, sample))
        return attempt and replace(attempt, retracted=self.taken_back.get(task_id, ""))

    async def places_of(self, run_id: str) -> list[tuple[str, int]]:
        return [(each.task.task_id, each.sample) for each in getattr(await self.load_run(run_id), "attempts", ())]

    async def attempts_at(self, run_id: str, places) -> list[Attempt]:
        return [found for each in await self.places_of(run_id) if each in places
                if (found := await self.find_attempt(run_id, *each))]  # fmt: skip

    async def answers_to(self, task_id: str) -> list[tuple[Run, Attempt]]:
        places = sorted(place for place in self.attempts if place[1] == task_id)
        return [(self.kept[place[0]], found) for place in places if (found := await self.find_attempt(*place))]

    async def reopen(self, run_id: str) -> None:
        self.kept[run_id] = replace(self.kept[run_id], askings=self.kept[run_id].askings + 1)
        for place, kept in self.verdicts.items():
            if place[0] == run_id:
                self.verdicts[place] = {n: each for n, each in kept.items() if each.outcome != "infrastructure"}
        for place, attempt in self.attempts.items():
            if place[0] == run_id and attempt.verdict and attempt.verdict.outcome is Outcome.INFRASTRUCTURE:
                self.attempts[place] = replace(attempt, solution=None, verdict=None)
                self.requested.discard(place)

    async def save_solution(self, run_id: str, task_id: str, solution: Solution, sample: int = 0) -> Solution:
        if run_id in self.forgotten:
            return solution
        attempt = self.attempts[run_id, task_id, sample]
        kept = attempt.solution or solution
        early = [] if attempt.solution else await self.verdicts_on(run_id, task_id, kept.solution_id)
        verdict = early[-1] if early else attempt.verdict
        self.attempts[run_id, task_id, sample] = replace(attempt, solution=kept, verdict=verdict)
        if self.life(run_id).ended.get((task_id, sample)):
            self.settle_one((run_id, task_id, sample), self.life(run_id), everything=False)
        self.changes[run_id] += 1
        return kept

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        if run_id in self.forgotten:
            return False
        self.verdicts.setdefault((run_id, task_id, solution_id), {}).setdefault(verdict.judging, verdict)
        self.changes[run_id] += 1
        found = False
        for place, attempt in self.attempts.items():
            solution = attempt.solution
            if place[:2] == (run_id, task_id) and solution is not None and solution.solution_id == solution_id:
                held = attempt.verdict
                newer = held is None or (held.judging < verdict.judging and not held.cancelled)
                self.attempts[place] = replace(attempt, verdict=verdict if newer else attempt.verdict)
                found = True
        return found

    async def verdicts_on(self, run_id: str, task_id: str, solution_id: str) -> list[Verdict]:
        return [each for _, each in sorted(self.verdicts.get((run_id, task_id, solution_id), {}).items())]

    async def rejudged(self) -> list[Rejudged]:
        found = []
        for (run_id, task_id, sample), attempt in sorted(self.attempts.items()):
            if attempt.solution is not None and attempt.verdict is not None and attempt.verdict.judging:
                known = await self.verdicts_on(run_id, task_id, attempt.solution.solution_id)
                place = (run_id, task_id, attempt.task.entry_point, sample)
                found += [Rejudged(*place, *each) for each in pairwise(known)]
        return found

    async def unasked(self, run_id: str) -> set[Place]:
        return {
            (task_id, sample)
            for (run, task_id, sample), attempt in self.attempts.items()
            if run == run_id and attempt.verdict is None and (run, task_id, sample) not in self.requested
        }

    async def unrequested(self) -> list[tuple[Run, str, int]]:
        return [
            (self.kept[place[0]], place[1], place[2])
            for place, attempt in sorted(self.attempts.items())
            if place not in self.requested and attempt.verdict is None and not self.kept[place[0]].paused
            if place[1] not in self.taken_back
        ]

    async def mark_requested(self, run_id: str, places: Sequence[Place], *, by_name: bool = False) -> None:
        if by_name or not self.kept[run_id].paused:
            self.requested.update((run_id, *place) for place in places)
        if by_name and places:
            self.kept[run_id] = replace(self.kept[run_id], askings=self.kept[run_id].askings + 1)
            self.asked_at.update({(run_id, *place): self.kept[run_id].changed for place in places})

    async def counts(self) -> Counts:
        standing = [attempt for place, attempt in self.attempts.items() if place[1] not in self.taken_back]
        return Counts(
            tasks=len(self.tasks),
            retracted=len(self.taken_back),
            runs=len(self.kept),
            attempts=len(standing),
            generated=sum(attempt.solution is not None for attempt in standing),
            judged=sum(attempt.verdict is not None for attempt in standing),
        )

    async def overview(self) -> Overview:
        runs = [(run, self.changes[run_id]) for run_id, run in sorted(self.kept.items())]
        worded = sum(bool(task.wording) for task in self.tasks.values())
        return Overview(runs, frozenset(self.taken_back), len(self.tasks), worded)

    async def results_of(self, run: Run) -> RunResults:
        cells: dict[str, list[Cell]] = {}
        for (run_id, task_id, _), attempt in sorted(self.attempts.items()):
            if run_id != run.run_id:
                continue
            cells.setdefault(task_id, []).append(cell_of(attempt))
        return RunResults(run, {task_id: tuple(answers) for task_id, answers in cells.items()})

    async def task_facts(self) -> list[TaskFacts]:
        return [facts_of(task) for _, task in sorted(self.tasks.items())]

    def _ordered(self) -> list[Task]:
        return sorted(self.tasks.values(), key=lambda task: (task.released_at, task.task_id))


def facts_of(task: Task) -> TaskFacts:
    languages = frozenset(language for language in ("python", *task.signatures) if fits(task, language))
    more = (task.licence, task.released_at[:7], task.form, task.complexity)
    return TaskFacts(
        *(task.task_id, task.kind, task.difficulty, task.source, *more),
        languages,
        described=task.wording == "described",
        imported=bool(task.imported),
    )


class MemoryLists:
    def __init__(self) -> None:
        self.kept: dict[str, list[str]] = {}

    async def put(self, task_ids: Sequence[str]) -> str:
        digest = hashlib.sha256(ids_text(task_ids)).hexdigest()
        self.kept[digest] = sorted(set(task_ids))
        return digest

    async def get(self, digest: str) -> list[str] | None:
        return self.kept.get(digest)


class KnownReleases:
    def __init__(self, *releases: Release) -> None:
        self.known = {release.name: release for release in releases}

    async def find(self, name: str) -> Release:
        if name not in self.known:
            raise UnknownReleaseError("no release is called so", thing=name)
        return self.known[name]


class GivenExercises:
    """Exercises as a test gives them, by track and task."""

    def __init__(self) -> None:
        self.given: dict[tuple[str, str], Exercise] = {}
        self.left_out: tuple[tuple[str, int], ...] = ()
        self.version = 3

    async def posable(self, track: str, task_ids: Sequence[str]) -> Posable:
        found = tuple(task_id for task_id in task_ids if (track, task_id) in self.given)
        return Posable(found, self.version, self.left_out)

    async def find(self, task_id: str, track: str, version: int = 0) -> Exercise:
        if (track, task_id) not in self.given or version not in (0, self.version):
            raise NoExerciseError("the task gives none", thing=task_id)
        return self.given[track, task_id]


class RecordingAnnouncer:
    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.samples: list[int] = []
        self.solutions: list[Solution] = []
        self.judgings: list[tuple[str, int, int, str]] = []
        self.changes: list[tuple[RunChange, Run | None]] = []

    async def request_solutions(self, run: Run, places: Sequence[Place]) -> None:
        self.requests.extend((run.run_id, task_id) for task_id, _ in places)
        self.samples.extend(sample for _, sample in places)

    async def solution_generated(
        self, run: Run, task: Task, solution: Solution, sample: int = 0, *, judging: int = 0, note: str = ""
    ) -> None:
        self.solutions.append(solution)
        self.judgings.append((task.task_id, sample, judging, note))

    async def run_changed(self, change: RunChange, run: Run | None) -> None:
        self.changes.append((change, run))


class ScriptedModels:
    """Answers by prompt name: a text, a form's fields, an exception, or a function of the values."""

    def __init__(self, **answers: object) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.samplings: list[tuple[int, Sampling]] = []
        self.catalogue = Catalogue({"small": Endpoint("small", "small", "", own=True)}, "small")

    def identity(self, endpoint: str) -> str:
        return self.catalogue.resolve(endpoint).identity

    def name(self, endpoint: str) -> str:
        return self.catalogue.resolve(endpoint).name

    def cutoff(self, model: str, endpoint: str = "") -> str:
        return self.catalogue.cutoff(model, endpoint)

    def digest(self, endpoint: str) -> str:
        return self.catalogue.resolve(endpoint).digest

    def thinking_tokens(self, endpoint: str) -> int:
        return self.catalogue.resolve(endpoint).thinking_tokens

    def prompt_versions(self, prompts: Sequence[str]) -> str:
        return " ".join(prompts)

    async def ask(
        self, endpoint: str, prompt: str, *, max_tokens: int, sampling: Sampling = GREEDY, **values: str
    ) -> Said:
        self.samplings.append((max_tokens, sampling))
        said = self._answer(prompt, values)
        said = said if isinstance(said, Said) else Said(str(said), EFFORT)
        spent(said.effort)
        return said

    async def fill(
        self, endpoint: str, prompt: str, form: type[BaseModel], *, max_tokens: int, sampling=GREEDY, **values: str
    ):
        self.samplings.append((max_tokens, sampling))
        said = self._answer(prompt, values)
        spent(EFFORT)
        if isinstance(said, dict):
            return Filled(form.model_validate(said), EFFORT)
        return Filled(None, EFFORT, problem=str(said))

    def _answer(self, prompt: str, values: dict[str, str]) -> object:
        self.asked.append((prompt, values))
        said = self.answers[prompt]
        if isinstance(said, list):
            said = said.pop(0)
        if callable(said):
            said = said(values)
        if isinstance(said, Exception):
            raise said
        return said


def make_task(number: int = 1, **changes: object) -> Task:
    fields: dict[str, object] = {
        "task_id": f"{number:04d}" * 8,
        "function_id": f"function{number}",
        "kind": "SC",
        "difficulty": "Easy",
        "entry_point": f"f{number}",
        "instruction": f"Return the argument plus {number}.",
        "signatures": {"python": f"def f{number}(x: int) -> int:", "go": f"func f{number}(x int) int"},
        "prelude": "",
        "suite_digest": "s" * 64,
        "cases": 50,
        "source": "pack",
        "version": "1.0",
        "path": "pack/code.py",
        "qualname": f"f{number}",
        "released_at": f"2026-01-{number:02d}",
    }
    return Task(**{**fields, **changes})  # type: ignore[arg-type]


def make_run(**changes: object) -> Run:
    """A run; what is no field of it changes its specification."""
    own = {field.name for field in fields(Run)} - {"spec"}
    spec: dict[str, object] = {
        "tasks": TaskSet(),
        "model": "small",
        "endpoint": "small",
        "strategy": "direct",
        "variant": "",
        "language": "python",
    }
    spec |= {name: value for name, value in changes.items() if name not in own}
    mine = {name: value for name, value in changes.items() if name in own}
    return Run(**{"run_id": "r" * 32, "spec": RunSpec(**spec), **mine})  # type: ignore[arg-type]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def announcer() -> RecordingAnnouncer:
    return RecordingAnnouncer()


@pytest.fixture
def exercises() -> GivenExercises:
    return GivenExercises()


@pytest.fixture
def models() -> type[ScriptedModels]:
    return ScriptedModels


@pytest.fixture
def task() -> Callable[..., Task]:
    return make_task


@pytest.fixture
def run() -> Callable[..., Run]:
    return make_run


@pytest.fixture
def lists() -> MemoryLists:
    return MemoryLists()


@pytest.fixture
def releases() -> type[KnownReleases]:
    return KnownReleases


@pytest.fixture
def facts() -> Callable[[Task], TaskFacts]:
    return facts_of


ANSWER = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


class Ablatable(Direct):
    def variant(self, text: str) -> str:
        return variant_text(parse_variant(text))


@pytest.fixture
def house(store, announcer, models, task, lists, releases, exercises, tmp_path):
    """The evaluator on fakes."""
    sets = BlobAnswerSets(BlobStore(f"file://{tmp_path}"))

    class House:
        def __init__(self, answer: object = ANSWER, known: tuple[Release, ...] = ()) -> None:
            self.store, self.announcer, self.exercises = store, announcer, exercises
            self.models = models(solve_v1=answer)
            self.releases = releases(*known)
            self.strategies = {
                "direct": Direct(self.models, exercises, max_tokens=64),
                "cocost": Ablatable(self.models, exercises, max_tokens=9),
            }

        async def tasks(self, *numbers: int, **changes: object) -> None:
            for number in numbers:
                await learn_task(store, task(number, **changes))

        async def start(self, *, left_out: str = "", **wanted):
            parts = (store, announcer, self.models, self.strategies, self.releases, lists, sets, exercises)
            return await start_run(*parts, Wanted(**wanted), left_out=left_out)

        async def solve(self, run, task_id, sample=0):
            return await solve_task(store, announcer, self.strategies, lists, run, task_id, sample)

        async def row(self):
            board, _, _ = await Boards(store, lists).board()
            (row,) = board.rows
            return row

    return House
