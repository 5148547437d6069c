"""Kafka in and out: at least once, retries with backoff, dead letters, and a stop before too many of those."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import base64
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code
from faststream import AckPolicy
from faststream.kafka import KafkaBroker, KafkaMessage
from pydantic import ValidationError

from touchstone_contracts.envelope import Event
from touchstone_contracts.events import DeadLetter
from touchstone_contracts.topics import TOPICS, Topic, key_of
from touchstone_runtime import metrics
from touchstone_runtime.errors import RetryableError, SuspendedError
from touchstone_runtime.retry import Fault, GivenUpError, RetryPolicy, attempt
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.telemetry import get_logger, trace_id

E = TypeVar("E", bound=Event)

MESSAGE_BYTES = 8 * 1024 * 1024
_WINDOW = 40
_log = get_logger()


@dataclass
class DeadLetterLimit:
    """Tells when a consumer must stop: too large a share of its last messages went to the dead letters.

    The share is looked at only once ten messages of the window were dead, so that one bad message
    after a quiet start stops nobody.
    """

    share: float
    outcomes: deque[bool] = field(default_factory=lambda: deque(maxlen=_WINDOW))

    def record(self, *, dead: bool) -> bool:
        """Note how a message ended; True when the consumer must stop."""
        self.outcomes.append(dead)
        count = sum(self.outcomes)
        return count >= 10 and count / len(self.outcomes) > self.share


class Bus:
    """A service's side of Kafka.

    Args:
        settings: Bootstrap servers, retry policy, dead-letter share.
        service: Name of the service; consumer groups are named after it.
    """

    def __init__(self, settings: ServiceSettings, service: str) -> None:
        self.service = service
        self._settings = settings
        self._policy = RetryPolicy(settings.retry_attempts, settings.retry_backoff_s, settings.retry_backoff_max_s)
        self.broker = KafkaBroker(
            settings.kafka_bootstrap,
            client_id=f"touchstone-{service}",
            acks="all",
            enable_idempotence=True,
            compression_type="gzip",
            max_request_size=MESSAGE_BYTES,
            max_batch_size=1024 * 1024,
            graceful_timeout=settings.stop_timeout_s,
            apply_types=False,
            logger=None,
        )
        self._topics: dict[str, Topic] = {}
        self._waiting: dict[str, str] = {}
        self._halted: dict[str, str] = {}
        self._admin: AIOKafkaAdminClient | None = None
        self._started = False

    def group(self, topic: Topic) -> str:
        """Consumer group of this service on a topic."""
        return f"touchstone.{self.service}.{topic.name.removeprefix('touchstone.')}"

    # -- consuming ---------------------------------------------------------------------------------------------

    def consume(self, topic: Topic, handler: Callable[[Any], Awaitable[None]], *, workers: int = 1) -> None:
        """Hand every event of a topic to the handler; its offset is committed after the handler returned.

        Args:
            topic: Where the events come from.
            handler: Takes one event of the topic's model. Must bear seeing the same event twice.
            workers: Partitions handled side by side; within a partition order holds.
        """
        limit = DeadLetterLimit(self._settings.dead_letter_share)

        async def receive(message: KafkaMessage) -> None:
            await self._handle_one(topic, message.raw_message, handler, limit)

        self._subscribe(topic, receive, max_workers=workers if workers > 1 else None)

    def consume_batch(
        self,
        topic: Topic,
        handler: Callable[[list[Any]], Awaitable[None]],
        *,
        max_records: int = 64,
        max_wait_s: float = 0.2,
    ) -> None:
        """Hand the events of a topic over in batches; when a batch fails for good, each event is tried alone."""
        limit = DeadLetterLimit(self._settings.dead_letter_share)

        async def receive(message: KafkaMessage) -> None:
            await self._handle_batch(topic, list(message.raw_message), handler, limit)  # type: ignore[arg-type]

        self._subscribe(
            topic, receive, batch=True, max_records=max_records, batch_timeout_ms=max(1, int(max_wait_s * 1000))
        )

    def _subscribe(self, topic: Topic, receive: Callable[[KafkaMessage], Awaitable[None]], **options: Any) -> None:
        self._topics[topic.name] = topic
        kept = {name: value for name, value in options.items() if value is not None}
        subscriber: Any = self.broker.subscriber(
            topic.name,
            group_id=self.group(topic),
            auto_offset_reset="earliest",
            # The default acknowledges before the handler ran: a crash would lose the message.
            ack_policy=AckPolicy.NACK_ON_ERROR,
            max_poll_interval_ms=60 * 60 * 1000,
            session_timeout_ms=15_000,
            max_partition_fetch_bytes=MESSAGE_BYTES,
            decoder=_whole_message,
            **kept,
        )
        subscriber(receive)

    async def _handle_one(
        self, topic: Topic, record: Any, handler: Callable[[Any], Awaitable[None]], limit: DeadLetterLimit
    ) -> None:
        await self._hold_if_halted(topic)
        started = time.monotonic()

        async def work() -> None:
            event = topic.event.model_validate_json(record.value or b"")
            token = trace_id.set(event.trace_id or event.event_id)
            try:
                await handler(event)
            finally:
                trace_id.reset(token)

        dead = False
        try:
            await attempt(work, self._policy, on_fault=self._on_fault(topic))
        except GivenUpError as error:
            await self._bury(topic, record, error)
            dead = True
        self._waiting.pop(topic.name, None)
        self._finish(topic, limit, started, dead=dead)

    async def _handle_batch(
        self, topic: Topic, records: list[Any], handler: Callable[[list[Any]], Awaitable[None]], limit: DeadLetterLimit
    ) -> None:
        await self._hold_if_halted(topic)
        started = time.monotonic()
        events: list[Event] = []
        good: list[Any] = []
        for record in records:
            try:
                events.append(topic.event.model_validate_json(record.value or b""))
                good.append(record)
            except ValidationError as error:
                await self._bury(topic, record, GivenUpError(error, 1))
                self._finish(topic, limit, started, dead=True)
        if not events:
            return
        token = trace_id.set(events[0].trace_id or events[0].event_id)
        try:
            await attempt(lambda: handler(events), self._policy, on_fault=self._on_fault(topic))
        except GivenUpError as error:
            if len(events) == 1:
                await self._bury(topic, good[0], error)
                self._finish(topic, limit, started, dead=True)
                return

            async def alone(event: Any) -> None:
                await handler([event])

            for record in good:
                await self._handle_one(topic, record, alone, limit)
            return
        finally:
            trace_id.reset(token)
        self._waiting.pop(topic.name, None)
        for _ in events:
            self._finish(topic, limit, started, dead=False)

    def _on_fault(self, topic: Topic) -> Callable[[Exception, Fault, int], None]:
        def note(error: Exception, fault: Fault, tries: int) -> None:
            if fault is Fault.FINAL:
                return
            metrics.EVENT_RETRIES.labels(topic.name).inc()
            if fault is Fault.WAIT:
                self._waiting[topic.name] = str(error)
            if isinstance(error, SuspendedError) and tries > 1:
                return
            _log.warning("event_retried", topic=topic.name, tries=tries, error=f"{type(error).__name__}: {error}")

        return note

    def _finish(self, topic: Topic, limit: DeadLetterLimit, started: float, *, dead: bool) -> None:
        metrics.EVENT_SECONDS.labels(topic.name).observe(time.monotonic() - started)
        metrics.EVENTS_HANDLED.labels(topic.name, "dead" if dead else "done").inc()
        if limit.record(dead=dead) and topic.name not in self._halted:
            self._halted[topic.name] = (
                f"{topic.name}: stopped, {sum(limit.outcomes)} of the last {len(limit.outcomes)} messages went to "
                f"{topic.dead_letters}; see `touchstone dlq list`, mend the cause and restart the service"
            )
            metrics.CONSUMERS_HALTED.inc()
            _log.error("consumer_halted", topic=topic.name, dead=sum(limit.outcomes))

    async def _hold_if_halted(self, topic: Topic) -> None:
        # Holding the message, rather than leaving the group, keeps the partition from a replica with the same fault.
        if topic.name in self._halted:
            await asyncio.Event().wait()

    async def _bury(self, topic: Topic, record: Any, error: GivenUpError) -> None:
        """Send a message to the dead letters; when even that fails the exception leaves the message uncommitted."""
        letter = DeadLetter(
            topic=topic.name,
            partition=record.partition,
            offset=record.offset,
            key=(record.key or b"").decode(errors="replace"),
            body=base64.b64encode(record.value or b"").decode(),
            headers={name: value.decode(errors="replace") for name, value in record.headers or ()},
            service=self.service,
            reason=_reason(error.cause),
            exception=f"{type(error.cause).__module__}.{type(error.cause).__qualname__}",
            attempts=error.attempts,
        )
        _log.error("event_dead", topic=topic.name, partition=record.partition, offset=record.offset, why=letter.reason)
        await self._send(topic.dead_letters, letter.model_dump_json().encode(), record.key)

    # -- publishing --------------------------------------------------------------------------------------------

    async def publish(self, topic: Topic, event: Event) -> None:
        """Publish one event and wait until the broker has it.

        Raises:
            RetryableError: the broker does not take it.
        """
        await self.publish_all(topic, [event])

    async def publish_all(self, topic: Topic, events: Sequence[Event]) -> None:
        """Publish events and wait until the broker has all of them.

        Raises:
            RetryableError: the broker does not take them.
        """
        current = trace_id.get()
        for start in range(0, len(events), 500):
            chunk = events[start : start + 500]
            async with asyncio.TaskGroup() as group:
                for event in chunk:
                    sent = event.model_copy(update={"trace_id": current}) if current and not event.trace_id else event
                    group.create_task(self._send(topic.name, sent.model_dump_json().encode(), key_of(topic, event)))
        metrics.EVENTS_PUBLISHED.labels(topic.name).inc(len(events))

    async def _send(self, topic: str, body: bytes, key: bytes | None) -> None:
        if len(body) > MESSAGE_BYTES - 4096:
            raise RetryableError(f"an event of {len(body)} bytes is too large for {topic}", thing=topic)
        await self.broker.publish(body, topic, key=key)

    # -- life --------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Make the topics, then start consuming; waits for a broker that is still starting."""
        await attempt(self._create_topics, RetryPolicy(60, 0.5, 5.0), on_fault=self._log_start_fault)
        await self.broker.start()
        self._started = True

    def _log_start_fault(self, error: Exception, _fault: Fault, tries: int) -> None:
        if tries in (1, 10) or tries % 60 == 0:
            _log.warning("broker_awaited", bootstrap=self._settings.kafka_bootstrap, error=str(error))

    async def _create_topics(self) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self._settings.kafka_bootstrap)
        try:
            await admin.start()
            present = set(await admin.list_topics())
            wanted: list[NewTopic] = []
            for topic in TOPICS:
                size = {"max.message.bytes": str(MESSAGE_BYTES)}
                for name, partitions in ((topic.name, topic.partitions), (topic.dead_letters, 1)):
                    if name not in present:
                        wanted.append(NewTopic(name, partitions, self._settings.kafka_replication, topic_configs=size))
            if wanted:
                answer: Any = await admin.create_topics(wanted)
                for name, code, *_ in answer.topic_errors:
                    if code not in (0, TopicAlreadyExistsError.errno):
                        raise for_code(code)(f"cannot create topic {name}")
        finally:
            await admin.close()

    async def stop(self) -> None:
        """Finish what is in flight, or give it back, and leave the groups."""
        self._started = False
        if self._admin:
            await self._admin.close()
        await self.broker.stop()

    @property
    def activities(self) -> list[str]:
        """What stands still and why, one line each."""
        return [*self._halted.values(), *(f"{name}: waiting: {why}" for name, why in self._waiting.items())]

    @property
    def halted(self) -> bool:
        """Whether a consumer stopped over too many dead letters."""
        return bool(self._halted)

    async def ping(self) -> bool:
        """Whether the broker answers."""
        return self._started and await self.broker.ping(timeout=3.0)

    async def lag(self) -> int:
        """Messages on this service's topics that it has not committed; -1 when the broker cannot say."""
        try:
            return sum([await self._lag_of(topic) for topic in self._topics.values()])
        except (KafkaError, OSError, TimeoutError):
            if self._admin:
                await self._admin.close()
                self._admin = None
            return -1

    async def lag_of(self, topic: Topic) -> int:
        """Messages on one topic that this service has not committed; -1 when the broker cannot say."""
        try:
            return await self._lag_of(topic)
        except (KafkaError, OSError, TimeoutError):
            return -1

    async def _lag_of(self, topic: Topic) -> int:
        if self._admin is None:
            admin = AIOKafkaAdminClient(bootstrap_servers=self._settings.kafka_bootstrap)
            await admin.start()
            self._admin = admin
        ends = await _end_offsets(self._settings.kafka_bootstrap, topic)
        committed: dict[TopicPartition, Any] = await self._admin.list_consumer_group_offsets(self.group(topic))
        total = 0
        for partition, end in ends.items():
            position = committed[partition].offset if partition in committed else 0
            total += max(0, end - max(position, 0))
        return total


async def _whole_message(message: KafkaMessage) -> KafkaMessage:
    """Hand the message over undecoded: decoding belongs inside the retry, where poison is set aside."""
    return message


async def _end_offsets(bootstrap: str, topic: Topic) -> dict[TopicPartition, int]:
    consumer = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        partitions = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
        return await consumer.end_offsets(partitions)
    finally:
        await consumer.stop()


def _reason(error: Exception) -> str:
    """One line that says what was wrong, without the content of the message."""
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return f"cannot be decoded: {place or 'body'}: {first['msg']}"
    return (str(error) or type(error).__name__).splitlines()[0][:500]
