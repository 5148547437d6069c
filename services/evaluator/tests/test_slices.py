"""Shares of a part of a run's tasks: what is missing makes no part of them better, and samples are no tasks."""

import numpy as np
import pytest

from evaluator.adapters.messages import to_share
from evaluator.domain.profile import build_profile
from evaluator.domain.results import Cell, RunResults
from evaluator.domain.slices import slices

PASS, FAIL, LOST, WAITS = "passed", "wrong_output", "infrastructure", ""


def cell(outcome):
    return Cell(outcome, False, 1, 1, 1.0, 0.0, 0.0)


def sliced(task, facts, samples, *given):
    answers = [(facts(task(number)), tuple(map(cell, each))) for number, each in enumerate(given, 1)]
    ((_, found),) = slices(answers, samples, lambda fact: fact.kind)
    return found


def test_a_slice_that_lacks_answers_says_what_it_can_be_at_least_and_at_most(task, facts):
    found = sliced(task, facts, 1, *[[PASS]] * 3, *[[LOST]] * 10, *[[WAITS]] * 6, [])
    assert (found.hits, found.total, found.asked) == (3, 3, 20)
    assert (found.least, found.most) == (0.15, 1.0)
    assert found.low < 0.15 and found.high == 1.0
    told = to_share("SC", found)
    assert (told.asked, told.least, told.most) == (20, 0.15, 1.0)


def test_a_slice_that_lacks_nothing_is_one_figure_with_its_exact_interval(task, facts):
    found = sliced(task, facts, 1, *[[PASS]] * 8, [FAIL], [FAIL])
    assert (found.value, found.least, found.most, found.asked) == (0.8, 0.8, 0.8, 10)
    assert (round(found.low, 4), round(found.high, 4)) == (0.4439, 0.9748)


def test_a_slice_of_which_nothing_is_judged_can_be_anything(task, facts):
    found = sliced(task, facts, 2, [LOST, LOST], [LOST, LOST])
    assert (found.total, found.value, found.low, found.high, found.least, found.most) == (0, 0.0, 0.0, 1.0, 0.0, 1.0)


def test_the_hard_tasks_that_an_endpoint_lost_are_in_the_profile(task, run, facts):
    tasks = [task(n, source=f"p{n}", difficulty="Hard" if n > 2 else "Easy") for n in (1, 2, 3, 4)]
    outcomes = [PASS, FAIL, LOST, LOST]
    results = RunResults(run(), {each.task_id: (cell(found),) for each, found in zip(tasks, outcomes, strict=True)})
    known = {each.task_id: facts(each) for each in tasks}
    profile = build_profile(results, frozenset(known), known, frozenset())
    told = {group: (one.total, one.asked) for name, group, one in profile.slices if name == "difficulty"}
    assert told == {"Easy": (2, 2), "Hard": (0, 2)}


@pytest.mark.parametrize("spread", [0.5, 2.0])
def test_the_interval_of_a_slice_of_several_samples_holds_where_tasks_differ(task, facts, spread):
    """A model mostly always or never solves a task: twenty samples of eight tasks are eight tasks."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(300):
        given = [[PASS if x else FAIL for x in rng.random(20) < p] for p in rng.beta(spread, spread, 8)]
        found = sliced(task, facts, 20, *given)
        held += found.low <= 0.5 <= found.high
    assert held >= 0.9 * 300
