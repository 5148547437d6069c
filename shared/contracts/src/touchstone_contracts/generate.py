"""Write the JSON Schema of every event and the AsyncAPI document; run by `make gen`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from touchstone_contracts.topics import TOPICS

FOLDER = Path(__file__).resolve().parents[2]


def schemas() -> dict[str, dict[str, Any]]:
    """JSON Schema of the event of every topic, by file name."""
    return {
        f"{topic.name.removeprefix('touchstone.')}.json": topic.event.model_json_schema(mode="validation")
        for topic in TOPICS
    }


def asyncapi() -> dict[str, Any]:
    """The AsyncAPI document of all topics, made by FastStream."""
    # FastStream is a tool here, needed only where documents are generated.
    from faststream.kafka import KafkaBroker
    from faststream.specification import AsyncAPI

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


def main() -> None:
    """Write all generated documents."""
    target = FOLDER / "schemas"
    target.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (target / name).write_text(json.dumps(schema, indent=2, sort_keys=True) + "\n")
    (FOLDER / "asyncapi.json").write_text(json.dumps(asyncapi(), indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
