"""A stop while the broker is away: it ends in time, and whatever its clients end by ends nothing else."""

import asyncio
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import KafkaConnectionError

from touchstone_contracts.topics import TASK_BUILT
from touchstone_runtime import broker_view, bus, consuming, leaving
from touchstone_runtime.broker_view import BrokerView
from touchstone_runtime.bus import Bus
from touchstone_runtime.consuming import Consumption, Handling
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.settings import ServiceSettings

PATIENCE_S = 60
PLACE = TopicPartition("t", 0)


@pytest.fixture(autouse=True)
def _hurried(monkeypatch):
    monkeypatch.setattr(leaving, "LEAVE_S", 0.1)
    monkeypatch.setattr(leaving, "_BROKEN_OFF_S", 0.1)


async def never():
    await asyncio.Event().wait()


async def stubborn():
    """As the library does where it has broken a task of its own off."""
    try:
        await never()
    except asyncio.CancelledError:
        await never()


async def told_cancelled():
    raise asyncio.CancelledError


async def refused():
    raise KafkaConnectionError("no broker")


async def no_marks(_consumption):
    return {}


ENDS = [never, stubborn, told_cancelled, refused]


@pytest.mark.parametrize("end", ENDS)
async def test_who_leaves_neither_waits_for_ever_nor_is_cancelled(end):
    async with asyncio.timeout(PATIENCE_S):
        await leaving.leave(end(), "somebody")


async def test_who_leaves_can_be_cancelled():
    leaver = asyncio.create_task(leaving.leave(asyncio.sleep(0.05), "somebody"))
    await asyncio.sleep(0)
    leaver.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaver


class Away:
    """A consumer whose broker goes away while a message is in hand: commits wait for it, and it ends as told."""

    def __init__(self, end):
        self.end = end
        self.read = False
        self.gone = False

    def subscribe(self, _topics, listener):
        self.listener = listener

    async def start(self):
        await self.listener.on_partitions_assigned([PLACE])

    async def stop(self):
        await self.end()

    def assignment(self):
        return {PLACE}

    def paused(self):
        return set()

    def pause(self, *_places):
        pass

    def resume(self, *_places):
        pass

    async def position(self, _place):
        return 0

    async def commit(self, _due):
        if self.gone:
            await never()

    async def getmany(self, timeout_ms, max_records):
        await asyncio.sleep(0.01)
        if self.read:
            return {}
        self.read = True
        return {PLACE: [SimpleNamespace(topic="t", partition=0, offset=0, timestamp=0, value=b"m")]}


@pytest.mark.parametrize("end", ENDS)
async def test_a_consumption_ends_though_nobody_can_be_told_what_is_done(monkeypatch, end):
    client, begun, finished = Away(end), asyncio.Event(), []

    async def work(records):
        begun.set()
        await asyncio.sleep(0.3)
        finished.extend(records)

    async def abandon(_record, _times):
        raise AssertionError("nothing ends a process here")

    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: client)
    monkeypatch.setattr(Consumption, "_marks", no_marks)
    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, Handling(work, abandon), 30.0)
    await consumption.start()
    async with asyncio.timeout(PATIENCE_S):
        await begun.wait()
        client.gone = True
        await consumption.stop()
    assert len(finished) == 1, "what is in hand is finished"
    assert not consumption.stopped, "who is broken off at a stop has no fault"


async def test_a_consumption_that_its_client_ends_says_so(monkeypatch):
    """A task of the client's own was broken off: whoever asks it is told that he was cancelled himself."""
    client = Away(never)
    client.getmany = lambda **_: told_cancelled()
    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: client)
    monkeypatch.setattr(Consumption, "_marks", no_marks)
    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, Handling(refused, refused), 30.0)
    await consumption.start()
    async with asyncio.timeout(PATIENCE_S):
        while not consumption.stopped:
            await asyncio.sleep(0.01)
        await consumption.stop()
    assert "t: stopped, " in consumption.stopped and "CancelledError" in consumption.stopped


@pytest.mark.parametrize("end", ENDS)
async def test_a_bus_ends_though_its_producer_has_what_nobody_takes(monkeypatch, end):
    async def started():
        pass

    async def topics(_settings, _bytes):
        pass

    monkeypatch.setattr(bus, "reconcile_topics", topics)
    monkeypatch.setattr(Bus, "_new_producer", lambda _self: SimpleNamespace(start=started, stop=end))
    sender = Bus(ServiceSettings(), "probe")
    async with asyncio.timeout(PATIENCE_S):
        await sender.start()
        await sender.stop()


@pytest.mark.parametrize("end", ENDS)
async def test_who_asks_how_much_waits_is_answered_whatever_hanging_up_ends_by(monkeypatch, end):
    async def start():
        pass

    monkeypatch.setattr(
        broker_view, "AIOKafkaAdminClient", lambda **_: SimpleNamespace(start=start, close=end,
        list_consumer_group_offsets=lambda _group: refused())
    )  # fmt: skip
    monkeypatch.setattr(broker_view, "AIOKafkaConsumer", lambda **_: SimpleNamespace(start=start, stop=end))
    async with asyncio.timeout(PATIENCE_S):
        assert await BrokerView(KafkaAccess("b:9092")).lag([("g", TASK_BUILT)]) == -1
