"""The live loop on real parts: code in, certified tasks, verdicts, search; and the same after kills."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2
from touchstone.retriever.v1 import retriever_pb2

pytestmark = [pytest.mark.real, pytest.mark.timeout(1500)]

SOURCE = Path(__file__).resolve().parent / "sources" / "wordkit"
KILLED = ["pbt-generator", "sandbox-executor", "evaluator", "kafka"]


def facts(live, run):
    """Everything that must not depend on what was killed when."""
    tasks = sorted((task.task_id, task.entry_point, task.kind, task.suite_digest, task.cases) for task in live.tasks())
    verdicts = sorted((result.task_id, result.outcome, result.cases, result.passed) for result in run.results)
    return tasks, verdicts


def main_job(live, source, between=lambda step: None):
    live.ingest(source)
    between("generating")
    live.until(live.generation_is_done, "all tasks are built or refused", 420)
    run_id = live.evaluate()
    between("evaluating")
    return live.until(lambda: live.finished(run_id), "every solution has its verdict", 300)


@pytest.fixture(scope="module")
def calm(platform, collector):
    """A platform that did the main job undisturbed, its run, and the facts of both; its traces are collected."""
    live = platform("calm", TOUCHSTONE_OTLP_ENDPOINT=collector.endpoint)
    run = main_job(live, SOURCE)
    return live, run, facts(live, run)


def test_code_becomes_tasks_verdicts_and_search_results(calm):
    live, run, _ = calm
    tasks = {task.entry_point: task for task in live.tasks()}
    assert len(tasks) >= 7
    assert "announce" not in tasks
    # What needs a constant of its own file is a task together with it.
    assert tasks["within_limit"].form == "slice"
    assert all(task.branch_coverage == 1.0 and task.cases >= 5 for task in tasks.values())

    # The scripted model answers with the ground truth for about half of the functions and nonsense for the rest.
    outcomes = {result.entry_point: result.outcome for result in run.results}
    assert set(outcomes) == set(tasks)
    assert "passed" in outcomes.values()
    assert set(outcomes.values()) != {"passed"}
    board = live.evaluator.Leaderboard(evaluator_pb2.LeaderboardRequest(wording="both")).rows
    rows = {row.wording: row.pass_at_1 for row in board if row.run_id == run.run_id}
    # Tasks that are told in words and those that are told by example are two boards, and each task is on one of them.
    assert set(rows) == {task.track for task in tasks.values()} == {"described", "by_example"}
    for wording, score in rows.items():
        told = [name for name, task in tasks.items() if task.track == wording]
        assert score.passed == sum(outcomes[name] == "passed" for name in told)
        assert score.total == len(told)
        assert 0 <= score.low <= score.value <= score.high <= 1

    certificate = live.generator.GetTask(pbt_generator_pb2.GetTaskRequest(task_id=tasks["grade"].task_id))
    assert "ground_truth" in certificate.certificate_json

    found = live.until(
        lambda: live.retriever.Search(retriever_pb2.SearchRequest(query="count the vowels of a text", limit=3)).results,
        "search finds something",
        90,
    )
    assert found[0].location.qualname == "count_vowels"
    assert found[0].location.path.endswith("words.py") and found[0].location.line_start > 0


def path_to_a_verdict(collector, name):
    """Names of the spans from a verdict's handling back to the first; empty while one of them has not come in."""
    by_id = {span.span_id: span for _, span in collector.trace(name)}
    for span in list(by_id.values()):
        path = []
        if span.name == "process touchstone.verdict.reached.v1":
            while span is not None and span.parent_span_id:
                path.append(span.name)
                span = by_id.get(span.parent_span_id)
            if span is not None:
                return [*path, span.name]
    return []


def test_one_trace_leads_from_a_function_to_its_verdict(calm, collector):
    live, _, _ = calm
    name = next(task.function_id for task in live.tasks() if task.entry_point == "count_vowels")
    # Each service hands its spans over now and then, so that a span may come in seconds before the one that caused it.
    live.until(lambda: path_to_a_verdict(collector, name), "the trace came in, from the verdict to its beginning", 60)
    path = path_to_a_verdict(collector, name)
    spans = collector.trace(name)
    assert len(spans) >= 7
    assert {service for service, _ in spans} >= {"ingester", "pbt-generator", "sandbox-executor", "evaluator"}
    (beginning,) = [span for _, span in spans if span.name == "send touchstone.function.extracted.v1"]
    assert path[-1] == beginning.name and not beginning.parent_span_id
    assert "process touchstone.solution.generated.v1" in path
    # What one line of a log says leads to the trace.
    log = (live.state / "logs" / "evaluator.log").read_text()
    assert any(json.loads(line).get("trace_id") == name for line in log.splitlines() if '"task_solved"' in line)


def command(live, *arguments, code=0):
    """What the command prints, as a user of this platform calls it."""
    line = [sys.executable, "-m", "touchstone_cli.main", *map(str, arguments), "--json"]
    done = subprocess.run(line, env=live.environment, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if done.stdout else done.stderr


def test_a_release_is_frozen_proved_again_handed_out_and_a_task_taken_back(calm, tmp_path):
    live, _, _ = calm
    by_kind = {task.kind: task.task_id for task in live.tasks()}
    kinds = len(by_kind)
    made = command(live, "release", "create", "small", "--tasks", ",".join(by_kind.values()))
    assert (made["tasks"], made["already"]) == (kinds, False)
    same = command(live, "release", "create", "twin", "--tasks", ",".join(reversed(by_kind.values())))
    assert same["digest"] == made["digest"]
    proved = command(live, "release", "verify", "small")
    assert proved["verified"] and proved["tasks"] == kinds and proved["trials"] > 16 * kinds

    for layout in ("code2bench", "evalplus", "parquet"):
        out = tmp_path / layout
        command(live, "release", "export", "small", "--out", out, "--format", layout)
        assert command(live, "release", "verify", out, "--language", "python")["verified"]
    suite = next((tmp_path / "evalplus" / "parts").iterdir())
    suite.write_bytes(suite.read_bytes() + b" ")
    assert command(live, "release", "verify", tmp_path / "evalplus", "--language", "python", code=1)["failed"] >= 1
    assert "is not empty" in command(live, "release", "export", "small", "--out", tmp_path / "parquet", code=1)

    task_id = by_kind["SC"]

    def counted():
        boards = command(live, "leaderboard"), command(live, "leaderboard", "--by-example")
        return sum(row["pass_at_1"]["total"] for board in boards for row in board)

    before = counted()
    assert command(live, "release", "retract", task_id, "--note", "it rounds")["releases"] == ["small", "twin"]
    assert command(live, "release", "retract", task_id, "--note", "again")["retracted"] == "it rounds"
    assert task_id not in {task.task_id for task in live.tasks()}
    assert command(live, "tasks", "show", task_id)["retracted"] == "it rounds"
    assert command(live, "release", "show", "small")["retractions"] == {task_id: "it rounds"}
    live.until(lambda: counted() == before - 1, "the score leaves the task out", 30)


def test_what_steps_of_a_cluster_run_in_pods_does_its_work_on_any_platform(
    calm, load_script, load_module, monkeypatch, tmp_path
):  # fmt: skip
    live, _, _ = calm
    loaded, backup = load_script("tests/cluster/loaded.py"), load_script("tests/cluster/backup.py")
    load_module("tests/e2e/processes_as_pods.py").Pods(live, tmp_path).replace(loaded.installed, monkeypatch)
    monkeypatch.setattr(loaded, "FUNCTIONS", 25)
    monkeypatch.setattr(loaded, "TASKS", 2)
    monkeypatch.setattr(loaded, "ANSWERS", 4)
    assert loaded.disturbing._letters() == 0
    functions = loaded._functions(1)
    assert functions["a_second"] > 0 and loaded.disturbing.indexed(functions["functions"]) == 25
    # Twice: what the second round takes in is like what the first did.
    assert [loaded._tasks(count)["certified"] for count in (1, 2)] == [2, 2]
    assert loaded._answers(1)["problem"] == ""
    backup._in_a_pod(backup.FREEZE, "frozen-by-a-step")
    shown = json.loads(backup._in_a_pod(backup.SHOWN))
    assert "frozen-by-a-step" in {each["name"] for each in shown["releases"]}
    assert len(shown["tasks"]) == len(live.tasks()) and shown["board"] and "count_vowels" in shown["found"]


def test_kills_in_the_middle_change_nothing(platform, calm):
    undisturbed, _, expected = calm
    undisturbed.stop()

    rough = platform("rough")

    def between(step):
        if step == "generating":
            rough.until(lambda: len(rough.tasks()) >= 1, "the first task stands", 180)
            for name in KILLED:
                rough.kill(name)
        else:
            for name in KILLED[:3]:
                rough.kill(name)

    assert facts(rough, main_job(rough, SOURCE, between)) == expected
