"""Sends malformed requests to every RPC and malformed events to every topic of services that run, and looks on.

    python tests/chaos/hostile.py --requests 10000 --events 10000

starts the services with a broker, a database and a scripted model of their own and prints one JSON line for each RPC
and each topic. The exit code is 1 when a service ended, called a malformed request its own fault, or lost an event.
Services are attacked side by side, each by several calls at a time.
"""

# aiokafka ships no types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import malformed
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from google.protobuf.descriptor import MethodDescriptor
from platforms import backlog_at

from touchstone.ingester.v1 import ingester_pb2, ingester_pb2_grpc
from touchstone.pbt_generator.v1 import pbt_generator_pb2, pbt_generator_pb2_grpc
from touchstone_contracts.events import DeadLetter
from touchstone_contracts.topics import TOPICS
from touchstone_local import kafka as local_kafka
from touchstone_local import ports
from touchstone_local import postgres as local_postgres
from touchstone_runtime.dialling import dial

ROOT = Path(__file__).resolve().parents[2]
# What no malformed request may bring a service to say: that the fault is its own.
OUR_FAULT = {"INTERNAL", "UNKNOWN", "DATA_LOSS", "UNIMPLEMENTED", "ABORTED"}
# What only a service that is gone or hangs says.
AWAY = {"UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED"}
# As long as an honest trial of tasks or a build of an index may take where other work fills the machine.
PATIENCE_S = 600.0
# Calls of one service at a time.
SIDE_BY_SIDE = 8
# What is answered is no malformed request, and may take long: an RPC that answered so many gets only what cannot be
# decoded from then on.
MOST_ANSWERED = 300
# Some events may be decodable: what they say is hostile, and the service does with it what it can, which takes long.
# One of so many, and no more of a topic than so many.
DECODABLE_EVERY = 20
MOST_DECODABLE = 50
# One before, so that there is something to search and to ask for, and one after it all: the services go on.
BEFORE = '''def longest_rise(numbers: list[int]) -> int:
    """The length of the longest run of numbers that each are larger than the one before."""
    best = 0
    run = 0
    last = None
    for number in numbers:
        run = run + 1 if last is not None and number > last else 1
        best = max(best, run)
        last = number
    return best
'''
AFTER = '''def initials(words: str, most: int) -> str:
    """The first letters of so many words at most, each in upper case and with a point."""
    letters = []
    for word in words.split():
        if len(letters) >= most:
            break
        if word[0].isalpha():
            letters.append(word[0].upper() + ".")
    return "".join(letters)
'''


# -- the services ---------------------------------------------------------------------------------------------------


def services() -> list[str]:
    """The services that a contract stands for."""
    found = {method.containing_service.file.package.split(".")[1].replace("_", "-") for method in malformed.rpcs()}
    return sorted("sandbox-executor" if name == "sandbox" else name for name in found)


class Servers:
    """All services as processes on a broker and a database; who ends is not started again.

    Args:
        folder: Their blobs, states and logs.
        kafka: Bootstrap address.
        database: SQLAlchemy URL.
    """

    def __init__(self, folder: Path, kafka: str, database: str) -> None:
        self.kafka = kafka
        names = services()
        free = ports.free_ports(2 * len(names) + 1)
        self.addresses = {name: f"127.0.0.1:{port}" for name, port in zip(names, free, strict=False)}
        self.folder = folder
        (folder / "solutions").mkdir()
        (folder / "models.toml").write_text('default = "scripted"\n\n[models.scripted]\n')
        model = free[-1]
        cache = os.environ.get("TOUCHSTONE_CACHE") or str(ROOT / ".state" / "cache")
        self._environment = {
            **os.environ,
            "TOUCHSTONE_CACHE": cache,
            "TOUCHSTONE_TOOLCHAINS_DIR": cache,
            "TOUCHSTONE_KAFKA_BOOTSTRAP": kafka,
            "TOUCHSTONE_DATABASE_URL": database,
            "TOUCHSTONE_BLOB_URL": f"file://{folder}/blobs",
            "TOUCHSTONE_STATE_DIR": str(folder / "state"),
            "TOUCHSTONE_MODELS_DIR": str(folder / "models"),
            "TOUCHSTONE_MODELS_FILE": str(folder / "models.toml"),
            "TOUCHSTONE_EMBEDDING_MODELS": '["bow-hash-512"]',
            "TOUCHSTONE_SEARCH_MODELS": '["bow-hash-512"]',
            "TOUCHSTONE_LLM_BASE_URL": f"http://127.0.0.1:{model}/v1",
            "TOUCHSTONE_LLM_MODEL": "scripted",
            # Endpoints that an event names are dead: their runs shall end while somebody looks on.
            "TOUCHSTONE_EVALUATOR_ENDPOINT_PATIENCE_S": "5",
            "TOUCHSTONE_RETRY_BACKOFF_S": "0.05",
            "TOUCHSTONE_RETRY_BACKOFF_MAX_S": "2",
            **{
                f"TOUCHSTONE_{name.removesuffix('-executor').replace('-', '_').upper()}_ADDRESS": address
                for name, address in self.addresses.items()
            },
        }
        script = str(ROOT / "tests" / "e2e" / "fake_llm.py")
        line = [sys.executable, script, "--port", str(model), "--solutions", str(folder / "solutions")]
        self._model = self._start("model", line, {})
        self._processes = {
            name: self._start(
                name,
                [sys.executable, "-m", name.replace("-", "_")],
                {"TOUCHSTONE_GRPC_LISTEN": self.addresses[name], "TOUCHSTONE_HTTP_LISTEN": f"127.0.0.1:{port}"},
            )
            for name, port in zip(names, free[len(names) :], strict=False)
        }

    def _start(self, name: str, line: Sequence[str], more: Mapping[str, str]) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(line, env=self._environment | dict(more), stdout=log, stderr=log)

    def ended(self) -> list[str]:
        """The services whose process is gone, with the end of what they said."""
        return [
            f"{name} ended with {process.returncode}: {self.log(name)[-800:]}"
            for name, process in self._processes.items()
            if process.poll() is not None
        ]

    def log(self, name: str) -> str:
        """What a service said so far."""
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def stop(self) -> None:
        """End them all."""
        running = [self._model, *self._processes.values()]
        for process in running:
            process.terminate()
        for process in running:
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


# -- requests -------------------------------------------------------------------------------------------------------


@dataclass
class Answers:
    """What one RPC answered.

    Attributes:
        path: The RPC.
        codes: How often each status code came.
        took_s: Seconds.
        problems: The words of those that no caller is at fault for.
    """

    path: str
    codes: Counter[str] = field(default_factory=Counter[str])
    took_s: float = 0.0
    problems: list[str] = field(default_factory=list[str])


async def bombard(
    servers: Servers, count: int, seed: int, only: Sequence[str], tell: Callable[[Answers], None]
) -> list[str]:
    """Send so many malformed requests to every RPC (or those whose path holds one of some texts).

    Returns:
        What no service should have answered.
    """
    problems: list[str] = []

    async def attack_one(name: str, address: str) -> None:
        async with dial(address) as channel:
            for method in malformed.rpcs():
                package = method.containing_service.file.package.split(".")[1].replace("_", "-")
                path = f"/{method.containing_service.full_name}/{method.name}"
                if name.startswith(package) and (not only or any(text in path for text in only)):
                    answers = await _bombard_one(channel, method, path, count, seed)
                    problems.extend(answers.problems)
                    tell(answers)

    await asyncio.gather(*(attack_one(name, address) for name, address in servers.addresses.items()))
    return problems


async def _bombard_one(channel: Any, method: MethodDescriptor, path: str, count: int, seed: int) -> Answers:
    answers = Answers(path)
    numbers = iter(range(count))
    ask = channel.unary_stream(path) if method.server_streaming else channel.unary_unary(path)

    async def call(body: bytes) -> tuple[str, str]:
        try:
            if method.server_streaming:
                async for _ in ask(body, timeout=PATIENCE_S, wait_for_ready=True):
                    pass
            else:
                await ask(body, timeout=PATIENCE_S, wait_for_ready=True)
        except grpc.aio.AioRpcError as error:
            return error.code().name, error.details() or ""
        return "OK", ""

    async def work() -> None:
        for number in numbers:
            rng = random.Random(f"{seed} {path} {number}")
            enough = answers.codes["OK"] + answers.codes["NOT_FOUND"] >= MOST_ANSWERED
            draw = malformed.undecodable_request if enough else malformed.request
            code, words = await call(draw(method, rng))
            answers.codes[code] += 1
            # gRPC's own words for an answer whose words are too long to be sent.
            if code in OUR_FAULT | AWAY or "metadata" in words:
                answers.problems.append(f"{path} seed {seed} number {number}: {code}: {words[:300]}")

    began = time.monotonic()
    await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))
    answers.took_s = round(time.monotonic() - began, 1)
    return answers


# -- events ---------------------------------------------------------------------------------------------------------


async def flood(bootstrap: str, count: int, seed: int) -> dict[str, set[tuple[int, int]]]:
    """Publish so many malformed events to every topic; gives partition and offset of those that are no events."""
    producer: Any = AIOKafkaProducer(bootstrap_servers=bootstrap, max_request_size=8 * 1024 * 1024)
    await producer.start()
    undecodable: dict[str, set[tuple[int, int]]] = {}
    try:
        for topic in TOPICS:
            sent: list[tuple[bool, Any]] = []
            for number in range(count):
                rng = random.Random(f"{seed} {topic.name} {number}")
                if number % max(DECODABLE_EVERY, count // MOST_DECODABLE):
                    body, good = malformed.undecodable_event(topic, rng), False
                else:
                    body = malformed.event(topic, rng)
                    good = malformed.is_decodable(topic, body)
                sent.append((good, await producer.send(topic.name, body, key=str(number).encode())))
            places = await asyncio.gather(*(future for _, future in sent))
            undecodable[topic.name] = {
                (place.partition, place.offset) for (good, _), place in zip(sent, places, strict=True) if not good
            }
    finally:
        await producer.stop()
    return undecodable


async def publish(bootstrap: str, bodies: Mapping[str, bytes]) -> None:
    """Publish one body to each topic."""
    producer: Any = AIOKafkaProducer(bootstrap_servers=bootstrap)
    await producer.start()
    try:
        for topic, body in bodies.items():
            await producer.send_and_wait(topic, body, key=b"1")
    finally:
        await producer.stop()


def later_buried(servers: Servers, patience_s: float) -> list[str]:
    """The events of a later version that die where those of this version live, with the reasons."""
    ends: list[set[tuple[str, str, str]]] = []
    for bodies in (
        {topic.name: malformed.example(topic) for topic in TOPICS},
        {topic.name: malformed.of_a_later_version(topic)[0] for topic in TOPICS},
    ):
        before = asyncio.run(letters(servers.kafka))
        asyncio.run(publish(servers.kafka, bodies))
        if not done_within(servers, patience_s):
            return ["good events are not done with", *servers.ended()]
        after = asyncio.run(letters(servers.kafka))
        ends.append(
            {
                (*place, reason)
                for place, reasons in after.items()
                for at, reason in reasons.items()
                if at not in before.get(place, {})
            }
        )
    return [" ".join(each) for each in sorted(ends[1] - ends[0])]


async def letters(bootstrap: str) -> dict[tuple[str, str], dict[tuple[int, int], str]]:
    """The reasons in the dead-letter topics, by topic and service, each by its message's partition and offset."""
    found: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
    consumer: Any = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        known = await consumer.topics()
        # The services make them with one partition each.
        places = [TopicPartition(topic.dead_letters, 0) for topic in TOPICS if topic.dead_letters in known]
        consumer.assign(places)
        await consumer.seek_to_beginning(*places)
        ends = await consumer.end_offsets(places)
        while any([await consumer.position(place) < end for place, end in ends.items()]):
            for records in (await consumer.getmany(timeout_ms=1000)).values():
                for record in records:
                    letter = DeadLetter.model_validate_json(record.value)
                    reasons = found.setdefault((letter.topic, letter.service), {})
                    reasons[letter.partition, letter.offset] = letter.reason
    finally:
        await consumer.stop()
    return found


def bury(
    servers: Servers, count: int, seed: int, patience_s: float, tell: Callable[[dict[str, Any]], None]
) -> list[str]:
    """Send so many malformed events to every topic and see what became of each; gives what is wrong with that."""
    began = time.monotonic()
    undecodable = asyncio.run(flood(servers.kafka, count, seed))
    sent_s = round(time.monotonic() - began, 1)
    problems = [] if done_within(servers, patience_s) else [f"{backlog_at(servers.kafka)} events are not done with"]
    done_s = round(time.monotonic() - began, 1)
    found = asyncio.run(letters(servers.kafka))
    for topic in TOPICS:
        for service in malformed.consumers(topic):
            reasons = found.get((topic.name, service), {})
            lost = undecodable[topic.name] - reasons.keys()
            tell(
                {
                    "hostile": "events",
                    "what": topic.name,
                    "service": service,
                    "sent": count,
                    "undecodable": len(undecodable[topic.name]),
                    "dead_letters": len(reasons),
                    "lost": len(lost),
                    "all_sent_s": sent_s,
                    "all_done_s": done_s,
                }
            )
            problems += [f"{topic.name}: {service} lost {place}" for place in sorted(lost)[:5]]
            problems += [
                f"{topic.name}: a letter of {place} without reason" for place, why in reasons.items() if not why
            ]
    return problems


def done_within(servers: Servers, patience_s: float) -> bool:
    """Whether the services are done with every event within so many seconds."""
    end = time.monotonic() + patience_s
    while left := backlog_at(servers.kafka):
        if time.monotonic() > end or servers.ended():
            return False
        # Looking costs the broker something too.
        time.sleep(1.0 if left < 1000 else 5.0)
    return True


# -- both -----------------------------------------------------------------------------------------------------------


async def becomes_a_task(servers: Servers, code: str, patience_s: float) -> bool:
    """Whether a function that comes now becomes a task and is indexed."""
    name = code[len("def ") : code.index("(")]
    source = servers.folder / name
    source.mkdir()
    (source / "code.py").write_text(code)
    wanted = ingester_pb2.Source(kind="folder", name=str(source), window_days=36500)
    async with dial(servers.addresses["ingester"]) as near, dial(servers.addresses["pbt-generator"]) as far:
        ingester, generator = (
            ingester_pb2_grpc.IngesterServiceStub(near),
            pbt_generator_pb2_grpc.PbtGeneratorServiceStub(far),
        )
        added = await ingester.AddSource(ingester_pb2.AddSourceRequest(source=wanted), wait_for_ready=True)
        await ingester.Sync(ingester_pb2.SyncRequest(source_ids=[added.source.source_id]))
        end = time.monotonic() + patience_s
        while time.monotonic() < end and not servers.ended():
            tasks = (await generator.ListTasks(pbt_generator_pb2.ListTasksRequest(), wait_for_ready=True)).tasks
            if any(task.entry_point == name for task in tasks):
                return await asyncio.to_thread(done_within, servers, end - time.monotonic())
            await asyncio.sleep(0.5)
    return False


def attack(
    servers: Servers,
    requests: int,
    events: int,
    seed: int,
    tell: Callable[[dict[str, Any]], None],
    *,
    patience_s: float = 7200.0,
    only: Sequence[str] = (),
) -> tuple[list[str], bool]:
    """Send both to services that know one function.

    Args:
        servers: The services.
        requests: Malformed requests to each RPC; 0 sends none.
        events: Malformed events to each topic, and a good one of a later version; 0 sends none.
        seed: Draws them.
        tell: Gets a line for each RPC, and for each topic and consumer.
        patience_s: How long the services may take with anything that is sent, in seconds.
        only: RPCs whose path holds one of these texts; all by default.

    Returns:
        What no service should have done, and whether a function that comes afterwards becomes a task.
    """
    if not asyncio.run(becomes_a_task(servers, BEFORE, patience_s)):
        return [*servers.ended(), "the first function became no task"], False
    problems: list[str] = []
    if requests:
        problems += asyncio.run(bombard(servers, requests, seed, only, lambda answers: tell(_line(answers))))
    if events:
        later = later_buried(servers, patience_s)
        tell({"hostile": "later version", "buried": later})
        problems += [f"of a later version: {each}" for each in later]
        problems += bury(servers, events, seed, patience_s, tell)
    goes_on = asyncio.run(becomes_a_task(servers, AFTER, patience_s))
    return [*problems, *servers.ended()], goes_on


def _line(answers: Answers) -> dict[str, Any]:
    return {
        "hostile": "requests",
        "what": answers.path,
        "answers": dict(answers.codes),
        "took_s": answers.took_s,
        "problems": answers.problems[:20],
    }


def main() -> int:
    """Attack services of our own, and say what became of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="RPCs whose path holds one of these texts, by commas")
    chosen = parser.parse_args()

    only = [text for text in chosen.only.split(",") if text]

    def tell(line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    with (
        tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as made,
        local_kafka.start(Path(made) / "kafka") as kafka,
        local_postgres.start(Path(made) / "postgres") as postgres,
    ):
        folder = Path(made) / "services"
        folder.mkdir()
        servers = Servers(folder, kafka.bootstrap, postgres.url)
        try:
            problems, goes_on = attack(servers, chosen.requests, chosen.events, chosen.seed, tell, only=only)
        finally:
            servers.stop()
    tell({"hostile": "afterwards", "a_new_function_becomes_a_task": goes_on, "problems": problems})
    return 1 if problems or not goes_on else 0


if __name__ == "__main__":
    raise SystemExit(main())
