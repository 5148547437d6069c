"""Labels as data for fine-tuning a search model."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrainingRow:
    """One labelled pair, as a search model learns from it."""

    query: str
    code: str
    label: int


def to_jsonl(rows: Iterable[TrainingRow]) -> Iterator[str]:
    """One JSON object a line; a pair that was labelled twice with the same words appears once.

    Example:
        >>> list(to_jsonl([TrainingRow("sum a list", "def f(x): return sum(x)", 1)]))
        ['{"query": "sum a list", "code": "def f(x): return sum(x)", "label": 1}']
    """
    seen: set[tuple[str, str, int]] = set()
    for row in rows:
        key = (row.query, row.code, row.label)
        if key not in seen:
            seen.add(key)
            yield json.dumps({"query": row.query, "code": row.code, "label": row.label}, ensure_ascii=False)
