"""Rows that boards are computed from: which columns they need, and what they mean."""

from __future__ import annotations

from typing import Any

from evaluator.domain.outcomes import Outcome, cpu_ratio, is_near_miss
from evaluator.domain.results import Cell, TaskFacts
from evaluator.domain.tasks import time_of
from touchstone_runtime.wordings import DESCRIBED

CELL = ("task_id", "outcome", "cases", "passed", "tokens_in", "tokens_out", "seconds", "cost_usd", "cpu_s",
           "reference_cpu_s")  # fmt: skip
FACTS = ("task_id", "kind", "difficulty", "source", "licence", "released_at", "form", "complexity", "wording",
           "imported")  # fmt: skip


def cell_of(row: Any) -> Cell:
    """How an answer ended, of a row with the columns `CELL` and `cancelled`."""
    return Cell(
        row.outcome or "",
        row.outcome is not None and is_near_miss(row.outcome, row.cases, row.passed),
        row.tokens_in or 0,
        row.tokens_out or 0,
        time_of(row.seconds, (row.tokens_in or 0) + (row.tokens_out or 0)),
        row.cost_usd or 0.0,
        row.cpu_s or 0.0,
        cpu_ratio(row.outcome, row.cpu_s, row.reference_cpu_s),
        row.outcome == Outcome.INFRASTRUCTURE and bool(row.cancelled),
    )


def facts_of(row: Any) -> TaskFacts:
    """What a board knows of a task, of a row with the columns `FACTS` and `languages`."""
    return TaskFacts(
        task_id=row.task_id,
        kind=row.kind,
        difficulty=row.difficulty,
        source=row.source,
        licence=row.licence,
        month=row.released_at[:7],
        form=row.form,
        complexity=row.complexity,
        languages=frozenset({"python", *(row.languages if row.kind == "SC" else ())}),
        described=row.wording == DESCRIBED,
        imported=bool(row.imported),
    )
