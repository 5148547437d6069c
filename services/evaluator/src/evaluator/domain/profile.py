"""One run by slices of its tasks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluator.domain.board import slices
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
    """A run with the share of its answers that passed, by dimension and group."""

    run: Run
    results: RunResults
    retracted: frozenset[str]
    slices: tuple[tuple[str, str, Share], ...]


def build_profile(
    results: RunResults, task_ids: frozenset[str], facts: Mapping[str, TaskFacts], retracted: frozenset[str]
) -> Profile:
    """Slice a run; retracted tasks count nowhere."""
    samples = results.run.spec.samples
    standing = [facts[task_id] for task_id in sorted(task_ids - retracted) if task_id in facts]
    answers = [(fact, results.cells.get(fact.task_id, ())) for fact in standing]
    found = [
        (dimension, group, value)
        for dimension, of in _DIMENSIONS.items()
        for group, value in slices(answers, samples, of)
    ]
    return Profile(results.run, results, retracted, tuple(found))
