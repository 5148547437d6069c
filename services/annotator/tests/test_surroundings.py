"""What a code is not given, and an end that was asked for, are no failures of it."""

from __future__ import annotations

import pytest

from annotator.domain.execution import CaseRun, ProgramRun, judge_cases, judge_program
from annotator.domain.program import Case, DataTest

EXITED = CaseRun("exited", message="ended with exit code 1")


def result(case, run, code, language="python"):
    return judge_cases(DataTest("", "", (case,)), (run,), {}, "f", language, code).result


@pytest.mark.parametrize("language", ["python", "javascript", "php", "java", "go"])
def test_an_end_of_the_process_that_was_asked_for_is_one(language):
    assert result(Case("[1]", "raises", "SystemExit"), EXITED, "", language) == "passed"
    assert result(Case("[1]", "raises", "ValueError"), EXITED, "", language) == "failed"
    assert result(Case("[1]", "value", "1"), EXITED, "", language) == "failed"
    returned = CaseRun("returned", "1")
    assert result(Case("[1]", "raises", "SystemExit"), returned, "", language) == "failed"


@pytest.mark.parametrize(
    ("language", "code", "run"),
    [
        ("python", "import sys\ndef f():\n    return sys.argv[1]", CaseRun("raised", "", "IndexError", "list index")),
        ("python", "import sys\nN = int(sys.argv[1])\ndef f(x): ...", CaseRun("raised", "", "IndexError", "i")),
        ("python", "import os\ndef f():\n    return os.environ['USER']", CaseRun("raised", "", "KeyError", "'USER'")),
        ("python", "ARGS = parser.parse_args()\ndef f(x):\n    return x", CaseRun("exited", message="exit code 2")),
        ("javascript", "function f() { return process.argv[2]; }", CaseRun("raised", "", "TypeError", "u")),
        ("java", "int f() { return System.getenv(A).length(); }", CaseRun("raised", "", "NullPointerException", "n")),
        ("go", "func f() string { return os.Args[1] }", CaseRun("raised", "", "panic", "index out of range [1]")),
        ("python", "import time\ndef f(n):\n    time.sleep(n)", CaseRun("timed_out", message="the time was up")),
        ("java", "void f(int n) { Thread.sleep(n); }", CaseRun("timed_out", message="the time was up")),
    ],
)  # fmt: skip
def test_what_a_code_is_not_given_is_no_failure(language, code, run):
    assert result(Case("[1]", "value", "1"), run, code, language) == "error"
    plain = "def f(x):\n    return x[0]"
    assert result(Case("[1]", "value", "1"), run, plain, language) == "failed"


def test_the_same_of_a_program():
    stderr = (
        "Traceback (most recent call last):\n  File \"/work/candidate.py\", line 2, in f\n    x\nKeyError: 'USER'\n"
    )
    run = ProgramRun("exited", 1, stderr=stderr)
    assert judge_program(run, range(1, 4), language="python", text="return os.environ['USER']").result == "error"
    assert judge_program(run, range(1, 4), language="python", text="return x['USER']").result == "failed"
