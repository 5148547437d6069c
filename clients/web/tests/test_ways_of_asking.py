"""Pages tell how a run was asked: what was sampled is on another board than what was asked greedily."""

from __future__ import annotations

import re

from touchstone.evaluator.v1 import evaluator_pb2 as pb


def test_a_models_sampled_rows_say_so(visit, known_services):
    greedy = pb.LeaderboardRow(model="m", strategy="direct", mode="greedy", samples=1, run_id="0" * 32)
    sampled = pb.LeaderboardRow(
        model="m", strategy="direct", mode="sampled", samples=5, temperature=0.8, run_id="1" * 32
    )
    found = pb.LeaderboardResponse(rows=[greedy, sampled])
    text = visit(known_services.answers | {"evaluator.Leaderboard": found}).get("/models/m").text
    assert text.count('"Strategy">direct</td>') == 1
    assert text.count('"Strategy">direct, 5 samples at 0.8</td>') == 1


def test_the_list_of_runs_says_how_warm_each_was_asked(visit, known_services):
    specs = [pb.RunSpec(model="m", strategy="direct", samples=n, temperature=t) for n, t in ((1, 0.0), (1, 0.5))]
    runs = [pb.RunSummary(run_id=f"{n}" * 32, spec=spec, answers=1) for n, spec in enumerate(specs)]
    found = pb.ListRunsResponse(runs=runs)
    text = visit(known_services.answers | {"evaluator.ListRuns": found}).get("/runs").text
    assert text.count('"Strategy">direct</td>') == 1 and text.count('"Strategy">direct, 1 sample at 0.5</td>') == 1


def test_runs_that_differ_in_their_seed_alone_are_told_apart(visit, known_services):
    board = known_services.answers["evaluator.GetBoard"](pb.GetBoardRequest())
    for row in board.rows[:2]:
        row.run.spec.CopyFrom(board.rows[1].run.spec)
        row.run.spec.model = "m"
        row.run.spec.samples, row.run.spec.temperature = 5, 0.8
    board.rows[1].run.spec.seed = 1
    text = visit(known_services.answers | {"evaluator.GetBoard": board}).get("/").text
    pair = re.search(r'data-label="First">([^<]*)</td><td data-label="Second">([^<]*)', text)
    assert pair.groups() == tuple(f"m cocost, 5 samples at 0.8, run {number * 8}" for number in "01")
    assert all(f">cocost, 5 samples at 0.8, run {number * 8}</a>" in text for number in "01")
    assert ">direct</a>" in text, "who is the only one needs no id"
    languages = known_services.answers["evaluator.GetLanguages"](pb.GetLanguagesRequest())
    languages.rows[1].spec.CopyFrom(languages.rows[0].spec)
    text = visit(known_services.answers | {"evaluator.GetLanguages": languages}).get("/languages").text
    assert re.findall(r">direct(?:, run (\d*))?</span>", text) == ["00000000", "11111111", "", ""]
