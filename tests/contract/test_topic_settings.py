"""What topics are set to on a real broker: by their cards, and by whoever runs it."""

import asyncio

import pytest
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

from touchstone_contracts.topics import FUNCTION_EMBEDDED, SOURCE_REQUESTED
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.topic_admin import reconcile_topics

PATIENCE_S = 300
MESSAGE_BYTES = 8 * 1024 * 1024


@pytest.fixture
async def admin(kafka):
    client = AIOKafkaAdminClient(bootstrap_servers=kafka)
    await client.start()
    yield client
    await client.close()


async def shown(admin, name, **wanted):
    """A topic's settings once these are among them; a broker shows what was altered some moments later."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            (answer,) = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, name)])
            held = {entry[0]: entry[1] for entry in answer.resources[0][4]}
            if wanted.items() <= {key.replace(".", "_"): value for key, value in held.items()}.items():
                return held
            await asyncio.sleep(0.1)


async def test_topics_keep_what_their_cards_say_and_are_set_right(kafka, admin):
    settings = ServiceSettings(kafka_bootstrap=kafka)
    await reconcile_topics(settings, MESSAGE_BYTES)
    # Wrong by the card, and beside it what an operator wants of this topic.
    mixed = {"retention.ms": "1000", "segment.ms": "3600000"}
    await admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, SOURCE_REQUESTED.name, mixed)])
    await shown(admin, SOURCE_REQUESTED.name, retention_ms="1000")
    await reconcile_topics(settings, MESSAGE_BYTES)
    policies = [
        (SOURCE_REQUESTED.name, "delete"),
        (SOURCE_REQUESTED.dead_letters, "delete"),
        (FUNCTION_EMBEDDED.name, "compact"),
        (FUNCTION_EMBEDDED.dead_letters, "delete"),
    ]
    for name, policy in policies:
        # The broker does not know what still waits: by age it lets nothing go.
        held = await shown(admin, name, retention_ms="-1")
        assert held["cleanup.policy"] == policy
        assert held["max.message.bytes"] == str(MESSAGE_BYTES)
    assert (await shown(admin, SOURCE_REQUESTED.name))["segment.ms"] == "3600000"
