"""What a service asks the broker beside its messages: whether it answers, and how much waits."""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from touchstone_contracts.topics import Topic
from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.kafka_access import KafkaAccess

_ANSWER_S = 3.0
# How long whoever asks how much waits is kept waiting himself.
_LOOK_S = 10.0


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
                except (KafkaError, OSError):
                    await self.close()
                    return -1
        except TimeoutError:
            return -1

    async def close(self) -> None:
        """Hang up; a later question connects again."""
        admin, ends, self._admin, self._ends = self._admin, self._ends, None, None
        if admin:
            await admin.close()
        if ends:
            await ends.stop()

    async def _lag_of(self, group: str, topic: Topic) -> int:
        admin, ends = await self._administering(), await self._asking()
        places = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
        reached: dict[TopicPartition, int] = await ends.end_offsets(places)
        committed: dict[TopicPartition, Any] = await admin.list_consumer_group_offsets(group)
        total = 0
        for place, end in reached.items():
            position = committed[place].offset if place in committed else 0
            total += max(0, end - max(position, 0))
        return total

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
