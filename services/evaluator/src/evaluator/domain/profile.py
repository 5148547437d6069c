"""One run by slices of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from evaluator.domain.board import share_solved, slices
from evaluator.domain.contamination import Around, around_cutoff
from evaluator.domain.memory import MemoryGap, widest_gap
from evaluator.domain.results import RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.statistics import Share

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
    """A run: shares of its answers that passed by dimension and group, around its cutoff, and its memory gap."""

    run: Run
    results: RunResults
    retracted: frozenset[str]
    slices: tuple[tuple[str, str, Share], ...]
    around: Around | None = None
    memory: MemoryGap | None = None


def build_profile(
    results: RunResults,
    task_ids: frozenset[str],
    facts: Mapping[str, TaskFacts],
    retracted: frozenset[str],
    cutoff: str = "",
    others: Iterable[RunResults] = (),
) -> Profile:
    """Slice a run; retracted tasks count nowhere.

    Args:
        results: Its answers.
        task_ids: Its tasks.
        facts: What is known of tasks.
        retracted: Tasks that were taken back.
        cutoff: Month of the newest text that its model was trained on, YYYY-MM; empty when nobody told.
        others: Every run, among them the one that differs in names alone where there is one.
    """
    samples = results.run.spec.samples
    standing = [facts[task_id] for task_id in sorted(task_ids - retracted) if task_id in facts]
    answers = [(fact, results.cells.get(fact.task_id, ())) for fact in standing]
    found = [
        (dimension, group, value)
        for dimension, of in _DIMENSIONS.items()
        for group, value in slices(answers, samples, of)
    ]
    values = np.array([share_solved(cells, samples) for _, cells in answers], dtype=float)
    around = around_cutoff(cutoff, [fact.month for fact in standing], values, [fact.source for fact in standing])
    memory = widest_gap(results, others, facts, retracted)
    return Profile(results.run, results, retracted, tuple(found), around, memory)
