"""Runs in the formats of other tools: each says what the run says, and what holds programs is read again."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from touchstone_cli.answers import Given, read_answers
from touchstone_cli.errors import CliError
from touchstone_cli.output import to_dict
from touchstone_cli.run_formats import RUN_FORMATS
from touchstone_cli.run_parquet import read_run, write_run

ANSWERS = [("aa", 0, "def f():\n    return 'ü\x9b'\n", "passed"), ("aa", 1, "", "no_code"),
           ("bb", 0, "def g(): pass\n", "wrong_output"), ("bb", 1, "def g(): 1\n", "infrastructure")]  # fmt: skip
GIVEN = [Given(task_id, sample, text) for task_id, sample, text, _ in ANSWERS]


@pytest.fixture
def pb(world):
    return world.pb.evaluator


@pytest.fixture
def exported(touchstone, world, pb, tmp_path):
    """Writes one run of two tasks with two samples each in a format; gives the file."""
    tasks = pb.TaskSet(digest="d" * 64, kind="release", name="2026-06", count=2, release="e" * 64)
    spec = pb.RunSpec(model="m", strategy="direct", language="python", tasks=tasks, samples=2, temperature=0.5)
    summary = pb.RunSummary(run_id="a" * 32, spec=spec, answers=4, judged=3, passed=1, tokens_in=7, tokens_out=5)
    world.answers["ListRuns"] = pb.ListRunsResponse(runs=[summary])
    world.answers["GetRun"] = pb.GetRunResponse(run_id="a" * 32, summary=summary)
    answers = [
        pb.Answer(task_id=task_id, sample=sample, code=code, outcome=outcome, entry_point="f", strategy="direct",
                  language="python", tokens_in=2**33, cases=4, steps=['{"name": "answer"}'],
                  wording="described" if task_id == "aa" else "by_example")
        for task_id, sample, code, outcome in ANSWERS
    ]  # fmt: skip
    # As they come: by sample and not by task.
    shuffled = sorted(answers, key=lambda answer: answer.sample)
    world.answers["ListAnswers"] = lambda _: iter([pb.ListAnswersResponse(answer=each) for each in shuffled])

    def write(name):
        file = tmp_path / name
        done = touchstone("runs", "export", "m", "--format", name, "--out", file)
        assert (done.code, done.out) == (0, "") and "4 answers" in done.err
        return file

    return write


@pytest.mark.parametrize("name", [name for name in RUN_FORMATS if name != "every-eval-ever"])
def test_what_a_format_holds_is_read_again(exported, name):
    assert sorted(read_answers(exported(name))) == GIVEN


def test_a_log_of_inspect_says_what_the_run_says(exported):
    log = json.loads(exported("inspect").read_text())
    assert (log["version"], log["status"], log["eval"]["model"], log["eval"]["config"]) == (
        2, "cancelled", "m", {"epochs": 2},
    )  # fmt: skip
    assert log["eval"]["dataset"] == {"name": "2026-06", "samples": 2, "sample_ids": ["aa", "bb"]}
    # As there are two boards, there are two scores and none over both; none where a verdict is missing.
    assert {name: each["value"] for name, each in log["results"]["scores"][0]["metrics"].items()} == {
        "accuracy_described": 0.5,
    }  # fmt: skip
    assert [each["metadata"]["wording"] for each in log["samples"]] == ["described"] * 2 + ["by_example"] * 2
    samples = [(each["id"], each["epoch"], each["scores"].get("suite", {}).get("value")) for each in log["samples"]]
    assert samples == [("aa", 1, "C"), ("aa", 2, "I"), ("bb", 1, "I"), ("bb", 2, None)]
    assert log["samples"][0]["model_usage"]["m"]["input_tokens"] == 2**33


def test_a_log_as_inspect_lays_it_out_is_read(tmp_path):
    parts = [{"type": "reasoning", "reasoning": "so"}, {"type": "text", "text": "def f(): "},
             {"type": "text", "text": "pass"}]  # fmt: skip
    sample = {"id": 7, "epoch": 3, "output": {"choices": [{"message": {"content": parts}}]}}
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"version": 2, "eval": {}, "samples": [sample]}, indent=2))
    assert read_answers(file) == [Given("7", 2, "def f(): pass")]
    del sample["output"]
    file.write_text(json.dumps({"version": 2, "eval": {}, "samples": [sample]}))
    with pytest.raises(CliError, match="output"):
        read_answers(file)


@pytest.mark.parametrize(
    "odd",
    [
        {"epoch": float("inf")}, {"epoch": 0}, {"epoch": 10**30}, {"epoch": "x"}, {"id": None}, {"id": {}},
        {"output": 7}, {"output": {"choices": []}}, *({"output": {"choices": [{"message": {"content": content}}]}}
                                       for content in (["a"], {"a": 1}, [{"type": "text", "text": 3}], None, 5)),
    ],
)  # fmt: skip
def test_a_log_that_is_laid_out_otherwise_is_told(tmp_path, odd):
    sample = {"id": "aa", "epoch": 1, "output": {"choices": [{"message": {"content": "x"}}]}}
    file = tmp_path / "log.json"
    file.write_text(json.dumps({"eval": {}, "samples": [sample | odd]}))
    with pytest.raises(CliError, match=r"log\.json"):
        read_answers(file)


def test_livecodebench_has_a_task_in_a_row_with_its_grades(exported):
    rows = json.loads(exported("livecodebench").read_text())
    assert [(row["question_id"], row["graded_list"], row["pass@1"]) for row in rows] == [
        ("aa", [True, False], 0.5), ("bb", [False, None], None),
    ]  # fmt: skip
    assert [row["wording"] for row in rows] == ["described", "by_example"]


def test_livecodebench_has_a_grade_for_each_answer_that_was_asked_for(tmp_path):
    said = {
        "a": [("", "infrastructure"), ("def f(): 1", "passed"), ("", "infrastructure")],
        "b": [("def f(): 2", "passed"), ("", "pending"), ("", "no_code")],
        "c": [("", "infrastructure")] * 3,
        "d": [("def f(): 3", "passed"), ("def f(): 4", "wrong_output"), ("", "no_code")],
    }
    answers = [
        {"task_id": task_id, "sample": sample, "solution": text, "outcome": outcome}
        | {"wording": "described", "language": "python"}
        for task_id, given in said.items()
        for sample, (text, outcome) in enumerate(given)
    ]
    (line,) = RUN_FORMATS["livecodebench"]({"spec": {"track": ""}}, reversed(answers))
    assert [(row["question_id"], row["graded_list"], row["pass@1"]) for row in json.loads(line)] == [
        ("a", [None, True, None], None), ("b", [True, None, False], None), ("c", [None] * 3, None),
        ("d", [True, False, False], 1 / 3),
    ]  # fmt: skip
    file = tmp_path / "run.json"
    file.write_text(line)
    # What nobody answered is no answer when it is read again, and the others keep their numbers.
    assert read_answers(file) == [
        Given("a", 1, "def f(): 1"), Given("b", 0, "def f(): 2"), Given("b", 2, ""),
        Given("d", 0, "def f(): 3"), Given("d", 1, "def f(): 4"), Given("d", 2, ""),
    ]  # fmt: skip


UNJUDGED = ("pending", "generated", "infrastructure", "retracted", "of_a_later_version")


@pytest.mark.parametrize("outcome", UNJUDGED)
@pytest.mark.parametrize("code", ["def f(): pass\n", ""])
@pytest.mark.parametrize("name", RUN_FORMATS)
def test_what_was_not_judged_is_never_shown_as_failed(pb, tmp_path, name, outcome, code):
    one = {"task_id": "aa", "sample": 0, "solution": code, "outcome": outcome, "entry_point": "f", "detail": ""}
    one |= {"strategy": "direct", "language": "python"}
    one |= dict.fromkeys(("cases", "passed", "cpu_s", "tokens_in", "tokens_out"), 0)
    summary = to_dict(pb.RunSummary(run_id="a", spec=pb.RunSpec(tasks=pb.TaskSet())))
    file = tmp_path / name
    file.write_text("\n".join(RUN_FORMATS[name](summary, [one])))
    if name != "jsonl":
        # Wherever a format has a place for a grade, there is none.
        assert not {"C", "I", True, False} & set(_grades(json.loads(file.read_text() or "null")))
    if name != "every-eval-ever" and code:
        assert read_answers(file) == [Given("aa", 0, code)]
    elif name != "every-eval-ever" and outcome in UNJUDGED[:4]:
        # Read again, an empty answer would be judged, and fail.
        with pytest.raises(CliError, match="holds no answer"):
            read_answers(file)


def _grades(found, name=""):
    """What stands in the places where the formats have a grade or a score."""
    if isinstance(found, dict):
        return [grade for key, value in found.items() for grade in _grades(value, key)]
    if isinstance(found, list):
        return [grade for value in found for grade in _grades(value, name)]
    return [found] if name in ("graded_list", "pass@1", "score", "value") else []


def test_every_eval_ever_has_the_run_as_one_record(exported):
    record = json.loads(exported("every-eval-ever").read_text())
    assert set(record) == {"schema_version", "evaluation_id", "retrieved_timestamp", "source_metadata", "model_info",
                           "eval_library", "evaluation_results"}  # fmt: skip
    assert record["evaluation_id"] == f"touchstone/m/{'a' * 32}" and record["model_info"]["id"] == "m"
    results = {result["evaluation_name"]: result["score_details"] for result in record["evaluation_results"]}
    # As there are two boards, there is a result for each and none over both; none where a verdict is missing.
    assert {name: found["score"] for name, found in results.items()} == {"2026-06, write, described": 0.5}
    counts = [
        [found["details"][name] for name in ("wording", "passed", "judged", "answers")] for found in results.values()
    ]
    assert counts == [["described", "1", "2", "2"]]
    assert all(isinstance(value, str) for found in results.values() for value in found["details"].values())


@pytest.mark.parametrize(("outcomes", "scores"), [
    (("passed", "pending"), []), (("passed", "infrastructure"), []), (("passed", "retracted"), [1.0]),
    (("passed", "wrong_output"), [0.5]),
])  # fmt: skip
def test_a_part_of_the_answers_has_no_score_and_what_was_taken_back_counts_nowhere(pb, outcomes, scores):
    one = {"sample": 0, "solution": "x", "entry_point": "f", "detail": "", "strategy": "direct", "language": "python"}
    one |= dict.fromkeys(("cases", "passed", "cpu_s", "tokens_in", "tokens_out"), 0)
    answers = [one | {"task_id": f"t{number}", "outcome": outcome} for number, outcome in enumerate(outcomes)]
    summary = to_dict(pb.RunSummary(run_id="a", spec=pb.RunSpec(tasks=pb.TaskSet())))
    record = json.loads("".join(RUN_FORMATS["every-eval-ever"](summary, answers)))
    assert [each["score_details"]["score"] for each in record["evaluation_results"]] == scores
    log = json.loads("".join(RUN_FORMATS["inspect"](summary, answers)))
    told = [each["value"] for found in log["results"]["scores"] for each in found["metrics"].values()]
    assert told == scores
    # A task that was taken back leaves nothing open.
    assert log["status"] == ("success" if scores else "cancelled")


NOTE = "it was shown\nthe answers"


@pytest.mark.parametrize("name", RUN_FORMATS)
def test_a_run_that_was_withdrawn_has_no_score_and_its_note(touchstone, world, pb, tmp_path, name):
    spec = pb.RunSpec(model="m", language="python", tasks=pb.TaskSet())
    summary = pb.RunSummary(run_id="a" * 32, spec=spec, answers=1, judged=1, passed=1, withdrawn=NOTE)
    answer = pb.Answer(task_id="aa", code="def f(): 1", outcome="passed", language="python", wording="described")
    world.answers["GetRun"] = pb.GetRunResponse(run_id="a" * 32, summary=summary)
    world.answers["ListAnswers"] = lambda _: iter([pb.ListAnswersResponse(answer=answer)])
    done = touchstone("runs", "export", "a" * 32, "--format", name, "--out", tmp_path / name)
    assert done.code == 0 and "was withdrawn and counts nowhere: it was shown the answers" in done.err
    said = json.loads((tmp_path / name).read_text())
    assert name == "evalplus" or json.dumps(NOTE) in json.dumps(said)
    if name == "inspect":
        assert said["status"] == "cancelled" and said["results"]["scores"] == []
    elif name == "livecodebench":
        assert said[0]["pass@1"] is None
    elif name == "every-eval-ever":
        assert said["evaluation_results"] == []


def test_a_run_of_which_nothing_is_judged_has_no_score_anywhere(pb):
    summary = to_dict(pb.RunSummary(run_id="a", spec=pb.RunSpec(tasks=pb.TaskSet())))
    assert json.loads("".join(RUN_FORMATS["every-eval-ever"](summary, [])))["evaluation_results"] == []
    assert json.loads("".join(RUN_FORMATS["inspect"](summary, [])))["results"]["scores"] == []


def test_a_run_is_the_same_after_parquet_answers_verdicts_and_all(exported, touchstone, tmp_path):
    file = exported("parquet")
    rows = [json.loads(line) for line in exported("jsonl").read_text().splitlines()]
    summary, answers = read_run(file)
    assert {row.pop("track") for row in rows} == {"write"}
    assert answers == rows and {row["outcome"] for row in answers} == {outcome for *_, outcome in ANSWERS}
    assert summary["run_id"] == "a" * 32 and summary["spec"]["tasks"]["name"] == "2026-06"
    assert answers[0]["tokens_in"] == 2**33 and answers[0]["steps"] == [{"name": "answer"}]
    again = tmp_path / "again"
    write_run(again, summary, answers)
    assert read_run(again) == (summary, answers)
    assert sorted(read_answers(file)) == GIVEN
    done = touchstone("runs", "export", "m", "--format", "parquet")
    assert done.code == 2 and "--out" in done.err


def test_a_cost_that_nobody_knows_is_none_in_an_export(touchstone, world, pb, tmp_path):
    summary = pb.RunSummary(run_id="a" * 32, spec=pb.RunSpec(model="m@h:1"), tokens_in=7, cost_usd=0.0)
    world.answers["GetRun"] = pb.GetRunResponse(run_id="a" * 32, summary=summary)
    told = [pb.Answer(task_id=str(cost), model="m@h:1", tokens_out=5, cost_usd=cost) for cost in (0.0, 0.5)]
    world.answers["ListAnswers"] = lambda _: iter([pb.ListAnswersResponse(answer=each) for each in told])
    for name in ("jsonl", "parquet"):
        assert touchstone("runs", "export", "a" * 32, "--format", name, "--out", tmp_path / name).code == 0
    rows = [json.loads(line) for line in (tmp_path / "jsonl").read_text().splitlines()]
    about, typed = read_run(tmp_path / "parquet")
    assert [row["cost_usd"] for row in rows] == [row["cost_usd"] for row in typed] == [None, 0.5]
    assert about["cost_usd"] is None


def test_a_run_of_many_answers_and_one_of_none_are_whole_as_parquet(pb, tmp_path):
    failure = {"index": 3, "outcome": "wrong_output", "detail": "ü\n"}
    one = to_dict(pb.Answer(task_id="t", cpu_s=0.1)) | {"solution": "", "failures": [failure]}
    one["steps"] = [{"a": [1, None]}]
    one["resembles"] = [
        to_dict(pb.Resemblance(line=3, change="a < b → a <= b", shared=2, either=2, cases=9, how="near"))
    ]
    one["wording"] = "described"
    del one["code"]
    many = [one | {"sample": number, "solution": "x" * (number % 7)} for number in range(2500)]
    for given in (many, []):
        write_run(tmp_path / "run", {"run_id": "r"}, iter(given))
        assert read_run(tmp_path / "run") == ({"run_id": "r"}, given)


def test_a_parquet_file_of_before_lacks_what_was_not_known_then(pb, tmp_path):
    answer = to_dict(pb.Answer(task_id="t")) | {"solution": "x", "steps": []}
    del answer["code"]
    write_run(tmp_path / "run", {}, [answer])
    table = pq.read_table(tmp_path / "run")
    pq.write_table(table.drop_columns(["resembles", "wording"]), tmp_path / "before")
    assert read_run(tmp_path / "before") == ({}, [answer])
    pq.write_table(table.drop_columns(["solution"]), tmp_path / "none")
    with pytest.raises(ValueError, match="columns are others"):
        read_run(tmp_path / "none")


@pytest.mark.parametrize("content", [b"PAR1", b"PAR1 and no more", None])
def test_a_parquet_file_that_is_no_run_is_told(tmp_path, content):
    file = tmp_path / "run.parquet"
    if content is None:
        pq.write_table(pa.table({"task_id": ["a"], "solution": ["b"]}), file)
    else:
        file.write_bytes(content)
    with pytest.raises(CliError, match=r"run\.parquet: it (cannot|holds no run)"):
        read_answers(file)


def test_an_unknown_format_is_refused_with_those_that_there_are(touchstone, exported):
    done = touchstone("runs", "export", "m", "--format", "xml")
    assert done.code == 2 and "every-eval-ever" in done.err


@pytest.mark.parametrize("name", RUN_FORMATS)
def test_a_run_without_answers_is_written_too(pb, name):
    summary = to_dict(pb.RunSummary(run_id="a", spec=pb.RunSpec(tasks=pb.TaskSet())))
    out = io.StringIO("\n".join(RUN_FORMATS[name](summary, [])))
    assert all(json.loads(line) is not None for line in out)
