"""The board: coverage, bounds, ranks, ties, what counts nowhere; and the statistics under it."""

from __future__ import annotations

import hashlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evaluator.adapters.messages import BoardAnswers, to_row
from evaluator.domain.board import build_board
from evaluator.domain.clustered import difference_intervals, share_interval
from evaluator.domain.comparing_models import holm, mcnemar, rank_sets
from evaluator.domain.outcomes import Outcome
from evaluator.domain.passing import pass_at_k
from evaluator.domain.profile import build_profile
from evaluator.domain.results import Cell, RunResults, Scope
from evaluator.domain.specification import TaskSet, ids_text
from evaluator.domain.tasks import Effort, Solution, Verdict
from evaluator.errors import UnknownScopeError, UnknownTaskError
from evaluator.usecases.boards import Boards
from evaluator.usecases.tasks import retract_task

PASS, FAIL, GONE = "passed", "wrong_output", "infrastructure"


def cell(outcome: str) -> Cell:
    return Cell(outcome, False, 10, 5, 0.5, 0.01, 0.25)


@pytest.fixture
def board_of(task, run, facts):
    """A board of so many tasks over so many packages; a row is a name and one outcome (or several) a task."""

    def make(rows, *, packages=4, samples=1, retracted=frozenset(), withdrawn=(), kinds=("SC",)):
        size = max(len(outcomes) for outcomes in rows.values())
        tasks = [task(n, source=f"p{n % packages}", kind=kinds[n % len(kinds)]) for n in range(1, size + 1)]
        scope = Scope("d", "release", "2026-06", frozenset(each.task_id for each in tasks))
        results = []
        for name, outcomes in rows.items():
            one = run(
                run_id=name,
                model=name,
                tasks=TaskSet("x", "release", "2026-06", size, "d"),
                samples=samples,
                temperature=0.0 if samples == 1 else 0.8,
                withdrawn="asked wrongly" if name in withdrawn else "",
            )
            answers = [outcome if isinstance(outcome, tuple) else (outcome,) for outcome in outcomes]
            cells = {
                each.task_id: tuple(cell(outcome) for outcome in given)
                for each, given in zip(tasks, answers, strict=False)
            }
            results.append(RunResults(one, cells))
        known = {each.task_id: facts(each) for each in tasks}
        gone = frozenset(tasks[number].task_id for number in retracted)
        return build_board(scope, "python", "greedy" if samples == 1 else "sampled", known, gone, results)

    return make


def ranks(board):
    return {row.run.run_id: row.rank for row in board.rows}


def test_one_task_of_one_does_not_stand_before_half_of_a_thousand(board_of):
    board = board_of({"lucky": [PASS], "half": [PASS, FAIL] * 20})
    assert [row.run.run_id for row in board.rows] == ["half", "lucky"]
    assert ranks(board) == {"half": (1, 1), "lucky": None}
    lucky = board.rows[1]
    assert (lucky.share.value, lucky.least, lucky.most) == (1.0, 1 / 40, 1.0)
    assert (lucky.judged_tasks, lucky.tasks) == (1, 40)


def test_a_row_of_the_leaderboard_counts_tasks_as_tasks_and_answers_as_answers(board_of):
    board = board_of({"a": [(PASS, PASS), (PASS, FAIL), (FAIL, GONE)]}, samples=2)
    row = to_row(board, board.rows[0])
    assert (row.pass_at_1.passed, row.pass_at_1.total) == (3, 5)
    assert (row.solved, row.judged, row.tasks) == (1.5, 2, 3)


def test_a_fault_of_the_endpoint_is_missing_and_not_wrong(board_of):
    board = board_of({"a": [PASS] * 9 + [GONE], "b": [PASS] * 9 + [""]})
    for row in board.rows:
        assert (row.judged_tasks, row.share.value, row.least, row.most) == (9, 1.0, 0.9, 1.0)
        assert row.rank is None
    assert {row.run.run_id: row.infrastructure for row in board.rows} == {"a": 1, "b": 0}


def test_models_that_the_data_do_not_tell_apart_are_tied(board_of):
    rng = np.random.default_rng(5)
    near = [PASS if x < 0.5 else FAIL for x in rng.random(120)]
    same = [PASS if x < 0.5 else FAIL for x in rng.random(120)]
    board = board_of({"best": [PASS] * 120, "near": near, "same": same, "none": [FAIL] * 120}, packages=30)
    assert ranks(board) == {"best": (1, 1), "near": (2, 3), "same": (2, 3), "none": (4, 4)}
    assert sum(not pair.decided for pair in board.pairs) == 1


def test_of_one_repository_nothing_is_decided(board_of):
    board = board_of({"best": [PASS] * 60, "none": [FAIL] * 60}, packages=1)
    assert ranks(board) == {"best": (1, 2), "none": (1, 2)}
    assert [(row.share.low, row.share.high) for row in board.rows] == [(0.0, 1.0)] * 2


def test_retracted_tasks_and_withdrawn_runs_count_nowhere(board_of):
    rows = {"a": [FAIL, PASS, PASS, PASS], "b": [PASS] * 4}
    board = board_of(rows, retracted=(0,), withdrawn=("b",))
    (row,) = board.rows
    assert (row.run.run_id, row.tasks, row.share.value, board.retracted) == ("a", 3, 1.0, 1)


def of_both_kinds(task, run, facts, rows, *, samples=1):
    """Facts of tasks, the first half of them described, and results; a row is a name and an outcome a task."""
    size = len(next(iter(rows.values())))
    tasks = [
        task(n + 1, source=f"p{n % 20}", wording="described" if n < size // 2 else "by_example") for n in range(size)
    ]
    scope = Scope("d", "release", "2026-06", frozenset(each.task_id for each in tasks))
    results = []
    for name, outcomes in rows.items():
        one = run(run_id=name, model=name, tasks=TaskSet("x", "release", "2026-06", size, "d"))
        cells = {each.task_id: (cell(said),) for each, said in zip(tasks, outcomes, strict=True) if said != "none"}
        results.append(RunResults(one, cells))
    return scope, {each.task_id: facts(each) for each in tasks}, results


def test_who_is_strong_by_example_gains_no_rank_on_the_board_of_the_described(task, run, facts):
    rows = {"reads": [PASS] * 60 + [FAIL] * 60, "guesses": [FAIL] * 60 + [PASS] * 60}
    scope, known, results = of_both_kinds(task, run, facts, rows)
    board = build_board(scope, "python", "greedy", known, frozenset(), results)
    assert (board.wording, board.tasks, board.elsewhere) == ("described", 60, 60)
    assert ranks(board) == {"reads": (1, 1), "guesses": (2, 2)}
    assert {row.run.run_id: (row.share.value, row.tasks, row.passed) for row in board.rows} == {
        "reads": (1.0, 60, 60),
        "guesses": (0.0, 60, 0),
    }
    (pair,) = board.pairs
    assert sorted((pair.only_a, pair.only_b)) == [0, 60]
    other = build_board(scope, "python", "greedy", known, frozenset(), results, "by_example")
    assert ranks(other) == {"reads": (2, 2), "guesses": (1, 1)}
    half = {"all": [PASS] * 120, "some": [PASS] * 60 + [""] * 60}
    scope, known, results = of_both_kinds(task, run, facts, half)
    board = build_board(scope, "python", "greedy", known, frozenset(), results)
    # What is missing by example keeps nobody from a rank among the described.
    assert {row.run.run_id: row.judged_tasks == row.tasks for row in board.rows} == {"all": True, "some": True}


def test_tasks_of_which_nobody_told_are_by_example_and_a_run_without_a_task_of_a_board_is_no_row_of_it(
    task, run, facts, board_of
):
    assert board_of({"m": [PASS, FAIL]}).wording == "by_example"
    rows = {"whole": [PASS] * 4, "examples": ["none"] * 2 + [PASS] * 2}
    scope, known, results = of_both_kinds(task, run, facts, rows)
    board = build_board(scope, "python", "greedy", known, frozenset(), results)
    assert [row.run.run_id for row in board.rows] == ["whole"]
    other = build_board(scope, "python", "greedy", known, frozenset(), results, "by_example")
    assert {row.run.run_id for row in other.rows} == {"whole", "examples"}


def test_a_run_that_was_cancelled_as_a_whole_is_no_row(task, run, facts):
    scope, known, (kept, gone) = of_both_kinds(task, run, facts, {"m": [PASS] * 4, "gone": [GONE] * 4})
    ended = {task_id: (cells[0]._replace(cancelled=True),) for task_id, cells in gone.cells.items()}
    whole = RunResults(gone.run, ended)
    board = build_board(scope, "python", "greedy", known, frozenset(), [kept, whole])
    assert [row.run.run_id for row in board.rows] == ["m"]
    # One answer that was judged, or lost to an endpoint, is a row.
    some = RunResults(gone.run, {**ended, min(ended): gone.cells[min(ended)]})
    board = build_board(scope, "python", "greedy", known, frozenset(), [kept, some])
    assert [row.run.run_id for row in board.rows] == ["m", "gone"]


def test_a_profile_rests_on_the_described_tasks_and_shows_both_kinds_apart(task, run, facts):
    _, known, (results,) = of_both_kinds(task, run, facts, {"m": [PASS, PASS, FAIL, FAIL]})
    profile = build_profile(results, frozenset(known), known, frozenset())
    assert (profile.wording, {name: row.share.value for name, row in profile.rows}) == (
        "described",
        {"described": 1.0, "by_example": 0.0},
    )
    assert [share.hits for dimension, _, share in profile.slices if dimension == "kind"] == [2]
    other = build_profile(results, frozenset(known), known, frozenset(), wording="by_example")
    assert [share.hits for dimension, _, share in other.slices if dimension == "kind"] == [0]


def test_samples_are_counted_by_the_unbiased_estimate(board_of):
    board = board_of({"m": [(PASS, FAIL, FAIL, PASS), (FAIL,) * 4, (PASS,) * 4, (PASS, FAIL, FAIL)]}, samples=4)
    (row,) = board.rows
    # The last task lacks an answer: it is missing, and so is the rank.
    assert (row.judged_tasks, row.tasks, row.rank) == (3, 4, None)
    assert row.share.value == pytest.approx((0.5 + 0 + 1) / 3)
    values = {k: interval.value for k, interval in row.pass_at}
    assert values[1] == pytest.approx(row.share.value)
    assert values[4] == pytest.approx((1 + 0 + 1) / 3)


def test_a_board_stands_where_one_of_a_hundred_answers_is_all_but_sure_to_pass(board_of):
    (row,) = board_of({"m": [(PASS,) * 44 + (FAIL,) * 156, *[(PASS,) * 200] * 4]}, samples=200).rows
    found = dict(row.pass_at)[100]
    assert found.value == pytest.approx(1.0) and found.low < 0.7


def test_the_same_verdicts_give_the_same_bytes_in_whatever_order(board_of):
    rng = np.random.default_rng(2)
    rows = {f"m{n}": [PASS if x < 0.2 * n else FAIL for x in rng.random(50)] for n in range(1, 5)}
    board, again = board_of(rows, packages=7), board_of(dict(reversed(rows.items())), packages=7)
    assert BoardAnswers().answer(board, [], []).SerializeToString(deterministic=True) == BoardAnswers().answer(
        again, [], []
    ).SerializeToString(deterministic=True)
    other = board_of({**rows, "m1": [PASS] * 50}, packages=7)
    assert BoardAnswers().answer(board, [], []).digest != BoardAnswers().answer(other, [], []).digest


def test_slices_count_answers_by_kind(board_of):
    (row,) = board_of({"m": [PASS, FAIL, PASS, PASS]}, kinds=("SC", "WSC")).rows
    assert [(name, share.hits, share.total) for name, share in row.by_kind] == [("SC", 1, 2), ("WSC", 2, 2)]


async def test_a_set_is_called_by_how_it_was_chosen_though_another_run_names_its_tasks(store, lists, task, run):
    for number in (1, 2):
        await store.save_task(task(number))
    ids = [task(number).task_id for number in (1, 2)]
    digest = await lists.put(ids)
    ways = (
        ("named", "tasks chosen by name"),
        ("sample", "2 of all tasks, sample 0"),
        ("named", "tasks chosen by name"),
    )
    for model, (kind, name) in zip("abc", ways, strict=True):
        await store.save_run(run(run_id=model * 32, tasks=TaskSet(digest, kind, name, 2)), ids)
        _, (scope,), _ = await Boards(store, lists).board()
        assert (scope.kind, scope.name) == (("named", "tasks chosen by name") if model == "a" else ways[1])


async def test_boards_are_read_again_only_where_something_changed(store, lists, task, run):
    for number in (1, 2):
        await store.save_task(task(number))
    ids = [task(number).task_id for number in (1, 2)]
    digest = await lists.put(ids)
    one = run(tasks=TaskSet(digest, "named", "two", 2))
    await store.save_run(one, ids)
    boards = Boards(store, lists)
    first, scopes, _ = await boards.board()
    assert [(scope.name, len(scope.task_ids)) for scope in scopes] == [("two", 2)]
    assert (await boards.board("two"))[0] is first
    await retract_task(store, ids[0], "wrong")
    second = (await boards.board(digest[:6]))[0]
    assert (second.tasks, second.retracted) == (1, 1)
    # What a row says of its run is part of it, though no answer changed.
    for change in (
        store.set_paused(one.run_id, paused=True),
        store.set_halted(one.run_id, "away"),
        store.set_paused(one.run_id, paused=False),
    ):
        await change
        (row,) = (await boards.board("two"))[0].rows
        assert row.run == await store.find_run(one.run_id)
    with pytest.raises(UnknownScopeError, match="known are: two"):
        await boards.board("three")
    with pytest.raises(UnknownScopeError, match="greedy or sampled"):
        await boards.board("two", mode="best")


async def test_a_retraction_shows_what_it_changed(store, lists, task, run):
    ids = []
    for number in range(1, 5):
        await store.save_task(task(number, source=f"p{number}"))
        ids.append(task(number).task_id)
    digest = await lists.put(ids)
    outcomes = {"a": [FAIL, PASS, PASS, PASS], "b": [PASS] * 4, "gone": [FAIL] * 4}
    for name, ends in outcomes.items():
        one = run(run_id=name * 4, model=name, tasks=TaskSet(digest, "named", "four", 4))
        await store.save_run(one, ids)
        for task_id, end in zip(ids, ends, strict=True):
            await store.save_solution(one.run_id, task_id, Solution(f"{name}{task_id}", "code", Effort()))
            verdict = Verdict(Outcome(end), cases=5, passed=0)
            assert await store.save_verdict(one.run_id, task_id, f"{name}{task_id}", verdict)
    await store.set_withdrawn("gone" * 4, "asked wrongly")
    for task_id in (ids[0], ids[1]):
        await retract_task(store, task_id, f"wrong {task_id[:4]}")
    boards = Boards(store, lists)
    first, found = await boards.effect(ids[0][:4])
    assert first.note == "wrong 0001"
    # b solved it as it solved the rest; what it stands on is one task fewer.
    shares = {change.after.run.run_id[0]: (change.before.share.value, change.after.share.value) for change in found}
    assert shares["a"] == (pytest.approx(2 / 3), 1.0) and "g" not in shares
    assert all(change.before.tasks == 3 and change.after.tasks == 2 for change in found)
    _, other = await boards.effect(ids[1])
    assert {change.after.run.run_id[0]: change.before.share.value for change in other}["a"] == 1.0
    for wrong in ("", "0", ids[2]):
        with pytest.raises(UnknownTaskError):
            await boards.effect(wrong)


async def test_tasks_that_have_not_come_are_missing_and_nothing_is_ranked_before_they_do(store, lists, task, run):
    tasks = [task(n, source=f"p{n % 12}", wording="described" if n % 10 else "by_example") for n in range(1, 41)]
    ids = [each.task_id for each in tasks]
    digest = await lists.put(ids)
    boards = Boards(store, lists)

    async def met(some):
        for each in some:
            await store.save_task(each)
            for name in "ab":
                one = run(run_id=name * 32, model=name, tasks=TaskSet(digest, "named", "forty", 40))
                await store.save_run(one, [each.task_id])
                await store.save_solution(one.run_id, each.task_id, Solution(f"{name}{each.task_id}", "", Effort()))
                ended = Verdict(Outcome.PASSED if name == "a" else Outcome.WRONG_OUTPUT, 5, 5)
                await store.save_verdict(one.run_id, each.task_id, f"{name}{each.task_id}", ended)

    await met(tasks[:15])
    board = (await boards.board())[0]
    # One of the fifteen is told by example; any of the other twenty-five may be described.
    assert (board.wording, board.tasks, board.elsewhere, board.pairs) == ("described", 39, 1, ())
    assert [(row.run.spec.model, row.judged_tasks, row.tasks, row.rank) for row in board.rows] == [
        ("a", 14, 39, None),
        ("b", 14, 39, None),
    ]
    assert [(row.least, row.most) for row in board.rows] == [(14 / 39, 1.0), (0.0, 25 / 39)]
    assert [row.tasks for _, row in (await boards.profile("a" * 32, lambda *_: "")).rows] == [39, 26]
    (across,) = (await boards.languages())[0].columns
    assert across.tasks == 39 and not any(row.whole for row in (await boards.languages())[0].rows)
    # What was taken back before it came counts nowhere.
    await retract_task(store, ids[-1], "wrong")
    assert (await boards.board())[0].tasks == 38
    await met(tasks[15:])
    board = (await boards.board())[0]
    assert (board.tasks, ranks(board)) == (36, {"a" * 32: (1, 1), "b" * 32: (2, 2)})


async def test_a_list_that_comes_later_is_taken_and_without_one_nothing_is_ranked(store, lists, task, run):
    for number in (1, 2):
        await store.save_task(task(number))
    ids = [task(number).task_id for number in range(1, 5)]
    digest = hashlib.sha256(ids_text(ids)).hexdigest()
    one = run(tasks=TaskSet(digest, "named", "four", 4))
    await store.save_run(one, ids[:2])
    for task_id in ids[:2]:
        await store.save_solution(one.run_id, task_id, Solution(task_id, "code", Effort()))
        await store.save_verdict(one.run_id, task_id, task_id, Verdict(Outcome.PASSED, 5, 5))
    boards = Boards(store, lists)
    for there in (False, True):
        if there:
            assert await lists.put(ids) == digest
        (row,) = (await boards.board())[0].rows
        assert (row.rank, row.judged_tasks, row.tasks, row.least, row.most) == (None, 2, 4, 0.5, 1.0)
        assert [row.tasks for _, row in (await boards.profile(one.run_id, lambda *_: "")).rows] == [4]
    # A run of before there were sets grew while it ran: what it met is all of it.
    await store.forget_run(one.run_id)
    await store.save_run(run(run_id="b" * 32, tasks=TaskSet()), ids[:2])
    assert [row.tasks for row in (await boards.board())[0].rows] == [2]


async def test_without_runs_the_board_is_empty(store, lists):
    board, scopes, runs = await Boards(store, lists).board()
    assert (board.rows, scopes, runs) == ((), [], [])


def test_a_profile_slices_by_every_dimension(task, run, facts):
    tasks = [task(n, source=f"p{n}", licence="MIT", complexity=n, form="function") for n in (1, 2, 3)]
    results = RunResults(run(), {each.task_id: (cell(PASS if n else FAIL),) for n, each in enumerate(tasks)})
    known = {each.task_id: facts(each) for each in tasks}
    profile = build_profile(results, frozenset(known), known, frozenset({tasks[2].task_id}))
    counted = {(dimension, group): (share.hits, share.total) for dimension, group, share in profile.slices}
    assert counted["licence", "MIT"] == counted["kind", "SC"] == (1, 2)
    assert counted["source", "p2"] == counted["complexity", "2"] == (1, 1)
    assert profile.around is None


def test_a_profile_divides_the_tasks_at_the_cutoff(task, run, facts):
    dates = {1: "2024-01-01", 2: "2024-06-30", 3: "2024-07-01"}
    tasks = [task(n, source=f"p{n}", released_at=date) for n, date in dates.items()]
    results = RunResults(run(), {each.task_id: (cell(PASS),) for each in tasks})
    known = {each.task_id: facts(each) for each in tasks}
    around = build_profile(results, frozenset(known), known, frozenset({tasks[0].task_id}), "2024-06").around
    assert around is not None and (around.tasks_before, around.tasks_after) == (1, 1)


# -- the statistics ------------------------------------------------------------------------------------------------


@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_pass_at_k_is_the_published_estimator(numbers):
    n, c, k = numbers
    published = 1.0 if n - c < k else 1.0 - float(np.prod(1.0 - k / np.arange(n - c + 1, n + 1)))
    exact = 1 - Fraction(math.comb(n - c, k), math.comb(n, k))
    assert abs(pass_at_k(n, c, k) - published) <= 1e-12
    assert abs(pass_at_k(n, c, k) - float(exact)) <= 1e-12


@pytest.mark.parametrize("numbers", [(3, 4, 1), (3, -1, 1), (3, 1, 4), (3, 1, 0)])
def test_an_impossible_pass_at_k_is_refused(numbers):
    with pytest.raises(ValueError, match="no pass@"):
        pass_at_k(*numbers)


@given(st.integers(0, 600), st.integers(0, 600))
def test_mcnemar_is_the_exact_sign_test(a, b):
    expected = binomtest(a, a + b).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(expected, abs=1e-12, rel=1e-9)
    assert mcnemar(a, b) == mcnemar(b, a)


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_lies_between_the_p_value_and_bonferroni_and_keeps_the_order(values):
    held = holm(values)
    assert all(p <= h <= min(1.0, len(values) * p) + 1e-12 for p, h in zip(values, held, strict=True))
    order = sorted(range(len(values)), key=lambda at: values[at])
    assert [held[at] for at in order] == sorted(held)


@given(st.permutations(range(6)), st.data())
def test_rank_sets_hold_the_true_rank_where_every_decision_is_right(order, data):
    pairs = [(a, b) for at, a in enumerate(order) for b in order[at + 1 :]]
    decided = data.draw(st.lists(st.sampled_from(pairs), unique=True))
    sets = rank_sets(order, decided)
    for rank, name in enumerate(order, start=1):
        low, high = sets[name]
        assert low <= rank <= high
    assert rank_sets(order, pairs) == {name: (rank, rank) for rank, name in enumerate(order, start=1)}


@st.composite
def clustered(draw):
    sizes = draw(st.lists(st.integers(1, 6), min_size=1, max_size=8))
    clusters = np.repeat(np.arange(len(sizes)), sizes)
    values = draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=len(clusters), max_size=len(clusters)))
    return np.array(values), clusters


@given(clustered())
def test_an_interval_holds_its_mean_mirrors_and_does_not_hang_on_the_order(data):
    values, clusters = data
    found = share_interval(values, clusters)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert found.value == pytest.approx(values.mean())
    mirrored = share_interval(1.0 - values, clusters)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-9)
    order = np.random.default_rng(1).permutation(len(values))
    again = share_interval(values[order], clusters[order])
    assert (again.low, again.high) == pytest.approx((found.low, found.high), abs=1e-9)


@given(clustered(), clustered())
def test_a_difference_holds_its_mean_and_turns_round(data, other):
    values, clusters = data
    table = np.vstack([values, np.resize(other[0], len(values))])
    (found,), (p,) = difference_intervals(table, clusters)
    (turned,), (q,) = difference_intervals(table[::-1], clusters)
    assert -1.0 <= found.low <= found.value <= found.high <= 1.0
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low), abs=1e-9)
    assert 0.0 <= p <= 1.0 and p == pytest.approx(q, abs=1e-9)


def test_alike_repositories_widen_the_interval():
    clusters = np.repeat(np.arange(20), 10)
    mixed = np.tile([0.0, 1.0], 100)
    alike = np.repeat(np.tile([0.0, 1.0], 10), 10)
    narrow, wide = share_interval(mixed, clusters), share_interval(alike, clusters)
    assert narrow.value == wide.value == 0.5
    assert wide.high - wide.low > 2.5 * (narrow.high - narrow.low)


def test_the_interval_covers_in_simulation():
    rng = np.random.default_rng(7)
    covered = 0
    for _ in range(400):
        sizes = np.maximum(1, rng.lognormal(2, 0.8, 20)).astype(int)
        rates = rng.beta(2, 3, 20)
        clusters = np.repeat(np.arange(20), sizes)
        values = (rng.random(len(clusters)) < rates[clusters]).astype(float)
        found = share_interval(values, clusters)
        covered += found.low <= 0.4 <= found.high
    # Four standard errors around the wanted 93 to 97 %; the bench simulates more and other shapes.
    assert 0.91 <= covered / 400 <= 0.99


async def test_the_board_in_front_is_no_release_of_hard_tasks_where_a_usual_one_has_runs(store, lists, task, run):
    for number in (1, 2, 3):
        await store.save_task(task(number, complexity=11 if number < 3 else 10))
    hard, usual = [task(1).task_id, task(2).task_id], [task(3).task_id]
    for place, (ids, name) in enumerate([(hard, "hard"), (hard, "hard"), (usual, "usual")]):
        tasks = TaskSet(await lists.put(ids), "release", name, len(ids), release=name[0] * 64)
        await store.save_run(run(run_id=f"{place}" * 32, tasks=tasks), ids)
        board, *_ = await Boards(store, lists).board()
        assert board.scope.name == name
    # Where nobody runs the usual ones any more, the hard ones are what there is.
    await store.set_withdrawn("2" * 32, "asked wrongly")
    board, *_ = await Boards(store, lists).board()
    assert board.scope.name == "hard"
