"""Which board is in front where nothing is chosen, and what tells boards and rows of several ways of asking apart."""

from __future__ import annotations

import pytest

from evaluator.adapters.messages import to_row
from evaluator.domain.specification import TaskSet
from evaluator.usecases.boards import Boards


@pytest.fixture
async def asked(store, lists, task, run):
    """Keeps runs over one release of three tasks, or another of that name."""
    tasks = [task(number, wording="described") for number in (1, 2, 3)]
    for each in tasks:
        await store.save_task(each)
    ids = [each.task_id for each in tasks]

    async def keep(number, *, language="python", samples=1, temperature=0.0, release="d"):
        some = ids if release == "d" else ids[:2]
        chosen = TaskSet(await lists.put(some), "release", "2026-11", len(some), release * 64)
        one = run(
            run_id=f"{number}" * 32, language=language, samples=samples, temperature=temperature, tasks=chosen,
        )  # fmt: skip
        await store.save_run(one, some)

    return keep


async def test_the_board_in_front_has_runs(asked, store, lists):
    await asked(1)
    await asked(2, language="go", samples=5, temperature=0.8)
    await asked(3, language="go", samples=5, temperature=1.0)
    boards = Boards(store, lists)
    for chosen, shown in (
        ({}, ("go", "sampled", 2)),
        ({"language": "go"}, ("go", "sampled", 2)),
        ({"language": "python"}, ("python", "greedy", 1)),
        ({"mode": "greedy"}, ("python", "greedy", 1)),
        ({"mode": "sampled"}, ("go", "sampled", 2)),
        ({"language": "go", "mode": "greedy"}, ("go", "greedy", 0)),
    ):
        board, *_ = await boards.board(**chosen)
        assert (board.language, board.mode, len(board.rows)) == shown, chosen


async def test_a_row_of_the_leaderboard_tells_its_mode_and_how_it_was_sampled(asked, store, lists):
    await asked(1)
    await asked(2, samples=5, temperature=0.8)
    rows = [to_row(board, row) for board in await Boards(store, lists).every() for row in board.rows]
    assert [(row.scope, row.mode, row.samples, row.temperature) for row in rows] == [
        ("d" * 64, "greedy", 1, 0.0),
        ("d" * 64, "sampled", 5, 0.8),
    ]


async def test_two_releases_of_one_name_are_told_apart(asked, store, lists):
    await asked(1)
    boards = Boards(store, lists)
    assert (await boards.board())[0].scope.label == "2026-11"
    await asked(2, release="e")
    _, scopes, _ = await boards.board()
    assert [scope.label for scope in scopes] == ["2026-11 (release dddddd)", "2026-11 (release eeeeee)"]
    assert [board.scope.label for board in await boards.every()] == [scope.label for scope in scopes]
    assert (await boards.board("2026-11 (release eeeeee)"))[0].scope.digest == "e" * 64
