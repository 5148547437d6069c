"""The rule by which an answer came in time."""

import pytest

from sandbox_executor.domain.timing import Arrival, Schedule, judge_arrival


def test_an_answer_is_in_time_by_the_kernels_date():
    assert judge_arrival(1.0, 1.0, 3) is judge_arrival(None, 1.0, 1) is Arrival.IN_TIME
    assert judge_arrival(1.1, 1.0, 1) is Arrival.LATE
    assert judge_arrival(1.1, 1.0, 2) is Arrival.UNCLEAR
    times = Schedule([10, 20, 30, 40], 5.0, 10.0, 1.0)
    times.hand_over(25, 6.0)
    assert (times.begun, times.limit) == (6.0, 16.0)
    times.answer(1, 6.5)
    assert (times.begun, times.limit) == (6.5, 7.5)
    times.hand_over(40, 8.0)
    assert times.limit == 9.0
    times.answer(1, 8.2)
    times.hand_over(35, 8.4)
    assert times.limit == 9.2
    times.answer(1, 8.3)
    assert times.limit == 9.4
    times.excuse(2.0)
    assert times.limit == pytest.approx(11.4)


def test_a_question_is_known_from_when_it_was_handed_over():
    times = Schedule([10, 20, 30, 40], 5.0, 10.0, 1.0)
    times.hand_over(10, 5.0)
    times.answer(1, 5.5)
    times.hand_over(60, 6.0)
    times.hand_over(30, 6.2)
    assert times.foreseen == times.limit == 7.0
    times.answer(1, 6.8)
    assert (times.foreseen, times.limit) == (7.0, 7.8)
    times.excuse(0.5)
    assert (times.foreseen, times.limit) == pytest.approx((7.5, 8.3))
    times.answer(1, 7.4)
    assert times.foreseen == pytest.approx(7.7)
