"""A service whose clock is wrong, at a real broker that refuses what comes from another time: nothing is given up."""

import asyncio
import uuid

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import InvalidTimestampError

from touchstone_contracts.events import ModelSpec, SolutionRequested, SourceRequested
from touchstone_contracts.topics import SOLUTION_REQUESTED, SOURCE_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real

PATIENCE_S = 300


async def refuse_every_time(kafka, topic, refused):
    """Let a topic take no message that was sent before now, by the broker's clock; or any again."""
    # To the broker a clock that is ahead of its own and messages that are too old are one error.
    most = "0" if refused else str(2**63 - 1)
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await admin.start()
    try:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic.name, {"message.timestamp.before.max.ms": most})
        await admin.alter_configs([resource])
    finally:
        await admin.close()


async def until(condition):
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.05)


async def test_what_a_wrong_clock_keeps_from_being_published_waits_and_goes_on_when_it_is_right(kafka):
    service, mark = f"test-{uuid.uuid4().hex[:8]}", uuid.uuid4().hex[:8]
    # With so few tries whatever counts as the message's own fault is given up at once.
    bus = Bus(ServiceSettings(kafka_bootstrap=kafka, retry_backoff_s=0.01, retry_backoff_max_s=0.1), service)
    faults, done = [], []

    def answer_to(name):
        return SolutionRequested(task_id=name, run_id="r", model=ModelSpec(name="m"), sample=0)

    async def passes_on(event):
        if not event.source_id.startswith(mark):
            return
        try:
            await bus.publish(SOLUTION_REQUESTED, answer_to(event.source_id))
        except Exception as error:
            faults.append((type(error), classify(error)))
            raise
        done.append(event.source_id)

    bus.consume(SOURCE_REQUESTED, passes_on)
    await bus.start()
    try:
        asked = [f"{mark}-{number}" for number in range(3)]
        # The broker has counted this producer's messages before its clock went wrong.
        await bus.publish_all(SOLUTION_REQUESTED, [answer_to(each) for each in asked])
        await refuse_every_time(kafka, SOLUTION_REQUESTED, True)
        await bus.publish_all(SOURCE_REQUESTED, [SourceRequested(source_id=each, request_id="r") for each in asked])
        await until(lambda: len(faults) > 12)
        assert set(faults) == {(InvalidTimestampError, Fault.WAIT)} and not done
        await refuse_every_time(kafka, SOLUTION_REQUESTED, False)
        await until(lambda: len(done) == len(asked))
        assert done == asked
        # What the broker refused left a gap in what the producer counts: that is no fault of any message either.
        assert set(faults) == {(InvalidTimestampError, Fault.WAIT)}
    finally:
        await bus.stop()
