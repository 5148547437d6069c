"""Runs: found by name, compared, exported, ended."""

import json

import pytest

A, B, C = "a" * 32, "b" * 32, "c" * 32


@pytest.fixture
def pb(world):
    return world.pb.evaluator


@pytest.fixture
def runs(world, pb):
    """Two runs of one model and one of another, over one set of tasks."""

    def spec(model, strategy="direct", language="python"):
        tasks = pb.TaskSet(digest="d" * 64, kind="all", name="every task that stood", count=4)
        return pb.RunSpec(model=model, strategy=strategy, language=language, tasks=tasks, samples=1)

    known = {
        A: pb.RunSummary(run_id=A, spec=spec("small"), answers=4, judged=4, passed=2),
        B: pb.RunSummary(run_id=B, spec=spec("large"), answers=4, judged=4, passed=3),
        C: pb.RunSummary(run_id=C, spec=spec("large", language="go"), answers=4, judged=1, infrastructure=1),
    }
    outcomes = {
        A: ("passed", "passed", "wrong_output", "raised"),
        B: ("passed", "timed_out", "passed", "pending"),
        C: ("passed", "infrastructure", "pending", "pending"),
    }

    def get(request):
        run_id = next(each for each in known if each.startswith(request.run_id))
        summary = known[run_id]
        results = [
            pb.TaskResult(task_id=f"{n}" * 32, entry_point=f"f{n}", outcome=outcome, cases=5, passed=4, detail="a  b")
            for n, outcome in enumerate(outcomes[run_id])
        ]
        for each in results:
            if each.outcome == "wrong_output":
                near = {"shared": 12, "either": 12, "alike": 12, "compared": 40, "cases": 40}
                each.resembles.add(line=3, change="a < b → a <= b", how="the same 12 of 12 failed cases", **near)
        return pb.GetRunResponse(
            run_id=run_id,
            model=summary.spec.model,
            strategy="direct",
            language=summary.spec.language,
            tasks=4,
            results=results,
            summary=summary,
        )

    world.answers["ListRuns"] = pb.ListRunsResponse(runs=list(known.values()))
    world.answers["GetRun"] = get
    return known


@pytest.mark.usefixtures("runs")
def test_a_wrong_answer_is_shown_with_the_mutant_that_fails_as_it_does(touchstone):
    shown = touchstone("runs", "show", "small").out
    assert "22222222 f2 fails as: `a < b → a <= b` in line 3 (the same 12 of 12 failed cases)" in shown
    results = json.loads(touchstone("runs", "show", "small", "--json").out)["results"]
    assert [[near["change"] for near in each.get("resembles", [])] for each in results] == [
        [], [], ["a < b → a <= b"], [],
    ]  # fmt: skip
    assert results[2]["resembles"][0]["line"] == 3 and results[2]["resembles"][0]["alike"] == 12


@pytest.mark.usefixtures("runs")
def test_a_run_is_named_by_its_model_or_the_beginning_of_its_id(touchstone, world):
    assert json.loads(touchstone("runs", "show", "small", "--json").out)["run"] == A
    assert json.loads(touchstone("runs", "show", "bb", "--json").out)["run"] == B
    done = touchstone("runs", "show", "large")
    assert done.code == 1
    assert done.err == "large: the model has 2 runs: bbbbbbbb (direct, python), cccccccc (direct, go); give an id\n"
    shown = touchstone("runs", "show", "small")
    assert "every task that stood" in shown.out and "4/5" in shown.out
    assert "passed 2, wrong_output 1, raised 1" in shown.err


def test_a_run_of_a_model_named_by_its_address_is_found_by_the_name_before_it(touchstone, world, pb, runs):
    runs[A].spec.model = "my-model@localhost:8377"
    world.answers["ListRuns"] = lambda _: pb.ListRunsResponse(runs=list(runs.values()))
    for text in ("my-model", "my-model@localhost:8377", "my-model@127.0.0.1:8377", "my-model@http://127.0.0.1:8377/v1"):
        assert json.loads(touchstone("runs", "show", text, "--json").out)["run"] == A
    done = touchstone("runs", "export", "my-modle")
    line = "my-modle: no run has this id or model; alike: my-model@localhost:8377\n"
    assert (done.code, done.err) == (1, line)
    runs[B].spec.model = "my-model@localhost:8378"
    done = touchstone("runs", "pause", "my-model")
    assert done.code == 1 and "2 runs have models of this name: aaaaaaaa (my-model@localhost:8377), " in done.err
    assert json.loads(touchstone("runs", "show", "my-model@127.0.0.1:8378", "--json").out)["run"] == B
    # Behind one gateway the path tells them apart.
    runs[A].spec.model, runs[B].spec.model = "my-model@gw.example/a", "my-model@gw.example/b"
    for text, run in (("my-model@https://gw.example/a/v1", A), ("my-model@gw.example/b/", B)):
        assert json.loads(touchstone("runs", "show", text, "--json").out)["run"] == run
    assert "alike" in touchstone("runs", "show", "my-model@https://gw.example/c/v1").err
    runs[A].spec.model = "claude@20250514@localhost:8377"
    for text in ("claude@20250514", "claude@20250514@127.0.0.1:8377", "claude@20250514@http://127.0.0.1:8377/v1"):
        assert json.loads(touchstone("runs", "show", text, "--json").out)["run"] == A
    assert "alike: claude@20250514@localhost:8377" in touchstone("runs", "show", "claude@20250513").err


@pytest.mark.usefixtures("runs")
def test_two_runs_are_compared_with_the_interval_of_their_board(touchstone, world, pb):
    pair = pb.BoardPair(run_a=B, run_b=A, only_a=1, only_b=1, difference=0.25, low=-0.1, high=0.6, p=0.5, p_holm=1.0)
    world.answers["GetBoard"] = pb.GetBoardResponse(pairs=[pair])
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    found = json.loads(touchstone("runs", "compare", "small", "bb", "--json").out)
    # What is pending has no verdict to compare.
    assert [found[name] for name in ("common", "both", "only_first", "only_second", "neither")] == [3, 1, 1, 1, 0]
    assert [one["outcomes"] for one in found["differ"]] == [["passed", "timed_out"], ["wrong_output", "passed"]]
    # Seen from the first.
    assert (found["pair"]["difference"], found["pair"]["low"], found["pair"]["high"]) == (-0.25, -0.6, 0.1)
    (request,) = world.asked("GetBoard")
    assert (request.scope, request.language, request.mode) == ("d" * 64, "python", "greedy")
    done = touchstone("runs", "compare", "small", "bb")
    assert "3 tasks with every verdict in both: 1 solved by both, 1 by the first only" in done.err
    assert "-25.0 points (95 %: -60.0 to +10.0)" in done.err and "do not tell them apart" in done.err
    assert done.out.splitlines()[1].split("\t") == ["11111111", "f1", "passed", "timed_out"]


@pytest.mark.parametrize(("flags", "wording"), [((), "described"), (("--by-example",), "by_example")])
def test_runs_are_compared_over_tasks_of_one_wording_and_never_over_both(
    touchstone, world, pb, runs, monkeypatch, flags, wording
):
    plain = world.answers["GetRun"]

    def worded(request):
        run = plain(request)
        for number, result in enumerate(run.results):
            result.wording = "described" if number else "by_example"
        return run

    world.answers["GetRun"] = worded
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    ended = pb.AdvanceComparisonResponse(comparison=pb.Comparison(needed=20, decision="first"), state="decided")
    world.answers["AdvanceComparison"] = ended
    found = json.loads(touchstone("runs", "compare", "small", "bb", "--until-decided", "--json", *flags).out)
    assert (found["wording"], found["elsewhere"], found["common"], found["both"], found["only_first"]) == (
        ("described", 1, 2, 0, 1) if wording == "described" else ("by_example", 2, 1, 1, 0)
    )
    for method in ("GetBoard", "CompareRuns", "AdvanceComparison"):
        assert [request.wording for request in world.asked(method)] == [wording]
    words = touchstone("runs", "compare", "small", "bb", *flags).err
    assert {"described": "told by example: add --by-example", "by_example": "leave out --by-example"}[wording] in words
    # Nor does what a run shows of itself add up both kinds.
    assert json.loads(touchstone("runs", "show", "aa", "--json").out)["by_wording"] == [
        {"wording": "described", "answers": 3, "judged": 3, "passed": 1},
        {"wording": "by_example", "answers": 1, "judged": 1, "passed": 1},
    ]
    assert "told by example 1 of 1 judged answer passed" in " ".join(touchstone("runs", "show", "aa").out.split())


@pytest.mark.usefixtures("runs")
def test_runs_without_a_difference_show_no_table_and_evidence_is_explained(touchstone, world, pb):
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    world.answers["GetBoard"] = pb.GetBoardResponse()
    done = touchstone("runs", "compare", "small", "aa")
    assert (done.code, done.out) == (0, "") and "no task has another outcome" in done.err
    done = touchstone("runs", "compare", "small", "bb")
    assert "at 20 one is decidedly better" in done.err


def test_a_comparison_that_stands_still_says_so_and_ends(touchstone, world, pb, runs, monkeypatch):
    monkeypatch.setattr("touchstone_cli.comparison.POLL_S", 0.0)
    monkeypatch.setattr("touchstone_cli.comparison.PATIENCE_S", 0.0)
    world.answers["AdvanceComparison"] = pb.AdvanceComparisonResponse(
        comparison=pb.Comparison(of=9, needed=20, decision="open"), state="asking", halted="the money budget is spent"
    )
    done = touchstone("runs", "compare", "small", "bb", "--until-decided")
    assert done.code == 1 and "a run of the two waits: the money budget is spent" in done.err
    assert "stands still: the money budget is spent" in done.err and "the same call goes on" in done.err


def test_two_held_runs_are_asked_until_one_is_better(touchstone, world, pb, runs, monkeypatch):
    monkeypatch.setattr("touchstone_cli.comparison.POLL_S", 0.0)
    seen = pb.Comparison(of=9, repositories=1, needed=20, evidence=2.5, difference=0.5, tasks=4, decision="open")
    ended = pb.Comparison(of=9, repositories=5, needed=20, evidence=31, difference=0.5, tasks=20, decision="first")
    world.answers["AdvanceComparison"] = [
        pb.AdvanceComparisonResponse(comparison=seen, state="asking", asked=4),
        pb.AdvanceComparisonResponse(comparison=ended, state="decided"),
    ]
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=ended)
    world.answers["GetBoard"] = pb.GetBoardResponse()
    done = touchstone("runs", "compare", "small", "bb", "--until-decided", "--budget", "2.5")
    assert done.code == 0
    assert "1 of 9 repositories, 4 tasks" in done.err and "evidence 31 of 20" in done.err
    assert "one is decidedly better" in done.err and "the first is better" in done.err
    first, second = world.asked("AdvanceComparison")
    # What an earlier call may have left unasked is asked for again, once.
    assert (first.run_a, first.run_b, first.budget_usd, first.again, second.again) == (A, B, 2.5, True, False)
    found = json.loads(touchstone("runs", "compare", "small", "bb", "--json").out)
    assert found["sequence"]["decision"] == "first" and "ended" not in found and found["pair"] is None
    assert len(world.asked("AdvanceComparison")) == 2
    found = json.loads(touchstone("runs", "compare", "small", "bb", "--until-decided", "--json").out)
    assert found["ended"] == "decided"
    assert touchstone("runs", "compare", "small", "bb", "--budget", "1").code == 2
    for none in ("-5", "nan", "inf"):
        assert touchstone("runs", "compare", "small", "bb", "--until-decided", "--budget", none).code == 2
    assert "nobody named a price" not in done.err
    runs[B].spec.model, runs[B].tokens_in, runs[B].cost_usd = "m@h:1", 9, 0.0
    done = touchstone("runs", "compare", "small", "bb", "--until-decided", "--budget", "2.5")
    assert "nobody named a price of m@h:1: the budget did not bound what it was asked" in done.err


def test_a_sampled_task_is_compared_only_where_each_of_its_answers_has_a_verdict(touchstone, world, pb, runs):
    for run_id in (A, B):
        runs[run_id].spec.samples, runs[run_id].spec.temperature = 3, 0.8
    outcomes = {
        A: {"t": ("wrong_output", "infrastructure", "infrastructure"), "u": ("wrong_output", "passed", "raised")},
        B: {"t": ("passed", "passed", "passed"), "u": ("raised", "wrong_output", "timed_out")},
    }
    plain = world.answers["GetRun"]

    def sampled(request):
        run = plain(request)
        del run.results[:]
        for name, given in outcomes[run.run_id].items():
            for sample, outcome in enumerate(given):
                run.results.add(task_id=name * 32, entry_point=name, outcome=outcome, sample=sample)
        return run

    world.answers["GetRun"] = sampled
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    found = json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)
    assert [found[name] for name in ("common", "missing", "only_first", "only_second")] == [1, 1, 1, 0]
    assert found["differ"] == [{"task_id": "u" * 32, "entry_point": "u", "outcomes": ["passed", "timed_out"]}]
    told = touchstone("runs", "compare", "aa", "bb").err
    assert "1 task with every verdict in both" in told and "by neither; 1 task more without one" in told
    assert "one that passed solves it here" in told


@pytest.mark.usefixtures("runs")
def test_a_comparison_says_how_many_answers_were_lost_and_between_what_it_lies(touchstone, world, pb):
    seen = pb.Comparison(of=9, repositories=9, needed=20, evidence=0.2, difference=0.5, tasks=20, decision="open")
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=seen)
    whole = touchstone("runs", "compare", "small", "bb").err
    assert "20 tasks: first minus second +50.0 points" in whole and "lost" not in whole
    seen.lost, seen.least, seen.most = 8, -0.25, 0.75
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=seen)
    told = " ".join(touchstone("runs", "compare", "small", "bb").err.split())
    assert "20 tasks, 8 of them without an answer that was lost: first minus second -25.0 to +75.0 points" in told
    assert "counts against the run that would gain by it" in told and "+50.0" not in told
    found = json.loads(touchstone("runs", "compare", "small", "bb", "--json").out)["sequence"]
    assert (found["lost"], found["least"], found["most"]) == (8, -0.25, 0.75)


def test_a_run_waits_and_goes_on(touchstone, world, pb, runs):
    runs[C].paused = True
    world.answers["PauseRun"] = pb.PauseRunResponse(run=runs[C], answers=2)
    done = touchstone("runs", "pause", "cc")
    assert (done.code, done.out) == (0, f"Run {C[:12]} is paused: 2 answers wait.\n")
    assert touchstone("runs", "resume", "cc").out == f"Run {C[:12]} goes on: 2 answers asked for.\n"
    assert json.loads(touchstone("runs", "pause", "cc", "--json").out)["state"] == "paused"
    assert [(each.run_id, each.resume) for each in world.asked("PauseRun")] == [
        ("cc", False),
        ("cc", True),
        ("cc", False),
    ]
    # Whoever waits for a run that somebody paused is told.
    world.answers["StartRun"] = pb.StartRunResponse(run_id=C, tasks=4, task_set="every task that stood")
    done = touchstone("evaluate", "--model", "large", "--language", "go")
    assert done.code == 1 and f"somebody paused the run; `touchstone runs resume {C[:12]}`" in done.err
    held = touchstone("evaluate", "--model", "large", "--language", "go", "--held")
    assert held.code == 0 and [each.held for each in world.asked("StartRun")] == [False, True]


def test_runs_of_a_track_are_compared_on_the_board_of_their_exercises_version(touchstone, world, pb, runs):
    for run_id in (A, B):
        runs[run_id].spec.track, runs[run_id].spec.tasks.release = "repair", "e" * 64
        runs[run_id].spec.bounds["exercise"] = 2
    world.answers["GetBoard"] = pb.GetBoardResponse()
    world.answers["CompareRuns"] = pb.CompareRunsResponse(comparison=pb.Comparison(decision="open", needed=20))
    touchstone("runs", "compare", "aa", "bb")
    assert [request.scope for request in world.asked("GetBoard")] == [f"{'e' * 64}:repair:2"]
    # Another version is another question; a run of before there were versions names none.
    del runs[B].spec.bounds["exercise"]
    assert "do not stand on one board" in touchstone("runs", "compare", "aa", "bb").err
    assert len(world.asked("GetBoard")) == len(world.asked("CompareRuns")) == 1
    del runs[A].spec.bounds["exercise"]
    touchstone("runs", "compare", "aa", "bb")
    assert world.asked("GetBoard")[-1].scope == f"{'e' * 64}:repair"


def test_runs_of_other_boards_are_compared_without_an_interval(touchstone, world, runs):
    done = touchstone("runs", "compare", "small", "cc")
    assert "1 task with every verdict in both: 1 solved by both" in done.err and "No interval: they do not" in done.err
    assert world.asked("GetBoard") == [] and world.asked("CompareRuns") == []
    assert "No interval: both are one run." in touchstone("runs", "compare", "aa", "aa").err
    # The same tasks, asked for by a release and without one, are two boards: it is said how they come onto one.
    for run_id in (A, B):
        runs[run_id].spec.tasks.digest = "d" * 64
    runs[A].spec.tasks.release, runs[B].spec.tasks.release = "e" * 64, ""
    comparison = world.pb.evaluator.Comparison(decision="open", needed=20)
    world.answers["CompareRuns"] = world.pb.evaluator.CompareRunsResponse(comparison=comparison)
    assert "`touchstone evaluate --release NAME`" in touchstone("runs", "compare", "aa", "bb").err


@pytest.mark.usefixtures("runs")
def test_the_answers_of_a_run_are_written_line_by_line(touchstone, world, pb, tmp_path):
    answer = pb.Answer(
        task_id="t", code="def f():\n    return '\u009b'\n", steps=['{"name": "answer"}'], outcome="passed"
    )
    world.answers["ListAnswers"] = lambda _: iter([pb.ListAnswersResponse(answer=answer)] * 2)
    lines = [json.loads(line) for line in touchstone("runs", "export", "small").out.splitlines()]
    assert len(lines) == 2 and lines[0]["solution"] == answer.code and lines[0]["steps"] == [{"name": "answer"}]
    assert [request.run_id for request in world.asked("ListAnswers")] == [A]
    file = tmp_path / "answers.jsonl"
    done = touchstone("runs", "export", "small", "--out", file)
    assert (done.code, done.out) == (0, "") and f"2 answers in {file}" in done.err
    assert len(file.read_text().splitlines()) == 2
    done = touchstone("runs", "export", "small", "--out", file)
    assert (done.code, done.err) == (1, f"{file}: is there already; name another file, or add --force\n")

    def breaks(_request):
        yield pb.ListAnswersResponse(answer=answer)
        raise RuntimeError("the service ends")

    world.answers["ListAnswers"] = breaks
    assert touchstone("runs", "export", "small", "--out", file, "--force").code == 1
    # What was there is there still, and nothing half beside it.
    assert len(file.read_text().splitlines()) == 2 and [each.name for each in tmp_path.glob("answers*")] == [file.name]


@pytest.mark.usefixtures("runs")
def test_a_run_is_deleted_only_where_that_is_meant(touchstone, world, pb, runs):
    done = touchstone("runs", "delete", "small")
    assert done.code == 2 and "4 judged answers) would be gone for good; add --yes" in done.err
    assert world.asked("DeleteRun") == []
    world.answers["DeleteRun"] = pb.DeleteRunResponse(run=runs[A])
    done = touchstone("runs", "delete", "small", "--yes")
    assert (done.code, done.out) == (0, "Deleted run aaaaaaaaaaaa: small, direct.\n")
    assert [request.run_id for request in world.asked("DeleteRun")] == [A]


def test_a_run_is_taken_off_the_board_with_a_note_and_put_back(touchstone, world, pb, runs):
    world.answers["WithdrawRun"] = pb.WithdrawRunResponse(run=runs[A])
    assert "off the board" in touchstone("runs", "withdraw", "small", "--note", "asked wrongly").out
    assert "on the board again" in touchstone("runs", "withdraw", "small", "--restore").out
    first, second = world.asked("WithdrawRun")
    assert (first.reason, first.restore, second.restore) == ("asked wrongly", False, True)
    for wrong in ((), ("--note", "x", "--restore")):
        assert touchstone("runs", "withdraw", "small", *wrong).code == 2


def test_the_help_says_what_a_limit_of_none_means(touchstone):
    assert "0: all" in touchstone("evaluate", "--help").out


# -- tasks by name --------------------------------------------------------------------------------------------------


@pytest.fixture
def tasks(world):
    code = world.pb.code.CodeLocation
    known = [
        world.pb.generator.Task(
            task_id=f"{n}" * 32,
            entry_point=name,
            kind="SC",
            difficulty=difficulty,
            location=code(repository=repository),
        )
        for n, (name, difficulty, repository) in enumerate(
            [("chunk", "Easy", "boltons"), ("add", "Hard", "toolz"), ("add", "Easy", "boltons")]
        )
    ]
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(tasks=known)
    return known


@pytest.mark.usefixtures("tasks", "runs")
def test_answers_are_judged_again_with_a_note(touchstone, world, pb):
    world.answers["JudgeAgain"] = pb.JudgeAgainResponse(answers=3)
    done = touchstone("runs", "judge-again", "small", "--note", "mended")
    assert done.code == 0 and done.out.startswith("3 answers judged again; ")
    assert json.loads(touchstone("runs", "judge-again", "--task", "chunk", "--note", "m", "--json").out) == {
        "answers": 3
    }
    asked = [(each.run_id, each.task_id, each.note) for each in world.asked("JudgeAgain")]
    assert asked == [(A, "", "mended"), ("", "0" * 32, "m")]
    for wrong in (("small",), ("--note", "x")):
        assert touchstone("runs", "judge-again", *wrong).code == 2


@pytest.mark.usefixtures("tasks")
def test_a_task_is_named_by_its_function(touchstone, world, pb):
    for text, task_id in (("chunk", "0" * 32), ("00", "00"), ("f" * 32, "f" * 32)):
        touchstone("tasks", "show", text, "--json")
        assert world.asked("GetTask")[-1].task_id == task_id
    done = touchstone("tasks", "show", "add")
    assert (done.code, done.err) == (
        1,
        "add: 2 tasks are called so: 11111111 of toolz, 22222222 of boltons; give an id\n",
    )
    world.answers["StartRun"] = pb.StartRunResponse(run_id="r")
    touchstone("evaluate", "--tasks", "chunk,22", "--no-wait")
    assert list(world.asked("StartRun")[0].task_ids) == ["0" * 32, "22"]
    touchstone("release", "create", "r", "--tasks", "chunk")
    assert list(world.asked("CreateRelease")[0].task_ids) == ["0" * 32]


@pytest.mark.usefixtures("tasks")
def test_tasks_are_filtered_by_repository_and_difficulty(touchstone, world):
    def ids(*options):
        return [task["task_id"][0] for task in json.loads(touchstone("tasks", "list", "--json", *options).out)]

    assert ids("--repo", "boltons") == ["0", "2"]
    assert ids("--difficulty", "easy") == ["0", "2"]
    # The limit counts what is listed.
    assert ids("--repo", "boltons", "--difficulty", "EASY", "--limit", "1") == ["0"]
    assert ids("--repo", "nowhere") == []
    assert "1 of 2 tasks; " in touchstone("tasks", "list", "--repo", "boltons", "--limit", "1").err
    assert touchstone("tasks", "list", "--repo", "boltons").err.startswith("2 tasks; ")


def test_a_run_that_lost_answers_is_not_done(touchstone, world, pb):
    lost = pb.RunSummary(run_id=A, spec=pb.RunSpec(model="m"), answers=4, judged=1, infrastructure=3)
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=[lost])
    (listed,) = json.loads(touchstone("runs", "list", "--json").out)
    assert (listed["judged"], listed["infrastructure"], listed["state"]) == (1, 3, "3 answers lost")


def test_a_withdrawn_run_is_withdrawn_whatever_it_waited_for(touchstone, world, pb):
    gone = pb.RunSummary(run_id=A, spec=pb.RunSpec(model="m"), answers=4, halted="no credit", withdrawn="wrong prompt")
    waits = pb.RunSummary(run_id=B, spec=pb.RunSpec(model="m"), answers=4, halted="no credit")
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=[gone, waits])
    states = [run["state"] for run in json.loads(touchstone("runs", "list", "--json").out)]
    assert states == ["withdrawn: wrong prompt", "halted: no credit"]
    # Nor does one stand still that is paused, or of which every answer has ended.
    waits.paused = True
    gone.withdrawn, gone.judged = "", 4
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=[gone, waits])
    assert [run["state"] for run in json.loads(touchstone("runs", "list", "--json").out)] == ["done", "paused"]


def test_runs_that_differ_in_names_alone_show_the_memory_gap(touchstone, world, pb, runs):
    runs[B].spec.CopyFrom(runs[A].spec)
    runs[B].spec.track = "neutral"
    ends = {"plain": 0.75, "neutral": 0.5, "gap": 0.25}
    gap = pb.MemoryGap(
        **{name: pb.Interval(value=value, low=value - 0.2, high=value + 0.2) for name, value in ends.items()},
        tasks=40, repositories=9, left_out=3, missing=5, only_plain=12, only_neutral=2, p=0.004, decided=True,
        plain_run=A, neutral_run=B,
    )  # fmt: skip
    world.answers["GetRunProfile"] = pb.GetRunProfileResponse(memory=gap)
    done = touchstone("runs", "compare", "aa", "bb")
    told = " ".join(done.err.split())
    assert "75.0 % under the tasks' own names and 50.0 % in neutral dress, over 40 tasks of 9 repositories" in told
    assert "memory gap: +25.0 points (95 %: +5.0 to +45.0); p 0.004: the data tell them apart" in told
    assert "3 not asked in neutral dress, 5 without an answer in one of them" in told
    assert "no proof" in told and "No interval" not in told
    found = json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)
    assert found["memory"]["gap"]["value"] == 0.25 and found["pair"] is None
    # Beside another run of the same way it is not theirs.
    gap.neutral_run = C
    world.answers["GetRunProfile"] = pb.GetRunProfileResponse(memory=gap)
    assert json.loads(touchstone("runs", "compare", "aa", "bb", "--json").out)["memory"] is None


def test_a_run_as_json_has_its_slices_and_what_stands_around_a_declared_cutoff(touchstone, world, pb):
    share = pb.Share(group="Easy", value=0.5, passed=1, total=2)
    slices = [pb.Slice(dimension="difficulty", share=share)]
    world.answers["GetRunProfile"] = pb.GetRunProfileResponse(slices=slices, wording="described")
    profile = json.loads(touchstone("runs", "show", "aa", "--json").out)["profile"]
    assert profile["wording"] == "described"
    assert [(each["dimension"], each["share"]["passed"]) for each in profile["slices"]] == [("difficulty", 1)]
    # Nobody declared a cutoff, and there is no run in neutral dress: neither is shown as a nought.
    assert profile["around"] is None and profile["memory"] is None
