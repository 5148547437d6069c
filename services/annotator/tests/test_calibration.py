"""From signals to a score: fitted on some queries, judged on others, and undecided in between."""

import json
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.app import read_calibration
from annotator.domain.calibration import (
    Calibration,
    Signals,
    auc,
    bootstrap,
    calibration_error,
    cross_fit,
    fit,
    thresholds,
)
from annotator.errors import BadCalibrationError


@pytest.fixture
def drawn():
    """Pairs whose label follows cosine and answers, with noise; three pairs a query."""
    draw = random.Random(7)
    signals, labels, groups = [], [], []
    for number in range(300):
        label = number % 2
        answers = min(max(0.5 + (0.2 if label else -0.2) + draw.gauss(0, 0.2), 0.01), 0.99)
        signals.append(Signals(answers, None, 0.4 + 0.1 * label + draw.gauss(0, 0.1)))
        labels.append(label)
        groups.append(number // 3)
    return signals, labels, groups


def test_both_signals_are_worth_more_than_one(drawn):
    signals, labels, groups = drawn
    whole, _ = cross_fit(signals, labels, groups)
    cosine, _ = cross_fit([Signals(cosine=each.cosine) for each in signals], labels, groups)
    assert auc(whole, labels) > auc(cosine, labels) + 0.03
    assert calibration_error(whole, labels) < 0.1


def test_no_pair_is_scored_by_what_was_fitted_on_its_query():
    """A label that only its own query could tell: whoever looks at the fold it scores finds it."""
    draw = random.Random(1)
    signals = [Signals(cosine=draw.random()) for _ in range(200)]
    labels = [draw.randrange(2) for _ in range(100) for _ in "ab"]
    scores, _ = cross_fit(signals, labels, [number // 2 for number in range(200)])
    assert abs(auc(scores, labels) - 0.5) < 0.12


def test_evidence_moves_the_score(drawn):
    signals, labels, _ = drawn
    told = [Signals(s.answers, None, s.cosine, ("passed" if y else "failed") if n % 3 else "none")
            for n, (s, y) in enumerate(zip(signals, labels, strict=True))]  # fmt: skip
    fitted = fit(told, labels)
    passed, none, failed = (fitted.score(Signals(0.5, None, 0.45, what)) for what in ("passed", "none", "failed"))
    assert passed > none > failed


def test_what_is_in_between_is_undecided(drawn):
    signals, labels, groups = drawn
    fitted = fit(signals, labels)
    assert 0 <= fitted.low < 0.5 <= fitted.high <= 1
    assert fitted.outcome(fitted.high) == 1 and fitted.outcome(fitted.low) == 0
    assert fitted.outcome((fitted.low + fitted.high) / 2) is None
    _, outcomes = cross_fit(signals, labels, groups)
    decided = [(a, b) for a, b in zip(outcomes, labels, strict=True) if a is not None]
    assert len(decided) < len(labels) and sum(a == b for a, b in decided) / len(decided) > 0.74


def test_a_side_that_cannot_reach_the_target_decides_nothing():
    import numpy as np

    scores, labels = np.array([0.6, 0.7, 0.8, 0.2, 0.3]), np.array([1.0, 0.0, 0.0, 0.0, 0.0])
    assert thresholds(scores, labels, 0.9) == (0.3, 1.0)


def test_a_signal_that_is_not_told_counts_as_its_mean(drawn):
    signals, labels, _ = drawn
    fitted = fit(signals, labels)
    assert fitted.score(Signals()) == pytest.approx(
        fitted.score(Signals(1 / (1 + math.exp(-fitted.means[0])), None, fitted.means[2]))
    )


def test_a_file_says_the_same(drawn):
    fitted = fit(*drawn[:2])
    again = Calibration.from_json(fitted.to_json())
    assert again == fitted and again.name == fitted.name


def test_a_service_takes_no_calibration_that_never_heard_of_tests(drawn, tmp_path):
    signals, labels, _ = drawn
    file = tmp_path / "calibration.json"
    file.write_text(fit(signals, labels).to_json())
    with pytest.raises(BadCalibrationError, match="tests have no weight") as refused:
        read_calibration(file)
    assert "annotation_score.py --write" in refused.value.way_out
    told = [Signals(s.answers, None, s.cosine, ("failed", "passed")[y]) for s, y in zip(signals, labels, strict=True)]
    file.write_text((fitted := fit(told, labels)).to_json())
    assert read_calibration(file) == fitted and read_calibration(None) is None


@pytest.mark.parametrize("text", ["[]", "{}", '{"format": "touchstone.calibration.v1", "signals": ["cosine"]}', "no"])
def test_what_is_no_calibration_is_refused(text):
    with pytest.raises(ValueError, match=r"."):
        Calibration.from_json(text)


@pytest.mark.parametrize(
    "slip",
    [
        {"low": 0.9, "high": 0.1}, {"low": math.nan, "high": math.nan}, {"low": -5.0, "high": 0.0}, {"high": 1.5},
        {"bias": math.inf}, {"scales": [0.0, 1.0, 1.0, 1.0]}, {"scales": [1.0, 1.0, 1.0, -1.0]},
        {"means": [math.nan, 0.0, 0.0, 0.0]}, {"weights": [1.0, 1.0, 1.0, -0.5]}, {"low": 10**400}, {"low": None},
    ],
)  # fmt: skip
def test_a_service_takes_no_calibration_with_a_slip_in_its_numbers(slip, tmp_path):
    made = Calibration((0.0,) * 4, (1.0,) * 4, (1.0,) * 4, 0.0, 0.3, 0.7)
    file = tmp_path / "calibration.json"
    file.write_text(made.to_json())
    assert read_calibration(file) == made
    file.write_text(json.dumps(json.loads(made.to_json()) | slip))
    with pytest.raises(BadCalibrationError):
        read_calibration(file)


def test_one_label_teaches_nothing():
    with pytest.raises(ValueError, match="both labels"):
        fit([Signals(0.5)], [1])


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 1)), min_size=2))
def test_auc_is_that_of_counting_pairs(rows):
    ones, zeros = [s for s, y in rows if y], [s for s, y in rows if not y]
    if not ones or not zeros:
        with pytest.raises(ValueError, match="both labels"):
            auc([s for s, _ in rows], [y for _, y in rows])
        return
    wins = sum((a > b) + (a == b) / 2 for a in ones for b in zeros)
    assert auc([s for s, _ in rows], [y for _, y in rows]) == pytest.approx(wins / len(ones) / len(zeros))


def test_calibration_error_of_known_scores():
    assert calibration_error([0.25] * 4, [1, 0, 0, 0]) == pytest.approx(0)
    assert calibration_error([0.9] * 10, [0] * 10) == pytest.approx(0.9)


def test_the_bootstrap_draws_whole_groups():
    values = [0.0] * 50 + [1.0] * 50
    groups = [number // 50 for number in range(100)]
    low, high = bootstrap(lambda drawn: sum(values[index] for index in drawn) / len(drawn), groups, rounds=200)
    assert (low, high) == (0.0, 1.0), "two groups: a draw may hold one of them only"
