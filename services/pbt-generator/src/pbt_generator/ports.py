"""What the use cases need from outside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from pbt_generator.domain.advice import Description, MadeUp, Opinion, Wording
from pbt_generator.domain.inputs.proposals import Proposal
from pbt_generator.domain.release import ReleasedTask
from pbt_generator.domain.trial import Trial

Comparison = Literal["portable", "exact"]


@dataclass(frozen=True)
class ForeignProgram:
    """Code of somebody else, to be run only in the sandbox.

    Attributes:
        source: Whole program text.
        entry_point: Name to call.
        language: "python", "javascript", "typescript", "java" or "go".
    """

    source: str
    entry_point: str
    language: str = "python"


@dataclass(frozen=True)
class RunLimits:
    """Limits of one job; zero is the sandbox's default."""

    case_timeout_s: float = 0.0
    total_timeout_s: float = 0.0
    memory_bytes: int = 0
    output_bytes: int = 0


@dataclass(frozen=True)
class CaseOutcome:
    """How one call ended: `outcome` is "returned", "raised" or another outcome of the sandbox in lower case."""

    outcome: str
    value: str = ""
    error_type: str = ""
    error_message: str = ""


@dataclass(frozen=True)
class CasesResult:
    """The outcomes of one job, in order of its inputs, and the CPU-seconds of all its processes."""

    outcomes: tuple[CaseOutcome, ...]
    cpu_s: float


@dataclass(frozen=True)
class Failure:
    """One failed case of a judgement."""

    index: int
    outcome: str
    detail: str = ""


@dataclass(frozen=True)
class Judgement:
    """What judging a program on a suite gave; `verdict` is "passed" or the outcome of the first failed case."""

    verdict: str
    cases: int
    passed: int
    failures: tuple[Failure, ...]
    cpu_s: float


class Sandbox(Protocol):
    """The only way to run foreign code."""

    async def run_cases(
        self, program: ForeignProgram, inputs: Sequence[str], *, limits: RunLimits, hash_seed: int = 1
    ) -> CasesResult:
        """Call a program's entry point on every input.

        Args:
            program: What to run.
            inputs: JSON texts in the portable form: an array of arguments, or an object of named ones.
            limits: Limits of the job.
            hash_seed: Hash seed of the process.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
            SandboxRefusedError: it will never take this job.
        """
        ...

    async def judge(
        self,
        program: ForeignProgram,
        suite: bytes,
        *,
        limits: RunLimits,
        hash_seed: int = 1,
        stop_after_failures: int = 0,
    ) -> Judgement:
        """Run a program on a suite and compare outside, on the very path that candidates take.

        Args:
            program: What to judge.
            suite: The suite in its canonical bytes.
            limits: Limits of the job.
            hash_seed: Hash seed of the process.
            stop_after_failures: Stop after so many failed cases; 0 runs all.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
            SandboxRefusedError: it will never take this job.
        """
        ...

    async def languages(self) -> tuple[str, ...]:
        """The languages that the sandbox can run."""
        ...


@dataclass(frozen=True)
class ProgramRun:
    """How a whole program ended, and the file that it left, if it did."""

    outcome: str
    detail: str
    left: bytes | None
    cpu_s: float


class Programs(Protocol):
    """Runs whole foreign programs, with packages that they need."""

    async def prepare(self, requirements: Sequence[str]) -> tuple[str, str]:
        """Have packages installed; gives the environment's id, or nothing and why.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
            SandboxRefusedError: the operator's rules do not allow them.
        """
        ...

    async def run_program(
        self, source: str, files: Mapping[str, bytes], left: str, environment: str, limits: RunLimits
    ) -> ProgramRun:
        """Run a Python program in a folder with these files, without network.

        Args:
            source: Its text.
            files: Contents by name.
            left: Name of the file to bring back.
            environment: From `prepare`.
            limits: Limits of the job.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
            SandboxRefusedError: it will never take this job.
        """
        ...


class Solver(Protocol):
    """Models that solve tasks from the instruction alone."""

    def check(self, model: str) -> None:
        """Prove that a model is known.

        Raises:
            UnknownModelError: nobody knows it.
        """
        ...

    async def solve(self, model: str, entry_point: str, instruction: str, signature: str, number: int) -> str:
        """A Python program that defines the function; empty when the model gave none.

        Args:
            model: A catalogue name, or `name@base_url`.
            entry_point: The function's name.
            instruction: All that the solver is told.
            signature: Its head in Python.
            number: Which of several independent solutions, from 0.
        """
        ...


class Trials(Protocol):
    """What came of trials; the newest one of a task and a model stands."""

    async def save(self, trial: Trial, digest: str) -> None:
        """Keep a trial, with the digest of its record."""
        ...

    async def solved_by(self) -> Mapping[str, Mapping[str, str]]:
        """By task and model how many of how many solutions pass, such as "2/3"."""
        ...


class Traces(Protocol):
    """Which source versions had their tests run, and where the record is."""

    async def find(self, version_id: str) -> str:
        """Digest of the record; empty when there is none."""
        ...

    async def save(self, version_id: str, digest: str, cpu_s: float, problem: str) -> None:
        """Keep it; the first one stands."""
        ...


class KillPatterns(Protocol):
    """Which tasks' mutants were judged, and where what came of it lies."""

    async def find(self, task_id: str, version: int) -> str:
        """Digest of the patterns that a version computed; empty when there are none."""
        ...

    async def save(self, task_id: str, version: int, digest: str) -> None:
        """Keep it; the first one stands."""
        ...


@dataclass(frozen=True)
class Harness:
    """Program texts that run inside the sandbox: before a rewritten ground truth, or to run tests (`trace`)."""

    explore: str
    mutate: str
    trace: str = ""


class Tables(Protocol):
    """Writes table programs: a program per language that looks the answer up in the suite's own cases."""

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages it can write."""
        ...

    def program(self, language: str, entry_point: str, arguments: Sequence[str], expected: Sequence[str]) -> str | None:
        """The program's text, or None where a value has no literal."""
        ...


@dataclass(frozen=True)
class FrozenSuite:
    """A suite in its canonical bytes."""

    data: bytes
    digest: str


@dataclass(frozen=True)
class OpenedSuite:
    """What a frozen suite says: cases are pairs of arguments and expected result, as portable texts."""

    comparison: Comparison
    entry_point: str
    cases: tuple[tuple[str, str], ...]


class Freezer(Protocol):
    """Freezes suites, and makes ids from content."""

    def freeze(
        self, comparison: Comparison, entry_point: str, seed: int, cases: Sequence[tuple[str, str]]
    ) -> FrozenSuite:
        """The canonical form of a suite: pairs of arguments and expected result, as portable texts."""
        ...

    def open(self, data: bytes) -> OpenedSuite:
        """Read a frozen suite.

        Raises:
            ValueError: the bytes are no suite.
        """
        ...

    def task_id(self, function_id: str, suite_digest: str, builder: str) -> str:
        """The id of a task: the same function, suite and builder always give the same."""
        ...


class Blobs(Protocol):
    """Content-addressed storage."""

    async def put(self, data: bytes) -> str:
        """Store bytes and give their digest."""
        ...

    async def get(self, digest: str) -> bytes:
        """The bytes of a digest."""
        ...


@dataclass(frozen=True)
class ReleaseRow:
    """A release as the store keeps it.

    Attributes:
        name: Its name.
        digest: Digest of what it holds.
        manifest_digest: Key of its manifest in the blob store.
        tasks: How many it holds.
        created_at: When, ISO 8601.
        retractions: Notes of those of its tasks that were taken back, by id.
    """

    name: str
    digest: str
    manifest_digest: str
    tasks: int
    created_at: str = ""
    retractions: Mapping[str, str] = field(default_factory=dict[str, str])


class Releases(Protocol):
    """The releases that were made. Each method is one transaction."""

    async def save(self, row: ReleaseRow, task_ids: Sequence[str]) -> tuple[ReleaseRow, bool]:
        """Keep a release, and say whether it is new; when there is one of this name, that one stands and is given."""
        ...

    async def find(self, name: str) -> ReleaseRow | None:
        """One release."""
        ...

    async def all(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        ...

    async def holding(self, task_id: str) -> Sequence[str]:
        """Names of the releases that hold a task."""
        ...


class Parts(Protocol):
    """Where the parts of a release's tasks are read, as they lie there: nothing is checked."""

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest; None when there are none."""
        ...

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        ...


@dataclass(frozen=True)
class ExportedFile:
    """One file of an export; `path` is relative, with slashes."""

    path: str
    data: bytes


class Exporter(Protocol):
    """Writes one format of export. The same tasks in the same order give the same bytes."""

    def start(self, manifest: Mapping[str, Any], retractions: str) -> Iterable[ExportedFile]:
        """The files that come first; `retractions` is the digest of which tasks were taken back."""
        ...

    def task(self, task: ReleasedTask) -> Iterable[ExportedFile]:
        """The files of one task."""
        ...

    def finish(self) -> Iterable[ExportedFile]:
        """The files that hold all tasks."""
        ...


class Advisor(Protocol):
    """A language model that judges and words tasks, and proposes inputs; the platform works without one."""

    async def judge(self, code: str, kind: str) -> Opinion | None:
        """Say whether a function makes a good task and how hard it is; None when the model gave no usable answer."""
        ...

    async def word(self, brief: str, kind: str) -> Wording | None:
        """Write the instruction of a task from its facts; None when the model gave no usable answer."""
        ...

    async def describe(
        self, code: str, kind: str, parameters: Sequence[str], lacking: Sequence[str] = ()
    ) -> Description | None:
        """Say what a function does, from its code; None when the model gave no usable answer.

        Args:
            code: The ground truth.
            kind: SC or WSC.
            parameters: Names of the parameters, in order.
            lacking: What the description before lacked, a phrase each.
        """
        ...

    async def write(self, words: str, entry_point: str, head: str) -> str:
        """A program from the words of a task alone; empty when the model gave no usable answer."""
        ...

    async def propose(self, code: str, kind: str, parameters: Sequence[str], missing: Sequence[str]) -> Proposal | None:
        """Propose inputs, as data, that make a function do what no input has made it do.

        Args:
            code: The ground truth.
            kind: SC or WSC.
            parameters: Names of the parameters, in order.
            missing: What is still to be reached, in words.
        """
        ...

    async def mistakes(
        self,
        code: str,
        kind: str,
        entry_point: str,
        parameters: Sequence[str],
        examples: Sequence[str],
        known: Sequence[str] = (),
    ) -> MadeUp | None:
        """Make up wrong programs for a function, and inputs that show them; None when no answer was usable.

        Args:
            code: The ground truth.
            kind: SC or WSC.
            entry_point: The name that each program must define.
            parameters: Names of the parameters, in order.
            examples: Inputs for which it returns, in the portable form.
            known: What is wrong with programs that were made up before; others are wanted.
        """
        ...


__all__ = [
    "Advisor",
    "Blobs",
    "CaseOutcome",
    "CasesResult",
    "Comparison",
    "ExportedFile",
    "Exporter",
    "Failure",
    "ForeignProgram",
    "Freezer",
    "FrozenSuite",
    "Harness",
    "Judgement",
    "KillPatterns",
    "OpenedSuite",
    "Parts",
    "ProgramRun",
    "Programs",
    "ReleaseRow",
    "Releases",
    "RunLimits",
    "Sandbox",
    "Solver",
    "Tables",
    "Traces",
    "Trials",
]  # fmt: skip
