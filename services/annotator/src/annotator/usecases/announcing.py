"""What is said of a pair is the label that it has now, whichever label gave the occasion."""

from __future__ import annotations

from annotator.ports import Announcer, Labels, StoredLabel


async def current_label(labels: Labels, pair_id: str) -> StoredLabel | None:
    """The label that stands for a pair; None where no pair has exactly this id.

    Raises:
        RetryableError: the store is away.
    """
    return next((label for label in await labels.of_pair(pair_id) if label.pair.pair_id == pair_id), None)


async def announce_current(labels: Labels, announcer: Announcer, pair_id: str) -> None:
    """Announce the current label of a pair, undecided ones too: who knows an older one drops it.

    A label that is outranked, or that a replay finds again, would take back what stands.

    Args:
        pair_id: A pair that has a label.

    Raises:
        RetryableError: store or broker are away.
    """
    current = await current_label(labels, pair_id)
    assert current is not None, f"{pair_id} has no label"
    await announcer.announce(current)
