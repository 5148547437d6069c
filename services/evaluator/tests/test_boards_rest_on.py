"""What a board's figures rest on: which test a pair gets, what a repository is, and which rows a retraction changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluator.adapters.messages import to_board_row, to_change, to_row, to_run, to_summary
from evaluator.domain.board import build_board
from evaluator.domain.comparing_models import mcnemar
from evaluator.domain.outcomes import CANCELLED, Outcome
from evaluator.domain.profile import build_profile
from evaluator.domain.results import Cell, RunResults, Scope
from evaluator.domain.specification import TaskSet, task_set
from evaluator.domain.tasks import Attempt, Effort, Solution, Verdict
from evaluator.usecases.boards import Boards
from evaluator.usecases.deciding import advance, compared
from evaluator.usecases.rejudging import judge_again
from evaluator.usecases.run_pages import run_page
from evaluator.usecases.tasks import retract_task


@pytest.fixture
def two(run, facts):
    """A board of two runs; a letter an answer: "p" passed, "w" wrong, "l" lost, "c" cancelled."""

    def of(tasks, first, second, **spec):
        scope = Scope("d", "release", "2026-06", frozenset(each.task_id for each in tasks))
        ended = {"p": "passed", "w": "wrong_output", "l": "infrastructure", "c": "infrastructure"}
        results = []
        for name, texts in (("a", first), ("b", second)):
            cells = {
                each.task_id: tuple(Cell(ended[one], False, 0, 0, 0.0, 0.0, 0.0, cancelled=one == "c") for one in text)
                for each, text in zip(tasks, texts, strict=True)
            }
            said = {"samples": len(texts[0]), "temperature": 0.8} | spec
            results.append(RunResults(run(run_id=name, model=name, **said), cells))
        known = {each.task_id: facts(each) for each in tasks}
        mode = "greedy" if spec.get("temperature") == 0.0 else "sampled"
        return build_board(scope, "python", mode, known, frozenset(), results), known, results

    return of


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_where_each_task_has_one_answer_the_exact_test_counts_at_whatever_temperature(two, task, temperature):
    tasks = [task(n, source=f"p{n % 20}") for n in range(1, 41)]
    (pair,) = two(tasks, ["w"] * 40, ["p"] * 5 + ["w"] * 35, temperature=temperature)[0].pairs
    assert (pair.only_a, pair.only_b) == (0, 5) and pair.p >= mcnemar(0, 5) == 0.0625 and not pair.decided


def test_where_tasks_have_several_answers_the_clustered_comparison_alone_counts(two, task):
    tasks = [task(n, source=f"p{n % 20}") for n in range(1, 41)]
    few, more = ["ww"] * 40, ["pw"] * 5 + ["ww"] * 35
    (pair,) = two(tasks, few, more)[0].pairs
    assert (pair.only_a, pair.only_b) == (0, 5) and pair.p < mcnemar(0, 5)
    (mixed,) = two(tasks, ["w"] * 40, more)[0].pairs
    assert mixed.p == pair.p


def test_the_tasks_of_a_set_that_was_imported_are_no_one_repository(two, task):
    ours = [task(n, source=f"p{n % 2}", wording="described") for n in range(1, 7)]
    theirs = [
        task(n, source="HumanEval+", version="0.1", imported="HumanEval+ 0.1", wording="described")
        for n in range(101, 141)
    ]
    good, bad = ["p"] * 46, ["p"] * 6 + ["p", "w"] * 20
    board, known, results = two([*ours, *theirs], good, bad, temperature=0.0)
    assert board.repositories == 2 + 40 and board.pairs[0].decided
    assert all(row.share.low > 0.0 for row in board.rows)
    profile = build_profile(results[1], frozenset(known), known, frozenset())
    assert profile.rows[0][1].share == board.rows[1].share
    # How the set was answered is still told by its name.
    assert {group for dimension, group, _ in profile.slices if dimension == "source"} == {"p0", "p1", "HumanEval+"}


async def test_a_comparison_asks_an_imported_set_task_by_task(store, announcer, task, run):
    tasks = [task(n, source="HumanEval+", imported="HumanEval+ 0.1", wording="described") for n in range(1, 5)]
    for each in tasks:
        await store.save_task(each)
    ids = [each.task_id for each in tasks]
    for name in "ab":
        one = run(run_id=name * 32, model=name, tasks=task_set("release", "h", ids, "e" * 64))
        await store.save_run(replace(one, paused=True), ids)
    assert (await compared(store, "a" * 32, "b" * 32)).repositories == 4
    _, _, asked = await advance(store, announcer, "a" * 32, "b" * 32, 0.01)
    assert asked == 2


async def test_a_row_that_a_retraction_takes_off_its_board_is_among_what_it_changed(store, lists, task, run):
    for number in (1, 2):
        await store.save_task(task(number))
    ids = [task(number).task_id for number in (1, 2)]
    tasks = TaskSet(await lists.put(ids), "release", "2026-06", 2, release="d" * 64)
    for name, some in (("a", ids), ("b", ids[:1])):
        one = run(run_id=name * 32, model=name, tasks=tasks)
        await store.save_run(one, some)
        for task_id in some:
            await store.save_solution(one.run_id, task_id, Solution(f"{name}{task_id}", "x", Effort()))
            await store.save_verdict(one.run_id, task_id, f"{name}{task_id}", Verdict(Outcome.PASSED, 5, 5))
    await retract_task(store, ids[0], "wrong")
    _, found = await Boards(store, lists).effect(ids[0])
    told = {each.model: (each.before.judged, each.after.judged, each.after.tasks) for each in map(to_change, found)}
    assert told == {"a": (2, 1, 1), "b": (1, 0, 0)}


def test_a_run_counts_one_thing_whether_its_answers_are_at_hand_or_not(task, run):
    one, attempts, cells = run(model="big@api.example"), [], {}
    for number, cost in ((1, 0.0), (2, 0.04), (3, 0.04)):
        solution = Solution(f"{number}" * 32, "x", Effort(1000, 1000, 1.0, cost, 1))
        said = Verdict(Outcome.PASSED, 3, 3)
        attempts.append(Attempt(task(number), solution, said, retracted="wrong" if number == 3 else ""))
        cells[task(number).task_id] = (Cell("passed", False, 1000, 1000, 1.0, cost, 0.0),)
    whole = to_run(replace(one, attempts=tuple(attempts))).summary
    assert whole == to_summary(RunResults(one, cells), frozenset({task(3).task_id}))
    assert (whole.unpriced, whole.cost_usd, whole.answers) == (1, 0.04, 2)


async def test_a_failure_that_is_called_as_a_cancelled_answer_is_judged_again(house, store, announcer):
    made = house(answer=lambda values: f"```python\ndef {values['entry_point']}(x): return x\n```")
    await made.tasks(1, 2)
    run = await made.start()
    for attempt, outcome in zip(run.attempts, (Outcome.RAISED, Outcome.INFRASTRUCTURE), strict=True):
        found = await made.solve(run, attempt.task.task_id)
        said = Verdict(outcome, 50, 0, detail=CANCELLED)
        await store.save_verdict(run.run_id, found.task.task_id, found.solution.solution_id, said)
    announcer.judgings.clear()
    summary = to_run(await store.load_run(run.run_id)).summary
    assert (summary.infrastructure, summary.cancelled) == (1, 1)
    assert await judge_again(store, announcer, run.run_id, "", "mended") == 1
    assert [each[0] for each in announcer.judgings] == [run.attempts[0].task.task_id]


def test_rows_of_boards_tell_what_a_person_cancelled_apart_from_what_was_lost(two, task):
    board = two([task(n) for n in range(1, 5)], ["p", "l", "c", "c"], ["p"] * 4)[0]
    (row,) = (row for row in board.rows if row.run.run_id == "a")
    of_board, of_list = to_board_row(row), to_row(board, row)
    assert (of_board.run.infrastructure, of_board.run.cancelled) == (3, 2)
    assert (of_list.infrastructure, of_list.cancelled, of_list.pending) == (3, 2, 0)


async def test_near_misses_of_tasks_that_were_taken_back_are_counted_by_no_page(house, store, lists):
    made = house(answer=lambda values: f"```python\ndef {values['entry_point']}(x): return x\n```")
    await made.tasks(1, 2)
    run = await made.start()
    for attempt in run.attempts:
        found = await made.solve(run, attempt.task.task_id)
        said = Verdict(Outcome.WRONG_OUTPUT, 100, 99)
        await store.save_verdict(run.run_id, found.task.task_id, found.solution.solution_id, said)
    await retract_task(store, run.attempts[0].task.task_id, "wrong")
    boards = Boards(store, lists)
    page = await run_page(store, boards, run.run_id, outcome="near_miss", most=9)
    (row,) = (await boards.board())[0].rows
    assert page.near_misses == page.total == len(page.attempts) == row.near_misses == 1
