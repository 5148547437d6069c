"""What taking a task back changed on a board."""

from __future__ import annotations

from dataclasses import dataclass

from evaluator.domain.board import Board, BoardRow


@dataclass(frozen=True)
class Change:
    """One row of one board with the task and without it; `after` is None where it stands there no more."""

    board: Board
    before: BoardRow
    after: BoardRow | None


def changes(before: Board, after: Board) -> tuple[Change, ...]:
    """Rows that differ in share, coverage or rank, in the order of the board as it is now; then those that left it."""
    with_it = {row.run.run_id: row for row in before.rows}
    found: list[Change] = []
    for row in after.rows:
        old = with_it.pop(row.run.run_id, None)
        if old is not None and _figures(old) != _figures(row):
            found.append(Change(after, old, row))
    return (*found, *(Change(after, old, None) for old in with_it.values()))


def _figures(row: BoardRow) -> tuple[object, ...]:
    return row.rank, row.share, row.judged_tasks, row.tasks
