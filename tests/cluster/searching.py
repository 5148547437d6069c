"""Searches at a steady rate from a pod of the cluster, of a service's image; JSON lines on standard output.

    python searching.py RATE SECONDS REPLICAS OVER

It begins when the retriever's name stands for REPLICAS addresses, and ends before its time once there is a file OVER. A
search that waits is not waited for: the next one starts when its time has come, as those of many people would.
"""

import asyncio
import json
import socket
import sys
import time
from collections import Counter
from pathlib import Path

import grpc

from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_runtime.dialling import dial
from touchstone_runtime.settings import ServiceSettings

QUESTIONS = (
    "count the vowels of a text",
    "the grade that belongs to a score",
    "sums of a list so far",
    "where values are",
)
WAIT_FOR_NAMES_S = 120
ANSWER_WITHIN_S = 60


def tell(**what):
    """One JSON line."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def addresses(target):
    """What the name of a target stands for now."""
    host, _, port = target.removeprefix("dns:///").rpartition(":")
    try:
        return sorted({str(each[4][0]) for each in socket.getaddrinfo(host, int(port), type=socket.SOCK_STREAM)})
    except OSError:
        return []


async def main(rate, seconds, replicas, over):
    """Search, and tell what came of it."""
    settings = ServiceSettings()
    for _ in range(WAIT_FOR_NAMES_S):
        found = addresses(settings.retriever_address)
        if len(found) == replicas:
            break
        await asyncio.sleep(1)
    tell(addresses=found)
    channel = dial(settings.retriever_address, settings.identity())
    stub = retriever_pb2_grpc.RetrieverServiceStub(channel)
    # One question of each kind, and a connection to every replica, before the clock runs.
    for question in QUESTIONS * 3:
        await stub.Search(retriever_pb2.SearchRequest(query=question), wait_for_ready=True, timeout=ANSWER_WITHIN_S)
    took, faults, ranked_by = [], Counter(), Counter()

    async def search(question):
        began = time.monotonic()
        try:
            answer = await stub.Search(retriever_pb2.SearchRequest(query=question, limit=3), timeout=ANSWER_WITHIN_S)
            ranked_by[", ".join(answer.parts)] += 1
            if not answer.results:
                faults["no result"] += 1
        except grpc.aio.AioRpcError as error:
            faults[f"{error.code().name}: {error.details()}"[:200]] += 1
        took.append(time.monotonic() - began)

    tell(begun=True)
    running, began = set(), time.monotonic()
    for number in range(int(rate * seconds)):
        if number % int(rate) == 0 and over.exists():
            break
        await asyncio.sleep(max(0.0, began + number / rate - time.monotonic()))
        task = asyncio.create_task(search(QUESTIONS[number % len(QUESTIONS)]))
        running.add(task)
        task.add_done_callback(running.discard)
    asked_s = time.monotonic() - began
    while running:
        await asyncio.wait(set(running))
    took.sort()

    def share(part):
        return round(took[min(len(took) - 1, int(part * len(took)))], 3)

    tell(
        searches=len(took), a_second=round(len(took) / asked_s, 1), failed=sum(faults.values()), faults=dict(faults),
        ranked_by=dict(ranked_by), p50_s=share(0.5), p95_s=share(0.95), p99_s=share(0.99), longest_s=round(took[-1], 3),
    )  # fmt: skip
    await channel.close()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4])))
