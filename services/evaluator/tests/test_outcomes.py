from __future__ import annotations

import pytest

from evaluator.domain.outcomes import WITHOUT_SANDBOX, Outcome, OutcomeClass, class_of, is_near_miss
from touchstone.sandbox.v1 import sandbox_pb2


def test_every_outcome_has_one_class():
    assert {outcome: class_of(outcome) for outcome in Outcome}.keys() == set(Outcome)
    assert [outcome for outcome in Outcome if class_of(outcome) is OutcomeClass.SUCCESS] == [Outcome.PASSED]
    assert [outcome for outcome in Outcome if class_of(outcome) is OutcomeClass.TEST_FAILURE] == [Outcome.WRONG_OUTPUT]


def test_the_outcomes_are_the_sandboxs_and_our_own():
    names = {name.removeprefix("OUTCOME_").lower() for name, _ in sandbox_pb2.Outcome.items()}
    # What returned is judged by comparing; a platform's fault is nobody's verdict.
    verdicts = names - {"unspecified", "returned", "platform_fault"}
    ours = {outcome.value for outcome in Outcome} - {outcome.value for outcome in WITHOUT_SANDBOX}
    assert ours == verdicts | {"passed", "wrong_output"}


@pytest.mark.parametrize(
    ("passed", "cases", "near"),
    [(98, 100, True), (97, 100, False), (49, 50, True), (48, 50, False), (490, 500, True), (489, 500, False)],
)
def test_a_near_miss_passes_at_least_98_percent(passed, cases, near):
    assert is_near_miss("wrong_output", cases, passed) is near


def test_neither_success_nor_nothing_is_a_near_miss():
    assert not is_near_miss("passed", 100, 100)
    assert not is_near_miss("no_code", 0, 0)
