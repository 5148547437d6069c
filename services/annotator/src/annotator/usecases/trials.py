"""Running a test, and trying it on wrong programs before its word is believed."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from annotator.domain.assembly import target_of
from annotator.domain.checks import misfit, other_values
from annotator.domain.echo import alike, echoes_program
from annotator.domain.endings import ending_program
from annotator.domain.execution import CaseRun, Held, Report, judge_cases, judge_program
from annotator.domain.pair import Pair
from annotator.domain.program import DataTest, ProgramTest, checks_of, lines_of_code, program_of, source_of
from annotator.domain.record import CAN_FAIL, CANNOT_FAIL, Step
from annotator.domain.stub_statements import CALLED
from annotator.domain.stubs import StubProgram, stand_in, stub_programs
from annotator.domain.subject import Subject, examine
from annotator.domain.supplied import supplied
from annotator.domain.trial import prepare_trial, weakness
from annotator.ports import Sandbox

Test = DataTest | ProgramTest

# A test is tried on so many codes of other queries.
SIBLINGS = 2
# Characters of what checks are asked about in one call; one value alone may be longer.
_MOST = 500_000


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of a test.

    Attributes:
        source: What ran, complete.
        runs: Call by call, where the test was data.
    """

    report: Report
    source: str
    wall_s: float
    runs: tuple[CaseRun, ...] = ()


def executed(execution: Execution, index: int) -> Step:
    """An execution as a step of a reading."""
    report = execution.report
    return Step(
        "execution",
        report.result,
        report.detail,
        index,
        source=execution.source,
        report=report,
        wall_s=execution.wall_s,
    )


class Trials:
    """Runs tests in the sandbox.

    Args:
        sandbox: Runs.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    async def execute(self, subject: Subject, test: Test, environment: str) -> Execution:
        """Run a test on a code."""
        if isinstance(test, ProgramTest):
            ran = await self._execute_program(subject, test, environment)
            return replace(ran, report=replace(ran.report, supplied=supplied(subject, test.setup, test.tests)))
        source = source_of(subject, test.setup)
        inputs = [case.arguments for case in test.cases]
        nothing = any(case.kind == "value" and case.expected == "null" for case in test.cases)
        runs = await self._sandbox.call(
            subject.language, source, target_of(subject), inputs, environment, nothing_returned=nothing
        )
        report = await self.report(test, runs, subject.entry_point, subject.language, subject.code)
        report = replace(report, supplied=supplied(subject, test.setup))
        return Execution(report, source, sum(run.wall_s for run in runs), runs)

    async def report(
        self, test: DataTest, runs: tuple[CaseRun, ...], entry_point: str = "", language: str = "", code: str = ""
    ) -> Report:
        """What calls came to, compared with what is expected of them; checks meet the results in a sandbox."""
        asked = [
            (number, run.value)
            for number, (case, run) in enumerate(zip(test.cases, runs, strict=True))
            if case.kind == "check" and run.outcome == "returned"
        ]
        answers = dict(zip((number for number, _ in asked), await self._said(test, asked), strict=True))
        held: dict[int, Held] = {number: "yes" if answer else "no" for number, answer in answers.items()}
        broken = [number for number, answer in answers.items() if answer is None]
        more = [(number, value) for number in broken for value in other_values(test.cases, runs, number)]
        told = list(zip(more, await self._said(test, more), strict=True))
        for number in broken:
            others = [(value, answer is not None) for (place, value), answer in told if place == number]
            held[number] = "misfit" if misfit(runs[number].value, others) else "broken"
        return judge_cases(test, runs, held, entry_point, language, code)

    async def trial(
        self,
        subject: Subject,
        test: Test,
        execution: Execution,
        index: int,
        environment: str,
        siblings: Sequence[Pair] = (),
        answers: Callable[[Pair], Awaitable[bool]] | None = None,
    ) -> Step:
        """Find out whether a test that ended as an execution can fail, and whether it calls the code at all.

        Args:
            subject: The code under test.
            test: What was run on it.
            execution: What that showed.
            index: Number of the reading.
            environment: Where it ran.
            siblings: Codes of other pairs; a test that passes on one of the first that can stand in the code's place
                does not tell the two apart.
            answers: Whether such a code answers the query of this one, too: then it is right that the test passes.
        """
        report = execution.report
        test, runs = _usable(test, execution)
        if isinstance(test, ProgramTest):
            weak = echoes_program(test, subject) or await self._weak_program(subject, test, report, environment)
        elif report.result == "failed":
            # It has just shown that it can.
            weak = ""
        else:
            weak = await self._weak_cases(subject, test, runs)
        if not weak and report.result == "passed":
            weak = await self._passes_on_sibling(subject, test, siblings, environment, answers)
        return Step("trial", CANNOT_FAIL if weak else CAN_FAIL, weak, index)

    async def _execute_program(self, subject: Subject, test: ProgramTest, environment: str) -> Execution:
        source = program_of(subject, test)
        # The code may end the process in the middle, and a program that ends is none that passed.
        ending = f"end of tests {hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        told = ending_program(subject, test, ending)
        source, ending = (told, ending) if told else (source, "")
        run = await self._sandbox.run(subject.language, source, environment)
        place, suite = lines_of_code(subject, source), "unittest" in f"{test.setup}\n{test.tests}"
        entry, language, code = subject.entry_point, subject.language, subject.code
        report = judge_program(run, place, ending, entry, test.setup, language, code, suite)
        return Execution(report, source, run.wall_s)

    async def _said(self, test: DataTest, about: Sequence[tuple[int, str]]) -> list[bool | None]:
        """What the checks of cases, by their number, say of values."""
        return await self._checked(
            test, [f"[{number},{test.cases[number].arguments},{value}]" for number, value in about]
        )

    async def _checked(self, test: DataTest, inputs: Sequence[str]) -> list[bool | None]:
        """Whether the checks hold, in a second sandbox: they meet results that are data by now, and never the code.

        None stands for a check that broke.
        """
        return [_held(answer) for answer in await self._check(test, inputs)]

    async def _check(self, test: DataTest, inputs: Sequence[str]) -> list[CaseRun]:
        """How the checks end on values, in calls of a bounded size: values may be long."""
        found: list[CaseRun] = []
        for part in _in_parts(inputs):
            found += await self._sandbox.call("python", checks_of(test), "holds", part, "")
        return found

    async def _weak_cases(self, subject: Subject, test: DataTest, runs: Sequence[CaseRun]) -> str:
        trial = prepare_trial(test, runs)
        answers = await self._check(test, [text for _, _, text in trial.asked])
        if unended := next((answer for answer in answers if answer.outcome not in ("returned", "raised")), None):
            # A check that says nothing of a wrong result might as well hold for it.
            return f"its checks do not end on other results: {unended.outcome} {unended.message}".rstrip()
        held = {(stub, case): _held(answer) for (stub, case, _), answer in zip(trial.asked, answers, strict=True)}
        return weakness(test, subject, trial, held)

    async def _weak_program(self, subject: Subject, test: ProgramTest, report: Report, environment: str) -> str:
        stubs = stub_programs(subject, test.tests)
        if not stubs:
            return "nothing is known that it could be tried on"
        raising = await self._run_stub(stubs[0], test, environment)
        if raising.detail.startswith("compile_error"):
            return f"no code that only raises can stand in the place of {subject.entry_point}: {raising.detail}"
        if CALLED not in raising.output:
            return f"it does not call {subject.entry_point}, or hides what it raises"
        if report.result == "failed":
            return ""
        of_kind = False
        for stub in stubs[1:]:
            found = await self._run_stub(stub, test, environment)
            if found.result == "passed" and stub.gave_other(found):
                return f"it also passes on code that {stub.kind}"
            of_kind = of_kind or stub.gave_of_kind(found)
        return "" if of_kind else "nothing of the kind of the code's result is known that it could be tried on"

    async def _run_stub(self, stub: StubProgram, test: ProgramTest, environment: str) -> Report:
        return (await self._execute_program(stub.subject, test, environment)).report

    async def _passes_on_sibling(
        self,
        subject: Subject,
        test: Test,
        siblings: Sequence[Pair],
        environment: str,
        answers: Callable[[Pair], Awaitable[bool]] | None,
    ) -> str:
        tried = 0
        for pair in siblings:
            other = examine(pair)
            wrong = stand_in(subject, other)
            callable_so = isinstance(test, ProgramTest) or other.plain
            if wrong is None or not callable_so or alike(other.code, subject.code):
                continue
            report = (await self.execute(wrong, test, environment)).report
            if report.all_passed:
                if answers is not None and await answers(pair):
                    continue
                return f"it also passes on {other.entry_point}, which was found for another query"
            # Of one that cannot run here nothing is learnt.
            tried += report.result != "error"
            if tried == SIBLINGS:
                break
        return ""


def _held(answer: CaseRun) -> bool | None:
    return answer.value == "true" if answer.outcome == "returned" else None


def _in_parts(inputs: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    size = _MOST
    for text in inputs:
        if size + len(text) > _MOST:
            parts.append([])
            size = 0
        parts[-1].append(text)
        size += len(text)
    return parts


def _usable(test: Test, execution: Execution) -> tuple[Test, tuple[CaseRun, ...]]:
    """A test without the cases that taught nothing of the code: that a wrong program fails on those shows nothing."""
    if isinstance(test, ProgramTest):
        return test, execution.runs
    told = zip(test.cases, execution.runs, execution.report.cases, strict=True)
    kept = [(case, run) for case, run, report in told if report.result != "error"]
    return replace(test, cases=tuple(case for case, _ in kept)), tuple(run for _, run in kept)
