"""What an execution says: which tests passed, and whether it was an execution at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from annotator.domain.dependencies import missing_module
from annotator.domain.headline import closing_words, headline
from annotator.domain.meant import difference, only_named
from annotator.domain.program import Case, DataTest
from annotator.domain.raised import ANYTHING, is_a, short_name
from annotator.domain.surroundings import lacks, lacks_in, not_given, refused, waits
from annotator.domain.text import clipped, steady

# How a call or a program ended, in the sandbox's words.
Outcome = Literal[
    "returned",
    "raised",
    "timed_out",
    "memory",
    "output_limit",
    "process_limit",
    "compile_error",
    "exited",
    "killed",
    "forbidden",
]

# What a test came to. "error" means that nothing was learnt about the code.
Result = Literal["passed", "failed", "error"]

# What a check says of a result. "misfit": it broke, since the result is of another kind than those that it is about;
# "broken": it broke, and nobody knows whose fault that is.
Held = Literal["yes", "no", "misfit", "broken"]

_ASSERTION = re.compile(r"assertion ?(error|failed|failure)", re.IGNORECASE)
# PHP says more before the name.
_EXCEPTION = re.compile(r"(?:(?:PHP )?Fatal error: +)?(?:Uncaught )?([\w.\\]*(?:Error|Exception))\b")
# Python's, JavaScript's, Java's, PHP's and the harnesses' own words for what is not there, or was not called rightly.
_SCAFFOLDING_ERRORS = frozenset(
    {
        *("ModuleNotFoundError", "ImportError", "NameError", "SyntaxError", "IndentationError", "ReferenceError"),
        *("NoClassDefFoundError", "ClassNotFoundException", "ArgumentError", "MalformedValueError"),
    }
)
_MISCALLED = re.compile(
    r"missing \d+ required|takes .* argument|unexpected keyword argument|multiple values for"
    r"|Argument #\d+ .* must be of type|Too few arguments"
)
_COUNTED = re.compile(
    r"missing \d+ required|takes .* argument|unexpected keyword argument|multiple values for|Too few arguments"
)
# Whom such words blame.
_CALLED = re.compile(r"([\w<>]+)\(\)")
_ABSENT = re.compile(
    r"Call to undefined function|(?:Class|Interface|Trait|Enum) \"[^\"]+\" not found|Undefined constant"
    r"|Failed opening required|Cannot find (?:module|package)"
)
# By this every harness says that a call returned what cannot be written down, or was given what its language lacks.
_UNPORTABLE = "UnportableError"
_NO_FORM = re.compile(r"\$.* has no portable form", re.DOTALL)
_UNTOLD = "no portable form tells what was returned or given"
# How a test may call the end of a process, whatever the language.
_EXIT = re.compile(r"exit", re.IGNORECASE)
# Python's runner of tests ends the process itself, and says before what came of its tests.
_SUITE_HELD = re.compile(r"^Ran [1-9]\d* tests? in [^\n]*\n\nOK(?: \([^\n]*\))?\s*\Z", re.MULTILINE)
_UNNAMED = "no plain JSON names what was returned, so that nothing tells whether it is what is expected"
_NO_ARGUMENT = re.compile(r"argument: .* has no portable form", re.DOTALL)
# An attribute that a stand-in of the test lacks is the test's fault.
_STAND_IN = re.compile(r"'(?:[\w.]*\.)?(?:SimpleNamespace|Mock|MagicMock|object|NoneType)' object has no attribute")
_PLACE = re.compile(r"(?:/work/|\b)(?:candidate|main)\.\w+(?:\"?, line |:)(\d+)")
_DETAIL = 300
# What is said of a test that brings along what the code works by.
SUPPLIED = "What the code works by is not in it, and the test made it up"
_OUTPUT = 1500


@dataclass(frozen=True, slots=True)
class CaseRun:
    """How one call ended, as the sandbox measured it.

    Attributes:
        value: Portable value, JSON text; only where the call returned.
        message: The exception's message, or the compiler's words.
    """

    outcome: Outcome
    value: str = ""
    error_type: str = ""
    message: str = ""
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """How one program ended, as the sandbox measured it."""

    outcome: Outcome
    exit_code: int = 0
    stdout: str = ""
    stderr: str = ""
    detail: str = ""
    wall_s: float = 0.0


@dataclass(frozen=True, slots=True)
class CaseReport:
    """One case, judged outside the code's process."""

    arguments: str
    expected: str
    result: Result
    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """The report that the arbiter reads.

    Attributes:
        result: "error" where the execution taught us nothing about the code.
        detail: One line.
        cases: Case by case, where the test was data.
        output: What the program printed, bounded, without what changes from run to run.
        missing: Importable module that was not there.
        supplied: What the code works by, and only its test brings along: then the test shows nothing of the code.
        self_reported: True where the code under test could have influenced what is said here.
        simulated: True where nothing ran, and a model predicted this.
    """

    result: Result
    detail: str
    cases: tuple[CaseReport, ...] = ()
    output: str = ""
    missing: str = ""
    self_reported: bool = True
    simulated: bool = False
    supplied: tuple[str, ...] = ()

    @property
    def left_out(self) -> int:
        """How many cases say nothing of the code, where others might say that it fails them."""
        return sum(case.result == "error" for case in self.cases)

    @property
    def untold(self) -> bool:
        """Whether nothing was learnt since no result can be written down, which no repair of the test can change."""
        return bool(self.cases) and all(case.detail.startswith((_UNTOLD, _UNNAMED)) for case in self.cases)

    @property
    def all_passed(self) -> bool:
        """Whether a test passed, and no call of it ended by an exception that tells nothing."""
        return self.result == "passed" and not any(
            case.result == "error" and case.outcome == "raised" for case in self.cases
        )


def judge_cases(
    tests: DataTest,
    runs: tuple[CaseRun, ...],
    held: Mapping[int, Held],
    entry_point: str = "",
    language: str = "",
    code: str = "",
) -> Report:
    """Compare what the calls returned with what the query lets us expect.

    Args:
        tests: The cases, in order.
        runs: One run for each case, in the same order.
        held: For the cases with a check whose call returned: what it says of the result.
        entry_point: What the cases call; where nobody knows, every wrong call counts as the test's.
        language: That of the code, which may not tell two values apart.
        code: The code itself, which may declare exceptions.
    """
    own = _Own(entry_point, tests.setup, language, code)
    reports = tuple(
        _judge(case, run, held.get(index, "broken"), own)
        for index, (case, run) in enumerate(zip(tests.cases, runs, strict=True))
    )
    missing = next((name for run in runs if (name := missing_module(f"{run.error_type}: {run.message}"))), "")
    counts = {result: sum(report.result == result for report in reports) for result in ("passed", "failed", "error")}
    result: Result = "failed" if counts["failed"] else ("passed" if counts["passed"] else "error")
    detail = (
        f"{counts['passed']} of {len(reports)} cases passed, {counts['failed']} failed, {counts['error']} not usable"
    )
    return Report(result, detail, reports, missing=missing, self_reported=False)


def judge_program(
    run: ProgramRun,
    code: range = range(0),
    ending: str = "",
    entry_point: str = "",
    setup: str = "",
    language: str = "",
    text: str = "",
    suite: bool = True,
) -> Report:
    """Say what a program's end means.

    A failed assertion is a result; so is an exception that the code under test raised, or an end that it brought
    about. Any other failure is an error of the test.

    Args:
        run: How the program ended.
        code: The lines of the program in which the code under test stands.
        ending: What the program prints after its last assertion; empty where nothing is printed then.
        entry_point: What the test calls; where nobody knows, every wrong call counts as the test's.
        setup: The test's own scaffolding.
        language: That of the program.
        text: The code under test itself.
        suite: Whether tests may be a suite of `unittest`, which ends the process itself.
    """
    output = clipped(steady("\n".join(part for part in (run.stdout, run.stderr) if part.strip())), _OUTPUT)
    if ending:
        output = output.replace(ending, "").rstrip("\n")
    if run.outcome == "returned":
        if ending and ending not in run.stdout and not (suite and _SUITE_HELD.search(run.stderr)):
            return Report("error", "the program ended before its last assertion", output=output)
        return Report("passed", "the program ended normally", output=output)
    if run.outcome in {"exited", "raised"}:
        words = closing_words(run.stderr, language) or closing_words(run.stdout, language)
        if _ASSERTION.search(words):
            return Report("failed", "an assertion failed", output=output)
        if _raised_by(run.stderr or run.stdout, code, _Own(entry_point, setup, language, text)):
            detail = clipped(steady(f"the code raised {headline(run.stderr, language)}"), _DETAIL)
            return Report("failed", detail, output=output)
    # A traceback tells more than an exit code; for all other ends the sandbox knows best.
    named = headline(run.stderr, language)
    told = (named, run.detail) if run.outcome == "exited" else (run.detail, named)
    words = steady(told[0] or told[1]) or f"exit code {run.exit_code}"
    detail = clipped(f"{run.outcome}: {words}", _DETAIL)
    return Report("error", detail, output=output, missing=missing_module(f"{run.stderr}\n{run.detail}"))


def describe(report: Report, limit: int) -> str:
    """The report as a model reads it."""
    lines = [f"Result: {report.result} ({report.detail})"]
    if report.supplied:
        lines.append(f"{SUPPLIED}: {clipped(', '.join(report.supplied), 200)}. The result may be theirs.")
    for index, case in enumerate(report.cases, 1):
        words = f"; {case.detail}" if case.detail else ""
        lines.append(f"{index}. arguments {clipped(case.arguments, 200)}: {case.result}{words}")
    if report.output:
        lines.append(f"Output:\n{report.output}")
    return clipped("\n".join(lines), limit)


@dataclass(frozen=True, slots=True)
class _Own:
    """What a test calls by itself, in which language, and what it brings along: a wrong call of these is the test's."""

    entry_point: str
    setup: str
    language: str = ""
    code: str = ""

    def raised_as(self, run: CaseRun, expected: str) -> bool | None:
        """Whether what a call raised is what is expected; None where nothing tells."""
        found = is_a(run.error_type, expected, self.language, self.code)
        return is_a(run.error_type, expected, self.language, self.setup) if found is None else found

    def miscalls(self, words: str) -> bool:
        """Whether an exception tells of a wrong call that is the test's, and not one inside the code."""
        if not _MISCALLED.search(words):
            return False
        named = _CALLED.search(words)
        if named is None or not self.entry_point or named[1] in (self.entry_point, "<lambda>", "__init__"):
            return True
        return re.search(rf"\b{re.escape(named[1])}\b", self.setup) is not None


def _judge(case: Case, run: CaseRun, held: Held, own: _Own) -> CaseReport:
    kind, expected = case.kind, case.expected

    def report(result: Result, detail: str = "") -> CaseReport:
        words = clipped(steady(detail), _DETAIL)
        return CaseReport(case.arguments, f"{kind}: {expected}", result, run.outcome, words)

    if run.outcome == "raised" and _shows_nothing(run):
        if kind == "raises" and _NO_FORM.match(run.message):
            return report("failed", f"returned what has no portable form instead of raising {expected}")
        return report("error", f"{_UNTOLD}: {run.message}")
    if run.outcome == "raised":
        raised = f"raised {run.error_type}: {run.message}"
        lacking = _is_scaffolding(run, own) or lacks(run.error_type, run.message, own.language)
        lacking = lacking or not_given(run.error_type, own.code)
        if kind != "raises":
            return report("error" if lacking else "failed", raised)
        found = own.raised_as(run, expected)
        if _COUNTED.search(run.message) and _is_miscalled(run, own):
            # Whatever takes arguments raises so where it is called without.
            return report("error", f"{raised}; the call is none of what is called")
        if found and not (lacking and expected in ANYTHING and short_name(run.error_type) != expected):
            return report("passed", raised)
        if found is False and not lacking:
            return report("failed", raised)
        why = "the surroundings or the test lack something" if lacking else f"nothing tells whether that is {expected}"
        return report("error", f"{raised}; {why}")
    if refused(run.outcome, run.error_type):
        return report("error", f"{run.outcome} {run.message}".strip())
    if run.outcome == "compile_error":
        return report("error", f"did not load: {run.message}")
    if run.outcome == "exited" and kind == "raises" and _EXIT.search(expected):
        return report("passed", run.message)
    if run.outcome == "exited" and not_given("SystemExit", own.code):
        return report("error", f"{run.outcome} {run.message}; the code was given no command line and no environment")
    if run.outcome == "timed_out" and waits(own.code):
        return report("error", f"{run.outcome} {run.message}; the code waits, and may last longer than a call")
    if run.outcome != "returned":
        return report("failed", f"{run.outcome} {run.message}".strip())
    if kind == "raises":
        return report("failed", f"returned {run.value} instead of raising {expected}")
    if kind == "check":
        match held:
            case "yes":
                return report("passed", f"returned {run.value}; check held")
            case "no":
                return report("failed", f"returned {run.value}; check did not hold")
            case "misfit":
                # What has no length fails whoever asks for one, as it would fail where a value were expected.
                detail = f"returned {clipped(run.value, 200)}, which is not of the kind that its check is about"
                return report("failed", detail)
            case "broken":
                return report("error", "the check broke, and nothing tells that the result is at fault")
    other = difference(expected, run.value, own.language)
    if other is None:
        return report("passed", f"returned {run.value}")
    if only_named(expected, run.value, own.language):
        return report("error", f"{_UNNAMED}: {run.value}")
    return report("failed", f"returned {clipped(run.value, 200)}: {other}")


def _raised_by(output: str, code: range, own: _Own) -> bool:
    """Whether a traceback says that the code under test raised, and nothing that it lacks was the reason."""
    named = headline(output, own.language)
    name = _EXCEPTION.match(named)
    if name and re.split(r"[.\\]", name[1])[-1] in _SCAFFOLDING_ERRORS:
        return False
    if _ABSENT.search(named) or own.miscalls(named) or _STAND_IN.search(named):
        return False
    if lacks_in(named, own.language) or not_given(name[1] if name else "", own.code):
        return False
    places = [int(line) for line in _PLACE.findall(output)]
    if not places:
        return False
    # Python names the place of the exception last, the others first.
    return places[-1 if "Traceback (most recent call last)" in output else 0] in code


def _shows_nothing(run: CaseRun) -> bool:
    """Whether the harness, and no code, says that a result or an argument cannot be written down.

    A code that says so itself, in these words, has no more of it than one that raises a NameError.
    """
    told = _NO_FORM.match(run.message) or _NO_ARGUMENT.match(run.message)
    return run.error_type == _UNPORTABLE and told is not None


def _is_scaffolding(run: CaseRun, own: _Own) -> bool:
    """Whether an exception tells of the surroundings, or of a wrong call, rather than of the code."""
    name = run.error_type.split(".")[-1]
    if name in _SCAFFOLDING_ERRORS or _ABSENT.search(run.message):
        return True
    return _is_miscalled(run, own)


def _is_miscalled(run: CaseRun, own: _Own) -> bool:
    """Whether a test gave what is called other arguments than it takes."""
    return short_name(run.error_type) in ("TypeError", "ArgumentCountError") and own.miscalls(run.message)
