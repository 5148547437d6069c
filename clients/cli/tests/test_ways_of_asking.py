"""Runs that were asked in other ways are told apart, and those of other boards stand in other tables."""

import json

import pytest

from touchstone_cli.leaderboard import boards_of, row_words


@pytest.fixture
def pb(world):
    return world.pb.evaluator


def ranked(pb, model, *, samples=1, temperature=0.0, scope="d" * 64):
    share = pb.Share(group="all", passed=12 * samples, total=20 * samples, value=0.6)
    return pb.LeaderboardRow(
        model=model, strategy="direct", language="python", task_set="2026-11", pass_at_1=share, rank_low=1,
        rank_high=2, tasks=20, judged=20, solved=12.0, mode="greedy" if samples == 1 and not temperature else "sampled",
        samples=samples, temperature=temperature, scope=scope, wording="described",
    )  # fmt: skip


def test_greedy_and_sampled_runs_are_in_tables_of_their_own(touchstone, world, pb):
    rows = [
        ranked(pb, "alpha"),
        ranked(pb, "beta"),
        ranked(pb, "alpha", samples=5, temperature=0.8),
        ranked(pb, "gamma", temperature=1.5),
        ranked(pb, "alpha", scope="e" * 64),
    ]
    assert [(heading, [row.model for row in some]) for heading, some in boards_of(rows)] == [
        ("2026-11, in python", ["alpha", "beta"]),
        ("2026-11, in python, sampled", ["alpha", "gamma"]),
        ("2026-11, in python", ["alpha"]),
    ]
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=rows)
    names, *lines = [line.split("\t") for line in touchstone("leaderboard").out.splitlines()]
    assert [line[names.index("mode")] for line in lines] == ["greedy", "greedy", "sampled", "sampled", "greedy"]
    ways = [line[names.index("strategy")] for line in lines]
    assert ways == ["direct", "direct", "direct, 5 samples at 0.8", "direct, 1 sample at 1.5", "direct"]
    told = json.loads(touchstone("leaderboard", "--json").out)
    assert [(row["mode"], row["samples"], row["temperature"]) for row in told[1:4]] == [
        ("greedy", 1, 0.0), ("sampled", 5, 0.8), ("sampled", 1, 1.5),
    ]  # fmt: skip
    assert row_words(rows[2]).startswith("alpha, direct, 5 samples at 0.8, python: ")


def test_runs_that_differ_in_how_they_were_asked_differ_in_the_list(touchstone, world, pb):
    specs = [
        pb.RunSpec(model="m", strategy="cocost", language="python", samples=1, bounds={"repairs": 3}),
        pb.RunSpec(model="m", strategy="cocost", variant="no-search", language="python", samples=1),
        pb.RunSpec(model="m", strategy="cocost", language="python", samples=10, temperature=0.8),
    ]
    runs = [pb.RunSummary(run_id=f"{n}" * 32, spec=spec, answers=1, judged=1) for n, spec in enumerate(specs)]
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=runs)
    names, *lines = [line.split("\t") for line in touchstone("runs", "list").out.splitlines()]
    ways = ["cocost", "cocost:no-search", "cocost, 10 samples at 0.8"]
    assert [line[names.index("strategy")] for line in lines] == ways
    told = json.loads(touchstone("runs", "list", "--json").out)
    assert [run["spec"]["temperature"] for run in told] == [0.0, 0.0, 0.8]
    assert [run["strategy"] for run in told] == ["cocost", "cocost:no-search", "cocost"]
    assert told[0]["spec"]["bounds"] == {"repairs": 3} and told[2]["spec"]["samples"] == 10
    world.answers["GetRun"] = lambda _: pb.GetRunResponse(run_id=runs[0].run_id, summary=runs[0])
    assert "repairs 3" in touchstone("runs", "show", "0").out
    done = touchstone("runs", "show", "m")
    assert done.code == 1 and ", ".join(f"{f'{n}' * 8} ({way}, python)" for n, way in enumerate(ways)) in done.err
    world.answers["GetRun"] = lambda _: pb.GetRunResponse(run_id=runs[2].run_id, summary=runs[2])
    assert "(m, cocost, 10 samples at 0.8, 1 judged answer)" in touchstone("runs", "delete", "2").err


def sampled(pb, run_id, samples, passed):
    """A run of two tasks with so many answers each; of the first so many passed, of the second none."""
    results = [
        pb.TaskResult(task_id=f"{task}" * 32, entry_point=f"f{task}", sample=number, wording="described",
                      outcome="passed" if not task and number < passed else "wrong_output")
        for task in (0, 1) for number in range(samples)
    ]  # fmt: skip
    tasks = pb.TaskSet(digest="d" * 64, kind="release", name="2026-11", count=2, release="e" * 64)
    spec = pb.RunSpec(model="m", strategy="direct", language="python", tasks=tasks, samples=samples, temperature=0.8)
    summary = pb.RunSummary(run_id=run_id, spec=spec, answers=len(results), judged=len(results))
    return pb.GetRunResponse(
        run_id=run_id, model="m", strategy="direct", language="python", results=results, summary=summary
    )


def test_who_was_asked_more_often_solves_no_more_by_that(touchstone, world, pb):
    runs = {run.run_id[0]: run for run in (sampled(pb, "a" * 32, 2, 1), sampled(pb, "b" * 32, 100, 50))}
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=[run.summary for run in runs.values()])
    world.answers["GetRun"] = lambda request: runs[request.run_id[0]]
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    found = json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)
    assert [found[name] for name in ("only_first", "only_second", "both", "neither")] == [None] * 4
    assert (found["common"], found["k"], [run["samples"] for run in found["runs"]]) == (2, 2, [2, 100])
    # One of two drawn: 1 - C(1, 2)/C(2, 2) and 1 - C(50, 2)/C(100, 2), halved by the task that nobody solves.
    assert found["pass_at_k"] == [pytest.approx(0.5), pytest.approx((1 - 50 * 49 / (100 * 99)) / 2)]
    assert found["differ"] == [], "the shares are the same"
    words = touchstone("runs", "compare", "aa", "bb")
    told = " ".join(words.err.split())
    assert "m, direct, 2 samples at 0.8, python" in told and "m, direct, 100 samples at 0.8, python" in told
    assert "pass@2 50.0 % of the first and 37.6 % of the second" in told and "only" not in told.split("pass@2")[0]
    runs["b"] = sampled(pb, "b" * 32, 100, 25)
    (one,) = json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)["differ"]
    assert one["outcomes"] == ["1 of 2 passed", "25 of 100 passed"]
    # Of as many answers each, one that passed solves a task for both alike.
    runs["b"] = sampled(pb, "b" * 32, 2, 0)
    found = json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)
    assert (found["only_first"], found["neither"], found["pass_at_k"]) == (1, 1, [0.5, 0.0])


@pytest.mark.parametrize("number", ["99999999999", "9" * 5000])
def test_a_number_of_answers_that_is_none_is_refused(touchstone, world, number):
    done = touchstone("evaluate", "--model", "m", "--samples", number)
    assert done.code == 2 and done.err.startswith("--samples 9999") and "Traceback" not in done.err
    assert world.asked("StartRun") == []


def test_runs_that_differ_in_their_seed_alone_are_told_apart(touchstone, world, pb):
    rows = [ranked(pb, name, samples=5, temperature=0.8) for name in ("alpha", "alpha", "beta")]
    rows.append(ranked(pb, "alpha", samples=5, temperature=0.8, scope="e" * 64))
    for number, row in enumerate(rows):
        row.run_id = f"{number}" * 32
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=rows)
    names, *lines = [line.split("\t") for line in touchstone("leaderboard").out.splitlines()]
    way = "direct, 5 samples at 0.8"
    assert [line[names.index("strategy")] for line in lines] == [
        f"{way}, run 00000000",
        f"{way}, run 11111111",
        way,
        way,
    ]
    cells = [[pb.LanguageCell(language="go", run_id=row.run_id)] for row in rows[:3]]
    told = [
        pb.LanguagesRow(spec=pb.RunSpec(model=row.model, strategy="direct"), cells=cell)
        for row, cell in zip(rows[:3], cells, strict=True)
    ]
    columns = [pb.LanguageColumn(language="go", tasks=10)]
    world.answers["GetLanguages"] = pb.GetLanguagesResponse(columns=columns, rows=told, mode="sampled")
    _, *lines = [line.split("\t") for line in touchstone("leaderboard", "--by-language").out.splitlines()]
    assert [line[1] for line in lines] == ["direct, run 00000000", "direct, run 11111111", "direct"]
