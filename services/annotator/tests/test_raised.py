"""What a call raised: a kind of what is expected, what the surroundings lack, or what the harness says of a result."""

import dataclasses
import json

import pytest

from annotator.domain.execution import CaseRun, ProgramRun, judge_cases, judge_program
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.program import Case, DataTest
from annotator.domain.raised import is_a
from annotator.domain.subject import examine
from annotator.domain.surroundings import lacks
from annotator.domain.trial import prepare_trial, weakness
from annotator.usecases.cases import accept
from annotator.usecases.forms import ProposedCase
from annotator.usecases.judging import Judge
from touchstone_values import UnportableError, encode

METHOD = dataclasses.replace(ABLATIONS["full"], checker=False)


def came_to(run, case, language="python", code=""):
    """What one case came to."""
    return judge_cases(DataTest("", "", (case,)), (run,), {}, "f", language, code).cases[0].result


def raised(kind, words="some words"):
    return CaseRun("raised", error_type=kind, message=words)


@pytest.mark.parametrize(
    ("language", "kind", "expected", "result"),
    [
        ("python", "json.decoder.JSONDecodeError", "ValueError", "passed"),
        ("python", "UnicodeDecodeError", "ValueError", "passed"),
        ("python", "KeyError", "LookupError", "passed"),
        ("python", "IsADirectoryError", "OSError", "passed"),
        ("python", "OSError", "IOError", "passed"),
        ("python", "ZeroDivisionError", "Exception", "passed"),
        ("python", "ZeroDivisionError", "ValueError", "failed"),
        ("python", "LookupError", "KeyError", "failed"),
        ("python", "TheirError", "ValueError", "error"),
        ("python", "SystemExit", "Exception", "failed"),
        ("java", "java.lang.NumberFormatException", "IllegalArgumentException", "passed"),
        ("java", "java.lang.NumberFormatException", "Exception", "passed"),
        ("java", "java.lang.NumberFormatException", "IllegalStateException", "failed"),
        ("java", "com.theirs.BadThing", "RuntimeException", "error"),
        ("php", "InvalidArgumentException", "LogicException", "passed"),
        ("php", "DivisionByZeroError", "Exception", "failed"),
        ("javascript", "RangeError", "Error", "passed"),
        ("typescript", "TypeError", "RangeError", "failed"),
        ("javascript", "string", "Error", "failed"),
        ("go", "errors.errorString", "error", "passed"),
        ("go", "errors.errorString", "ErrNotFound", "error"),
    ],
)
def test_a_kind_of_what_is_expected_is_what_is_expected(language, kind, expected, result):
    assert came_to(raised(kind), Case("[1]", "raises", expected), language) == result


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("python", "class Wrong(ValueError):\n    pass\n\nclass Worse(Wrong):\n    pass"),
        ("java", "class Wrong extends ValueError {} class Worse<T> extends pack.Wrong {}"),
        ("javascript", "class Wrong extends ValueError {}\nclass Worse extends Wrong {}"),
        ("php", "class Wrong extends \\ValueError {}\nclass Worse extends Wrong {}"),
    ],
)
def test_classes_of_the_codes_own_are_read(language, code):
    assert came_to(raised("Worse"), Case("[1]", "raises", "ValueError"), language, code) == "passed"
    assert is_a("Worse", "ValueError", language) is None
    assert is_a("Worse", "Mine", language, code.replace("ValueError", "Theirs")) is None


def test_what_is_written_in_a_comment_declares_nothing():
    assert is_a("RangeError", "TypeError", "javascript", "// class RangeError extends TypeError") is False
    assert is_a("KeyError", "ValueError", "python", "# class KeyError(ValueError): pass\nx = 1") is False
    assert is_a("KeyError", "ValueError", "python", "no python at all (") is False


SURROUNDINGS = [
    ("urllib.error.URLError", "<urlopen error [Errno -3] Temporary failure in name resolution>"),
    ("socket.gaierror", "[Errno -2] Name or service not known"),
    ("ConnectionError", "HTTPSConnectionPool(host='example.com', port=443): Max retries exceeded with url: /"),
    ("OSError", "[Errno 101] Network is unreachable"),
    ("ConnectionRefusedError", "[Errno 111] Connection refused"),
    ("RuntimeError", "could not load: <urlopen error [Errno -3] Temporary failure in name resolution>"),
    ("FileNotFoundError", "[Errno 2] No such file or directory: 'git'"),
    ("FileNotFoundError", "settings.ini"),
    ("CalledProcessError", "Command 'git log' returned non-zero exit status 127."),
    ("PermissionError", "[Errno 1] Operation not permitted"),
    ("OSError", "[Errno 30] Read-only file system: '/var/log/x'"),
    ("EOFError", "EOF when reading a line"),
    ("RuntimeError", "can't start new thread"),
]


@pytest.mark.parametrize(("kind", "words"), SURROUNDINGS)
def test_what_the_surroundings_lack_says_nothing_of_the_code(kind, words):
    for case in (Case("[1]", "value", "1"), Case("[1]", "check", "len(result) > 0"), Case("[1]", "raises", "KeyError")):
        assert came_to(raised(kind, words), case) == "error", case.kind
    program = f'Traceback (most recent call last):\n  File "/work/candidate.py", line 2, in f\n{kind}: {words}\n'
    run = ProgramRun("exited", 1, stderr=program)
    assert judge_program(run, range(1, 5), entry_point="f", language="python").result == "error"


@pytest.mark.parametrize(
    ("language", "kind", "words"),
    [
        ("java", "java.net.UnknownHostException", "example.com"),
        ("java", "java.io.IOException", 'Cannot run program "git": error=2, No such file or directory'),
        ("javascript", "Error", "getaddrinfo EAI_AGAIN example.com"),
        ("javascript", "TypeError", "fetch failed"),
        ("javascript", "Error", "ENOENT: no such file or directory, open 'x'"),
        ("php", "ErrorException", "file_get_contents(x): Failed to open stream: No such file or directory"),
        ("go", "url.Error", 'Get "http://x": dial tcp: lookup x: Temporary failure in name resolution'),
        ("go", "exec.Error", 'exec: "git": executable file not found in $PATH'),
    ],
)
def test_other_languages_say_so_in_words_of_their_own(language, kind, words):
    assert came_to(raised(kind, words), Case("[1]", "value", "1"), language) == "error"


@pytest.mark.parametrize(
    ("kind", "words"),
    [("ValueError", "Permission denied for ada"), ("KeyError", "'file'"), ("IndexError", "list index out of range"),
     ("TypeError", "cannot connect str and int"), ("FileNotFoundError", "")],
)  # fmt: skip
def test_what_the_code_does_wrong_stays_its_failure(kind, words):
    assert not lacks(kind, words, "python") and came_to(raised(kind, words), Case("[1]", "value", "1")) == "failed"


def test_what_is_expected_may_be_what_is_lacking():
    missing = raised("FileNotFoundError", "[Errno 2] No such file or directory: '/nowhere'")
    assert came_to(missing, Case('["/nowhere"]', "raises", "FileNotFoundError")) == "passed"
    assert came_to(missing, Case('["/nowhere"]', "raises", "OSError")) == "passed"
    assert came_to(missing, Case('["/nowhere"]', "raises", "Exception")) == "error"
    assert came_to(raised("NameError", "name 'x' is not defined"), Case("[1]", "raises", "Exception")) == "error"
    assert came_to(raised("NameError", "name 'x' is not defined"), Case("[1]", "raises", "ValueError")) == "error"


def test_what_the_sandbox_does_not_let_a_code_do_is_no_failure():
    case = Case("[1]", "value", "1")
    assert came_to(CaseRun("forbidden", error_type="SystemCall", message="made a system call"), case) == "error"
    assert came_to(CaseRun("process_limit", message="the process limit was reached"), case) == "error"
    assert came_to(CaseRun("forbidden", error_type="ForeignFrame", message="x"), case) == "failed"
    assert came_to(CaseRun("timed_out", message="the time was up"), case) == "failed"


@pytest.mark.parametrize("words", ["$: dict_keys has no portable form", "$[0].name: Pattern has no portable form"])
def test_a_result_that_cannot_be_written_down_is_no_failure(words):
    run = raised("UnportableError", words)
    assert came_to(run, Case("[1]", "check", "len(result) == 1")) == "error"
    assert came_to(run, Case("[1]", "value", "1")) == "error"
    # It returned, whatever that was.
    assert came_to(run, Case("[1]", "raises", "ValueError")) == "failed"
    assert came_to(run, Case("[1]", "raises", "UnportableError")) == "failed"
    # A code's own exception of the name says other words.
    assert came_to(raised("UnportableError", "I cannot carry it"), Case("[1]", "value", "1")) == "failed"


def test_an_argument_that_a_language_does_not_have_is_no_failure():
    for case in (Case("[1]", "value", "1"), Case("[1]", "raises", "Error")):
        assert came_to(raised("UnportableError", "argument: a set has no portable form"), case, "php") == "error"


def test_a_stub_that_raises_passes_only_what_expects_it():
    """Two kinds of exceptions tell codes apart, also where nobody knows what one of them is built on."""
    test = DataTest("", "", (Case("[1]", "raises", "ValueError"), Case("[2]", "raises", "TheirError")))
    subject = examine(Pair("p", "q", "wish", "f", "def f(x):\n    raise pick(x)", name="f"))
    runs = (raised("ValueError"), raised("TheirError"))
    assert weakness(test, subject, prepare_trial(test, runs), {}) == ""


def test_a_case_names_one_exception():
    given = [ProposedCase(args=[1], raises=said) for said in ("ValueError or TypeError", "json.JSONDecodeError")]
    cases, dropped = accept([*given, ProposedCase(args=[2], raises="socket.error")])
    assert [case.expected for case in cases] == ["JSONDecodeError", "OSError"]
    assert dropped == ("case 0: it names no one exception: ValueError or TypeError",)


class Machine:
    """Runs functions for what they are, and says what the harness says."""

    async def speaks(self, language):
        return True

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
        scope = {}
        exec(source, scope)
        return tuple(self.ended(scope[entry_point], text) for text in inputs)

    def ended(self, function, text):
        try:
            return CaseRun("returned", encode(function(*json.loads(text))))
        except UnportableError as error:
            return raised("UnportableError", str(error))
        except Exception as error:  # noqa: BLE001  whatever it raises is its answer
            return raised(type(error).__name__, str(error))


KEYS = [
    {"args": [{"a": 1, "b": 2}], "check": "sorted(result) == ['a', 'b']"},
    {"args": [{}], "check": "len(result) == 0"},
]
PARSE = [{"args": ["[1, 2]"], "expected": [1, 2]}, {"args": ['{"a": 3}'], "expected": {"a": 3}},
         {"args": ["{"], "raises": "ValueError"}]  # fmt: skip


@pytest.mark.parametrize(
    ("code", "cases", "decided_by"),
    [
        ("def f(d):\n    return d.keys()", KEYS, "arbiter"),
        ("import json\n\ndef f(text):\n    return json.loads(text)", PARSE, "execution"),
    ],
)
async def test_a_right_code_gets_its_yes(scripted, code, cases, decided_by):
    said = scripted(
        screener=['{"reason": "?", "verdict": "unclear"}'],
        cases=[json.dumps({"interpretation": "i", "cases": cases})],
        arbiter=['{"reason": "it does", "label": 1}'],
    )
    record = await Judge(said, Machine(), METHOD).judge(Pair("p", "q", "a wish", "f", code, name="f"))
    assert (record.label, record.decided_by) == (1, decided_by), record.reason
    assert record.evidence != "failed"
