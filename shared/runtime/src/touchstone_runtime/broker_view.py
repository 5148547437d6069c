"""What a service asks the broker beside its messages: whether it answers, how much waits, and to let go of the old."""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import KafkaError

from touchstone_contracts.topics import Topic
from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.leaving import leave
from touchstone_runtime.telemetry import get_logger

_ANSWER_S = 3.0
# How long whoever asks how much waits is kept waiting himself.
_LOOK_S = 10.0
_DAY_S = 24 * 60 * 60
_log = get_logger()


class BrokerView:
    """Two connections to the broker that are made when they are first needed, and kept.

    Args:
        access: How the broker is reached.
    """

    def __init__(self, access: KafkaAccess) -> None:
        self._access = access
        self._admin: AIOKafkaAdminClient | None = None
        self._ends: AIOKafkaConsumer | None = None
        self._connecting = asyncio.Lock()
        self._looking = asyncio.Lock()

    async def absence(self) -> str:
        """Why the broker does not answer, or not soon; empty where it does."""
        away = "the broker does not answer"
        try:
            async with asyncio.timeout(_ANSWER_S):
                try:
                    admin = await self._administering()
                    await admin.describe_cluster()
                except (KafkaError, OSError):
                    return str(await self._access.refusal() or away)
        except TimeoutError:
            return away
        except PreconditionError as error:
            return str(error)
        return ""

    async def lag(self, groups: Iterable[tuple[str, Topic]]) -> int:
        """Messages that groups have not committed, each on its topic; -1 when the broker cannot say, or not soon."""
        try:
            # One look at a time: whoever comes meanwhile waits no longer than one who came first.
            async with asyncio.timeout(_LOOK_S), self._looking:
                try:
                    return sum([await self._lag_of(group, topic) for group, topic in groups])
                except (KafkaError, OSError, PreconditionError):
                    await self.close()
                    return -1
        except TimeoutError:
            return -1

    async def let_go(self, topic: Topic) -> None:
        """Delete what every consumer of a topic has handled and is older than the topic is to keep it.

        A consumer that has not said how far it is has handled nothing, so that all waits for it.

        Raises:
            KafkaError: the broker is away, or its rights do not let us.
        """
        if topic.compacted:
            return
        async with self._looking:
            await self._delete_handled(topic)

    async def close(self) -> None:
        """Hang up; a later question connects again."""
        admin, ends, self._admin, self._ends = self._admin, self._ends, None, None
        if admin:
            await leave(admin.close(), "the broker")
        if ends:
            await leave(ends.stop(), "the broker")

    async def _lag_of(self, group: str, topic: Topic) -> int:
        asking, places = await self._asking(), _places(topic)
        committed = await self._committed(group)
        # What is gone waits for nobody: a group that has not said how far it is begins at the first that is there.
        begins, ends = await asking.beginning_offsets(places), await asking.end_offsets(places)
        return sum(max(0, ends[place] - max(committed.get(place, 0), begins[place])) for place in places)

    async def _delete_handled(self, topic: Topic) -> None:
        admin, asking = await self._administering(), await self._asking()
        places = _places(topic)
        committed = [await self._committed(topic.group(service)) for service in topic.consumers]
        begins, ends = await asking.beginning_offsets(places), await asking.end_offsets(places)
        # What comes from now on is young, whatever its sender's clock says: it is behind these ends.
        oldest_ms = int((time.time() - topic.retention_days * _DAY_S) * 1000)
        young: dict[TopicPartition, Any] = await asking.offsets_for_times(dict.fromkeys(places, oldest_ms))
        going = {
            place: min(
                [young[place].offset if young[place] else ends[place], *(each.get(place, 0) for each in committed)]
            )
            for place in places
        }
        if going := {place: until for place, until in going.items() if until > begins[place]}:
            await admin.delete_records({place: RecordsToDelete(until) for place, until in going.items()})
            gone = sum(until - begins[place] for place, until in going.items())
            _log.info("messages_let_go", topic=topic.name, messages=gone)

    async def _committed(self, group: str) -> dict[TopicPartition, int]:
        """The first offset that a group has not handled, of each partition of which it has said so."""
        admin = await self._administering()
        found: dict[TopicPartition, Any] = await admin.list_consumer_group_offsets(group)
        return {place: kept.offset for place, kept in found.items() if kept.offset >= 0}

    async def _administering(self) -> AIOKafkaAdminClient:
        async with self._connecting:
            if self._admin is None:
                admin = AIOKafkaAdminClient(**self._access.options())
                try:
                    await admin.start()
                except BaseException:
                    await admin.close()
                    raise
                self._admin = admin
            return self._admin

    async def _asking(self) -> AIOKafkaConsumer:
        if self._ends is None:
            ends = AIOKafkaConsumer(enable_auto_commit=False, **self._access.options())
            try:
                await ends.start()
            except BaseException:
                await ends.stop()
                raise
            self._ends = ends
        return self._ends


def _places(topic: Topic) -> list[TopicPartition]:
    return [TopicPartition(topic.name, number) for number in range(topic.partitions)]
