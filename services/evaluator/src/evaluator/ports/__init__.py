"""What the use cases need from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from evaluator.domain.exercises import Exercise
from evaluator.domain.found import Document, Snippet
from evaluator.domain.labelled import IndexState, Labelled, RetrievalScore
from evaluator.domain.lives import RunChange
from evaluator.domain.resemblance import AnswerPlace, KillPattern, Resemblance, WrongAnswer
from evaluator.domain.results import Overview, RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.specification import Sampling
from evaluator.domain.submitted import Submission
from evaluator.domain.tasks import Attempt, Effort, Rejudged, Retraction, Solution, Task, Verdict
from evaluator.ports.lives import Lives

T = TypeVar("T", bound=BaseModel)
# A task and the number of an answer to it.
Place = tuple[str, int]
GREEDY = Sampling()


@dataclass(frozen=True)
class Counts:
    """How much there is of what."""

    tasks: int = 0
    retracted: int = 0
    runs: int = 0
    attempts: int = 0
    generated: int = 0
    judged: int = 0


class Store(Lives, Protocol):
    """The evaluator's own memory. Each method is one transaction; saving twice changes nothing."""

    async def save_task(self, task: Task) -> None:
        """Keep a task; what is known of it already stays, and what nobody told of its words is filled."""
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

    async def functions_of(self, task_ids: Sequence[str]) -> dict[str, str]:
        """Id of the function that each of these tasks was made of; tasks that have not come are left out."""
        ...

    async def standing_tasks(self) -> list[Task]:
        """Every task that is not retracted, oldest source first, then by id."""
        ...

    async def save_run(self, run: Run, task_ids: Sequence[str]) -> None:
        """Keep a run, and an attempt for each of these tasks and each sample; tasks that nobody knows are passed over.

        With the ids of a whole set (those whose digest the specification has) the set is kept too. A run that was
        removed is not kept. What is known already of the life of a run that is new here holds for it.
        """
        ...

    async def task_ids_of(self, digest: str) -> list[str] | None:
        """The ids of a set of tasks; None where it was never kept."""
        ...

    async def find_run(self, run_id: str) -> Run | None:
        """A run without its attempts."""
        ...

    async def load_run(self, run_id: str) -> Run | None:
        """A run with its attempts, in the order of `standing_tasks`."""
        ...

    async def find_attempt(self, run_id: str, task_id: str, sample: int = 0) -> Attempt | None:
        """One answer to one task in one run."""
        ...

    async def places_of(self, run_id: str) -> list[Place]:
        """Task and sample of every answer of a run, in the order of `load_run`; it reads no answer."""
        ...

    async def attempts_at(self, run_id: str, places: Sequence[Place]) -> list[Attempt]:
        """These answers of a run, a thousand at most, in the order of `load_run`."""
        ...

    async def answers_to(self, task_id: str) -> list[tuple[Run, Attempt]]:
        """What every run made of a task: runs without their attempts, by id."""
        ...

    async def reopen(self, run_id: str) -> None:
        """Forget the answers that ended as infrastructure, so that they can be asked for again; it is counted."""
        ...

    async def save_solution(self, run_id: str, task_id: str, solution: Solution, sample: int = 0) -> Solution:
        """Keep a solution unless there is one already; returns what is kept."""
        ...

    async def save_verdict(self, run_id: str, task_id: str, solution_id: str, verdict: Verdict) -> bool:
        """Keep a verdict on this solution unless there is one of its number already; the highest number counts.

        Returns False when no such solution is known; should it come, it finds its verdict.
        """
        ...

    async def verdicts_on(self, run_id: str, task_id: str, solution_id: str) -> list[Verdict]:
        """Every verdict on a solution, oldest first."""
        ...

    async def rejudged(self) -> list[Rejudged]:
        """Every judgement anew, by run, task, sample and judging; an answer with three verdicts has two."""
        ...

    async def set_halted(self, run_id: str, reason: str, place: Place | None = None) -> bool:
        """Note why a run stands still, empty when it goes on, for an answer while that waits; gives if it stops now."""
        ...

    async def unasked(self, run_id: str) -> set[Place]:
        """Answers without a verdict that nobody asked for, or that a pause took back."""
        ...

    async def halted_runs(self) -> list[Run]:
        """Runs that stand still, without their attempts."""
        ...

    async def unrequested(self) -> list[tuple[Run, str, int]]:
        """Run (without attempts), task and sample of each request that was not confirmed to be published.

        Paused runs have none: what is not asked for is meant to wait. Nor have tasks that were taken back.
        """
        ...

    async def mark_requested(self, run_id: str, places: Sequence[Place], *, by_name: bool = False) -> None:
        """Note that the requests are published; of a paused run nothing, but what is asked for by name.

        A pause may come while requests are published: it takes them back, and holds.
        """
        ...

    async def counts(self) -> Counts:
        """How much there is of what."""
        ...

    async def overview(self) -> Overview:
        """What there is, and what of it changed; it reads no answer."""
        ...

    async def results_of(self, run: Run) -> RunResults:
        """How the answers of a run ended, without any code."""
        ...

    async def task_facts(self) -> list[TaskFacts]:
        """What a board knows of every task, by id."""
        ...


@dataclass(frozen=True)
class Release:
    """A frozen set of tasks: its name, its digest, and the ids of its tasks."""

    name: str
    digest: str
    task_ids: tuple[str, ...]


class Releases(Protocol):
    """The releases of tasks, which another service keeps."""

    async def find(self, name: str) -> Release:
        """A release by its name.

        Raises:
            UnknownReleaseError: No release is called so.
            RetryableError: Whoever keeps the releases does not answer.
        """
        ...


@dataclass(frozen=True)
class Posable:
    """Tasks that can be posed as exercises of a track, and the version of what is made of them.

    Attributes:
        left_out: Why others cannot, in words, and how many.
    """

    task_ids: tuple[str, ...]
    version: int
    left_out: tuple[tuple[str, int], ...] = ()


class Exercises(Protocol):
    """Tasks as exercises, which another service makes.

    Raises:
        ExercisesAwayError: Whoever makes them does not answer.
        UnknownTrackError: Nothing is posed so.
    """

    async def posable(self, track: str, task_ids: Sequence[str]) -> Posable:
        """Of some tasks those that give an exercise."""
        ...

    async def find(self, task_id: str, track: str, version: int = 0) -> Exercise:
        """The exercise of a task, the same one each time for one version.

        Args:
            task_id: The task.
            track: What is asked.
            version: As `posable` told it; 0 takes what is made now.

        Raises:
            NoExerciseError: The task gives none, or exercises are made in another version now.
        """
        ...


class KillPatterns(Protocol):
    """How the mutants of ground truths fail, which another service knows.

    Raises:
        ExercisesAwayError: It does not answer.
    """

    async def of(self, task_id: str) -> tuple[KillPattern, ...]:
        """How each mutant of a task fails its suite; none where nobody has the task."""
        ...


class Resemblances(Protocol):
    """Which mutants wrong answers resemble. Each method is one transaction; saving twice changes nothing."""

    async def waiting(self, most: int) -> list[str]:
        """Tasks with wrong answers that were not compared as they were judged last, by id, at most so many."""
        ...

    async def uncompared(self, task_id: str) -> list[WrongAnswer]:
        """Those answers to a task."""
        ...

    async def save(self, compared: Sequence[tuple[WrongAnswer, tuple[Resemblance, ...]]]) -> None:
        """Keep what answers resemble, nothing included."""
        ...

    async def found(self, run_id: str = "", task_id: str = "") -> Mapping[AnswerPlace, tuple[Resemblance, ...]]:
        """What answers of a run, or to a task, resemble as they were judged last; those near nothing are left out."""
        ...


class TaskLists(Protocol):
    """Lists of ids by the digest of their canonical text, kept where a replay on an empty database finds them."""

    async def put(self, task_ids: Sequence[str]) -> str:
        """Keep a list; gives its digest."""
        ...

    async def get(self, digest: str) -> list[str] | None:
        """A list, or None where it was never kept."""
        ...


class AnswerSets(Protocol):
    """Submitted answers by the digest of their canonical text, kept where a replay on an empty database finds them."""

    async def put(self, submitted: Submission) -> str:
        """Keep a set; gives its digest."""
        ...

    async def get(self, digest: str) -> Submission | None:
        """A set, or None where it was never kept."""
        ...


class Announcer(Protocol):
    """Tells the other services. Returns when the broker has confirmed.

    Raises:
        RetryableError: The broker does not take it.
    """

    async def request_solutions(self, run: Run, places: Sequence[Place]) -> None:
        """Ask for these answers; each request carries the run's specification."""
        ...

    async def solution_generated(
        self, run: Run, task: Task, solution: Solution, sample: int = 0, *, judging: int = 0, note: str = ""
    ) -> None:
        """Tell that a solution waits for its verdict; a higher `judging` has one judged again, with a public note."""
        ...

    async def run_changed(self, change: RunChange, run: Run | None) -> None:
        """Tell what became of a run; it is None where it was removed."""
        ...


@dataclass(frozen=True)
class Said:
    """A model's answer in words.

    Attributes:
        refused: Why the endpoint refuses the question for good; empty when there is an answer.
        truncated: The answer was cut at its bound.
        thought_tokens: Those of the answered tokens that the model spent on thinking.
        answered_by: Which other model than was asked the endpoint says answered.
    """

    text: str
    effort: Effort
    refused: str = ""
    truncated: bool = False
    thought_tokens: int = 0
    answered_by: str = ""


@dataclass(frozen=True)
class Filled(Generic[T]):
    """A model's answer in a form; `value` is None when no round gave one, `problem` says why."""

    value: T | None
    effort: Effort
    problem: str = ""


class LanguageModels(Protocol):
    """The models under test. An answer that cannot be used is a value, and what each took is told to `spending`.

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

    def cutoff(self, model: str, endpoint: str = "") -> str:
        """Month of the newest text that a model was trained on, YYYY-MM; empty when nobody told.

        Args:
            model: Identity of the model, or the name that submitted answers stand under.
            endpoint: What it was asked for by; empty where nobody was asked.
        """
        ...

    def digest(self, endpoint: str) -> str:
        """Digest of a model's weights, `sha256:` and 64 hexadecimal digits; empty when nobody told."""
        ...

    def thinking_tokens(self, endpoint: str) -> int:
        """What a model may spend on thinking, on top of the bound of its answer; 0 for one that does not think."""
        ...

    def prompt_versions(self, prompts: Sequence[str]) -> str:
        """Versions of prompt files, which change with their text."""
        ...

    async def ask(
        self, endpoint: str, prompt: str, *, max_tokens: int, sampling: Sampling = GREEDY, **values: str
    ) -> Said:
        """Ask for words; `prompt` names a file and is also the purpose in the accounts."""
        ...

    async def fill(
        self, endpoint: str, prompt: str, form: type[T], *, max_tokens: int, sampling: Sampling = GREEDY, **values: str
    ) -> Filled[T]:
        """Ask for a form."""
        ...


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


class DocumentSearch(Protocol):
    """The documentation of what programs can import."""

    async def search(self, query: str, *, limit: int, occasion: str) -> list[Document]:
        """Find documentation, as `CodeSearch.search` finds code.

        Raises:
            SuspendedError: What holds the packages is away.
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

    async def run_calls(
        self, source: str, entry_point: str, inputs: Sequence[str], language: str = "python"
    ) -> list[CallRun]:
        """Call an entry point on inputs, each a JSON array of arguments; one outcome each, in order.

        Raises:
            SuspendedError: The sandbox is away or refuses jobs.
        """
        ...


class LabelSets(Protocol):
    """Labels of queries and codes, which another service keeps.

    Raises:
        RetryableError: It does not answer.
    """

    async def releases(self) -> list[tuple[str, str]]:
        """Name and digest of every release of labels, oldest first."""
        ...

    async def labelled(self, name: str, digest: str) -> Labelled:
        """The labels of a release; those of now where its digest is empty."""
        ...


class Retrievers(Protocol):
    """The platform's ways to find code.

    Raises:
        RetryableError: They do not answer.
    """

    async def available(self) -> tuple[list[str], IndexState]:
        """Their names, and what they have to find."""
        ...

    async def ranking(self, name: str, query: str, limit: int) -> list[str]:
        """Ids of the codes that one of them finds, best first, at most `limit`."""
        ...


class RetrievalScores(Protocol):
    """Scores of retrievers, none of which is ever changed, and how many labels were announced."""

    async def add(self, score: RetrievalScore) -> None:
        """Keep a score; one of the same set, retriever and moment stands."""
        ...

    async def newest(self) -> list[RetrievalScore]:
        """The newest score of each retriever on each set of this name, whatever labels and index it rests on."""
        ...

    async def every(self) -> list[RetrievalScore]:
        """Every score, oldest first."""
        ...

    async def note_label(self) -> None:
        """Count a label that was announced; a replay counts again, which has labels looked at once more."""
        ...

    async def seen(self) -> int:
        """How many labels were announced."""
        ...
