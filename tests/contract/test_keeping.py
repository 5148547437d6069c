"""How long topics keep messages on a real broker: whatever waits stays, and what was handled goes once it is old."""

import asyncio
import io
import time

import pytest
from aiokafka import AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic, RecordsToDelete

from touchstone_contracts.events import ModelSpec, SolutionRequested
from touchstone_contracts.topics import FUNCTION_EXTRACTED, SOLUTION_REQUESTED, SOURCE_REQUESTED, TOPICS
from touchstone_local import kafka as local_kafka
from touchstone_runtime import topic_backup
from touchstone_runtime.broker_view import BrokerView
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.topic_admin import reconcile_topics, wanted_topics
from touchstone_runtime.topic_archive import ArchiveWriter, Handled, Message, Place

pytestmark = [pytest.mark.real, pytest.mark.timeout(600)]

PATIENCE_S = 300
COUNT = 6
DAY_MS = 86_400_000
# The broker looks for what is too old so often, in milliseconds; by itself every five minutes.
LOOK_MS = 2000


@pytest.fixture(scope="module")
def hurried(tmp_path_factory):
    """A broker that looks every two seconds for what its topics need not keep."""
    told = {"log.retention.check.interval.ms": str(LOOK_MS), "log.initial.task.delay.ms": "1000"}
    with local_kafka.start(tmp_path_factory.mktemp("hurried"), doors=local_kafka.Doors({}, told, {})) as server:
        yield ServiceSettings(kafka_bootstrap=server.bootstrap, retry_backoff_s=0.05, retry_backoff_max_s=0.2)


@pytest.fixture
async def admin(hurried):
    client = AIOKafkaAdminClient(bootstrap_servers=hurried.kafka_bootstrap)
    await client.start()
    # Each test begins with the topics as a platform of an earlier release left them: kept for days, and empty.
    if left := [name for name in wanted_topics(topic_backup.MESSAGE_BYTES) if name in await client.list_topics()]:
        await client.delete_topics(left)
        await until(lambda: gone(client, left))
    days = {topic.name: {"retention.ms": str(topic.retention_days * DAY_MS)} for topic in TOPICS}
    wanted = wanted_topics(topic_backup.MESSAGE_BYTES)
    made = [NewTopic(name, count, 1, topic_configs=own | days.get(name, {})) for name, (count, own) in wanted.items()]
    await client.create_topics(made)
    await until(lambda: there(client, wanted))
    yield client
    await client.close()


async def gone(client, names):
    return not {*names} & {*await client.list_topics()}


async def there(client, wanted):
    return all(topic["partitions"] for topic in await client.describe_topics([*wanted]))


async def until(holds):
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():
            await asyncio.sleep(0.1)


def asked(number):
    return SolutionRequested(run_id="run", task_id=f"t{number}", model=ModelSpec(name="m"))


async def sent(settings, topic, bodies, days):
    """Publish as it was done so many days ago."""
    producer = AIOKafkaProducer(bootstrap_servers=settings.kafka_bootstrap)
    await producer.start()
    at = int(time.time() * 1000 - days * DAY_MS)
    for body in bodies:
        await producer.send_and_wait(topic.name, body, key=b"k", partition=0, timestamp_ms=at)
    await producer.stop()


async def held(settings, topic):
    """How many messages the broker still gives out."""
    async with topic_backup._reader(settings.kafka()) as reader:
        places = [TopicPartition(topic.name, number) for number in range(topic.partitions)]
        return sum(end - begin for begin, end in (await topic_backup._bounds(reader, places)).values())


async def several_looks():
    await asyncio.sleep(4 * LOOK_MS / 1000)


async def taking(settings, service, topic, handler, enough):
    """A service that runs until something holds."""
    bus = Bus(settings.model_copy(update={"stop_timeout_s": 0.5}), service)
    bus.consume(topic, handler)
    await bus.start()
    try:
        await until(enough)
    finally:
        await bus.stop()


async def never(_event):
    raise AssertionError


async def test_what_waits_longer_than_its_topic_keeps_is_done_in_the_end(hurried, admin):
    bus = Bus(hurried.model_copy(update={"stop_timeout_s": 0.5}), "evaluator")
    waiting, done = asyncio.Event(), set()

    async def spent(_event):
        waiting.set()
        raise SuspendedError("the budget is spent", retry_after_s=0.2)

    bus.consume(SOLUTION_REQUESTED, spent, workers=4)
    await bus.start()
    bodies = [asked(number).model_dump_json().encode() for number in range(COUNT)]
    await sent(hurried, SOLUTION_REQUESTED, bodies, days=SOLUTION_REQUESTED.retention_days + 1)
    async with asyncio.timeout(PATIENCE_S):
        await waiting.wait()
    await several_looks()
    await bus.stop()

    async def answered(event):
        done.add(event.task_id)

    async def all_done():
        return len(done) == COUNT

    await taking(hurried, "evaluator", SOLUTION_REQUESTED, answered, all_done)


async def test_what_a_platform_of_an_earlier_release_left_waiting_stays(hurried, admin):
    await reconcile_topics(hurried, topic_backup.MESSAGE_BYTES)
    await asyncio.sleep(1)
    for topic in TOPICS:
        await sent(hurried, topic, [b"x"], days=4000)
    await several_looks()
    assert {topic.name: await held(hurried, topic) for topic in TOPICS} == {topic.name: 1 for topic in TOPICS}


async def test_what_an_old_archive_brings_stays(hurried, admin):
    sink = io.BytesIO()
    archive = ArchiveWriter(sink)
    at = int(time.time() * 1000 - 400 * DAY_MS)
    for topic in (SOLUTION_REQUESTED.name, SOLUTION_REQUESTED.dead_letters):
        archive.write(Place(topic, 0))
        for number in range(COUNT):
            archive.write(Message(b"k", b"%d" % number, (), at + number))
    archive.write(Handled(SOLUTION_REQUESTED.group("evaluator"), Place(SOLUTION_REQUESTED.name, 0), 2))
    archive.end()
    assert (await topic_backup.restore(hurried, io.BytesIO(sink.getvalue()))).added == 2 * COUNT
    await several_looks()
    assert await held(hurried, SOLUTION_REQUESTED) == COUNT
    async with topic_backup._reader(hurried.kafka()) as reader:
        place = TopicPartition(SOLUTION_REQUESTED.dead_letters, 0)
        assert (await topic_backup._bounds(reader, [place]))[place] == (0, COUNT)


async def test_what_all_consumers_have_handled_goes_once_it_is_old(hurried, admin):
    topic = FUNCTION_EXTRACTED
    await reconcile_topics(hurried, topic_backup.MESSAGE_BYTES)
    # No event of ours: it is handled all the same, by being set aside.
    await sent(hurried, topic, [b"{}"] * COUNT, days=topic.retention_days + 1)
    await sent(hurried, topic, [b"{}"] * 2, days=1)

    async def handles(service):
        view = BrokerView(hurried.kafka())

        async def nothing_left():
            return await view.lag([(topic.group(service), topic)]) == 0

        try:
            await taking(hurried.model_copy(update={"dead_letter_share": 1.0}), service, topic, never, nothing_left)
        finally:
            await view.close()

    await handles("embedder")
    await handles("embedder")
    # The other one has not come yet: all waits for it.
    assert await held(hurried, topic) == COUNT + 2
    await handles("pbt-generator")

    async def young_left():
        return await held(hurried, topic) == 2

    await taking(hurried, "pbt-generator", topic, never, young_left)
    await several_looks()
    assert await held(hurried, topic) == 2


async def test_messages_that_are_gone_are_no_lag(hurried, admin):
    topic = SOURCE_REQUESTED
    await reconcile_topics(hurried, topic_backup.MESSAGE_BYTES)
    await sent(hurried, topic, [b"{}"] * COUNT, days=0)
    await admin.delete_records({TopicPartition(topic.name, 0): RecordsToDelete(-1)})
    bus = Bus(hurried, "ingester")
    bus.consume(topic, never)
    await bus.start()
    try:
        assert await bus.lag() == 0

        # An autoscaler counts all that a partition ever had where its consumer has not said how far it is.
        async def said():
            found = await admin.list_consumer_group_offsets(bus.group(topic))
            return [each.offset for each in found.values()] == [COUNT]

        await until(said)
    finally:
        await bus.stop()
