"""A strategy against itself without each of its parts."""

import json

import pytest


@pytest.fixture
def board(world):
    pb = world.pb.evaluator
    world.answers["StartRun"] = lambda request: pb.StartRunResponse(run_id=f"run {request.strategy}", tasks=4)
    spec = pb.RunSpec(tasks=pb.TaskSet(digest="d" * 64, count=4))
    world.answers["GetRun"] = lambda request: pb.GetRunResponse(
        run_id=request.run_id, tasks=4, finished=4, summary=pb.RunSummary(spec=spec)
    )
    values = {"cocost": 0.75, "cocost:no-plan": 0.5, "cocost:no-search": 0.75, "direct": 0.25}
    rows = [
        pb.BoardRow(run=pb.RunSummary(run_id=f"run {name}", tokens_in=10), value=value, judged=4, tasks=4)
        for name, value in values.items()
    ]
    pairs = [
        pb.BoardPair(run_a="run cocost", run_b="run cocost:no-plan", difference=0.25, low=-0.1, high=0.6, p_holm=0.2),
        pb.BoardPair(run_a="run direct", run_b="run cocost", difference=-0.5, low=-0.9, high=-0.1, decided=True),
        pb.BoardPair(run_a="run direct", run_b="run cocost:no-plan", difference=9.0),
    ]
    about = {"wording": "described", "tasks": 3, "tasks_elsewhere": 1}
    world.answers["GetBoard"] = pb.GetBoardResponse(rows=rows, pairs=pairs, **about)
    return world


def test_each_part_is_left_out_once_on_the_same_tasks(touchstone, board):
    done = touchstone("ablation", "--model", "m", "--release", "r", "--json")
    assert done.code == 0, done.err
    asked = [(each.strategy, each.release, each.model) for each in board.asked("StartRun")]
    assert asked == [(name, "r", "m") for name in ("cocost", "cocost:no-plan", "cocost:no-search", "direct")]
    assert [each.scope for each in board.asked("GetBoard")] == ["d" * 64]
    rows = {row["variant"]: row for row in json.loads(done.out)}
    assert [row["value"] for row in rows.values()] == [0.75, 0.5, 0.75, 0.25]
    gain = rows["cocost:no-plan"]["gain"]
    assert (gain["value"], gain["low"], gain["high"], gain["decided"]) == (-0.25, -0.6, 0.1, False)
    assert rows["direct"]["gain"]["value"] == -0.5 and rows["direct"]["gain"]["decided"]
    for end in ("difference", "low", "high"):
        setattr(board.answers["GetBoard"].pairs[0], end, 0.0)
    (line,) = [line for line in touchstone("ablation", "--model", "m").out.splitlines() if "no-plan" in line]
    assert "+0.0" in line and "-0.0" not in line
    assert "gain" not in rows["cocost"] and "gain" not in rows["cocost:no-search"]


def test_the_table_shows_gains_with_their_intervals(touchstone, board):
    done = touchstone("ablation", "--model", "m", "--baseline", "")
    assert done.code == 0, done.err
    (row,) = [line for line in done.out.splitlines() if "no-plan" in line]
    assert "50.0" in row and "-25.0" in row and "-60.0 to +10.0" in row
    assert "direct" not in done.out
    assert "Over 3 tasks that are described; 1 of the other kind are compared apart, with --by-example." in done.err


def test_a_run_that_lacks_verdicts_shows_what_its_share_can_be(touchstone, board):
    row = next(row for row in board.answers["GetBoard"].rows if row.run.run_id == "run cocost:no-plan")
    row.judged, row.value, row.low, row.high, row.least, row.most = 1, 1.0, 0.0, 1.0, 0.25, 1.0
    del board.answers["GetBoard"].pairs[:]
    done = touchstone("ablation", "--model", "m")
    (line,) = [line for line in done.out.splitlines() if "no-plan" in line]
    assert "[25.0–100.0]" in line and "1/4" in line and "\t100.0\t" not in line
    assert "such a run is compared with none" in done.err
    told = {each["variant"]: each for each in json.loads(touchstone("ablation", "--model", "m", "--json").out)}
    assert (told["cocost:no-plan"]["least"], told["cocost:no-plan"]["most"]) == (0.25, 1.0)


def test_tasks_told_by_example_are_compared_apart(touchstone, board):
    board.answers["GetBoard"].wording = "by_example"
    done = touchstone("ablation", "--model", "m", "--by-example", "--json")
    assert {row["wording"] for row in json.loads(done.out)} == {"by_example"}
    assert [each.wording for each in board.asked("GetBoard")] == ["by_example"]


def test_a_run_that_stands_still_is_told_after_the_table(touchstone, board, monkeypatch):
    pb = board.pb.evaluator
    still = pb.GetRunResponse(run_id="r", tasks=4, finished=1, halted="no budget")
    monkeypatch.setattr("touchstone_cli.ablation.follow", lambda evaluator, run_id: still)
    done = touchstone("ablation", "--model", "m", "--json")
    assert done.code == 1 and "cocost:no-plan stands still: no budget" in done.err
    assert len(json.loads(done.out)) == 4


def test_answers_that_came_to_nothing_are_told_after_the_table(touchstone, board, monkeypatch):
    pb = board.pb.evaluator
    ended = pb.GetRunResponse(run_id="r", tasks=4, finished=4, summary=pb.RunSummary(answers=4, infrastructure=3))
    ended.results.add(task_id="t", outcome="infrastructure", detail="the sandbox is away")
    monkeypatch.setattr("touchstone_cli.ablation.follow", lambda evaluator, run_id: ended)
    done = touchstone("ablation", "--model", "m", "--json")
    assert done.code == 1 and len(json.loads(done.out)) == 4
    assert "cocost:no-plan: 3 answers of 4 came to nothing" in done.err and "(the sandbox is away)" in done.err


def test_a_strategy_without_parts_has_no_ablation(touchstone, world):
    done = touchstone("ablation", "--strategy", "direct")
    assert done.code == 2 and "no parts" in done.err
