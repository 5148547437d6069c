"""What the evaluator knows of a task, and what became of it in a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from evaluator.domain.outcomes import CANCELLED, Outcome, UnknownOutcome
from touchstone_contracts.envelope import content_id
from touchstone_runtime.source_kinds import cluster_of

# How an answer stands that has no outcome, or whose task was taken back.
PENDING, RETRACTED = "pending", "retracted"


@dataclass(frozen=True)
class Task:
    """A released task, as its event described it.

    Attributes:
        kind: "SC" or "WSC".
        source: Name of the package or repository that it comes from.
        released_at: ISO 8601 moment at which its code appeared, as releases or a history show; empty when unknown.
        signatures: Signature text by target language.
        prelude: Imports that a Python solution is given.
        suite_digest: Key of the frozen suite in the blob store.
        function_id: The function that it was made of.
        imported: Name and version of the set that somebody else made and that it was imported from; empty for our own.
        wording: "described" where its words suffice by stated rules, "by_example" where they do not; empty where nobody
            told.
        likeness: Equal for tasks whose code is nearly the same; empty where nobody told.
        shapes: What copies of its code look like, see `copies.shapes_of`; empty where nobody told.
    """

    task_id: str
    function_id: str
    kind: str
    difficulty: str
    entry_point: str
    instruction: str
    signatures: dict[str, str]
    prelude: str
    suite_digest: str
    cases: int
    source: str
    version: str
    path: str
    qualname: str
    licence: str = ""
    released_at: str = ""
    # Cyclomatic complexity and form of the function; 0 and empty where the event told neither.
    complexity: int = 0
    form: str = ""
    imported: str = ""
    wording: str = ""
    likeness: str = ""
    shapes: str = ""

    @property
    def cluster(self) -> str:
        """What it stands or falls together with, as `cluster_of` says."""
        return cluster_of(self.task_id, self.source, imported=bool(self.imported))


def fits(task: Task, language: str) -> bool:
    """Whether a task can be asked for in a language; weakly self-contained ones need Python's libraries."""
    return language == "python" or (task.kind == "SC" and language in task.signatures)


def time_of(seconds: float | None, tokens: int) -> float | None:
    """Seconds as they were kept: answers that took tokens and no time are of a batch, and nobody measured theirs.

    Example:
        >>> time_of(0.5, 9), time_of(0.0, 9), time_of(None, 9), time_of(None, 0)
        (0.5, None, None, 0.0)
    """
    return seconds or (None if tokens else 0.0)


@dataclass(frozen=True)
class Effort:
    """What a solution took on the model's side, when it was first asked.

    Attributes:
        seconds: None where nobody measured them, of one question or more: an answer came with a batch.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float | None = 0.0
    cost_usd: float = 0.0
    calls: int = 0

    def __add__(self, other: Effort) -> Effort:
        """Sum of two efforts."""
        return Effort(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            None if self.seconds is None or other.seconds is None else self.seconds + other.seconds,
            self.cost_usd + other.cost_usd,
            self.calls + other.calls,
        )


@dataclass(frozen=True)
class Solution:
    """What a strategy made of a task.

    Attributes:
        code: Complete program, the task's prelude included; empty when there is nothing to run.
        outcome: Set when the end is known without running anything.
        detail: Words about that end.
        steps: What the strategy did, for people: one JSON object a step.
        suite_digest: The suite that judges it; empty where it is the task's own.
        reference_cpu_s: CPU-seconds of the ground truth, measured beside it; 0 where they were not.
        entry_point: What the program defines; empty where it is the task's own name.
    """

    solution_id: str
    code: str
    effort: Effort
    outcome: Outcome | UnknownOutcome | None = None
    detail: str = ""
    steps: tuple[dict[str, Any], ...] = ()
    suite_digest: str = ""
    reference_cpu_s: float = 0.0
    entry_point: str = ""


def solution_id(run_id: str, task_id: str, code: str, outcome: Outcome | None, sample: int) -> str:
    """Id of what was answered to a task in a run."""
    # Two samples may say the same; the first keeps the id of a run with one answer a task.
    number = (sample,) if sample else ()
    return content_id("solution", run_id, task_id, code, outcome or "", *number)


@dataclass(frozen=True)
class Verdict:
    """How a solution ended; `failures` are (case index, outcome, detail).

    Attributes:
        judging: Version of the verdict: 0 the first time, higher where the solution was judged again.
        note: Why it was judged again, for everybody to read.
    """

    outcome: Outcome | UnknownOutcome
    cases: int = 0
    passed: int = 0
    detail: str = ""
    failures: tuple[tuple[int, str, str], ...] = ()
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_bytes: int = 0
    judging: int = 0
    note: str = ""

    @property
    def cancelled(self) -> bool:
        """Whether a person ended the answer; a failure may use the same word."""
        return self.outcome is Outcome.INFRASTRUCTURE and self.detail == CANCELLED


class State(StrEnum):
    """How far a task of a run is."""

    PENDING = "pending"
    GENERATED = "generated"
    JUDGED = "judged"


@dataclass(frozen=True)
class Attempt:
    """One answer to one task in one run; samples are counted from 0."""

    task: Task
    solution: Solution | None = None
    verdict: Verdict | None = None
    # Why the task was taken back; empty while it stands.
    retracted: str = ""
    sample: int = 0

    @property
    def state(self) -> State:
        """How far it is."""
        if self.verdict is not None:
            return State.JUDGED
        return State.PENDING if self.solution is None else State.GENERATED


@dataclass(frozen=True)
class Rejudged:
    """An answer that was judged again, once.

    Attributes:
        run_id: Its run.
        task_id: Its task.
        entry_point: The task's function.
        sample: Number of the answer.
        before: The verdict before.
        after: The one that it gave; of an answer's last judgement it is the one that counts.
    """

    run_id: str
    task_id: str
    entry_point: str
    sample: int
    before: Verdict
    after: Verdict


@dataclass(frozen=True)
class Retraction:
    """A task that was taken back.

    Attributes:
        task_id: Its id.
        note: Why, for everybody to read.
        entry_point: Its function; empty while the task itself has not come.
        source: Package or repository with its version.
    """

    task_id: str
    note: str
    entry_point: str = ""
    source: str = ""
