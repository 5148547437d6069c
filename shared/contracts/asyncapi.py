"""Write the AsyncAPI document of all topics; run by `make gen`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from faststream.kafka import KafkaBroker
from faststream.specification import AsyncAPI

from touchstone_contracts.topics import TOPICS


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI document of all topics, made by FastStream."""
    broker = KafkaBroker("localhost:9092")
    for topic in TOPICS:
        doc = (topic.event.__doc__ or "").strip().splitlines()[0]
        broker.publisher(topic.name, title=topic.name, description=doc, schema=topic.event)
    specification = AsyncAPI(broker, title="Touchstone", version="1", description="Events between the services")
    document: dict[str, Any] = json.loads(specification.to_specification().to_json())
    document.pop("servers", None)
    for channel in document.get("channels", {}).values():
        channel.pop("servers", None)
    return document


if __name__ == "__main__":
    target = Path(__file__).resolve().parent / "asyncapi.json"
    target.write_text(json.dumps(asyncapi(), indent=2, sort_keys=True) + "\n")
