"""Triples for fine-tuning a search model: a query, a code that answers it, and a found one that does not.

Neither a query nor a repository is on both sides of the split, so that what the kept side measures was never seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Side = Literal["train", "kept"]

# Of so many queries one is kept back, and of so many repositories.
KEPT_ONE_OF = 4
# Triples of one correct code, at most.
NEGATIVES = 3


@dataclass(frozen=True, slots=True)
class Triple:
    """Ids of a query, of a code that answers it, and of one that does not."""

    query_id: str
    positive: str
    negative: str


def side_of(identifier: str) -> Side:
    """The side of a query or of a repository; the same one in every release."""
    return "kept" if int(_digest("split", identifier)[:8], 16) % KEPT_ONE_OF == 0 else "train"


def repository_of(code: Mapping[str, Any]) -> str:
    """What a code is split by: its repository, or itself where it has none."""
    return code["repository"] or code["function_id"]


def triples_of(query_id: str, labels: Sequence[Mapping[str, Any]], sides: Mapping[str, Side]) -> Iterator[Triple]:
    """The triples of one query.

    A negative is a code that was proposed for the query and labelled 0: a hard one, which some retriever took for an
    answer. Undecided pairs are neither.

    Args:
        query_id: The query.
        labels: Its rows of a release.
        sides: Side of each code.
    """
    wanted = side_of(query_id)
    usable = [row for row in labels if row["label"] is not None and sides.get(row["function_id"]) == wanted]
    wrong = [row["function_id"] for row in usable if row["label"] == 0]
    for row in usable:
        if row["label"] == 1:
            positive = row["function_id"]
            chosen = sorted(wrong, key=lambda other, mine=positive: _digest(mine, other))[:NEGATIVES]
            yield from (Triple(query_id, positive, negative) for negative in chosen)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
