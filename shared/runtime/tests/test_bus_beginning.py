"""A service answers calls before the broker has taken it; what such a call publishes waits for that.

What it begins with the broker, it does for each of its topics.
"""

import asyncio

import pytest
from aiokafka.errors import TopicAuthorizationFailedError

from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED, TASK_REFUSED
from touchstone_runtime import bus as runtime_bus
from touchstone_runtime.bus import Bus
from touchstone_runtime.consuming import Consumption
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.settings import ServiceSettings


class Producer:
    """Takes what is published once it was started."""

    def __init__(self):
        self.taken = []

    async def start(self):
        self.taken.clear()

    async def publish(self, body, topic, **_more):
        self.taken.append((topic, body))

    async def stop(self):
        pass


@pytest.fixture
def bus(monkeypatch):
    """A bus whose broker is reached once `.reached` is set."""

    async def reach(*_settings):
        await made.reached.wait()

    monkeypatch.setattr(runtime_bus, "reconcile_topics", reach)
    made = Bus(ServiceSettings(kafka_bootstrap="127.0.0.1:1"), "ingester")
    made.reached = asyncio.Event()
    made.producer = Producer()
    monkeypatch.setattr(made, "_new_producer", lambda: made.producer)
    return made


async def _begun_and_published(bus):
    starting = asyncio.create_task(bus.start())
    publishing = asyncio.create_task(bus.publish(SOURCE_REQUESTED, SourceRequested(source_id="a", request_id="b")))
    await asyncio.sleep(0.05)
    return starting, publishing


def test_what_is_published_while_the_broker_is_awaited_is_sent_once_it_is_there(bus):
    async def run():
        starting, publishing = await _begun_and_published(bus)
        assert not publishing.done()
        bus.reached.set()
        await asyncio.gather(starting, publishing)
        await bus.stop()

    asyncio.run(run())
    assert [topic for topic, _ in bus.producer.taken] == [SOURCE_REQUESTED.name]


def test_a_broker_that_does_not_come_is_named(bus, monkeypatch):
    monkeypatch.setattr(runtime_bus, "_FIRST_CONNECTION_S", 0.2)

    async def run():
        starting, publishing = await _begun_and_published(bus)
        with pytest.raises(DependencyAwayError, match=r"127\.0\.0\.1:1: is not connected yet"):
            await publishing
        starting.cancel()

    asyncio.run(run())
    assert bus.producer.taken == []


async def test_a_topic_that_nothing_may_be_deleted_from_keeps_no_other_from_it(bus, monkeypatch):
    asked, all_asked = [], asyncio.Event()

    async def begun(_consumption):
        pass

    async def let_go(topic):
        asked.append(topic)
        if len(asked) == 2:
            all_asked.set()
        if topic is SOURCE_REQUESTED:
            raise TopicAuthorizationFailedError(topic.name)

    async def handle(_event):
        pass

    monkeypatch.setattr(Consumption, "start", begun)
    monkeypatch.setattr(bus._broker, "let_go", let_go)
    for topic in (SOURCE_REQUESTED, TASK_REFUSED):
        bus.consume(topic, handle)
    bus.reached.set()
    await bus.start()
    try:
        await asyncio.wait_for(all_asked.wait(), 60)
    finally:
        await bus.stop()
    assert asked == [SOURCE_REQUESTED, TASK_REFUSED]
