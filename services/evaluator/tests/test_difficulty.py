"""How hard tasks are, from what all models made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.difficulty import difficulties, fitted
from evaluator.domain.outcomes import Outcome
from evaluator.domain.results import Cell, RunResults
from evaluator.domain.scores import scores_of, tally_of

ANSWERS = st.dictionaries(
    st.sampled_from("abcdef"),
    st.dictionaries(
        st.sampled_from("stuvwx"), st.tuples(st.integers(0, 5), st.integers(0, 5)).map(lambda p: (max(p), min(p)))
    ),
)


def test_a_task_that_strong_models_fail_is_harder_than_one_that_weak_ones_fail():
    many = {f"t{number}": (1, 1) for number in range(20)}
    none = {f"t{number}": (1, 0) for number in range(20)}
    # Each was met by one model and failed; the strong one solves all else.
    found = difficulties({"strong": many | {"hard": (1, 0)}, "weak": none | {"usual": (1, 0)}})
    assert found["hard"].value > found["usual"].value + 1.0


def test_what_nobody_met_has_no_difficulty_and_what_nobody_solved_a_finite_one():
    found = difficulties({"a": {"met": (3, 0), "unmet": (0, 0)}, "b": {}})
    assert set(found) == {"met"} and 0.0 < found["met"].value < 5.0
    assert found["met"].low < found["met"].value < found["met"].high
    assert difficulties({}) == {} and difficulties({"a": {}}) == {}


@given(ANSWERS)
def test_every_difficulty_is_a_number_and_the_order_of_runs_and_tasks_decides_nothing(answers):
    found = difficulties(answers)
    turned = {run: dict(reversed(each.items())) for run, each in reversed(answers.items())}
    assert difficulties(turned) == found
    assert set(found) == {task for each in answers.values() for task, (judged, _) in each.items() if judged}
    assert all(np.isfinite([each.low, each.value, each.high]).all() for each in found.values())


def test_simulated_difficulties_come_back_within_their_intervals():
    draw = np.random.default_rng(3)
    ability, hardness = draw.normal(0, 1.2, 40), draw.normal(0, 1.2, 150)
    passes = draw.random((40, 150)) < 1 / (1 + np.exp(hardness[None, :] - ability[:, None]))
    answers = {f"r{row}": {f"t{at}": (1, int(passes[row, at])) for at in range(150)} for row in range(40)}
    found = difficulties(answers)
    truth = hardness - ability.mean()
    values = np.array([found[f"t{at}"].value for at in range(150)])
    held = np.mean([found[f"t{at}"].low <= truth[at] <= found[f"t{at}"].high for at in range(150)])
    assert np.corrcoef(values, truth)[0, 1] > 0.9
    assert 0.9 <= held <= 0.99


@pytest.mark.parametrize("samples", [20, 100])
def test_many_samples_of_a_run_make_no_difficulty_surer_than_its_one_model_can(samples):
    draw = np.random.default_rng(3)
    held = []
    for _ in range(20):
        ability, hard = draw.normal(0, 1, 5), draw.normal(0, 1.5, 100)
        ability -= ability.mean()
        # Models differ by task beyond their one ability.
        chance = 1 / (1 + np.exp(hard[None] - ability[:, None] - draw.normal(0, 1, (5, 100))))
        found, error = fitted(np.full((5, 100), float(samples)), draw.binomial(samples, chance).astype(float))
        held.append(np.abs(found - hard) <= 1.96 * error)
    assert np.mean(held) >= 0.93


def test_runs_that_answered_nothing_move_no_difficulty(run, task, facts):
    tasks = [task(number, source=f"p{number}") for number in range(1, 21)]
    known = {each.task_id: facts(each) for each in tasks}

    def tally(name, *outcomes):
        cells = [(Cell(outcome, False, 1, 1, 1.0, 0.0, 0.0),) for outcome in outcomes]
        ids = [each.task_id for each in tasks]
        return tally_of(RunResults(run(run_id=name), dict(zip(ids, cells, strict=True))))

    judged = [tally(f"s{number}", *[Outcome.PASSED] * 18, *[Outcome.WRONG_OUTPUT] * 2) for number in range(3)]
    begun = [tally(f"h{number}", *([""] * 19), Outcome.INFRASTRUCTURE) for number in range(9)]
    alone, beside = scores_of(judged, (), known), scores_of(judged + begun, (), known)
    assert {name: each.difficulty for name, each in alone.items()} == {
        name: each.difficulty for name, each in beside.items()
    }


def test_tasks_that_passed_as_often_are_as_hard_as_one_another_and_as_the_mode_says():
    draw = np.random.default_rng(5)
    judged = (draw.random((9, 60)) < 0.95).astype(float) * draw.integers(1, 3, (9, 1))
    passed = np.floor(judged * draw.random((9, 60)))
    hardness, spread = fitted(judged, passed)
    # Two answers of a run to a task are one of two halves.
    passed, judged = passed / np.maximum(judged, 1.0), np.minimum(judged, 1.0)
    # At the mode the slope of the posterior is zero for every run and every task; found here by plain steps on both.
    ability, mode = np.zeros(9), np.zeros(60)
    for _ in range(6000):
        expected = 1 / (1 + np.exp(mode - ability[:, None]))
        ability += 0.02 * ((passed - judged * expected).sum(axis=1) - ability / 4)
        mode += 0.02 * ((judged * expected - passed).sum(axis=0) - mode / 4)
    assert np.allclose(hardness, mode - ability.mean(), atol=1e-4)
    expected = 1 / (1 + np.exp(mode - ability[:, None]))
    assert np.allclose(spread, 1 / np.sqrt((judged * expected * (1 - expected)).sum(axis=0) + 0.25), atol=1e-3)
    same = [
        np.flatnonzero((judged == judged[:, [at]]).all(axis=0) & (passed.sum(0) == passed[:, at].sum()))
        for at in range(60)
    ]
    assert any(len(each) > 1 for each in same) and all(np.ptp(hardness[each]) == 0 for each in same)


@pytest.mark.parametrize("gone", [(), ("t",)])
def test_scores_count_every_answer_and_retracted_tasks_have_no_difficulty(run, task, facts, gone):
    def cell(outcome, *, near=False):
        return Cell(outcome, near, 0, 0, 0.0, 0.0, 0.0)

    cells = {
        "t": (cell(Outcome.PASSED), cell(Outcome.WRONG_OUTPUT, near=True), cell(Outcome.INFRASTRUCTURE), cell("")),
        "u": (cell("an outcome of later"),),
    }
    known = {each.task_id: facts(each) for each in (task(1, task_id="t"), task(2, task_id="u"))}
    found = scores_of([tally_of(RunResults(run(), cells))], gone, known)
    assert (found["t"].judged, found["t"].passed, found["t"].near_misses) == (2, 1, 1)
    assert (found["t"].difficulty is None) == bool(gone)
    assert (found["u"].judged, found["u"].difficulty) == (0, None)
