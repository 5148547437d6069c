"""How a program's end is told from what it printed, in every language."""

from __future__ import annotations

import pytest

from annotator.domain.execution import ProgramRun, judge_program
from annotator.domain.headline import headline

_STACK = "\n".join(f"    at step{place} (node:internal/modules/cjs/loader:{place}:7)" for place in range(8))
_NODE = f"""node:assert:152
  throw new AssertionError(obj);
  ^

AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

'abx' !== 'ba'

    at Object.<anonymous> (/work/candidate.js:9:8)
{_STACK} {{
  generatedMessage: true,
  code: 'ERR_ASSERTION',
  actual: 'abx',
  expected: 'ba',
  operator: 'strictEqual',
  diff: 'simple'
}}

Node.js v24.19.0
"""
_PROMISE = f"""node:internal/process/promises:394
    triggerUncaughtException(err, true /* fromPromise */);
    ^

AssertionError [ERR_ASSERTION]: The expression evaluated to a falsy value:

  assert.ok(false)

    at /work/candidate.js:9:57
{_STACK} {{
  actual: false,
  expected: true,
  operator: '==',
  diff: 'simple'
}}

Node.js v24.19.0
"""
_LINES = """Traceback (most recent call last):
  File "/work/candidate.py", line 9, in <module>
    assert got == [3, 2, 1], "lines"
           ^^^^^^^^^^^^^^^^
AssertionError: wrong:
1
2
TypeError: this is a part of the message
3
4
5
6
"""
_LAMBDAS = "\n".join(f"\tat java.base/java.util.stream.Stage{place}.accept(Unknown Source)" for place in range(9))
_STREAM = f"""Exception in thread "main" java.lang.AssertionError: twice 1
Exception: a line of the message
\tat Main.lambda$1(candidate.java:9)
{_LAMBDAS}
"""
_NEXT = """Fatal error: Uncaught TypeError: a in /work/candidate.php:2
Stack trace:
#0 {main}

Next AssertionError: b
TypeError: a line of the message in /work/candidate.php:9
Stack trace:
#0 /work/candidate.php(9): one()
#1 /work/candidate.php(9): two()
#2 /work/candidate.php(9): three()
#3 /work/candidate.php(9): four()
#4 {main}
  thrown in /work/candidate.php on line 9
"""
_FRAMES = "\n".join(f"main.step{place}(...)\n\t/work/candidate.go:{place} +0x1d" for place in range(9))
_PANIC = f"panic: assertion failed: twice\nof one\n\ngoroutine 1 [running]:\n{_FRAMES}\nexit status 2\n"


@pytest.mark.parametrize(
    ("language", "stderr"),
    [
        ("javascript", _NODE),
        ("typescript", _NODE.replace("candidate.js", "candidate.ts")),
        ("javascript", _PROMISE),
        ("python", _LINES),
        ("java", _STREAM),
        ("php", _NEXT),
        ("go", _PANIC),
    ],
)
def test_a_failed_assertion_is_a_failure_however_much_stands_behind_it(language, stderr):
    report = judge_program(ProgramRun("exited", 1, stderr=stderr), range(1, 4), language=language)
    assert (report.result, report.detail) == ("failed", "an assertion failed")


def test_what_a_code_prints_before_names_no_exception():
    told = "ReferenceError: none is not defined"
    stderr = f"AssertionError: noise\n/work/candidate.js:9\nnone.x;\n     ^\n\n{told}\n{_STACK}"
    assert headline(stderr, "javascript") == told
    report = judge_program(ProgramRun("exited", 1, stderr=stderr), range(1, 4), language="javascript")
    assert report.result == "error"


@pytest.mark.parametrize(
    ("language", "stderr", "told"),
    [
        ("javascript", "\n/work/candidate.js:1\nthrow 'text'\n^\ntext\n(Use `node --trace-uncaught ...`)\n", "text"),
        ("python", '  File "/work/candidate.py", line 1\n    a b\n      ^\nSyntaxError: no', "SyntaxError: no"),
        ("java", 'Exception in thread "main" java.lang.NoClassDefFoundError: X\n\tat Main.main(Main.java:1)\n'
         "Caused by: java.lang.ClassNotFoundException: X\n", "java.lang.NoClassDefFoundError: X"),
        ("php", "PHP Fatal error:  Uncaught Error: Call to undefined function f() in /work/candidate.php:2\n#0 {main}",
         "Error: Call to undefined function f() in /work/candidate.php:2"),
        ("go", "panic: one\n\ngoroutine 1 [running]:\n", "panic: one"),
        ("go", "2026/11/30 it is over\n", "2026/11/30 it is over"),
    ],
)  # fmt: skip
def test_an_exception_is_named_where_its_language_names_it(language, stderr, told):
    assert headline(stderr, language) == told


def test_what_java_lacks_is_no_failure_of_the_code():
    stderr = 'Exception in thread "main" java.lang.NoClassDefFoundError: X\n\tat Main.f(candidate.java:2)\n'
    assert judge_program(ProgramRun("exited", 1, stderr=stderr), range(1, 4), language="java").result == "error"


@pytest.mark.parametrize(
    ("stderr", "result"),
    [
        ("..\n-------\nRan 2 tests in 0.000s\n\nOK\n", "passed"),
        ("s.\n-------\nRan 2 tests in 0.000s\n\nOK (skipped=1)\n", "passed"),
        ("\n-------\nRan 0 tests in 0.000s\n\nOK\n", "error"),
        ("", "error"),
    ],
)
def test_a_suite_of_python_that_ends_the_process_has_passed_where_it_says_so(stderr, result):
    assert judge_program(ProgramRun("returned", stderr=stderr), ending="the end", language="python").result == result
