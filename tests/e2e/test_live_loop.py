"""The live loop on real parts: code in, certified tasks, verdicts, search; and the same after kills."""

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
def calm(platform):
    """A platform that did the main job undisturbed, and its run."""
    live = platform("calm")
    return live, main_job(live, SOURCE)


def test_code_becomes_tasks_verdicts_and_search_results(calm):
    live, run = calm
    tasks = {task.entry_point: task for task in live.tasks()}
    assert len(tasks) >= 7
    assert {"announce", "within_limit"}.isdisjoint(tasks)
    assert all(task.branch_coverage == 1.0 and task.cases >= 5 for task in tasks.values())

    # The scripted model answers with the ground truth for about half of the functions and nonsense for the rest.
    outcomes = {result.entry_point: result.outcome for result in run.results}
    assert set(outcomes) == set(tasks)
    assert "passed" in outcomes.values()
    assert set(outcomes.values()) != {"passed"}
    board = live.evaluator.Leaderboard(evaluator_pb2.LeaderboardRequest()).rows
    (row,) = [row for row in board if row.run_id == run.run_id]
    assert row.pass_at_1.passed == sum(outcome == "passed" for outcome in outcomes.values())
    assert row.pass_at_1.total == len(tasks)
    assert 0 <= row.pass_at_1.low <= row.pass_at_1.value <= row.pass_at_1.high <= 1

    certificate = live.generator.GetTask(pbt_generator_pb2.GetTaskRequest(task_id=tasks["clamp"].task_id))
    assert "ground_truth" in certificate.certificate_json

    found = live.until(
        lambda: live.retriever.Search(retriever_pb2.SearchRequest(query="count the vowels of a text", limit=3)).results,
        "search finds something",
        90,
    )
    assert found[0].location.qualname == "count_vowels"
    assert found[0].location.path.endswith("words.py") and found[0].location.line_start > 0


def test_kills_in_the_middle_change_nothing(platform, calm):
    undisturbed, run = calm
    expected = facts(undisturbed, run)
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
