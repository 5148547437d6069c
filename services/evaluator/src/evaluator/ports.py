"""What the use cases need from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from evaluator.domain.tasks import Attempt, Effort, Retraction, Run, Solution, Task, Verdict

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class Counts:
    """How much there is of what."""

    tasks: int = 0
    retracted: int = 0
    runs: int = 0
    attempts: int = 0
    generated: int = 0
    judged: int = 0


class Store(Protocol):
    """The evaluator's own memory. Each method is one transaction; saving twice changes nothing."""

    async def save_task(self, task: Task) -> None:
        """Keep a task; what is known of it already stays."""
        ...

    async def retract_task(self, task_id: str, reason: str) -> None:
        """Note that a task is taken back, also when it has not come yet; the first reason stays."""
        ...

    async def retractions(self) -> list[Retraction]:
        """Every task that was taken back, by id; also one that has not come."""
        ...

    async def find_task(self, task_id: str) -> Task | None:
        """One task, retracted or not."""
        ...

    async def standing_tasks(self) -> list[Task]:
        """Every task that is not retracted, oldest source first, then by id."""
        ...

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        """Keep a run, and add the tasks that it does not have yet."""
        ...

    async def find_run(self, run_id: str) -> Run | None:
        """A run without its attempts."""
        ...

    async def load_run(self, run_id: str) -> Run | None:
        """A run with its attempts, in the order of `standing_tasks`."""
        ...

    async def runs(self) -> list[Run]:
        """Every run with its attempts."""
        ...

    async def find_attempt(self, run_id: str, task_id: str) -> Attempt | None:
        """One task of one run."""
        ...

    async def save_solution(self, run_id: str, task_id: str, solution: Solution) -> Solution:
        """Keep a solution unless there is one already; returns what is kept."""
        ...

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        """Keep a verdict on this solution unless there is one already; False when no such solution is known."""
        ...

    async def set_halted(self, run_id: str, reason: str) -> None:
        """Note why a run stands still; empty when it goes on."""
        ...

    async def halted_runs(self) -> list[Run]:
        """Runs that stand still, without their attempts."""
        ...

    async def unrequested(self) -> list[tuple[Run, str]]:
        """Tasks of runs (without attempts) for which no request was confirmed to be published."""
        ...

    async def mark_requested(self, run_id: str, task_ids: Sequence[str]) -> None:
        """Note that the requests are published."""
        ...

    async def counts(self) -> Counts:
        """How much there is of what."""
        ...


class Announcer(Protocol):
    """Tells the other services. Returns when the broker has confirmed.

    Raises:
        RetryableError: The broker does not take it.
    """

    async def request_solutions(self, run: Run, task_ids: Sequence[str]) -> None:
        """Ask for solutions of these tasks."""
        ...

    async def solution_generated(self, run: Run, task: Task, solution: Solution) -> None:
        """Tell that a solution waits for its verdict."""
        ...


@dataclass(frozen=True)
class Said:
    """A model's answer in words.

    Attributes:
        refused: Why the endpoint refuses the question for good; empty when there is an answer.
        truncated: The answer was cut at its bound.
    """

    text: str
    effort: Effort
    refused: str = ""
    truncated: bool = False


@dataclass(frozen=True)
class Filled(Generic[T]):
    """A model's answer in a form; `value` is None when no round gave one, `problem` says why."""

    value: T | None
    effort: Effort
    problem: str = ""


class LanguageModels(Protocol):
    """The models under test. An answer that cannot be used is a value.

    Raises:
        UnknownModelError: Nobody knows the name.
        SuspendedError: The endpoint is away or the budget is spent.
    """

    def identity(self, endpoint: str) -> str:
        """Name of a model for runs and leaderboards, whatever port it is at; empty is the default model."""
        ...

    def name(self, endpoint: str) -> str:
        """The name that an empty one stands for, or the name itself."""
        ...

    def prompt_versions(self, prompts: Sequence[str]) -> str:
        """Versions of prompt files, which change with their text."""
        ...

    async def ask(self, endpoint: str, prompt: str, *, max_tokens: int, **values: str) -> Said:
        """Ask for words; `prompt` names a file and is also the purpose in the accounts."""
        ...

    async def fill(self, endpoint: str, prompt: str, form: type[T], *, max_tokens: int, **values: str) -> Filled[T]:
        """Ask for a form."""
        ...


@dataclass(frozen=True)
class Snippet:
    """Code that a search found."""

    repository: str
    path: str
    qualname: str
    code: str
    function_id: str
    score: float


class CodeSearch(Protocol):
    """A knowledge base that a query can reach."""

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Snippet]:
        """Find code.

        Args:
            query: Words.
            limit: How many results at most.
            occasion: Names this very search; the same occasion gets the same results for ever, however
                the index grows, so that a replay asks the same questions.

        Raises:
            SuspendedError: The search engine is away.
        """
        ...


@dataclass(frozen=True)
class CallRun:
    """How one call ended: `outcome` as the sandbox names it, lower case; `value` is a portable JSON text."""

    outcome: str
    value: str = ""
    error_type: str = ""
    error_message: str = ""


class Sandbox(Protocol):
    """Runs foreign code isolated."""

    async def run_calls(self, source: str, entry_point: str, inputs: Sequence[str]) -> list[CallRun]:
        """Call an entry point on inputs; one outcome each, in order.

        Raises:
            SuspendedError: The sandbox is away or refuses jobs.
        """
        ...
