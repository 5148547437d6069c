"""Other people's sets: read as their files have them, and taken in with every exception told."""

import gzip
import json

import pytest

from touchstone_cli.errors import CliError
from touchstone_cli.foreign_sets import Foreign, LeftOut, read_set
from touchstone_runtime.extraction import with_prelude

PROMPT = 'import math\n\ndef twice(x):\n    return x * 2\n\ndef area(r: float) -> float:\n    """ Area of a disc. """\n'
ROW = {
    "task_id": "Their/0", "entry_point": "area", "prompt": PROMPT, "canonical_solution": "    return math.pi * r * r\n",
    "contract": '    assert r >= 0, "invalid inputs" # $_CONTRACT_$\n', "base_input": [[1], [2.5]],
    "plus_input": [[9007199254740993]], "atol": 1e-06,
}  # fmt: skip
# A solution that makes the whole function anew.
AGAIN = f"    raise NotImplementedError\n\n{PROMPT.replace('Area of a disc', 'Old')}    return r\n"
NAMED = ("--name", "theirs", "--set", "TheirSet", "--set-version", "0.1", "--licence", "Apache-2.0")


def written(path, *rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_a_task_of_evalplus_is_read_with_its_contract(tmp_path, zipped):
    file = written(tmp_path / "set.jsonl", ROW)
    if zipped:
        file.write_bytes(gzip.compress(file.read_bytes()))
    (task,) = read_set(file, "evalplus")
    assert (task.foreign_id, task.entry_point, task.instruction) == ("Their/0", "area", "Area of a disc.")
    assert task.signature == "def area(r: float) -> float"
    assert task.prelude == "import math\n\ndef twice(x):\n    return x * 2\n"
    assert task.inputs == ("[1]", "[2.5]", '[{"$":"int","v":"9007199254740993"}]') and task.expected == ()
    assert task.source == PROMPT + ROW["canonical_solution"]
    given, checked = {}, {}
    exec(task.source, given)
    exec(task.asserting, checked)
    assert given["area"](2) == checked["area"](2)
    with pytest.raises(AssertionError):
        checked["area"](-1)


@pytest.mark.parametrize(
    ("changes", "prelude"),
    [
        # What stands in the solution is the answer, whichever way it makes the function.
        (
            {"canonical_solution": "    return helped(r)\n\ndef helped(r):\n    return math.pi * r * r\n"},
            "import math\n\ndef twice(x):\n    return x * 2\n",
        ),
        ({"canonical_solution": AGAIN}, "import math\n\ndef twice(x):\n    return x * 2\n"),
        # A row of ours showed helpers of the ground truth in its prompt once.
        ({"touchstone": {"comparison": "portable"}}, "import math\n"),
        ({"prompt": PROMPT.split('    """')[0]}, "import math\n\ndef twice(x):\n    return x * 2\n"),
    ],
)
def test_who_answers_is_shown_what_the_prompt_shows_and_nothing_of_the_solution(tmp_path, changes, prelude):
    (task,) = read_set(written(tmp_path / "set.jsonl", ROW | changes), "evalplus")
    assert task.prelude == prelude and task.signature == "def area(r: float) -> float"
    assert task.instruction == ("" if "prompt" in changes else "Area of a disc.")


@pytest.mark.parametrize(
    "changes",
    [
        {"touchstone": "mine"}, {"touchstone": {"base_expected": 7}}, {"prompt": 1, "canonical_solution": 2},
        {"contract": 5}, {"base_input": 3}, {"atol": "much"}, {"prompt": None}, {"base_input": None},
    ],
)  # fmt: skip
def test_a_field_of_another_kind_is_told_with_its_line(tmp_path, changes):
    with pytest.raises(CliError, match=r"set\.jsonl, line 2: not a task of EvalPlus") as told:
        read_set(written(tmp_path / "set.jsonl", ROW, ROW | changes), "evalplus")
    assert told.value.exit_code == 2


def test_an_id_that_is_there_twice_is_refused(tmp_path, touchstone, world):
    file = written(tmp_path / "set.jsonl", ROW, ROW | {"task_id": "Their/1"}, ROW | {"base_input": [[7]]})
    with pytest.raises(CliError, match=r"set\.jsonl: Their/0 is there twice; give each task an id of its own") as told:
        read_set(file, "evalplus")
    assert told.value.exit_code == 2
    assert touchstone("release", "import", file, *NAMED).code == 2 and world.requests == []


def test_a_damaged_archive_is_told(tmp_path):
    data = gzip.compress("\n".join(json.dumps(ROW | {"n": n * n}) for n in range(400)).encode())
    path = tmp_path / "set.jsonl.gz"
    for broken in (data[:60] + bytes(each ^ 0xFF for each in data[60:70]) + data[70:], data[:-9], data[:5]):
        path.write_bytes(broken)
        with pytest.raises(CliError, match=r"set\.jsonl\.gz: ") as told:
            read_set(path, "evalplus")
        assert told.value.exit_code == 2


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"arguments": [1]}', "line 2: not a task of Code2Bench: KeyError: 'expected'"),
        ('{"expected": 1}', "line 2: not a task of Code2Bench: KeyError: 'arguments'"),
        ("{", "line 2: not JSON"),
        ('{"arguments": [{"$": "nothing-known", "v": 1}], "expected": 1}', ""),
    ],
)
def test_a_broken_case_is_told_with_its_line_and_a_value_of_no_form_leaves_the_task_out(tmp_path, line, words):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "groundtruth.py").write_text("def f(x):\n    return x\n")
    (tmp_path / "one" / "cases.jsonl").write_text(f'{{"arguments": [1], "expected": 1}}\n{line}\n')
    if words:
        with pytest.raises(CliError, match=words):
            read_set(tmp_path, "code2bench")
    else:
        (left_out,) = read_set(tmp_path, "code2bench")
        assert isinstance(left_out, LeftOut) and "no portable form" in left_out.reason


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"task_id": "HumanEval/32"}, "any zero"), ({"task_id": "Mbpp/2"}, "changes the inputs"),
        ({"atol": 1e-3}, "error of 0.001"), ({"canonical_solution": "    return (\n"}, "cannot be read"),
        ({"entry_point": "volume"}, "no function volume"), ({"touchstone": {"comparison": "exact"}}, "exact kinds"),
        ({"touchstone": {"input_form": "portable"}, "base_input": [[{"$": "nothing"}]]}, "no portable form"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_as_the_set_means_it_is_left_out_with_the_reason(tmp_path, changes, why):
    (left_out,) = read_set(written(tmp_path / "set.jsonl", ROW | changes), "evalplus")
    assert isinstance(left_out, LeftOut) and why in left_out.reason


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "holds no task"), ("{", "not JSON"), ("[]", "not an object"), ('{"task_id": "a"}', "'entry_point'"),
     ('{"task_id": "a", "entry_point": "f", "prompt": 1, "canonical_solution": 2, "base_input": 3}', "line 1")],
)  # fmt: skip
def test_a_file_that_is_no_set_is_told(tmp_path, text, words):
    file = tmp_path / "set.jsonl"
    file.write_text(text)
    with pytest.raises(CliError, match=words):
        read_set(file, "evalplus")
    with pytest.raises(CliError, match="No such file"):
        read_set(tmp_path / "nowhere", "evalplus")


def test_folders_of_code2bench_are_read_and_those_without_cases_are_told(tmp_path):
    for name in ("1", "2", "3"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "groundtruth.py").write_text(
            "import math\n\ndef helper(): pass\n\ndef f(a: int, b=2):\n    return [a, b]\n"
        )
        (tmp_path / name / "instruction.txt").write_text("Pair them.\n")
    (tmp_path / "1" / "test_cases").mkdir()
    cases = [{"Inputs": {"a": 1, "b": 3}, "Expected": [1, 3]}]
    (tmp_path / "1" / "test_cases" / "test_cases.json").write_text(json.dumps(cases))
    (tmp_path / "3" / "groundtruth.py").write_text("def f(:\n")
    whole, bare, broken = read_set(tmp_path, "code2bench")
    assert isinstance(whole, Foreign) and (whole.foreign_id, whole.entry_point) == ("1", "f")
    assert (whole.inputs, whole.expected, whole.instruction) == (('{"a":1,"b":3}',), ("[1,3]",), "Pair them.")
    assert whole.signature == "def f(a: int, b=2)" and whole.prelude == "import math\n"
    assert "testcase_generator" in bare.reason and "cannot be read" in broken.reason


HEADS = {
    "a constant": ("LIMIT = 3\nOTHER = 4\n", "limit=LIMIT", "LIMIT = 3"),
    "what a constant is made of": ("ONE = 1\nLIMIT: int = ONE + 2\n", "limit=LIMIT", "ONE = 1\n\nLIMIT: int = ONE + 2"),
    "one of several": ("LOW, LIMIT = 1, 3\n", "*, limit=LIMIT", "LOW, LIMIT = (1, 3)"),
    "a class": ("class Many:\n    pass\n\nclass Other:\n    pass\n", "limit: Many = 3", "class Many:\n    pass"),
    "a name for a kind": ("import math\nN = type(math.pi)\n", "limit: N = 3", "import math\n\nN = type(math.pi)"),
    "what is there where something else is not": (
        "try:\n    LIMIT = 1 // 0\nexcept ZeroDivisionError:\n    LIMIT = 3\n", "limit=LIMIT",
        "try:\n    LIMIT = 1 // 0\nexcept ZeroDivisionError:\n    LIMIT = 3",
    ),
    "what nobody reads": (
        "from __future__ import annotations\nclass Many:\n    pass\n", "limit: Many = 3",
        "from __future__ import annotations",
    ),
    "nothing": ("LIMIT = 3\n", "limit=3", ""),
}  # fmt: skip


@pytest.mark.parametrize(("before", "parameter", "prelude"), HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("set_format", ["code2bench", "evalplus"])
def test_what_a_head_names_is_there_for_who_answers(tmp_path, before, parameter, prelude, set_format):
    head = f"def f(x, {parameter}):\n"
    if set_format == "code2bench":
        (tmp_path / "groundtruth.py").write_text(f"{before}\nSECRET = 5\n\n{head}    return min(x, limit)\n")
        (tmp_path / "cases.jsonl").write_text('{"arguments": [5], "expected": 3}\n')
        (task,) = read_set(tmp_path, "code2bench")
    else:
        # A row of ours of before.
        prompt = f"{before}\nSECRET = 5\n\n{head}"
        row = ROW | {"entry_point": "f", "prompt": prompt, "canonical_solution": "    return min(x, limit)\n"}
        (task,) = read_set(
            written(tmp_path / "set.jsonl", row | {"touchstone": {"comparison": "portable"}}), "evalplus"
        )
    assert task.prelude == (f"{prelude}\n" if prelude else "")
    space = {}
    exec(with_prelude(task.prelude, f"{task.signature}:\n    return min(x, limit)\n"), space)
    assert space["f"](5) == 3


@pytest.fixture
def pb(world):
    return world.pb.generator


def plan(world, pb, *answers):
    world.answers["ImportTask"] = list(answers)
    release = pb.Release(name="theirs", digest="d" * 64, tasks=len(answers))
    world.answers["PBT_GENERATOR.CreateRelease"] = pb.CreateReleaseResponse(release=release)


# What exports of ours say of a task.
OURS = {"comparison": "portable", "wording": "by_example", "licence": "GPL-3.0-only", "retracted": None}


def exported(folder, name, **about):
    """A folder of one of our exports."""
    (folder / name).mkdir(parents=True)
    (folder / name / "groundtruth.py").write_text("def f(x):\n    return x\n")
    (folder / name / "cases.jsonl").write_text('{"arguments": [1], "expected": 1}\n')
    (folder / name / "metadata.json").write_text(json.dumps({"entry_point": "f", "kind": "SC", **OURS, **about}))
    return folder


@pytest.mark.parametrize("set_format", ["evalplus", "code2bench"])
def test_what_an_export_of_ours_says_of_a_task_goes_with_it(touchstone, world, pb, tmp_path, set_format):
    passing = [pb.ImportTaskResponse(task_id=each * 32, inputs=3, cases=3, passes=True) for each in "ab"]
    plan(world, pb, *passing)
    world.answers["ListTasks"] = pb.ListTasksResponse(tasks=[pb.Task(task_id=each * 32) for each in "ab"])
    bare, gone = {"wording": 7, "licence": None}, {"retracted": "it rounds wrongly"}
    if set_format == "evalplus":
        rows = [
            ROW | {"task_id": f"Touchstone/{n}", "touchstone": OURS | more} for n, more in enumerate(({}, bare, gone))
        ]
        place = written(tmp_path / "set.jsonl", *rows)
    else:
        place = exported(exported(exported(tmp_path / "set", "0"), "1", **bare), "2", **gone)
    done = touchstone("release", "import", place, "--format", set_format, *NAMED)
    assert done.code == 0, done.err
    told = [(each.wording, each.licence) for each in world.asked("ImportTask")]
    assert told == [("by_example", "GPL-3.0-only"), ("", "Apache-2.0")]
    # What its makers took back does not run, is no failure of the set, and is told.
    assert "2 of 2 ground truths pass, 2 with every input" in done.err
    (row,) = [line for line in done.out.splitlines() if "it was taken back: it rounds wrongly" in line]
    assert row.rstrip().endswith("left out")


def test_of_a_set_that_its_makers_took_back_there_is_no_release(touchstone, world, pb, tmp_path):
    file = written(tmp_path / "set.jsonl", ROW | {"touchstone": OURS | {"retracted": "it rounds wrongly"}})
    done = touchstone("release", "import", file, *NAMED)
    assert done.code == 1 and "every task of it was taken back: no release" in done.err
    assert world.asked("ImportTask") == world.asked("CreateRelease") == []


def test_a_set_becomes_a_release_of_what_passes(touchstone, world, pb, tmp_path):
    rows = [ROW | {"task_id": f"Their/{number}"} for number in range(200)]
    passing = [pb.ImportTaskResponse(task_id=f"{number:032x}", inputs=3, cases=3, passes=True) for number in range(198)]
    short = pb.ImportTaskResponse(task_id="e" * 32, inputs=3, cases=2, problems=["1 of 3 inputs: odd"], weak=["raises"])
    plan(world, pb, *passing, short, pb.ImportTaskResponse(task_id="f" * 32, inputs=3, cases=3, passes=True))
    file = written(tmp_path / "set.jsonl", *rows)
    done = touchstone("release", "import", file, *NAMED, "--origin", "their page", "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert (told["tasks"], told["passed"], told["whole"], told["cases"]) == (200, 199, 199, 599)
    assert [one["foreign_id"] for one in told["exceptions"]] == ["Their/198"] and told["weak"] == {
        "Their/198": ["raises"]
    }
    assert told["release"]["name"] == "theirs"
    first = world.asked("ImportTask")[0]
    assert (first.set, first.set_version, first.licence, first.origin) == (
        "TheirSet",
        "0.1",
        "Apache-2.0",
        "their page",
    )
    assert first.foreign_id == "Their/0" and list(first.inputs)[:2] == ["[1]", "[2.5]"] and first.asserting
    (made,) = world.asked("CreateRelease")
    assert made.name == "theirs" and len(made.task_ids) == 200 and "e" * 32 in made.task_ids


def test_a_task_that_was_taken_back_is_left_out_and_told(touchstone, world, pb, tmp_path):
    stands, gone = (pb.ImportTaskResponse(task_id=each * 32, inputs=3, cases=3, passes=True) for each in "ab")
    plan(world, pb, stands, gone)
    world.answers["ListTasks"] = pb.ListTasksResponse(tasks=[pb.Task(task_id="a" * 32)])
    world.answers["GetTask"] = pb.GetTaskResponse(task=pb.Task(task_id="b" * 32, retracted="it rounds wrongly"))
    file = written(tmp_path / "set.jsonl", ROW, ROW | {"task_id": "Their/1"})
    done = touchstone("release", "import", file, *NAMED)
    assert done.code == 0, done.err
    assert list(world.asked("CreateRelease")[0].task_ids) == ["a" * 32]
    (row,) = [line for line in done.out.splitlines() if line.startswith("Their/1")]
    assert "it was taken back: it rounds wrongly" in row and row.rstrip().endswith("left out")
    assert "2 of 2 ground truths pass, 2 with every input" in done.err
    world.answers["ImportTask"] = [stands, gone]
    (told,) = json.loads(touchstone("release", "import", file, *NAMED, "--json").out)["exceptions"]
    assert (told["foreign_id"], told["retracted"], told["problems"]) == ("Their/1", "it rounds wrongly", [])
    # A request for none of them would ask for every task of ours, under their name.
    world.answers["ImportTask"] = [gone, gone]
    done = touchstone("release", "import", file, *NAMED)
    assert done.code == 1 and "every task of it was taken back: no release" in done.err
    assert len(world.asked("CreateRelease")) == 2 and done.out.count("it rounds wrongly") == 2


@pytest.mark.parametrize(
    ("name", "source", "retracted", "words"),
    [
        ("HumanEval+", {}, 0, "HumanEval+: no name for a release (use up to 64"),
        ("theirs", {"name": "OtherSet"}, 0, "theirs: there is a release of this name with other tasks"),
        ("theirs", {"version": "0.2"}, 0, "with other tasks"),
        ("theirs", {"kind": "package"}, 0, "with other tasks"),
        ("theirs", {}, 1, "theirs: 1 task was taken back since this release was made"),
        # The same import may give the same release again.
        ("theirs", {}, 0, ""),
    ],
)
def test_a_name_that_cannot_be_had_is_told_before_a_ground_truth_runs(
    touchstone, world, pb, tmp_path, name, source, retracted, words
):
    plan(world, pb, pb.ImportTaskResponse(task_id="a" * 32, inputs=3, cases=3, passes=True))
    theirs = {"kind": "benchmark", "name": "TheirSet", "version": "0.1"} | source
    world.answers["ListReleases"] = pb.ListReleasesResponse(releases=[pb.Release(name="theirs")])
    world.answers["GetRelease"] = pb.GetReleaseResponse(
        manifest_json=json.dumps({"tasks": [{"source": theirs}]}),
        retractions=[pb.Retraction(task_id="a" * 32, note="wrong")] * retracted,
    )
    file = written(tmp_path / "set.jsonl", ROW)
    done = touchstone("release", "import", file, "--name", name, *NAMED[2:])
    assert (done.code, words in done.err) == (2 if words else 0, True), done.err
    assert len(world.asked("ImportTask")) == (0 if words else 1)


def test_fewer_than_99_of_100_make_no_release(touchstone, world, pb, tmp_path):
    plan(world, pb, pb.ImportTaskResponse(task_id="a" * 32, inputs=3, cases=3, passes=True))
    file = written(tmp_path / "set.jsonl", ROW, ROW | {"task_id": "HumanEval/32"})
    done = touchstone("release", "import", file, *NAMED)
    assert done.code == 1 and "1 of 2 ground truths pass, fewer than 99%: no release" in done.err
    # What was taken in is no secret.
    assert "1 task is kept without one: touchstone tasks list --imported" in done.err
    assert "HumanEval/32" in done.out and "any zero" in done.out
    assert world.asked("CreateRelease") == []


def test_answers_may_name_the_tasks_of_an_imported_release_as_their_set_does(touchstone, world, pb, tmp_path):
    source = {"kind": "benchmark", "path": "Their/0"}
    tasks = [
        {"task_id": "a" * 32, "source": source},
        {"task_id": "b" * 32, "source": {"kind": "git", "path": "Their/1"}},
    ]
    world.answers["GetRelease"] = pb.GetReleaseResponse(manifest_json=json.dumps({"tasks": tasks}))
    evaluator = world.pb.evaluator
    world.answers["StartRun"] = evaluator.StartRunResponse(run_id="r" * 32, tasks=1, task_set="theirs")
    world.answers["SubmitAnswers"] = evaluator.SubmitAnswersResponse(digest="c" * 64, answers=2, tasks=2)
    file = written(tmp_path / "answers.jsonl", *({"task_id": f"Their/{n}", "solution": "x"} for n in (0, 1)))
    done = touchstone("evaluate", "--samples", file, "--model", "m", "--release", "theirs", "--no-wait")
    assert done.code == 0, done.err
    (submitted,) = world.asked("SubmitAnswers")
    assert [answer.task_id for answer in submitted.answers] == ["a" * 32, "Their/1"]
    # Of an imported export of ours, too, whose ids are written with our name before them or without it.
    tasks[0]["source"]["path"] = "Touchstone/0"
    world.answers["GetRelease"] = pb.GetReleaseResponse(manifest_json=json.dumps({"tasks": tasks}))
    for name in ("Touchstone/0", "0"):
        file = written(tmp_path / "answers.jsonl", {"task_id": name, "solution": "x"})
        done = touchstone("evaluate", "--samples", file, "--model", "m", "--release", "theirs", "--no-wait")
        assert [each.task_id for each in world.asked("SubmitAnswers")[-1].answers] == ["a" * 32], done.err
