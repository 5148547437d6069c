"""The group is dealt anew while messages come: none is left out, whoever was told of it late."""

import asyncio
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition

from touchstone_runtime import consuming
from touchstone_runtime.consuming import Consumption, Handling
from touchstone_runtime.kafka_access import KafkaAccess

PLACE = TopicPartition("t", 0)
MESSAGES = 12


class Log:
    """As much of a consumer of one partition as the loop asks for, with a group that deals anew where a test says."""

    def __init__(self, anew):
        self.anew = anew
        self.at = 0
        self.kept = 0
        self.stopped: set[TopicPartition] = set()

    def subscribe(self, _topics, listener):
        self.listener = listener

    async def start(self):
        await self.listener.on_partitions_assigned([PLACE])

    async def stop(self):
        pass

    def assignment(self):
        return {PLACE}

    def paused(self):
        return set(self.stopped)

    def pause(self, *places):
        self.stopped |= set(places)

    def resume(self, *places):
        self.stopped -= set(places)

    async def position(self, _place):
        return self.at

    def seek(self, _place, offset):
        self.at = offset

    async def commit(self, due):
        self.kept = due[PLACE][0]

    async def getmany(self, timeout_ms, max_records):
        await asyncio.sleep(0.01)
        if PLACE in self.stopped:
            return {}
        if self.at >= 4 and self.anew is not None:
            anew, self.anew = self.anew, None
            return await anew(self)
        return self.read(2)

    def read(self, most):
        offsets = range(self.at, min(self.at + most, MESSAGES))
        self.at += len(offsets)
        records = [
            SimpleNamespace(topic="t", partition=0, offset=offset, timestamp=0, value=b"m") for offset in offsets
        ]
        return {PLACE: records} if records else {}


async def told_late(log):
    """The client has its partitions and reads on before whoever takes its messages is told of them."""
    await log.listener.on_partitions_revoked([PLACE])
    log.at = log.kept
    return log.read(3)


async def told_meanwhile(log):
    """The same, and what was read is handed over after it was told."""
    await log.listener.on_partitions_revoked([PLACE])
    log.at = log.kept
    taken = log.read(3)
    await log.listener.on_partitions_assigned([PLACE])
    return taken


async def read_before(log):
    """What was read before comes after the group was dealt anew, which begins where it had committed."""
    taken = log.read(3)
    await log.listener.on_partitions_revoked([PLACE])
    log.at = log.kept
    await log.listener.on_partitions_assigned([PLACE])
    return taken


@pytest.mark.parametrize("anew", [told_late, told_meanwhile, read_before])
async def test_no_message_is_left_out_where_the_group_is_dealt_anew(monkeypatch, anew):
    log = Log(anew)
    handled = []

    async def work(records):
        handled.extend(record.offset for record in records)

    async def abandon(_record, _times):
        raise AssertionError("nothing ends a process here")

    async def marks(_consumption):
        return {}

    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: log)
    monkeypatch.setattr(Consumption, "_marks", marks)
    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, Handling(work, abandon), 1.0)
    await consumption.start()
    try:
        if anew is told_late:
            async with asyncio.timeout(60):
                while log.anew is not None:
                    await asyncio.sleep(0.01)
            await log.listener.on_partitions_assigned([PLACE])
        async with asyncio.timeout(60):
            while log.kept < MESSAGES:
                await asyncio.sleep(0.01)
    finally:
        await consumption.stop()
    assert sorted(set(handled)) == list(range(MESSAGES)), "each message was handled"


async def test_each_client_shows_the_password_that_its_file_holds_by_then(monkeypatch, tmp_path):
    shown, secret = [], tmp_path / "password"

    class Administrator:
        def __init__(self, **options):
            shown.append(options["sasl_plain_password"])

        async def start(self):
            secret.unlink()

        async def list_consumer_group_offsets(self, _group):
            return {}

        async def close(self):
            pass

    def consumer(**options):
        shown.append(options["sasl_plain_password"])
        secret.write_text("third")
        return Log(None)

    async def work(_records):
        raise AssertionError("nothing comes before the end")

    access = KafkaAccess("b:9092", "SASL_PLAINTEXT", user="u", password_file=secret)
    secret.write_text("first")
    consumption = Consumption("t", "g", access, {}, Handling(work, work), 1.0)
    secret.write_text("second")
    monkeypatch.setattr(consuming, "AIOKafkaConsumer", consumer)
    monkeypatch.setattr(consuming, "AIOKafkaAdminClient", Administrator)
    await consumption.start()
    try:
        assert shown == ["second", "third"]
        # A file that is away for a moment costs the marks, and not the partitions.
        await consumption.on_partitions_assigned([PLACE])
    finally:
        await consumption.stop()


async def test_a_lane_that_waits_holds_up_its_own_lane_alone_after_a_rebalance(monkeypatch):
    log, done = Log(None), []
    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: log)

    async def marks(_consumption):
        return {}

    async def work(records):
        while records[0].offset == 0:
            # As what waits for a dependency does.
            await consumption.pause(0.02)
        done.extend(record.offset for record in records)

    async def abandon(_record, _tries):
        raise AssertionError

    monkeypatch.setattr(Consumption, "_marks", marks)
    lanes = Handling(work, abandon, lane=lambda record: "sick" if record.offset == 0 else "well")
    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, lanes, 1.0)
    await consumption.start()
    try:
        async with asyncio.timeout(60):
            while 3 not in done:
                await asyncio.sleep(0.01)
            await log.listener.on_partitions_revoked([PLACE])
            log.at = log.kept
            await log.listener.on_partitions_assigned([PLACE])
            while MESSAGES - 1 not in done:
                await asyncio.sleep(0.01)
    finally:
        await consumption.stop()
    assert set(done) == set(range(1, MESSAGES))


async def test_lanes_that_wait_take_no_turn_from_the_others(monkeypatch):
    log, done, sick, width = Log(None), [], {0, 1, 2}, []
    monkeypatch.setattr(consuming, "AIOKafkaConsumer", lambda **_options: log)

    async def marks(_consumption):
        return {}

    async def work(records):
        while records[0].offset in sick:
            await consumption.pause(0.02)
        width.append(records[0].offset)
        assert len(width) <= 2, "as many at a time as may be"
        await asyncio.sleep(0.01)
        width.remove(records[0].offset)
        done.append(records[0].offset)

    async def abandon(_record, _tries):
        raise AssertionError

    monkeypatch.setattr(Consumption, "_marks", marks)
    lanes = Handling(work, abandon, lane=lambda record: str(record.offset), together=2)
    consumption = Consumption("t", "g", KafkaAccess("b:9092"), {}, lanes, 1.0)
    await consumption.start()
    try:
        async with asyncio.timeout(60):
            while len(done) < MESSAGES - 3:
                await asyncio.sleep(0.01)
            assert not sick & set(done)
            sick.clear()
            while len(done) < MESSAGES:
                await asyncio.sleep(0.01)
    finally:
        await consumption.stop()
