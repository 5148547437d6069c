"""What topics hold is written down and comes back at another broker: a restored platform goes on where it was."""

import asyncio
import gzip
import io
import json
import uuid

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, RecordsToDelete

from touchstone_cli.dlq_kafka import KafkaLog
from touchstone_cli.dlq_letters import letters_in
from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import FUNCTION_EMBEDDED, SOURCE_REQUESTED, TOPICS
from touchstone_local import kafka as local_kafka
from touchstone_runtime import topic_backup
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError, PreconditionError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.topic_backup import restore, write

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]

EVENTS, HANDLED, GONE = 9, 5, 2


@pytest.fixture
def fresh(tmp_path):
    """A broker that nobody has used."""
    with local_kafka.start(tmp_path / "fresh") as server:
        yield settings(server.bootstrap)


def settings(bootstrap):
    return ServiceSettings(kafka_bootstrap=bootstrap, retry_backoff_s=0.01)


async def everything(of):
    """All that the topics of a broker hold: key, value, headers and time of each message, by partition."""
    found = {}
    async with topic_backup._administrator(of.kafka()) as admin, topic_backup._reader(of.kafka()) as reader:
        for place, ends in (await topic_backup._bounds(reader, await topic_backup._places(admin))).items():
            found[place] = [each async for _, each in topic_backup._messages(reader, place, *ends)]
    return found


class Service:
    """Refuses the first event for good, takes some more, and is stopped while it is at the next."""

    def __init__(self, takes):
        self.takes, self.taken, self.full = takes, [], asyncio.Event()

    async def __call__(self, event):
        if event.source_id.endswith("-0"):
            raise PermanentError("not today", thing=event.source_id)
        if len(self.taken) == self.takes:
            self.full.set()
            await asyncio.Event().wait()
        self.taken.append(event.source_id)


async def goes_on(of, name, handler, until):
    bus = Bus(of.model_copy(update={"stop_timeout_s": 0.5}), name)
    bus.consume(SOURCE_REQUESTED, handler)
    await bus.start()
    try:
        async with asyncio.timeout(60):
            await until()
    finally:
        await bus.stop()


@pytest.fixture
async def lived(kafka):
    """A broker after some time: a group has handled a part, the oldest are gone, a letter is dead."""
    of, name = settings(kafka), f"test-{uuid.uuid4().hex[:8]}"
    events = [SourceRequested(source_id=f"{name}-{number}", request_id="r") for number in range(EVENTS)]
    service = Service(HANDLED)
    bus = Bus(of, "publisher")
    await bus.start()
    await bus.publish_all(SOURCE_REQUESTED, events)
    await bus.stop()
    await goes_on(of, name, service, service.full.wait)
    producer = AIOKafkaProducer(bootstrap_servers=kafka)
    await producer.start()
    # Bytes that are no text, a message that says that its key is no more, a time of long ago.
    for value, headers in ((b"\xff\x00", [("h", b"\xfe"), ("h", b"2")]), (None, []), ("ü".encode(), [])):
        await producer.send_and_wait(
            FUNCTION_EMBEDDED.name, value, key=b"k", partition=3, timestamp_ms=1_500_000_000_000, headers=headers
        )
    await producer.stop()
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    end = (await _end(kafka, SOURCE_REQUESTED.name)) - EVENTS
    await admin.delete_records({TopicPartition(SOURCE_REQUESTED.name, 0): RecordsToDelete(end + GONE)})
    await admin.close()
    return of, name, service, events


async def _end(kafka, topic):
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka)
    await consumer.start()
    try:
        place = TopicPartition(topic, 0)
        return (await consumer.end_offsets([place]))[place]
    finally:
        await consumer.stop()


async def written(of):
    sink = io.BytesIO()
    counts = await write(of, sink)
    return counts, sink.getvalue()


async def test_a_platform_goes_on_at_another_broker_where_it_was(lived, fresh):
    of, name, service, events = lived
    counts, archive = await written(of)
    before = await everything(of)
    assert counts.messages == sum(map(len, before.values())) and counts.added == 0
    assert [each.value for each in before[TopicPartition(FUNCTION_EMBEDDED.name, 3)]][-3:] == [
        b"\xff\x00", None, "ü".encode(),
    ]  # fmt: skip

    came = await restore(fresh, io.BytesIO(archive))
    assert (came.messages, came.added) == (counts.messages, counts.messages)
    assert await everything(fresh) == before
    # Once more changes nothing, and what is written there is what was written here.
    assert (await restore(fresh, io.BytesIO(archive))).added == 0
    assert await everything(fresh) == before
    assert (await written(fresh))[1] == archive
    async with KafkaLog(KafkaAccess(fresh.kafka_bootstrap)) as log:
        (letter,) = [each for each in letters_in(await log.read()) if each.letter.service == name]
    assert letter.letter.key == events[0].source_id

    # What was handled is not handled again, and what waited is, each once.
    waited = [event.source_id for event in events[1 + HANDLED :]]
    successor = Service(EVENTS)

    async def all_taken():
        while len(successor.taken) < len(waited):
            await asyncio.sleep(0.05)
        await asyncio.sleep(0.5)

    await goes_on(fresh, name, successor, all_taken)
    assert successor.taken == waited and service.taken + waited == [event.source_id for event in events[1:]]
    # A restore that comes late takes nothing back.
    assert (await restore(fresh, io.BytesIO(archive))).added == 0
    async with topic_backup._administrator(fresh.kafka()) as admin:
        committed = await topic_backup._positions(admin, [f"touchstone.{name}.source.requested.v1"])
    assert set(committed.values()) == {EVENTS - GONE}


async def test_a_restore_that_was_broken_off_goes_on_and_an_archive_that_is_not_whole_is_told(lived, fresh):
    of, _name, _service, _events = lived
    counts, archive = await written(of)
    lines = gzip.decompress(archive).splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines) if b'"k":' in line) + 3
    for broken in (gzip.compress(b"".join(lines[:number])), archive[: len(archive) // 2], gzip.compress(b"{}\n"), b""):
        with pytest.raises(PreconditionError, match=r"broken off|no backup"):
            await restore(fresh, io.BytesIO(broken))
    came = await restore(fresh, io.BytesIO(archive))
    assert 0 < came.added <= counts.messages - 3
    assert await everything(fresh) == await everything(of)


async def test_a_broker_that_holds_something_else_is_left_as_it_is(lived, fresh):
    of, _name, _service, _events = lived
    _counts, archive = await written(of)
    bus = Bus(fresh, "publisher")
    await bus.start()
    await bus.publish(SOURCE_REQUESTED, SourceRequested(source_id="another", request_id="r"))
    await bus.stop()
    with pytest.raises(PreconditionError, match=r"source\.requested\.v1: partition 0 holds messages that are not of"):
        await restore(fresh, io.BytesIO(archive))
    (held,) = (await everything(fresh))[TopicPartition(SOURCE_REQUESTED.name, 0)]
    assert json.loads(held.value)["source_id"] == "another"


async def test_services_that_run_are_waited_for_and_then_named(kafka, monkeypatch):
    monkeypatch.setattr(topic_backup, "_LEAVE_S", 0.1)
    of, name = settings(kafka), f"test-{uuid.uuid4().hex[:8]}"

    async def refused():
        with pytest.raises(PreconditionError, match=rf"has consumers: touchstone\.{name}\.source"):
            await write(of, io.BytesIO())

    async def handler(event):
        pass

    await goes_on(of, name, handler, refused)
    assert (await written(of))[0].positions > 0


async def test_every_topic_with_its_dead_letters_is_in_the_archive(kafka):
    of = settings(kafka)
    await topic_backup.reconcile_topics(of, topic_backup.MESSAGE_BYTES)
    _counts, archive = await written(of)
    named = [json.loads(line).get("topic") for line in gzip.decompress(archive).splitlines()]
    for topic in TOPICS:
        assert named.count(topic.name) >= topic.partitions and topic.dead_letters in named
