"""Which agents take part, so that each of them can be left out and its worth measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Executor = Literal["none", "sandbox", "simulated"]
Trusted = Literal["all", "non_matches", "none"]


@dataclass(frozen=True, slots=True)
class Method:
    """One configuration of the agents.

    Attributes:
        screener: False means that a single model decides alone, and nothing else of this class counts.
        trusted: Which clear verdicts of the screener are final. The paper's are all; a small model finds everything
            clear, and then its matches are worth a test.
        generator: Unclear pairs get a test program.
        executor: Where the test program runs: nowhere, in the sandbox, or in a model's imagination.
        fixer: A program that errors is repaired and run again.
        checker: A second agent audits the finished record.
        separate: Where the code is a plain function, test data is compared outside the code's own sandbox.
        interpretations: Readings of the query that are tested separately, at most.
        max_tries: Repairs of one test program, at most.
        max_commands: Commands of one repair at a terminal, where repairing by rewriting did not help, at most.
        code_chars: Code is shown to a model up to this length.
        report_chars: Reports of executions are shown to a model up to this length.
    """

    name: str
    screener: bool = True
    trusted: Trusted = "all"
    generator: bool = True
    executor: Executor = "sandbox"
    fixer: bool = True
    checker: bool = True
    separate: bool = True
    interpretations: int = 1
    max_tries: int = 2
    max_commands: int = 2
    code_chars: int = 4000
    report_chars: int = 1200


# Source: CoSQA+, ablation table: the six configurations that the paper compares.
ABLATIONS: dict[str, Method] = {
    method.name: method
    for method in (
        Method("single", screener=False, generator=False, executor="none", fixer=False),
        Method("screener_arbiter", generator=False, executor="none", fixer=False),
        Method("generator", executor="none", fixer=False),
        Method("executor", fixer=False),
        Method("simulated", executor="simulated", fixer=False),
        Method("full"),
    )
}
