"""Commands that speak to services."""

import json
import subprocess
import sys

import grpc
import pytest

from touchstone_cli import evaluate, main
from touchstone_cli.classify import offline
from touchstone_cli.errors import CliError
from touchstone_cli.services import connect

# -- help and faults ----------------------------------------------------------------------------------------------


def test_the_list_of_commands_fits_a_screen_and_imports_nothing_heavy(touchstone):
    done = touchstone("--help")
    assert done.code == 0 and len(done.out.splitlines()) <= 24 and "Example: touchstone run" in done.out
    code = "import sys, touchstone_cli.main; print(sorted({'grpc', 'rich', 'aiokafka', 'psutil'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def every_command():
    """Each command as a user types it, those within commands too."""
    for name in main.ENTRIES:
        yield name
        for inner, command in getattr(main.load(name), "commands", {}).items():
            yield f"{name} {inner}"
            yield from (f"{name} {inner} {each}" for each in getattr(command, "commands", {}))


def test_every_help_fits_a_screen_and_has_an_example(touchstone):
    wrong = []
    for command in every_command():
        done = touchstone(*command.split(), "--help")
        assert done.code == 0
        lines = done.out.splitlines()
        # Whoever runs a program in the sandbox has more to say than a screen of before holds.
        screen = 40 if command in ("sandbox run", "sandbox cases", "token create") else 24
        # A search hides none of its options.
        screen = 29 if command == "search" else screen
        if len(lines) > screen or f"Example: touchstone {command.split()[0]}" not in done.out:
            wrong.append(f"{command}: {len(lines)} lines\n{done.out}")
    assert not wrong


def test_every_entry_leads_to_a_command():
    for name, entry in main.ENTRIES.items():
        assert main.load(name).name == name, entry


@pytest.mark.parametrize("command", ["sources list", "tasks list", "leaderboard", "search x", "funnel", "evaluate"])
def test_a_platform_that_is_not_up_is_one_line_with_the_way_out(touchstone, monkeypatch, tmp_path, command):
    for service in ("INGESTER", "PBT_GENERATOR", "EVALUATOR", "RETRIEVER"):
        monkeypatch.setenv(f"TOUCHSTONE_{service}_ADDRESS", f"unix:{tmp_path}/nobody")
    done = touchstone(*command.split())
    assert done.code == 1 and done.out == ""
    assert len(done.err.splitlines()) == 1 and "start it with `touchstone up`" in done.err


@pytest.mark.parametrize(
    ("code", "details", "line"),
    [
        (grpc.StatusCode.INVALID_ARGUMENT, "a/b: no such model;\nname one", "a/b: no such model; name one"),
        (grpc.StatusCode.INTERNAL, "boom", "the evaluator failed (boom); see `touchstone logs evaluator`"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "", "the evaluator took too long; see `touchstone logs evaluator`"),
        (grpc.StatusCode.UNAVAILABLE, "the model endpoint is down", "the model endpoint is down"),
    ],
)
def test_what_a_service_says_reaches_the_user_in_one_line(touchstone, world, code, details, line):
    world.answers["StartRun"] = (code, details)
    done = touchstone("evaluate", "--model", "m")
    assert (done.code, done.err) == (1, line + "\n")


# -- sources ------------------------------------------------------------------------------------------------------


def test_sources_are_listed_and_removed_by_name_or_id(touchstone, world):
    sources = [
        world.pb.ingester.Source(source_id=f"{n}a", kind="package", name=name, functions=n, state="ingested")
        for n, name in enumerate(("boltons", "toolz"), 1)
    ]
    world.answers["ListSources"] = world.pb.ingester.ListSourcesResponse(sources=sources)
    listed = json.loads(touchstone("sources", "list", "--json").out)
    assert [(source["name"], source["functions"]) for source in listed] == [("boltons", 1), ("toolz", 2)]
    assert "toolz" in touchstone("sources", "list").out
    touchstone("sources", "remove", "toolz")
    touchstone("sources", "remove", "1")
    assert [request.source_id for request in world.asked("RemoveSource")] == ["2a", "1a"]
    done = touchstone("sources", "remove", "x")
    assert (done.code, done.err) == (1, "x: no such source; see `touchstone sources list`\n")
    done = touchstone("sources", "remove", "boltns")
    assert (done.code, done.err) == (1, "boltns: no such source; did you mean boltons?\n")


# -- tasks, funnel ------------------------------------------------------------------------------------------------


@pytest.fixture
def task(world):
    place = world.pb.code.CodeLocation(repository="boltons", version="25.0", path="a.py", line_start=3, line_end=9)
    return world.pb.generator.Task(
        task_id="0123456789abcdef", kind="SC", difficulty="Easy", entry_point="chunk", location=place, cases=400,
        branch_coverage=1.0, mutation_score=-1, instruction="Split [a] list.",
    )  # fmt: skip


def test_tasks_are_listed(touchstone, world, task):
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(tasks=[task], refused=7, retracted=2)
    (listed,) = json.loads(touchstone("tasks", "list", "--json").out)
    assert (listed["task_id"], listed["cases"], listed["location"]["repository"]) == (task.task_id, 400, "boltons")
    shown = touchstone("tasks", "list", "--kind", "sc")
    assert "chunk" in shown.out and "7 candidates were refused; 2 tasks were retracted" in shown.err
    assert world.asked("ListTasks")[-1].kind == "SC"
    assert not world.asked("ListTasks")[-1].imported
    theirs = touchstone("tasks", "list", "--imported")
    assert world.asked("ListTasks")[-1].imported and "1 imported task" in theirs.err


def test_a_trial_prints_where_solutions_agree_against_the_truth(touchstone, world, task):
    answers = [
        world.pb.generator.TrialTasksResponse(
            task_id=task.task_id, entry_point="chunk", track="described", model="m", asked=3, answered=3, solved=1,
            standing="open", pointed=4,
            points=[{"case": 2, "arguments": "[0]", "expected": '"[red]"', "given": "null", "solutions": 2}],
        ),
        world.pb.generator.TrialTasksResponse(task_id="ff", entry_point="fold", asked=3, standing="unanswered"),
    ]  # fmt: skip
    world.answers["TrialTasks"] = lambda request: iter(answers)
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(tasks=[task])
    shown = touchstone("tasks", "trial", "chunk", "--model", "m", "-k", "3")
    assert shown.code == 0
    assert "1 of 3" in shown.out and "open" in shown.out and "[red]" in shown.out.replace("\n", "")
    assert "2 tasks: 1 open, 1 unanswered" in shown.err
    asked = world.asked("TrialTasks")[0]
    assert (asked.model, asked.solutions, list(asked.task_ids)) == ("m", 3, [task.task_id])
    told = json.loads(touchstone("tasks", "trial", "--model", "m", "--json").out)
    assert told[0]["points"][0]["given"] == "null" and told[1]["standing"] == "unanswered"
    assert touchstone("tasks", "trial").code == 2
    assert touchstone("tasks", "trial", "--model", "m", "-k", "1").code == 2


CASE = json.dumps(
    {"arguments": '[[1,{"$":"tuple","v":[2]}],{"$":"map","v":[[null,{"$":"float","v":"nan"}]]}]', "expected": '"ü"'}
)
CERTIFICATE = {
    "languages": ["python"], "unreachable": ["line 9"], "distinct_results": 7, "largest_share": 0.25,
    "coverage": {"branches": 3, "returning": 2, "raising": 0, "dead": 1, "share": 1.0},
    "mutation": {"mutants": 4, "killed": 3, "proved": ["x"], "survivors": [], "evidence": [], "score": 1.0},
    "inputs": {
        "real": 2, "near": 5, "inferred": 9,
        "domain": {"size": [{"text": "above 0", "source": "documentation", "about": "limit"}]},
        "robustness": {"suite_digest": "d", "cases": 1, "refused": [["[null]", "TypeError"]]},
    },
    "trials": [
        {"program": "ground_truth", "language": "python", "must_pass": True, "verdict": "passed"},
        {"program": "returns_nothing", "language": "python", "must_pass": False, "verdict": "wrong_output"},
        {"program": "exits", "language": "python", "must_pass": False, "verdict": "passed"},
    ],
}  # fmt: skip


def test_a_task_is_shown_with_its_certificate(touchstone, world, task):
    world.answers["GetTask"] = world.pb.generator.GetTaskResponse(
        task=task, certificate_json=json.dumps(CERTIFICATE), ground_truth="def chunk(): ...", example_cases=[CASE]
    )
    shown = json.loads(touchstone("tasks", "show", "0123", "--json").out)
    assert shown["certificate"] == CERTIFICATE and shown["example_cases"] == [json.loads(CASE)]
    assert shown["task_id"] == task.task_id and shown["ground_truth"] == "def chunk(): ..."
    text = touchstone("tasks", "show", "0123").out
    assert "Split [a] list." in text and "def chunk(): ..." in text
    # A page, and no data structure.
    told = dict(line.split("\t") for line in text.splitlines() if line.count("\t") == 1)
    assert told["Tried on"] == "1 right programs, which pass; 1 of 2 wrong ones, which fail"
    assert told["Not as it should"] == "exits in python: passed"
    assert told["Branches"] == "100% of 3: 2 reached by cases, 0 by inputs that raise, 1 proved unreachable"
    assert told["Mutants"] == "3 of 4 killed, 1 proved equivalent, 0 alive"
    assert told["Inputs"] == "2 cases with inputs that callers send, 5 near such, 9 inferred"
    assert told["Callers send size"] == "above 0 (documentation)"
    assert told["Outside"] == "1 input answered, 1 refused with an error; apart from the cases"
    assert 'chunk([1, (2,)], {null: nan}) → "ü"' in text
    assert '"$"' not in text and "survivors" not in text
    assert "RETRACTED" not in text
    task.retracted = "it [rounds] wrongly"
    world.answers["GetTask"] = world.pb.generator.GetTaskResponse(task=task)
    assert "RETRACTED: it [rounds] wrongly" in touchstone("tasks", "show", "0123").out


def test_a_task_is_shown_for_a_person(touchstone, world, task):
    task.form, task.track, task.first_seen, task.dated_by = (
        "slice",
        "by_example",
        "2026-03-04T00:00:00+00:00",
        "release 2",
    )
    task.gaps.append("it does not speak of size")
    task.signatures.update({"go": "func chunk()", "python": "def chunk()"})
    world.answers["GetTask"] = world.pb.generator.GetTaskResponse(task=task)
    text = touchstone("tasks", "show", "0123").out
    assert "SC slice" in text and "code first seen 2026-03-04 (release 2)" in text
    assert "track by example: it does not speak of size" in text
    assert text.index("def chunk()") < text.index("func chunk()")
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(tasks=[task])
    (listed,) = json.loads(touchstone("tasks", "list", "--json").out)
    assert (listed["form"], listed["track"], listed["first_seen"][:4]) == ("slice", "by_example", "2026")
    assert "SC slice" in touchstone("tasks", "list").out


def test_the_funnel_keeps_order_and_reasons(touchstone, world):
    pb = world.pb.ingester
    world.answers["Funnel"] = pb.FunnelResponse(
        stages=[pb.FunnelStage(stage="functions_seen", count=9), pb.FunnelStage(stage="classified", count=5)],
        reasons=[
            pb.FunnelReason(stage="classified", reason="no value returned", count=4, example="a.b"),
            pb.FunnelReason(stage="filters", reason="complexity", count=3),
            pb.FunnelReason(stage="filters", reason="generator", count=2),
        ],
    )
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(
        refused=2, refusals={"coverage_incomplete": 1, "constant_output": 1}
    )
    stages = json.loads(touchstone("funnel", "--json").out)
    names = [stage["stage"] for stage in stages]
    assert names == ["functions_seen", "filters", "classified", "tasks_refused", "tasks_released"]
    refused = next(stage for stage in stages if stage["stage"] == "tasks_refused")
    assert [(reason["reason"], reason["count"]) for reason in refused["reasons"]] == [
        ("constant_output", 1),
        ("coverage_incomplete", 1),
    ]
    assert stages[2]["reasons"][0]["reason"] == "no value returned"
    assert stages[1]["count"] == 5 and [reason["count"] for reason in stages[1]["reasons"]] == [3, 2]
    assert "no value returned" in touchstone("funnel").out
    # What is left after the filters stands behind them, and what it is made up of behind that.
    kinds = ("functions", "task_candidates", "slices", "records", "sequences")
    world.answers["Funnel"].CopyFrom(
        pb.FunnelResponse(
            stages=[pb.FunnelStage(stage=kind, count=2) for kind in kinds],
            reasons=[pb.FunnelReason(stage="filters", reason="generator", count=2)],
        )
    )
    lines = [line.split("\t")[0] for line in touchstone("funnel").out.splitlines()]
    assert lines.index("filters") < lines.index("candidates for tasks") < lines.index("  of them methods (records)")
    world.answers["ListTasks"] = world.pb.generator.ListTasksResponse(refused=2, retracted=1)
    stages = json.loads(touchstone("funnel", "--json").out)
    assert [(stage["stage"], stage["count"]) for stage in stages[-2:]] == [
        ("tasks_retracted", 1),
        ("tasks_released", 0),
    ]


# -- search -------------------------------------------------------------------------------------------------------


def test_search_results_carry_place_score_and_lag(touchstone, world):
    pb = world.pb.retriever
    place = world.pb.code.CodeLocation(
        repository="toolz", version="1.0", path="x.py", line_start=1, line_end=2, qualname="f"
    )
    result = pb.SearchResult(location=place, score=0.5, code="def f(): ...", streams=["query"])
    world.answers["Search"] = pb.SearchResponse(results=[result], index_lag=3, indexed=10)
    (found,) = json.loads(touchstone("search", "group things", "--repo", "toolz", "--limit", "5", "--json").out)
    assert (found["repository"], found["line_start"], found["score"], found["index_lag"]) == ("toolz", 1, 0.5, 3)
    (request,) = world.asked("Search")
    assert (request.query, request.limit, request.mode) == ("group things", 5, "plain")
    assert list(request.filters.repositories) == ["toolz"]
    shown = touchstone("search", "x", "--code")
    assert "def f(): ..." in shown.out and "3 functions are not searchable yet" in shown.err
    assert shown.out.startswith("x.py:1  f  toolz 1.0  0.500\n")
    assert touchstone("search", "x", "--mode", "magic").code == 2


def test_a_search_says_what_was_really_done(touchstone, world):
    pb = world.pb.retriever
    world.answers["Search"] = pb.SearchResponse(mode="plain", note="the model is away", indexed=3)
    shown = touchstone("search", "x", "--mode", "augmented", "--classes", "--versions", "--language", "go")
    assert "asked for augmented, answered plain: the model is away" in shown.err
    (request,) = world.asked("Search")
    assert (request.include_classes, request.include_superseded) == (True, True)
    assert list(request.filters.languages) == ["go"]
    world.answers["Search"] = pb.SearchResponse(mode="plain", note="nothing indexed matches go")
    assert "nothing indexed matches go" in touchstone("search", "x").err


def test_a_search_says_which_models_ranked_it_and_which_generation(touchstone, world):
    pb = world.pb.retriever
    result = pb.SearchResult(location=world.pb.code.CodeLocation(path="x.py", line_start=1), score=0.5)
    parts = ["mini", "text"]
    world.answers["Search"] = pb.SearchResponse(results=[result], parts=parts, left_out=["big"], generation="g-1")
    [found] = json.loads(touchstone("search", "x", "--json").out)
    assert (found["parts"], found["left_out"], found["generation"]) == (["mini", "text"], ["big"], "g-1")
    assert touchstone("search", "x", "--explain").err == "ranked by mini, text, generation g-1\n"
    assert touchstone("search", "x").err == ""


def test_an_exact_search_needs_no_words_and_says_how_to_go_on(touchstone, world):
    pb = world.pb.retriever
    place, other = (world.pb.code.CodeLocation(path=path, line_start=3, repository="a", version="1") for path in "xy")
    part = pb.ScorePart(part="m", value=0.5, z=1.25, weight=2, contribution=2.5)
    result = pb.SearchResult(location=place, score=2.5, explanation=[part], duplicates=[other], more_duplicates=9)
    world.answers["Search"] = pb.SearchResponse(results=[result], mode="exact", next_cursor="abc")
    options = ("--symbol", "get_*", "--path", "src/**", "--regex", "a|b", "--kind", "CLASS", "--licence", "MIT")
    options += ("--version", "1.0", "--merge", "--part", "m", "--cursor", "c")
    assert "more" not in touchstone("search", *options).err
    world.requests.clear()
    shown = touchstone("search", *options, "--explain", "--limit", "1")
    assert shown.code == 0 and "answered" not in shown.err
    assert shown.err == "more: a larger --limit, or --cursor with the next_cursor of --json\n"
    assert "also in at least 9 other places" in shown.out
    assert "also y:3" in shown.out and "m 0.500, z +1.25 x 2 = +2.5000" in shown.out
    (request,) = world.asked("Search")
    asked = request.filters
    assert (asked.symbol, asked.path, asked.pattern, asked.version) == ("get_*", "src/**", "a|b", "1.0")
    assert (list(asked.kinds), list(asked.licences), list(request.parts)) == (["class"], ["MIT"], ["m"])
    assert (request.query, request.merge_duplicates, request.cursor) == ("", True, "c")
    assert touchstone("search", "x", "--kind", "module").code == 2


def test_a_repository_of_which_nothing_is_found_is_explained(touchstone, world):
    pb, rows = (
        world.pb,
        [("/home/me/repo", "ingested", ""), ("new", "waiting", ""), ("old", "outside_window", "no date")],
    )
    world.answers["ListSources"] = pb.ingester.ListSourcesResponse(
        sources=[pb.ingester.Source(name=name, state=state, detail=why, functions=4) for name, state, why in rows]
    )
    world.answers["Search"] = pb.retriever.SearchResponse(indexed=3)

    def told(name, *options):
        return touchstone("search", "x", "--repo", name, *options).err.splitlines()[-1]

    assert told("repo") == "repo: no such repository is followed; did you mean --repo /home/me/repo?"
    assert told("repo", "--json") == told("repo")
    for command in ("list", "refused"):
        assert touchstone("tasks", command, "--repo", "repo").err.splitlines()[-1] == told("repo")
        assert "no such" not in touchstone("tasks", command, "--repo", "new").err
    assert told("zzz") == "zzz: no such repository is followed; see `touchstone sources list`"
    assert "its 4 functions still wait for the index" in told("/home/me/repo")
    assert told("new") == "new: is being taken in; none of its functions can be found yet"
    assert told("old") == "old: outside window, no date"
    place = pb.code.CodeLocation(repository="new", path="x.py", line_start=1, qualname="f")
    held = pb.retriever.SearchResponse(results=[pb.retriever.SearchResult(location=place)])
    world.answers["Search"] = lambda asked: held if asked.filters.symbol == "*" else pb.retriever.SearchResponse()
    assert "nothing found in new" in told("new")
    world.answers["ListSources"] = (grpc.StatusCode.UNAVAILABLE, "")
    assert touchstone("search", "x", "--repo", "new").code == 0


# -- evaluation ---------------------------------------------------------------------------------------------------


def run_state(world, finished, halted=""):
    pb = world.pb.evaluator
    outcomes = ["passed"] * finished + ["pending"] * (2 - finished)
    results = [pb.TaskResult(task_id=f"t{n}", outcome=outcome, cases=5, passed=5) for n, outcome in enumerate(outcomes)]
    return pb.GetRunResponse(
        run_id="r", model="m", strategy="direct", tasks=2, finished=finished, halted=halted, results=results
    )


def test_evaluate_follows_the_run_to_its_end(touchstone, world):
    left_out = {"the words speak of the package": 1, "cases give arguments by name": 12}
    world.answers["StartRun"] = world.pb.evaluator.StartRunResponse(run_id="r", tasks=2, left_out=left_out)
    world.answers["GetRun"] = [run_state(world, 0), run_state(world, 1), run_state(world, 2)]
    asked = ("--tasks", "aa,bb", "--tasks", "cc", "--strategy", "cocost", "--track", "repair")
    done = touchstone("evaluate", "--model", "m", *asked, "--json")
    assert done.code == 0 and json.loads(done.out)["finished"] == 2
    (request,) = world.asked("StartRun")
    assert list(request.task_ids) == ["aa", "bb", "cc"] and request.strategy == "cocost"
    assert "2 of 2 verdicts" in done.err
    # The most frequent reason first.
    reasons = [line.rpartition(": ")[2] for line in done.err.splitlines() if line.startswith("left out of the track")]
    assert reasons == ["cases give arguments by name", "the words speak of the package"] and "12 tasks" in done.err


def test_answers_that_were_lost_are_no_verdicts_and_the_command_says_so(touchstone, world):
    world.answers["StartRun"] = world.pb.evaluator.StartRunResponse(run_id="r", tasks=2)
    lost = run_state(world, 2)
    lost.summary.infrastructure = 1
    lost.results.add(outcome="infrastructure", detail="given up after 300 s: it cannot be reached")
    world.answers["GetRun"] = lost
    done = touchstone("evaluate", "--model", "m", "--tasks", "aa,bb")
    said = " ".join(done.err.split())
    assert done.code == 1 and "1 answer of 2 came to nothing" in said and "given up after 300 s" in said
    assert "missing, not wrong, and the same call asks for them again" in said


def test_what_a_run_waits_for_is_said_once_and_at_once(world, capsys):
    quiet, away = run_state(world, 0), run_state(world, 0, halted="the endpoint cannot be reached")
    quiet.model = "y@1@127.0.0.1:9"
    world.answers["GetRun"] = [quiet, quiet, away, away, run_state(world, 2)]
    evaluate.follow(connect("evaluator"), "r" * 32, poll_s=0.0, quiet_s=0.0)
    ends = f"; Ctrl-C stops the watching, `touchstone runs cancel {'r' * 12}` the run\n"
    said = capsys.readouterr().err
    first = f"no verdict yet: the model y@1 at 127.0.0.1:9 has not answered, or what it answered is being judged{ends}"
    then = f"the run waits: the endpoint cannot be reached{ends}"
    assert said.count(first) == said.count(then) == 1 and said.index(first) < said.index(then)


def test_a_run_that_stands_still_is_given_up(world):
    world.answers["GetRun"] = run_state(world, 1, halted="budget spent")
    run = evaluate.follow(connect("evaluator"), "r", poll_s=0.01, patience_s=0.05)
    assert (run.finished, run.halted) == (1, "budget spent")


def test_the_leaderboard_shows_shares_with_intervals(touchstone, world):
    pb = world.pb.evaluator
    share = pb.Share(group="all", passed=1, total=4, value=0.25, low=0.006, high=0.806)
    row = pb.LeaderboardRow(model="m", strategy="direct", language="python", pass_at_1=share, near_misses=1)
    row.rank_low = row.rank_high = 1
    taken_back = pb.Retraction(
        task_id="0123456789abcdef", entry_point="chunk", source="boltons 25.0", note="it [rounds]"
    )
    world.answers["Leaderboard"] = pb.LeaderboardResponse(
        rows=[row], report_url="http://127.0.0.1:1/report", retractions=[taken_back]
    )
    (listed,) = json.loads(touchstone("leaderboard", "--json").out)
    assert listed["pass_at_1"]["value"] == 0.25 and listed["near_misses"] == 1
    shown = touchstone("leaderboard")
    assert "25.0" in shown.out and "1–81" in shown.out and "http://127.0.0.1:1/report" in shown.err
    assert "retracted, counted nowhere: 01234567 chunk of boltons 25.0: it [rounds]" in shown.err


# -- this machine -------------------------------------------------------------------------------------------------


def test_status_without_a_platform(touchstone):
    done = touchstone("status", "--json")
    assert done.code == 1
    assert {row["state"] for row in json.loads(done.out)} == {"stopped"}
    assert "touchstone up" in touchstone("status").err
    assert "Nothing runs" in touchstone("down").err


def test_logs(touchstone, tmp_path):
    done = touchstone("logs", "evaluator")
    assert done.code == 1 and "touchstone up" in done.err
    folder = tmp_path / "state" / "logs"
    folder.mkdir(parents=True)
    (folder / "evaluator.log").write_text("".join(f"line {n}\n" for n in range(30)))
    (folder / "kafka.log").write_text("ready\n")
    assert touchstone("logs", "evaluator", "-n", "2").out == "line 28\nline 29\n"
    assert "==> kafka <==\nready\n" in touchstone("logs").out
    assert touchstone("logs", "oracle").err == "oracle: no such log; there are: evaluator, kafka\n"


def test_doctor_prints_checks(touchstone):
    done = touchstone("doctor", "--json")
    checks = json.loads(done.out)
    assert {"Java", "Node", "Go", "PHP", "isolation", "disk", "memory"} <= {check["name"] for check in checks}
    assert done.code == any(check["state"] == "problem" for check in checks)
    text = touchstone("doctor").out
    assert all(check["name"] in text for check in checks)


# -- offline commands ---------------------------------------------------------------------------------------------


def test_an_offline_command_gives_its_json_or_its_last_line():
    assert offline([sys.executable, "-c", "print('[{\"a\": 1}]')"], "x") == [{"a": 1}]
    with pytest.raises(CliError, match=r"^second line$"):
        offline([sys.executable, "-c", "import sys; sys.exit('first line\\nsecond line')"], "x")
    with pytest.raises(CliError, match="the ingester printed no JSON"):
        offline([sys.executable, "-c", "print('hello')"], "the ingester")


def test_classify_names_a_missing_path(touchstone):
    done = touchstone("classify", "/no/such/file.py")
    assert (done.code, done.err) == (1, "/no/such/file.py: no such file or folder\n")


def test_tokens_are_made_listed_and_revoked_and_shown_once(touchstone, tmp_path):
    file = tmp_path / "tokens.json"
    made = touchstone("token", "create", "board", "--scope", "judge", "--expires", "2h", "--file", file, "--json")
    token = json.loads(made.out)
    assert token["token"].startswith(f"tst_{token['token_id']}_") and token["scope"] == "judge"
    assert file.stat().st_mode & 0o777 == 0o600
    listed = touchstone("token", "list", "--file", file, "--json").out
    assert [each["name"] for each in json.loads(listed)] == ["board"]
    assert token["token"] not in listed and "sha256" not in listed
    assert touchstone("token", "revoke", "board", "--file", file).code == 0
    assert json.loads(touchstone("token", "list", "--file", file, "--json").out) == []
    assert touchstone("token", "revoke", "board", "--file", file).code == 1
    assert "is no scope" in touchstone("token", "create", "x", "--scope", "root", "--file", file).err
    assert "is no number of requests" in touchstone("token", "create", "x", "--rate", "nan", "--file", file).err
    assert "is no duration" in touchstone("token", "create", "x", "--expires", "soon", "--file", file).err
    for days in ("999999999d", "9" * 5000 + "m", "٣d"):
        done = touchstone("token", "create", "x", "--expires", days, "--file", file)
        assert (done.code, done.out) == (2, "") and "--expires" in done.err, days[:20]
    assert json.loads(touchstone("token", "list", "--file", file, "--json").out) == []
