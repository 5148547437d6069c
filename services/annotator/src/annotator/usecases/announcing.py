"""What is said of a pair is the label that it has now, whichever label gave the occasion."""

from __future__ import annotations

from annotator.ports import Announcer, Labels


async def announce_current(labels: Labels, announcer: Announcer, pair_id: str) -> None:
    """Announce the current label of a pair, undecided ones too: who knows an older one drops it.

    A label that is outranked, or that a replay finds again, would take back what stands.

    Args:
        pair_id: A pair that has a label.

    Raises:
        RetryableError: store or broker are away.
    """
    found = [label for label in await labels.of_pair(pair_id) if label.pair.pair_id == pair_id]
    await announcer.announce(found[0])
