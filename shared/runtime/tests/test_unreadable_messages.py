"""What cannot be buried or read stands still aloud, and is not lost."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import MessageSizeTooLargeError

from touchstone.common.v1 import progress_pb2
from touchstone_contracts.events import DeadLetter, SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED, TASK_BUILT
from touchstone_runtime import consuming
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import EVENT_BYTES, Bus
from touchstone_runtime.dead_letters import DeadLetterLimit, letter_of
from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError
from touchstone_runtime.retry import GivenUpError
from touchstone_runtime.settings import ServiceSettings

PLACE = TopicPartition(TASK_BUILT.name, 0)


def message(offset=7, headers=()):
    return SimpleNamespace(
        topic=PLACE.topic, partition=0, offset=offset, key=b"k", value=b"no event", headers=headers, timestamp=0
    )


def test_a_header_without_a_value_is_buried_with_its_message():
    letter = letter_of(
        TASK_BUILT, message(headers=(("x", None), ("y", b"\xff"))), "s", GivenUpError(ValueError("v"), 1)
    )
    assert letter.headers == {"x": "", "y": "\ufffd"}


class Client:
    """Gives what a test tells; an exception is raised."""

    def __init__(self, **_options):
        self.given, self.commits, self.polls = [], [], 0

    def subscribe(self, _topics, listener):
        self.listener = listener

    async def start(self):
        pass

    stop = start

    def assignment(self):
        return {PLACE}

    def paused(self):
        return set()

    def pause(self, *_places):
        pass

    resume = pause

    async def commit(self, due):
        self.commits.append({place: offset for place, (offset, _) in due.items()})

    async def getmany(self, **_options):
        self.polls += 1
        await asyncio.sleep(0.001)
        given = self.given.pop(0) if self.given else {}
        if isinstance(given, Exception):
            raise given
        return given


@pytest.fixture
async def served(monkeypatch):
    """A bus whose one topic is consumed of a client that a test tells what to give."""
    monkeypatch.setattr(consuming, "AIOKafkaConsumer", Client)
    monkeypatch.setattr(consuming, "_FAULT_PAUSE_S", 0.01)
    bus = Bus(ServiceSettings(), "evaluator")

    async def handle(_event):
        pass

    bus.consume(TASK_BUILT, handle)
    (consumption,) = bus._consumptions
    await consumption.start()
    consumption._partitions = {PLACE: consuming._Partition()}
    yield bus, consumption
    await consumption.stop()


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():
            await asyncio.sleep(0.005)


async def test_a_consumer_that_cannot_read_says_so_and_goes_past_nothing(served):
    bus, consumption = served
    client = consumption._consumer
    assert bus.activities == [] and not bus.halted
    client.given = [UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"), {PLACE: [message(8)]}]
    await until(lambda: bus.halted)
    (line,) = bus.activities
    assert line.startswith(f"{TASK_BUILT.name}: stopped") and "UnicodeDecodeError" in line and "restart" in line
    assert bus.waiting == []
    polls = client.polls
    await asyncio.sleep(0.05)
    assert client.polls == polls and client.commits == []


async def test_a_message_that_cannot_be_set_aside_is_told_until_it_is(served):
    bus, consumption = served
    sent, broken = [], [True]

    async def send(topic, _body, _key, _headers=None):
        sent.append(topic)

    def letter(*_arguments):
        if broken:
            raise AttributeError("a fault of ours")
        return letter_of(*_arguments)

    bus._send = send
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("touchstone_runtime.bus.letter_of", letter)
        consumption._consumer.given = [{PLACE: [message()]}]
        await until(lambda: bus.activities)
        (line,) = bus.waiting
        assert "partition 0, offset 7" in line and "a fault of ours" in line and not bus.halted
        broken.clear()
        await until(lambda: sent)
        await until(lambda: not bus.activities)
    assert sent == [TASK_BUILT.dead_letters]


@pytest.mark.parametrize(
    "parts",
    [
        {"key": b"k" * 5_000_000, "value": None},
        {"key": b"\xff" * 3_000_000, "value": b"v" * 2_000_000},
        {"headers": (("h", b"\xff" * 3_000_000),)},
        {"value": b"v" * 8_000_000},
    ],
)
async def test_a_message_of_any_shape_is_buried(served, tmp_path, parts):
    bus, consumption = served
    bus._blobs = BlobStore(f"file://{tmp_path}")
    sent = []

    async def send(_topic, body, key, _headers=None):
        if len(body) + len(key or b"") > EVENT_BYTES:
            raise MessageSizeTooLargeError("larger than any may be")
        sent.append(DeadLetter.model_validate_json(body))

    bus._send = send
    record = message()
    for name, value in parts.items():
        setattr(record, name, value)
    async with asyncio.timeout(60):
        await bus._bury(TASK_BUILT, record, GivenUpError(ValueError("cannot be decoded"), 1), consumption)
    (letter,) = sent
    assert (letter.offset, letter.attempts) == (7, 1) and "cannot be decoded" in letter.reason
    if letter.body_digest:
        assert await bus._blobs.get(letter.body_digest) == (record.value or b"")


class Standing:
    """A consumption whose first wait looks at what the bus tells, and is the last one."""

    def __init__(self, bus):
        self.bus, self.told = bus, []

    def waits(self, _record):
        pass

    async def pause(self, _seconds):
        self.told.append(progress_pb2.Progress(activities=self.bus.activities).SerializeToString())
        raise asyncio.CancelledError


# A file's name that is no UTF-8, and half of a surrogate pair that an endpoint sent: no message holds either.
@pytest.mark.parametrize("said", ["na\udce9me.py", "no room \ud83d for you"])
@pytest.mark.parametrize(
    "fault",
    [
        lambda said: PermanentError("cannot be read", thing=said),
        lambda said: PermanentError("cannot be read", way_out=said),
        lambda said: ExceptionGroup("two", [PermanentError(said)]),
        lambda said: ExceptionGroup(said, [PermanentError("x")]),
        lambda said: SuspendedError(said),
        lambda said: ConnectionResetError(said),
    ],
)
async def test_whatever_a_fault_says_is_told_and_buried(said, fault):
    bus, sent = Bus(ServiceSettings(), "evaluator"), []
    error = fault(said)

    async def send(_topic, body, _key, _headers=None):
        sent.append(DeadLetter.model_validate_json(body))

    async def handle(_events):
        raise error

    bus._send = send
    record = message()
    record.topic = SOURCE_REQUESTED.name
    record.value = SourceRequested(source_id="a", request_id="b").model_dump_json().encode()
    standing = Standing(bus)
    try:
        async with asyncio.timeout(60):
            await bus._handle(SOURCE_REQUESTED, [record], handle, DeadLetterLimit(0.5), standing)
    except asyncio.CancelledError:
        assert b"no room" in standing.told[0] or b"na" in standing.told[0]
    else:
        assert sent[0].reason


def test_the_platform_s_own_faults_say_nothing_that_no_message_holds():
    fault = RetryableError("m\udce9", thing="t\udce9", way_out="w\udce9")
    for words in (str(fault), fault.message, fault.thing, fault.way_out):
        assert words.encode() and "\\udce9" in words
