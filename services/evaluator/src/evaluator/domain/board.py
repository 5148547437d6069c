"""The board of the described tasks of one set, or of those by example, in one language: shares, rank sets, pairs.

Ranks are given only at full coverage; what is missing shows as the least and the most that a share can be. Withdrawn
runs and retracted tasks count nowhere, and answers that ended by a fault of the platform or of an endpoint are no
answers. Everything is computed from verdicts and from hashes, so that the same verdicts give the same board.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from evaluator.domain.clustered import Clusters, Interval, Values, difference_intervals, share_interval
from evaluator.domain.comparing_models import holm, mcnemar_of_all, rank_sets
from evaluator.domain.outcomes import Outcome, UnknownOutcome, class_of, is_scored, outcome_named
from evaluator.domain.passing import pass_at_k, share_solved
from evaluator.domain.results import Cell, RunResults, Scope, TaskFacts, is_cancelled, unpriced
from evaluator.domain.runs import Run
from evaluator.domain.slices import Slice, slices
from evaluator.domain.statistics import geometric_mean
from evaluator.domain.wording import wording_of, wording_of_all

if TYPE_CHECKING:
    from evaluator.domain.memory import MemoryGap

ALPHA = 0.05
_DIFFICULTIES = ("Easy", "Medium", "Hard")


@dataclass(frozen=True)
class Totals:
    """What the answers of a row took; of `unpriced` of them nobody knows the cost.

    Attributes:
        seconds: None where nobody measured those of one answer or more, which came with a batch or from elsewhere.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float | None = 0.0
    cost_usd: float = 0.0
    cpu_s: float = 0.0
    unpriced: int = 0


@dataclass(frozen=True)
class BoardRow:
    """One run on the tasks of the board.

    Attributes:
        asked: Answers that full coverage needs; judged: those with a verdict; passed: those that passed.
        infrastructure: Answers that ended without a verdict; cancelled: those of them that a person ended.
        judged_tasks: Tasks of which every answer has a verdict.
        solved: Sum of the shares passed over judged tasks; with one answer a task, the tasks solved.
        share: Mean over judged tasks with its interval clustered by repository.
        least: The share over all tasks were every missing answer wrong; most: were it right.
        rank: Best and worst rank that the data allow; None where coverage is not full.
        pass_at: k with pass@k and its interval over judged tasks, for runs of several samples.
    """

    run: Run
    asked: int
    judged: int
    passed: int
    infrastructure: int
    cancelled: int
    judged_tasks: int
    tasks: int
    solved: float
    share: Interval
    least: float
    most: float
    rank: tuple[int, int] | None
    pass_at: tuple[tuple[int, Interval], ...]
    outcomes: tuple[tuple[Outcome | UnknownOutcome, int], ...]
    classes: tuple[tuple[str, int], ...]
    near_misses: int
    totals: Totals
    by_kind: tuple[tuple[str, Slice], ...]
    by_difficulty: tuple[tuple[str, Slice], ...]
    by_month: tuple[tuple[str, Slice], ...]
    # Geometric mean over correct answers of their CPU divided by the ground truth's; 0 where it was not measured.
    cpu_ratio: float = 0.0
    # Beside the run that differs in names alone, where there is one.
    memory: MemoryGap | None = None


@dataclass(frozen=True)
class Pair:
    """Two runs at full coverage.

    Attributes:
        only_a: Tasks that only the first solved; where either has several answers a task, solved more often.
        difference: Share of the first minus share of the second, interval clustered by repository.
        p: The larger of exact McNemar's, where both have one answer a task, and the clustered comparison's p-value.
        p_holm: The same held against all pairs of the board.
        decided: Whether the pair is told apart; else it is a tie.
    """

    a: str
    b: str
    only_a: int
    only_b: int
    difference: Interval
    p: float
    p_holm: float
    decided: bool


@dataclass(frozen=True)
class Board:
    """Rows, best first, and the pairs of those that are ranked.

    Attributes:
        wording: "described" or "by_example": which tasks of the scope it ranks over, never both.
        tasks: How many these are, with those that nobody knows yet and that may be of either wording.
        elsewhere: How many standing tasks of the scope are on the other board.
    """

    scope: Scope
    language: str
    mode: str
    wording: str
    tasks: int
    elsewhere: int
    repositories: int
    retracted: int
    rows: tuple[BoardRow, ...]
    pairs: tuple[Pair, ...]


@dataclass(frozen=True)
class Standing:
    """The standing tasks of a board, in one order, and the repository of each as a number; an imported task is its own.

    Attributes:
        wording: Whether these are the described tasks or those by example.
        elsewhere: How many the other kind are.
        absent: How many tasks of the scope nobody here knows yet. They may be of this wording, and count as missing.
    """

    facts: Sequence[TaskFacts]
    clusters: Clusters
    wording: str
    elsewhere: int
    absent: int = 0

    @property
    def tasks(self) -> int:
        """How many tasks full coverage needs."""
        return len(self.facts) + self.absent

    @property
    def repositories(self) -> int:
        """How many repositories they come from."""
        return int(self.clusters.max()) + 1 if len(self.clusters) else 0


@dataclass(frozen=True)
class Entry:
    """What one run brings to a board: its row, still without a rank, and its share of each task (NaN: missing)."""

    row: BoardRow
    column: Values


def mode_of(run: Run) -> str:
    """Greedy runs and sampled ones are different boards."""
    return "greedy" if run.spec.greedy else "sampled"


def standing(
    scope: Scope,
    language: str,
    facts: Mapping[str, TaskFacts],
    retracted: Mapping[str, str] | frozenset[str],
    wording: str,
) -> Standing:
    """The tasks of a scope that count for a language, of one wording.

    Args:
        scope: The set of tasks.
        language: Target language.
        facts: What is known of every task.
        retracted: Ids of tasks that were taken back.
        wording: "described" or "by_example".
    """
    both = list(_both(scope, language, facts, retracted))
    chosen = [fact for fact in both if wording_of(fact) == wording]
    numbers = {cluster: number for number, cluster in enumerate(sorted({fact.cluster for fact in chosen}))}
    clusters = np.array([numbers[fact.cluster] for fact in chosen], dtype=int)
    return Standing(chosen, clusters, wording, len(both) - len(chosen), scope.absent(facts, retracted))


def wording_shown(
    scope: Scope, language: str, facts: Mapping[str, TaskFacts], retracted: Mapping[str, str] | frozenset[str]
) -> str:
    """The board of a scope that is shown where none is asked for: that of its described tasks where it has one."""
    return wording_of_all(_both(scope, language, facts, retracted))


def _both(
    scope: Scope, language: str, facts: Mapping[str, TaskFacts], retracted: Mapping[str, str] | frozenset[str]
) -> Iterator[TaskFacts]:
    for task_id in sorted(scope.task_ids):
        if task_id in facts and task_id not in retracted and language in facts[task_id].languages:
            yield facts[task_id]


def enters(run: Run, language: str, mode: str) -> bool:
    """Whether a run belongs to the board of a language and mode."""
    return run.spec.language == language and mode_of(run) == mode and not run.withdrawn


def entry_of(results: RunResults, tasks: Standing) -> Entry:
    """What a run brings to the board of these tasks; it does not depend on other runs."""
    return Entry(row_of(results, tasks.facts, tasks.clusters, tasks.absent), _column(results, tasks))


def build_board(
    scope: Scope,
    language: str,
    mode: str,
    facts: Mapping[str, TaskFacts],
    retracted: Mapping[str, str] | frozenset[str],
    results: Iterable[RunResults],
    wording: str = "",
) -> Board:
    """Compute a board.

    Args:
        scope: The set of tasks.
        language: Target language.
        mode: "greedy" or "sampled".
        facts: What is known of every task.
        retracted: Ids of tasks that were taken back.
        results: Runs that have answers to tasks of the board; others are left out, and cancelled ones.
        wording: "described" or "by_example"; empty is the one that is shown where none is asked for.
    """
    wording = wording or wording_shown(scope, language, facts, retracted)
    tasks = standing(scope, language, facts, retracted, wording)
    inside = [each for each in results if enters(each.run, language, mode) and not is_cancelled(each, retracted)]
    entries = [entry_of(each, tasks) for each in inside]
    return rank_entries(scope, language, mode, tasks, retracted, entries)


def rank_entries(
    scope: Scope,
    language: str,
    mode: str,
    tasks: Standing,
    retracted: Mapping[str, str] | frozenset[str],
    entries: Iterable[Entry],
) -> Board:
    """As `build_board`, of what each run brings."""
    chosen = [entry for entry in entries if entry.row.asked]
    columns = {entry.row.run.run_id: entry.column for entry in chosen}
    rows = [entry.row for entry in chosen]
    full = sorted(row.run.run_id for row in rows if row.judged_tasks == row.tasks and row.tasks)
    samples = {row.run.run_id: row.run.spec.samples for row in rows}
    pairs = _pairs(full, columns, tasks.clusters, np.array([samples[run_id] == 1 for run_id in full], dtype=bool))
    ranks = rank_sets(full, [_order(pair) for pair in pairs if pair.decided])
    ranked = [replace(row, rank=ranks.get(row.run.run_id)) for row in rows]
    return Board(
        scope=scope,
        language=language,
        mode=mode,
        wording=tasks.wording,
        tasks=tasks.tasks,
        elsewhere=tasks.elsewhere,
        repositories=tasks.repositories,
        retracted=sum(task_id in retracted for task_id in scope.task_ids),
        rows=tuple(sorted(ranked, key=_best_first)),
        pairs=tuple(pairs),
    )


def row_of(results: RunResults, facts: Sequence[TaskFacts], clusters: Clusters, absent: int = 0) -> BoardRow:
    """One row over the given tasks; ranks come later, when all rows are known.

    Args:
        results: How the answers of a run ended.
        facts: Its tasks.
        clusters: (n,) number of each task's repository.
        absent: How many tasks beside them nobody knows yet; they are missing.
    """
    samples = results.run.spec.samples
    answers = [(fact, results.cells.get(fact.task_id, ())) for fact in facts]
    column = np.array([share_solved(cells, samples) for _, cells in answers], dtype=float)
    done = ~np.isnan(column)
    solved = float(math.fsum(column[done]))
    given = [cell for _, cells in answers for cell in cells]
    outcomes = Counter(outcome_named(cell.outcome) for cell in given if cell.outcome)
    unscored = sum(number for outcome, number in outcomes.items() if not is_scored(outcome))
    judged = outcomes.total() - unscored
    outcomes.pop(Outcome.INFRASTRUCTURE, None)
    classes = Counter[str]()
    for outcome, number in outcomes.items():
        classes[class_of(outcome).value] += number
    tasks = len(facts) + absent
    missing = tasks - int(done.sum())
    return BoardRow(
        run=results.run,
        asked=samples * sum(bool(cells) for _, cells in answers),
        judged=judged,
        passed=outcomes[Outcome.PASSED],
        infrastructure=unscored,
        cancelled=sum(cell.cancelled for cell in given),
        judged_tasks=int(done.sum()),
        tasks=tasks,
        solved=solved,
        share=share_interval(column[done], clusters[done]),
        least=solved / tasks if tasks else 0.0,
        most=(solved + missing) / tasks if tasks else 0.0,
        rank=None,
        pass_at=_pass_at(answers, samples, clusters),
        outcomes=tuple(
            sorted(
                ((outcome, number) for outcome, number in outcomes.items() if outcome is not Outcome.PASSED),
                key=lambda pair: (-pair[1], pair[0]),
            )
        ),
        classes=tuple((name, classes[name]) for name in ("success", "test_failure", "execution_error")),
        near_misses=sum(cell.near_miss for cell in given),
        totals=_totals(results, given),
        by_kind=slices(answers, samples, lambda fact: fact.kind, ("SC", "WSC")),
        by_difficulty=slices(answers, samples, lambda fact: fact.difficulty, _DIFFICULTIES),
        by_month=slices(answers, samples, lambda fact: fact.month or "unknown"),
        cpu_ratio=geometric_mean(cell.cpu_ratio for cell in given),
    )


def _column(results: RunResults, tasks: Standing) -> Values:
    samples = results.run.spec.samples
    return np.array([share_solved(results.cells.get(fact.task_id, ()), samples) for fact in tasks.facts], dtype=float)


def _pass_at(
    answers: Sequence[tuple[TaskFacts, tuple[Cell, ...]]], samples: int, clusters: Clusters
) -> tuple[tuple[int, Interval], ...]:
    if samples < 2:
        return ()
    shares = np.array([share_solved(cells, samples) for _, cells in answers], dtype=float)
    done = ~np.isnan(shares)
    counts = np.rint(shares[done] * samples).astype(int)
    wanted = sorted({k for k in (1, 5, 10, 100, samples) if k <= samples})
    return tuple(
        (k, share_interval(np.array([pass_at_k(samples, int(c), k) for c in counts]), clusters[done])) for k in wanted
    )


def _totals(results: RunResults, given: Sequence[Cell]) -> Totals:
    timed = [cell.seconds for cell in given if cell.seconds is not None]
    return Totals(
        sum(cell.tokens_in for cell in given),
        sum(cell.tokens_out for cell in given),
        None if results.run.spec.answers or len(timed) < len(given) else math.fsum(timed),
        math.fsum(cell.cost_usd for cell in given),
        math.fsum(cell.cpu_s for cell in given),
        unpriced(results.run, given, named=not results.unpriced),
    )


def _pairs(
    full: Sequence[str], columns: Mapping[str, Values], clusters: Clusters, single: NDArray[np.bool_]
) -> list[Pair]:
    """Every two runs compared; `single` tells of each whether it has one answer a task."""
    if len(full) < 2:
        return []
    table = np.vstack([columns[run_id] for run_id in full])
    first, second = np.triu_indices(len(full), 1)
    intervals, p_values = difference_intervals(table, clusters)
    # All pairs of one run at a time: a table of every pair and task would be hundreds of megabytes.
    only_a = np.concatenate([(table[row] > table[row + 1 :]).sum(axis=1) for row in range(len(full))])
    only_b = np.concatenate([(table[row] < table[row + 1 :]).sum(axis=1) for row in range(len(full))])
    # McNemar knows one answer a task only; the clustered comparison knows both kinds.
    exact = np.where(single[first] & single[second], mcnemar_of_all(only_a, only_b), 0.0)
    p_values = np.maximum(p_values, exact).tolist()
    held = holm(p_values)
    return [
        Pair(
            full[int(first[at])],
            full[int(second[at])],
            int(only_a[at]),
            int(only_b[at]),
            intervals[at],
            p_values[at],
            held[at],
            held[at] <= ALPHA,
        )
        for at in range(len(held))
    ]


def _order(pair: Pair) -> tuple[str, str]:
    return (pair.a, pair.b) if pair.difference.value > 0 else (pair.b, pair.a)


def _best_first(row: BoardRow) -> tuple[object, ...]:
    # Ranked rows first; the others by what is certain of them.
    return (row.rank is None, -(row.share.value if row.rank else row.least), row.run.spec.model, row.run.run_id)
