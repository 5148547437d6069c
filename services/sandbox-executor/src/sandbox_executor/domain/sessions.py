"""Sessions: sandboxes that outlive one program, and when they end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sandbox_executor.domain.datasets import Dataset, check_datasets
from sandbox_executor.domain.egress import Destination
from sandbox_executor.domain.jobs import (
    MAX_ARTEFACTS,
    MAX_SOURCE,
    File,
    JobError,
    check_arguments,
    check_environment_id,
    check_files,
    check_path,
)
from sandbox_executor.domain.limits import LimitError, Limits


@dataclass(frozen=True)
class SessionTimes:
    """How long sessions may live, in seconds.

    Attributes:
        idle_s: Without a call, after which one ends.
        lifetime_s: From its opening, after which it ends whatever happens in it.
    """

    idle_s: float
    lifetime_s: float


DEFAULT_TIMES = SessionTimes(600.0, 3600.0)
MAXIMUM_TIMES = SessionTimes(3600.0, 6 * 3600.0)


def resolve_times(idle_s: float, lifetime_s: float, default: SessionTimes, maximum: SessionTimes) -> SessionTimes:
    """Fill in defaults for what is zero.

    Raises:
        LimitError: a time is negative, not a number, or above the maximum.
    """
    for name, asked, most in (("idle", idle_s, maximum.idle_s), ("lifetime", lifetime_s, maximum.lifetime_s)):
        if not 0 <= asked <= most:
            raise LimitError(f"a session's {name} time is {asked} s; it must lie between 0 and {most:g} s")
    lifetime = lifetime_s or min(default.lifetime_s, maximum.lifetime_s)
    return SessionTimes(min(idle_s or default.idle_s, lifetime), lifetime)


@dataclass(frozen=True)
class SessionJob:
    """What a session is opened for.

    Attributes:
        language: Of steps that bring source text.
        limits: Memory and processes of the whole session; time and output of steps that name none.
        environment_id: Prepared dependencies; empty for the base environment.
        files: In the working folder from the beginning.
        datasets: Files beneath `/data`, read-only.
        data_view: Where they are ready, as their store says; empty until then.
        egress: What its steps may reach outside.
    """

    language: str
    limits: Limits
    environment_id: str = ""
    files: tuple[File, ...] = ()
    datasets: tuple[Dataset, ...] = ()
    data_view: str = ""
    egress: tuple[Destination, ...] = ()


@dataclass(frozen=True)
class Step:
    """One program in a session: source text in the session's language, or a command.

    Attributes:
        source: The program's text, where there is no `command`.
        command: Program and arguments; a program without a slash is looked for on the PATH.
        stdin: Its whole input.
        arguments: Of a program that is source text.
        artefacts: Files to bring back.
        timeout_s: Wall-clock seconds of this step, compilation included.
        output_bytes: What it may print.
    """

    timeout_s: float
    output_bytes: int
    source: str = ""
    command: tuple[str, ...] = ()
    stdin: bytes = b""
    arguments: tuple[str, ...] = ()
    artefacts: tuple[str, ...] = ()


Ended = Literal["closed", "idle", "lifetime", "lost", "drained"]
_WORDS: dict[Ended, str] = {
    "closed": "this session was closed by its caller",
    "idle": "this session ended: nothing was asked of it for {idle_s:g} s",
    "lifetime": "this session ended: its life of {lifetime_s:g} s was over",
    "lost": "this session ended: its sandbox was killed with everything in it, most likely for memory",
    "drained": "this session ended: the service that holds it is stopping",
}
# Between a session's own name and the address of the replica that holds it.
_AT = "@"


def named(name: str, replica: str) -> str:
    """What a session is called: its secret name, and where it lives, when there are several places."""
    return f"{name}{_AT}{replica}" if replica else name


def replica_of(session_id: str) -> str:
    """Where a session lives, by its id; empty when the id does not say."""
    return session_id.partition(_AT)[2]


UNKNOWN = "this caller has no such session; sessions end with their times, and with the service that holds them"


def why_ended(how: Ended, times: SessionTimes) -> str:
    """What a caller is told who asks for a session that has ended."""
    return _WORDS[how].format(idle_s=times.idle_s, lifetime_s=times.lifetime_s)


def due(now: float, opened: float, used: float, times: SessionTimes) -> Ended | None:
    """Why a session in which nothing runs must end now; None when it may stay.

    Args:
        now: Like `opened` and `used` of one clock, in seconds.
        opened: When it was opened.
        used: When the last call in it ended.
        times: Its own.
    """
    if now >= opened + times.lifetime_s:
        return "lifetime"
    return "idle" if now >= used + times.idle_s else None


def check_session_job(job: SessionJob) -> None:
    """Prove that a session is well formed.

    Raises:
        JobError: it is not.
    """
    check_files(job.files)
    check_datasets(job.datasets)
    check_environment_id(job.environment_id)


def check_step(step: Step) -> None:
    """Prove that a step is well formed.

    Raises:
        JobError: it is not.
    """
    if len(step.source) > MAX_SOURCE:
        raise JobError(f"source is longer than {MAX_SOURCE} characters")
    if step.command and (step.source or step.arguments):
        raise JobError("a step is source text with arguments, or a command, and not both")
    check_arguments((*step.command, *step.arguments))
    if step.command and not step.command[0]:
        raise JobError("the command's program has no name")
    if len(step.artefacts) > MAX_ARTEFACTS:
        raise JobError(f"at most {MAX_ARTEFACTS} artefacts")
    for path in step.artefacts:
        check_path(path)
