"""Labels that a release does not tell: those of others than it was asked for, and those that contradict each other.

Their queries and codes are in the release, so that who scores would count such a pair as wrong if it were not there:
it is there as undecided, with the reason.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from annotator.domain.record import PERSON, Label
from annotator.domain.release import CONTRADICTED, LEFT_OUT, Json, PooledLabel, Selection

T = TypeVar("T", bound=Hashable)


def with_withheld(
    rows: Sequence[PooledLabel], selection: Selection, same_text: Mapping[str, str]
) -> Sequence[PooledLabel]:
    """The labels of one query as a release tells them.

    Args:
        rows: All labels of the query with codes of the release.
        selection: What the release was asked for.
        same_text: For each code whose text stands under several ids what its text is known by.
    """
    kept = [
        _left_out(row) if selection.decided_by and row.decided_by not in selection.decided_by else row for row in rows
    ]
    unlike = unlike_texts((same_text[row.function_id], row.label) for row in kept if row.function_id in same_text)
    return [_contradicted(row) if same_text.get(row.function_id) in unlike else row for row in kept]


def unlike_texts(said: Iterable[tuple[T, Label | None]]) -> set[T]:
    """Texts of which labels say yes and no.

    Args:
        said: Each label, None where it is undecided, with what is labelled.
    """
    labels: dict[T, set[int]] = {}
    for text, label in said:
        if label is not None:
            labels.setdefault(text, set()).add(label)
    return {text for text, of_text in labels.items() if len(of_text) > 1}


def gives_way(label: Label | None, decided_by: str) -> bool:
    """Whether a label is not told where another one of the same text says otherwise.

    As people's word holds for every pair of the same texts, one of theirs that stands alone is only early.
    """
    return label is not None and decided_by != PERSON


def told_instead(withheld: str, decided_by: str) -> Json:
    """What the row of a pair tells in the place of its label.

    Args:
        withheld: One of `WITHHELD`.
        decided_by: Who decided the label.
    """
    left_out = f"{decided_by} decided, which was not asked for"
    reason = left_out if withheld == LEFT_OUT else "the same text has another label for this query"
    return {"label": None, "decided_by": withheld, "reason": reason}


def _left_out(row: PooledLabel) -> PooledLabel:
    return replace(row, **told_instead(LEFT_OUT, row.decided_by))


def _contradicted(row: PooledLabel) -> PooledLabel:
    return replace(row, **told_instead(CONTRADICTED, row.decided_by)) if gives_way(row.label, row.decided_by) else row
