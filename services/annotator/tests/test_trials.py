"""A test of cases is tried on what a code could have learnt by heart, however long that is."""

import json

import pytest

from annotator.domain.execution import CaseRun
from annotator.domain.pair import Pair
from annotator.domain.program import MAX_CASES, Case, DataTest, ProgramTest
from annotator.domain.record import CAN_FAIL, CANNOT_FAIL
from annotator.domain.stubs import _CONSTANTS, stub_programs, stub_runs
from annotator.domain.subject import examine
from annotator.usecases.trials import Trials

EVENS = "def primes(n):\n    return list(range(2, 2 * n + 2, 2))"
HOLDS = "len(result) == args[0] and result[0] == 2 and result == sorted(set(result))"


class Machine:
    """Runs functions for what they are; remembers how much checks were asked at once."""

    def __init__(self, hangs=""):
        self.hangs = hangs
        self.asked = []

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
        scope = {}
        exec(source, scope)
        if entry_point == "holds":
            self.asked.append(sum(map(len, inputs)))
        return tuple(self.ended(scope[entry_point], text) for text in inputs)

    def ended(self, function, text):
        if self.hangs and text.endswith(self.hangs):
            return CaseRun("timed_out", message="the time was up")
        try:
            return CaseRun("returned", json.dumps(function(*json.loads(text)), separators=(",", ":")))
        except Exception as error:  # noqa: BLE001  whatever it raises is its answer
            return CaseRun("raised", error_type=type(error).__name__, message=str(error))


async def tried(test, code=EVENS, machine=None):
    trials, subject = Trials(machine or Machine()), examine(Pair("p", "q", "first n primes", "f", code))
    execution = await trials.execute(subject, test, "")
    assert execution.report.result == "passed"
    return await trials.trial(subject, test, execution, 1, "")


@pytest.mark.parametrize("count", [20, 600, 60_000])
async def test_a_constant_is_tried_whatever_its_length(count):
    machine = Machine()
    step = await tried(DataTest("", "", (Case(f"[{count}]", "check", HOLDS),)), machine=machine)
    assert step.outcome == CANNOT_FAIL and "always returns [2,4,6" in step.detail
    assert max(machine.asked) < 1_000_000 and len(machine.asked) > (count > 20_000)


async def test_two_lengths_tell_a_constant_apart():
    cases = (Case("[600]", "check", HOLDS), Case("[601]", "check", f"{HOLDS} and result[-1] == 1202"))
    assert (await tried(DataTest("", "", cases))).outcome == CAN_FAIL


async def test_a_check_that_does_not_end_on_another_result_proves_nothing():
    cases = (Case("[3]", "check", "result == [2, 4, 6]"), Case("[2]", "check", "result == [2, 4]"))
    assert (await tried(DataTest("", "", cases))).outcome == CAN_FAIL
    step = await tried(DataTest("", "", cases), machine=Machine(hangs=",true]"))
    assert step.outcome == CANNOT_FAIL and "do not end on other results: timed_out" in step.detail


def test_no_usual_constant_drops_out():
    cases = [Case(f"[{number}]", "value", f"{number}{number}7") for number in range(1, MAX_CASES + 1)]
    runs = [CaseRun("returned", f"{number}{number}8") for number in range(1, MAX_CASES + 1)]
    kinds = {stub.kind for stub in stub_runs(cases, runs)}
    assert {f"always returns {text}" for text in (*_CONSTANTS, *(run.value for run in runs))} <= kinds


def test_a_long_literal_of_a_program_is_a_constant_too():
    subject = examine(Pair("p", "q", "first n primes", "f", EVENS))
    literal = str(list(range(2, 1202, 2)))
    test = ProgramTest("", "", f"assert primes(600) == {literal}")
    assert any(f"return {literal}" in stub.subject.code for stub in stub_programs(subject, test.tests))


VOWELS = "def vowels(word):\n    return len(word) - 1"


@pytest.mark.parametrize(
    ("code", "cases"),
    [
        (VOWELS, (Case('["tree"]', "value", "3"), Case("[null]", "raises", "TypeError"))),
        (VOWELS, (Case('["tree"]', "value", "3"), Case('["moon"]', "value", "3"),
                  Case("[null]", "raises", "TypeError"))),
        (VOWELS, (Case('["tree"]', "value", "3"), Case("[]", "raises", "TypeError"))),
        (VOWELS, (Case('["tree"]', "value", "3"), Case('["moons"]', "check", "result != 3"))),
        (VOWELS, (Case('["tree"]', "check", "result > 0"), Case("[null]", "raises", "TypeError"))),
        ("def low(x):\n    return x + ''", (Case('["a"]', "value", '"a"'), Case('["b"]', "value", '"b"'),
                                             Case("[null]", "raises", "TypeError"))),
        ("def number(text):\n    return int(text) and True", (Case('["1"]', "value", "true"),
                                                            Case('["x"]', "raises", "ValueError"))),
    ],
)  # fmt: skip
async def test_a_constant_of_each_kind_of_cases_is_tried(code, cases):
    assert (await tried(DataTest("", "", cases), code)).outcome == CANNOT_FAIL


@pytest.mark.parametrize(
    ("code", "cases"),
    [
        (VOWELS, (Case('["tree"]', "value", "3"), Case('["to"]', "value", "1"), Case("[null]", "raises", "TypeError"))),
        # All that is asked of whoever looks at a value is to raise.
        ("def look(x):\n    if x < 0:\n        raise ValueError", (Case("[1]", "value", "null"),
                                                                Case("[-1]", "raises", "ValueError"))),
        (VOWELS, (Case('["tree"]', "value", "3"), Case('["to"]', "check", "result == 1"))),
    ],
)  # fmt: skip
async def test_cases_of_several_kinds_that_tell_codes_apart(code, cases):
    assert (await tried(DataTest("", "", cases), code)).outcome == CAN_FAIL


async def test_a_call_without_its_argument_says_nothing_of_the_code():
    test = DataTest("", "", (Case("[]", "raises", "TypeError"),))
    subject = examine(Pair("p", "q", "vowels", "f", VOWELS))
    assert (await Trials(Machine()).execute(subject, test, "")).report.result == "error"


def test_where_a_program_expects_an_exception_the_constants_raise_it_too():
    subject = examine(Pair("p", "q", "vowels", "f", VOWELS))
    tests = "assert vowels('tree') == 3\ntry:\n    vowels(None)\nexcept TypeError:\n    pass\nelse:\n    assert False"

    def passes(stub):
        scope = {}
        exec(f"{stub.subject.code}\n{tests}", scope)
        return True

    beside = [stub for stub in stub_programs(subject, tests) if stub.kind.startswith("raises as the code does")]
    assert passes(next(stub for stub in beside if stub.kind.endswith(" 3")))
    assert not any("raises as" in stub.kind for stub in stub_programs(subject, "assert vowels('tree') == 3"))


LOWER = "def low(text):\n    return ''.join(chr(ord(c) + 32) if 'A' <= c <= 'Z' else c for c in text)"
BROKEN = [
    "def one(text):\n    return not_there.go(text)",
    "def two(text):\n    return Undefined(text).result() or print(Undefined)",
]


@pytest.mark.parametrize("before", [[], BROKEN, BROKEN * 10])
async def test_a_code_that_cannot_run_is_none_that_a_test_was_tried_on(before):
    codes = [*before, "def three(text):\n    return text.casefold() if text else None"]
    siblings = [Pair(f"s{n}", f"q{n}", "other", f"f{n}", code, "python") for n, code in enumerate(codes)]
    test = DataTest("", "", (Case('["aB"]', "value", '"ab"'), Case('["XY"]', "value", '"xy"')))
    trials, subject = Trials(Machine()), examine(Pair("p", "q", "lower case of ASCII letters only", "f", LOWER))
    execution = await trials.execute(subject, test, "")
    step = await trials.trial(subject, test, execution, 1, "", siblings)
    assert (step.outcome, "passes on three" in step.detail) == (CANNOT_FAIL, True)
