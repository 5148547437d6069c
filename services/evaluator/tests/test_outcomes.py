from __future__ import annotations

import pytest

from evaluator.domain.leaderboard import is_near_miss, leaderboard, row_of
from evaluator.domain.outcomes import WITHOUT_SANDBOX, Outcome, OutcomeClass, class_of
from evaluator.domain.tasks import Attempt, Effort, Solution, Verdict
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
    assert is_near_miss(Verdict(Outcome.WRONG_OUTPUT, cases, passed)) is near


def test_neither_success_nor_nothing_is_a_near_miss():
    assert not is_near_miss(Verdict(Outcome.PASSED, 100, 100))
    assert not is_near_miss(Verdict(Outcome.NO_CODE, 0, 0))


@pytest.fixture
def judged(task, run):
    effort = Effort(100, 10, 0.5, 0.001, 1)

    def make(*entries, **changes):
        attempts = []
        for number, (outcome, fields) in enumerate(entries, start=1):
            reason = fields.pop("retracted", "")
            verdict = outcome and Verdict(outcome, 50, fields.pop("passed", 0), cpu_s=2.0)
            solution = Solution(f"s{number}", "code", effort) if outcome else None
            attempts.append(Attempt(task(number, **fields), solution, verdict, reason))
        return run(attempts=tuple(attempts), **changes)

    return make


def test_a_row_counts_what_stands(judged):
    row = row_of(
        judged(
            (Outcome.PASSED, {}),
            (Outcome.PASSED, {"kind": "WSC", "difficulty": "Hard"}),
            (Outcome.WRONG_OUTPUT, {"passed": 49, "kind": "WSC"}),
            (Outcome.NO_CODE, {"difficulty": "Medium"}),
            (Outcome.NO_CODE, {}),
            (None, {}),
            (Outcome.PASSED, {"retracted": "wrong oracle"}),
        )
    )
    assert (row.pass_at_1.hits, row.pass_at_1.total, row.pending, row.retracted) == (2, 5, 1, 1)
    assert [(name, share.hits, share.total) for name, share in row.by_kind] == [("SC", 1, 3), ("WSC", 1, 2)]
    assert [(name, share.hits, share.total) for name, share in row.by_difficulty] == [
        ("Easy", 1, 3),
        ("Medium", 0, 1),
        ("Hard", 1, 1),
    ]
    assert row.failures == ((Outcome.NO_CODE, 2), (Outcome.WRONG_OUTPUT, 1))
    assert dict(row.classes) == {
        OutcomeClass.SUCCESS: 2,
        OutcomeClass.TEST_FAILURE: 1,
        OutcomeClass.EXECUTION_ERROR: 2,
    }
    assert (row.near_misses, row.effort.tokens_in, row.sandbox_cpu_s) == (1, 500, 10.0)


def test_a_retraction_changes_the_score(judged):
    before = row_of(judged((Outcome.PASSED, {}), (Outcome.WRONG_OUTPUT, {})))
    after = row_of(judged((Outcome.PASSED, {}), (Outcome.WRONG_OUTPUT, {"retracted": "its oracle was wrong"})))
    assert (before.pass_at_1.value, after.pass_at_1.value) == (0.5, 1.0)


def test_the_best_stands_first(judged):
    good = judged((Outcome.PASSED, {}), model="good")
    bad = judged((Outcome.NO_CODE, {}), model="bad")
    go = judged((Outcome.PASSED, {}), model="gopher", language="go")
    empty = judged((Outcome.PASSED, {"retracted": "x"}), model="empty")
    assert [row.run.model for row in leaderboard([bad, go, empty, good])] == ["good", "gopher", "bad"]
    assert [row.run.model for row in leaderboard([bad, go, good], "go")] == ["gopher"]
