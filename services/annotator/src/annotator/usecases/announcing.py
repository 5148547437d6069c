"""What is said of a pair is the label that it has now, whichever gave the occasion and whenever the broker is back."""

from __future__ import annotations

from annotator.ports import Announcer, Labels, RecordStore, StoredLabel
from annotator.usecases.people import agree

_AT_ONCE = 100


async def current_label(labels: Labels, pair_id: str) -> StoredLabel | None:
    """The label that stands for a pair; None where no pair has exactly this id.

    Raises:
        RetryableError: the store is away.
    """
    return next((label for label in await labels.of_pair(pair_id) if label.pair.pair_id == pair_id), None)


async def announce_current(labels: Labels, records: RecordStore, announcer: Announcer, pair_id: str) -> None:
    """Announce the current label of a pair, undecided ones too: who knows an older one drops it.

    A label that is outranked, or that a replay finds again, would take back what stands. One that comes while an older
    one is being sent has the last word, also where its own announcement overtook that one. Before anything is said,
    every pair with the same query and code has what people say of them, whichever of the two came first.

    Args:
        labels: Keeps labels.
        records: Keeps whole records.
        announcer: Publishes labels.
        pair_id: A pair that has a label.

    Raises:
        RetryableError: store or broker are away.
    """
    said: StoredLabel | None = None
    while True:
        waiting = await labels.unannounced_methods(pair_id)
        current = await current_label(labels, pair_id)
        assert current is not None, f"{pair_id} has no label"
        if current == said:
            return
        changed = await agree(labels, records, current.pair)
        if pair_id in changed:
            continue
        await announcer.announce(current)
        await labels.announced(pair_id, waiting)
        said = current
        for other in changed:
            await announce_current(labels, records, announcer, other)


async def announce_waiting(labels: Labels, records: RecordStore, announcer: Announcer) -> None:
    """Announce what was stored and not announced: its process ended in between, or the broker was away.

    Raises:
        RetryableError: store or broker are away; what is left waits for the next time.
    """
    while pairs := await labels.unannounced(_AT_ONCE):
        for pair_id in pairs:
            await announce_current(labels, records, announcer, pair_id)
