"""Why a function gets no task: a closed vocabulary, each with the words that people read."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """The reasons, as they stand in events, in the funnel and in `touchstone try`."""

    NOT_A_CANDIDATE = "not_a_candidate"
    UNREADABLE_SOURCE = "unreadable_source"
    NOT_A_PLAIN_FUNCTION = "not_a_plain_function"
    INEXPRESSIBLE_SIGNATURE = "inexpressible_signature"
    UNCONSTRUCTIBLE_INPUT = "unconstructible_input"
    CANNOT_LOAD = "cannot_load"
    NO_INPUT_ACCEPTED = "no_input_accepted"
    UNPORTABLE_RESULT = "unportable_result"
    CONSTANT_OUTPUT = "constant_output"
    COVERAGE_INCOMPLETE = "coverage_incomplete"
    IDENTITY = "identity"
    TOO_FEW_CASES = "too_few_cases"
    OUTPUT_DOMINATED = "output_dominated"
    NONDETERMINISTIC = "nondeterministic"
    MUTATION_SCORE_LOW = "mutation_score_low"
    CERTIFICATE_FAILED = "certificate_failed"
    UNSUITABLE = "unsuitable"


WORDS: dict[Reason, str] = {
    Reason.NOT_A_CANDIDATE: "a filter before this one rejected the function",
    Reason.UNREADABLE_SOURCE: "the source does not parse, or does not define the function",
    Reason.NOT_A_PLAIN_FUNCTION: "a method, coroutine or generator is no task",
    Reason.INEXPRESSIBLE_SIGNATURE: "the signature cannot be written in all five languages",
    Reason.UNCONSTRUCTIBLE_INPUT: "a parameter takes something that data cannot make",
    Reason.CANNOT_LOAD: "the program does not load in the sandbox",
    Reason.NO_INPUT_ACCEPTED: "every input that was tried raised or ran too long",
    Reason.UNPORTABLE_RESULT: "the results have no portable form, or not one that all five languages share",
    Reason.CONSTANT_OUTPUT: "every input gives the same result",
    Reason.COVERAGE_INCOMPLETE: "a branch was not reached by any input, and is not proved unreachable",
    Reason.IDENTITY: "every result is one of the arguments as it came, so that doing nothing passes",
    Reason.TOO_FEW_CASES: "too few distinct inputs returned",
    Reason.OUTPUT_DOMINATED: "one result makes up too large a share of what the function gives",
    Reason.NONDETERMINISTIC: "two runs under different hash seeds, with another order of sets or of cases, or as a "
    "module of another name, disagree",
    Reason.MUTATION_SCORE_LOW: "the suite kills too few of the mutants that are not shown equivalent",
    Reason.CERTIFICATE_FAILED: "the oracle did not pass its own test",
    Reason.UNSUITABLE: "the configured model judged the function unsuitable as a task",
}


@dataclass(frozen=True)
class Refusal:
    """No task, and why; `detail` names the thing."""

    reason: Reason
    detail: str = ""

    @property
    def words(self) -> str:
        """The reason for people."""
        return f"{WORDS[self.reason]}: {self.detail}" if self.detail else WORDS[self.reason]
