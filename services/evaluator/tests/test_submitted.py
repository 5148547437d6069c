"""Answers that somebody else sampled are judged as a model's own, and nobody is asked."""

from dataclasses import replace

import pytest

from evaluator.adapters.announcer import request_of
from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.domain.outcomes import Outcome
from evaluator.domain.submitted import MAX_SAMPLES, SubmittedAnswer
from evaluator.domain.tasks import State
from evaluator.errors import BadSpecificationError, UnknownAnswersError, UnknownTaskError
from evaluator.handlers import run_of
from evaluator.ports import Release
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.direct import Direct
from evaluator.usecases.runs import solve_task, start_run
from evaluator.usecases.submitted import Submitted, submit_answers
from evaluator.usecases.tasks import learn_task
from touchstone_runtime.blobs import BlobStore

GOOD = "def f1(x: int) -> int:\n    return x + 1\n"
FENCED = f"Surely:\n```python\n{GOOD}```"


class House:
    def __init__(self, store, announcer, models, lists, releases, exercises, folder):
        self.exercises = exercises
        self.store, self.announcer, self.models, self.lists, self.releases = store, announcer, models, lists, releases
        self.sets = BlobAnswerSets(BlobStore(f"file://{folder}"))
        self.strategies = {
            "submitted": Submitted(self.sets, exercises),
            "direct": Direct(models, exercises, max_tokens=9),
        }

    async def submit(self, *answers):
        digest, _, _ = await submit_answers(self.sets, [SubmittedAnswer(*answer) for answer in answers])
        return digest

    async def start(self, **wanted):
        return await start_run(
            self.store,
            self.announcer,
            self.models,
            self.strategies,
            self.releases,
            self.lists,
            self.sets,
            self.exercises,
            Wanted(**wanted),
        )

    async def solve(self, run, task_id, sample=0):
        return await solve_task(self.store, self.announcer, self.strategies, self.lists, run, task_id, sample)


@pytest.fixture
async def house(store, announcer, models, lists, releases, exercises, task, tmp_path):
    for number in (1, 2):
        await learn_task(store, task(number))
    known = releases(Release("r", "d" * 64, (task(1).task_id, task(2).task_id)))
    return House(store, announcer, models(), lists, known, exercises, tmp_path)


async def test_submitted_answers_are_judged_and_nobody_is_asked(house, task):
    one, two = task(1).task_id, task(2).task_id
    run = await house.start(model="theirs 7B", answers=await house.submit((one, 0, FENCED), (two, 0, "no idea")))
    assert (run.spec.model, run.spec.endpoint, run.spec.label) == ("theirs 7B", "", "submitted")
    assert house.announcer.requests == [(run.run_id, one), (run.run_id, two)]
    waiting = await house.solve(run, one)
    assert waiting.solution.code == GOOD and waiting.state is State.GENERATED
    ended = await house.solve(run, two)
    assert ended.solution.outcome is Outcome.NO_CODE
    assert house.models.asked == []


async def test_a_program_alone_is_an_answer(house, task):
    one = task(1).task_id
    run = await house.start(model="m", answers=await house.submit((one, 0, GOOD)))
    assert (await house.solve(run, one)).solution.code == GOOD


async def test_a_task_of_the_release_without_an_answer_is_not_solved(house, task):
    run = await house.start(model="m", release="r", answers=await house.submit((task(1).task_id, 0, GOOD)))
    assert run.spec.tasks.release == "d" * 64 and len(run.attempts) == 2
    missing = await house.solve(run, task(2).task_id)
    assert missing.solution.outcome is Outcome.NO_CODE
    assert missing.solution.detail == "no answer was submitted"


async def test_other_answers_are_another_run_and_the_same_ones_the_same(house, task):
    one = task(1).task_id
    first = await house.submit((one, 0, GOOD))
    assert await house.submit((one, 0, GOOD)) == first
    run = await house.start(model="m", answers=first)
    assert (await house.start(model="m", answers=first)).run_id == run.run_id
    others = [
        await house.start(model="n", answers=first),
        await house.start(model="m", answers=await house.submit((one, 0, FENCED))),
    ]
    assert run.run_id not in {other.run_id for other in others}


async def test_several_answers_a_task_are_samples(house, task):
    one, two = task(1).task_id, task(2).task_id
    digest = await house.submit((one, 0, GOOD), (one, 2, GOOD), (two, 0, GOOD), (two, 1, GOOD))
    with pytest.raises(BadSpecificationError, match="temperature"):
        await house.start(model="m", answers=digest)
    run = await house.start(model="m", answers=digest, temperature=0.8)
    assert run.spec.samples == 3
    assert (await house.solve(run, one, 2)).solution.code == GOOD
    assert (await house.solve(run, one, 1)).solution.outcome is Outcome.NO_CODE


async def test_a_number_that_no_task_has_is_nobodys_answer(house, task):
    one, two = task(1).task_id, task(2).task_id
    counted_from_1 = await house.submit((one, 1, GOOD), (one, 2, FENCED), (two, 1, GOOD), (two, 2, GOOD))
    assert counted_from_1 == await house.submit((one, 0, GOOD), (one, 1, FENCED), (two, 0, GOOD), (two, 1, GOOD))
    run = await house.start(model="m", answers=counted_from_1, temperature=0.8)
    assert run.spec.samples == 2
    assert {(await house.solve(run, one, sample)).solution.code for sample in (0, 1)} == {GOOD}


async def test_a_task_goes_by_the_beginning_of_its_id_as_tables_show_it(house, store, task):
    ids = [f"{number:08d}" * 4 for number in (3, 4)]
    for number, task_id in enumerate(ids, 3):
        await learn_task(store, task(number, task_id=task_id))
    house.releases.known["s"] = Release("s", "e" * 64, tuple(ids))
    digest = await house.submit(*((task_id[:8], 0, GOOD.replace("f1", f"f{n}")) for n, task_id in enumerate(ids, 3)))
    for release in ("s", ""):
        run = await house.start(model="m", answers=digest, release=release)
        assert {(await house.solve(run, task_id)).solution.outcome for task_id in ids} == {None}


async def test_answers_to_tasks_outside_the_run_are_refused_and_none_is_judged_wrong(house, store, task):
    one, two, three = (task(number).task_id for number in (1, 2, 3))
    await learn_task(store, task(3))
    with pytest.raises(UnknownTaskError, match=r"HumanEval/7.*no tasks are called so \(1 of 2 names"):
        await house.start(model="m", release="r", answers=await house.submit((one, 0, GOOD), ("HumanEval/7", 0, GOOD)))
    for end in "ab":
        await learn_task(store, task(4, task_id=f"{three[:8]}{end * 24}"))
    with pytest.raises(UnknownTaskError, match="3 tasks are called so"):
        await house.start(model="m", release="r", answers=await house.submit((three[:8], 0, GOOD)))
    outside = await house.submit((three, 0, GOOD))
    for wanted in ({"release": "r"}, {"task_ids": (one,)}):
        with pytest.raises(BadSpecificationError, match="1 of them are not in the run"):
            await house.start(model="m", answers=outside, **wanted)
    twice = await house.submit((one, 0, GOOD), (one[:9], 1, GOOD))
    with pytest.raises(BadSpecificationError, match="2 names"):
        await house.start(model="m", release="r", answers=twice, temperature=0.8)
    # More than the tasks that were chosen, and fewer outside than inside.
    all_of = await house.submit((one, 0, GOOD), (two, 0, GOOD), (three, 0, GOOD))
    assert len((await house.start(model="m", release="r", answers=all_of)).attempts) == 2
    assert len((await house.start(model="m", task_ids=(one,), answers=all_of)).attempts) == 1
    # A task of the release that was taken back is known.
    await store.retract_task(two, "wrong")
    kept = await house.start(model="m", release="r", answers=await house.submit((one, 0, GOOD), (two, 0, GOOD)))
    assert [attempt.task.task_id for attempt in kept.attempts if not attempt.retracted] == [one]


async def test_a_replay_on_an_empty_store_makes_the_same_run(house, store, task):
    one = task(1).task_id
    run = await house.start(model="m", answers=await house.submit((one, 0, GOOD)))
    event = request_of(run, one)
    store.kept.clear()
    store.attempts.clear()
    replayed = run_of(type(event).model_validate_json(event.model_dump_json()), house.models)
    assert replayed.spec == run.spec and replayed.spec.identity() == run.spec.identity()
    assert (await house.solve(replayed, one)).solution.code == GOOD


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ([], "no answer"),
        ([("a", 0, "x"), ("a", 0, "y")], "two answers"),
        ([("", 0, "x")], "task"),
        ([("a", -1, "x")], "number"),
        ([("a", MAX_SAMPLES, "x")], "number"),
    ],
)
async def test_answers_that_make_no_sense_are_refused(house, answers, words):
    with pytest.raises(BadSpecificationError, match=words):
        await house.submit(*answers)


async def test_wrong_requests_are_refused_with_the_way_out(house, task):
    digest = await house.submit((task(1).task_id, 0, GOOD))
    for wanted in ({"answers": "f" * 64}, {"answers": "../x"}, {"strategy": "submitted"}):
        with pytest.raises(UnknownAnswersError, match="--samples FILE"):
            await house.start(model="m", **wanted)
    for model in ("", " ", "two\nlines", "x" * 201):
        with pytest.raises(BadSpecificationError, match="name"):
            await house.start(model=model, answers=digest)
    with pytest.raises(BadSpecificationError, match="strategy"):
        await house.start(model="m", answers=digest, strategy="cocost")
    with pytest.raises(UnknownTaskError):
        await house.start(model="m", answers=await house.submit(("nosuch", 0, GOOD)))


async def test_a_request_over_answers_that_are_not_there_any_more_ends_outside_the_scores(house, run, task):
    strange = run(strategy="submitted", answers="f" * 64)
    ended = await house.solve(replace(strange, run_id="s" * 32), task(1).task_id)
    assert ended.state is State.JUDGED and ended.solution.outcome is Outcome.INFRASTRUCTURE
    assert "nobody submitted" in ended.solution.detail


async def test_what_a_model_thought_is_no_part_of_its_answer_and_a_bare_program_is_all_answer(house, task):
    ids = [task(number).task_id for number in (1, 2)]
    draft = "<think>\n```python\ndef f1(x):\n    return 0\n```\n</think>\n"
    about = 'def f2(x):\n    return f"{x}</think>"\n'
    digest = await house.submit((ids[0], 0, draft + FENCED), (ids[1], 0, about))
    run = await house.start(model="m", answers=digest)
    assert (await house.solve(run, ids[0])).solution.code == GOOD
    assert (await house.solve(run, ids[1])).solution.code == about


async def test_a_program_is_judged_whole_whatever_fences_and_marks_stand_in_its_texts(house, task):
    ids = [task(number).task_id for number in (1, 2)]
    bare = 'def f1(x):\n    """Adds.\n\n```python\ndef f1(x): return 0\n```\n    """\n    return x + 1\n'
    block = bare.replace("f1", "f2").replace("x + 1", "f'{x}</think>'")
    digest = await house.submit((ids[0], 0, bare), (ids[1], 0, f"So:\n```python\n{block}```\nDone."))
    run = await house.start(model="m", answers=digest)
    for one, program in zip(ids, (bare, block), strict=True):
        assert (await house.solve(run, one)).solution.code == program


async def test_answers_to_a_task_that_was_taken_back_are_left_out_and_told(house, store, task):
    one, two = task(1).task_id, task(2).task_id
    answers = await house.submit((one, 0, GOOD), (two, 0, GOOD))
    await store.retract_task(two, "its words were wrong")
    run = await house.start(model="m", answers=answers)
    assert [each.task.task_id for each in run.attempts] == [one]
    assert run.left_out == (("was taken back", 1),)
    # What nobody ever built is told as before, and of nothing that stands there is no run.
    with pytest.raises(UnknownTaskError):
        await house.start(model="m", answers=await house.submit((one, 0, GOOD), ("f" * 64, 0, GOOD)))
    await store.retract_task(one, "its words were wrong")
    with pytest.raises(UnknownTaskError, match="taken back"):
        await house.start(model="m", answers=answers)
    with pytest.raises(UnknownTaskError, match="no standing task"):
        await house.start(model="small", strategy="direct", task_ids=(one,))
