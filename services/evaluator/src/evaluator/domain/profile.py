"""One run by slices of its tasks: of the described ones, or of those by example."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluator.domain.board import BoardRow, row_of
from evaluator.domain.clustered import Clusters
from evaluator.domain.contamination import Around, around_cutoff
from evaluator.domain.memory import MemoryGap, widest_gap
from evaluator.domain.passing import share_ends
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.slices import Slice, slices
from evaluator.domain.wording import facts_of, wording_of, wording_of_all
from touchstone_runtime.wordings import WORDINGS

_DIMENSIONS: dict[str, Callable[[TaskFacts], str]] = {
    "kind": lambda fact: fact.kind,
    "difficulty": lambda fact: fact.difficulty,
    "form": lambda fact: fact.form or "unknown",
    "complexity": lambda fact: str(fact.complexity) if fact.complexity else "unknown",
    "licence": lambda fact: fact.licence or "unknown",
    "source": lambda fact: fact.source,
    "month": lambda fact: fact.month or "unknown",
}


@dataclass(frozen=True)
class Profile:
    """A run: shares of its answers that passed by dimension and group, around its cutoff, and its memory gap.

    Attributes:
        wording: Which of its tasks slices, cutoff and memory rest on.
        rows: Its row over each wording that it has tasks of, without a rank.
    """

    run: Run
    results: RunResults
    retracted: frozenset[str]
    wording: str
    rows: tuple[tuple[str, BoardRow], ...]
    slices: tuple[tuple[str, str, Slice], ...]
    around: Around | None = None
    memory: MemoryGap | None = None


def build_profile(
    results: RunResults,
    task_ids: frozenset[str],
    facts: Mapping[str, TaskFacts],
    retracted: frozenset[str],
    cutoff: str = "",
    others: Iterable[RunResults] = (),
    wording: str = "",
    unlisted: int = 0,
) -> Profile:
    """Slice a run; retracted tasks count nowhere.

    Args:
        results: Its answers.
        task_ids: Its tasks.
        facts: What is known of tasks.
        retracted: Tasks that were taken back.
        cutoff: Month of the newest text that its model was trained on, YYYY-MM; empty when nobody told.
        others: Every run, among them the one that differs in names alone where there is one.
        wording: "described" or "by_example"; empty is the described tasks where the run has one.
        unlisted: How many tasks it has beside `task_ids`, whose ids nobody here knows.
    """
    samples = results.run.spec.samples
    both = [facts[task_id] for task_id in sorted(task_ids - retracted) if task_id in facts]
    wording = wording or wording_of_all(both)
    by_wording = {each: [fact for fact in both if wording_of(fact) == each] for each in WORDINGS}
    absent = unlisted + sum(task_id not in facts for task_id in task_ids - retracted)
    rows = [(each, row_of(results, given, _clusters(given), absent)) for each, given in by_wording.items() if given]
    standing = by_wording[wording]
    answers = [(fact, results.cells.get(fact.task_id, ())) for fact in standing]
    found = [
        (dimension, group, value)
        for dimension, of in _DIMENSIONS.items()
        for group, value in slices(answers, samples, of)
    ]
    least, most = np.array([share_ends(cells, samples) for _, cells in answers], dtype=float).reshape(-1, 2).T
    sources = [fact.cluster for fact in standing]
    around = around_cutoff(cutoff, [fact.month for fact in standing], least, most, sources)
    memory = widest_gap(results, others, facts_of(wording, facts), retracted)
    return Profile(results.run, results, retracted, wording, tuple(rows), tuple(found), around, memory)


def _clusters(facts: Sequence[TaskFacts]) -> Clusters:
    return np.unique(np.array([fact.cluster for fact in facts]), return_inverse=True)[1]
