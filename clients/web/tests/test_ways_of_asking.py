"""Pages tell how a run was asked: what was sampled is on another board than what was asked greedily."""

from __future__ import annotations

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
