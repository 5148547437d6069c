"""The dead-letter topics on a real broker."""

# aiokafka ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete
from aiokafka.errors import KafkaError

from touchstone_cli.errors import CliError
from touchstone_contracts.topics import TOPICS
from touchstone_runtime.kafka_access import KafkaAccess

_MESSAGE_BYTES = 8 * 1024 * 1024
_READ_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class LogRecord:
    """One message of a dead-letter topic.

    Attributes:
        partition, offset: Where it lies in that topic.
        sent_ms: When it was written, in milliseconds since 1970.
    """

    topic: str
    value: bytes
    key: bytes | None = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    partition: int = 0
    offset: int = 0
    sent_ms: int = 0


class DeadLetterLog(Protocol):
    """What is needed of the broker."""

    async def read(self) -> list[LogRecord]:
        """Everything in the dead-letter topics, oldest first.

        Raises:
            CliError: the broker cannot be used.
        """
        ...

    async def send(self, topic: str, key: bytes | None, value: bytes, headers: dict[str, str]) -> None:
        """Publish a message and wait until the broker has it.

        Raises:
            CliError: the broker does not take it.
        """
        ...

    async def delete(self, until: Mapping[tuple[str, int], int]) -> None:
        """Delete the first messages of dead-letter topics for good.

        Args:
            until: For each topic and partition the first offset that stays.

        Raises:
            CliError: the broker does not do it.
        """
        ...


class KafkaLog:
    """The dead-letter topics of a broker.

    Args:
        access: How the broker is reached.
    """

    def __init__(self, access: KafkaAccess) -> None:
        self._access = access
        self._producer: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._producer is not None:
            await self._producer.stop()

    async def read(self) -> list[LogRecord]:
        """Everything in the dead-letter topics, oldest first."""
        consumer: Any = AIOKafkaConsumer(
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=_MESSAGE_BYTES,
            **self._access.options(),
        )
        try:
            await consumer.start()
            async with asyncio.timeout(_READ_TIMEOUT_S):
                messages = await _read_all(consumer, await _places(self._access))
        except (KafkaError, OSError, TimeoutError) as error:
            raise await self._failure(error) from error
        finally:
            await consumer.stop()
        messages.sort(key=lambda message: (message.timestamp, message.topic, message.partition, message.offset))
        return [
            LogRecord(
                message.topic,
                message.value or b"",
                message.key,
                {name: (value or b"").decode(errors="replace") for name, value in message.headers},
                message.partition,
                message.offset,
                message.timestamp,
            )
            for message in messages
        ]

    async def send(self, topic: str, key: bytes | None, value: bytes, headers: dict[str, str]) -> None:
        """Publish a message and wait until the broker has it."""
        try:
            if self._producer is None:
                producer: Any = AIOKafkaProducer(
                    acks="all",
                    enable_idempotence=True,
                    max_request_size=_MESSAGE_BYTES,
                    **self._access.options(),
                )
                try:
                    await producer.start()
                except BaseException:
                    await producer.stop()
                    raise
                self._producer = producer
            sent = [(name, text.encode()) for name, text in headers.items()]
            await self._producer.send_and_wait(topic, value, key=key, headers=sent)
        except (KafkaError, OSError) as error:
            raise await self._failure(error) from error

    async def delete(self, until: Mapping[tuple[str, int], int]) -> None:
        """Delete the first messages of dead-letter topics for good."""
        admin: Any = AIOKafkaAdminClient(**self._access.options())
        try:
            await admin.start()
            await admin.delete_records({TopicPartition(*place): RecordsToDelete(end) for place, end in until.items()})
        except (KafkaError, OSError) as error:
            raise await self._failure(error) from error
        finally:
            await admin.close()

    async def _failure(self, error: BaseException) -> CliError:
        if (refusal := await self._access.refusal()) is not None:
            return CliError(str(refusal))
        words = str(error) or type(error).__name__
        return CliError(f"{self._access.bootstrap}: Kafka cannot be used: {words}; start it with `touchstone up`")


async def _places(access: KafkaAccess) -> list[TopicPartition]:
    """Every partition of every dead-letter topic that exists."""
    admin: Any = AIOKafkaAdminClient(**access.options())
    try:
        await admin.start()
        present = set(await admin.list_topics())
        wanted = [topic.dead_letters for topic in TOPICS if topic.dead_letters in present]
        described = await admin.describe_topics(wanted) if wanted else []
    finally:
        await admin.close()
    return [
        TopicPartition(topic["topic"], partition["partition"])
        for topic in described
        for partition in topic["partitions"]
    ]


async def _read_all(consumer: Any, places: list[TopicPartition]) -> list[Any]:
    if not places:
        return []
    consumer.assign(places)
    begins = await consumer.beginning_offsets(places)
    ends = await consumer.end_offsets(places)
    open_places = {place for place in places if ends[place] > begins[place]}
    await consumer.seek_to_beginning(*places)
    messages: list[Any] = []
    while open_places:
        for batch in (await consumer.getmany(*open_places, timeout_ms=500)).values():
            messages.extend(batch)
        # Positions, not messages, tell the end: a marker of a transaction has an offset and no message.
        open_places = {place for place in open_places if await consumer.position(place) < ends[place]}
    return messages
