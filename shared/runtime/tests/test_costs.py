"""What is known of a cost, and what is not."""

import pytest

from touchstone_runtime.costs import told_costs, usd_in_words
from touchstone_runtime.tracks import TRACKS


def test_a_cost_of_which_a_part_is_not_known_is_no_figure():
    run = {"spec": {"model": "m@h", "strategy": "direct"}, "tokens_in": "9", "tokens_out": "1", "cost_usd": 0.5}
    assert told_costs(run | {"unpriced": 0}) == run | {"unpriced": 0}
    assert told_costs({"runs": [run | {"unpriced": 990}]})["runs"][0]["cost_usd"] is None


def test_what_answers_took_that_somebody_else_sampled_nobody_knows():
    answer = {"model": "m", "strategy": "submitted", "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0, "cpu_s": 1.0}
    nothing = {"tokens_in": None, "tokens_out": None, "cost_usd": None}
    assert told_costs(answer) == answer | nothing
    run = {"spec": {"model": "m", "strategy": "submitted"}, "tokens_in": "0", "tokens_out": "0", "cost_usd": 0.0}
    assert told_costs([{"run": run}]) == [{"run": run | nothing}]


@pytest.mark.parametrize("track", TRACKS[1:])
def test_nor_in_whatever_track_they_were_submitted(track):
    answer = {"model": "m", "strategy": f"submitted ({track})", "tokens_in": 0, "tokens_out": 0, "cost_usd": 0.0}
    assert told_costs(answer) == answer | {"tokens_in": None, "tokens_out": None, "cost_usd": None}
    ours = answer | {"strategy": f"direct ({track})"}
    assert told_costs(ours) == ours


@pytest.mark.parametrize("cost", [0.00099, 0.0001, 0.00009999, 0.00005, 0.000042, 1e-9])
def test_what_was_paid_is_never_told_as_nothing(cost):
    for told in (usd_in_words(cost, unknown=False), usd_in_words(cost, unknown=True).removesuffix(" + unknown")):
        assert float(told) == pytest.approx(cost, rel=0.05)
