"""Testing one reading of the query: a test is written, run, and mended while it does not run.

Source: CoSQA+, Algorithm 1: the executor and the bug fixer.
"""

from __future__ import annotations

from dataclasses import replace

from annotator.domain.control import other_code, runs_of_other
from annotator.domain.dependencies import how_to_install, package_for, requirements_in
from annotator.domain.execution import Report, describe
from annotator.domain.method import Method
from annotator.domain.pair import Pair
from annotator.domain.program import DataTest, ProgramTest
from annotator.domain.record import ECHOED, Exchange, Step
from annotator.domain.subject import Subject, examine
from annotator.domain.text import clipped, fenced
from annotator.domain.wordless import Wordless, without_words, wordless
from annotator.ports import Asked, LanguageModel, Sandbox, Siblings
from annotator.usecases.agents import NONSENSE, STYLE, Agents, whole_program
from annotator.usecases.cases import accept
from annotator.usecases.doubts import Doubts, renamed
from annotator.usecases.evidence import cases_as_text
from annotator.usecases.forms import Prediction, RepairedCases, RepairedProgram, revealed
from annotator.usecases.repairs import held
from annotator.usecases.terminal import Mended, TerminalRepair
from annotator.usecases.trials import Test, Trials, executed

# Among so many the first ones are taken that can stand in the place of the code.
CANDIDATES = 40

# What the control is about that finds echoes.
CASES_OF_OTHER = "cases for a code that does something else"
# What the control is about by which a test may pass on a code of another query.
CODE_OF_OTHER = "a code that was found for another query, and on which the test passes too"


class Tester:
    """Writes, runs and mends tests.

    Args:
        model: Writes and mends.
        sandbox: Runs.
        method: Which of it takes place.
        siblings: Codes of other pairs, on which a test must not pass; None where there are none.
    """

    def __init__(
        self, model: LanguageModel, sandbox: Sandbox, method: Method, siblings: Siblings | None = None
    ) -> None:
        self._model = model
        self._agents = Agents(model, method)
        self._sandbox = sandbox
        self._method = method
        self._siblings = siblings
        self._trials = Trials(sandbox)
        self._terminal = TerminalRepair(model, sandbox, self._trials, method)

    async def test(self, pair: Pair, subject: Subject, reading: str, index: int) -> tuple[Step, ...]:
        """Test one reading.

        Args:
            pair: What is in question.
            subject: Its code, examined.
            reading: The reading; empty leaves the choice to the generator.
            index: Number of the reading, from 1.

        Returns:
            The steps that were taken, the last execution's report among them.
        """
        shown = wordless(pair.code, pair.language)
        test, steps = await self._write(pair, subject, shown, reading, index)
        if test is None or self._method.executor == "none":
            return steps
        if self._method.executor == "simulated":
            return (*steps, await self._imagine(subject, shown, test, index))
        if not await self._sandbox.speaks(subject.language):
            why = f"the sandbox has no {subject.language}"
            return (*steps, Step("execution", "unavailable", why, index))
        return (*steps, *await self._run_and_mend(pair, subject, shown, test, index))

    async def echoes(self, pair: Pair, reading: str) -> tuple[bool, Step]:
        """Whether cases for this query expect what a code does that surely does something else.

        They are asked for once for a query, a reading and a language.

        Args:
            pair: Its query is in question.
            reading: The reading under which cases were written; empty where the generator chose it.
        """
        other = other_code(pair)
        shown = wordless(other.code, other.language)
        test, step = await self._agents.propose_cases(other, examine(other), shown, reading, 0)
        # Of what can be raised nearly everything fits some code.
        cases = tuple(case for case in test.cases if case.kind != "raises") if test else ()
        echo = False
        if test and cases:
            chosen = replace(test, cases=cases)
            report = await self._trials.report(chosen, runs_of_other(cases))
            echo = report.result == "passed"
        outcome = ECHOED if echo else step.outcome
        step = renamed(step, "control", CASES_OF_OTHER)
        return echo, replace(step, outcome=outcome, test=None)

    async def _write(
        self, pair: Pair, subject: Subject, shown: Wordless, reading: str, index: int
    ) -> tuple[Test | None, tuple[Step, ...]]:
        steps: tuple[Step, ...] = ()
        if self._method.separate and subject.plain:
            cases, step = await self._agents.propose_cases(pair, subject, shown, reading, index)
            steps = (step,)
            if cases is not None:
                return cases, steps
        program, step = await self._agents.propose_program(pair, subject, shown, reading, index)
        return program, (*steps, step)

    async def _run_and_mend(
        self, pair: Pair, subject: Subject, shown: Wordless, test: Test, index: int
    ) -> tuple[Step, ...]:
        environment, first = "", test
        execution = await self._trials.execute(subject, test, environment)
        steps, report = [executed(execution, index)], execution.report
        wanted: tuple[str, ...] = ()
        tried: set[str] = set()
        for _ in range(self._method.max_tries if self._method.fixer else 0):
            if report.result != "error" or report.untold:
                break
            if report.missing and report.missing not in tried:
                tried.add(report.missing)
                package = package_for(report.missing, subject.language, f"{test.setup}\n{subject.code}")
                more, changed = ((package,) if package else ()), test
                repair = Step("repair", "install", _lacks(report.missing, package, subject.language), index)
            else:
                more, changed, repair = await self._mend(pair, subject, shown, (first, test), report, index)
            more = tuple(name for name in more if name not in wanted)
            installed = ""
            if more:
                preparation = await self._sandbox.prepare(subject.language, (*wanted, *more))
                installed = preparation.environment_id
                repair = _installed(repair, more, preparation.installed, preparation.problem)
            steps.append(repair)
            if installed:
                environment, wanted = installed, (*wanted, *more)
            if changed == test and not installed:
                if repair.exchanges:
                    # The model has nothing to offer, and asking it the same again gives the same.
                    break
                continue
            test = changed
            execution = await self._trials.execute(subject, test, environment)
            steps.append(executed(execution, index))
            report = execution.report
        if report.result == "error" and not report.untold and self._method.fixer:
            mended = Mended(first, test, execution, environment, ())
            mended = await self._terminal.mend(pair, subject, mended, index, wanted)
            steps.extend(mended.steps)
            test, execution, environment = mended.test, mended.execution, mended.environment
        if execution.report.result != "error":
            others = await self._siblings.siblings(pair, CANDIDATES) if self._siblings else ()

            async def answers(other: Pair) -> bool:
                yes, asked = await self._answers(pair, other)
                steps.extend(asked)
                return yes

            steps.append(await self._trials.trial(subject, test, execution, index, environment, others, answers))
        return tuple(steps)

    async def _answers(self, pair: Pair, other: Pair) -> tuple[bool, tuple[Step, ...]]:
        """Whether the code of another pair answers the query of this one, by a judge's own word, with what was asked.

        Pools hold one question in several wordings.
        """
        both = replace(pair, code=other.code, name=other.name, imports=other.imports, file_imports=other.file_imports)
        label, step = await self._agents.verdict(both)
        step = renamed(step, "control", CODE_OF_OTHER)
        if label != 1:
            return False, (step,)
        doubt = await Doubts(both).of(self._agents.verdict, 1)
        return not doubt.reason, (step, *doubt.steps)

    async def _imagine(self, subject: Subject, shown: Wordless, test: Test, index: int) -> Step:
        program = shown.rename(whole_program(replace(subject, code=shown.code), test))
        asked = await self._model.ask(
            "simulate_v1",
            Prediction,
            max_tokens=250,
            language=subject.language,
            program=fenced(clipped(program, self._method.code_chars), subject.language),
        )
        if asked.value is None:
            return Step("execution", NONSENSE, asked.problem, index, asked.prompt, asked.exchanges, source=program)
        report = Report(asked.value.outcome, asked.value.report, simulated=True)
        outcome = f"simulated {asked.value.outcome}"
        return Step("execution", outcome, report.detail, index, asked.prompt, asked.exchanges, None, program, report)

    async def _mend(
        self, pair: Pair, subject: Subject, shown: Wordless, tests: tuple[Test, Test], report: Report, index: int
    ) -> tuple[tuple[str, ...], Test, Step]:
        first, test = tests
        values = {
            "query": pair.query,
            "language": subject.language,
            "code": fenced(clipped(without_words(pair, shown).code, self._method.code_chars), subject.language),
            "setup": fenced(shown.rename(test.setup), subject.language),
            "report": shown.hide(describe(report, self._method.report_chars)),
        }
        if isinstance(test, DataTest):
            text, signature = fenced(shown.rename(cases_as_text(test)), "json"), shown.cut(subject.signature)
            asked = await self._model.ask(
                "fix_cases_v1", RepairedCases, max_tokens=700, signature=signature, cases=text, **values
            )
            if asked.value is None:
                return (), test, _nonsense(asked, index)
            cases, dropped = accept(revealed(asked.value.cases, shown))
            setup = shown.reveal(asked.value.setup) or test.setup
            changed: Test = DataTest(test.interpretation, setup, cases or test.cases)
            notes, wishes = "; ".join(dropped), asked.value.install
        else:
            program = await self._model.ask(
                "fix_program_v1",
                RepairedProgram,
                max_tokens=900,
                tests=fenced(shown.rename(test.tests), subject.language),
                style=STYLE[subject.language],
                **values,
            )
            if program.value is None:
                return (), test, _nonsense(program, index)
            setup, asserts = shown.reveal(program.value.setup), shown.reveal(program.value.tests)
            changed = ProgramTest(test.interpretation, setup or test.setup, asserts or test.tests)
            notes, wishes, asked = "", program.value.install, program
        changed, remark = held(first, test, changed, subject, report)
        notes = remark or notes
        outcome = "rewritten" if changed != test else "unchanged"
        more = requirements_in(wishes, subject.language)
        return more, changed, _repair(outcome, notes, asked.prompt, asked.exchanges, index, changed)


def _lacks(module: str, package: str, language: str) -> str:
    if package:
        none = ""
    elif how_to_install(language):
        none = ", and no package is known that brings it"
    else:
        none = f", and no packages can be installed for {language}"
    return f"the module {module} is missing{none}"


def _repair(outcome: str, detail: str, prompt: str, exchanges: tuple[Exchange, ...], index: int, test: Test) -> Step:
    return Step("repair", outcome, detail, index, prompt, exchanges, test)


def _nonsense(asked: Asked[RepairedCases] | Asked[RepairedProgram], index: int) -> Step:
    return Step("repair", NONSENSE, asked.problem, index, asked.prompt, asked.exchanges)


def _installed(step: Step, wanted: tuple[str, ...], installed: tuple[str, ...], problem: str) -> Step:
    words = f"could not install {', '.join(wanted)}: {problem}" if problem else f"installed {', '.join(wanted)}"
    detail = "; ".join(part for part in (step.detail, words) if part)
    return Step(
        step.name,
        step.outcome,
        detail,
        step.interpretation,
        step.prompt,
        step.exchanges,
        step.test,
        installed=installed,
    )
