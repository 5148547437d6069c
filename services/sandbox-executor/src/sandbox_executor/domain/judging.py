"""From outcomes to a verdict: the only place where a candidate's answers meet the expected ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox_executor.domain.outcomes import CaseResult, Outcome
from touchstone_values import Mode, compare

PASSED = "passed"
WRONG_OUTPUT = "wrong_output"
MOST_FAILURES = 50
_DETAIL = 300


@dataclass(frozen=True)
class Failure:
    """A failed case: `outcome` is `wrong_output` or an outcome's name."""

    index: int
    outcome: str
    detail: str


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
    """

    expected: tuple[str, ...]
    mode: Mode
    stop_after_failures: int = 0
    passed: int = 0
    failed: int = 0
    failures: list[Failure] = field(default_factory=list[Failure])

    def take(self, result: CaseResult) -> Failure | None:
        """Judge one result; None when it passed."""
        failure = judge_case(result, self.expected[result.index], self.mode)
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


def judge_case(result: CaseResult, expected: str, mode: Mode) -> Failure | None:
    """Judge one case; None when it passed."""
    if result.outcome is not Outcome.RETURNED:
        words = ": ".join(part for part in (result.error_type, result.error_message) if part)
        return Failure(result.index, result.outcome.value, words[:_DETAIL])
    # Equal texts are equal values: the reader has proved that the answer is a portable value.
    if result.value == expected:
        return None
    difference = compare(expected, result.value, mode)
    return None if difference is None else Failure(result.index, WRONG_OUTPUT, str(difference)[:_DETAIL])
