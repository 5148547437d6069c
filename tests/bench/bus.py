"""Events per second through one stage of the bus, against a bare aiokafka consumer and producer in the same run.

A stage takes an event, decodes it, publishes another and commits. Prints one JSON line.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
import uuid
from pathlib import Path

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from touchstone_contracts.events import FunctionExtracted, SourceRequested
from touchstone_contracts.topics import FUNCTION_EXTRACTED, SOURCE_REQUESTED, key_of
from touchstone_local import kafka
from touchstone_runtime.bus import Bus
from touchstone_runtime.settings import ServiceSettings

EVENTS = 1000
ROUNDS = 3
EXAMPLE = Path(__file__).resolve().parents[2] / "shared/contracts/examples/function.extracted.v1.json"


async def bare(bootstrap: str, events: int) -> float:
    """Seconds that a plain consumer and producer need: same topics, same bytes, one commit a message."""
    consumer = AIOKafkaConsumer(
        FUNCTION_EXTRACTED.name,
        bootstrap_servers=bootstrap,
        group_id=f"bare-{uuid.uuid4().hex}",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    producer = AIOKafkaProducer(bootstrap_servers=bootstrap, acks="all")
    await producer.start()
    await consumer.start()
    try:
        await consumer.getone()
        started = time.perf_counter()
        for number in range(events - 1):
            message = await consumer.getone()
            json.loads(message.value)
            body = json.dumps({"source_id": str(number), "request_id": "bare"}).encode()
            await producer.send_and_wait(SOURCE_REQUESTED.name, body, key=message.key)
            await consumer.commit()
        return time.perf_counter() - started
    finally:
        await consumer.stop()
        await producer.stop()


async def staged(bootstrap: str, events: int, *, batch: bool) -> float:
    """Seconds that a stage of the bus needs for the same."""
    bus = Bus(ServiceSettings(kafka_bootstrap=bootstrap), f"bench-{uuid.uuid4().hex[:8]}")
    seen = 0
    first = asyncio.Event()
    done = asyncio.Event()

    async def handle(items: list[FunctionExtracted]) -> None:
        nonlocal seen
        first.set()
        out = [SourceRequested(source_id=item.function.function_id, request_id="stage") for item in items]
        await bus.publish_all(SOURCE_REQUESTED, out)
        seen += len(items)
        if seen >= events:
            done.set()

    async def handle_one(item: FunctionExtracted) -> None:
        await handle([item])

    if batch:
        bus.consume_batch(FUNCTION_EXTRACTED, handle, max_records=64, max_wait_s=0.05)
    else:
        bus.consume(FUNCTION_EXTRACTED, handle_one)
    await bus.start()
    try:
        await first.wait()
        started = time.perf_counter()
        await done.wait()
        return time.perf_counter() - started
    finally:
        await bus.stop()


async def measure(bootstrap: str) -> dict[str, object]:
    """Fill the topic once, then measure the three in turn."""
    event = FunctionExtracted.model_validate_json(EXAMPLE.read_text())
    filler = Bus(ServiceSettings(kafka_bootstrap=bootstrap), "bench-filler")
    await filler.start()
    events = [
        event.model_copy(update={"function": event.function.model_copy(update={"function_id": f"f{number}"})})
        for number in range(EVENTS)
    ]
    assert key_of(FUNCTION_EXTRACTED, events[1]) == b"f1"
    await filler.publish_all(FUNCTION_EXTRACTED, events)
    await filler.stop()
    plain, single, batched = [], [], []
    for _ in range(ROUNDS):
        plain.append(EVENTS / await bare(bootstrap, EVENTS))
        single.append(EVENTS / await staged(bootstrap, EVENTS, batch=False))
        batched.append(EVENTS / await staged(bootstrap, EVENTS, batch=True))
    middle = ROUNDS // 2
    bare_rate, single_rate, batch_rate = (sorted(rates)[middle] for rates in (plain, single, batched))
    return {
        "bench": "bus",
        "bare_aiokafka_per_s": round(bare_rate),
        "stage_per_s": round(single_rate),
        "batch_stage_per_s": round(batch_rate),
        "stage_to_bare": round(single_rate / bare_rate, 3),
        "batch_stage_to_bare": round(batch_rate / bare_rate, 3),
    }


def main() -> None:
    """Measure on a broker of its own."""
    with tempfile.TemporaryDirectory() as folder, kafka.start(folder) as server:
        sys.stdout.write(json.dumps(asyncio.run(measure(server.bootstrap))) + "\n")


if __name__ == "__main__":
    main()
