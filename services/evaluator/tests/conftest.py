"""Fakes that implement the evaluator's ports; the store passes the contract suite of the real one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from hypothesis import settings
from pydantic import BaseModel

from evaluator.domain.tasks import Attempt, Effort, Retraction, Run, Solution, Task, Verdict
from evaluator.ports import CallRun, Counts, Filled, Said, Snippet
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.llm import Catalogue, Endpoint

# A busy machine is no failure.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

EFFORT = Effort(100, 10, 0.5, 0.001, 1)


class MemoryStore:
    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}
        self.taken_back: dict[str, str] = {}
        self.kept: dict[str, Run] = {}
        self.attempts: dict[tuple[str, str], Attempt] = {}
        self.requested: set[tuple[str, str]] = set()

    async def save_task(self, task: Task) -> None:
        self.tasks.setdefault(task.task_id, task)

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

    async def standing_tasks(self) -> list[Task]:
        return [task for task in self._ordered() if task.task_id not in self.taken_back]

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        self.kept.setdefault(run.run_id, replace(run, attempts=()))
        for task_id in task_ids:
            self.attempts.setdefault((run.run_id, task_id), Attempt(self.tasks[task_id]))

    async def find_run(self, run_id: str) -> Run | None:
        return self.kept.get(run_id)

    async def load_run(self, run_id: str) -> Run | None:
        run = self.kept.get(run_id)
        if run is None:
            return None
        found = [await self.find_attempt(run_id, task.task_id) for task in self._ordered()]
        return replace(run, attempts=tuple(attempt for attempt in found if attempt is not None))

    async def runs(self) -> list[Run]:
        return [run for run_id in sorted(self.kept) if (run := await self.load_run(run_id))]

    async def find_attempt(self, run_id: str, task_id: str) -> Attempt | None:
        attempt = self.attempts.get((run_id, task_id))
        return attempt and replace(attempt, retracted=self.taken_back.get(task_id, ""))

    async def save_solution(self, run_id: str, task_id: str, solution: Solution) -> Solution:
        attempt = self.attempts[run_id, task_id]
        kept = attempt.solution or solution
        self.attempts[run_id, task_id] = replace(attempt, solution=kept)
        return kept

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        attempt = self.attempts.get((run_id, task_id))
        if attempt is None or attempt.solution is None or attempt.solution.solution_id != solution_id:
            return False
        self.attempts[run_id, task_id] = replace(attempt, verdict=attempt.verdict or verdict)
        return True

    async def set_halted(self, run_id: str, reason: str) -> None:
        self.kept[run_id] = replace(self.kept[run_id], halted=reason)

    async def halted_runs(self) -> list[Run]:
        return [run for _, run in sorted(self.kept.items()) if run.halted]

    async def unrequested(self) -> list[tuple[Run, str]]:
        return [
            (self.kept[run_id], task_id)
            for (run_id, task_id), attempt in sorted(self.attempts.items())
            if (run_id, task_id) not in self.requested and attempt.verdict is None
        ]

    async def mark_requested(self, run_id: str, task_ids: Sequence[str]) -> None:
        self.requested.update((run_id, task_id) for task_id in task_ids)

    async def counts(self) -> Counts:
        standing = [attempt for (_, task_id), attempt in self.attempts.items() if task_id not in self.taken_back]
        return Counts(
            tasks=len(self.tasks),
            retracted=len(self.taken_back),
            runs=len(self.kept),
            attempts=len(standing),
            generated=sum(attempt.solution is not None for attempt in standing),
            judged=sum(attempt.verdict is not None for attempt in standing),
        )

    def _ordered(self) -> list[Task]:
        return sorted(self.tasks.values(), key=lambda task: (task.released_at, task.task_id))


class RecordingAnnouncer:
    def __init__(self) -> None:
        self.requests: list[tuple[str, str]] = []
        self.solutions: list[Solution] = []

    async def request_solutions(self, run: Run, task_ids: Sequence[str]) -> None:
        self.requests.extend((run.run_id, task_id) for task_id in task_ids)

    async def solution_generated(self, run: Run, task: Task, solution: Solution) -> None:
        self.solutions.append(solution)


class ScriptedModels:
    """Answers by prompt name: a text, a form's fields, an exception, or a function of the values."""

    def __init__(self, **answers: object) -> None:
        self.answers = answers
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.catalogue = Catalogue({"small": Endpoint("small", "small", "", own=True)}, "small")

    def identity(self, endpoint: str) -> str:
        return self.catalogue.resolve(endpoint).identity

    def name(self, endpoint: str) -> str:
        return self.catalogue.resolve(endpoint).name

    def prompt_versions(self, prompts: Sequence[str]) -> str:
        return " ".join(prompts)

    async def ask(self, endpoint: str, prompt: str, *, max_tokens: int, **values: str) -> Said:
        said = self._answer(prompt, values)
        return said if isinstance(said, Said) else Said(str(said), EFFORT)

    async def fill(self, endpoint: str, prompt: str, form: type[BaseModel], *, max_tokens: int, **values: str):
        said = self._answer(prompt, values)
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


class ScriptedSearch:
    def __init__(self, *snippets: Snippet) -> None:
        self.snippets = snippets
        self.queries: list[str] = []

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Snippet]:
        self.queries.append(query)
        return list(self.snippets)[:limit]


class ScriptedSandbox:
    """Never runs anything: gives what the test says, for each program it is given."""

    def __init__(self, *results: Sequence[CallRun] | SuspendedError) -> None:
        self.results = list(results)
        self.programs: list[str] = []

    async def run_calls(self, source: str, entry_point: str, inputs: Sequence[str]) -> list[CallRun]:
        self.programs.append(source)
        result = self.results.pop(0)
        if isinstance(result, SuspendedError):
            raise result
        assert len(result) == len(inputs)
        return list(result)


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
    fields: dict[str, object] = {
        "run_id": "r" * 32,
        "model": "small",
        "endpoint": "small",
        "strategy": "direct",
        "language": "python",
    }
    return Run(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def announcer() -> RecordingAnnouncer:
    return RecordingAnnouncer()


@pytest.fixture
def models() -> type[ScriptedModels]:
    return ScriptedModels


@pytest.fixture
def search() -> type[ScriptedSearch]:
    return ScriptedSearch


@pytest.fixture
def sandbox() -> type[ScriptedSandbox]:
    return ScriptedSandbox


@pytest.fixture
def task() -> Callable[..., Task]:
    return make_task


@pytest.fixture
def run() -> Callable[..., Run]:
    return make_run
