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
    """The embedder's and then the retriever's pods removed by force in the middle of a thousand events."""
    doomed = [[pod["metadata"]["name"] for pod in installed.pods(name)] for name in ("embedder", "retriever")]

    def disturb(source: str) -> dict[str, Any]:
        at: list[int] = []
        for names in doomed:
            _reached(source, (at or [0])[-1] + 1)
            installed.kubectl("delete", "pod", *names, "--grace-period=0", "--force", "--wait=false")
            at.append(_indexed(source))
        return {"indexed_when_killed": at}

    return _taken_in("killed", disturb)


def broker(_seconds: float) -> dict[str, Any]:
    """The broker killed in the middle of a thousand events; its data stays."""
    task = installed.task(installed.BROKER)

    def disturb(source: str) -> dict[str, Any]:
        _reached(source, 1)
        installed.kill(task)
        return {"indexed_when_killed": [_indexed(source)]}

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
    problem = "" if whole else "functions were lost or doubled"
    if max(found["indexed_when_killed"]) >= COUNT:
        problem = problem or "all was done before: nothing was disturbed"
    return line | {"problem": problem}


def _reached(source: str, count: int) -> None:
    """Wait until the index holds so many of a source's functions."""
    installed.until(f"{count} functions are in the index", lambda: _indexed(source) >= count, every_s=0.1)


def _indexed(source: str) -> int:
    return int(installed.sql(f"SELECT count(*) FROM retriever.codes WHERE source_id = '{source}'"))


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
        answer = installed.sql("SELECT " + ", ".join(f"({text})" for text in texts.values()))
        return dict(zip(texts, map(int, answer.split("|")), strict=True))

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
