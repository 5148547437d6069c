"""Labels as events."""

from __future__ import annotations

from datetime import UTC, datetime

from annotator.ports import StoredLabel
from touchstone_contracts.events import UNDECIDED, PairLabelled, Usage
from touchstone_contracts.topics import PAIR_LABELLED
from touchstone_runtime.bus import Bus


class BusAnnouncer:
    """Publishes labels on the bus."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def announce(self, label: StoredLabel) -> None:
        """Publish a stored label and wait until the broker has it."""
        await self._bus.publish(PAIR_LABELLED, event_of(label))


def event_of(label: StoredLabel) -> PairLabelled:
    """The event of a stored label; its time is that of the label, so that a replay says the same."""
    return PairLabelled(
        occurred_at=label.labelled_at or datetime.fromtimestamp(0, UTC),
        pair_id=label.pair.pair_id,
        query_id=label.pair.query_id,
        function_id=label.pair.function_id,
        label=UNDECIDED if label.label is None else label.label,
        reason=label.reason,
        record_digest=label.record_digest,
        self_reported=label.self_reported,
        decided_by=label.decided_by,
        executed=label.executed,
        score=label.score,
        method_id=label.method_id,
        audit=label.audit,
        reading=label.reading,
        usage=Usage(
            tokens_in=label.effort.tokens_in,
            tokens_out=label.effort.tokens_out,
            seconds=label.effort.seconds,
            cost_usd=label.effort.cost_usd,
            calls=label.calls,
        ),
    )
