"""The fixer's second stage: commands at a terminal, where rewriting the test did not make it run.

The terminal is a sandbox of its own. Nothing that is seen or run there counts: a changed file is taken as a repair of
the test, within the same bounds as any other, and the test then runs anew in a fresh sandbox.

Source: CoSQA+, Algorithm 1: the bug fixer asks the model for terminal commands and runs again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from annotator.domain.dependencies import how_to_install, installed_by
from annotator.domain.execution import ProgramRun, describe
from annotator.domain.method import Method
from annotator.domain.pair import Pair
from annotator.domain.program import DataTest, ProgramTest
from annotator.domain.record import EDITED, Step
from annotator.domain.subject import Subject
from annotator.domain.text import clipped, fenced, steady
from annotator.ports import Asked, LanguageModel, Sandbox, Terminal
from annotator.usecases.agents import NONSENSE
from annotator.usecases.cases import accept
from annotator.usecases.evidence import cases_as_text
from annotator.usecases.forms import ProposedCase, TerminalCommand
from annotator.usecases.repairs import held
from annotator.usecases.trials import Execution, Test, Trials, executed

_EXTENSIONS = {"python": "py", "php": "php", "javascript": "js", "typescript": "ts", "java": "java", "go": "go"}
_CASES = "cases.json"
# What a command printed, as the model and the record have it; and the longest file that is taken as a test.
_SHOWN = 800
_LONGEST = 20_000


@dataclass(frozen=True, slots=True)
class Mended:
    """What a test came to at the terminal.

    Attributes:
        first: The test as it was written.
        steps: Commands and executions, in order.
        environment: Where the test ran last.
    """

    first: Test
    test: Test
    execution: Execution
    environment: str
    steps: tuple[Step, ...]


class TerminalRepair:
    """Mends tests by commands.

    Args:
        model: Says the commands.
        sandbox: Has the terminal.
        trials: Runs the test again.
        method: How many commands there may be, and how much the model is shown.
    """

    def __init__(self, model: LanguageModel, sandbox: Sandbox, trials: Trials, method: Method) -> None:
        self._model = model
        self._sandbox = sandbox
        self._trials = trials
        self._method = method

    async def mend(
        self, pair: Pair, subject: Subject, before: Mended, index: int, installed: Sequence[str] = ()
    ) -> Mended:
        """Let the model try commands until the test runs, it has nothing left to try, or it may try no more.

        Args:
            pair: What is in question.
            subject: Its code.
            before: The test with its last execution, an error.
            index: Number of the reading.
            installed: Packages that the environment has already, as they were asked for.
        """
        state = _State(before, list(installed))
        while state.tries < self._method.max_commands and state.errs and not state.done:
            files = _files(subject, state.mended.test)
            # Another environment takes another sandbox; the files go along.
            async with self._sandbox.terminal(subject.language, files, state.mended.environment) as terminal:
                environment = state.mended.environment
                while state.tries < self._method.max_commands and state.errs and not state.done:
                    await self._try(pair, subject, terminal, state, index)
                    if state.mended.environment != environment:
                        break
        return state.mended

    async def _try(self, pair: Pair, subject: Subject, terminal: Terminal, state: _State, index: int) -> None:
        state.tries += 1
        asked = await self._ask(pair, subject, state)
        line = asked.value.command.strip() if asked.value else ""
        if not line or line in state.lines:
            # The same command gives the same, and who has nothing to try has nothing to try.
            words = "says the same command again" if line else (asked.problem or "has nothing left to try")
            state.done = True
            state.add(_step(asked, NONSENSE if asked.value is None else "given up", words, index))
            return
        state.lines.append(line)
        if wanted := [name for name in installed_by(line, subject.language) if name not in state.installed]:
            await self._install(subject, wanted, asked, state, line, index)
            return
        run = await terminal.command(line)
        test, remark = await _taken(terminal, subject, state.mended)
        seen = "\n".join(part for part in (_printed(run), remark) if part)
        state.history.append(f"$ {line}\n{seen}")
        changed = test != state.mended.test
        detail = f"$ {clipped(line, _SHOWN)}\n{seen}"
        state.add(replace(_step(asked, EDITED if changed else "command", detail, index), test=test, wall_s=run.wall_s))
        if changed:
            state.mended = replace(state.mended, test=test)
            await self._execute(subject, state, index)

    async def _ask(self, pair: Pair, subject: Subject, state: _State) -> Asked[TerminalCommand]:
        test, language = state.mended.test, subject.language
        tests = cases_as_text(test) if isinstance(test, DataTest) else test.tests
        return await self._model.ask(
            "terminal_v1",
            TerminalCommand,
            max_tokens=200,
            query=pair.query,
            language=language,
            files=", ".join(_files(subject, test)),
            setup=fenced(clipped(test.setup, self._method.code_chars), language),
            code=fenced(clipped(subject.code, self._method.code_chars), language),
            tests=fenced(clipped(tests, self._method.code_chars), "json" if isinstance(test, DataTest) else language),
            report=describe(state.mended.execution.report, self._method.report_chars),
            install=f'"{command}" to install a package, ' if (command := how_to_install(language)) else "",
            history=clipped("\n".join(state.history), self._method.report_chars * 2) or "none",
        )

    async def _install(
        self, subject: Subject, wanted: list[str], asked: Asked[TerminalCommand], state: _State, line: str, index: int
    ) -> None:
        preparation = await self._sandbox.prepare(subject.language, (*state.installed, *wanted))
        if preparation.problem:
            words = f"could not install {', '.join(wanted)}: {preparation.problem}"
        else:
            words = f"installed {', '.join(wanted)}"
            state.installed += wanted
        state.history.append(f"$ {line}\n{words}")
        step = _step(asked, "install", f"$ {clipped(line, _SHOWN)}\n{words}", index)
        state.add(replace(step, installed=preparation.installed))
        if preparation.environment_id:
            state.mended = replace(state.mended, environment=preparation.environment_id)
            await self._execute(subject, state, index)

    async def _execute(self, subject: Subject, state: _State, index: int) -> None:
        execution = await self._trials.execute(subject, state.mended.test, state.mended.environment)
        state.mended = replace(state.mended, execution=execution)
        state.add(executed(execution, index))


class _State:
    """How far a repair is."""

    def __init__(self, before: Mended, installed: list[str]) -> None:
        self.mended = replace(before, steps=())
        self.installed = installed
        self.history: list[str] = []
        self.lines: list[str] = []
        self.tries = 0
        self.done = False

    @property
    def errs(self) -> bool:
        """Whether the test still does not run."""
        return self.mended.execution.report.result == "error"

    def add(self, step: Step) -> None:
        """Note a step."""
        self.mended = replace(self.mended, steps=(*self.mended.steps, step))


async def _taken(terminal: Terminal, subject: Subject, mended: Mended) -> tuple[Test, str]:
    """The test as its files have it now, as far as that is a repair; what is not is undone."""
    before = mended.test
    names = _files(subject, before)
    found = {name: await terminal.read(name) for name in names}
    if found == names:
        return before, ""
    after, remark = _read(before, found)
    if not remark:
        after, remark = held(mended.first, before, after, subject, mended.execution.report)
    for name, text in _files(subject, after).items():
        if found[name] != text:
            await terminal.write(name, text)
            remark = remark or f"{name} is as it was: it is not to be changed"
    return after, remark


def _files(subject: Subject, test: Test) -> dict[str, str]:
    """A test and the code as files of a working folder."""
    extension = _EXTENSIONS[subject.language]
    own = {f"setup.{extension}": test.setup, f"code.{extension}": subject.code}
    if isinstance(test, DataTest):
        return {**own, _CASES: cases_as_text(test)}
    return {**own, f"tests.{extension}": test.tests}


def _read(before: Test, found: dict[str, str | None]) -> tuple[Test, str]:
    """The test that files hold; the one of before with a remark where they hold none."""
    setup_file, _, tests_file = found
    setup, tests = found[setup_file], found[tests_file]
    if setup is None or tests is None or len(setup) + len(tests) > _LONGEST:
        return before, "a file is gone, no text, or too long; it was put back"
    if isinstance(before, ProgramTest):
        return ProgramTest(before.interpretation, setup, tests), ""
    if tests == cases_as_text(before):
        return replace(before, setup=setup), ""
    try:
        proposed = [ProposedCase.model_validate(json.loads(line)) for line in tests.split("\n") if line.strip()]
    except (ValueError, ValidationError, RecursionError):
        return replace(before, setup=setup), f"{_CASES} is not one case a line; it was put back"
    cases, dropped = accept(proposed)
    if dropped or not cases:
        return replace(before, setup=setup), f"{_CASES} was put back: {'; '.join(dropped) or 'it has no case'}"
    return DataTest(before.interpretation, setup, cases), ""


def _printed(run: ProgramRun) -> str:
    text = steady("\n".join(part.rstrip() for part in (run.stdout, run.stderr) if part.strip()))
    ended = "" if run.outcome == "returned" else f"[{run.outcome} {run.exit_code}] {steady(run.detail)}".rstrip()
    return "\n".join(part for part in (clipped(text, _SHOWN), ended) if part)


def _step(asked: Asked[TerminalCommand], outcome: str, detail: str, index: int) -> Step:
    return Step("repair", outcome, detail, index, asked.prompt, asked.exchanges)
