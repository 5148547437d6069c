"""`touchstone dlq` on a real broker, with letters that the bus wrote."""

import asyncio
import json
import subprocess
import sys
import uuid

import pytest

from touchstone_cli.dlq_kafka import KafkaLog
from touchstone_cli.errors import CliError
from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real


class Moody:
    """Refuses its first events for good, takes all others."""

    def __init__(self, refusals):
        self.refusals = refusals
        self.taken = []

    async def __call__(self, event):
        if self.refusals:
            self.refusals -= 1
            raise PermanentError("not today", thing=event.source_id)
        self.taken.append(event.source_id)


async def test_letters_are_listed_shown_and_replayed(kafka):
    mark = uuid.uuid4().hex[:8]
    bus, handler = Bus(ServiceSettings(kafka_bootstrap=kafka, retry_backoff_s=0.01), f"test-{mark}"), Moody(2)

    async def dlq(*arguments):
        command = [sys.executable, "-c", "from touchstone_cli.dlq import app; app()", *arguments]
        environment = {"TOUCHSTONE_KAFKA_BOOTSTRAP": kafka, "PATH": "/usr/bin:/bin"}
        done = await asyncio.to_thread(subprocess.run, command, env=environment, capture_output=True, timeout=300)
        assert done.returncode == 0, done.stderr.decode()
        return json.loads(done.stdout)

    async def mine():
        return [letter for letter in await dlq("list", "--json") if letter["service"] == f"test-{mark}"]

    async def until(count):
        async with asyncio.timeout(300):
            while len(found := await mine()) < count:
                await asyncio.sleep(0.2)
        return found

    bus.consume(SOURCE_REQUESTED, handler)
    await bus.start()
    try:
        requested = [SourceRequested(source_id=f"{mark}-{number}", request_id="r") for number in range(3)]
        await bus.publish_all(SOURCE_REQUESTED, requested)
        letters = await until(2)
        assert {letter["reason"] for letter in letters} == {f"{letter['key']}: not today" for letter in letters}
        assert not any(letter["replayed"] for letter in letters)

        shown = await dlq("show", letters[0]["id"], "--json")
        assert shown["body"]["source_id"] == letters[0]["key"]

        assert await dlq("replay", letters[0]["event_id"][:16], "--json") == [letters[0]["id"]]
        async with asyncio.timeout(300):
            while letters[0]["key"] not in handler.taken:
                await asyncio.sleep(0.1)
        assert [letter["replayed"] for letter in await mine()] == [True, False]
        assert letters[1]["id"] in await dlq("replay", "--all", "--json")
        async with asyncio.timeout(300):
            while len(set(handler.taken)) < 3:
                await asyncio.sleep(0.1)
        assert all(letter["replayed"] for letter in await mine())
        assert await dlq("replay", "--all", "--json") == []
        # What is young stays; what was replayed goes with what was written down of it, for good.
        assert (await dlq("drop", "--json"))["dropped"] == 0
        assert (await dlq("drop", "--days", "0", "--json"))["dropped"] >= 2
        assert await mine() == []
    finally:
        await bus.stop()


async def test_an_absent_broker_is_told_in_one_line():
    async with KafkaLog(KafkaAccess("127.0.0.1:9")) as log:
        with pytest.raises(CliError, match=r"127\.0\.0\.1:9: Kafka cannot be used"):
            await log.read()
