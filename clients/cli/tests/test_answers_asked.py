"""Answers in another language, or to another track, are judged as no other question's."""

import json

import pytest

from touchstone_cli.answers import read_answers
from touchstone_cli.answers_asked import Asked
from touchstone_cli.errors import CliError
from touchstone_cli.output import to_dict
from touchstone_cli.run_formats import RUN_FORMATS
from touchstone_cli.run_parquet import write_run

PYTHON = Asked("python", "write")


def line(**said):
    return json.dumps({"task_id": "aa", "solution": "x", **said}) + "\n"


def log(task="touchstone_inspect/release", arguments=None, **metadata):
    sample = {"id": "aa", "epoch": 1, "output": {"choices": [{"message": {"content": "x"}}]}, "metadata": metadata}
    return json.dumps({"version": 2, "eval": {"task": task, "task_args": arguments}, "samples": [sample]})


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        (line(language="go"), "line 1: an answer in go, and python is asked for: add --language go"),
        (line() + line(language="JS"), "line 2: an answer in javascript, and python .* add --language javascript"),
        (line(language="rust"), "an answer in rust, and python is asked for: one of python, "),
        (line(language="python", track="repair"), "to the track repair, and write is asked for: add --track repair"),
        (json.dumps([{"question_id": "a", "code_list": ["x"], "language": "php"}]), "object 1: .* add --language php"),
        (log(language="go"), "sample 1: .* add --language go"),
        (log(arguments={"language": "java"}), "sample 1: .* add --language java"),
        (log("another", language="go"), "add --language go"),
        (log("touchstone/neutral", language="python"), "add --track neutral"),
    ],
)
def test_answers_to_another_question_are_refused_with_the_way_out(tmp_path, text, way_out):
    (tmp_path / "answers").write_text(text)
    with pytest.raises(CliError, match=way_out) as refused:
        read_answers(tmp_path / "answers", PYTHON)
    assert refused.value.exit_code == 2
    assert read_answers(tmp_path / "answers")


@pytest.mark.parametrize(
    "text",
    [
        line(), line(language="Python"), line(language=3, track=[]), line(language="py", track="write"),
        line(track="of another tool"), log(), log(language="python"), log("another", language="en"),
        log("another", {"language": "English"}), json.dumps({"eval": 7, "samples": json.loads(log())["samples"]}),
    ],
)  # fmt: skip
def test_answers_that_say_nothing_else_are_taken(tmp_path, text):
    (tmp_path / "answers").write_text(text)
    assert len(read_answers(tmp_path / "answers", PYTHON)) == 1


def test_a_release_as_inspects_task_asks_the_usual_question(tmp_path):
    (tmp_path / "log.json").write_text(log(language="go"))
    assert len(read_answers(tmp_path / "log.json", Asked("go", "write"))) == 1
    with pytest.raises(CliError, match="add --track write"):
        read_answers(tmp_path / "log.json", Asked("go", "neutral"))


def test_the_ending_of_a_file_tells_its_language(tmp_path):
    (tmp_path / "aa").mkdir()
    (tmp_path / "aa" / "0.txt").write_text("x")
    assert len(read_answers(tmp_path, PYTHON)) == 1
    (tmp_path / "aa" / "1.ts").write_text("x")
    with pytest.raises(CliError, match=r"1\.ts: an answer in typescript, .* --language typescript"):
        read_answers(tmp_path, PYTHON)


@pytest.mark.parametrize("name", ["parquet", *(name for name in RUN_FORMATS if name != "every-eval-ever")])
def test_a_run_that_is_exported_says_what_it_was_asked(world, tmp_path, name):
    pb = world.pb.evaluator
    spec = pb.RunSpec(model="m", language="go", track="neutral", tasks=pb.TaskSet())
    summary = to_dict(pb.RunSummary(run_id="a", spec=spec))
    answer = to_dict(pb.Answer(task_id="aa", outcome="passed", language="go", wording="described")) | {"steps": []}
    answer["solution"] = answer.pop("code") or "x"
    if name == "parquet":
        write_run(tmp_path / name, summary, [answer])
    else:
        (tmp_path / name).write_text("\n".join(RUN_FORMATS[name](summary, [answer])))
    for asked, way_out in ((Asked("python", "neutral"), "--language go"), (Asked("go", "write"), "--track neutral")):
        with pytest.raises(CliError, match=way_out):
            read_answers(tmp_path / name, asked)
    assert len(read_answers(tmp_path / name, Asked("go", "neutral"))) == 1


def test_evaluate_submits_nothing_that_answers_another_question(touchstone, world, tmp_path):
    pb = world.pb.evaluator
    (tmp_path / "log.json").write_text(log(language="go"))
    done = touchstone("evaluate", "--model", "theirs", "--samples", tmp_path / "log.json")
    assert done.code == 2 and "add --language go" in done.err and world.requests == []
    world.answers["SubmitAnswers"] = pb.SubmitAnswersResponse(digest="d" * 64, answers=1, tasks=1)
    world.answers["StartRun"] = pb.StartRunResponse(run_id="r", tasks=1)
    world.answers["GetRun"] = pb.GetRunResponse(run_id="r", tasks=1, finished=1)
    done = touchstone("evaluate", "--model", "theirs", "--samples", tmp_path / "log.json", "--language", "go")
    assert done.code == 0 and world.asked("StartRun")[0].language == "go"
