"""How a solution can end, in full and in the three classes of the leaderboard."""

from __future__ import annotations

from enum import StrEnum
from typing import assert_never


class Outcome(StrEnum):
    """Every way in which one solution of one task can end."""

    PASSED = "passed"
    # The sandbox ran it on every case and one result differs.
    WRONG_OUTPUT = "wrong_output"
    # The sandbox's own outcomes.
    RAISED = "raised"
    TIMED_OUT = "timed_out"
    MEMORY = "memory"
    OUTPUT_LIMIT = "output_limit"
    PROCESS_LIMIT = "process_limit"
    COMPILE_ERROR = "compile_error"
    EXITED = "exited"
    KILLED = "killed"
    FORBIDDEN = "forbidden"
    # Decided here, without a sandbox: the answer holds no program, or one without the asked function,
    # or the endpoint refuses the question (longer than its context).
    NO_CODE = "no_code"
    NO_ENTRY_POINT = "no_entry_point"
    REFUSED = "refused"
    # The platform or an endpoint failed for good: nobody's answer, outside every score.
    INFRASTRUCTURE = "infrastructure"


class UnknownOutcome(str):
    """An outcome that a later version added: kept and shown by its name, and outside every score.

    Whether it passed is not known here. A version that knows it counts it, as it was kept.
    """

    __slots__ = ()

    @property
    def value(self) -> str:
        """Its name."""
        return str(self)


_NAMED = {outcome.value: outcome for outcome in Outcome}


def outcome_named(name: str) -> Outcome | UnknownOutcome:
    """The outcome of a name, whichever version gave it."""
    return _NAMED.get(name) or UnknownOutcome(name)


class OutcomeClass(StrEnum):
    """Source: Code2Bench, evaluation: what became of a solution, in three words."""

    SUCCESS = "success"
    TEST_FAILURE = "test_failure"
    EXECUTION_ERROR = "execution_error"
    # Not in the paper: no answer of the model at all, or none that this version understands.
    INFRASTRUCTURE = "infrastructure"


# What a verdict says of an answer that a person ended.
CANCELLED = "cancelled"
WITHOUT_SANDBOX = frozenset({Outcome.NO_CODE, Outcome.NO_ENTRY_POINT, Outcome.REFUSED, Outcome.INFRASTRUCTURE})


def is_scored(outcome: Outcome | UnknownOutcome) -> bool:
    """Whether an outcome counts in scores: it is an answer's, and one that this version knows."""
    return isinstance(outcome, Outcome) and outcome is not Outcome.INFRASTRUCTURE


def class_of(outcome: Outcome | UnknownOutcome) -> OutcomeClass:
    """The class of an outcome: a wrong result is a test failure, anything short of a result an error."""
    match outcome:
        case Outcome.PASSED:
            return OutcomeClass.SUCCESS
        case Outcome.WRONG_OUTPUT:
            return OutcomeClass.TEST_FAILURE
        case (
            Outcome.RAISED
            | Outcome.TIMED_OUT
            | Outcome.MEMORY
            | Outcome.OUTPUT_LIMIT
            | Outcome.PROCESS_LIMIT
            | Outcome.COMPILE_ERROR
            | Outcome.EXITED
            | Outcome.KILLED
            | Outcome.FORBIDDEN
            | Outcome.NO_CODE
            | Outcome.NO_ENTRY_POINT
            | Outcome.REFUSED
        ):
            return OutcomeClass.EXECUTION_ERROR
        case Outcome.INFRASTRUCTURE | UnknownOutcome():
            return OutcomeClass.INFRASTRUCTURE
        case _:
            assert_never(outcome)


# Source: Code2Bench, evaluation: a failed solution that passes at least so many of a hundred cases.
NEAR_MISS_PERCENT = 98


def is_near_miss(outcome: str, cases: int, passed: int) -> bool:
    """Whether a failed solution came as close as the paper counts.

    In whole numbers: a share of exactly 98 % must not be lost to rounding.
    """
    return outcome != Outcome.PASSED and cases > 0 and passed * 100 >= cases * NEAR_MISS_PERCENT


def cpu_ratio(outcome: str | None, cpu_s: float | None, reference_cpu_s: float | None) -> float:
    """CPU of a correct answer as a multiple of the ground truth's; 0.0 where it is wrong, or nothing was measured.

    Args:
        outcome: How the answer ended.
        cpu_s: CPU-seconds of its judging, start of the process included.
        reference_cpu_s: The same of the ground truth, measured beside it.
    """
    return cpu_s / reference_cpu_s if outcome == Outcome.PASSED and cpu_s and reference_cpu_s else 0.0
