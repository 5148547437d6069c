from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.retrieval import (
    average_precision_at,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    retrieval_scores,
)

codes = st.lists(st.sampled_from([f"c{n}" for n in range(30)]), unique=True, max_size=30)
correct_codes = st.sets(st.sampled_from([f"c{n}" for n in range(30)]), min_size=1, max_size=15)
MEASURES = (ndcg_at, average_precision_at, recall_at)


def test_the_measures_by_hand():
    ranking, correct = ["a", "x", "b", "y"], {"a", "b", "z"}
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(10, ranking, correct) == pytest.approx((1 + 1 / math.log2(4)) / best)
    assert average_precision_at(10, ranking, correct) == pytest.approx((1 + 2 / 3) / 3)
    assert recall_at(10, ranking, correct) == pytest.approx(2 / 3)
    assert reciprocal_rank(["x", *ranking], correct) == 0.5


@given(codes, correct_codes)
def test_all_lie_between_zero_and_one(ranking, correct):
    for measure in MEASURES:
        assert 0 <= measure(10, ranking, correct) <= 1 + 1e-12
    assert 0 <= reciprocal_rank(ranking, correct) <= 1


@given(correct_codes, codes)
def test_a_perfect_ranking_scores_one(correct, others):
    ranking = [*sorted(correct), *(code for code in others if code not in correct)]
    assert ndcg_at(10, ranking, correct) == pytest.approx(1)
    assert average_precision_at(10, ranking, correct) == pytest.approx(1)
    assert reciprocal_rank(ranking, correct) == 1
    assert recall_at(10, ranking, correct) == min(10, len(correct)) / len(correct)


@given(codes, correct_codes, st.data())
def test_moving_a_correct_code_up_never_lowers_a_score(ranking, correct, data):
    places = [n for n, code in enumerate(ranking) if n and code in correct and ranking[n - 1] not in correct]
    if not places:
        return
    n = data.draw(st.sampled_from(places))
    better = [*ranking[: n - 1], ranking[n], ranking[n - 1], *ranking[n + 1 :]]
    for measure in MEASURES:
        assert measure(10, better, correct) >= measure(10, ranking, correct) - 1e-12
    assert reciprocal_rank(better, correct) >= reciprocal_rank(ranking, correct)


@given(codes, correct_codes)
def test_repeating_a_code_earns_nothing(ranking, correct):
    doubled = [code for code in ranking for _ in range(2)]
    for measure in MEASURES:
        assert measure(10, doubled, correct) == measure(10, ranking, correct)


def test_means_leave_out_queries_without_a_correct_code_and_count_unanswered_ones():
    scores = retrieval_scores({"q1": ["a"], "q3": ["x"]}, {"q1": {"a"}, "q2": {"b"}, "q3": set()})
    assert (scores.queries, scores.mrr, scores.recall_at_10) == (2, 0.5, 0.5)


def test_no_queries_score_zero():
    assert retrieval_scores({}, {}).mrr == 0.0
