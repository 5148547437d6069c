"""The evaluator's memory: one suite for the fake of the unit tests and for the real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from evaluator.adapters.store import SqlStore
from evaluator.adapters.tables import METADATA
from evaluator.app import MIGRATIONS
from evaluator.domain.lives import RunChange, Touched
from evaluator.domain.outcomes import CANCELLED, Outcome
from evaluator.domain.results import Cell
from evaluator.domain.runs import Run
from evaluator.domain.specification import task_set
from evaluator.domain.tasks import Attempt, Effort, Retraction, Solution, Task, Verdict
from evaluator.ports import Counts
from touchstone_runtime.database import Database

SERVICE = Path(__file__).parents[2] / "services" / "evaluator"
SOLUTION = Solution(
    "s1", "code ü", Effort(1, 2, 0.5, 0.25, 1), detail="words", steps=({"name": "answer", "n": [1, None]},),
    suite_digest="d" * 64, reference_cpu_s=0.5, entry_point="function_1",
)  # fmt: skip
VERDICT = Verdict(Outcome.WRONG_OUTPUT, 50, 49, "expected 1", ((3, "wrong_output", "expected 1"),), 1.5, 1.25, 2**33)


@pytest.fixture(scope="module")
def fakes(load_module):
    return load_module("services/evaluator/tests/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, fakes):
    if request.param == "memory":
        yield fakes.MemoryStore()
        return
    database = Database(request.getfixturevalue("postgres"), "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            names = "attempts, verdicts, resemblances, runs, run_changes, forgotten_runs, tasks, task_sets, retractions"
            await session.execute(sa.text(f"TRUNCATE {names}, llm_ledger"))
        yield SqlStore(database.session)
    finally:
        await database.close()


@pytest.fixture
def tasks(fakes) -> list[Task]:
    # Two of one day, and the youngest first.
    days = {1: "2026-03-01", 2: "2026-01-01", 3: "2026-01-01"}
    return [
        fakes.make_task(number, released_at=day, imported="TheirSet 0.1" if number == 3 else "")
        for number, day in days.items()
    ]


@pytest.fixture
def run(fakes) -> Run:
    return fakes.make_run(variant="no-search", prompts="p:1")


async def test_tasks_are_kept_once_and_given_oldest_first(store, tasks):
    for task in [*tasks, replace(tasks[0], instruction="changed")]:
        await store.save_task(task)
    assert await store.standing_tasks() == [tasks[1], tasks[2], tasks[0]]
    assert await store.find_task(tasks[0].task_id) == tasks[0]
    assert await store.find_task("nobody") is None
    assert await store.functions_of([tasks[0].task_id, "nobody"]) == {tasks[0].task_id: tasks[0].function_id}
    assert await store.functions_of([]) == {}


async def test_what_nobody_told_of_a_tasks_words_is_filled_once(store, tasks):
    await store.save_task(tasks[0])
    assert ((await store.task_facts())[0].described, (await store.overview()).worded) == (False, 0)
    for wording in ("described", "", "by_example"):
        await store.save_task(replace(tasks[0], wording=wording, instruction="changed"))
    assert await store.find_task(tasks[0].task_id) == replace(tasks[0], wording="described")
    assert ((await store.task_facts())[0].described, (await store.overview()).worded) == (True, 1)
    # The same of what it is like.
    for likeness in ("a", "", "b"):
        await store.save_task(replace(tasks[0], likeness=likeness, shapes=likeness, instruction="changed"))
    assert await store.find_task(tasks[0].task_id) == replace(tasks[0], wording="described", likeness="a", shapes="a")


async def test_an_answer_that_a_person_ended_is_told_from_one_that_was_lost(store, tasks, run):
    for task in tasks[:2]:
        await store.save_task(task)
    await store.save_run(run, [task.task_id for task in tasks[:2]])
    for task, words in zip(tasks[:2], ("cancelled", "given up after 60 s"), strict=True):
        await store.save_solution(run.run_id, task.task_id, SOLUTION)
        await store.save_verdict(run.run_id, task.task_id, "s1", Verdict(Outcome.INFRASTRUCTURE, detail=words))
    cells = (await store.results_of(run)).cells
    assert [cells[task.task_id][0].cancelled for task in tasks[:2]] == [True, False]


async def test_a_retraction_may_come_first_and_its_first_reason_stays(store, tasks):
    await store.retract_task(tasks[0].task_id, "wrong")
    await store.retract_task(tasks[0].task_id, "again")
    for task in tasks:
        await store.save_task(task)
    await store.retract_task("never-came", "for reasons")
    first = tasks[0]
    known = Retraction(first.task_id, "wrong", first.entry_point, f"{first.source} {first.version}".strip())
    assert await store.retractions() == sorted(
        [known, Retraction("never-came", "for reasons")], key=lambda r: r.task_id
    )
    assert tasks[0] not in await store.standing_tasks()
    assert await store.find_task(tasks[0].task_id) == tasks[0]


async def test_a_run_grows_and_keeps_what_it_was(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    assert await store.find_run(run.run_id) is None
    assert await store.load_run(run.run_id) is None
    await store.save_run(run, [tasks[0].task_id])
    other = replace(run, spec=replace(run.spec, variant=""))
    await store.save_run(other, [tasks[0].task_id, tasks[2].task_id])
    assert await store.find_run(run.run_id) == run
    assert (await store.load_run(run.run_id)).attempts == (Attempt(tasks[2]), Attempt(tasks[0]))
    assert [(one, one.spec) for one, _ in (await store.overview()).runs] == [(run, run.spec)]


async def test_the_first_solution_stays(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    place = (run.run_id, tasks[0].task_id)
    assert await store.save_solution(*place, SOLUTION) == SOLUTION
    other = Solution("s2", "", Effort(), Outcome.NO_CODE)
    assert await store.save_solution(*place, other) == SOLUTION
    assert (await store.find_attempt(*place)) == Attempt(tasks[0], SOLUTION)
    assert await store.find_attempt(run.run_id, "nobody") is None


async def test_an_early_end_is_kept(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    early = Solution("s2", "", Effort(), Outcome.NO_CODE, "the answer holds no code")
    assert await store.save_solution(run.run_id, tasks[0].task_id, early) == early


async def test_the_first_verdict_on_the_known_solution_stays(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    place = (run.run_id, tasks[0].task_id)
    assert not await store.save_verdict(*place, "s1", VERDICT)
    await store.save_solution(*place, SOLUTION)
    assert not await store.save_verdict(*place, "stranger", VERDICT)
    assert not await store.save_verdict("nobody", tasks[0].task_id, "s1", VERDICT)
    assert await store.save_verdict(*place, "s1", VERDICT)
    assert await store.save_verdict(*place, "s1", Verdict(Outcome.PASSED))
    attempt = await store.find_attempt(*place)
    assert attempt == Attempt(tasks[0], SOLUTION, VERDICT)
    await store.retract_task(tasks[0].task_id, "wrong")
    loaded = await store.load_run(run.run_id)
    assert loaded is not None
    assert loaded.attempts == (Attempt(tasks[0], SOLUTION, VERDICT, "wrong"),)


async def test_requests_are_unpublished_until_marked(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    ids = [task.task_id for task in tasks]
    await store.save_run(run, ids)
    assert await store.unrequested() == [(run, task_id, 0) for task_id in sorted(ids)]
    await store.mark_requested(run.run_id, [(task_id, 0) for task_id in ids[:2]])
    await store.mark_requested(run.run_id, [])
    assert await store.unrequested() == [(run, ids[2], 0)]
    await store.save_run(run, ids)
    assert await store.unrequested() == [(run, ids[2], 0)]


@pytest.fixture
def specified(fakes, tasks) -> Run:
    """A run of two samples with every field of a specification set."""
    chosen = task_set("release", "2026-06", [tasks[0].task_id, tasks[2].task_id, "not-here"], "d" * 64)
    return fakes.make_run(
        tasks=chosen,
        bounds=(("rounds", 2), ("tokens", 64)),
        samples=2,
        temperature=0.7,
        seed=2**40,
        model_digest="m",
        prompts="p:1",
    )


async def test_a_specification_is_kept_whole_with_its_set_of_tasks(store, tasks, specified):
    for task in tasks:
        await store.save_task(task)
    ids = [tasks[0].task_id, tasks[2].task_id, "not-here"]
    assert await store.task_ids_of(specified.spec.tasks.digest) is None
    await store.save_run(specified, ids[:1])
    assert await store.task_ids_of(specified.spec.tasks.digest) is None
    await store.save_run(specified, ids)
    assert await store.task_ids_of(specified.spec.tasks.digest) == sorted(ids)
    loaded = await store.load_run(specified.run_id)
    assert loaded is not None
    assert loaded.spec == specified.spec
    order = [(task.task_id, sample) for task in (tasks[2], tasks[0]) for sample in (0, 1)]
    assert [(each.task.task_id, each.sample) for each in loaded.attempts] == order
    assert await store.places_of(loaded.run_id) == order
    assert await store.attempts_at(loaded.run_id, order[::-2]) == list(loaded.attempts[1::2])


async def test_samples_are_told_apart(store, tasks, specified):
    await store.save_task(tasks[0])
    task_id = tasks[0].task_id
    await store.save_run(specified, [task_id])
    second = replace(SOLUTION, solution_id="s2")
    await store.save_solution(specified.run_id, task_id, SOLUTION, 0)
    await store.save_solution(specified.run_id, task_id, second, 1)
    assert await store.save_verdict(specified.run_id, task_id, "s2", VERDICT)
    assert await store.find_attempt(specified.run_id, task_id, 0) == Attempt(tasks[0], SOLUTION)
    assert await store.find_attempt(specified.run_id, task_id, 1) == Attempt(tasks[0], second, VERDICT, sample=1)
    await store.mark_requested(specified.run_id, [(task_id, 1)])
    assert await store.unrequested() == [(specified, task_id, 0)]
    answers = await store.answers_to(task_id)
    assert [(found.run_id, attempt.sample) for found, attempt in answers] == [
        (specified.run_id, 0),
        (specified.run_id, 1),
    ]


async def test_what_a_board_needs_is_read_without_code_and_a_change_is_seen(store, fakes, tasks, run):
    for task in tasks:
        await store.save_task(task)
    await store.save_run(run, [tasks[0].task_id, tasks[1].task_id])
    ((known, before),) = (await store.overview()).runs
    assert known == run
    await store.save_solution(run.run_id, tasks[0].task_id, SOLUTION)
    await store.save_verdict(run.run_id, tasks[0].task_id, "s1", VERDICT)
    ((_, after),) = (await store.overview()).runs
    assert after > before
    results = await store.results_of(run)
    effort = SOLUTION.effort
    judged = Cell(
        "wrong_output", True, effort.tokens_in, effort.tokens_out, effort.seconds, effort.cost_usd, VERDICT.cpu_s
    )
    assert results.cells == {
        tasks[0].task_id: (judged,),
        tasks[1].task_id: (Cell("", False, 0, 0, 0.0, 0.0, 0.0),),
    }
    assert await store.task_facts() == [fakes.facts_of(task) for task in sorted(tasks, key=lambda t: t.task_id)]


async def test_a_run_is_withdrawn_and_put_back(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    ((_, before),) = (await store.overview()).runs
    await store.set_withdrawn(run.run_id, "asked wrongly")
    assert (await store.find_run(run.run_id)).withdrawn == "asked wrongly"
    ((_, after),) = (await store.overview()).runs
    assert after > before
    await store.set_withdrawn(run.run_id, "")
    assert (await store.find_run(run.run_id)).withdrawn == ""


async def test_a_removed_run_is_gone_for_good(store, tasks, run):
    task_id = tasks[0].task_id
    await store.save_task(tasks[0])
    await store.save_run(run, [task_id])
    await store.save_solution(run.run_id, task_id, SOLUTION)
    await store.forget_run("nobody")
    assert not await store.is_forgotten("nobody") and not await store.is_forgotten(run.run_id)
    await store.forget_run(run.run_id)
    await store.forget_run(run.run_id)
    assert await store.is_forgotten(run.run_id)
    assert await store.load_run(run.run_id) is None
    assert ((await store.overview()).runs, await store.unrequested(), await store.answers_to(task_id)) == ([], [], [])
    # What is still on its way for it changes nothing.
    await store.save_run(run, [task_id])
    assert await store.save_solution(run.run_id, task_id, SOLUTION) == SOLUTION
    assert not await store.save_verdict(run.run_id, task_id, SOLUTION.solution_id, VERDICT)
    assert await store.find_run(run.run_id) is None


async def test_a_halt_is_noted_and_lifted(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    await store.set_halted(run.run_id, "no money")
    assert [one.halted for one in await store.halted_runs()] == ["no money"]
    await store.set_halted(run.run_id, "")
    assert await store.halted_runs() == []


async def test_counts_leave_out_what_is_retracted(store, tasks, run):
    assert await store.counts() == Counts()
    for task in tasks:
        await store.save_task(task)
    await store.save_run(run, [task.task_id for task in tasks])
    for task in tasks[:2]:
        await store.save_solution(run.run_id, task.task_id, SOLUTION)
    await store.save_verdict(run.run_id, tasks[0].task_id, "s1", VERDICT)
    assert await store.counts() == Counts(3, 0, 1, 3, 2, 1)
    await store.retract_task(tasks[0].task_id, "wrong")
    assert await store.counts() == Counts(3, 1, 1, 2, 1, 0)


async def test_whatever_a_model_says_can_be_stored(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    odd = replace(SOLUTION, code="a\x00b", detail="\ud800", steps=({"answer": "\x00\udfff"},))
    kept = await store.save_solution(run.run_id, tasks[0].task_id, odd)
    assert kept.solution_id == "s1"
    verdict = replace(VERDICT, detail="got '\x00'", failures=((0, "wrong_output", "\x00"),))
    assert await store.save_verdict(run.run_id, tasks[0].task_id, "s1", verdict)


@pytest.mark.real
async def test_the_migrations_make_the_declared_tables(postgres):
    database = Database(postgres, "evaluator", MIGRATIONS)
    try:
        await database.migrate()

        def columns(connection: sa.Connection) -> dict[str, dict[str, bool]]:
            inspector = sa.inspect(connection)
            return {
                table: {column["name"]: column["nullable"] for column in inspector.get_columns(table, "evaluator")}
                for table in METADATA.tables
            }

        async with database.engine.connect() as connection:
            made = await connection.run_sync(columns)
    finally:
        await database.close()
    declared = {
        table.name: {column.name: bool(column.nullable) for column in table.columns}
        for table in METADATA.tables.values()
    }
    assert made == declared


async def test_what_ended_as_infrastructure_can_be_asked_for_again_and_nothing_else(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    await store.save_run(run, [task.task_id for task in tasks])
    ended = replace(SOLUTION, solution_id="s2", code="", outcome=Outcome.INFRASTRUCTURE, detail="endpoint away")
    await store.mark_requested(run.run_id, [(task.task_id, 0) for task in tasks])
    for task, solution, verdict in ((tasks[0], SOLUTION, VERDICT), (tasks[1], ended, Verdict(Outcome.INFRASTRUCTURE))):
        await store.save_solution(run.run_id, task.task_id, solution)
        assert await store.save_verdict(run.run_id, task.task_id, solution.solution_id, verdict)
    await store.reopen(run.run_id)
    assert (await store.find_attempt(run.run_id, tasks[0].task_id)).verdict == VERDICT
    again = await store.find_attempt(run.run_id, tasks[1].task_id)
    assert (again.solution, again.verdict, (await store.find_run(run.run_id)).askings) == (None, None, 1)
    # Whoever takes it up may end before it asks: the sweep does then.
    assert [place[1:] for place in await store.unrequested()] == [(tasks[1].task_id, 0)]
    assert await store.save_solution(run.run_id, tasks[1].task_id, SOLUTION) == SOLUTION


async def test_a_paused_run_counts_only_what_is_asked_for_by_name(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    held = replace(run, paused=True)
    ids = [task.task_id for task in tasks]
    await store.save_run(held, ids)
    assert (await store.find_run(run.run_id)).paused and await store.unrequested() == []
    assert await store.unasked(run.run_id) == {(task_id, 0) for task_id in ids}
    # Whoever was publishing when the pause came confirms in vain: what it published is passed over.
    await store.mark_requested(run.run_id, [(ids[0], 0)])
    assert await store.unasked(run.run_id) == {(task_id, 0) for task_id in ids}
    await store.mark_requested(run.run_id, [(ids[0], 0), (ids[1], 0)], by_name=True)
    await store.save_solution(run.run_id, ids[0], SOLUTION)
    assert await store.unasked(run.run_id) == {(ids[2], 0)}
    # A pause takes back what has no solution, and nothing else.
    await store.set_paused(run.run_id, paused=True)
    assert await store.unasked(run.run_id) == {(ids[1], 0), (ids[2], 0)}
    assert await store.unasked("nobody") == set()
    await store.set_paused(run.run_id, paused=False)
    assert not (known := await store.find_run(run.run_id)).paused and known.askings == 1
    assert [(task_id, sample) for _, task_id, sample in await store.unrequested()] == sorted([(ids[1], 0), (ids[2], 0)])


async def test_changes_of_a_run_are_numbered_and_kept_until_they_are_told(store, tasks, run):
    await store.save_task(tasks[0])
    await store.save_run(run, [tasks[0].task_id])
    place = Touched(tasks[0].task_id, 0)
    await store.set_withdrawn(run.run_id, "asked wrongly ü")
    await store.set_withdrawn(run.run_id, "asked wrongly ü")
    await store.set_paused(run.run_id, paused=True)
    await store.set_paused(run.run_id, paused=True)
    await store.set_paused(run.run_id, paused=False)
    await store.set_paused(run.run_id, paused=False)
    assert await store.end_answers(run.run_id) == 1 and await store.end_answers(run.run_id) == 0
    noted = [
        RunChange(run.run_id, 1, "withdrawn", "asked wrongly ü"),
        RunChange(run.run_id, 2, "paused", answers=(place,)),
        RunChange(run.run_id, 3, "resumed"),
        RunChange(run.run_id, 4, "cancelled", answers=(place,)),
    ]
    assert await store.unpublished_changes() == await store.unpublished_changes(run.run_id) == noted
    assert await store.unpublished_changes("nobody") == []
    await store.mark_published(noted[:3])
    assert await store.unpublished_changes() == noted[3:]
    assert (await store.find_run(run.run_id)).changed == 4
    # Of a run that is removed nothing else is told.
    await store.forget_run(run.run_id)
    assert await store.unpublished_changes() == [RunChange(run.run_id, 5, "deleted")]


async def test_what_is_known_of_a_run_ahead_of_it_holds_when_it_comes(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    ids = [task.task_id for task in tasks]
    answered, unanswered = Touched(ids[0], 0, answered=True), Touched(ids[1], 0)
    for change in (
        RunChange(run.run_id, 4, "of a later version"),
        RunChange(run.run_id, 3, "cancelled", answers=(answered, unanswered)),
        RunChange(run.run_id, 2, "withdrawn", "asked wrongly"),
        RunChange(run.run_id, 1, "restored"),
    ):
        await store.learn_change(change)
        await store.learn_change(change)
    assert await store.find_run(run.run_id) is None and await store.unpublished_changes() == []
    await store.save_run(run, ids)
    known = await store.load_run(run.run_id)
    assert (known.withdrawn, known.changed) == ("asked wrongly", 4)
    by_id = {attempt.task.task_id: attempt for attempt in known.attempts}
    assert by_id[ids[1]].verdict == Verdict(Outcome.INFRASTRUCTURE, tasks[1].cases, detail=CANCELLED)
    # What was answered when it was cancelled keeps what it took, and no verdict counts for it.
    assert by_id[ids[0]].verdict is None and by_id[ids[2]].verdict is None
    await store.save_verdict(run.run_id, ids[0], SOLUTION.solution_id, VERDICT)
    await store.save_solution(run.run_id, ids[0], SOLUTION)
    await store.save_verdict(run.run_id, ids[0], SOLUTION.solution_id, replace(VERDICT, judging=1))
    ended = await store.find_attempt(run.run_id, ids[0])
    assert ended.solution == SOLUTION and ended.verdict.detail == CANCELLED
    # Taken up again, it is asked for again; the answer finds its verdict.
    await store.learn_change(RunChange(run.run_id, 5, "resumed"))
    assert [task_id for _, task_id, _ in await store.unrequested()] == sorted(ids)
    await store.save_solution(run.run_id, ids[0], SOLUTION)
    assert (await store.find_attempt(run.run_id, ids[0])).verdict == replace(VERDICT, judging=1)
    await store.learn_change(RunChange(run.run_id, 1, "deleted"))
    assert await store.is_forgotten(run.run_id) and await store.load_run(run.run_id) is None


async def test_a_pause_holds_what_was_asked_for_before_it_and_nothing_else(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    first, second, third = ids = [task.task_id for task in tasks]
    await store.save_run(run, ids)
    for task_id in ids:
        await store.note_asked(run.run_id, (task_id, 0), 0)
    assert await store.unasked(run.run_id) == set()
    await store.save_solution(run.run_id, first, SOLUTION)
    await store.save_solution(run.run_id, second, replace(SOLUTION, solution_id="s2"))
    # As it was elsewhere: the first was answered before, the second was not.
    await store.learn_change(RunChange(run.run_id, 1, "paused", answers=(Touched(second, 0), Touched(third, 0))))
    assert await store.unasked(run.run_id) == {(second, 0), (third, 0)}
    assert (await store.find_attempt(run.run_id, second)).solution is None
    assert (await store.find_attempt(run.run_id, first)).solution == SOLUTION
    await store.note_asked(run.run_id, (second, 0), 0)
    await store.note_asked(run.run_id, (third, 0), 1)
    assert await store.unasked(run.run_id) == {(second, 0)}


async def test_verdicts_have_versions_and_may_overtake_their_solution(store, tasks, run):
    for task in tasks:
        await store.save_task(task)
    first, second = tasks[0].task_id, tasks[1].task_id
    newer = replace(VERDICT, outcome=Outcome.PASSED, passed=50, judging=1, note="mended ü")
    await store.save_run(run, [first, second])
    await store.save_solution(run.run_id, first, SOLUTION)
    for verdict in (newer, VERDICT, replace(newer, outcome=Outcome.RAISED)):
        assert await store.save_verdict(run.run_id, first, "s1", verdict)
    assert (await store.find_attempt(run.run_id, first)).verdict == newer
    assert await store.verdicts_on(run.run_id, first, "s1") == [VERDICT, newer]
    (change,) = await store.rejudged()
    where = change.run_id, change.task_id, change.entry_point, change.sample
    assert where == (run.run_id, first, tasks[0].entry_point, 0)
    assert (change.before, change.after) == (VERDICT, newer)
    assert await store.save_verdict(run.run_id, first, "s1", latest := replace(newer, judging=2, note="once more"))
    assert [(each.before, each.after) for each in await store.rejudged()] == [(VERDICT, newer), (newer, latest)]
    # Ahead of its solution, as in a replay.
    early = replace(SOLUTION, solution_id="s9")
    for verdict in (VERDICT, newer):
        assert not await store.save_verdict(run.run_id, second, "s9", verdict)
    await store.save_solution(run.run_id, second, early)
    assert (await store.find_attempt(run.run_id, second)).verdict == newer
    assert [each.after.judging for each in await store.rejudged() if each.task_id == second] == [1]
    await store.forget_run(run.run_id)
    assert not await store.save_verdict(run.run_id, first, "s1", VERDICT)
    assert await store.verdicts_on(run.run_id, first, "s1") == [] and await store.rejudged() == []


async def test_what_ended_without_its_model_leaves_no_verdict_behind(store, tasks, run):
    await store.save_task(tasks[0])
    place = run.run_id, tasks[0].task_id
    await store.save_run(run, [tasks[0].task_id])
    await store.save_solution(*place, SOLUTION)
    await store.save_verdict(*place, "s1", Verdict(Outcome.INFRASTRUCTURE))
    await store.reopen(run.run_id)
    # The same answer comes again and waits for a verdict of its own.
    await store.save_solution(*place, SOLUTION)
    assert (await store.find_attempt(*place)).verdict is None
