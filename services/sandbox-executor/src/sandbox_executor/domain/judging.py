"""From outcomes to a verdict: the only place where a candidate's answers meet the expected ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.texts import storable
from touchstone_values import MalformedValueError, Mode, compare, parse

PASSED = "passed"
WRONG_OUTPUT = "wrong_output"
MOST_FAILURES = 50
_DETAIL = 300


Compare = Callable[[str, str, Mode], str]


def difference(expected: str, actual: str, mode: Mode) -> str:
    """Where an answer differs from what was expected, in words; empty when it does not.

    Whatever goes wrong while an answer is looked at is a difference: it is the answer's doing. What goes wrong over the
    expected value alone is not, and is raised.

    Raises:
        MalformedValueError: `expected` is not in the portable form; that is the suite's fault.
    """
    try:
        found = compare(expected, actual, mode)
    except MalformedValueError:
        raise
    except Exception as error:  # noqa: BLE001  proven bounds come first; this is the line behind them
        parse(expected)
        return f"the answer cannot be compared: {type(error).__name__}"
    return "" if found is None else str(found)


@dataclass(frozen=True)
class Failure:
    """A failed case: `outcome` is `wrong_output` or an outcome's name; `detail` may hold a candidate's words."""

    index: int
    outcome: str
    detail: str

    def __post_init__(self) -> None:
        """Clean the words here, once: a verdict that cannot be stored or sent would be none."""
        object.__setattr__(self, "detail", storable(self.detail, _DETAIL))


@dataclass(frozen=True)
class Verdict:
    """What became of a candidate.

    Attributes:
        outcome: `passed`, or the outcome of the first failed case.
        cases: Cases of the suite.
        passed: Cases that passed.
        failures: The first fifty failed cases.
    """

    outcome: str
    cases: int
    passed: int
    failures: tuple[Failure, ...]
    wall_s: float = 0.0
    cpu_s: float = 0.0
    memory_bytes: int = 0


@dataclass
class Judge:
    """Takes results in order and counts.

    Args:
        expected: Expected values, one for each case, as portable texts.
        mode: How values are compared.
        stop_after_failures: How many failed cases are enough; 0 for all.
        difference: Compares two texts; gives the difference in words, or nothing.
    """

    expected: tuple[str, ...]
    mode: Mode
    stop_after_failures: int = 0
    difference: Compare = difference
    passed: int = 0
    failed: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])

    def take(self, result: CaseResult) -> Failure | None:
        """Judge one result; None when it passed."""
        failure = judge_case(result, self.expected[result.index], self.mode, self.difference)
        if failure is None:
            self.passed += 1
            return None
        self.failed += 1
        if len(self.failures) < MOST_FAILURES:
            self.failures.append(failure)
        return failure

    @property
    def enough(self) -> bool:
        """Whether no further result can matter."""
        return 0 < self.stop_after_failures <= self.failed

    def verdict(self, wall_s: float, cpu_s: float, memory_bytes: int) -> Verdict:
        """Sum up. A suite without cases, or with cases that were never answered, is not passed."""
        if self.failures:
            outcome = self.failures[0].outcome
        elif self.passed == len(self.expected) > 0:
            outcome = PASSED
        else:
            outcome = Outcome.PLATFORM_FAULT.value
        return Verdict(outcome, len(self.expected), self.passed, tuple(self.failures), wall_s, cpu_s, memory_bytes)


def judge_case(result: CaseResult, expected: str, mode: Mode, compare: Compare = difference) -> Failure | None:
    """Judge one case; None when it passed.

    Args:
        result: What the candidate did.
        expected: What it should have returned.
        mode: How values are compared.
        compare: As `difference`, perhaps elsewhere than in this process.
    """
    if result.outcome is not Outcome.RETURNED:
        words = ": ".join(part for part in (result.error_type, result.error_message) if part)
        return Failure(result.index, result.outcome.value, words)
    # Equal texts are equal values: the reader has proved that the answer is a portable value.
    if result.value == expected:
        return None
    words = compare(expected, result.value, mode)
    return Failure(result.index, WRONG_OUTPUT, words) if words else None
