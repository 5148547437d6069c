"""Other questions than writing: what is asked, what an answer amounts to, and that no board mixes them."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import pytest

from evaluator.adapters.announcer import generated_of, request_of
from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.adapters.models import RuntimeModels
from evaluator.domain.exercises import Exercise, asked_program, completed, constant_program, predicted, value_in
from evaluator.domain.languages import asking_of
from evaluator.domain.memory import way_of
from evaluator.domain.outcomes import Outcome
from evaluator.domain.patience import Patience
from evaluator.domain.specification import RunSpec, TaskSet
from evaluator.domain.statistics import geometric_mean
from evaluator.domain.submitted import SubmittedAnswer
from evaluator.domain.tasks import Verdict
from evaluator.errors import BadSpecificationError, NoExerciseError, NoTasksError, UnknownTrackError
from evaluator.handlers import run_of
from evaluator.ports import Release, Said
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.deciding import compared
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import Patient
from evaluator.usecases.runs import record_verdict, solve_task, start_run
from evaluator.usecases.strategies import Draft, tracks_of
from evaluator.usecases.submitted import Submitted, submit_answers
from evaluator.usecases.tasks import learn_task
from evaluator.usecases.tracks import TRACKS
from touchstone_contracts.envelope import content_id
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.extraction import READING
from touchstone_runtime.llm import load_prompt

BEGINNING = '''\
import math


def f1(x: int) -> int:
    """Old words."""
    if (
        x < 0
        and math.isfinite(x)
    ):
'''
REST = "        return -x\n    return x + 1"
WHOLE = f"{BEGINNING}{REST}\n"
FENCED = "New ones:\n```\nreturn 0\n```\n"
ANSWERS = {
    "write": "```python\ndef f1(x):\n    return x + 1\n```",
    "repair": "```python\ndef f1(x):\n    return x + 1\n```",
    "completion": f"```python\n{REST}\n```",
    "predict-output": "So:\n```json\n2\n```",
    "predict-input": "```json\n[1]\n```",
    "speed": "```python\ndef f1(x):\n    return x + 1\n```",
    "robustness": "```python\ndef f1(x):\n    return x + 1 if x is not None else 0\n```",
    "helpers": "```python\ndef f1(x):\n    return one_more(x)\n```",
    "neutral": "```python\ndef function_1(arg_1):\n    return arg_1 + 1\n```",
}
EXERCISES = {
    "repair": Exercise("repair", "def f1(x):\n    return x\n", "[1]", "2", "1"),
    "completion": Exercise("completion", BEGINNING),
    "predict-output": Exercise("predict-output", WHOLE, "[1]", suite_digest="o" * 64),
    "predict-input": Exercise("predict-input", WHOLE, expected="2", suite_digest="i" * 64),
    "speed": Exercise("speed", reference_cpu_s=0.5),
    "robustness": Exercise("robustness", arguments="[null]", expected="0", suite_digest="b" * 64),
    "helpers": Exercise("helpers", "def one_more(x):\n    return x + 1\n"),
    "neutral": Exercise(
        "neutral",
        entry_point="function_1",
        instruction="Return `arg_1` plus 1.",
        signatures={"python": "def function_1(arg_1: int) -> int:", "go": "func function_1(arg_1 int) int"},
    ),
}
PROMPTS = {
    "write": "solve_v1", "repair": "repair_v1", "completion": "complete_v1", "predict-output": "predict_output_v2",
    "predict-input": "predict_input_v1", "speed": "solve_fast_v1",
    "helpers": "solve_given_v1",
    "robustness": "solve_robust_v1",
    "neutral": "solve_v1",
}  # fmt: skip


class House:
    def __init__(self, store, announcer, models, lists, releases, exercises, folder):
        self.store, self.announcer, self.lists, self.releases = store, announcer, lists, releases
        self.exercises = exercises
        self.models = models(**{PROMPTS[track]: answer for track, answer in ANSWERS.items() if track != "neutral"})
        self.models.answers["solve_v1"] = lambda told: ANSWERS[
            "neutral" if told["entry_point"] == "function_1" else "write"
        ]
        self.sets = BlobAnswerSets(BlobStore(f"file://{folder}"))
        direct = Direct(self.models, exercises, max_tokens=9)
        self.strategies = {"direct": direct, "submitted": Submitted(self.sets, exercises)}

    async def start(self, **wanted):
        known = (self.releases, self.lists, self.sets, self.exercises)
        return await start_run(
            self.store, self.announcer, self.models, self.strategies, *known, Wanted(**wanted)
        )  # fmt: skip

    async def solve(self, run, task_id):
        return await solve_task(self.store, self.announcer, self.strategies, self.lists, run, task_id)


@pytest.fixture
async def house(store, announcer, models, lists, releases, exercises, task, tmp_path):
    ids = tuple(task(number).task_id for number in (1, 2))
    for number in (1, 2):
        await learn_task(store, task(number, prelude="import math\n"))
    for track, exercise in EXERCISES.items():
        exercises.given[track, ids[0]] = exercise
    # The second task has no branch, and no case that can be asked for.
    for track in ("repair", "speed", "neutral"):
        exercises.given[track, ids[1]] = EXERCISES[track]
    return House(store, announcer, models, lists, releases(Release("r", "d" * 64, ids)), exercises, tmp_path)


def function_of(code):
    space = {}
    exec(code, space)
    return space["f1"] if "f1" in space else space["function_1"]


@pytest.mark.parametrize("track", TRACKS)
async def test_each_track_asks_its_own_question_and_gives_a_program(house, task, track):
    name = track or "write"
    run = await house.start(release="r", track=name)
    attempt = await house.solve(run, task(1).task_id)
    prompt, values = house.models.asked[-1]
    assert prompt == PROMPTS[name]
    # The file has a place for everything that is said, and nothing is said without a place.
    assert load_prompt("evaluator", prompt).messages(**values)
    solution = attempt.solution
    assert solution.outcome is None
    given = function_of(solution.code)
    assert given(1) == 2
    exercise = EXERCISES.get(name, Exercise())
    assert (solution.suite_digest, solution.reference_cpu_s) == (exercise.suite_digest, exercise.reference_cpu_s)
    event = generated_of(run, attempt.task, solution)
    assert event.suite_digest == (exercise.suite_digest or task(1).suite_digest)
    assert event.entry_point == (exercise.entry_point or "f1")


@pytest.mark.parametrize("track", TRACKS)
async def test_what_a_run_made_of_an_answer_is_that_answer_when_it_is_read_again(house, task, track):
    name, task_id = track or "write", task(1).task_id
    first = (await house.solve(await house.start(release="r", track=name), task_id)).solution
    digest, _, _ = await submit_answers(house.sets, [SubmittedAnswer(task_id, 0, first.code)])
    again = await house.start(release="r", track=name, strategy="submitted", answers=digest, model="m")
    solution = (await house.solve(again, task_id)).solution
    assert (solution.outcome, solution.detail) == (None, "")
    assert function_of(solution.code)(1) == function_of(first.code)(1) == 2
    assert not name.startswith("predict") or solution.code == first.code


VALUES = ["2", '"a)"', '"it\'s \\"so\\"\\n"', '[{"\\u00fc": [null, -1.5]}, ")))"]', json.dumps(["\U0001f600" * 1999])]


@pytest.mark.parametrize("value", VALUES)
def test_only_a_program_that_was_made_of_a_value_has_one(value):
    source = "def f1(x):\n    return _answered_json.loads('3')\n"
    for made in (constant_program("f1", value), asked_program(source, "f1", value)):
        assert value_in(made, "f1") == value_in(f"\n{made.strip()}", "f1") == value
        assert value_in(made, "f2") is value_in(made + "x = 1\n", "f1") is value_in(value, "f1") is None
        assert value_in(made.replace("*given", "*rest"), "f1") is None
    assert value_in(source, "f1") is None


@pytest.mark.parametrize("again", ["_answered_json.loads(", "    return _answered_json.loads('1'", "')", "'\\"])
def test_a_long_answer_that_looks_like_such_a_program_takes_no_time(again):
    begun = time.monotonic()
    assert value_in(f"    return _answered_json.loads('{again * 16_000}')x", "f1") is None
    assert time.monotonic() - begun < 5


async def test_what_is_asked_for_is_not_said(house, task):
    for track, shown in (("predict-output", {"arguments": "[1]"}), ("predict-input", {"expected": "2"})):
        run = await house.start(release="r", track=track)
        await house.solve(run, task(1).task_id)
        assert house.models.asked[-1][1] == {"entry_point": "f1", "program": WHOLE.strip()} | shown


async def test_a_run_of_a_track_has_the_tasks_that_can_be_asked_so(house, task):
    both, one = await house.start(release="r", track="repair"), await house.start(release="r", track="completion")
    assert [len(run.attempts) for run in (both, one)] == [2, 1]
    assert one.spec.tasks.release == "d" * 64 and dict(one.spec.bounds) == {
        "tokens": 9,
        "exercise": 3,
        "reading": READING,
    }
    with pytest.raises(NoTasksError):
        await house.start(task_ids=(task(2).task_id,), track="completion")


async def test_each_track_is_a_run_of_its_own_and_an_older_run_keeps_its_id(house):
    runs = [await house.start(release="r", track=track or "write") for track in TRACKS]
    assert len({run.run_id for run in runs}) == len(TRACKS)
    assert (await house.start(release="r")).run_id == runs[0].run_id
    # As it was hashed before there were tracks, and before answers could be submitted.
    spec = RunSpec(TaskSet("t"), "python", "direct", "", "small", "small", "solve_v1", (("tokens", 9),))
    facts = ["t", "", "python", "direct", "", "small", "", "solve_v1", [("tokens", 9)], 1, 0.0, 0]
    assert spec.identity() == facts
    assert replace(spec, answers="a").identity() == [*facts, "a"]
    assert runs[0].run_id == content_id("run", *runs[0].spec.identity()[:12])


async def test_a_replay_on_an_empty_store_makes_the_same_run(house, store, task):
    run = await house.start(release="r", track="repair")
    event = request_of(run, task(1).task_id)
    store.kept.clear()
    store.attempts.clear()
    replayed = run_of(type(event).model_validate_json(event.model_dump_json()), house.models)
    assert replayed.spec == run.spec and replayed.spec.label == "direct (repair)"
    assert (await house.solve(replayed, task(1).task_id)).solution.code


async def test_boards_never_mix_tracks(house, store, lists, task):
    ids = [task(number).task_id for number in (1, 2)]
    for track in ("write", "repair", "completion", "speed"):
        run = await house.start(release="r", track=track)
        for attempt in run.attempts:
            solution = (await house.solve(run, attempt.task.task_id)).solution
            ended = Outcome.PASSED if attempt.task.task_id == ids[0] else Outcome.WRONG_OUTPUT
            if solution.outcome is None:
                verdict = Verdict(ended, 50, 50, cpu_s=1.0)
                await record_verdict(store, run.run_id, attempt.task.task_id, solution.solution_id, verdict)
    boards = Boards(store, lists)
    every = await boards.every()
    assert [len(board.rows) for board in every] == [1, 1, 1, 1]
    assert {board.scope.name for board in every} == {"r", "r, repair", "r, completion", "r, speed"}
    # A task that has no exercise is none of the track's: coverage is full without it.
    assert {board.scope.name: board.tasks for board in every}["r, completion"] == 1
    assert all(board.rows[0].rank == (1, 1) for board in every)
    ratios = {board.scope.name: board.rows[0].cpu_ratio for board in every}
    assert ratios == {"r": 0.0, "r, repair": 0.0, "r, completion": 0.0, "r, speed": 2.0}
    # The digest of the release, or its beginning, is the board of writing; a track is named.
    for wanted, track in (("", ""), ("dd", ""), ("r", ""), (f"{'d' * 64}:repair", "repair"), ("r, speed", "speed")):
        assert (await boards.board(wanted))[0].scope.track == track
    # How hard a task is to write is told by those who wrote it.
    scores = {task_id: (each.judged, each.passed) for task_id, each in (await boards.task_scores()).items()}
    assert scores == {ids[0]: (1, 1), ids[1]: (1, 0)}


async def test_exercises_of_two_versions_are_two_boards_and_two_runs(house, store, lists, task):
    ids = [task(number).task_id for number in (1, 2)]
    runs = []
    for version, outcome in ((3, Outcome.PASSED), (4, Outcome.WRONG_OUTPUT)):
        house.exercises.version = version
        runs.append(await house.start(release="r", track="repair"))
        for task_id in ids:
            solution = (await house.solve(runs[-1], task_id)).solution
            await record_verdict(store, runs[-1].run_id, task_id, solution.solution_id, Verdict(outcome, 50, 50))
    # One of before runs told a version stays on a board of its own.
    older = replace(runs[0], run_id="0" * 32, spec=replace(runs[0].spec, bounds=()), attempts=())
    await store.save_run(older, ids)
    boards = Boards(store, lists)
    every = await boards.every()
    assert len({run.run_id for run in runs}) == 2
    assert [[row.run.run_id for row in board.rows] for board in every if board.scope.exercise] == [
        [run.run_id] for run in runs
    ]
    assert all(board.pairs == () for board in every)
    told = {board.scope.digest: board.scope.label for board in every}
    digest = f"{'d' * 64}:repair"
    assert told == {
        digest: "r, repair",
        f"{digest}:3": "r, repair, exercises 3",
        f"{digest}:4": "r, repair, exercises 4",
    }
    # Where none is named what is made now is meant.
    for wanted, version in (("r, repair", 4), ("r, repair, exercises 3", 3), (f"{digest}:3", 3), (digest, 0)):
        assert (await boards.board(wanted))[0].scope.exercise == version
    with pytest.raises(BadSpecificationError, match="exercises of other versions"):
        await compared(store, *(run.run_id for run in runs))
    assert asking_of(runs[0]) != asking_of(runs[1])


async def test_a_run_never_holds_exercises_of_two_versions(house, task):
    digest, *_ = await submit_answers(
        house.sets, [SubmittedAnswer(task(number).task_id, 0, ANSWERS["repair"]) for number in (1, 2)]
    )
    house.strategies["direct"] = Patient(house.strategies["direct"], Patience(60), lambda: 0.0)
    for given in ({}, {"model": "theirs", "answers": digest}):
        house.exercises.version = 3
        run = await house.start(release="r", track="repair", **given)
        assert (await house.solve(run, task(1).task_id)).solution.outcome is None
        # The generator is another one while the run goes on.
        house.exercises.version = 4
        lost = (await house.solve(run, task(2).task_id)).solution
        assert lost.outcome is Outcome.INFRASTRUCTURE and lost.suite_digest == ""
        # The same call asks anew.
        anew = await house.start(release="r", track="repair", **given)
        assert anew.run_id != run.run_id and anew.spec.exercise == 4
        for number in (1, 2):
            assert (await house.solve(anew, task(number).task_id)).solution.outcome is not Outcome.INFRASTRUCTURE


async def test_answers_that_somebody_else_gave_are_judged_in_a_track(house, task):
    one = task(1).task_id
    for track, answer in ANSWERS.items():
        digest, *_ = await submit_answers(house.sets, [SubmittedAnswer(one, 0, answer)])
        run = await house.start(model="theirs", answers=digest, track=track)
        attempt = await house.solve(run, one)
        assert function_of(attempt.solution.code)(1) == 2 and run.spec.prompts == ""
    assert house.models.asked == []


async def test_wrong_requests_are_refused_with_the_way_out(house, store, task):
    with pytest.raises(UnknownTrackError, match="repair"):
        await house.start(track="poetry")
    with pytest.raises(UnknownTrackError, match="Python"):
        await house.start(track="repair", language="go")

    class Plugged:
        prompts, parts, bounds = ("solve_v1",), (), {}

        def variant(self, text):
            return text

    house.strategies["plugged"] = Plugged()
    assert tracks_of(Plugged()) == ("",)
    with pytest.raises(UnknownTrackError, match="direct"):
        await house.start(strategy="plugged", track="repair")
    run = await house.start(release="r", track="repair")
    house.exercises.given.clear()
    with pytest.raises(NoExerciseError):
        await house.solve(run, task(1).task_id)


@pytest.mark.parametrize(
    "answer",
    [
        REST,
        f"```python\n{REST}\n```",
        "```\nreturn -x\n```".replace("return -x", "    return -x\nreturn x + 1"),
        f"Here:\n```python\n{WHOLE}```\nDone.",
        f"```python\n{WHOLE.replace('Old words.', 'New ones.')}```",
        # With fences in a text of its own.
        f'''        _ = """\n```\nreturn 0\n```\n"""\n{REST}\n''',
        f'''```python\n        _ = """\n```\nreturn 0\n```\n"""\n{REST}\n```\nDone.''',
        f"So:\n```python\n{WHOLE.replace('Old words.', FENCED)}```",
        # In one line, and without what stood before the function.
        "```\ndef f1(x: int) -> int:\n    if x < 0 and math.isfinite(x):\n        return -x\n    return x + 1\n```",
    ],
)
def test_an_answer_goes_on_from_the_beginning(answer):
    program = completed(BEGINNING, answer, "f1")
    assert [function_of(program)(x) for x in (-3, 3)] == [3, 4]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "```python\n```",
        "```python\ndef f1(x):\n    return abs(x)\n```",
        f"```python\n{WHOLE.replace('x < 0', 'x <= 0')}```",
        "```python\ndef f1(*args, **kwargs):\n    return 4\n```",
        # The beginning is gone on from, and what is called is another function.
        "```\n        pass\n\n\ndef f1(x):\n    return 4\n```",
        f"```\n{REST}\n\n\nf1 = abs\n```",
        f"```python\n{WHOLE}\n\nf1 = lambda x: 4\n```",
        f"```python\n{WHOLE}\n\nif True:\n    from math import fabs as f1\n```",
        f"```python\n{WHOLE}\n\ndef other():\n    global f1\n    f1 = abs\n\n\nother()\n```",
    ],
)
def test_another_function_is_no_completion(answer):
    assert completed(BEGINNING, answer, "f1") is None


@pytest.mark.parametrize(
    "rest", ["            x = 2\n        x += 1\n    return x\n", "            x = 2\n    return x\n"]
)
@pytest.mark.parametrize(
    "head", ["    else:\n        if x > 5:\n", "    elif x < 0:\n        x = 1\n    else:\n        if x:\n"]
)
def test_a_branch_within_an_else_is_gone_on_from(head, rest):
    beginning = f"def f1(x):\n    if x == 0:\n        x = 1\n{head}"
    assert completed(beginning, f"```python\n{beginning}{rest}```", "f1")
    assert completed(beginning, f"```python\n{rest}```", "f1")


@pytest.mark.parametrize("ours", ["\t", "  ", "    "])
@pytest.mark.parametrize("theirs", ["\t", "  ", "    "])
@pytest.mark.parametrize("fence", ["```python\n{}```", "{}"])
def test_a_rest_may_be_indented_otherwise_than_its_beginning(ours, theirs, fence):
    beginning = "def f1(xs):\n\tout = []\n\tfor x in xs:\n\t\tif x > 0:\n".replace("\t", ours)
    rest = "\t\t\tout.append(x)\n\t\telse:\n\t\t\tout.append(-x)\n\treturn out\n".replace("\t", theirs)
    assert function_of(completed(beginning, fence.format(rest), "f1"))([1, -1]) == [1, 1]


def test_what_does_not_parse_is_left_to_the_sandbox():
    assert completed(BEGINNING, "I do not know", "f1").startswith(BEGINNING)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("```json\n[1, 2]\n```", [1, 2]),
        ("First\n```python\nx = 1\n```\nthen\n```\n{'a': None}\n```", {"a": None}),
        ("It is\n\nAnswer: `true`", True),
        ("(1, (2, 3))", [1, [2, 3]]),
        ("The output is: 'it\\'s'", "it's"),
        ('"\\ud800"', "\ud800"),
        ("-1.5e3", -1500.0),
    ],
)
def test_a_value_is_found_in_an_answer(answer, value):
    assert json.loads(predicted(answer)) == value
    assert function_of(constant_program("f1", predicted(answer)))(0) == value


@pytest.mark.parametrize(
    "answer",
    ["", "no idea", "__import__('os').getcwd()", "{1: 2}", "{1, 2}", "NaN", "1e999", "[" * 5000, "9" * 5000, "b'x'",
     "```\nsorted([2, 1])\n```"],
)  # fmt: skip
def test_what_is_no_plain_value_is_no_prediction(answer):
    assert predicted(answer) is None


def test_a_ground_truth_that_calls_itself_is_asked_once():
    source = "def f1(n, seen=None):\n    return 1 if n < 2 else n * f1(n - 1)"
    assert function_of(asked_program(source, "f1", "[5]"))("other", 3) == 120


def test_an_input_has_to_be_a_list(run, task):
    draft = Draft(run(track="predict-input"), task(1))
    said = Said("5", draft.effort)
    assert TRACKS["predict-input"].solution(draft, said, EXERCISES["predict-input"]).outcome is Outcome.NO_CODE


def test_every_prompt_of_a_track_is_there():
    models = RuntimeModels(None)
    assert [models.prompt_versions((track.prompt,)).partition(":")[0] for track in TRACKS.values()] == [
        *PROMPTS.values()
    ]


def test_ratios_have_a_geometric_mean():
    assert geometric_mean([]) == 0.0 and geometric_mean([0.0, 4.0, 1.0]) == pytest.approx(2.0)


def test_a_value_is_given_under_whatever_name_is_asked_for():
    space = {}
    exec(constant_program("json", "[1]"), space)
    assert space["json"]("x") == [1]


async def test_a_neutral_dress_reaches_the_model_and_the_judge_and_no_name_of_the_task_does(house, task):
    for language, code in (
        ("python", ANSWERS["neutral"]),
        ("go", "```go\nfunc function_1(arg_1 int) int { return 2 }\n```"),
    ):
        house.models.answers["solve_v1"] = code
        run = await house.start(release="r", track="neutral", language=language)
        attempt = await house.solve(run, task(1).task_id)
        prompt, values = house.models.asked[-1]
        assert prompt == "solve_v1" and "f1" not in {word for text in values.values() for word in text.split()}
        assert values["instruction"] == "Return `arg_1` plus 1." and values["entry_point"] == "function_1"
        assert values["signature"] == EXERCISES["neutral"].signatures[language]
        event = generated_of(run, attempt.task, attempt.solution)
        # The same task, the same suite; only what the program defines is called otherwise, also when judged again.
        assert (event.entry_point, event.suite_digest) == ("function_1", task(1).suite_digest)
        assert attempt.task == task(1, prelude="import math\n")
    with pytest.raises(UnknownTrackError, match="Python"):
        await house.start(release="r", track="repair", language="go")


async def test_the_question_is_that_of_writing_and_the_run_another_one(house):
    plain, neutral = await house.start(release="r"), await house.start(release="r", track="neutral")
    assert plain.run_id != neutral.run_id and neutral.spec.prompts == plain.spec.prompts
    assert way_of(plain) == way_of(neutral)
    assert neutral.spec.label == "direct (neutral)"


async def test_what_cannot_wear_the_dress_is_left_out_and_told(house, exercises, task):
    exercises.left_out = (("the words speak of the package", 1),)
    del exercises.given["neutral", task(2).task_id]
    run = await house.start(release="r", track="neutral")
    assert len(run.attempts) == 1 and run.left_out == exercises.left_out
    assert (await house.start(release="r")).left_out == ()
