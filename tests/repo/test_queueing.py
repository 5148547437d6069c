"""The simulated queue waits as the formula says, where there is one."""

import random

import pytest


@pytest.fixture(scope="module")
def queueing(load_module):
    return load_module("tests/bench/queueing.py")


@pytest.mark.parametrize(("load", "workers"), [(0.5, 1), (0.8, 1), (0.8, 4), (0.6, 8)])
def test_exponential_services_wait_as_erlang_says(queueing, load, workers):
    rng = random.Random(1)
    stage = queueing.Stage("x", load * workers / 0.2, 0.2, 1.0, workers)
    assert stage.load == pytest.approx(load)
    found = queueing.simulate(stage, jobs=150_000, seed=3, draw=lambda: rng.expovariate(1 / 0.2))
    assert found.mean_s == pytest.approx(queueing.erlang_c(stage.arrivals_per_s, 0.2, workers), rel=0.08)
    assert found.share <= 1
    assert found.p95_s >= found.mean_s


def test_services_that_spread_more_wait_longer_as_pollaczek_and_khinchine_say(queueing):
    for spread in (0.5, 2.0):
        stage = queueing.Stage("x", 3.0, 0.2, spread, 1)
        expected = stage.load * 0.2 * (1 + spread**2) / (2 * (1 - stage.load))
        assert queueing.simulate(stage, jobs=300_000).mean_s == pytest.approx(expected, rel=0.12)


def test_the_plan_is_run_and_says_where_workers_are_too_few(queueing, monkeypatch, capsys):
    monkeypatch.setattr(queueing, "simulate", lambda stage: queueing.Waits(1.0, 2.0, 0.5))
    queueing.main()
    lines = [line for line in capsys.readouterr().out.splitlines() if line]
    assert len(lines) == len(queueing.PLAN)
    assert all("wait_mean_s" in line for line, stage in zip(lines, queueing.PLAN, strict=True) if stage.load < 1)
