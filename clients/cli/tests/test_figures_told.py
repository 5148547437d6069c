"""Commands tell no figure that is another one: cut by a terminal, of what lacks verdicts, too large."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest
from rich.console import Console

from touchstone_cli.evaluate import lost_words
from touchstone_cli.leaderboard import drawn, memory_words
from touchstone_cli.output import print_table


@pytest.fixture
def pb(world):
    return world.pb.evaluator


def row(pb, model, strategy, *, lacks=False, samples=10):
    least, most = (0.58, 0.65) if lacks else (0.6195, 0.6195)
    share = pb.Share(passed=7205, total=11000, value=0.6195, low=0.5723, high=0.6711, least=least, most=most)
    ranks = {} if lacks else {"rank_low": 1, "rank_high": 2}
    return pb.LeaderboardRow(
        model=model, strategy=strategy, language="python", task_set="2026-06", samples=samples, temperature=0.8,
        judged=1100 if lacks else 1163, tasks=1163, solved=720.5, least=least, most=most, mode="sampled",
        wording="described", pass_at_1=share, **ranks,
    )  # fmt: skip


@pytest.mark.parametrize("width", [40, 46, 60, 80, 100, 120, 160])
def test_no_figure_is_cut_however_long_names_are_and_however_narrow_the_terminal(pb, width):
    rows = [
        row(pb, "qwen2.5-coder-32b-instruct-awq@models.example:8443/team/a", "cocost:no-search,no-documents"),
        row(pb, "small", "direct", lacks=True),
    ]
    stream = io.StringIO()
    Console(file=stream, width=width, force_terminal=False).print(drawn(rows, width))
    text = stream.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    assert "1–2" in text and "62.0" in text and "[58.0–65.0]" in text and "small" in text
    # What has no room is not there at all; only the long name of a model ends in dots.
    cut = [word for word in re.findall(r"\S*…\S*", text) if word[:-1] not in "qwen2.5-coder-32b-instruct-awq"]
    assert cut == []
    whole = "720.5/1163" in text
    assert whole == ("tasks" in text.splitlines()[1]) and whole == (width >= 100)


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
@pytest.mark.parametrize("words", [1, 2, 7])
def test_no_table_cuts_a_figure_however_narrow_the_terminal(monkeypatch, width, words):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    # Two columns may have one heading.
    heads = [*(["model, direct"] * words), "questions", "of them thoughts", "95 %", "USD"]
    figures = ("123,456,789", "9,876,543", "41.3 to 47.9", "123.4567")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr("sys.stdout", Terminal())
    names = [f"qwen2.5-coder-0.5b@http://models.example:800{number}/v1" for number in range(words)]
    print_table(heads, [(*names, *figures), (*names, "1", "0", "0.0 to 9.9", "unknown")], right=heads[words:])
    text = sys.stdout.getvalue()
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert all(figure in plain for figure in (*figures, "unknown", "0.0 to 9.9"))
    assert all(len(line) <= width for line in plain.splitlines())
    assert plain.count("qwen") == 2 * words


@pytest.mark.parametrize(("low", "told"), [(0.003, "+0.3 to +7"), (-0.003, "-0.3 to +7"), (0.0, "+0 to +7")])
def test_the_ends_of_a_memory_gap_tell_whether_it_leaves_out_nothing(pb, low, told):
    assert memory_words(pb.MemoryGap(gap=pb.Interval(value=0.03, low=low, high=0.07))) == f"+3.0 ({told})"


@pytest.mark.parametrize(("evidence", "told"), [(19.98, "19.98 of 20"), (20.0, "20 of 20"), (2.5, "2.5 of 20")])
def test_evidence_that_is_not_enough_is_never_told_as_enough(touchstone, world, pb, evidence, told):
    spec = pb.RunSpec(tasks=pb.TaskSet(digest="d" * 64))
    runs = {letter * 32: pb.RunSummary(run_id=letter * 32, spec=spec) for letter in "ab"}
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=runs.values())
    world.answers["GetRun"] = lambda request: pb.GetRunResponse(run_id=request.run_id, summary=runs[request.run_id])
    seen = pb.Comparison(
        of=9, repositories=9, needed=20, evidence=evidence, difference=-0.0, cost_usd=0.00002, decision="open"
    )
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=seen)
    world.answers["GetBoard"] = pb.GetBoardResponse()
    said = touchstone("runs", "compare", "a" * 32, "b" * 32).err
    assert f"first minus second +0.0 points, evidence {told}, 0.000020 USD" in said


def test_json_has_no_share_of_what_lacks_verdicts(touchstone, world, pb):
    rows = [row(pb, "whole", "direct"), row(pb, "lacking", "direct", lacks=True)]
    world.answers["Leaderboard"] = pb.LeaderboardResponse(rows=rows)
    whole, lacking = [each["pass_at_1"] for each in json.loads(touchstone("leaderboard", "--json").out)]
    assert (whole["value"], whole["low"], whole["high"]) == (0.6195, 0.5723, 0.6711)
    assert (lacking["value"], lacking["low"], lacking["high"]) == (None, None, None)
    assert (lacking["least"], lacking["most"], lacking["passed"], lacking["total"]) == (0.58, 0.65, 7205, 11000)


def test_json_of_languages_has_none_either_and_ways_of_asking_are_told_apart(touchstone, world, pb):
    rows = [
        pb.LanguagesRow(
            spec=pb.RunSpec(model="m", strategy="direct", samples=samples, temperature=temperature),
            cells=[pb.LanguageCell(language="go", judged=1, tasks=10, value=1.0, low=0.2, high=1.0, most=1.0)],
            most=1.0,
        )
        for samples, temperature in ((2, 0.2), (10, 0.8))
    ]
    columns = [pb.LanguageColumn(language="go", tasks=10)]
    world.answers["GetLanguages"] = pb.GetLanguagesResponse(columns=columns, rows=rows, mode="sampled")
    told = json.loads(touchstone("leaderboard", "--by-language", "--json").out)
    assert {cell["value"] for each in told["rows"] for cell in each["cells"]} == {None}
    lines = touchstone("leaderboard", "--by-language").out.splitlines()[1:]
    assert [line.split("\t")[1] for line in lines] == ["direct, 2 samples at 0.2", "direct, 10 samples at 0.8"]


@pytest.mark.parametrize(
    "options",
    [("--limit", str(2**40)), ("--seed", str(2**70)), ("--seed", str(-(2**70))), ("--sample-seed", str(2**70))],
)
def test_a_number_that_no_service_takes_is_not_understood(touchstone, world, pb, options):
    world.answers["ListStrategies"] = pb.ListStrategiesResponse(strategies=[pb.Strategy(name="direct")])
    done = touchstone("evaluate", "--model", "m", *options)
    assert done.code == 2 and f"{options[1]} is no number that a service takes" in done.err
    assert world.asked("StartRun") == []


def test_no_answer_to_a_task_is_not_asked_for(touchstone, world):
    done = touchstone("evaluate", "--model", "m", "--samples", "0")
    assert done.code == 2 and "at least one answer" in done.err and world.asked("StartRun") == []


@pytest.mark.parametrize(
    ("details", "words"),
    [
        (["cancelled", "cancelled"], "2 answers of 5 were cancelled; the same call asks for them again"),
        (["cancelled", "the sandbox is away"], "1 answer of 5 came to nothing by a fault that is not the model's (the "
         "sandbox is away), beside 1 answer that somebody cancelled; they are missing"),
        (["the sandbox is away"], "1 answer of 5 came to nothing by a fault that is not the model's (the sandbox is "
         "away); they are missing"),
    ],
)  # fmt: skip
def test_what_a_person_cancelled_is_no_fault(pb, details, words):
    summary = pb.RunSummary(infrastructure=len(details), cancelled=details.count("cancelled"))
    run = pb.GetRunResponse(tasks=5, summary=summary)
    for number, detail in enumerate(details):
        run.results.add(task_id=f"t{number}", outcome="infrastructure", detail=detail)
    run.results.add(task_id="t9", outcome="raised", detail="cancelled")
    assert lost_words(run).startswith(words)


def test_an_ablation_of_which_a_run_is_paused_says_so(touchstone, world, pb):
    world.answers["ListStrategies"] = pb.ListStrategiesResponse(strategies=[pb.Strategy(name="cocost", parts=["plan"])])
    world.answers["StartRun"] = pb.StartRunResponse(run_id="f" * 32, tasks=3)
    summary = pb.RunSummary(paused=True, spec=pb.RunSpec(tasks=pb.TaskSet(digest="d" * 64, count=3)))
    world.answers["GetRun"] = pb.GetRunResponse(run_id="f" * 32, tasks=3, finished=1, summary=summary)
    world.answers["GetBoard"] = pb.GetBoardResponse()
    done = touchstone("ablation", "--model", "m", "--baseline", "")
    assert (
        done.code == 1 and "somebody paused cocost:no-plan; `touchstone runs resume ffffffffffff` lets it" in done.err
    )
    assert "stands still" not in done.err


def test_a_run_that_came_before_its_tasks_is_not_done(touchstone, world, pb):
    tasks = pb.TaskSet(name="2026-06", count=3)
    ended = {"answers": 3, "infrastructure": 3}
    runs = [
        pb.RunSummary(run_id=str(number) * 32, spec=pb.RunSpec(model="m", tasks=tasks), paused=paused, **counts)
        for number, (paused, counts) in enumerate(
            [
                (True, {}),
                (False, {}),
                (False, {"answers": 3, "judged": 3}),
                (True, {"answers": 3, "judged": 2}),
                (False, ended | {"cancelled": 3}),
                (False, ended | {"cancelled": 1}),
                (False, ended),
            ]
        )
    ]
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=runs)
    states = [run["state"] for run in json.loads(touchstone("runs", "list", "--json").out)]
    assert states == [
        "paused",
        "running",
        "done",
        "paused",
        "3 answers cancelled",
        "2 answers lost, 1 cancelled",
        "3 answers lost",
    ]


def test_runs_of_several_samples_without_temperature_are_on_the_sampled_board(touchstone, world, pb):
    spec = pb.RunSpec(tasks=pb.TaskSet(digest="d" * 64, count=1), language="python", samples=3, model="m")
    runs = {letter * 32: pb.RunSummary(run_id=letter * 32, spec=spec, answers=3, judged=3) for letter in "ab"}
    world.answers["GetRun"] = lambda request: pb.GetRunResponse(
        run_id=request.run_id, tasks=3, finished=3, summary=runs[request.run_id]
    )
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse()
    world.answers["GetRunProfile"] = pb.GetRunProfileResponse()
    touchstone("runs", "compare", "a" * 32, "b" * 32, "--json")
    assert [asked.mode for asked in world.asked("GetBoard")] == ["sampled"]
