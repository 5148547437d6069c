"""Write the JSON Schema of every event; run by `make gen`."""

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


def main() -> None:
    """Write all schemas."""
    target = FOLDER / "schemas"
    target.mkdir(exist_ok=True)
    for name, schema in schemas().items():
        (target / name).write_text(json.dumps(schema, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
