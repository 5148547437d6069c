"""Files of answers that somebody else sampled."""

import json

import pytest

from touchstone_cli.answers import Given, read_answers
from touchstone_cli.errors import CliError
from touchstone_cli.evaluate import GOES_ON


def lines(path, *objects):
    path.write_text("".join(json.dumps(each) + "\n" for each in objects))
    return path


def test_evalplus_lines_are_numbered_as_they_come(tmp_path):
    path = lines(
        tmp_path / "s.jsonl",
        {"task_id": "Touchstone/aa", "solution": "one"},
        {"task_id": "bb", "solution": "two"},
        {"task_id": "Touchstone/aa", "solution": "three"},
    )
    assert read_answers(path) == [Given("aa", 0, "one"), Given("bb", 0, "two"), Given("aa", 1, "three")]


def test_numbers_that_are_given_stay(tmp_path):
    path = lines(tmp_path / "s.jsonl", {"task_id": "aa", "sample": 4, "answer": "x"}, {"task_id": "aa", "text": "y"})
    assert read_answers(path) == [Given("aa", 4, "x"), Given("aa", 5, "y")]


def test_what_others_mean_by_our_words_is_no_matter(tmp_path):
    """An `outcome` or a `track` may be anything in a file of another tool."""
    odd = {"outcome": ["passed"], "track": {}, "language": 3, "graded_list": 7}
    path = lines(tmp_path / "s.jsonl", {"task_id": "aa", "solution": "x", **odd})
    assert read_answers(path) == [Given("aa", 0, "x")]


def test_a_list_as_livecodebench_has_it(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps([{"question_id": "aa", "code_list": ["x", "y"]}]))
    assert read_answers(path) == [Given("aa", 0, "x"), Given("aa", 1, "y")]


def test_a_folder_for_each_task(tmp_path):
    for name, text in (("Touchstone_aa/0.py", "x"), ("Touchstone_aa/10.py", "z"), ("bb/1.js", "y"), ("bb/note.md", "")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert sorted(read_answers(tmp_path)) == [Given("aa", 0, "x"), Given("aa", 10, "z"), Given("bb", 1, "y")]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no answer"),
        ("{", "line 1"),
        ("[" * 100_000, "not JSON"),
        ('{"task_id": "a", "solution": "x"}\n3\n', "line 2"),
        ('{"solution": "x"}', "task_id"),
        ('{"task_id": 3, "solution": "x"}', "task_id"),
        ('{"task_id": "a"}', "solution"),
        ('{"task_id": "a", "solution": null}', "solution"),
        ('{"task_id": "a", "code_list": ["x", 1]}', "no answer"),
        ('{"task_id": "a", "sample": 2147483648, "solution": "x"}', "number of a sample"),
        ('{"task_id": "a", "sample": -1, "solution": "x"}', "number of a sample"),
        (
            '{"task_id": "a", "solution": "x"}\n{"task_id": "a", "solution": "b\\ud83d"}',
            "line 2: the answer holds half",
        ),
        ('{"task_id": "a\\udc00", "solution": "x"}', "line 1: the task holds half"),
        ('{"task_id": "a", "completion": "  return 1"}', "whole program"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, text, words):
    path = tmp_path / "s.jsonl"
    path.write_text(text)
    with pytest.raises(CliError, match=words):
        read_answers(path)


def test_a_numbered_file_has_a_bound(tmp_path):
    (tmp_path / "aa").mkdir()
    (tmp_path / "aa" / "99999999999.py").write_text("x")
    with pytest.raises(CliError, match=r"99999999999\.py: no number of a sample"):
        read_answers(tmp_path)


def test_a_byte_order_mark_is_no_part_of_an_answer(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_text('{"task_id": "aa", "solution": "x"}\n', "utf-8-sig")
    assert read_answers(path) == [Given("aa", 0, "x")]
    (tmp_path / "of" / "aa").mkdir(parents=True)
    (tmp_path / "of" / "aa" / "0.py").write_text("x", "utf-8-sig")
    assert read_answers(tmp_path / "of") == [Given("aa", 0, "x")]


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(CliError, match="nosuch"):
        read_answers(tmp_path / "nosuch")
    (tmp_path / "b").write_bytes(b"\xff\xfe")
    with pytest.raises(CliError, match="UTF-8"):
        read_answers(tmp_path / "b")


def test_evaluate_submits_the_file_and_names_its_digest(touchstone, world, tmp_path):
    pb = world.pb.evaluator
    world.answers["SubmitAnswers"] = pb.SubmitAnswersResponse(digest="d" * 64, answers=2, tasks=1)
    world.answers["StartRun"] = pb.StartRunResponse(run_id="r", tasks=1, left_out={"was taken back": 1})
    world.answers["GetRun"] = pb.GetRunResponse(run_id="r", tasks=1, finished=1)
    path = lines(tmp_path / "s.jsonl", {"task_id": "aa", "solution": "x"}, {"task_id": "aa", "solution": "y"})
    done = touchstone("evaluate", "--model", "theirs", "--samples", path, "--temperature", "0.8", "--json")
    assert done.code == 0 and "left out: 1 task: was taken back" in done.err
    (submitted,), (started,) = world.asked("SubmitAnswers"), world.asked("StartRun")
    assert [(each.task_id, each.sample, each.text) for each in submitted.answers] == [("aa", 0, "x"), ("aa", 1, "y")]
    assert (started.answers, started.model, started.strategy, started.samples) == ("d" * 64, "theirs", "", 0)
    assert "2 answers to 1 task submitted" in done.err and "not submitted" not in done.err
    world.answers["StartRun"] = pb.StartRunResponse(run_id="r", tasks=3)
    done = touchstone("evaluate", "--model", "theirs", "--samples", path, "--temperature", "0.8", "--json")
    assert "4 answers or more of the run were not submitted: each counts as not solved" in done.err


def test_samples_are_a_number_or_a_file(touchstone, world, tmp_path):
    wrong = touchstone("evaluate", "--samples", tmp_path / "nosuch.jsonl")
    assert wrong.code == 2 and "nosuch.jsonl" in wrong.err
    assert world.requests == []


def test_a_strategy_is_one_that_the_platform_knows_whole_or_in_part(touchstone, world):
    wrong = touchstone("evaluate", "--strategy", "guess", "--no-wait")
    assert wrong.code == 2 and "--strategy guess: not known; one of cocost, direct" in wrong.err
    assert world.asked("StartRun") == []
    touchstone("evaluate", "--strategy", "cocost:no-plan", "--no-wait")
    (request,) = world.asked("StartRun")
    assert request.strategy == "cocost:no-plan"


def test_who_does_not_wait_is_told_at_once_what_keeps_the_model_from_being_asked(touchstone, world):
    pb = world.pb.evaluator
    world.answers["StartRun"] = pb.StartRunResponse(run_id="r" * 32, tasks=2, task_set="sample of 2")
    world.answers["GetRun"] = pb.GetRunResponse(
        run_id="r" * 32, tasks=2, halted="http://127.0.0.1:9/v1 does not answer"
    )
    done = touchstone("evaluate", "--model", "m@http://127.0.0.1:9/v1", "--no-wait")
    assert done.code == 0
    assert f"the run waits: http://127.0.0.1:9/v1 does not answer; {GOES_ON}" in done.err
    # Nothing was asked of a run that is held, so nothing can keep it.
    touchstone("evaluate", "--model", "m@http://127.0.0.1:9/v1", "--held")
    assert len(world.asked("GetRun")) == 2


@pytest.mark.parametrize("output", [{"model": "", "choices": [], "completion": ""}, {}, None])
def test_a_sample_that_an_error_ended_before_an_answer_is_no_answer(tmp_path, output):
    good = {"id": "aa", "epoch": 1, "output": {"choices": [{"message": {"content": "def f(): pass"}}]}}
    # The verdict failed, and not the model: what it said is judged here.
    judged = {**good, "id": "cc", "error": {"message": "the sandbox failed"}}
    failed = {"id": "bb", "epoch": 1, "output": output, "error": {"message": "RateLimitError", "traceback": "..."}}
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"version": 2, "eval": {}, "samples": [good, failed, judged]}))
    assert [given.task_id for given in read_answers(log)] == ["aa", "cc"]
    log.write_text(json.dumps({"version": 2, "eval": {}, "samples": [failed]}))
    with pytest.raises(CliError, match="holds no answer"):
        read_answers(log)
