"""The topics at the broker, as their cards have them."""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import TopicAlreadyExistsError, for_code

from touchstone_contracts.topics import TOPICS, Topic
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.telemetry import get_logger

# Where a broker says a value comes from: the topic itself.
_OF_TOPIC = 1
_log = get_logger()


def configuration(topic: Topic, message_bytes: int) -> dict[str, str]:
    """What the broker is told of a topic.

    It lets nothing go by age: it does not know what still waits. Consumers delete what they have handled
    (`BrokerView.let_go`), and dead letters stay until a person deletes them.
    """
    return {
        "max.message.bytes": str(message_bytes),
        "retention.ms": "-1",
        # Compacted, it keeps the last message of each key, however old.
        "cleanup.policy": "compact" if topic.compacted else "delete",
    }


def wanted_topics(message_bytes: int) -> dict[str, tuple[int, dict[str, str]]]:
    """Partitions and configuration of every topic, dead letters included."""
    wanted: dict[str, tuple[int, dict[str, str]]] = {}
    for topic in TOPICS:
        own = configuration(topic, message_bytes)
        wanted[topic.name] = (topic.partitions, own)
        wanted[topic.dead_letters] = (1, own | {"cleanup.policy": "delete"})
    return wanted


async def reconcile_topics(settings: ServiceSettings, message_bytes: int) -> None:
    """Make the topics that are missing, and set right what differs from the cards.

    Raises:
        KafkaError: the broker is away, or refuses a topic.
    """
    admin = AIOKafkaAdminClient(**settings.kafka().options())
    try:
        await admin.start()
        wanted = wanted_topics(message_bytes)
        present = set(await admin.list_topics())
        missing = [
            NewTopic(name, partitions, settings.kafka_replication, topic_configs=own)
            for name, (partitions, own) in wanted.items()
            if name not in present
        ]
        if missing:
            answer: Any = await admin.create_topics(missing)
            for name, code, *_ in answer.topic_errors:
                if code not in (0, TopicAlreadyExistsError.errno):
                    raise for_code(code)(f"cannot create topic {name}")
        await _set_right(admin, {name: own for name, (_, own) in wanted.items() if name in present})
    finally:
        await admin.close()


async def _set_right(admin: AIOKafkaAdminClient, wanted: dict[str, dict[str, str]]) -> None:
    if not wanted:
        return
    asked = [ConfigResource(ConfigResourceType.TOPIC, name) for name in wanted]
    different: list[ConfigResource] = []
    described: list[Any] = await admin.describe_configs(asked)
    for answer in described:
        for _code, _words, _kind, name, entries in answer.resources:
            held = {entry[0]: entry[1] for entry in entries}
            own = wanted[name]
            if any(held.get(key) != value for key, value in own.items()):
                # What is set replaces all that a topic has: what others set for it is handed back.
                others = {entry[0]: entry[1] for entry in entries if entry[3] == _OF_TOPIC and entry[1] is not None}
                different.append(ConfigResource(ConfigResourceType.TOPIC, name, others | own))
    if not different:
        return
    altered: list[Any] = await admin.alter_configs(different)
    for answer in altered:
        for code, words, _kind, name in answer.resources:
            if code:
                # A cluster's own operator may hold the topics: then its configuration stands.
                _log.warning("topic_not_set_right", topic=name, error=f"{code}: {words}")
    _log.info("topics_set_right", topics=sorted(str(resource.name) for resource in different))
