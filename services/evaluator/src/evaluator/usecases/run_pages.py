"""A part of a run's answers: a page shows two hundred, and whoever counts them needs none."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluator.domain.results import Cell, RunResults
from evaluator.domain.tasks import PENDING, RETRACTED, Attempt
from evaluator.ports import Place, Store
from evaluator.usecases.boards import Boards

NEAR_MISS = "near_miss"
# Answers are read with their code.
_MOST = 1_000


@dataclass(frozen=True)
class RunPage:
    """Some answers of a run, and how many there are.

    Attributes:
        results: How all of its answers ended.
        retracted: Tasks that were taken back.
        attempts: The answers that were asked for.
        total: How many answers have the outcome that was asked for.
        outcomes: How many have each outcome, the most first.
        near_misses: How many failed and passed nearly every case.
    """

    results: RunResults
    retracted: frozenset[str]
    attempts: Sequence[Attempt]
    total: int
    outcomes: Sequence[tuple[str, int]]
    near_misses: int


async def run_page(
    store: Store, boards: Boards, run_id: str, *, outcome: str = "", start: int = 0, most: int = 0
) -> RunPage:
    """Read a part of a run.

    Args:
        store: The evaluator's memory.
        boards: Keeps how answers ended.
        run_id: The id, or an unambiguous beginning of it.
        outcome: Only answers of this outcome, or "near_miss"; empty is all.
        start: Answers that are left out before the first.
        most: Answers at most, of a thousand; 0 reads none.

    Raises:
        UnknownRunError: No run, or more than one, begins so.
    """
    results, retracted = await boards.results(run_id)
    found = results.run.run_id
    places = await store.places_of(found) if most > 0 else []
    start = max(0, start)

    def chosen() -> tuple[list[Place], int, Counter[str], int]:
        # Order is the store's, how answers ended is the boards'; what one of them does not know yet is not shown.
        cells = dict(_placed(results))
        near = {place for place, cell in cells.items() if cell.near_miss and place[0] not in retracted}
        outcomes = {place: _outcome(place, cell, retracted) for place, cell in cells.items()}
        fitting = near if outcome == NEAR_MISS else {place for place, one in outcomes.items() if outcome in ("", one)}
        shown = [place for place in places if place in fitting][start : start + min(most, _MOST)]
        return shown, len(fitting), Counter(outcomes.values()), len(near)

    shown, total, outcomes, near = await asyncio.to_thread(chosen)
    attempts = await store.attempts_at(found, shown) if shown else []
    return RunPage(results, retracted, attempts, total, outcomes.most_common(), near)


def _placed(results: RunResults) -> Iterator[tuple[Place, Cell]]:
    for task_id, cells in results.cells.items():
        for sample, cell in enumerate(cells):
            yield (task_id, sample), cell


def _outcome(place: Place, cell: Cell, retracted: frozenset[str]) -> str:
    return RETRACTED if place[0] in retracted else cell.outcome or PENDING
