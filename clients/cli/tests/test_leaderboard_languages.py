"""`touchstone leaderboard --by-language`."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def pb(world):
    """One model in both languages, and one that was asked in Python alone, of which two verdicts are there."""
    pb = world.pb.evaluator
    rows = [
        pb.LanguagesRow(
            spec=pb.RunSpec(model="both", strategy="direct"),
            cells=[
                pb.LanguageCell(language="go", judged=10, tasks=10, value=0.5, low=0.3, high=0.7, least=0.5, most=0.5),
                pb.LanguageCell(language="python", judged=20, tasks=20, value=0.8, low=0.6, high=0.9),
            ],
            whole=["go", "python"],
            together=pb.Interval(value=0.7, low=0.55, high=0.81),
            questions=30,
            least=0.7,
            most=0.7,
        ),
        pb.LanguagesRow(
            spec=pb.RunSpec(model="one", strategy="cocost", variant="no-plan"),
            cells=[pb.LanguageCell(language="python", judged=2, tasks=20, value=1.0, least=0.1, most=1.0)],
            questions=30,
            least=1 / 15,
            most=1.0,
        ),
    ]
    columns = [
        pb.LanguageColumn(language="go", tasks=10, repositories=4),
        pb.LanguageColumn(language="python", tasks=20, repositories=5),
    ]
    scope = pb.Scope(name="2026-06")
    world.answers["GetLanguages"] = pb.GetLanguagesResponse(
        scope=scope, scopes=[scope], mode="greedy", wording="described", columns=columns, rows=rows
    )
    return pb


def test_what_is_missing_is_a_bound_and_no_share(touchstone, world, pb):
    shown = touchstone("leaderboard", "--by-language", "--release", "2026-06")
    heads, both, one = [line.split("\t") for line in shown.out.splitlines()]
    assert heads == ["model", "strategy", "all languages", "go", "python"]
    assert both == ["both", "direct", "70.0 (55–81)", "50.0 (30–70)", "80.0 (60–90)"]
    assert one == ["one", "cocost:no-plan", "[6.7–100.0]", "–", "[10.0–100.0] 2/20"]
    assert "10 tasks in go, 20 tasks in python" in shown.err and "nothing is ranked across languages" in shown.err
    assert world.asked("GetLanguages")[0].scope == "2026-06"


def test_languages_that_were_left_out_are_told(touchstone, world, pb):
    answer = world.answers["GetLanguages"]
    assert "left out" not in touchstone("leaderboard", "--by-language").err
    answer.left_out.add(language="php", tasks_elsewhere=1)
    answer.left_out.add(language="rust")
    words = "left out, without a task of this wording: php (1 task worded otherwise), rust"
    assert words in touchstone("leaderboard", "--by-language").err
    del answer.rows[:]
    assert words in touchstone("leaderboard", "--by-language").err


def test_a_share_over_some_languages_says_which(touchstone, world, pb):
    row = world.answers["GetLanguages"].rows[1]
    row.whole.append("python")
    row.together.CopyFrom(pb.Interval(value=0.9, low=0.8, high=1.0))
    out = touchstone("leaderboard", "--by-language").out
    assert "[6.7–100.0] (90.0 over python)" in out


def test_json_has_all_but_the_other_sets(touchstone, world, pb):
    told = json.loads(touchstone("leaderboard", "--by-language", "--by-example", "--json").out)
    assert told["rows"][0]["together"] == {"value": 0.7, "low": 0.55, "high": 0.81} and "scopes" not in told
    assert world.asked("GetLanguages")[0].wording == "by_example"


@pytest.mark.parametrize(
    "options", [("--by-language", "--language", "go"), ("--by-language", "--track", "repair"), ("--release", "x")]
)
def test_options_that_do_not_go_together_are_refused(touchstone, pb, options):
    done = touchstone("leaderboard", *options)
    assert done.code == 2 and "--by-language" in done.err


def test_without_runs_it_says_how_they_come(touchstone, world, pb):
    world.answers["GetLanguages"] = pb.GetLanguagesResponse()
    assert "touchstone evaluate" in touchstone("leaderboard", "--by-language").err
