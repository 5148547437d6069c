"""How one call, or one program, ends; and which of several signs decides."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from enum import StrEnum

from sandbox_executor.domain.egress import Refusal
from sandbox_executor.domain.texts import storable

# Characters of an exception's type, of its message, and of what is shown of a case's output.
_NAME = 200
_WORDS = 4000
_OUTPUT = 100_000


class Outcome(StrEnum):
    """The closed list of endings."""

    RETURNED = "returned"
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    COMPILE_ERROR = "compile_error"
    EXITED = "exited"
    KILLED = "killed"
    FORBIDDEN = "forbidden"
    PLATFORM_FAULT = "platform_fault"


@dataclass(frozen=True)
class Ending:
    """How a process ended, as its parent saw it; exactly one of the first four is set.

    Attributes:
        exit_code: It exited.
        signal: It was ended by a signal.
        fault: It could not be started, or its parent is gone.
        foreign: Its parent said what it never says: others speak for it.
        at: When the parent said so, in seconds of the wall's clock by the kernel's date; None where it has none.
    """

    exit_code: int | None = None
    signal: int | None = None
    fault: str = ""
    foreign: str = ""
    at: float | None = None


@dataclass(frozen=True)
class Usage:
    """What a job has used so far, measured outside of it.

    Attributes:
        cpu_s: CPU-seconds of all its processes.
        memory_bytes: Peak memory of all its processes together.
        oom_kills: Processes that the kernel ended because the memory limit was reached.
        refused_processes: Processes or threads that the kernel refused because of the process limit.
        foreign_kills: Processes that the kernel ended for memory although the job was within its own limit: the
            machine, or the pod, had too little. That is no doing of the job.
    """

    cpu_s: float = 0.0
    memory_bytes: int = 0
    oom_kills: int = 0
    refused_processes: int = 0
    foreign_kills: int = 0

    def after(self, before: Usage) -> Usage:
        """This on top of what was used elsewhere before; the peak is the higher one."""
        return Usage(
            before.cpu_s + self.cpu_s,
            max(before.memory_bytes, self.memory_bytes),
            before.oom_kills + self.oom_kills,
            before.refused_processes + self.refused_processes,
            before.foreign_kills + self.foreign_kills,
        )

    def since(self, before: Usage) -> Usage:
        """What came on top of an earlier measurement; the peak stays the peak."""
        return Usage(
            self.cpu_s - before.cpu_s,
            self.memory_bytes,
            self.oom_kills - before.oom_kills,
            self.refused_processes - before.refused_processes,
            self.foreign_kills - before.foreign_kills,
        )


@dataclass(frozen=True)
class Signs:
    """Everything known about a process that ended, or was ended, without answering.

    Attributes:
        usage: What happened since the case at hand began.
        ending: How it ended by itself; None when the executor ended it.
        timed_out: It was ended because its time was up.
        output_exceeded: It was ended because it printed too much.
        broke_protocol: It was ended because what it wrote on the answer channel was no answer.
    """

    usage: Usage
    ending: Ending | None = None
    timed_out: bool = False
    output_exceeded: bool = False
    broke_protocol: str = ""


@dataclass(frozen=True)
class Reading:
    """An outcome with its words."""

    outcome: Outcome
    error_type: str = ""
    error_message: str = ""


@dataclass(frozen=True)
class CaseResult:
    """One case's outcome.

    `value` is a portable value's text, only when the outcome is RETURNED. Times in seconds, measured outside.
    """

    index: int
    outcome: Outcome
    value: str = ""
    error_type: str = ""
    error_message: str = ""
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_bytes: int = 0
    output: str = ""
    job_cpu_s: float = 0.0
    refused: tuple[Refusal, ...] = ()

    def __post_init__(self) -> None:
        """Clean what the candidate said here, once: protobuf and JSONB do not take every text."""
        object.__setattr__(self, "error_type", storable(self.error_type, _NAME))
        object.__setattr__(self, "error_message", storable(self.error_message, _WORDS))
        object.__setattr__(self, "output", storable(self.output, _OUTPUT))


def read_signs(signs: Signs) -> Reading:
    """Decide why a process gave no answer.

    The limit that was hit explains the ending better than the ending itself: a program that is killed for
    memory ends by a signal, one that may start no more processes often hangs until its time is up.
    """
    if signs.ending is not None and signs.ending.foreign:
        return Reading(Outcome.FORBIDDEN, "ForeignMessage", signs.ending.foreign)
    if signs.broke_protocol:
        return Reading(Outcome.FORBIDDEN, "ForeignFrame", signs.broke_protocol)
    if signs.output_exceeded:
        return Reading(Outcome.OUTPUT_LIMIT, "", "printed more than the output limit")
    if signs.usage.oom_kills > 0:
        return Reading(Outcome.MEMORY, "", "the memory limit was reached")
    ending = signs.ending
    if ending is not None and ending.signal == signal.SIGSYS:
        return Reading(Outcome.FORBIDDEN, "SystemCall", "made a system call that no program may make")
    if signs.usage.refused_processes > 0:
        return Reading(Outcome.PROCESS_LIMIT, "", "the process limit was reached")
    if signs.timed_out or (ending is not None and ending.signal == signal.SIGXCPU):
        return Reading(Outcome.TIMED_OUT, "", "the time was up")
    if ending is None:
        return Reading(Outcome.PLATFORM_FAULT, "", "the process vanished")
    if ending.fault:
        return Reading(Outcome.PLATFORM_FAULT, "", ending.fault)
    if ending.signal is not None:
        return Reading(Outcome.KILLED, signal_name(ending.signal), f"ended by signal {ending.signal}")
    return Reading(Outcome.EXITED, "", f"ended with exit code {ending.exit_code}")


def read_raised(error_type: str, message: str, usage: Usage, memory_errors: frozenset[str]) -> Reading:
    """Decide what an exception stands for: one that a limit caused is that limit's outcome.

    Args:
        error_type: Its type's name.
        message: Its words.
        usage: What happened since the case began.
        memory_errors: Types that mean: the memory limit was reached.
    """
    if usage.refused_processes > 0:
        return Reading(Outcome.PROCESS_LIMIT, error_type, message)
    if error_type in memory_errors or usage.oom_kills > 0:
        return Reading(Outcome.MEMORY, error_type, message)
    return Reading(Outcome.RAISED, error_type, message)


def signal_name(number: int) -> str:
    """`SIGKILL` and the like."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
