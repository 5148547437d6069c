"""Answers that mean harm: large, deep, slow or unspeakable ones are an outcome of their case, never our fault."""

import re
import time

import pytest

from sandbox_executor.adapters.examining import ProcessExaminer
from sandbox_executor.adapters.hosting.preloading import preload_for
from sandbox_executor.adapters.running import Setting
from sandbox_executor.domain.frames import LARGE, Returned, read_answer
from sandbox_executor.domain.jobs import MAX_SOURCE, CasesJob
from sandbox_executor.domain.judging import Failure, Judge, difference, judge_case
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.ports import StoredSuite
from sandbox_executor.usecases import Executor
from touchstone_values import MalformedValueError

MIB = 1 << 20


@pytest.fixture(scope="module")
def examiner():
    found = ProcessExaminer(1, memory_bytes=400 * MIB, cpu_s=5)
    yield found
    found.close()


def returned(value):
    return CaseResult(0, Outcome.RETURNED, value)


def test_a_key_with_nul_makes_a_failure_that_can_be_stored():
    failure = judge_case(returned('{"a\\u0000":2}'), '{"a\\u0000":1}', "exact")
    assert failure is not None and failure.outcome == "wrong_output"
    assert "\0" not in failure.detail and "a\ufffd" in failure.detail
    assert Failure(0, "raised", "\ud800" + "x" * 999).detail.encode()


def test_a_legal_tuple_of_any_depth_is_judged():
    for depth in (198, 199, 200):
        value = '{"$":"tuple","v":[' * depth + "1" + "]}" * depth
        assert read_answer(b'{"i":0,"o":"returned","v":' + value.encode() + b"}", 0) == Returned(value)
        assert judge_case(returned(value), value, "exact") is None
        assert judge_case(returned(value), value.replace("1", "2"), "exact") is not None
        assert judge_case(returned(value), "1", "portable") is not None


@pytest.mark.parametrize("error", [RecursionError, MemoryError, OverflowError, ZeroDivisionError])
def test_whatever_breaks_over_an_answer_is_that_answers_outcome(error, monkeypatch):
    def explode(*_):
        raise error

    monkeypatch.setattr("sandbox_executor.domain.judging.compare", explode)
    failure = judge_case(returned("1"), "2", "exact")
    assert failure is not None and error.__name__ in failure.detail
    # And the suite's own fault is not the candidate's.
    monkeypatch.undo()
    with pytest.raises(MalformedValueError):
        judge_case(returned("1"), "nonsense", "exact")


HUGE = '{"$":"int","v":"' + "9" * 4000 + '000"}'
BOMBS = {
    "many empty lists": "[" + ",".join(["[]"] * 3_000_000) + "]",
    "set of huge integers": '{"$":"set","v":[' + ",".join(HUGE.replace("000", f"{i:03}") for i in range(999)) + "]}",
    "one long text": '"' + "x" * (4 * MIB) + '"',
    "unterminated": "[" * (2 * MIB),
    "long number": "1." + "7" * (2 * MIB),
    "many keys": "{" + ",".join(f'"{i}":{{}}' for i in range(300_000)) + "}",
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_large_answers_are_read_where_they_hurt_nobody(examiner, name):
    before = memory()
    words = examiner.difference("[1]", BOMBS[name], "portable")
    assert words
    assert memory() - before < 100 * MIB
    # The next one is answered as ever.
    large = "[" + ",".join(map(str, range(LARGE))) + "]"
    assert examiner.difference(large, large + " ", "exact") == ""
    assert "$[7]" in examiner.difference(large, large.replace(",7,", ",8,", 1), "exact")
    assert examiner.fault(large) == ""


def memory():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) * 1024


def test_an_answer_that_takes_too_long_ends_its_reader_only(examiner):
    pair = '{"$":"tuple","v":[1.0,{"$":"frozenset","v":[AT,7.0]}]}'
    expected = '{"$":"set","v":[' + ",".join(pair.replace("AT", str(0.5 + i * 1e-9)) for i in range(9000)) + "]}"
    actual = expected.replace("7.0", "7.1")
    began = time.monotonic()
    assert examiner.difference(expected, actual, "exact")
    assert time.monotonic() - began < 120
    assert examiner.difference("[1]", "[2]", "exact")


def test_a_damaged_suite_is_not_the_candidates_fault(examiner):
    with pytest.raises(MalformedValueError):
        examiner.difference("[" * LARGE, "[1]", "exact")
    with pytest.raises(MalformedValueError):
        difference("[", "[1]", "exact")


async def test_callers_never_get_a_large_value_that_is_none(scripted, examiner):
    answers = {0: "[" + "1," * LARGE + "1]", 1: "[" + "1," * LARGE + "1],[]"}
    executor = Executor({"scripted": scripted(lambda index, _: CaseResult(index, Outcome.RETURNED, answers[index]))}, 1,
                        examiner=examiner)  # fmt: skip
    try:
        job = CasesJob("python", "", "f", ("[]", "[]"), DEFAULT)
        results = [result async for group in executor.run_cases(job) for result in group]
        assert [result.outcome for result in results] == [Outcome.RETURNED, Outcome.FORBIDDEN]
        suite = StoredSuite("exact", "f", ("[]", "[]"), (answers[0], "[1]"))
        verdict = await executor.judge(job, suite)
        assert (verdict.passed, verdict.failures[0].index) == (1, 1)
    finally:
        executor.close()


def test_the_judge_uses_the_comparison_that_it_is_given():
    judge = Judge(("1", "1"), "exact", difference=lambda expected, actual, mode: "never")
    assert judge.take(returned("1")) is None
    assert judge.take(returned("2")).detail == "never"


@pytest.mark.parametrize(
    "source",
    [
        "import \\\n os",
        "import",
        "import ,",
        "import  \t",
        "import a as",
        "from . import x",
        "import numpy, pandas as p",
    ],
)
def test_no_source_breaks_what_looks_at_its_imports(source):
    preload = preload_for(Setting(LANGUAGES["python"], source, DEFAULT, "", 1, {}))
    assert preload == (("numpy", "pandas") if "pandas" in source else ())


@pytest.mark.parametrize(
    "piece",
    ["import ", " ", "\t \t", "import a,", "from  ", "import a\n", "import" + " " * 999 + "\n", "import x, " * 9],
)
def test_imports_of_a_source_are_looked_for_in_linear_time(piece):
    began = time.process_time()
    preload_for(Setting(LANGUAGES["python"], piece * (MAX_SOURCE // len(piece)), DEFAULT, "", 1, {}))
    # Quadratic time is minutes.
    assert time.process_time() - began < 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_last_words_are_looked_at_in_linear_time(language):
    from sandbox_executor.domain.languages.definition import read_death

    began = time.process_time()
    for piece in (
        "FATAL ERROR: ",
        "Fatal error: ",
        "Fatal error: Uncaught ",
        "goroutine stack exceeds 1",
        "panic: ",
        "\n",
        " ",
    ):
        read_death(LANGUAGES[language], piece * (40_000 // len(piece)))
    assert time.process_time() - began < 2
