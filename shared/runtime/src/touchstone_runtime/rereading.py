"""Topics read once more from their first message, outside of any consumer group."""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import KafkaError
from pydantic import ValidationError

from touchstone_contracts.envelope import Event
from touchstone_contracts.topics import Topic
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.leaving import leave

_POLL_MS = 1000
_FETCH_BYTES = 8 * 1024 * 1024


@dataclass(frozen=True)
class Reread:
    """Events of one partition, in order.

    Args:
        events: Those that can be read; the others are in the dead letters.
        partition: Where they are from.
        position: Offset behind them: where to go on.
        left: Offsets behind that one, in this partition.
    """

    events: tuple[Event, ...]
    partition: int
    position: int
    left: int


async def reread(
    access: KafkaAccess, topic: Topic, positions: Mapping[int, int], *, most: int = 256
) -> AsyncGenerator[Reread]:
    """Every event of a topic, from given positions on, until nothing is behind them.

    What comes in while this reads is read too, so that at the end nothing newer was overtaken by something older.

    Args:
        access: How the broker is reached.
        topic: What to read.
        positions: Where to begin, by partition; at the first message that is kept where nothing is said.
        most: Events at a time.

    Raises:
        DependencyAwayError: the broker is away.
    """
    consumer: Any = AIOKafkaConsumer(
        enable_auto_commit=False, max_partition_fetch_bytes=_FETCH_BYTES, **access.options()
    )
    try:
        await consumer.start()
        places = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
        consumer.assign(places)
        begins = await consumer.beginning_offsets(places)
        for place in places:
            consumer.seek(place, max(positions.get(place.partition, 0), begins[place]))
        while True:
            ends = await consumer.end_offsets(places)
            # Positions, not messages, tell the end: what was compacted away leaves gaps.
            behind = [place for place in places if await consumer.position(place) < ends[place]]
            if not behind:
                return
            found = await consumer.getmany(*behind, timeout_ms=_POLL_MS, max_records=most)
            for place, records in found.items():
                after = records[-1].offset + 1
                yield Reread(_events(topic, records), place.partition, after, max(0, ends[place] - after))
    except (KafkaError, OSError) as error:
        raise DependencyAwayError(f"cannot be read: {error}", thing=topic.name, way_out="is Kafka up?") from error
    finally:
        await leave(consumer.stop(), topic.name)


def _events(topic: Topic, records: list[Any]) -> tuple[Event, ...]:
    events: list[Event] = []
    for record in records:
        try:
            events.append(topic.event.model_validate_json(record.value or b""))
        except (ValidationError, RecursionError):
            continue
    return tuple(events)
