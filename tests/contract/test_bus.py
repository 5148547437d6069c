"""The bus on a real broker: nothing is lost, poison is set aside, order of commits is after the work."""

import asyncio
import json
import subprocess
import sys
import uuid

import pytest
from aiokafka import AIOKafkaConsumer
from prometheus_client import REGISTRY

from touchstone_contracts.events import DeadLetter, ModelSpec, SolutionRequested, SourceRequested
from touchstone_contracts.topics import SOLUTION_REQUESTED, SOURCE_REQUESTED
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real

# What a busy machine may take for anything; nothing here is timed.
PATIENCE_S = 300


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


async def until(condition):
    async with asyncio.timeout(PATIENCE_S):
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
        async with asyncio.timeout(PATIENCE_S):
            while await bus.lag() != 0:
                await asyncio.sleep(0.1)
    finally:
        await bus.stop()


async def test_a_batch_is_timed_once_and_what_waits_is_shown(kafka, service, ids):
    gate, held = asyncio.Event(), []

    async def hold(events):
        if any(event.source_id in ids for event in events):
            held.append(len(events))
            await gate.wait()

    def figure(name, **labels):
        return REGISTRY.get_sample_value(f"touchstone_runtime_{name}", {"topic": SOURCE_REQUESTED.name, **labels}) or 0

    bus = bus_on(kafka, service)
    bus.consume_batch(SOURCE_REQUESTED, hold, max_records=100, max_wait_s=1.0)
    await bus.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            while await bus.lag() != 0:
                await asyncio.sleep(0.1)
        timed, waited = figure("event_seconds_count"), figure("event_wait_seconds_count")
        await publish(bus, ids)
        await until(lambda: held)
        await until(lambda: figure("events_in_hand") == len(ids))
        assert figure("oldest_event_age_seconds") > 0
        assert figure("events_in_flight") == held[0] > 1
        await bus._tell_lag()
        assert figure("lag_events", consumer=service) == len(ids)
        gate.set()
        await until(lambda: figure("events_in_hand") == 0)
    finally:
        await bus.stop()
    assert figure("oldest_event_age_seconds") == 0
    assert figure("event_wait_seconds_count") - waited == len(ids)
    assert figure("event_seconds_count") - timed == len(held) < len(ids)


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
        await bus._send(SOURCE_REQUESTED.name, b"{not json", ids[0].encode())
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
    await asyncio.wait_for(started.wait(), PATIENCE_S)
    await first.stop()

    second, collector = bus_on(kafka, service), Collector()
    second.consume(SOURCE_REQUESTED, collector)
    await second.start()
    try:
        await until(lambda: set(mine(collector, ids)) == set(ids[:2]))
    finally:
        await second.stop()


async def test_a_flood_of_faults_of_our_own_stops_the_consumer(kafka, service):
    mark = uuid.uuid4().hex[:8]
    flood = [f"{mark}-{number}" for number in range(60)]
    collector = Collector(lambda event, tries: TypeError("a defect") if event.source_id in flood else None)
    bus = bus_on(kafka, service, stop_timeout_s=0.1, dead_letter_share=0.3, retry_attempts=1)
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


async def test_a_flood_of_poison_stops_no_good_message(kafka, service, ids):
    mark = uuid.uuid4().hex[:8]
    flood = [f"{mark}-{number}" for number in range(60)]
    collector = Collector(lambda event, tries: PermanentError("all wrong") if event.source_id in flood else None)
    bus = bus_on(kafka, service, dead_letter_share=0.3)
    bus.consume(SOURCE_REQUESTED, collector)
    await bus.start()
    try:
        await publish(bus, flood)
        for number in range(60):
            await bus._send(SOURCE_REQUESTED.name, b"\xff{not json" * number, flood[number].encode())
        await publish(bus, ids)
        await until(lambda: set(mine(collector, ids)) == set(ids))
        assert not bus.halted
        letters = await dead_letters(kafka, service, flood, 120)
    finally:
        await bus.stop()
    assert all(letter.reason for letter in letters)


async def dead_letters(bootstrap, service, ids, count):
    consumer = AIOKafkaConsumer(
        SOURCE_REQUESTED.dead_letters, bootstrap_servers=bootstrap, auto_offset_reset="earliest", group_id=None
    )
    await consumer.start()
    found = []
    try:
        async with asyncio.timeout(PATIENCE_S):
            while len(found) < count:
                letter = DeadLetter.model_validate_json((await consumer.getone()).value)
                if letter.service == service and letter.key in ids:
                    found.append(letter)
    finally:
        await consumer.stop()
    return found


async def test_a_wait_beyond_the_poll_interval_leaves_neither_the_group_nor_a_message(kafka, service, ids):
    away = [True]
    fault = SuspendedError("the sandbox is away", retry_after_s=0.2)
    collector = Collector(lambda event, tries: fault if away else None)
    bus = bus_on(kafka, service, retry_attempts=1)
    bus.consume(SOURCE_REQUESTED, collector)
    for consumption in bus._consumptions:
        consumption._options["max_poll_interval_ms"] = 1500
    await bus.start()
    try:
        await publish(bus, ids[:3])
        await until(lambda: bus.waiting)
        assert "the sandbox is away" in bus.waiting[0]
        await asyncio.sleep(4)
        assert await bus.lag() > 0
        (consumption,) = bus._consumptions
        assert consumption._consumer.assignment()
        away.clear()
        await until(lambda: set(mine(collector, ids)) == set(ids[:3]))
        assert not bus.waiting
    finally:
        await bus.stop()
    # In order, each once: nobody else was given the partition meanwhile.
    assert mine(collector, ids) == ids[:3]


async def test_a_lane_that_waits_holds_up_no_other(kafka, service, ids):
    stuck = ids[0]
    collector = Collector(
        lambda event, tries: SuspendedError("endpoint away", retry_after_s=0.2) if event.request_id == "dead" else None
    )
    bus = bus_on(kafka, service)
    bus.consume(SOURCE_REQUESTED, collector, lane=lambda event: event.request_id)
    await bus.start()
    try:
        await bus.publish(SOURCE_REQUESTED, SourceRequested(source_id=stuck, request_id="dead"))
        await until(lambda: bus.waiting)
        await publish(bus, ids[1:])
        await until(lambda: set(mine(collector, ids)) == set(ids[1:]))
        assert bus.waiting
        # Committed is only what lies before the first that waits.
        assert await bus.lag() >= len(ids)
    finally:
        await bus.stop()


async def test_lanes_take_turns_where_together_they_are_bounded(kafka, service, ids):
    begun, working, most = [], set(), []
    waiting = bus_on(kafka, service)

    def small_one_is_here():
        places = waiting._consumptions[0]._partitions.values()
        return any(len(place.lanes.get(f"{service} small", ())) == 2 for place in places)

    async def work(event):
        if event.source_id not in ids:
            return
        working.add(event.source_id)
        most.append(len(working))
        if not begun:
            await until(small_one_is_here)
        begun.append(event.request_id.removeprefix(f"{service} "))
        await asyncio.sleep(0)
        working.discard(event.source_id)

    waiting.consume(SOURCE_REQUESTED, work, lane=lambda event: event.request_id, workers=3, together=1)
    await waiting.start()
    try:
        for name, its in (("large", ids[:12]), ("small", ids[12:14])):
            events = [SourceRequested(source_id=one, request_id=f"{service} {name}") for one in its]
            await waiting.publish_all(SOURCE_REQUESTED, events)
        await until(lambda: len(begun) == 14)
    finally:
        await waiting.stop()
    assert set(most) == {1}
    # The large one came first and whole; the small one waits for one turn at a time.
    assert begun[0] == "large" and begun[:5].count("small") == 2


async def test_batches_of_lanes_take_turns(kafka, service, ids):
    begun = []
    waiting = bus_on(kafka, service)

    def small_one_is_here():
        places = waiting._consumptions[0]._partitions.values()
        return any(len(place.lanes.get(f"{service} small", ())) == 2 for place in places)

    async def work(events):
        of_ours = [event.request_id.removeprefix(f"{service} ") for event in events if event.source_id in ids]
        if of_ours and not begun:
            await until(small_one_is_here)
        begun.extend([of_ours] if of_ours else [])

    waiting.consume_batch(
        SOURCE_REQUESTED, work, lane=lambda event: event.request_id, together=1, max_records=3, max_wait_s=0.05
    )
    await waiting.start()
    try:
        for name, its in (("large", ids[:12]), ("small", ids[12:14])):
            events = [SourceRequested(source_id=one, request_id=f"{service} {name}") for one in its]
            await waiting.publish_all(SOURCE_REQUESTED, events)
        await until(lambda: sum(map(len, begun)) == 14)
    finally:
        await waiting.stop()
    assert all(len(set(batch)) == 1 and len(batch) <= 3 for batch in begun)
    # Behind twelve of the large one, and not after them.
    assert begun[0][0] == "large" and ["small", "small"] in begun[:3]


async def test_a_stop_finishes_what_several_workers_have_in_hand(kafka, service, ids):
    begun, done = set(), []

    async def slow(event):
        if event.task_id in ids:
            begun.add(event.task_id)
            await asyncio.sleep(1.5)
            done.append(event.task_id)

    first = bus_on(kafka, service)
    first.consume(SOLUTION_REQUESTED, slow, workers=4)
    await first.start()
    requests = [SolutionRequested(run_id="r", task_id=task, model=ModelSpec(name="m")) for task in ids]
    await first.publish_all(SOLUTION_REQUESTED, requests)
    await until(lambda: len(begun) >= 2)
    await first.stop()
    assert set(done) == begun

    second = bus_on(kafka, service)
    second.consume(SOLUTION_REQUESTED, slow, workers=4)
    await second.start()
    try:
        await until(lambda: set(done) == set(ids))
    finally:
        await second.stop()
    assert len(done) == len(ids)


CRASHER = """
import asyncio, os, sys
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.settings import ServiceSettings

async def handle(event):
    if event.source_id == sys.argv[3]:
        os._exit(9)
    print(event.source_id, flush=True)
    if event.source_id == sys.argv[4]:
        stop.set()

async def main():
    global stop
    stop = asyncio.Event()
    bus = Bus(ServiceSettings(kafka_bootstrap=sys.argv[1]), sys.argv[2])
    bus.consume(SOURCE_REQUESTED, handle)
    # A member that died is missed after its session's time.
    bus._consumptions[0]._options.update(session_timeout_ms=2000, heartbeat_interval_ms=500)
    await bus.start()
    await stop.wait()
    await bus.stop()

asyncio.run(main())
"""


async def test_a_message_that_ends_its_process_is_set_aside_after_three_tries(kafka, service, ids):
    filler = bus_on(kafka, f"{service}-filler")
    await filler.start()
    await publish(filler, ids[:6])
    await filler.stop()
    poison, last = ids[2], ids[5]
    codes, said = [], ""
    for _ in range(5):
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", CRASHER, kafka, service, poison, last],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        codes.append(done.returncode)
        said += done.stdout
        if done.returncode == 0:
            break
    assert codes == [9, 9, 9, 0]
    assert set(said.split()) & set(ids) == set(ids[:6]) - {poison}
    (letter,) = await dead_letters(kafka, service, ids, 1)
    assert letter.key == poison and "3 times" in letter.reason


async def test_a_letter_too_large_for_its_topic_has_its_message_in_the_blob_store(kafka, service, ids, tmp_path):
    bus = bus_on(kafka, service, blob_url=f"file://{tmp_path}/blobs")
    bus.consume(
        SOURCE_REQUESTED, Collector(lambda event, tries: PermanentError("no") if event.source_id == ids[0] else None)
    )
    await bus.start()
    try:
        await bus.publish(SOURCE_REQUESTED, SourceRequested(source_id=ids[0], request_id="x" * 7_000_000))
        (letter,) = await dead_letters(kafka, service, ids, 1)
        body = await BlobStore(f"file://{tmp_path}/blobs").get(letter.body_digest)
        assert letter.body == "" and json.loads(body)["source_id"] == ids[0]
        assert await settled(bus)
    finally:
        await bus.stop()


async def settled(bus):
    async with asyncio.timeout(PATIENCE_S):
        while await bus.lag() != 0:
            await asyncio.sleep(0.1)
    return True


async def test_publishing_many_raises_the_fault_itself(kafka, service, ids):
    bus = bus_on(kafka, service)
    events = [SourceRequested(source_id=source, request_id="r") for source in ids]
    with pytest.raises(DependencyAwayError):
        await bus.publish_all(SOURCE_REQUESTED, events)
    await bus.start()
    try:
        large = SourceRequested(source_id=ids[0], request_id="x" * 9_000_000)
        with pytest.raises(PermanentError, match="too large"):
            await bus.publish_all(SOURCE_REQUESTED, [*events, large])
    finally:
        await bus.stop()
