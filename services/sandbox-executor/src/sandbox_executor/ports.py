"""What the use cases need from outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from sandbox_executor.domain.datasets import Dataset
from sandbox_executor.domain.jobs import CaseSink, CasesJob, ProgramJob, ProgramSink, Solution
from sandbox_executor.domain.judging import Verdict
from sandbox_executor.domain.requirements import Prepared
from sandbox_executor.domain.sessions import SessionJob, Step


class Cancellation(Protocol):
    """A request to stop that a running job notices at once."""

    @property
    def descriptor(self) -> int:
        """Readable once the job shall stop; belongs to the caller."""
        ...

    @property
    def requested(self) -> bool:
        """Whether the job shall stop."""
        ...


@dataclass(frozen=True)
class Layer:
    """One layer of isolation.

    Attributes:
        name: For example `seccomp`.
        in_force: Whether jobs are held by it.
        detail: What it does here; where it is missing, what is missing and how to get it.
        required: Whether jobs are refused without it.
    """

    name: str
    in_force: bool
    detail: str
    required: bool = True


@dataclass(frozen=True)
class LanguageStatus:
    """Whether a language can be used: its version, or why not."""

    name: str
    available: bool
    version: str
    detail: str = ""


class SessionSandbox(Protocol):
    """The sandbox of one session; its methods block, and are called one at a time, from any thread.

    Where the sandbox was lost, they raise `SandboxFaultError`, and `alive` says so.
    """

    @property
    def alive(self) -> bool:
        """Whether what earlier steps left is still there."""
        ...

    def run(self, step: Step, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run one step; the sink gets what it prints, its artefacts, and last its result.

        Nothing that the step started runs when this returns. When `cancelled` is requested there is no result.
        """
        ...

    def write(self, path: str, content: bytes) -> str:
        """Put a file into the working folder in place of what is there; gives why not, in words, or nothing."""
        ...

    def read(self, path: str) -> bytes | None:
        """A regular file of the working folder; None when there is none, or when it cannot be opened safely."""
        ...

    def close(self) -> None:
        """End everything in it and remove it."""
        ...


class Backend(Protocol):
    """One way to run foreign code.

    The two `run_…` methods block, are called from threads, side by side, and deliver results through a sink in
    the calling thread. A candidate's failure is a result. They raise `SandboxFaultError` when the sandbox itself
    fails, `IsolationMissingError` when a layer that must hold is missing, `JobRefusedError` for a language or an
    environment that is not there. When `cancelled` is requested they end the job's processes and return.
    """

    name: str
    egress: bool
    """Whether jobs can have a way out; a job that asks for one elsewhere is refused."""

    def layers(self) -> list[Layer]:
        """What isolates a job here; cheap after the first call."""
        ...

    def languages(self) -> list[LanguageStatus]:
        """Which languages can be used; may take seconds at the first call."""
        ...

    def run_cases(self, job: CasesJob, sink: CaseSink, cancelled: Cancellation) -> None:
        """Call the entry point on each input; the sink gets one result for each case, in order."""
        ...

    def run_program(self, job: ProgramJob, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run a program; the sink gets what it prints, its artefacts, and last its result."""
        ...

    def open_session(self, job: SessionJob) -> SessionSandbox:
        """A sandbox that stays until it is closed; blocks while it is made."""
        ...

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Have an environment of packages for a language; what cannot be had is an answer.

        Raises:
            RequirementError: a requirement is not well formed.
            PolicyError: a package is not allowed; names it, the rule and the way out.
            SandboxFaultError: the sandbox failed.
        """
        ...

    def close(self) -> None:
        """End every process and remove everything that was made for jobs."""
        ...


class DataView(Protocol):
    """Datasets that are ready for a job."""

    @property
    def view(self) -> str:
        """What a backend knows them by."""
        ...

    def release(self) -> None:
        """The job has ended; harmless when said twice."""
        ...


class DatasetStore(Protocol):
    """Has datasets ready for jobs."""

    async def add(self, content: bytes) -> str:
        """Store a dataset where jobs may name it; gives its digest.

        Raises:
            DependencyAwayError: the store is full or away.
        """
        ...

    async def hold(self, datasets: tuple[Dataset, ...]) -> DataView:
        """Have these ready until they are released.

        Raises:
            PreconditionError: there is none with that digest; names it.
            BusyError: there is no room now.
        """
        ...


class Examiner(Protocol):
    """Reads and compares what candidates answered, however large, without harm to anybody else; from any thread."""

    def fault(self, value: str) -> str:
        """Why a text is no portable value, in words; empty when it is one.

        Raises:
            SandboxFaultError: the machine, not the value, kept it from being told.
        """
        ...

    def difference(self, expected: str, actual: str, mode: Literal["portable", "exact"]) -> str:
        """Where an answer differs from what was expected, in words; empty when it does not.

        Raises:
            MalformedValueError: `expected` is not in the portable form.
            SandboxFaultError: the machine, not the answer, kept it from being told.
        """
        ...


@dataclass(frozen=True)
class StoredSuite:
    """A frozen suite: arguments and expected values as portable texts.

    `comparison` is `portable` or `exact`.
    """

    comparison: Literal["portable", "exact"]
    entry_point: str
    arguments: tuple[str, ...]
    expected: tuple[str, ...]


class SuiteStore(Protocol):
    """Where suites lie."""

    async def load(self, digest: str) -> StoredSuite:
        """Read a suite.

        Raises:
            NotFoundError: there is none with this digest.
            PermanentError: it is damaged or no suite.
            RetryableError: the store is away.
        """
        ...


class VerdictStore(Protocol):
    """Verdicts that were reached; a candidate is judged on a suite once for each number of a judging."""

    async def find(self, solution_id: str, suite_digest: str, judging: int = 0) -> Verdict | None:
        """The verdict of a solution on a suite, if there is one."""
        ...

    async def keep(self, solution_id: str, suite_digest: str, verdict: Verdict, judging: int = 0) -> Verdict:
        """Store a verdict; gives back the one that was stored first."""
        ...


class Announcer(Protocol):
    """Tells the platform what happened."""

    async def verdict_reached(self, solution: Solution, verdict: Verdict) -> None:
        """A solution was judged.

        Raises:
            RetryableError: the broker does not take it.
        """
        ...
