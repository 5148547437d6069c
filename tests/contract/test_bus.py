"""The bus on a real broker: nothing is lost, poison is set aside, order of commits is after the work."""

import asyncio
import uuid

import pytest
from aiokafka import AIOKafkaConsumer

from touchstone_contracts.events import DeadLetter, SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError, RetryableError
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real


class Collector:
    """A handler that keeps what it got and fails as told."""

    def __init__(self, fail=lambda event, tries: None):
        self.fail = fail
        self.tries = {}
        self.done = []

    async def __call__(self, event):
        self.tries[event.source_id] = self.tries.get(event.source_id, 0) + 1
        error = self.fail(event, self.tries[event.source_id])
        if error:
            raise error
        self.done.append(event.source_id)

    async def batch(self, events):
        for event in events:
            await self(event)


def bus_on(bootstrap, service, **more):
    return Bus(ServiceSettings(kafka_bootstrap=bootstrap, retry_backoff_s=0.01, **more), service)


@pytest.fixture
def service():
    return f"test-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def ids():
    mark = uuid.uuid4().hex[:8]
    return [f"{mark}-{number}" for number in range(20)]


def mine(collector, ids):
    return [source for source in collector.done if source in ids]


async def until(condition, timeout_s=30):
    async with asyncio.timeout(timeout_s):
        while not condition():
            await asyncio.sleep(0.05)


async def publish(bus, ids):
    await bus.publish_all(SOURCE_REQUESTED, [SourceRequested(source_id=source, request_id="r") for source in ids])


@pytest.mark.parametrize("mode", ["single", "workers", "batch"])
async def test_every_event_arrives(kafka, service, ids, mode):
    bus, collector = bus_on(kafka, service), Collector()
    if mode == "batch":
        bus.consume_batch(SOURCE_REQUESTED, collector.batch)
    else:
        bus.consume(SOURCE_REQUESTED, collector, workers=3 if mode == "workers" else 1)
    await bus.start()
    try:
        await publish(bus, ids)
        await until(lambda: set(mine(collector, ids)) == set(ids))
        async with asyncio.timeout(20):
            while await bus.lag() != 0:
                await asyncio.sleep(0.1)
    finally:
        await bus.stop()


async def test_a_passing_fault_is_retried_in_place(kafka, service, ids):
    collector = Collector(lambda event, tries: RetryableError("busy") if tries < 3 else None)
    bus = bus_on(kafka, service)
    bus.consume(SOURCE_REQUESTED, collector)
    await bus.start()
    try:
        await publish(bus, ids[:3])
        await until(lambda: set(mine(collector, ids)) == set(ids[:3]))
    finally:
        await bus.stop()
    assert {collector.tries[source] for source in ids[:3]} == {3}


@pytest.mark.parametrize("mode", ["single", "batch"])
async def test_poison_goes_to_the_dead_letters_and_the_rest_goes_on(kafka, service, ids, mode):
    poison = ids[4]
    collector = Collector(lambda event, tries: PermanentError("no such package") if event.source_id == poison else None)
    bus = bus_on(kafka, service)
    if mode == "batch":
        bus.consume_batch(SOURCE_REQUESTED, collector.batch)
    else:
        bus.consume(SOURCE_REQUESTED, collector)
    await bus.start()
    try:
        await publish(bus, ids)
        await bus.broker.publish(b"{not json", SOURCE_REQUESTED.name, key=ids[0].encode())
        await until(lambda: set(mine(collector, ids)) == set(ids) - {poison})
        letters = await dead_letters(kafka, service, ids, 2)
    finally:
        await bus.stop()
    reasons = sorted(letter.reason for letter in letters)
    assert "cannot be decoded" in reasons[0]
    assert "no such package" in reasons[1]
    assert {letter.key for letter in letters} == {poison, ids[0]}


async def test_a_crash_before_the_handler_returned_loses_nothing(kafka, service, ids):
    started = asyncio.Event()

    async def hang(event):
        if event.source_id in ids:
            started.set()
            await asyncio.Event().wait()

    first = bus_on(kafka, service, stop_timeout_s=0.1)
    first.consume(SOURCE_REQUESTED, hang)
    await first.start()
    await publish(first, ids[:2])
    await asyncio.wait_for(started.wait(), 30)
    await first.stop()

    second, collector = bus_on(kafka, service), Collector()
    second.consume(SOURCE_REQUESTED, collector)
    await second.start()
    try:
        await until(lambda: set(mine(collector, ids)) == set(ids[:2]))
    finally:
        await second.stop()


async def test_a_flood_of_dead_letters_stops_the_consumer(kafka, service):
    mark = uuid.uuid4().hex[:8]
    flood = [f"{mark}-{number}" for number in range(60)]
    collector = Collector(lambda event, tries: PermanentError("all wrong") if event.source_id in flood else None)
    bus = bus_on(kafka, service, stop_timeout_s=0.1, dead_letter_share=0.3)
    bus.consume(SOURCE_REQUESTED, collector)
    await bus.start()
    try:
        await publish(bus, flood)
        await until(lambda: bus.halted)
        handled = len([source for source in collector.tries if source in flood])
        assert handled < len(flood)
        assert SOURCE_REQUESTED.dead_letters in bus.activities[0]
        assert await bus.lag() > 0
    finally:
        await bus.stop()


async def dead_letters(bootstrap, service, ids, count):
    consumer = AIOKafkaConsumer(
        SOURCE_REQUESTED.dead_letters, bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id=None
    )
    await consumer.start()
    found = []
    try:
        async with asyncio.timeout(20):
            while len(found) < count:
                letter = DeadLetter.model_validate_json((await consumer.getone()).value)
                if letter.service == service and letter.key in ids:
                    found.append(letter)
    finally:
        await consumer.stop()
    return found
