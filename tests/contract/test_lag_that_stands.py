"""An autoscaler tells a consumer that cannot go on from one that has too much to do: its offsets stand still.

The chart has KEDA count no lag of a partition whose committed offset is where it was (`excludePersistentLag`). It
counts all of a partition without one, so a consumer says where it stands before it hands anything back.
"""

import asyncio
import uuid

import pytest
from aiokafka.admin import AIOKafkaAdminClient

from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import SOURCE_REQUESTED
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.settings import ServiceSettings

pytestmark = pytest.mark.real

PATIENCE_S = 300
COUNT = 60


@pytest.fixture
async def admin(kafka):
    client = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await client.start()
    yield client
    await client.close()


async def offsets(admin, bus):
    """The committed offset of each partition of the topic that has one."""
    found = await admin.list_consumer_group_offsets(bus.group(SOURCE_REQUESTED))
    return {place.partition: each.offset for place, each in found.items() if place.topic == SOURCE_REQUESTED.name}


@pytest.mark.parametrize("fault", [SuspendedError("the budget is spent", retry_after_s=0.2), TypeError("a defect")])
async def test_who_waits_or_is_halted_has_said_where_it_stands_and_stays_there(kafka, admin, fault):
    service = f"test-{uuid.uuid4().hex[:8]}"
    bus = Bus(
        ServiceSettings(kafka_bootstrap=kafka, retry_attempts=1, retry_backoff_s=0.01, dead_letter_share=0.3), service
    )

    async def held(_event):
        raise fault

    bus.consume(SOURCE_REQUESTED, held)
    await bus.start()
    try:
        for number in range(COUNT):
            await bus.publish(SOURCE_REQUESTED, SourceRequested(source_id=f"{service}-{number}", request_id=service))
        async with asyncio.timeout(PATIENCE_S):
            while not (bus.waiting or bus.halted):
                await asyncio.sleep(0.1)
        # What was set aside before is committed a moment later.
        await asyncio.sleep(3)
        before = await offsets(admin, bus)
        assert before and min(before.values()) >= 0
        await asyncio.sleep(3)
        assert await offsets(admin, bus) == before
        assert await bus.lag() > 0
    finally:
        await bus.stop()
