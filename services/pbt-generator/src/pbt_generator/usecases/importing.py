"""Tasks of other people's sets: their ground truth is run first, and what it does decides whether there is a task."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pbt_generator.domain.foreign import (
    IMPORTER,
    NOT_MEASURED,
    ForeignCertificate,
    ForeignSet,
    ForeignTask,
    contract_of,
    defines,
)
from pbt_generator.domain.oracle.certificate import Trial
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.domain.task.wording.difficulty import difficulty, measure
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Blobs, CaseOutcome, ForeignProgram, Freezer, RunLimits, Sandbox
from pbt_generator.usecases.certify import LIMITS, Certifier, SuiteFacts
from pbt_generator.usecases.serve import Announcer, Decisions
from touchstone_contracts.manifests import canonical
from touchstone_values import compare

# Some sets have a thousand inputs of which each takes a while.
_LIMITS = RunLimits(case_timeout_s=LIMITS.case_timeout_s, total_timeout_s=120.0)
_COMPARISON = "portable"
_HEURISTIC = "heuristic"
# The record of a function as the events have it: makes one of a foreign task, with the task's function id.
Recorder = Callable[[ForeignSet, ForeignTask], dict[str, Any]]


@dataclass(frozen=True)
class _Problem:
    """Why an input is no case, and whether that is a failure of the ground truth."""

    words: str
    fails: bool


_OUTSIDE = _Problem("the set's own assertions do not take the input", fails=False)
# What the sandbox says of a result that the value codec does not hold, and how much of its words is told.
_UNPORTABLE = "UnportableError"
_REASON = 120


@dataclass(frozen=True)
class Imported:
    """What became of a foreign task.

    Attributes:
        task: None where there is none. One that stands from an earlier import stays as it is.
        problems: Why inputs of the set are no cases, and what of the task that stands is another one, one line each.
        passes: The ground truth passes on every input that can be judged here and that the set's own assertions take.
        inputs: How many inputs the set has for it.
        cases: How many cases the suite of the task has; where there is no task, how many inputs would be some.
        weak: Known-wrong programs that pass its suite.
    """

    task: BuiltTask | None
    problems: tuple[str, ...]
    inputs: int
    passes: bool = False
    cases: int = 0
    weak: tuple[str, ...] = ()


class Importer:
    """Takes in foreign tasks.

    Args:
        sandbox: Where their code runs.
        freezer: Freezes suites.
        blobs: Where suites, certificates and ground truths are kept.
        decisions: Where tasks are kept.
        announcer: Tells others.
        record: Makes the record of a function.
    """

    def __init__(
        self, sandbox: Sandbox, freezer: Freezer, blobs: Blobs, decisions: Decisions, announcer: Announcer,
        record: Recorder,
    ) -> None:  # fmt: skip
        self._sandbox = sandbox
        self._freezer = freezer
        self._blobs = blobs
        self._decisions = decisions
        self._announcer = announcer
        self._record = record

    async def take(self, whose: ForeignSet, foreign: ForeignTask) -> Imported:
        """Run the ground truth on the set's inputs; what it returns is frozen, kept and announced as a task.

        Taken again, the same ground truth of the same set gives the same task; where its suite or its words are others
        now, a problem says so, and what is told is the task that stands.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        total = len(foreign.inputs)
        if not defines(foreign.source, foreign.entry_point):
            return Imported(None, (f"its ground truth defines no function {foreign.entry_point}",), total)
        if foreign.expected and len(foreign.expected) != total:
            return Imported(None, (f"it has {total} inputs and {len(foreign.expected)} results",), total)
        try:
            cases, found = await self._cases(foreign)
            problems = [f"{count} of {total} inputs: {each.words}" for each, count in found.items()]
            passes = not any(each.fails for each in found)
            if not cases:
                return Imported(None, tuple(problems or ["it has no input"]), total)
            frozen = self._freezer.freeze(_COMPARISON, foreign.entry_point, 0, cases)
            arguments, expected = zip(*cases, strict=True)
            facts = SuiteFacts(frozen.data, arguments, expected, foreign.entry_point, portable=True)
            certifier = Certifier(self._sandbox, None, self._freezer)
            truths = await certifier.truths(foreign.source, facts)
            if failed := [trial for trial in truths if not trial.as_it_should]:
                words = [f"{each.program}: {each.verdict}, {each.passed} of {each.cases} cases" for each in failed]
                return Imported(None, (*problems, *words), total, cases=len(cases))
            wrong = await certifier.wrongs(facts)
        except SandboxRefusedError as error:
            return Imported(None, (f"the sandbox refuses it: {error}",), total)
        weak = tuple(trial.program for trial in wrong if not trial.as_it_should)
        made = await self._made(whose, foreign, frozen.data, frozen.digest, truths, weak, problems, len(cases))
        task = await self._kept(made, self._record(whose, foreign))
        if others := _others(task, made):
            problems.append(
                f"it stands from an earlier import, with {' and '.join(others)}: "
                "take this one in under another --set-version"
            )
            weak = tuple(json.loads(await self._blobs.get(task.certificate_digest)).get("weak", ()))
        return Imported(task, tuple(problems), total, passes, task.cases, weak)

    async def _cases(self, foreign: ForeignTask) -> tuple[list[tuple[str, str]], Counter[_Problem]]:
        """Inputs with what the ground truth returns for them, and why how many others are left out."""
        problems: Counter[_Problem] = Counter()
        inputs = list(range(len(foreign.inputs)))
        if foreign.asserting:
            program = ForeignProgram(contract_of(foreign), foreign.entry_point)
            checked = await self._sandbox.run_cases(program, foreign.inputs, limits=_LIMITS)
            outside = {
                place for place, outcome in enumerate(checked.outcomes) if outcome.error_type == "AssertionError"
            }
            problems += Counter({_OUTSIDE: len(outside)})
            inputs = [place for place in inputs if place not in outside]
        program = ForeignProgram(foreign.source, foreign.entry_point)
        ran = await self._sandbox.run_cases(program, [foreign.inputs[place] for place in inputs], limits=_LIMITS)
        kept: dict[str, str] = {}
        for place, outcome in zip(inputs, ran.outcomes, strict=True):
            expected = foreign.expected[place] if foreign.expected else outcome.value
            if (problem := _problem(outcome, expected)) is not None:
                problems[problem] += 1
            else:
                kept.setdefault(foreign.inputs[place], expected)
        return list(kept.items()), problems

    async def _made(
        self, whose: ForeignSet, foreign: ForeignTask, suite: bytes, digest: str, truths: Sequence[Trial],
        weak: tuple[str, ...], problems: Sequence[str], cases: int,
    ) -> BuiltTask:  # fmt: skip
        certificate = ForeignCertificate(digest, tuple(truths), whose, foreign.foreign_id, weak, tuple(problems))
        function = self._record(whose, foreign)
        await self._blobs.put(suite)
        return BuiltTask(
            task_id=self._freezer.task_id(function["function_id"], digest, IMPORTER),
            function_id=function["function_id"],
            kind="SC",
            difficulty=difficulty(measure(foreign.source, foreign.entry_point, function["complexity"])),
            judged_by=_HEURISTIC,
            entry_point=foreign.entry_point,
            instruction=foreign.instruction,
            signatures={"python": foreign.signature},
            prelude=foreign.prelude,
            suite_digest=digest,
            certificate_digest=await self._blobs.put(canonical(certificate.to_dict())),
            ground_truth_digest=await self._blobs.put(foreign.source.encode("utf-8", "surrogatepass")),
            cases=cases,
            branch_coverage=NOT_MEASURED,
            mutation_score=NOT_MEASURED,
            languages=("python",),
            track=foreign.wording,
        )

    async def _kept(self, task: BuiltTask, function: dict[str, Any]) -> BuiltTask:
        """The task that stands now: the first one of its ground truth."""
        kept = await self._decisions.save(task.function_id, IMPORTER, task.kind, task, function, 0.0)
        decided = kept if isinstance(kept, BuiltTask) else task
        await self._announcer.built(decided, function)
        return decided


def _others(stands: BuiltTask, made: BuiltTask) -> list[str]:
    """What of a task that stands is another one than in the file that was read."""
    words = {
        "suite_digest": f"another suite (cases: {stands.cases}, in what was read: {made.cases})",
        "instruction": "other words",
        "signatures": "another head",
        "prelude": "another prelude",
        "track": "words of the other kind",
    }
    return [told for name, told in words.items() if getattr(stands, name) != getattr(made, name)]


def _problem(outcome: CaseOutcome, expected: str) -> _Problem | None:
    """Why an input is no case; None where the ground truth gives what is expected of it."""
    if outcome.outcome == "raised" and outcome.error_type == _UNPORTABLE:
        # Without the place in the result, so that inputs of one reason count as one.
        return _Problem(f"a result: {outcome.error_message.rpartition(': ')[2][:_REASON]}", fails=False)
    if outcome.outcome == "raised":
        return _Problem(f"the ground truth raises {outcome.error_type}", fails=True)
    if outcome.outcome == "output_limit":
        return _Problem("the result is larger than the sandbox hands out", fails=False)
    if outcome.outcome != "returned":
        return _Problem(f"the ground truth ends as {outcome.outcome}", fails=True)
    if outcome.value != expected and compare(expected, outcome.value, _COMPARISON) is not None:
        return _Problem("the ground truth gives something else than the set expects", fails=True)
    return None
