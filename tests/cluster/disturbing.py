"""Hundreds of functions taken in while pods, broker, network or a disk fail: each is counted once everywhere."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import installed

from touchstone_local.cluster.installing import SOURCES

# Enough that something is in hand at every service when it is disturbed; a processor without bfloat16 embeds some 30
# a second.
COUNT = 400
# More than are taken in at once: names of one second are none of the next.
SPAN = 10_000
A_FILE = 10
# Longer than the 40 s for which a client waits for a broker's answer.
SILENT_S = 45
DRAINED_S = 15
# For so long a disk has no room, or stands still again and again: nobody's patience ends by it.
STARVED_S = 20
# A slow disk stands still for so long, goes for so long, and so on.
STANDS_S, GOES_S = 3.0, 0.3
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
    """The embedder's pod and then the retriever's killed in the middle of hundreds of events, and removed."""
    doomed = [pod["metadata"]["name"] for name in ("embedder", "retriever") for pod in installed.pods(name)]
    tasks = [installed.task(name) for name in doomed]

    def disturb(functions: str) -> list[int]:
        at: list[int] = []
        for name, task in zip(doomed, tasks, strict=True):
            reached(functions, (at or [0])[-1] + 1)
            installed.kill(task)
            at.append(indexed(functions))
            installed.kubectl("delete", "pod", name, "--grace-period=0", "--force", "--wait=false")
        return at

    return taken_in("killed", disturb)


def broker(_seconds: float) -> dict[str, Any]:
    """The broker killed in the middle of hundreds of events; its data stays."""
    task = installed.task(installed.BROKER)

    def disturb(functions: str) -> list[int]:
        reached(functions, 1)
        installed.kill(task)
        return [indexed(functions)]

    return taken_in("broker", disturb)


def silent(_seconds: float) -> dict[str, Any]:
    """The broker frozen in the middle of hundreds of events: it neither answers nor hangs up."""
    task = installed.task(installed.BROKER)

    def disturb(functions: str) -> list[int]:
        reached(functions, 1)
        with installed.frozen(task):
            at = indexed(functions)
            time.sleep(SILENT_S)
            # What was in hand may be finished; nothing new arrives.
            return [at, indexed(functions)]

    return taken_in("silent", disturb)


def partition(_seconds: float) -> dict[str, Any]:
    """For a while no packet passes between the broker and the embedder, nor between it and the retriever."""
    cut = [
        installed.task(pod["metadata"]["name"]) for name in ("embedder", "retriever") for pod in installed.pods(name)
    ]

    def disturb(functions: str) -> list[int]:
        reached(functions, 1)
        with installed.cut_off(cut, installed.BROKER_PORT):
            at = indexed(functions)
            time.sleep(SILENT_S)
            return [at, indexed(functions)]

    return taken_in("partition", disturb)


def drained(_seconds: float) -> dict[str, Any]:
    """Every pod evicted from the node in the middle of it for a while, broker and database too."""
    evicted = 0

    def disturb(functions: str) -> list[int]:
        nonlocal evicted
        reached(functions, 1)
        at = indexed(functions)
        with installed.drained() as evicted:
            time.sleep(DRAINED_S)
        installed.until("the database answers", _answers)
        return [at, indexed(functions)]

    line = taken_in("drained", disturb)
    return line | {"evicted": evicted}


def full(_seconds: float) -> dict[str, Any]:
    """The database's disk is full for a while."""
    return _starved("full", "postgres", lambda name: installed.filled(name, STARVED_S))


def full_store(_seconds: float) -> dict[str, Any]:
    """The disk of the blobs is full for a while."""
    return _starved("full_store", "s3", lambda name: installed.filled(name, STARVED_S))


def slow(_seconds: float) -> dict[str, Any]:
    """Whatever is written to the database's disk waits up to three seconds, for as long."""
    return _starved("slow", "postgres", lambda name: installed.slowed(name, STARVED_S, STANDS_S, GOES_S))


def _starved(step: str, disk: str, starve: Callable[[str], int]) -> dict[str, Any]:
    def disturb(functions: str) -> list[int]:
        if disk == "postgres":
            reached(functions, 1)
        at = indexed(functions)
        starve(disk)
        # A database that cannot write its log ends, and is started again.
        installed.until("the database answers", _answers)
        return [at, indexed(functions)]

    return taken_in(step, disturb)


def taken_in(
    name: str, disturb: Callable[[str], list[int]], text: str = FUNCTION, count: int = COUNT
) -> dict[str, Any]:  # fmt: skip
    """Take functions in, disturb it, and count. What comes twice comes late: `counted_again` is for that.

    Args:
        name: Of the source.
        disturb: Given what the functions' names are LIKE; tells how many were indexed when it did something.
        text: What each is written by.
        count: How many.
    """
    # Another text than in any run before, so that nothing of it is known.
    salt = int(time.time())
    functions = f"station_{salt}%"
    letters = _letters()
    began = time.monotonic()
    with written(name, salt, count, text) as folder, ThreadPoolExecutor(1) as adding:
        added = adding.submit(add, folder)
        at = disturb(functions)
        added.result()
        counts = installed.until("all are counted", lambda: _settled(functions, count))
    line = {"functions": count, "indexed_when_disturbed": at, **counts}
    line |= {"seconds": round(time.monotonic() - began, 1), "dead_letters": _letters() - letters}
    problem = "dead letters" if line["dead_letters"] else ""
    if at[0] >= count:
        problem = problem or "all was done before: nothing was disturbed"
    return line | {"problem": problem}


@contextmanager
def written(name: str, salt: int, count: int, text: str = FUNCTION) -> Iterator[Path]:
    """A folder of sources with so many functions, for as long as it is needed."""
    folder = Path(installed.layout().state, SOURCES, f"{name}-{salt}")
    folder.mkdir()
    for first in range(0, count, A_FILE):
        numbers = range(first, min(first + A_FILE, count))
        texts = [text.format(number=salt * SPAN + number, words=number + 2) for number in numbers]
        (folder / f"part_{first}.py").write_text("\n".join(texts))
    os.chmod(folder, 0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def add(folder: Path) -> None:
    """Have the ingester take a folder of sources in."""
    (pod,) = installed.pods("ingester")
    words = ("exec", pod["metadata"]["name"], "--", "python", "-c", ADD, f"/{SOURCES}/{folder.name}")
    installed.kubectl(*words)


def reached(functions: str, count: int) -> None:
    """Wait until the index holds so many functions of a name; the database looks itself, which is quicker."""
    held = f"SELECT count(*) FROM retriever.codes WHERE qualname LIKE '{functions}'"
    turn = "PERFORM pg_sleep(0.02); tries := tries + 1; IF tries > 15000 THEN RAISE 'not within 300 s'; END IF;"
    installed.sql(
        f"DO $$ DECLARE tries int := 0; BEGIN WHILE ({held}) < {min(count, COUNT)} LOOP {turn} END LOOP; END $$"
    )


def indexed(functions: str) -> int:
    """How many functions the index holds whose names are LIKE this."""
    return int(installed.sql(f"SELECT count(*) FROM retriever.codes WHERE qualname LIKE '{functions}'"))


def _settled(functions: str, count: int) -> dict[str, int] | None:
    """How often each service counts functions of a name, once all do; none before."""
    named = f"WHERE qualname LIKE '{functions}'"
    texts = {
        "ingested": f"SELECT count(*) FROM ingester.functions {named}",
        "embedded": f"SELECT count(*) FROM embedder.functions {named}",
        "indexed": f"SELECT count(*) FROM retriever.codes {named}",
        "names": f"SELECT count(DISTINCT qualname) FROM retriever.codes {named}",
        "with_all_vectors": "SELECT count(*) FROM (SELECT function_id FROM retriever.code_vectors JOIN retriever.codes "
        f"USING (function_id) {named} GROUP BY function_id HAVING count(*) = "
        "(SELECT count(DISTINCT model) FROM retriever.code_vectors)) held",
    }
    try:
        answer = installed.sql("SELECT " + ", ".join(f"({text})" for text in texts.values()))
    except RuntimeError:
        # The database, or the way to it, is not back yet.
        return None
    counts = dict(zip(texts, map(int, answer.split("|")), strict=True))
    return counts if set(counts.values()) == {count} else None


def counted_again(_seconds: float) -> dict[str, Any]:
    """At the end of all steps: of all functions that were taken in each one is still there, once everywhere.

    They were numbered from nought, so that the last number says how many there were.
    """
    tables = {"ingested": "ingester.functions", "embedded": "embedder.functions", "indexed": "retriever.codes"}
    whole: dict[str, int] = {}
    held: dict[str, dict[str, list[int]]] = {what: {} for what in tables}
    for what, table in tables.items():
        answer = installed.sql(
            "SELECT salt, count(*), count(DISTINCT number), max(number) + 1 FROM (SELECT substr(qualname, 9, 10) AS "
            f"salt, substr(qualname, 19)::int AS number FROM {table} WHERE qualname ~ '^station_[0-9]{{14}}$') named "
            "GROUP BY salt"
        )
        for salt, *counts in (line.split("|") for line in answer.splitlines()):
            there, different, given = map(int, counts)
            whole[salt] = max(whole.get(salt, 0), given)
            held[what][salt] = [there, different]
    lost = {
        what: {salt: counts.get(salt) for salt, given in whole.items() if counts.get(salt) != [given, given]}
        for what, counts in held.items()
    }
    found = {what: each for what, each in lost.items() if each}
    problem = "functions were lost or doubled" if found or not whole else ""
    return {
        "taken_in": sorted(whole.values()), "functions": sum(whole.values()), "lost_or_doubled": found,
        "dead_letters": _letters(), "problem": problem,
    }  # fmt: skip


def _answers() -> bool:
    try:
        return installed.sql("SELECT 1") == "1"
    except RuntimeError:
        return False


def _letters() -> int:
    """Messages that the broker keeps because nobody could handle them."""
    (pod,) = installed.pods("ingester")
    return int(installed.last_line(pod["metadata"]["name"], LETTERS))
