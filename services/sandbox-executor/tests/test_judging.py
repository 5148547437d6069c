"""Verdicts: only answers that equal the expected ones pass."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_executor.domain.judging import MOST_FAILURES, Judge, judge_case
from sandbox_executor.domain.outcomes import CaseResult, Outcome


def returned(index, value):
    return CaseResult(index, Outcome.RETURNED, value)


def test_equal_values_pass():
    assert judge_case(returned(0, "1.0"), "1", "portable") is None
    assert judge_case(returned(0, '{"$":"tuple","v":[1]}'), "[1]", "portable") is None


def test_unequal_values_are_wrong_output_and_say_where():
    failure = judge_case(returned(0, "[1,3]"), "[1,2]", "portable")
    assert failure is not None
    assert failure.outcome == "wrong_output"
    assert "$[1]" in failure.detail


@given(st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.RETURNED]), st.text(max_size=3))
def test_no_other_outcome_passes_whatever_it_carries(outcome, words):
    result = CaseResult(0, outcome, "1", words, words)
    failure = judge_case(result, "1", "portable")
    assert failure is not None
    assert failure.outcome == outcome.value


def judge(results, expected, stop=0):
    judging = Judge(tuple(expected), "portable", stop)
    for result in results:
        judging.take(result)
    return judging


def test_verdicts():
    assert judge([returned(0, "1"), returned(1, "2")], ["1", "2"]).verdict(1, 1, 1).outcome == "passed"
    late = judge([returned(0, "1"), CaseResult(1, Outcome.TIMED_OUT)], ["1", "2"]).verdict(1, 1, 1)
    assert (late.outcome, late.passed, late.cases) == ("timed_out", 1, 2)


def test_a_suite_is_not_passed_by_silence():
    assert judge([], ["1"]).verdict(0, 0, 0).outcome == "platform_fault"
    assert judge([returned(0, "1")], ["1", "2"]).verdict(0, 0, 0).outcome == "platform_fault"
    assert judge([], []).verdict(0, 0, 0).outcome == "platform_fault"


def test_failures_are_counted_beyond_those_that_are_kept():
    judging = judge([returned(i, "0") for i in range(200)], ["1"] * 200)
    assert (judging.failed, len(judging.failures)) == (200, MOST_FAILURES)


@pytest.mark.parametrize(("stop", "enough"), [(0, False), (3, False), (2, True), (1, True)])
def test_enough(stop, enough):
    assert judge([returned(0, "0"), returned(1, "0")], ["1", "1", "1"], stop).enough is enough
