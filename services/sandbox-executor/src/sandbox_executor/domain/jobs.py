"""What a caller asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

from sandbox_executor.domain.datasets import Dataset, check_datasets
from sandbox_executor.domain.egress import Destination, Refusal
from sandbox_executor.domain.frames import LARGE, fault
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.paths import JobError, check_path
from sandbox_executor.domain.texts import storable

__all__ = [
    "CaseSink", "CasesJob", "File", "JobError", "Printed", "ProgramEvent", "ProgramJob", "ProgramResult", "ProgramSink",
    "Solution", "check_arguments", "check_cases_job", "check_files", "check_inputs", "check_path",
    "check_program_job",
]  # fmt: skip

_ENTRY_POINT = re.compile(r"([^\W\d]|\$)[\w$]{0,199}(\.([^\W\d]|\$)[\w$]{0,199}){0,5}")

_DETAIL = 20_000
_ARGUMENTS = 100_000
MAX_CASES = 20_000
_MOST_ID = 128
MAX_SOURCE = 4 * 1024 * 1024
MAX_FILES = 200
MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_ARTEFACTS = 50


@dataclass(frozen=True)
class CasesJob:
    """Calls of one entry point.

    Attributes:
        language: Name of the language.
        source: The candidate's source text.
        entry_point: Function name, or `Class.method`.
        inputs: Arguments of each case: a portable array, or a portable map of named ones.
        limits: What it may use.
        environment_id: Prepared dependencies; empty for the base environment.
        hash_seed: Seed of Python's string hashing.
        stop_after_failures: Stop after so many cases that did not return; 0 runs all.
        type_check: Check types before running, where the language has a checker.
        nothing_returned: Some case returns nothing where others return a list or a map: a language that has one
            value for both (Go's nil) means nothing by it then, and otherwise an empty one.
        datasets: Files beneath `/data`, read-only.
        data_view: Where they are ready, as their store says; empty until then.
        egress: What it may reach outside.
    """

    language: str
    source: str
    entry_point: str
    inputs: tuple[str, ...]
    limits: Limits
    environment_id: str = ""
    hash_seed: int = 1
    stop_after_failures: int = 0
    type_check: bool = False
    nothing_returned: bool = False
    datasets: tuple[Dataset, ...] = ()
    data_view: str = ""
    egress: tuple[Destination, ...] = ()


@dataclass(frozen=True)
class Solution:
    """A candidate from a run, to be judged on the suite of its task.

    Attributes:
        judging: 0 the first time; higher where it is judged again, as after a mended judge.
        judging_note: Why it is judged again, for everybody to read.
    """

    solution_id: str
    run_id: str
    task_id: str
    language: str
    entry_point: str
    source: str
    suite_digest: str
    judging: int = 0
    judging_note: str = ""


@dataclass(frozen=True)
class File:
    """A file in the working folder; `path` is relative."""

    path: str
    content: bytes


@dataclass(frozen=True)
class ProgramJob:
    """One run of a whole program; `datasets` and `data_view` as of `CasesJob`."""

    language: str
    source: str
    files: tuple[File, ...]
    stdin: bytes
    arguments: tuple[str, ...]
    limits: Limits
    environment_id: str = ""
    artefacts: tuple[str, ...] = ()
    type_check: bool = False
    datasets: tuple[Dataset, ...] = ()
    data_view: str = ""
    egress: tuple[Destination, ...] = ()


@dataclass(frozen=True)
class ProgramResult:
    """How a whole program ended: RETURNED with exit code 0, EXITED with another; and what it tried to reach in vain."""

    outcome: Outcome
    exit_code: int
    wall_s: float
    cpu_s: float
    memory_bytes: int
    detail: str = ""
    refused: tuple[Refusal, ...] = ()

    def __post_init__(self) -> None:
        """Clean what a compiler or a program said here, once."""
        object.__setattr__(self, "detail", storable(self.detail, _DETAIL))


@dataclass(frozen=True)
class Printed:
    """A piece of what a program printed; `stream` is `stdout` or `stderr`."""

    stream: str
    data: bytes


ProgramEvent = Printed | File | ProgramResult
CaseSink = Callable[[CaseResult], None]
ProgramSink = Callable[[ProgramEvent], None]


def check_files(files: tuple[File, ...]) -> None:
    """Prove that files can be laid into the working folder.

    Raises:
        JobError: they cannot.
    """
    if len(files) > MAX_FILES:
        raise JobError(f"at most {MAX_FILES} files")
    if len({file.path for file in files}) != len(files):
        raise JobError("two files have the same path")
    for file in files:
        check_path(file.path)
        if len(file.content) > MAX_FILE_BYTES:
            raise JobError(f"file {file.path} is larger than {MAX_FILE_BYTES} bytes")


def check_cases_job(job: CasesJob) -> None:
    """Prove that a job is well formed.

    Raises:
        JobError: it is not.
    """
    if _ENTRY_POINT.fullmatch(job.entry_point) is None:
        raise JobError(f"entry point {job.entry_point[:80]!r} is not a name")
    if len(job.inputs) > MAX_CASES:
        raise JobError(f"{len(job.inputs)} cases are more than {MAX_CASES}")
    _check_common(job.source, job.environment_id)
    check_datasets(job.datasets)
    if not 0 <= job.hash_seed <= 4294967295:
        raise JobError("hash_seed must lie between 0 and 4294967295")


def check_inputs(inputs: tuple[str, ...], fault: Callable[[str], str] = fault) -> None:
    """Prove that a case's arguments are what a harness takes: a portable array, or a portable map of named ones.

    Args:
        inputs: Of each case.
        fault: Why a text is no portable value, in words, perhaps told elsewhere than in this process.

    Raises:
        JobError: one is not; it is named.
    """
    for index, text in enumerate(inputs):
        words = fault(text) or ("" if _has_arguments(text) else "neither an array nor an object of named ones")
        if words:
            raise JobError(f"case {index}: its arguments are no portable ones: {words}")


def _has_arguments(value: str) -> bool:
    first = value.lstrip()[:1]
    # A large object would be read as a whole here: what it stands for, its harness tells.
    return first == "[" or (first == "{" and (len(value) > LARGE or json.loads(value).get("$", "map") == "map"))


def check_program_job(job: ProgramJob) -> None:
    """Prove that a job is well formed.

    Raises:
        JobError: it is not.
    """
    _check_common(job.source, job.environment_id)
    check_datasets(job.datasets)
    check_files(job.files)
    if len(job.artefacts) > MAX_ARTEFACTS:
        raise JobError(f"at most {MAX_ARTEFACTS} artefacts")
    for path in job.artefacts:
        check_path(path)
    check_arguments(job.arguments)


def check_arguments(arguments: tuple[str, ...]) -> None:
    """Prove that a program can be started with these: they travel as one message of bounded size.

    Raises:
        JobError: it cannot.
    """
    if any("\0" in argument for argument in arguments) or len(json.dumps(arguments)) > _ARGUMENTS:
        raise JobError(f"arguments must be at most {_ARGUMENTS} bytes of JSON without NUL")


def _check_common(source: str, environment_id: str) -> None:
    if len(source) > MAX_SOURCE:
        raise JobError(f"source is longer than {MAX_SOURCE} characters")
    check_environment_id(environment_id)


def check_environment_id(environment_id: str) -> None:
    """Refuse what is no name of an environment; empty names none.

    Raises:
        JobError: it is no hash, or longer than the name of a folder may be.
    """
    named = environment_id.isalnum() and environment_id.isascii() and len(environment_id) <= _MOST_ID
    if environment_id and not named:
        raise JobError(f"environment {environment_id[:40]!r} is not an id from Prepare")
