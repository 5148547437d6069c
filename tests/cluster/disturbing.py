"""A thousand functions taken in while a pod is killed, or the broker is: each is counted once in every service."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path
from typing import Any

import installed

COUNT = 1000
A_FILE = 10
# Distinct, and without a branch: no task can come of them, so that nothing but the way is measured.
FUNCTION = '''
def station_{number}(track, speed):
    """Say how far track {number} leads at a speed, {words} stations on."""
    return track * {number} + speed - {words}

'''
# Its scripts run in the ingester's pod, for the platform's addresses are known there.
ADD = """
import sys
from touchstone.ingester.v1 import ingester_pb2 as pb, ingester_pb2_grpc as rpc
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
settings = ServiceSettings()
stub = rpc.IngesterServiceStub(dial_blocking(settings.ingester_address, settings.identity()))
source = pb.Source(kind="folder", name=sys.argv[1], window_days=36500)
added = stub.AddSource(pb.AddSourceRequest(source=source), wait_for_ready=True, timeout=300).source
stub.Sync(pb.SyncRequest(source_ids=[added.source_id]), timeout=300)
print(added.source_id)
"""
LETTERS = """
import asyncio
from aiokafka import AIOKafkaConsumer, TopicPartition
from touchstone_contracts.topics import TOPICS
from touchstone_runtime.settings import ServiceSettings

async def main():
    consumer = AIOKafkaConsumer(bootstrap_servers=ServiceSettings().kafka_bootstrap)
    await consumer.start()
    try:
        there = await consumer.topics()
        places = [
            TopicPartition(topic.dead_letters, number)
            for topic in TOPICS if topic.dead_letters in there
            for number in consumer.partitions_for_topic(topic.dead_letters) or ()
        ]
        print(sum((await consumer.end_offsets(places)).values()) if places else 0)
    finally:
        await consumer.stop()

asyncio.run(main())
"""


def killed(_seconds: float) -> dict[str, Any]:
    """The embedder's and the retriever's pods killed in the middle of a thousand events, one after the other."""

    def disturb(source: str) -> dict[str, Any]:
        at: dict[str, int] = {}
        for service, share in (("embedder", 0.2), ("retriever", 0.5)):
            at[service] = _reached(source, int(COUNT * share))
            for pod in installed.pods(service):
                installed.kubectl("delete", "pod", pod["metadata"]["name"], "--grace-period=0", "--force")
        return {"killed_at": at}

    return _taken_in("killed", disturb)


def broker(_seconds: float) -> dict[str, Any]:
    """The broker killed in the middle of a thousand events; its data stays."""

    def disturb(source: str) -> dict[str, Any]:
        at = _reached(source, int(COUNT * 0.3))
        installed.kill(installed.BROKER)
        return {"killed_at": {"broker": at}}

    return _taken_in("broker", disturb)


def _taken_in(name: str, disturb: Any) -> dict[str, Any]:
    """Take functions in, disturb it, and count."""
    # Another text than in any run before, so that nothing of it is known.
    salt = int(time.time())
    folder = Path(installed.layout().state, "blobs", f"{name}-{salt}")
    folder.mkdir()
    for first in range(0, COUNT, A_FILE):
        texts = [
            FUNCTION.format(number=salt * COUNT + number, words=number + 2) for number in range(first, first + A_FILE)
        ]
        (folder / f"part_{first}.py").write_text("\n".join(texts))
    os.chmod(folder, 0o755)
    began = time.monotonic()
    letters = _letters()
    try:
        (pod,) = installed.pods("ingester")
        words = ("exec", pod["metadata"]["name"], "--", "python", "-c", ADD, f"/blobs/{folder.name}")
        source = installed.kubectl(*words).strip().splitlines()[-1]
        found = disturb(source)
        counts = installed.until("all are counted", lambda: _settled(source))
    finally:
        shutil.rmtree(folder)
    line = {"functions": COUNT, **found, **counts, "seconds": round(time.monotonic() - began, 1)}
    line["dead_letters"] = _letters() - letters
    whole = set(counts.values()) == {COUNT} and not line["dead_letters"]
    return line | {"problem": "" if whole else "functions were lost or doubled"}


def _reached(source: str, count: int) -> int:
    """Wait until the index holds so many of a source's functions; gives how many it held then."""

    def held() -> int:
        found = int(installed.sql(f"SELECT count(*) FROM retriever.codes WHERE source_id = '{source}'"))
        return found if found >= count else 0

    return installed.until(f"{count} functions are in the index", held, every_s=0.2)


def _settled(source: str) -> dict[str, int] | None:
    """How often each service counts a source's functions, once all do; none before."""
    texts = {
        "ingested": f"SELECT count(*) FROM ingester.functions WHERE source_id = '{source}'",
        "embedded": "SELECT count(*) FROM embedder.functions e JOIN ingester.functions i USING (function_id) "
        f"WHERE i.source_id = '{source}'",
        "indexed": f"SELECT count(*) FROM retriever.codes WHERE source_id = '{source}'",
        "places": f"SELECT count(DISTINCT qualname) FROM retriever.codes WHERE source_id = '{source}'",
        "with_all_vectors": "SELECT count(*) FROM (SELECT function_id FROM retriever.code_vectors JOIN retriever.codes "
        f"USING (function_id) WHERE source_id = '{source}' GROUP BY function_id HAVING count(*) = "
        "(SELECT count(DISTINCT model) FROM retriever.code_vectors)) held",
    }  # fmt: skip

    def counted() -> dict[str, int]:
        return {name: int(installed.sql(text)) for name, text in texts.items()}

    counts = counted()
    if set(counts.values()) != {COUNT}:
        return None
    # What comes twice comes late.
    time.sleep(20)
    return counted()


def _letters() -> int:
    """Messages that the broker keeps because nobody could handle them."""
    (pod,) = installed.pods("ingester")
    return int(
        installed.kubectl("exec", pod["metadata"]["name"], "--", "python", "-c", LETTERS).strip().splitlines()[-1]
    )
