"""A set of tasks across languages: what is whole, what is missing, and that nobody wins by leaving a language out."""

from __future__ import annotations

import numpy as np
import pytest

from evaluator.adapters.language_messages import to_languages
from evaluator.domain.board import entry_of, row_of, standing
from evaluator.domain.clustered import share_interval
from evaluator.domain.languages import across
from evaluator.domain.outcomes import Outcome
from evaluator.domain.results import Cell, RunResults, Scope
from evaluator.domain.specification import TaskSet
from evaluator.domain.tasks import Verdict
from evaluator.errors import UnknownScopeError
from evaluator.ports import Release
from evaluator.usecases.boards import Boards
from evaluator.usecases.runs import record_verdict, withdraw_run
from evaluator.usecases.tasks import retract_task

PASS, FAIL = "passed", "wrong_output"


@pytest.fixture
def beside(task, run, facts):
    """Languages beside one another: of each model and language the outcomes of the tasks in their order."""
    tasks = [task(n, source=f"p{n % 4}", kind="SC" if n <= 8 else "WSC") for n in range(1, 13)]
    scope = Scope("d", "release", "2026-06", frozenset(each.task_id for each in tasks))
    known = {each.task_id: facts(each) for each in tasks}

    def make(rows, *, changes=None, retracted=frozenset()):
        languages = sorted({language for cells in rows.values() for language in cells})
        boards = {}
        for language in languages:
            counted = standing(scope, language, known, retracted, "by_example")
            found = []
            for model, cells in rows.items():
                if language not in cells:
                    continue
                more = (changes or {}).get(model, {})
                one = run(run_id=f"{model}-{language}", model=model.partition("#")[0], language=language,
                          tasks=TaskSet("x", "release", "2026-06", 12, "d"), **more)  # fmt: skip
                given = dict(zip((each.task_id for each in tasks), cells[language], strict=False))
                results = RunResults(
                    one, {each: (Cell(outcome, False, 1, 1, 0.5, 0.01, 0.25),) for each, outcome in given.items()}
                )
                found.append((row_of(results, counted.facts, counted.clusters), entry_of(results, counted)))
            boards[language] = (counted, found)
        return across(scope, "greedy", "by_example", boards)

    return make


def test_each_language_has_its_own_tasks_and_all_questions_count_once(beside):
    seen = beside({"m": {"python": [PASS] * 6 + [FAIL] * 6, "go": [PASS] * 6 + [FAIL] * 2}})
    assert [(each.language, each.tasks, each.repositories) for each in seen.columns] == [
        ("go", 8, 4),
        ("python", 12, 4),
    ]
    (row,) = seen.rows
    assert row.whole == ("go", "python") and row.questions == 20
    assert row.together.value == row.least == row.most == 0.6
    assert (row.cells["go"].share.value, row.cells["python"].share.value) == (0.75, 0.5)


def test_nobody_wins_by_a_language_that_was_left_out(beside):
    seen = beside(
        {"everywhere": {"python": [PASS, FAIL] * 6, "go": [PASS, FAIL] * 4}, "chosen": {"python": [PASS] * 12}}
    )
    assert [row.run.spec.model for row in seen.rows] == ["everywhere", "chosen"]
    chosen = seen.rows[1]
    # Its figure is over Python and says so; over all it is what is certain, and what is possible.
    assert chosen.whole == ("python",) and chosen.together.value == 1.0
    assert (chosen.least, chosen.most) == (12 / 20, 1.0)


def test_a_language_that_lacks_a_verdict_is_not_whole(beside):
    seen = beside({"m": {"python": [PASS] * 12, "go": [PASS] * 7}, "none": {"python": [PASS] * 3}})
    row, none = seen.rows
    assert row.whole == ("python",) and row.together.value == 1.0
    assert (row.least, row.most) == (19 / 20, 1.0)
    assert none.whole == () and none.together is None and (none.least, none.most) == (3 / 20, 1.0)


def test_tasks_of_one_repository_are_one_cluster_in_whatever_language(beside):
    """The same answers in a second language say nothing new of other repositories: the interval is as wide."""
    outcomes = [PASS, PASS, FAIL, PASS] * 2
    once = beside({"m": {"go": outcomes}}).rows[0].together
    both = beside({"m": {"go": outcomes, "python": outcomes}}, retracted=only_libraries()).rows[0]
    assert both.whole == ("go", "python") and both.together == once


def only_libraries():
    return frozenset(f"{number:04d}" * 8 for number in range(9, 13))


def test_what_a_run_counts_otherwise_than_by_language_is_another_row(beside):
    rows = {"m": {"python": [PASS] * 12}, "m#2": {"go": [PASS] * 8}}
    assert len(beside(rows).rows) == 1
    # Whether the same call was deleted before decides nothing; the strategy does.
    assert len(beside(rows, changes={"m#2": {"bounds": (("asked_anew", 1),)}}).rows) == 1
    assert len(beside(rows, changes={"m#2": {"strategy": "cocost"}}).rows) == 2


def test_submitted_answers_of_one_language_are_not_paired_with_those_of_another(beside):
    rows = {"m": {"python": [PASS] * 12, "go": [FAIL] * 8}, "m#2": {"python": [FAIL] * 12}}
    seen = beside(rows, changes={"m": {"strategy": "submitted"}, "m#2": {"strategy": "submitted", "answers": "a" * 64}})
    assert sorted(tuple(row.cells) for row in seen.rows) == [("go",), ("python",), ("python",)]


def test_an_interval_over_all_questions_is_the_one_that_boards_have(beside):
    seen = beside({"m": {"python": [PASS, FAIL, PASS] * 4}})
    values = [1.0, 0.0, 1.0] * 4
    clusters = np.array([number % 4 for number in range(1, 13)])
    assert seen.rows[0].together == share_interval(np.array(values), clusters)


def answered(values):
    name = values["entry_point"]
    if values["language"] == "Go":
        return f"```go\npackage main\n\nfunc {name}(x int) int {{\n\treturn x\n}}\n```"
    return f"```python\ndef {name}(x):\n    return x\n```"


async def test_the_service_tells_of_runs_that_count_and_the_same_verdicts_give_the_same_bytes(
    house, store, lists, task, announcer
):
    ids = tuple(task(number).task_id for number in range(1, 5))
    made = house(answer=answered, known=(Release("2026-06", "d" * 64, ids),))
    for number in range(1, 5):
        await made.tasks(number, source=f"p{number}", wording="described" if number < 4 else "")
    runs = [await made.start(release="2026-06", language=language) for language in ("python", "go")]
    gone = await made.start(release="2026-06", strategy="cocost")
    await withdraw_run(store, announcer, gone.run_id, "asked wrongly")
    await made.start(release="2026-06", temperature=0.5, samples=2, strategy="cocost")
    for run in runs:
        for attempt in run.attempts:
            solved = await made.solve(run, attempt.task.task_id)
            if run.spec.language == "python" or attempt.task.task_id != ids[0]:
                place = (run.run_id, attempt.task.task_id, solved.solution.solution_id)
                await record_verdict(store, *place, Verdict(Outcome.PASSED, 5, 5))
    boards = Boards(store, lists)
    answer = to_languages(*await boards.languages("2026-06"))
    assert (answer.wording, answer.mode, answer.scope.name) == ("described", "greedy", "2026-06")
    assert [(each.language, each.tasks, each.tasks_elsewhere) for each in answer.columns] == [
        ("go", 3, 1),
        ("python", 3, 1),
    ]
    (row,) = answer.rows
    assert [cell.language for cell in row.cells] == ["go", "python"] and list(row.whole) == ["python"]
    assert row.spec.language == "" and row.HasField("together")
    assert (row.least, row.most, row.questions) == (5 / 6, 1.0, 6)
    assert {cell.run_id for cell in row.cells} == {run.run_id for run in runs}
    again = to_languages(*await Boards(store, lists).languages("2026-06"))
    assert again.SerializeToString(deterministic=True) == answer.SerializeToString(deterministic=True)
    assert [each.language for each in (await boards.languages(mode="sampled"))[0].columns] == ["python"]
    assert (await boards.languages(wording="by_example"))[0].columns[0].tasks == 1
    await retract_task(store, ids[0], "wrong")
    after = to_languages(*await boards.languages("2026-06"))
    assert list(after.rows[0].whole) == ["go", "python"] and after.rows[0].least == after.rows[0].most
    with pytest.raises(UnknownScopeError):
        await boards.languages(mode="both")
    with pytest.raises(UnknownScopeError):
        await boards.languages(wording="told")


async def test_a_language_without_a_task_of_the_wording_is_no_column_and_makes_no_row_incomplete(
    house, store, lists, task
):
    ids = tuple(task(number).task_id for number in range(1, 5))
    made = house(answer=answered, known=(Release("2026-06", "d" * 64, ids),))
    for number in range(1, 5):
        described = {"wording": "described", "kind": "WSC"} if number < 4 else {}
        await made.tasks(number, source=f"p{number}", **described)
    for language in ("python", "go"):
        run = await made.start(release="2026-06", language=language)
        for attempt in run.attempts:
            solved = await made.solve(run, attempt.task.task_id)
            place = (run.run_id, attempt.task.task_id, solved.solution.solution_id)
            await record_verdict(store, *place, Verdict(Outcome.PASSED, 5, 5))
    boards = Boards(store, lists)
    answer = to_languages(*await boards.languages("2026-06"))
    assert [(each.language, each.tasks) for each in answer.columns] == [("python", 3)]
    assert [(each.language, each.tasks, each.tasks_elsewhere) for each in answer.left_out] == [("go", 0, 1)]
    (row,) = answer.rows
    assert list(row.whole) == ["python"] and [cell.language for cell in row.cells] == ["python"]
    assert row.together.value == row.least == row.most == 1.0 and row.questions == 3
    # Those by example are there in both.
    other = to_languages(*await boards.languages("2026-06", wording="by_example"))
    assert [(each.language, each.tasks) for each in other.columns] == [("go", 1), ("python", 1)]
    assert list(other.rows[0].whole) == ["go", "python"] and not other.left_out
    await retract_task(store, ids[3], "wrong")
    gone = to_languages(*await boards.languages("2026-06", wording="by_example"))
    assert not gone.columns and not gone.rows and [each.language for each in gone.left_out] == ["go", "python"]


async def test_without_runs_there_is_nothing_to_put_beside(store, lists):
    seen, scopes, runs = await Boards(store, lists).languages()
    assert (seen.columns, seen.rows, scopes, runs) == ((), (), [], [])
