"""Kafka in and out: at least once, retries with backoff, dead letters, and a stop before our own faults fill those."""

# The Kafka and gRPC libraries ship few types; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, TypeVar

from aiokafka.errors import KafkaError, OutOfOrderSequenceNumber
from faststream.kafka import KafkaBroker
from pydantic import ValidationError

from touchstone_contracts.envelope import Event
from touchstone_contracts.topics import Topic, key_of
from touchstone_runtime import metrics, tracing
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.broker_view import BrokerView
from touchstone_runtime.consuming import Consumption, Handling
from touchstone_runtime.dead_letters import SHOWN, DeadLetterLimit, letter_of, shortened
from touchstone_runtime.errors import PermanentError, words_of
from touchstone_runtime.faults import DependencyAwayError, Fault, classify, is_the_messages
from touchstone_runtime.leaving import leave
from touchstone_runtime.repeating import repeat
from touchstone_runtime.retry import GivenUpError, RetryPolicy, attempt, told
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.telemetry import get_logger
from touchstone_runtime.topic_admin import reconcile_topics

E = TypeVar("E", bound=Event)

MESSAGE_BYTES = 8 * 1024 * 1024
# What an event may have, so that its envelope at the broker fits too.
EVENT_BYTES = MESSAGE_BYTES - 4096
_LAG_EVERY_S = 15.0
_LET_GO_EVERY_S = 3600.0
# A service answers calls before the broker has taken it: what these publish waits so long for that.
_FIRST_CONNECTION_S = 20.0
# Messages that are taken ahead where lanes keep them apart: a lane that waits must not fill the window.
_LANES_WINDOW = 5000
_log = get_logger()


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
        self._blobs = BlobStore(settings.blob_url)
        self._producer: KafkaBroker | None = None
        self._producing = asyncio.Lock()
        self._connected = asyncio.Event()
        self._topics: dict[str, Topic] = {}
        self._consumptions: list[Consumption] = []
        # What messages that are handled together wait for, and how many they are, by the place of the first.
        self._waiting: dict[tuple[str, int, int], tuple[str, int]] = {}
        self._halted: dict[str, str] = {}
        self._broker = BrokerView(settings.kafka())
        self._started = False
        self._beside: list[asyncio.Task[None]] = []

    def group(self, topic: Topic) -> str:
        """Consumer group of this service on a topic."""
        return topic.group(self.service)

    # -- consuming ---------------------------------------------------------------------------------------------

    def consume(
        self,
        topic: Topic,
        handler: Callable[[Any], Awaitable[None]],
        *,
        workers: int = 1,
        lane: Callable[[Any], str] | None = None,
        together: int = 0,
    ) -> None:
        """Hand every event of a topic to the handler; its offset is committed after the handler returned.

        Args:
            topic: Where the events come from.
            handler: Takes one event of the topic's model. Must bear seeing the same event twice.
            workers: Partitions handled side by side, in each lane; within a partition and a lane order holds.
            lane: What events wait together: one that waits holds up only those of its own lane.
            together: Events of all lanes handled side by side, at most; the lanes take turns. 0 sets no bound.
        """

        async def handle(events: list[Any]) -> None:
            await handler(events[0])

        self._subscribe(topic, handle, width=workers, lane=lane, together=together)

    def consume_batch(
        self,
        topic: Topic,
        handler: Callable[[list[Any]], Awaitable[None]],
        *,
        max_records: int = 64,
        max_wait_s: float = 0.2,
        lane: Callable[[Any], str] | None = None,
        together: int = 0,
    ) -> None:
        """Hand the events of a topic over in batches; when a batch fails for good, each event is tried alone.

        Args:
            topic: Where the events come from.
            handler: Takes events of the topic's model, of one partition and lane, in order.
            max_records: Events in a batch, at most.
            max_wait_s: How long the first event of a batch waits for others, in seconds.
            lane: What events wait together: one that waits holds up only those of its own lane.
            together: Batches of all lanes handled side by side, at most; the lanes take turns. 0 sets no bound.
        """

        async def handle(events: list[Any]) -> None:
            await handler(events)

        self._subscribe(topic, handle, most=max_records, gather_s=max_wait_s, lane=lane, together=together)

    def _subscribe(
        self,
        topic: Topic,
        handle: Callable[[list[Any]], Awaitable[None]],
        *,
        width: int = 1,
        most: int = 1,
        gather_s: float = 0.0,
        lane: Callable[[Any], str] | None = None,
        together: int = 0,
    ) -> None:
        self._topics[topic.name] = topic
        limit = DeadLetterLimit(self._settings.dead_letter_share)

        async def work(records: list[Any]) -> None:
            await self._hold_if_halted(topic, consumption)
            await self._handle(topic, records, handle, limit, consumption)

        async def abandon(record: Any, tries: int) -> None:
            fault = PermanentError(f"ended the process of {self.service} {tries} times", thing=topic.name)
            await self._bury(topic, record, GivenUpError(fault, tries), consumption)
            self._finish(topic, limit, dead=True, ours=True)

        handling = Handling(
            work,
            abandon,
            _lane_of(topic, lane) if lane else lambda _record: "",
            width,
            most,
            _LANES_WINDOW if lane else max(100, 2 * most),
            gather_s,
            together,
        )
        options = {
            "client_id": f"touchstone-{self.service}",
            "session_timeout_ms": 15_000,
            "max_partition_fetch_bytes": MESSAGE_BYTES,
        }
        consumption = Consumption(
            topic.name,
            self.group(topic),
            self._settings.kafka(),
            options,
            handling,
            self._settings.stop_timeout_s,
        )
        self._consumptions.append(consumption)
        metrics.begin_topic(topic.name)
        metrics.EVENTS_IN_HAND.labels(topic.name).set_function(lambda: consumption.in_hand)
        metrics.OLDEST_EVENT_SECONDS.labels(topic.name).set_function(consumption.oldest_s)

    async def _handle(
        self,
        topic: Topic,
        records: list[Any],
        handle: Callable[[list[Any]], Awaitable[None]],
        limit: DeadLetterLimit,
        consumption: Consumption,
    ) -> None:
        """Handle records until they are done or in the dead letters."""
        started = time.monotonic()
        for record in records:
            metrics.EVENT_WAIT_SECONDS.labels(topic.name).observe(metrics.waited_s(record.timestamp))
        with metrics.in_flight(topic.name, len(records)):
            await self._handle_decoded(topic, records, handle, limit, consumption)
        metrics.EVENT_SECONDS.labels(topic.name).observe(time.monotonic() - started)

    async def _handle_decoded(
        self,
        topic: Topic,
        records: list[Any],
        handle: Callable[[list[Any]], Awaitable[None]],
        limit: DeadLetterLimit,
        consumption: Consumption,
    ) -> None:
        events: list[Event] = []
        good: list[Any] = []
        for record in records:
            try:
                events.append(topic.event.model_validate_json(record.value or b""))
                good.append(record)
            except (ValidationError, RecursionError) as error:
                await self._bury(topic, record, GivenUpError(error, 1), consumption)
                self._finish(topic, limit, dead=True)
        if not events:
            return
        with tracing.handling(topic, self.group(topic), good, events) as spans:
            died = await self._attempt(topic, good, lambda: handle(list(events)), consumption)
            if died is not None:
                tracing.failed(spans, died.cause)
            if died is not None and len(events) == 1:
                await self._bury(topic, good[0], died, consumption)
        if died is not None and len(events) > 1:
            for record in good:
                await self._handle_decoded(topic, [record], handle, limit, consumption)
            return
        for _ in events:
            self._finish(topic, limit, dead=died is not None, ours=died is not None and not is_the_messages(died.cause))

    async def _attempt(
        self, topic: Topic, records: list[Any], work: Callable[[], Awaitable[None]], consumption: Consumption
    ) -> GivenUpError | None:
        """Try until the work is done, or for good not; gives why not."""
        note = self._noter(topic, records, consumption)
        try:
            await attempt(work, self._policy, sleep=consumption.pause, on_fault=note)
        except GivenUpError as error:
            return error
        finally:
            self._goes_on(topic, records)
        return None

    def _noter(
        self, topic: Topic, records: list[Any], consumption: Consumption
    ) -> Callable[[Exception, Fault, int], None]:
        def note(error: Exception, fault: Fault, tries: int) -> None:
            if fault is Fault.FINAL:
                return
            if fault is Fault.RETRY:
                # What waits spends no try and ends in no dead letters: MESSAGES_WAITING tells of it.
                metrics.EVENT_RETRIES.labels(topic.name).inc()
            if fault is Fault.WAIT:
                first = records[0]
                self._waiting[(topic.name, first.partition, first.offset)] = _words(error), len(records)
                metrics.MESSAGES_WAITING.labels(topic.name).set(self._waiting_on(topic))
                for record in records:
                    consumption.waits(record)
                if tries > 1 and tries % 20:
                    return
            _log.warning("event_retried", topic=topic.name, tries=tries, fault=fault.value, error=_words(error))

        return note

    def _goes_on(self, topic: Topic, records: list[Any]) -> None:
        self._waiting.pop((topic.name, records[0].partition, records[0].offset), None)
        metrics.MESSAGES_WAITING.labels(topic.name).set(self._waiting_on(topic))

    def _waiting_on(self, topic: Topic) -> int:
        return sum(count for (name, _, _), (_, count) in self._waiting.items() if name == topic.name)

    def _finish(self, topic: Topic, limit: DeadLetterLimit, *, dead: bool, ours: bool = False) -> None:
        metrics.EVENTS_HANDLED.labels(topic.name, "dead" if dead else "done").inc()
        if limit.record(died_of_us=ours) and topic.name not in self._halted:
            self._halted[topic.name] = (
                f"{topic.name}: stopped, {sum(limit.outcomes)} of the last {len(limit.outcomes)} messages failed in "
                f"{self.service} and went to {topic.dead_letters}; see `touchstone dlq list`, mend the cause and "
                "restart the service"
            )
            metrics.CONSUMERS_HALTED.inc()
            _log.error("consumer_halted", topic=topic.name, dead=sum(limit.outcomes))

    async def _hold_if_halted(self, topic: Topic, consumption: Consumption) -> None:
        # Holding the message, rather than leaving the group, keeps the partition from a replica with the same fault.
        while topic.name in self._halted:
            await consumption.pause(3600.0)

    async def _bury(self, topic: Topic, record: Any, error: GivenUpError, consumption: Consumption) -> None:
        """Send a message to the dead letters; it waits in hand as long as these cannot take it."""
        letter = letter_of(topic, record, self.service, error)
        _log.error("event_dead", topic=topic.name, partition=record.partition, offset=record.offset, why=letter.reason)

        async def send() -> None:
            sent, key = letter, record.key or b""
            body = sent.model_dump_json().encode()
            if len(body) + len(key) > EVENT_BYTES:
                # Base64 and envelope make a letter larger than its message: the message itself goes to the blobs.
                digest = await self._blobs.put(record.value or b"")
                sent = sent.model_copy(update={"body": "", "body_digest": digest})
                body = sent.model_dump_json().encode()
            if len(body) + len(key) > EVENT_BYTES:
                # No letter of ours has a key or headers of megabytes: what shows them is enough.
                body, key = shortened(sent).model_dump_json().encode(), key[:SHOWN]
            await self._send(topic.dead_letters, body, key or record.key)

        while (failed := await self._attempt(topic, [record], send, consumption)) is not None:
            _log.error("letter_not_taken", topic=topic.dead_letters, offset=record.offset, error=str(failed.cause))
            await consumption.pause(self._settings.retry_backoff_max_s)

    # -- publishing --------------------------------------------------------------------------------------------

    async def publish(self, topic: Topic, event: Event) -> None:
        """Publish one event and wait until the broker has it.

        Raises:
            DependencyAwayError: the broker is away.
            PermanentError: the event is larger than any may be.
        """
        await self.publish_all(topic, [event])

    async def publish_all(self, topic: Topic, events: Sequence[Event]) -> None:
        """Publish events and wait until the broker has all of them.

        Raises:
            DependencyAwayError: the broker is away.
            PermanentError: an event is larger than any may be.
        """
        for start in range(0, len(events), 500):
            some = events[start : start + 500]
            done = await asyncio.gather(*(self._publish(topic, event) for event in some), return_exceptions=True)
            # One fault stands for all: a group of them would hide its class from whoever judges it.
            faults = [each for each in done if isinstance(each, BaseException)]
            if faults:
                raise min(faults, key=lambda fault: _GRAVITY[classify(fault)])
        metrics.EVENTS_PUBLISHED.labels(topic.name).inc(len(events))

    async def _publish(self, topic: Topic, event: Event) -> None:
        with tracing.publishing(topic, event) as (sent, headers):
            await self._send(topic.name, sent.model_dump_json().encode(), key_of(topic, sent), headers)

    async def _send(self, topic: str, body: bytes, key: bytes | None, headers: dict[str, str] | None = None) -> None:
        if len(body) > EVENT_BYTES:
            raise PermanentError(f"an event of {len(body)} bytes is too large", thing=topic)
        producer = await self._first_producer()
        try:
            await producer.publish(body, topic, key=key, headers=headers)
        except OutOfOrderSequenceNumber:
            # What the broker refused before left a gap in what the producer counts, and it did not take this one
            # either: that is the fault of no message.
            fresh = await self._renew(producer)
            await fresh.publish(body, topic, key=key, headers=headers)
        except KafkaError as error:
            if classify(error) is Fault.RETRY:
                # An idempotent producer that lost its place stays lost: a new one takes over.
                await self._renew(producer)
            raise

    async def _first_producer(self) -> KafkaBroker:
        """The producer, which a service that has only begun waits for a while."""
        if self._producer is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._connected.wait(), _FIRST_CONNECTION_S)
        if self._producer is None:
            raise DependencyAwayError("is not connected yet", thing=self._settings.kafka_bootstrap)
        return self._producer

    async def _renew(self, spoilt: KafkaBroker) -> KafkaBroker:
        """The producer in the place of one that is of no more use."""
        async with self._producing:
            if self._producer is not None and self._producer is not spoilt:
                return self._producer
            fresh = self._new_producer()
            await fresh.start()
            self._producer = fresh
        await leave(spoilt.stop(), "the producer")
        return fresh

    def _new_producer(self) -> KafkaBroker:
        return KafkaBroker(
            self._settings.kafka_bootstrap,
            client_id=f"touchstone-{self.service}",
            acks="all",
            enable_idempotence=True,
            compression_type="gzip",
            max_request_size=MESSAGE_BYTES,
            max_batch_size=1024 * 1024,
            security=self._settings.kafka().security(),
            apply_types=False,
            logger=logging.getLogger("faststream"),
        )

    # -- life --------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Make the topics, then start consuming; waits for a broker that is still starting."""
        await self._awaiting(lambda: reconcile_topics(self._settings, MESSAGE_BYTES))
        producer = self._new_producer()
        await self._awaiting(producer.start)
        self._producer = producer
        self._connected.set()
        for consumption in self._consumptions:
            await self._awaiting(consumption.start)
        self._started = True
        self._beside = [
            asyncio.create_task(repeat(self._tell_lag, _LAG_EVERY_S), name="lag"),
            # Each topic by itself: one that the broker does not let us delete from keeps the others from nothing.
            *(
                asyncio.create_task(repeat(partial(self._broker.let_go, topic), _LET_GO_EVERY_S), name="let go")
                for topic in self._topics.values()
            ),
        ]

    async def _tell_lag(self) -> None:
        for topic in self._topics.values():
            # A broker that cannot say leaves the last figure; that it is away is told elsewhere.
            if (lag := await self.lag_of(topic)) >= 0:
                metrics.LAG.labels(self.service, topic.name).set(lag)

    async def _awaiting(self, work: Callable[[], Awaitable[None]]) -> None:
        async def reach() -> None:
            try:
                await work()
            except (KafkaError, OSError) as error:
                # One that does not take us as we are set up is not waited for: waiting mends no password.
                if (refusal := await self._settings.kafka().refusal()) is not None:
                    raise refusal from error
                raise

        tell = told("broker_awaited", bootstrap=self._settings.kafka_bootstrap)
        await attempt(reach, RetryPolicy(60, 0.5, 5.0), on_fault=tell)

    async def leave(self) -> None:
        """Finish what is in flight, or give it back, and leave the groups; one may still publish."""
        self._started = False
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        await asyncio.gather(*(consumption.stop() for consumption in self._consumptions))

    async def stop(self) -> None:
        """Leave the groups, and publish no more."""
        await self.leave()
        await self._broker.close()
        if self._producer:
            await leave(self._producer.stop(), "the producer")

    @property
    def activities(self) -> list[str]:
        """What stands still and why, one line each."""
        waiting = {f"{name}: waiting: {why}": None for (name, _, _), (why, _) in self._waiting.items()}
        failing = [line for consumption in self._consumptions for line in consumption.failing]
        return [*self._stopped, *failing, *waiting]

    @property
    def waiting(self) -> list[str]:
        """What messages wait for, one line each."""
        return [line for line in self.activities if line not in self._stopped]

    @property
    def halted(self) -> bool:
        """Whether a consumer stopped, over too many dead letters or a fault of ours."""
        return bool(self._stopped)

    @property
    def _stopped(self) -> list[str]:
        return [*self._halted.values(), *(each.stopped for each in self._consumptions if each.stopped)]

    async def absence(self) -> str:
        """Why the broker does not serve us now; empty where it does."""
        return await self._broker.absence() if self._started else "not connected yet"

    async def lag(self) -> int:
        """Messages on this service's topics that it has not committed; -1 when the broker cannot say, or not soon."""
        return await self._broker.lag([(self.group(topic), topic) for topic in self._topics.values()])

    async def lag_of(self, topic: Topic) -> int:
        """Messages on one topic that this service has not committed; -1 when the broker cannot say, or not soon."""
        return await self._broker.lag([(self.group(topic), topic)])


_GRAVITY = {Fault.FINAL: 0, Fault.WAIT: 1, Fault.RETRY: 2}


def _lane_of(topic: Topic, lane: Callable[[Any], str]) -> Callable[[Any], str]:
    def of(record: Any) -> str:
        try:
            return lane(topic.event.model_validate_json(record.value or b""))
        except (ValidationError, RecursionError):
            # Set aside where it is handled.
            return ""

    return of


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {words_of(error) or 'no words'}"
