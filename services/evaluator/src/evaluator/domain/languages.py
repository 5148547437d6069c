"""One set of tasks across languages: each way of asking in a row, each language in a column.

Languages have other tasks: what needs Python's libraries is asked in Python alone. So a column says over how many it
is, and nothing is ranked across columns. What a row has everywhere is taken together over every question, that is every
task in every language; a row that lacks something has its figure over the languages that it has whole, with their
names, and beside it the least and the most that it can be over all. A row cannot win by a language that it left out.
Where no task of a language is worded as asked, no row can lack anything in it: it is no column, and is named beside.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.board import BoardRow, Entry, Standing
from evaluator.domain.clustered import Interval, Values, share_interval
from evaluator.domain.results import Scope
from evaluator.domain.runs import Run
from evaluator.domain.specification import ASKED_ANEW


@dataclass(frozen=True)
class Column:
    """One language: its standing tasks of the wording, their repositories, and how many tasks are worded otherwise.

    Tasks that nobody knows yet are among the first, as on a board.
    """

    language: str
    tasks: int
    repositories: int
    elsewhere: int


@dataclass(frozen=True)
class LanguagesRow:
    """One way of asking.

    Attributes:
        run: One of its runs: all of them differ in language alone.
        cells: By language its row of that language's board, with the rank that it has there.
        whole: Languages in which every verdict is there.
        together: The share over every question of these languages, clustered by repository; None where there are none.
        solved: Sum of the shares passed over what is judged, in all languages.
        questions: Tasks of all languages together, a task once for each.
        least: The share over all questions were everything that is missing wrong; most: were it right.
    """

    run: Run
    cells: Mapping[str, BoardRow]
    whole: tuple[str, ...]
    together: Interval | None
    solved: float
    questions: int
    least: float
    most: float


@dataclass(frozen=True)
class Languages:
    """A set of tasks across the languages in which it was asked; rows that have all of them first, best first.

    Attributes:
        scope: The set of tasks.
        mode: "greedy" or "sampled".
        wording: "described" or "by_example".
        columns: Languages that have tasks of the wording.
        rows: One for each way of asking.
        left_out: Languages in which it was asked, too, but that have no task of the wording.
    """

    scope: Scope
    mode: str
    wording: str
    columns: tuple[Column, ...]
    rows: tuple[LanguagesRow, ...]
    left_out: tuple[Column, ...]


def asking_of(run: Run) -> tuple[object, ...]:
    """How a run asks, whatever its language: those of one set that agree are one row.

    Whether the run was deleted before decides nothing of that.
    """
    spec = run.spec
    bounds = tuple((name, value) for name, value in spec.bounds if name != ASKED_ANEW)
    asked = (spec.strategy, spec.variant, spec.prompts, bounds)
    return (spec.model, spec.model_digest, spec.samples, spec.temperature, spec.seed, *asked)


def across(
    scope: Scope,
    mode: str,
    wording: str,
    boards: Mapping[str, tuple[Standing, Sequence[tuple[BoardRow, Entry]]]],
) -> Languages:
    """Put the boards of some languages beside one another.

    Args:
        scope: The set of tasks.
        mode: "greedy" or "sampled".
        wording: "described" or "by_example".
        boards: By language its standing tasks, and of each run its row with its rank and what it brings.
    """
    every = [
        Column(language, tasks.tasks, tasks.repositories, tasks.elsewhere)
        for language, (tasks, _) in sorted(boards.items())
    ]
    columns = tuple(column for column in every if column.tasks)
    left_out = tuple(column for column in every if not column.tasks)
    questions = sum(column.tasks for column in columns)
    standings = {column.language: boards[column.language][0] for column in columns}
    groups = _grouped({language: boards[language] for language in standings})
    rows = sorted((_row(cells, standings, questions) for cells in groups), key=_best_first)
    return Languages(scope, mode, wording, columns, tuple(rows), left_out)


def _grouped(
    boards: Mapping[str, tuple[Standing, Sequence[tuple[BoardRow, Entry]]]],
) -> list[dict[str, tuple[BoardRow, Entry]]]:
    """Runs by language, one group for each way of asking.

    Where somebody submitted several sets of answers in one language, nobody can say which of them belongs to which of
    another language: each is a row of its own.
    """
    ways: dict[tuple[object, ...], list[tuple[str, BoardRow, Entry]]] = {}
    for language, (_, found) in sorted(boards.items()):
        for row, entry in sorted(found, key=lambda one: one[0].run.run_id):
            ways.setdefault(asking_of(row.run), []).append((language, row, entry))
    groups: list[dict[str, tuple[BoardRow, Entry]]] = []
    for cells in ways.values():
        together = {language: (row, entry) for language, row, entry in cells}
        alone = [{language: (row, entry)} for language, row, entry in cells]
        groups += [together] if len(together) == len(cells) else alone
    return groups


def _row(
    cells: Mapping[str, tuple[BoardRow, Entry]], standings: Mapping[str, Standing], questions: int
) -> LanguagesRow:
    whole = tuple(language for language, (row, _) in cells.items() if row.tasks and row.judged_tasks == row.tasks)
    solved = math.fsum(row.solved for row, _ in cells.values())
    missing = questions - sum(row.judged_tasks for row, _ in cells.values())
    return LanguagesRow(
        run=next(iter(cells.values()))[0].run,
        cells={language: row for language, (row, _) in cells.items()},
        whole=whole,
        together=_together([(cells[language][1].column, standings[language]) for language in whole]),
        solved=solved,
        questions=questions,
        least=solved / questions if questions else 0.0,
        most=(solved + missing) / questions if questions else 0.0,
    )


def _together(parts: Sequence[tuple[Values, Standing]]) -> Interval | None:
    """The mean over all questions; those of one repository are one cluster, whatever their languages."""
    if not parts:
        return None
    sources = [fact.cluster for _, tasks in parts for fact in tasks.facts]
    clusters = np.unique(np.array(sources), return_inverse=True)[1]
    return share_interval(np.concatenate([column for column, _ in parts]), clusters)


def _best_first(row: LanguagesRow) -> tuple[object, ...]:
    # What is whole first; the others by what is certain of them.
    full = row.least == row.most
    value = row.together.value if full and row.together else row.least
    return (not full, -value, row.run.spec.model, row.run.run_id)
