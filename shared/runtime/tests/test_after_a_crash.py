"""What a process held when it ended is begun with care by the next one, and not so slowly that all behind it waits."""

import asyncio
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition

from touchstone_runtime import consuming
from touchstone_runtime.consuming import MOST_TRIES, Consumption, Handling
from touchstone_runtime.kafka_access import KafkaAccess

PLACE = TopicPartition("t", 0)
MESSAGES = 64


class Ended(BaseException):
    """A process ends where it stands."""


class Group:
    """One partition of a broker, and what a group keeps beside its offset."""

    def __init__(self):
        self.offset, self.mark = 0, ""

    def subscribe(self, _topics, listener):
        self.listener = listener

    async def start(self):
        await self.dealt()

    async def dealt(self):
        self.at = self.offset
        await self.listener.on_partitions_assigned([PLACE])

    async def stop(self):
        pass

    def assignment(self):
        return {PLACE}

    def paused(self):
        return set()

    def pause(self, *_places):
        pass

    def resume(self, *_places):
        pass

    async def position(self, _place):
        return self.at

    def seek(self, _place, offset):
        self.at = offset

    async def commit(self, due):
        self.offset, self.mark = due[PLACE]

    async def getmany(self, timeout_ms, max_records):
        await asyncio.sleep(0.001)
        offsets = range(self.at, min(self.at + max_records, MESSAGES))
        self.at += len(offsets)
        records = [
            SimpleNamespace(topic="t", partition=0, offset=offset, timestamp=0, value=b"m") for offset in offsets
        ]
        return {PLACE: records} if records else {}


@pytest.fixture
def group(monkeypatch):
    group = Group()

    async def marks(_consumption):
        return {PLACE: group.mark}

    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: group)
    monkeypatch.setattr(Consumption, "_marks", marks)
    return group


async def lived(group, monkeypatch, name, work, abandoned):
    """One process of the group until all is done, or until its work ends it."""
    monkeypatch.setattr(consuming, "PROCESS", name)
    over = asyncio.Event()

    async def handle(records):
        try:
            await work([record.offset for record in records])
        except Ended:
            over.set()
            # A process that ended does nothing any more.
            await asyncio.Event().wait()

    async def abandon(record, _tries):
        abandoned.append(record.offset)

    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, Handling(handle, abandon, most=32), 1.0)
    await consumption.start()
    try:
        async with asyncio.timeout(60):
            while group.offset < MESSAGES and not over.is_set():
                await asyncio.sleep(0.001)
    finally:
        if not over.is_set():
            await consumption.stop()
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return consumption


async def test_what_a_process_that_was_killed_held_is_begun_some_at_a_time(group, monkeypatch):
    handed, abandoned = [], []

    async def kill(_offsets):
        raise Ended

    async def work(offsets):
        handed.append(len(offsets))

    await lived(group, monkeypatch, "first", kill, abandoned)
    await lived(group, monkeypatch, "second", work, abandoned)
    assert sum(handed) == MESSAGES and not abandoned
    assert max(handed) < 32, "not all at once, which would end the process as before"
    assert len(handed) <= MESSAGES / 4, "and not one by one, each with a word to the broker of its own"


@pytest.mark.parametrize("poison", [0, 5, 37, 63])
async def test_a_message_that_ends_its_process_is_set_aside_alone_and_no_later_than_before(group, monkeypatch, poison):
    done, abandoned, processes = set(), [], 0

    async def work(offsets):
        if poison in offsets:
            raise Ended
        done.update(offsets)

    while group.offset < MESSAGES:
        await lived(group, monkeypatch, f"process {processes}", work, abandoned)
        processes += 1
    assert abandoned == [poison]
    assert done == set(range(MESSAGES)) - {poison}
    assert processes == MOST_TRIES + 1


async def test_who_lost_its_partition_and_lives_has_no_message_under_suspicion(group, monkeypatch):
    handed, abandoned, anew = [], [], []

    async def work(offsets):
        if not anew:
            anew.append(True)
            await group.listener.on_partitions_revoked([PLACE])
            await group.dealt()
        handed.append(len(offsets))

    await lived(group, monkeypatch, "only", work, abandoned)
    assert max(handed) == 32 and not abandoned


async def test_who_loses_its_partition_again_and_again_sets_no_message_aside(group, monkeypatch):
    abandoned, anew = [], []

    async def kill(_offsets):
        raise Ended

    async def work(_offsets):
        if len(anew) < 2 * MOST_TRIES:
            anew.append(True)
            await group.listener.on_partitions_revoked([PLACE])
            group.offset = 0
            await group.dealt()

    await lived(group, monkeypatch, "first", kill, abandoned)
    await lived(group, monkeypatch, "second", work, abandoned)
    assert len(anew) == 2 * MOST_TRIES and not abandoned, "nobody ended, so no message ended anybody"


async def test_who_lost_its_partition_and_lives_stays_careful_with_what_ended_others(group, monkeypatch):
    handed, abandoned, anew = [], [], []

    async def kill(_offsets):
        raise Ended

    async def work(offsets):
        handed.append(len(offsets))
        if not anew:
            anew.append(True)
            await group.listener.on_partitions_revoked([PLACE])
            await group.dealt()

    await lived(group, monkeypatch, "first", kill, abandoned)
    await lived(group, monkeypatch, "second", work, abandoned)
    assert max(handed) < 32 and not abandoned


@pytest.mark.parametrize("lanes", [20, 400])
async def test_of_many_lanes_what_ends_the_process_is_set_aside_alone(group, monkeypatch, lanes):
    """Others of its process wait for their models meanwhile: none of them is what ended it."""
    abandoned, done, processes, poison = [], set(), 0, lanes - 1
    monkeypatch.setitem(globals(), "MESSAGES", lanes)
    while group.offset < lanes:
        processes += 1
        monkeypatch.setattr(consuming, "PROCESS", f"process {processes}")
        over = asyncio.Event()

        async def handle(records, over=over):
            if records[0].offset == poison:
                over.set()
                await asyncio.Event().wait()
            await asyncio.sleep(0.03)
            if over.is_set():
                await asyncio.Event().wait()
            done.add(records[0].offset)

        async def abandon(record, _tries):
            abandoned.append(record.offset)

        handling = Handling(handle, abandon, lane=lambda record: str(record.offset), width=4, window=5000)
        consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, handling, 1.0)
        await consumption.start()
        async with asyncio.timeout(120):
            while group.offset < lanes and not over.is_set():
                await asyncio.sleep(0.001)
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert abandoned == [poison] and done == set(range(lanes)) - {poison}
    assert processes == MOST_TRIES + 1
