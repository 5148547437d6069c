"""A release as a task: what is asked, and that our verdict is the score, whatever an answer says or does."""

import json
import shutil

import pytest
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash

from touchstone_contracts.task_releases import counts_of, digest_of, retractions_digest
from touchstone_inspect.asking import LANGUAGES, question
from touchstone_inspect.executor import NoVerdictError
from touchstone_inspect.exported import NotAnExportError, read_export
from touchstone_inspect.tasks import release

RIGHT = "def clamp(x, low=0, high=10):\n    return low if x < low else high if x > high else x\n"
# Answers on the task `clamp`, and how each is judged.
ANSWERS = {
    f"So:\n```python\n{RIGHT}```\nDone.": "passed",
    # What was thought aloud is no answer.
    f"<think>```python\ndef clamp(x, low=0, high=10): return 0\n```</think>\n```python\n{RIGHT}```": "passed",
    "```python\ndef clamp(x, low=0, high=10):\n    return x\n```": "wrong_output",
    # Equal to everything, wherever it is compared.
    "```python\nclass Same(int):\n    def __eq__(self, other): return True\n    __hash__ = int.__hash__\n\n"
    "def clamp(x, low=0, high=10): return Same(99)\n```": "raised",
    # Ends before anything is compared, as a test program that ran to its end.
    "```python\nimport os\n\ndef clamp(x, low=0, high=10): os._exit(0)\n```": "exited",
    "```python\nimport sys\nsys.exit(0)\n\ndef clamp(x, low=0, high=10): return x\n```": "exited",
    "```python\nprint('passed', 'C', 1.0)\n```": "no_entry_point",
    "I passed all tests. Score: C": "no_code",
}  # fmt: skip


def test_what_is_asked_is_what_the_evaluator_asks(exported, given):
    theirs = json.loads((given / "questions.json").read_text())
    tasks = {each.entry_point: each for each in read_export(exported).tasks}
    assert sorted(tasks) == ["clamp", "halves"] == sorted(theirs["tasks"])
    assert theirs["languages"] == LANGUAGES
    for name, task in tasks.items():
        assert {language: list(question(task, language)) for language in LANGUAGES} == theirs["tasks"][name]


@pytest.mark.parametrize("damage", ["manifest.json", "parts", "retractions.json"])
def test_a_folder_that_is_not_what_was_exported_is_refused(exported, tmp_path, damage):
    folder = tmp_path / "damaged"
    shutil.copytree(exported, folder)
    if damage == "parts":
        for part in (folder / "parts").iterdir():
            part.write_bytes(part.read_bytes() + b" ")
    elif damage == "manifest.json":
        manifest = json.loads((folder / damage).read_text())
        manifest["tasks"][0]["difficulty"] = "Hard"
        (folder / damage).write_text(json.dumps(manifest))
    else:
        (folder / damage).unlink()
    with pytest.raises(NotAnExportError, match=damage):
        release(str(folder))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda tasks: tasks[:1] * 3, "stands in it 3 times"),
        (lambda tasks: tasks[:1], "counts.tasks is 1, the manifest says 3"),
        (lambda _: [], "holds no task"),
    ],
)
def test_a_manifest_that_says_something_else_than_its_tasks_is_refused(exported, tmp_path, change, words):
    folder = tmp_path / "forged"
    shutil.copytree(exported, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["tasks"] = change(manifest["tasks"])
    if "counts" not in words:
        manifest["counts"] = counts_of(manifest["tasks"])
    (folder / "manifest.json").write_text(json.dumps({**manifest, "digest": digest_of(manifest)}))
    with pytest.raises(NotAnExportError, match=words):
        release(str(folder))


def test_each_task_of_an_imported_set_is_a_repository_of_its_own(exported, tmp_path):
    folder = tmp_path / "imported"
    shutil.copytree(exported, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    for entry in manifest["tasks"]:
        entry["source"] |= {"kind": "benchmark", "name": "Theirs"}
    manifest["counts"] = counts_of(manifest["tasks"])
    (folder / "manifest.json").write_text(json.dumps({**manifest, "digest": digest_of(manifest)}))
    tasks = read_export(folder).tasks
    assert {task.repository for task in tasks} == {task.task_id for task in tasks} and len(tasks) > 1


def test_a_language_that_no_task_can_be_asked_in_is_refused(exported):
    with pytest.raises(NotAnExportError, match="cobol"):
        release(str(exported), language="cobol")


def test_ground_truths_score_1_and_expected_results_are_in_no_log(exported, given, ids, truths, saying, evaluated):
    def truth(messages):
        name = next(name for name in ids if f"`{name}`" in messages[-1].text)
        return ModelOutput.from_content("mockllm/model", f"```python\n{truths[ids[name]]}\n```")

    log = evaluated(release(str(exported)), saying(truth), given / "truths")
    assert log.status == "success", log.error
    # As there are two boards, there are two scores and none over both.
    shares = {name: metric.value for name, metric in log.results.scores[0].metrics.items() if "accuracy" in name}
    assert shares == {"accuracy_described": 1.0, "accuracy_by_example": 1.0}
    assert {sample.id: sample.scores["suite"].metadata["cases"] for sample in log.samples} == {
        ids["clamp"]: 60, ids["halves"]: 8,
    }  # fmt: skip
    assert all(sample.target == "" for sample in log.samples)
    # The retracted task is not asked for.
    assert log.eval.metadata["retracted"] == 1 and ids["spread"] not in {sample.id for sample in log.samples}
    # Which were left out stands in the log with their digest, since the folder alone says so.
    notes = json.loads((exported / "retractions.json").read_text())
    assert log.eval.metadata["retracted_tasks"] == [ids["spread"]]
    assert log.eval.metadata["retractions"] == retractions_digest(notes)


@pytest.mark.parametrize(("answer", "outcome"), ANSWERS.items())
def test_only_a_right_program_scores(exported, ids, answering, evaluated, answer, outcome):
    log = evaluated(release(str(exported)), answering(answer), sample_id=ids["clamp"])
    assert log.status == "success", log.error
    (sample,) = log.samples
    score = sample.scores["suite"]
    assert (score.value, score.metadata["outcome"]) == ("C" if outcome == "passed" else "I", outcome), score.explanation


def test_a_missing_verdict_is_an_error_and_no_score(exported, answering, evaluated, monkeypatch):
    class Broken:
        async def judge(self, *_):
            raise NoVerdictError("the sandbox failed: it says no more")

    monkeypatch.setattr("touchstone_inspect.tasks.executor", Broken)
    log = evaluated(release(str(exported), sandbox=""), answering(f"```python\n{RIGHT}```"))
    assert log.status == "error" and "the sandbox failed" in log.error.message
    assert not log.results or not log.results.scores


def test_a_solver_with_tools_works_in_a_session_of_ours_that_has_no_part_in_the_verdict(
    exported, ids, saying, evaluated
):
    said = [
        ModelOutput.for_tool_call("mockllm/model", "bash", {"command": "id -u; pwd; echo 1 > passed; ls passed"}),
        ModelOutput.from_content("mockllm/model", "```python\ndef clamp(x, low=0, high=10): return 0\n```"),
    ]
    log = evaluated(
        release(str(exported)), saying(said), sample_id=ids["clamp"],
        solver=[use_tools(bash(timeout=30)), generate()],
    )  # fmt: skip
    assert log.status == "success", log.error
    (sample,) = log.samples
    (heard,) = [message.text for message in sample.messages if message.role == "tool"]
    user, *rest = heard.split()
    assert user != "0" and rest == ["/work", "passed"]
    assert sample.scores["suite"].value == "I"


def test_inspect_reads_a_log_that_the_platform_wrote_and_writes_it_again(given):
    log = read_eval_log(str(given / "log.json"))
    assert (log.status, log.eval.model, log.eval.dataset.name) == ("cancelled", "m", "2026-06")
    shares = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    # Nothing of what lacks a verdict: a part has no score.
    assert shares == {"accuracy_described": 0.5}
    grades = [sample.scores["suite"].value if sample.scores else None for sample in log.samples]
    assert grades == ["C", "I", "I", None]
    write_eval_log(log, str(given / "again.json"), format="json")
