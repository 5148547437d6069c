"""What `touchstone run` shows at its end, and what `touchstone status` says of the rest."""

from types import SimpleNamespace

from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2
from touchstone_cli import machine
from touchstone_cli.main_job import Stage
from touchstone_cli.run import _searched, results
from touchstone_cli.services import connect


def test_a_model_that_nobody_knows_is_told_before_anything_starts(touchstone, tmp_path, monkeypatch):
    started = []
    monkeypatch.setattr("touchstone_cli.machine.start_platform", started.append)
    for name in ("LLM_MODEL", "LLM_BASE_URL", "MODELS_FILE"):
        monkeypatch.delenv(f"TOUCHSTONE_{name}", raising=False)
    (tmp_path / "sources.toml").write_text('[[source]]\nkind = "package"\nname = "toolz"\n')
    done = touchstone("run", "--sources", tmp_path / "sources.toml", "--model", "qwen-2.5-coder")
    assert done.code == 1 and "no model is called 'qwen-2.5-coder'" in done.err and not started


def test_something_of_each_is_shown(world, capsys):
    pb = world.pb
    share = pb.evaluator.Share(value=0.5, low=0.1, high=0.9, passed=1, total=2)
    rows = [
        pb.evaluator.LeaderboardRow(model="m", strategy=strategy, language="python", pass_at_1=share, wording=wording)
        for strategy, wording in (("direct", "by_example"), ("cocost", "described"))
    ]
    place = code_pb2.CodeLocation(
        repository="boltons", version="25.0", path="iterutils.py", line_start=7, qualname="chunk"
    )
    world.answers |= {
        "Funnel": pb.ingester.FunnelResponse(
            stages=[
                pb.ingester.FunnelStage(stage="functions", count=1200),
                pb.ingester.FunnelStage(stage="task_candidates", count=30),
            ]
        ),
        "ListTasks": pb.generator.ListTasksResponse(tasks=[pb.generator.Task(task_id="a")]),
        "Leaderboard": pb.evaluator.LeaderboardResponse(rows=rows, report_url="http://pages.test"),
        "Search": pb.retriever.SearchResponse(
            results=[pb.retriever.SearchResult(location=place, score=0.5)], indexed=1677, index_lag=3388
        ),
        "ListPairs": pb.annotator.ListPairsResponse(
            pairs=[
                pb.annotator.LabelledPair(query="q", label=1, repository="boltons", qualname="chunk", reason="tested")
            ]
        ),
    }
    names = ("ingester", "embedder", "retriever", "annotator", "pbt-generator", "evaluator")
    stages = {"tasks": Stage("tasks", done=1, note="from 1 sources, 2 refused")}
    results({name: connect(name) for name in names}, SimpleNamespace(stages=stages), [("first query", "shipped")])
    shown = capsys.readouterr().out
    assert "1 certified task from 1 sources" in shown
    assert "1,200 functions → 30 candidates → 1 task so far" in shown
    assert world.asked("Leaderboard")[0].wording == "both"
    places = [shown.index(words) for words in ("words suffice", "m, cocost", "told by examples", "m, direct")]
    assert places == sorted(places)
    assert shown.count("m, direct, python") == shown.count("m, cocost, python") == 1
    assert "“first query”" in shown and "iterutils.py:7" in shown
    assert shown.count("searched 1,677 functions; 3,388 more will be searchable later, and the answers better") == 1
    assert "boltons chunk answers “q”: tested" in shown
    assert shown.rstrip().endswith("Report: http://pages.test")
    assert {request.query for request in world.asked("Search")} == {"first query", "split a list into pieces"}


def test_an_undecided_pair_is_told_as_undecided_and_after_those_that_are_decided(world, capsys):
    pb = world.pb.annotator
    yes, no, undecided, old = (
        pb.LabelledPair(query="q", repository="pkg", qualname=outcome or "old", label=label, outcome=outcome)
        for outcome, label in (("yes", 1), ("no", 0), ("undecided", -1), ("", -1))
    )
    names = ("ingester", "embedder", "retriever", "annotator", "pbt-generator", "evaluator")
    for pairs, told in (
        ([undecided, no, yes], ["pkg yes answers “q”", "pkg no does not answer “q”"]),
        ([undecided, yes], ["pkg yes answers “q”", "pkg undecided is not decided to answer “q”"]),
        ([old], ["pkg old is not decided to answer “q”"]),
        ([yes, yes, yes], ["pkg yes answers “q”"] * 2),
    ):
        world.answers["ListPairs"] = pb.ListPairsResponse(pairs=pairs)
        stages = {"tasks": Stage("tasks", done=1, note="")}
        results({name: connect(name) for name in names}, SimpleNamespace(stages=stages), [])
        lines = capsys.readouterr().out.splitlines()
        assert [line.partition(":")[0] for line in lines if line.startswith("pkg ")] == told


def test_what_goes_on_is_said_in_a_line():
    assert machine._going_on({"annotator": {"lag": 0}, "kafka": {}}) == "Nothing waits: all that was asked for is done."
    generator = {"lag": 3324, "counters": {"candidates_decided": 86}}
    counted = {"lag": 0, "counters": {"task_candidates": 355}}
    words = machine._going_on(
        {"pbt-generator": generator, "ingester": counted, "annotator": {"lag": 4}, "embedder": {"error": "away"}}
    )
    assert words == (
        "Going on: 269 of 355 candidates to build tasks of; 4 pairs to label. "
        "What waits for embedder is not known: no answer from there."
    )


def test_codes_that_wait_for_the_index_are_counted_and_not_the_messages_about_them():
    """Slices and records are told as well, and what is read again is told once more."""
    ingester = {"lag": 0, "counters": {"codes": 3000}}
    embedder = {"lag": 9000, "counters": {"functions_embedded": 2999}}
    retriever = {"lag": 7, "counters": {"functions_indexed": 1000}}
    told = {"ingester": ingester, "embedder": embedder, "retriever": retriever}
    assert machine._going_on(told) == "Going on: 1 of 3,000 codes to embed; 2,000 of 3,000 codes to index."
    embedder["counters"]["functions_embedded"] = retriever["counters"]["functions_indexed"] = 3000
    assert machine._going_on(told) == (
        "Going on: 9,000 messages about functions; 7 messages about functions and queries."
    )


def test_nothing_is_said_to_be_done_where_a_service_does_not_answer():
    words = machine._going_on({"annotator": {"lag": 0}, "evaluator": {}, "embedder": {}, "web": {}})
    assert words == "What waits for embedder, evaluator is not known: no answer from there."


def test_nothing_is_said_to_be_done_where_nobody_knows():
    away = {name: {"lag": -1} for name in ("annotator", "evaluator")}
    words = "What waits for annotator, evaluator is not known: the broker cannot say."
    assert machine._going_on(away) == words
    assert machine._going_on({**away, "ingester": {"lag": 2}}) == f"Going on: 2 sources to take in. {words}"
    assert machine._doing(SimpleNamespace(detail="", state="running"), {"lag": -1}) == "what waits is not known"


def test_nothing_is_said_to_be_done_while_something_stands_or_is_awaited_without_a_message():
    busy = {"lag": 0, "activities": ["m direct: halted: away", "m: waiting for batch b1"]}
    words = machine._going_on({"annotator": {"lag": 0, "activities": []}, "evaluator": busy})
    assert words == "No message waits, but not all is done: evaluator: m direct: halted: away, and 1 thing more."
    unjudged = {"lag": 0, "counters": {"verdicts_reached": 7}, "expected": {"verdicts_reached": 1009}}
    assert machine._going_on({"evaluator": unjudged}) == (
        "No message waits, but not all is done: evaluator: 1,002 of 1,009 answers have no verdict."
    )
    unjudged["counters"] = {"verdicts_reached": 1009}
    assert machine._going_on({"evaluator": unjudged}).startswith("Nothing waits")


def test_how_far_the_index_is_behind_is_guessed_by_nobody(world, touchstone):
    said = {
        0: "all that was taken in",
        3: "3 more will be searchable later",
        -1: "that is all that was taken in is not",
    }
    for lag, words in said.items():
        world.answers["Search"] = answer = world.pb.retriever.SearchResponse(indexed=9, index_lag=lag)
        assert words in _searched(answer)
        assert ("searchable yet" in touchstone("search", "q").err) is (lag != 0)
    assert "is not known" in touchstone("search", "q").err


def test_how_much_is_expected_is_asked_of_a_service(world):
    counters = [progress_pb2.Counter(name="verdicts_reached", value=1, total=3), progress_pb2.Counter(name="runs")]
    progress = progress_pb2.Progress(counters=counters)
    world.answers["Progress"] = lambda _: evaluator_pb2.ProgressResponse(progress=progress)
    told = machine._progress(SimpleNamespace(name="evaluator", state="running", address=world.address))
    assert (told["counters"], told["expected"]) == ({"verdicts_reached": 1, "runs": 0}, {"verdicts_reached": 3})


def test_what_answers_no_such_question_is_not_asked():
    """The pages run beside the services, and speak no gRPC of ours."""
    for name in ("web", "kafka", "model-server"):
        assert machine._progress(SimpleNamespace(name=name, state="running", address="127.0.0.1:9")) == {}
