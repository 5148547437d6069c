from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.adapters.announcer import request_of
from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import State, Verdict
from evaluator.errors import (
    BadSpecificationError,
    NoTasksError,
    TaskNotYetKnownError,
    UnknownReleaseError,
    UnknownRunError,
    UnknownStrategyError,
    UnknownTaskError,
)
from evaluator.handlers import run_of
from evaluator.ports import Release
from evaluator.usecases.boards import Boards
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import cancel_run
from evaluator.usecases.runs import (
    delete_run,
    get_run,
    publish_unrequested,
    record_verdict,
    solve_task,
    withdraw_run,
)
from evaluator.usecases.tasks import learn_task, retract_task
from touchstone_runtime.extraction import READING
from touchstone_runtime.llm import EndpointUnavailableError, UnknownModelError

GOOD = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


def numbers(run):
    return {attempt.task.task_id[:4] for attempt in run.attempts}


async def test_a_run_asks_for_every_task_once(house, announcer, store):
    made = house()
    await made.tasks(1, 2, 3)
    run = await made.start()
    assert run.spec.tasks.count == 3
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0001", "0002", "0003"]
    assert await store.unrequested() == []
    spec = run.spec
    assert (spec.model, spec.endpoint, spec.strategy, spec.language) == ("small", "small", "direct", "python")
    assert dict(spec.bounds) == {"tokens": 64, "reading": READING}


async def test_starting_again_resumes_the_same_run_with_what_is_unfinished(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    run = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    await record_verdict(store, run.run_id, attempt.task.task_id, attempt.solution.solution_id, Verdict(Outcome.PASSED))
    announcer.requests.clear()
    again = await made.start()
    assert again.run_id == run.run_id
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0002"]


async def test_described_tasks_are_asked_for_first(house, announcer):
    made = house()
    await made.tasks(1, 3, wording="by_example")
    await made.tasks(2, 5, wording="described")
    await made.tasks(4)
    run = await made.start()
    assert [task_id[:4] for _, task_id in announcer.requests] == ["0002", "0005", "0001", "0003", "0004"]
    assert [attempt.task.task_id[:4] for attempt in run.attempts] == ["0001", "0002", "0003", "0004", "0005"]


async def test_a_run_never_grows_another_set_of_tasks_is_another_run(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    first = await made.start()
    await made.tasks(3)
    second = await made.start()
    named = await made.start(task_ids=("0003",))
    assert len({first.run_id, second.run_id, named.run_id}) == 3
    assert numbers(await store.load_run(first.run_id)) == {"0001", "0002"}
    assert numbers(second) == {"0001", "0002", "0003"}
    assert numbers(named) == {"0003"}
    # The same tasks by another way are the same specification.
    assert (await made.start(task_ids=("0001", "0002"))).run_id == first.run_id


async def test_what_differs_is_another_run(house):
    made = house()
    await made.tasks(1, 2)
    ids = [
        (await made.start(**options)).run_id
        for options in (
            {},
            {"strategy": "cocost"},
            {"strategy": "cocost:no-search"},
            {"strategy": "cocost", "left_out": "no-search"},
            {"language": "go"},
            {"model": "small@http://127.0.0.1:9/v1"},
            {"model": "other@http://127.0.0.1:9/v1"},
            {"temperature": 0.8},
            {"temperature": 0.8, "seed": 1},
            {"temperature": 0.8, "samples": 2},
            {"seed": 7},
        )
    ]
    # The same parts left out, by name or by setting, are the same run; a greedy answer has no seed.
    assert ids[2] == ids[3]
    assert ids[0] == ids[10]
    assert len(set(ids)) == 9


async def test_a_changed_bound_is_another_run_and_an_old_run_keeps_its_own(house, announcer, models):
    made = house()
    await made.tasks(1)
    run = await made.start()
    made.strategies["direct"] = Direct(made.models, made.exercises, max_tokens=128)
    assert (await made.start()).run_id != run.run_id
    await made.solve(run, run.attempts[0].task.task_id)
    assert made.models.samplings[-1][0] == 64


async def test_a_limit_spreads_over_packages_and_kinds_whatever_came_first(house):
    made = house()
    await made.tasks(1, 2, 3, 4, source="big")
    await made.tasks(5, source="small")
    await made.tasks(6, source="other", kind="WSC")
    chosen = await made.start(limit=3)
    assert {attempt.task.source for attempt in chosen.attempts} == {"big", "small", "other"}
    assert chosen.spec.tasks.kind == "sample"
    larger = await made.start(limit=5)
    assert numbers(chosen) < numbers(larger)
    seeds = {frozenset(numbers(await made.start(limit=4, sample_seed=seed))) for seed in range(8)}
    assert len(seeds) > 1
    everything = await made.start(limit=99)
    assert (everything.spec.tasks.kind, everything.spec.tasks.count) == ("all", 6)


async def test_the_hard_band_is_asked_for_by_name_and_never_mixed_in(house, task):
    release = Release("both", "d" * 64, tuple(task(number).task_id for number in (1, 3)))
    made = house(known=(release,))
    await made.tasks(1, complexity=10)
    await made.tasks(2)
    await made.tasks(3, 4, complexity=11)
    usual, hard = await made.start(), await made.start(band="hard")
    assert (numbers(usual), numbers(hard)) == ({"0001", "0002"}, {"0003", "0004"})
    assert hard.spec.tasks.name == "every task of the hard band that stood"
    assert numbers(await made.start(band="usual", limit=9)) == {"0001", "0002"}
    assert numbers(await made.start(band="hard", limit=1)) < {"0003", "0004"}
    # Who names tasks, or a release that somebody made of them, gets these.
    assert numbers(await made.start(task_ids=("0001", "0003"))) == {"0001", "0003"}
    assert numbers(await made.start(release="both")) == {"0001", "0003"}
    for wanted in ({"band": "easy"}, {"band": "hard", "release": "both"}, {"band": "hard", "task_ids": ("0001",)}):
        with pytest.raises(BadSpecificationError, match="band"):
            await made.start(**wanted)


async def test_imported_tasks_are_asked_for_by_their_release_or_by_name_and_never_with_others(house, task):
    release = Release("theirs", "d" * 64, tuple(task(number).task_id for number in (3, 4)))
    made = house(known=(release,))
    await made.tasks(1, 2)
    await made.tasks(3, 4, imported="TheirSet 0.1")
    await made.tasks(5, imported="Other 2")
    assert numbers(await made.start()) == {"0001", "0002"}
    assert numbers(await made.start(limit=9)) == {"0001", "0002"}
    assert numbers(await made.start(release="theirs")) == {"0003", "0004"}
    assert numbers(await made.start(release="theirs", limit=1)) < {"0003", "0004"}
    assert numbers(await made.start(task_ids=("0004",))) == {"0004"}
    for mixed in (("0001", "0003"), ("0003", "0005")):
        with pytest.raises(BadSpecificationError, match="never ranked together"):
            await made.start(task_ids=mixed)


async def test_a_release_is_the_set_of_its_tasks(house, store, task):
    release = Release("2026-06", "d" * 64, tuple(task(number).task_id for number in (1, 2)))
    made = house(known=(release,))
    await made.tasks(1)
    with pytest.raises(TaskNotYetKnownError, match="1 of the 2 tasks"):
        await made.start(release="2026-06")
    await made.tasks(2, 3)
    run = await made.start(release="2026-06")
    assert numbers(run) == {"0001", "0002"}
    assert (run.spec.tasks.kind, run.spec.tasks.name, run.spec.tasks.release) == ("release", "2026-06", "d" * 64)
    part = await made.start(release="2026-06", limit=1)
    # A part of a release is no longer that release.
    assert (part.spec.tasks.kind, part.spec.tasks.release) == ("sample", "")
    with pytest.raises(UnknownReleaseError):
        await made.start(release="nothing")


async def test_samples_are_asked_for_one_by_one_with_seeds_of_their_own(house, announcer, store):
    made = house()
    await made.tasks(1)
    run = await made.start(samples=3, temperature=0.8, seed=10)
    assert announcer.samples == [0, 1, 2]
    task_id = run.attempts[0].task.task_id
    solved = [await made.solve(run, task_id, sample) for sample in range(3)]
    seeds = [sampling.seed for _, sampling in made.models.samplings]
    assert len(set(seeds)) == 3 and dict(run.spec.bounds)["seeding"] == 1
    # Runs of before keep theirs.
    before = replace(run.spec, bounds=(("tokens", 64),))
    assert [before.sampling(sample).seed for sample in range(3)] == [10, 11, 12]
    assert {sampling.temperature for _, sampling in made.models.samplings} == {0.8}
    # The same program three times is three solutions, each with a verdict of its own.
    assert len({attempt.solution.solution_id for attempt in solved}) == 3
    passed = solved[1].solution.solution_id
    assert await record_verdict(store, run.run_id, task_id, passed, Verdict(Outcome.PASSED))
    found = await get_run(store, run.run_id)
    assert [attempt.verdict is not None for attempt in found.attempts] == [False, True, False]


async def test_sampled_runs_that_differ_in_their_seed_share_no_answer(house):
    made = house()
    await made.tasks(1)
    runs = [await made.start(samples=20, temperature=0.8, seed=seed) for seed in (-1, 0, 1, 2, 19, 2**40)]
    seeds = [run.spec.sampling(sample).seed for run in runs for sample in range(20)]
    assert len(set(seeds)) == 20 * len(runs) and all(0 <= seed < 2**31 for seed in seeds)
    greedy = await made.start()
    assert "seeding" not in dict(greedy.spec.bounds) and greedy.spec.sampling(0).seed == 0


@pytest.mark.parametrize(
    "wanted", [{"samples": 2}, {"samples": -1}, {"limit": -1}, {"temperature": -0.1}, {"temperature": 2.5}]
)
async def test_a_specification_that_makes_no_sense_is_refused(house, wanted):
    made = house()
    await made.tasks(1)
    with pytest.raises(BadSpecificationError):
        await made.start(**wanted)


async def test_a_replay_on_an_empty_store_makes_the_same_run(house, announcer, store, lists, models, task):
    made = house()
    await made.tasks(1, 2, 3)
    run = await made.start(limit=2, temperature=0.5, samples=2, strategy="cocost:no-search")
    events = [request_of(run, task_id, sample) for task_id in sorted(run_ids(run)) for sample in (0, 1)]
    fresh = type(store)()
    for number in (1, 2, 3):
        await learn_task(fresh, task(number))
    again = run_of(events[0].model_validate_json(events[0].model_dump_json()), made.models)
    assert again == run
    await solve_task(fresh, announcer, made.strategies, lists, again, events[0].task_id)
    replayed = await fresh.load_run(run.run_id)
    assert replayed.spec == run.spec
    assert [(a.task, a.sample) for a in replayed.attempts] == [(a.task, a.sample) for a in run.attempts]
    assert await fresh.task_ids_of(run.spec.tasks.digest) == sorted(run_ids(run))


def run_ids(run):
    return {attempt.task.task_id for attempt in run.attempts}


async def test_a_withdrawn_run_leaves_the_board_with_its_reason(house, store, lists, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()
    with pytest.raises(BadSpecificationError):
        await withdraw_run(store, announcer, run.run_id, " ")
    withdrawn = await withdraw_run(store, announcer, run.run_id[:8], "it was asked with the wrong prompt")
    assert withdrawn.withdrawn == "it was asked with the wrong prompt"
    boards = Boards(store, lists)
    assert not (await boards.board())[0].rows
    await withdraw_run(store, announcer, run.run_id, "", restore=True)
    assert len((await boards.board())[0].rows) == 1


async def test_a_deleted_run_is_gone_whatever_is_still_on_its_way_and_can_be_started_anew(
    house, store, lists, announcer
):
    made = house()
    await made.tasks(1, 2)
    run = await made.start()
    boards = Boards(store, lists)
    await made.solve(run, run.attempts[0].task.task_id)
    assert (await delete_run(store, announcer, run.run_id[:8])).run_id == run.run_id
    attempt = await made.solve(run, run.attempts[1].task.task_id)
    assert attempt.solution is None and len(made.models.asked) == 1
    assert not (await boards.board())[0].rows and not await boards.summaries()
    with pytest.raises(UnknownRunError):
        await delete_run(store, announcer, run.run_id)
    again = await made.start()
    assert again.run_id != run.run_id and {each.state for each in again.attempts} == {State.PENDING}
    assert len((await boards.board())[0].rows) == 1
    # What is on its way for the deleted run still finds nothing; the same call goes on with the new one.
    late = await made.solve(run, run.attempts[0].task.task_id)
    assert late.solution is None and await store.is_forgotten(run.run_id)
    assert (await made.start()).run_id == again.run_id


async def test_what_a_deleted_run_was_answered_is_no_answer_to_the_run_that_follows_it(house, store, announcer):
    """A model's endpoint that was repaired is asked, and not answered for by what it said before."""
    made = house()
    await made.tasks(1)
    seen = []
    for _ in range(3):
        run = await made.start()
        await made.solve(run, run.attempts[0].task.task_id)
        seen.append(run.spec.sampling(0).anew)
        await delete_run(store, announcer, run.run_id)
    assert seen == [0, 1, 2] and len(made.models.asked) == 3


async def test_answers_that_come_after_the_deletion_are_not_kept(house, store, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()

    class Deletes(Direct):
        async def solve(self, run, task, sample=0):
            await delete_run(store, announcer, run.run_id)
            return await super().solve(run, task, sample)

    made.strategies["direct"] = Deletes(made.models, made.exercises, max_tokens=64)
    assert (await made.solve(run, run.attempts[0].task.task_id)).solution is None
    assert announcer.solutions == [] and (await store.overview()).runs == []


async def test_scores_of_tasks_are_counted_over_the_runs_on_the_board(house, store, lists, announcer):
    made = house()
    await made.tasks(1, 2)
    runs = [await made.start(), await made.start(strategy="cocost")]
    first, second = (attempt.task.task_id for attempt in runs[0].attempts)
    for run, outcome in zip(runs, (Outcome.PASSED, Outcome.WRONG_OUTPUT), strict=True):
        solved = await made.solve(run, first)
        await record_verdict(store, run.run_id, first, solved.solution.solution_id, Verdict(outcome))
    await cancel_run(store, announcer, await get_run(store, runs[0].run_id))
    boards = Boards(store, lists)
    scores = await boards.task_scores()
    assert {task_id: (each.judged, each.passed) for task_id, each in scores.items()} == {first: (2, 1), second: (0, 0)}
    assert scores[first].difficulty is not None and scores[second].difficulty is None
    assert await boards.task_scores() is scores
    await withdraw_run(store, announcer, runs[1].run_id, "asked wrongly")
    assert ((await boards.task_scores())[first].judged, (await boards.task_scores())[first].passed) == (1, 1)


async def test_other_languages_take_self_contained_tasks_only(house):
    made = house()
    await made.tasks(1)
    await made.tasks(2, kind="WSC")
    await made.tasks(3, signatures={"python": "def f3(x):"})
    assert (await made.start(language="go")).spec.tasks.count == 1
    assert (await made.start()).spec.tasks.count == 3
    library = next(each.task_id for each in await made.store.standing_tasks() if each.kind == "WSC")
    with pytest.raises(BadSpecificationError, match=r"not certified in Go \(it can be solved in Python\)"):
        await made.start(language="go", task_ids=(library,))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"model": "huge"}, UnknownModelError, "known are: small"),
        ({"strategy": "magic"}, UnknownStrategyError, "known are: cocost, direct"),
        ({"strategy": "direct:no-search"}, UnknownStrategyError, "no variant"),
        ({"strategy": "cocost:no-luck"}, UnknownStrategyError, "no-search"),
        ({"language": "cobol"}, UnknownStrategyError, "cobol"),
        ({"task_ids": ("ffff",)}, UnknownTaskError, "touchstone tasks list"),
        ({"task_ids": ("",)}, UnknownTaskError, "no standing task has this id"),
        ({"task_ids": ("000",)}, UnknownTaskError, "2 tasks have ids"),
    ],
)
async def test_a_wrong_request_is_refused_with_the_way_out(house, options, error, words):
    made = house()
    await made.tasks(1, 2)
    with pytest.raises(error, match=words):
        await made.start(**options)


async def test_without_tasks_there_is_no_run(house):
    with pytest.raises(NoTasksError, match="touchstone run"):
        await house().start()


async def test_a_solution_is_stored_then_announced(house, announcer, store):
    made = house()
    await made.tasks(1, prelude="import math")
    run = await made.start()
    (task_id,) = [attempt.task.task_id for attempt in run.attempts]
    attempt = await made.solve(run, task_id)
    assert attempt.state is State.GENERATED
    assert attempt.solution.code.startswith("import math\n")
    assert announcer.solutions == [attempt.solution]
    assert (await store.find_attempt(run.run_id, task_id)).solution == attempt.solution


async def test_a_replay_asks_nobody_and_announces_the_same(house, announcer):
    made = house()
    await made.tasks(1)
    run = await made.start()
    first = await made.solve(run, run.attempts[0].task.task_id)
    again = await made.solve(run, run.attempts[0].task.task_id)
    assert again.solution == first.solution
    assert len(made.models.asked) == 1
    assert announcer.solutions == [first.solution, first.solution]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("I cannot.", Outcome.NO_CODE),
        ("```python\ndef g():\n    return 1\n```", Outcome.NO_ENTRY_POINT),
    ],
)
async def test_an_answer_without_the_program_is_judged_without_a_sandbox(house, announcer, store, answer, outcome):
    made = house(answer)
    await made.tasks(1)
    run = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    assert attempt.verdict.outcome is outcome
    assert announcer.solutions == []
    row = await made.row()
    assert (row.outcomes, row.judged_tasks) == (((outcome, 1),), 1)


async def test_a_halted_run_says_why_and_goes_on(house, store):
    down = EndpointUnavailableError("the endpoint is down", way_out="start it")
    made = house([down, GOOD])
    await made.tasks(1)
    run = await made.start()
    with pytest.raises(EndpointUnavailableError):
        await made.solve(run, run.attempts[0].task.task_id)
    assert "the endpoint is down (start it)" in (await get_run(store, run.run_id)).halted
    await made.solve(run, run.attempts[0].task.task_id)
    assert (await get_run(store, run.run_id)).halted == ""


async def test_a_request_for_an_unknown_task_is_tried_again(house, run):
    with pytest.raises(TaskNotYetKnownError):
        await house().solve(run(), "nobody")


async def test_a_request_of_another_producer_makes_its_run(house, run, store):
    made = house()
    await made.tasks(1)
    attempt = await made.solve(run(), "0001" * 8)
    assert attempt.solution is not None
    assert (await get_run(store, run().run_id)).attempts[0].solution == attempt.solution


async def test_a_retracted_task_is_neither_asked_nor_solved_nor_counted(house, announcer, store, lists):
    made = house()
    await made.tasks(1, 2)
    run = await made.start()
    first, second = (attempt.task.task_id for attempt in run.attempts)
    await retract_task(store, first, "its oracle was wrong")
    attempt = await made.solve(run, first)
    assert (attempt.solution, attempt.retracted) == (None, "its oracle was wrong")
    announcer.requests.clear()
    await made.start(task_ids=(second,))
    assert [task_id for _, task_id in announcer.requests] == [second]
    announcer.requests.clear()
    await publish_unrequested(store, announcer)
    board, _, _ = await Boards(store, lists).board(run.spec.tasks.digest)
    assert (board.tasks, board.retracted, board.rows[0].judged_tasks) == (1, 1, 0)


async def test_a_retraction_may_overtake_its_task(house, store):
    made = house()
    await retract_task(store, "0001" * 8, "")
    await made.tasks(1)
    with pytest.raises(NoTasksError):
        await made.start()


async def test_the_first_verdict_stays_and_strangers_are_ignored(house, store):
    made = house()
    await made.tasks(1)
    run = await made.start()
    attempt = await made.solve(run, run.attempts[0].task.task_id)
    place = (run.run_id, attempt.task.task_id)
    assert not await record_verdict(store, *place, "stranger", Verdict(Outcome.PASSED))
    assert await record_verdict(store, *place, attempt.solution.solution_id, Verdict(Outcome.WRONG_OUTPUT, 50, 3))
    assert await record_verdict(store, *place, attempt.solution.solution_id, Verdict(Outcome.PASSED, 50, 50))
    assert (await store.find_attempt(*place)).verdict.outcome is Outcome.WRONG_OUTPUT


async def test_requests_that_a_crash_left_unpublished_are_published(house, announcer, store):
    made = house()
    await made.tasks(1, 2)
    await made.start()
    announcer.requests.clear()
    store.requested.clear()
    assert await publish_unrequested(store, announcer) == 2
    assert len(announcer.requests) == 2
    assert await publish_unrequested(store, announcer) == 0


async def test_runs_are_found_by_the_beginning_of_their_id(house, store):
    made = house()
    await made.tasks(1)
    run = await made.start()
    assert (await get_run(store, run.run_id[:6])).run_id == run.run_id
    for wrong in ("", "zzz"):
        with pytest.raises(UnknownRunError):
            await get_run(store, wrong)
