"""The whole record of one judgement: every step with what was asked, answered, run and seen.

Two runs that were told the same give the same bytes: what the clock says is no part of the record. It is
kept beside it, in the database.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, cast

from annotator.domain.execution import Report
from annotator.domain.method import Method
from annotator.domain.pair import Pair
from annotator.domain.program import DataTest, ProgramTest, assertions_in

# Since 2: undecided labels, readings, trials of tests.
FORMAT = "touchstone.annotation.v2"
# Of what counts as evidence and who may decide; raised with them, so that pairs that come again are judged by the new
# ones. Since 2: cases that taught nothing count for no test, no score speaks against tests, and programs are tried on
# codes of other queries, too. Since 3: of a text that speaks to its judge only runs decide, and its
# code is not shown to whoever writes its cases. Since 4: no model's word counts that is another one without the words
# of the code's author, or the same where it must be another; and whoever writes tests is shown no code with words.
# Since 5: a check that breaks on a result fails it where the result is of the wrong kind, and else proves nothing;
# tests that expect whatever a code does are no evidence for a score, and no label has the reading of another one;
# and a program is evidence only where it failed on another result of the kind that the code gives.
# Since 6: a repair keeps whatever an expectation reaches, not only what it says.
# Since 7: a kind of the expected exception is one, and what the surroundings lack, or no portable form tells, fails no
# code; a test that brings what the code works by is no evidence, and one is tried on constants of any length; a score
# says no no against passed tests, and hears no word of a model that hardly keeps to the asked ones.
# Since 8: a failed assertion is a failure of the code however much a language prints behind it; a test is tried on a
# constant of each kind of its cases; no other function is called than the one that is named; what code and test import
# is compared by what it is; texts and annotations of a code are run as they were found; and what no JSON names fails no
# code by its kind alone, nor does a command line, an environment or time that it is not given.
# Since 9: a name that one function of a code binds is none of another one's, so that a test that brings it is no
# evidence, nor is one that makes it at run time, or writes the module that the code imports; what passed while cases
# were left out weighs in no score and bears no reading out; by the words of a query no code speaks to its judge; a
# program of any language has passed where it says that its tests are over, and a score hears of it where the arbiter
# says yes; and a test may pass on another code that answers the same query.
RULES = 9

StepName = Literal[
    "single",
    "screener",
    "interpretations",
    "test_program",
    "execution",
    "trial",
    "repair",
    "arbiter",
    "signal",
    "score",
    "checker",
    "again",
    "control",
]
# "execution": tests that can fail passed, from outside the code's own process, or failed on a code that speaks to its
# judge. "score": the calibrated score, by its thresholds. "default": no agent gave a usable judgement, so that the pair
# is undecided. "person": people decided, and nobody else overrules them.
DecidedBy = Literal["single", "screener", "execution", "arbiter", "score", "default", "person"]
PERSON: DecidedBy = "person"

Label = Literal[0, 1]

# What a trial of a test comes to.
CAN_FAIL = "can fail"
CANNOT_FAIL = "cannot fail"

# What the control comes to whose cases expect what a code does that surely does something else.
ECHOED = "cases expect what it does"

# What a repair comes to that changed files of the test at a terminal.
EDITED = "edited"

_NO_PART = ("similarity", "licence", "joined")
_CLOCK_FIELDS = frozenset({"seconds", "wall_s"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question to a model and its answer, word by word.

    Attributes:
        messages: Role and content of each turn.
        seconds: How long the answer took when it was first given; no part of the record's identity.
    """

    messages: tuple[tuple[str, str], ...]
    answer: str
    model: str
    finish_reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float = 0.0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Step:
    """What one agent, or one execution, did.

    Attributes:
        outcome: What the step decided, in one or two words; "nonsense" where a model's answer had no form.
        detail: Why, in the agent's own words.
        interpretation: Which reading of the query it is about, counted from 1; 0 where it is about the pair.
        prompt: Name and hash of the prompt file.
        source: What ran, complete.
        installed: Packages that were put in place for it, with version and hash.
        wall_s: How long the execution took; no part of the record's identity.
    """

    name: StepName
    outcome: str
    detail: str = ""
    interpretation: int = 0
    prompt: str = ""
    exchanges: tuple[Exchange, ...] = ()
    test: DataTest | ProgramTest | None = None
    source: str = ""
    report: Report | None = None
    installed: tuple[str, ...] = ()
    wall_s: float = 0.0

    @property
    def tokens_in(self) -> int:
        """Tokens asked in this step."""
        return sum(exchange.tokens_in for exchange in self.exchanges)

    @property
    def tokens_out(self) -> int:
        """Tokens answered in this step."""
        return sum(exchange.tokens_out for exchange in self.exchanges)

    @property
    def cost_usd(self) -> float:
        """What the answers cost, US dollars."""
        return sum(exchange.cost_usd for exchange in self.exchanges)

    @property
    def elapsed_s(self) -> float:
        """How long the step took: model and execution."""
        return sum(exchange.seconds for exchange in self.exchanges) + self.wall_s


Evidence = Literal["passed", "failed", "mixed", "none"]


def evidence_of(steps: Sequence[Step]) -> Evidence:
    """What executions showed, where the test was found able to fail.

    A simulated run shows nothing, and nothing of the code where its test brings along what the code works by.

    Nor do any tests where the words of the query make them expect what a code does.
    """
    if echoed(steps):
        return "none"
    found: set[str] = set()
    for number in {step.interpretation for step in steps if step.name == "trial" and step.outcome == CAN_FAIL}:
        report = next(
            (step.report for step in reversed(steps) if step.interpretation == number and step.report is not None), None
        )
        if report is not None and not report.simulated and not report.supplied and report.result != "error":
            found.add(report.result)
    if len(found) > 1:
        return "mixed"
    return "passed" if "passed" in found else ("failed" if found else "none")


def entire(steps: Sequence[Step]) -> tuple[Step, ...]:
    """`unswayed`, and without the readings of which some cases passed and others were left out: nobody knows these."""
    honest = unswayed(steps)
    last = {step.interpretation: step.report for step in honest if step.report is not None}
    unknown = {number for number, report in last.items() if report.result == "passed" and report.left_out}
    return tuple(step for step in honest if not step.interpretation or step.interpretation not in unknown)


def heard(steps: Sequence[Step]) -> Evidence:
    """What a score hears of executions: of passed programs only where the arbiter, who saw them, says yes.

    The code shares a process with them, and may have passed them by ending it.
    """
    known = entire(steps)
    found = evidence_of(known)
    said = [step.outcome for step in steps if step.name == "arbiter"]
    if found == "passed" and said[-1:] != ["1"]:
        return evidence_of([step for step in known if step.report is None or not step.report.self_reported])
    return found


def echoed(steps: Sequence[Step]) -> bool:
    """Whether the words of the query were found to make tests that expect what a code does."""
    return any(step.name == "control" and step.outcome == ECHOED for step in steps)


def unswayed(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Steps without the readings whose tests somebody changed at a terminal, or whose runs are imagined.

    There the code lies as its author wrote it, so that it may have been told what to change, or what to see. Where the
    words of the query tell it, no reading is left.
    """
    every = echoed(steps)
    told = {
        step.interpretation
        for step in steps
        if every or (step.name == "repair" and step.outcome == EDITED) or (step.report and step.report.simulated)
    }
    return tuple(step for step in steps if not step.interpretation or step.interpretation not in told)


def lacking(steps: Sequence[Step]) -> str:
    """The module without which no test could be run at all, repairs and installing included; empty where some ran."""
    last = {step.interpretation: step.report for step in steps if step.report is not None}
    if any(report.result != "error" or report.simulated for report in last.values()):
        return ""
    return next((report.missing for report in last.values() if report.missing), "")


@dataclass(frozen=True, slots=True)
class Record:
    """One finished judgement.

    Attributes:
        label: 1 where the code answers the query, 0 where it does not, None where that is undecided.
        reading: The meaning of the query under which the label holds; empty where nothing was tested.
        score: Calibrated probability that the code answers the query; None where nothing calibrates.
        calibration: Which calibration gave the score.
        decided_by: Whose word the label is.
        audit: The checker's own label; None where it did not take part or gave no usable answer.
    """

    pair: Pair
    method: Method
    method_id: str
    steps: tuple[Step, ...]
    label: Label | None
    reason: str
    decided_by: DecidedBy
    audit: Label | None = None
    reading: str = ""
    score: float | None = None
    calibration: str = ""

    @property
    def unclear(self) -> bool:
        """Whether the screener left the decision to the others."""
        return any(
            step.name == "screener" and step.outcome != "match" and step.outcome != "no_match" for step in self.steps
        )

    @property
    def self_reported(self) -> bool:
        """Whether any evidence came out of a process that the code under test shared with its test."""
        return any(report.self_reported and not report.simulated for report in self.reports)

    @property
    def evidence(self) -> Evidence:
        """What the tests that can fail showed, over all readings."""
        return evidence_of(self.steps)

    @property
    def reports(self) -> tuple[Report, ...]:
        """The last execution of each interpretation."""
        last: dict[int, Report] = {
            step.interpretation: step.report for step in self.steps if step.name == "execution" and step.report
        }
        return tuple(last.values())

    @property
    def executed(self) -> bool | None:
        """Whether every test ended as an execution and not as an error; None where nothing was to run."""
        reports = [report for report in self.reports if not report.simulated]
        return all(report.result != "error" for report in reports) if reports else None

    @property
    def assertions(self) -> int:
        """How many things the first tests check, over all interpretations."""
        return sum(assertions_in(step.test, self.pair.language) for step in self.steps if step.name == "test_program")

    def to_bytes(self) -> bytes:
        """Canonical JSON: sorted keys, no spaces, ASCII; the same record gives the same bytes."""
        content = {
            "format": FORMAT,
            # The cosine is a signal of the score, and stands in its step; a licence decides no label.
            "pair": {name: value for name, value in asdict(self.pair).items() if name not in _NO_PART},
            "method": asdict(self.method),
            "method_id": self.method_id,
            "steps": [_without_clock(asdict(step)) for step in self.steps],
            "label": self.label,
            "reason": self.reason,
            "decided_by": self.decided_by,
            "audit": self.audit,
            "reading": self.reading,
            "score": None if self.score is None else round(self.score, 6),
            "calibration": self.calibration,
            "unclear": self.unclear,
            "self_reported": self.self_reported,
        }
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode("ascii")


def method_id(method: Method, signature: str) -> str:
    """Name a configuration together with the model and the prompts that it uses.

    Args:
        method: Which agents take part.
        signature: The model's identity and the prompts' versions.
    """
    text = json.dumps([RULES, asdict(method), signature], sort_keys=True, separators=(",", ":"))
    return f"{method.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def _without_clock(value: object) -> object:
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {name: _without_clock(item) for name, item in fields.items() if name not in _CLOCK_FIELDS}
    if isinstance(value, list | tuple):
        return [_without_clock(item) for item in cast("list[object]", value)]
    return value
