"""Rows of the leaderboard: what they count, in words and in terminals of any width."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from touchstone_cli.leaderboard import drawn, row_words


@pytest.fixture
def pb(world):
    return world.pb.evaluator


def row(pb, model):
    share = pb.Share(group="all", passed=132, total=1163, value=0.1135, low=0.096, high=0.133)
    groups = {
        "by_kind": [pb.Share(group=kind, passed=66, total=581) for kind in ("SC", "WSC")],
        "by_difficulty": [pb.Share(group=name, passed=44, total=387) for name in ("Easy", "Hard", "Medium")],
    }
    failures = [pb.FailureCount(outcome=outcome, count=300) for outcome in ("wrong_output", "raised", "timed_out")]
    return pb.LeaderboardRow(
        model=model, strategy="direct", language="python", pass_at_1=share, near_misses=12, tokens_in=10**6,
        tokens_out=10**5, model_seconds=7000, cost_usd=12.5, rank_low=2, rank_high=3, failures=failures,
        task_set="every task that stood", tasks=1163, judged=1163, solved=132.0, **groups,
    )  # fmt: skip


def test_a_row_with_nothing_judged_says_so_and_has_no_empty_parts(pb):
    share = pb.Share(group="all", low=0.0, high=1.0)
    waiting = pb.LeaderboardRow(model="m", strategy="direct", language="python", pass_at_1=share, pending=2)
    assert row_words(waiting) == "m, direct, python: nothing is judged yet, 2 pending"
    stream = io.StringIO()
    Console(file=stream, width=200, force_terminal=False).print(drawn([waiting], 200))
    assert "0–100" not in stream.getvalue()
    judged = row(pb, "m")
    del judged.by_kind[:]
    assert "; ;" not in row_words(judged) and "; Easy 44/387" in row_words(judged)


def test_a_row_whose_answers_nobody_timed_has_no_time(touchstone, world, pb):
    timed, untimed = row(pb, "timed"), row(pb, "untimed")
    untimed.ClearField("model_seconds")
    assert "; model 1 h 56 min; " in row_words(timed) and "; model time unknown; " in row_words(untimed)
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=[timed, untimed])
    cells = [line.split("\t") for line in touchstone("leaderboard").out.splitlines()]
    shown = {model: line for line in cells for model in ("timed", "untimed") if model in line}
    assert ("1 h 56 min" in shown["timed"], "–" in shown["timed"], "–" in shown["untimed"]) == (True, False, True)
    told = json.loads(touchstone("leaderboard", "--json").out)
    assert [each["model_seconds"] for each in told] == [7000, None]


def test_what_is_judged_of_a_row_that_lacks_verdicts_is_shown_as_no_score(touchstone, world, pb):
    share = pb.Share(group="all", passed=1, total=1, value=1.0, low=0.0, high=1.0)
    lacking = pb.LeaderboardRow(
        model="lucky", strategy="direct", language="python", pass_at_1=share, pending=3, infrastructure=16, tasks=20,
        judged=1, solved=1.0, least=0.05, most=1.0, task_set="r", wording="described",
    )  # fmt: skip
    words = row_words(lacking)
    assert "Pass@1 between 5.0 and 100.0 %, 1 of 1 judged answer to 20 tasks" in words
    assert "3 pending, 16 lost to faults and counted nowhere" in words and "95 %" not in words
    for cancelled, told in (
        (4, "3 pending, 12 lost to faults and counted nowhere, 4 cancelled"),
        (16, "3 pending, 16 can"),
    ):
        one = pb.LeaderboardRow()
        one.CopyFrom(lacking)
        one.cancelled = cancelled
        assert told in row_words(one)
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=[lacking, row(pb, "whole")])
    done = touchstone("leaderboard")
    (line,) = [line for line in done.out.splitlines() if "lucky" in line]
    assert (
        "[5.0–100.0]" in line
        and "1/1 of 20" in line
        and "\t16\t" in line
        and "0–100" not in line.replace("5.0–100", "")
    )
    assert "such a row has no rank" in " ".join(done.err.split())
    (line,) = [line for line in done.out.splitlines() if "whole" in line]
    assert "\t11.3\t10–13\t132/1163\t" in line


def test_answers_of_a_sampled_run_are_not_called_tasks(touchstone, world, pb):
    share = pb.Share(group="all", passed=63, total=200, value=0.315, low=0.1, high=0.6)
    kinds = [pb.Share(group="SC", passed=63, total=200)]
    whole = pb.LeaderboardRow(
        model="m", strategy="direct", language="python", pass_at_1=share, rank_low=1, rank_high=1, tasks=20, judged=20,
        solved=6.3, by_kind=kinds,
    )  # fmt: skip
    words = row_words(whole)
    assert "63 of 200 answers to 20 tasks" in words and "SC 63/200 answers" in words and "200 tasks" not in words
    part = pb.LeaderboardRow(model="n", pass_at_1=share, tasks=20, judged=8, solved=6.1 + 0.2, least=0.3, most=0.9)
    part.pass_at_1.total = 85
    assert "63 of 85 judged answers to 20 tasks, 8 of them whole" in row_words(part)
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=[whole, part])
    lines = touchstone("leaderboard").out.splitlines()
    assert ["6.3/20" in lines[1].split("\t"), "6.3/8 of 20" in lines[2].split("\t")] == [True, True]
    whole.by_kind[0].asked = 300
    assert "SC 63/200 of 300 answers" in row_words(whole)
    # With one answer a task they are the same.
    assert "132 of 1,163 tasks" in row_words(row(pb, "m")) and "answer" not in row_words(row(pb, "m"))


def test_a_cost_without_a_price_is_unknown(pb, world, touchstone):
    served = row(pb, "mine@localhost:8377")
    assert row_words(served).endswith(" 12.5000 USD")
    served.cost_usd = 0.0
    assert row_words(served).endswith("; cost unknown")
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=[served, row(pb, "m")])
    assert [each["cost_usd"] for each in json.loads(touchstone("leaderboard", "--json").out)] == [None, 12.5]
    served.model = "qwen2.5-coder-0.5b"
    assert row_words(served).endswith(" 0.0000 USD")
    # Its price was named on the way.
    served.cost_usd, served.unpriced = 0.4, 990
    assert row_words(served).endswith(" 0.4000 + unknown USD")
    sampled = row(pb, "theirs")
    sampled.strategy, sampled.unpriced = "submitted", 1163
    sampled.cost_usd = sampled.tokens_in = sampled.tokens_out = 0
    assert "tokens unknown" in row_words(sampled) and row_words(sampled).endswith("; cost unknown")
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=[sampled])
    (told,) = json.loads(touchstone("leaderboard", "--json").out)
    assert (told["cost_usd"], told["tokens_in"], told["tokens_out"]) == (None, None, None)


@pytest.mark.parametrize("width", [80, 100, 140, 200, 260])
def test_a_row_is_a_line_whatever_the_terminal_and_no_figure_is_cut(pb, width):
    rows = [row(pb, "qwen2.5-coder-0.5b"), row(pb, "a-model-with-a-very-long-name-that-somebody-serves@10.0.0.1:8000")]
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=False).print(drawn(rows, width))
    lines = [line for line in stream.getvalue().splitlines() if line.strip()]
    assert len(lines) == 2 + len(rows)
    assert all(len(line) <= width for line in lines)
    for line in lines[2:]:
        assert "2–3" in line and "11.3" in line and "10–13" in line and "132/1163" in line
        assert ("12.5000" in line) == (width >= 100) and ("WSC 66/581" in line) == (width >= 140)
        assert ("timed out 300" in line) == (width >= 260)
    assert "qwen2.5-coder-0.5b" in stream.getvalue()


def test_a_leaderboard_shows_the_memory_gap_where_there_is_one(touchstone, world, pb):
    gap = pb.MemoryGap(gap=pb.Interval(value=0.125, low=-0.05, high=0.3), tasks=8)
    rows = [pb.LeaderboardRow(model="small", memory=gap), pb.LeaderboardRow(model="large")]
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=rows)
    assert "+12.5 (-5 to +30)" in touchstone("leaderboard").out
    first, second = json.loads(touchstone("leaderboard", "--json").out)
    assert first["memory"]["tasks"] == 8 and not second.get("memory")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--track", "repair"), "No model was evaluated in the track repair yet; `touchstone leaderboard` shows"),
        (("--language", "go"), "No model was evaluated in go yet"),
        (("--by-example",), "No model was evaluated over tasks by example yet"),
        ((), "No model was evaluated yet; start with `touchstone evaluate`."),
    ],
)
def test_an_empty_leaderboard_says_of_what_it_is_empty(touchstone, world, options, words):
    pb = world.pb.evaluator
    rows = [pb.LeaderboardRow(model="m", track="write")] if "--track" in options else []
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=rows)
    done = touchstone("leaderboard", *options)
    assert done.code == 0 and words in done.err
