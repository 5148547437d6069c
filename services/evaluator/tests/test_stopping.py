"""Sequential comparisons: when they are decided, and what answers that were lost do to them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.stopping import Decision, Look, compare_until_decided


def test_a_sequential_comparison_rarely_errs_and_decides_what_is_clear():
    rng = np.random.default_rng(3)

    def stream(gain, number):
        return [Look(float((rng.random(8) < 0.5 + gain).sum() - (rng.random(8) < 0.5).sum()), 8) for _ in range(number)]

    wrong = sum(compare_until_decided(stream(0.0, 60)).decision is not Decision.OPEN for _ in range(400))
    assert wrong <= 0.05 * 400
    clear = [compare_until_decided(stream(0.4, 60)) for _ in range(50)]
    assert all(each.decision is Decision.FIRST for each in clear)
    assert max(each.looks for each in clear) < 60
    second = compare_until_decided([Look(-each.difference, each.tasks) for each in stream(0.4, 60)])
    assert second.decision is Decision.SECOND and second.difference < 0
    assert compare_until_decided([]).decision is Decision.OPEN


def test_a_sequential_comparison_is_decided_for_the_side_whose_bets_won():
    # One large repository outweighs all others by tasks; the bets are on repositories, each of which counts once.
    found = compare_until_decided([Look(-200.0, 200), *[Look(1.0, 1)] * 60])
    assert found.decision is Decision.FIRST and found.evidence >= 20 and found.difference < 0
    back = compare_until_decided([Look(200.0, 200), *[Look(-1.0, 1)] * 60])
    assert back.decision is Decision.SECOND and back.looks == found.looks


# A task of two runs: how each ended, where None is lost, and how each lost answer would have ended.
tasks = st.tuples(*[st.sampled_from([True, False, None])] * 2, st.booleans(), st.booleans())
repositories = st.lists(st.lists(tasks, min_size=1, max_size=4), min_size=1, max_size=30)


def seen(repository):
    whole = [first - second for first, second, *_ in repository if None not in (first, second)]
    lost = [(first, second) for first, second, *_ in repository if None in (first, second)]
    below = sum((first or False) - (True if second is None else second) for first, second in lost)
    above = sum((True if first is None else first) - (second or False) for first, second in lost)
    return Look(float(sum(whole)), len(repository), len(lost), float(below), float(above))


def meant(repository):
    found = [(a if first is None else first, b if second is None else second) for first, second, a, b in repository]
    return Look(float(sum(first - second for first, second in found)), len(found))


@given(repositories)
def test_evidence_is_never_more_than_with_every_answer_whatever_was_lost(found):
    # The bound on false decisions is proved for the wealth with every answer.
    lossy, full = (compare_until_decided(map(each, found), alpha=1e-99) for each in (seen, meant))
    assert lossy.evidence <= full.evidence * (1 + 1e-9)
    assert lossy.least - 1e-9 <= full.difference <= lossy.most + 1e-9
    assert (lossy.looks, lossy.tasks) == (full.looks, full.tasks)
    assert lossy.lost == sum(None in task[:2] for repository in found for task in repository)
    if not lossy.lost:
        assert lossy == full


@pytest.mark.parametrize("side", [Decision.FIRST, Decision.SECOND])
def test_a_side_that_loses_what_it_would_fail_gains_nothing_by_it(side):
    rng = np.random.default_rng(5)
    turned = 1.0 if side is Decision.FIRST else -1.0
    for _ in range(50):
        # Equal models; the endpoint of one gives nothing where its answer would be wrong.
        looks, dropped = [], []
        for _ in range(60):
            own, other = (rng.random(4) < 0.5 for _ in range(2))
            whole, lost = float((own & ~other).sum()), int((~own).sum())
            ends = sorted((turned * -float((~own & other).sum()), turned * float((~own & ~other).sum())))
            looks.append(Look(turned * whole, 4, lost, *ends))
            dropped.append(Look(turned * whole, 4 - lost))
        assert compare_until_decided(looks).decision is not side
        # What stands on the answers that are left alone is decided, and wrong.
        assert compare_until_decided(dropped).decision is side


def test_a_few_answers_lost_by_chance_hide_no_clear_difference():
    rng = np.random.default_rng(6)
    looks = []
    for _ in range(60):
        first, second, lost = rng.random(8) < 0.8, rng.random(8) < 0.4, rng.random(8) < 0.02
        whole = float((first[~lost].astype(int) - second[~lost]).sum())
        looks.append(Look(whole, 8, int(lost.sum()), -float(second[lost].sum()), float((~second[lost]).sum())))
    found = compare_until_decided(looks)
    assert found.decision is Decision.FIRST and 0 < found.lost < found.tasks
    assert 0.3 < found.least < found.most < 0.5
