"""Malformed requests and malformed events, drawn from seeds: whatever can reach a service from outside.

    python tests/chaos/hostile.py --requests 10000 --events 10000

starts a platform of its own, sends so many to every RPC and to every topic while the default job runs, and prints one
JSON line for each RPC and each topic. The exit code is 1 when a service broke, answered INTERNAL, or lost an event.
"""

# aiokafka ships no types, protobuf's descriptors few; what comes out of them is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import platforms
import yaml
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message_factory import GetMessageClass
from pydantic import ValidationError

import touchstone
from touchstone_contracts.events import DeadLetter
from touchstone_contracts.topics import TOPICS, Topic
from touchstone_runtime.dialling import Identity, dial

ROOT = Path(__file__).resolve().parents[2]
# What a service may answer to a malformed request; all else says that the service, not the request, is at fault.
CALLERS_FAULT = {
    "OK",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "FAILED_PRECONDITION",
    "RESOURCE_EXHAUSTED",
    "OUT_OF_RANGE",
    "DEADLINE_EXCEEDED",
}
PATIENCE_S = 20.0
OVERSIZE = 64 * 1024 * 1024 + 1
# A function of the live loop's own kind, which no other source has.
NEWCOMER = '''"""Spans."""


def longest_span(numbers: list[int]) -> int:
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
_TEXTS = (
    "",
    "\x00",
    "a\x00b",
    "../../../../etc/passwd",
    "'; DROP TABLE tasks; --",
    "%s%n%x" * 20,
    "\u202e\u0301\ufeff",
    "\U0010ffff" * 3,
    "-1",
    "NaN",
    "1e999",
    "{" * 500,
    "\r\n\r\nX: y",
    "file:///dev/zero",
    "http://127.0.0.1:1/v1",
    "x@http://127.0.0.1:1/v1",
    "python",
    "direct",
    "SC",
    "all",
)
_SIGNED = (0, 1, -1, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 101, 10**6)
_FLOATS = (0.0, -0.0, -1.0, 1e308, -1e308, float("nan"), float("inf"), float("-inf"), 5e-324)


# -- requests -------------------------------------------------------------------------------------------------------


def rpcs() -> list[MethodDescriptor]:
    """Every RPC of the contracts."""
    found: list[MethodDescriptor] = []
    (folder,) = touchstone.__path__
    for path in sorted(Path(folder).rglob("*_pb2.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        descriptor = importlib.import_module(f"touchstone.{name}").DESCRIPTOR
        for service in descriptor.services_by_name.values():
            found.extend(service.methods)
    return sorted(found, key=lambda method: method.full_name)


def request(method: MethodDescriptor, rng: random.Random) -> bytes:
    """One malformed request: bytes that are no message, a message cut short, or one with hostile fields."""
    kind = rng.randrange(10)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 3, 17, 400, 70_000)))
    message = GetMessageClass(method.input_type)()
    _fill(message, rng, 0)
    body = message.SerializePartialToString()
    if kind == 1:
        return body[: rng.randrange(len(body) + 1)]
    if kind == 2:
        spoilt = bytearray(body or b"\x0a\x01a")
        for _ in range(rng.randrange(1, 6)):
            spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
        return bytes(spoilt)
    if kind == 3:
        # A field that no version has, and text that is no UTF-8 (a lone surrogate).
        return body + b"\x92\xf4\x01\x03\xed\xa0\x80" + b"\x0a\x03\xed\xa0\x80"
    return body


def _fill(message: Any, rng: random.Random, depth: int) -> None:
    for entry in message.DESCRIPTOR.fields:
        if rng.random() < 0.25:
            continue
        if entry.message_type is not None and entry.message_type.GetOptions().map_entry:
            for _ in range(rng.randrange(3)):
                _put_in_map(message, entry, rng)
        elif entry.is_repeated:
            for _ in range(rng.choice((0, 1, 2, 40))):
                _append(message, entry, rng, depth)
        elif entry.type == FieldDescriptor.TYPE_MESSAGE:
            if depth < 4:
                _fill(getattr(message, entry.name), rng, depth + 1)
                getattr(message, entry.name).SetInParent()
        else:
            setattr(message, entry.name, _value(entry, rng))


def _append(message: Any, entry: Any, rng: random.Random, depth: int) -> None:
    if entry.type == FieldDescriptor.TYPE_MESSAGE:
        if depth < 3:
            _fill(getattr(message, entry.name).add(), rng, depth + 1)
    else:
        getattr(message, entry.name).append(_value(entry, rng))


def _put_in_map(message: Any, entry: Any, rng: random.Random) -> None:
    key, value = entry.message_type.fields_by_name["key"], entry.message_type.fields_by_name["value"]
    if value.type == FieldDescriptor.TYPE_MESSAGE:
        _fill(getattr(message, entry.name)[_value(key, rng)], rng, 3)
    else:
        getattr(message, entry.name)[_value(key, rng)] = _value(value, rng)


def _value(entry: Any, rng: random.Random) -> Any:
    match entry.cpp_type:
        case FieldDescriptor.CPPTYPE_STRING:
            if entry.type == FieldDescriptor.TYPE_BYTES:
                return rng.randbytes(rng.choice((0, 1, 100, 5000)))
            return text(rng)
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return rng.choice(_FLOATS)
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.CPPTYPE_ENUM:
            return rng.choice((0, 1, 2, 7, 99, 2**31 - 1, -1))
        case FieldDescriptor.CPPTYPE_INT32:
            return rng.choice([number for number in _SIGNED if -(2**31) <= number < 2**31])
        case FieldDescriptor.CPPTYPE_UINT32:
            return rng.choice((0, 1, 2**32 - 1))
        case FieldDescriptor.CPPTYPE_UINT64:
            return rng.choice((0, 1, 2**64 - 1))
        case _:
            return rng.choice(_SIGNED)


def text(rng: random.Random) -> str:
    """A hostile text, long now and then."""
    if rng.random() < 0.02:
        return rng.choice(("a", "\u2028", "(")) * 200_000
    return rng.choice(_TEXTS) + ("" if rng.random() < 0.7 else rng.choice(_TEXTS))


@dataclass
class Answers:
    """Status codes by RPC, and words of those that no caller is at fault for."""

    codes: dict[str, Counter[str]] = field(default_factory=dict[str, "Counter[str]"])
    faults: list[str] = field(default_factory=list[str])


async def bombard(
    addresses: Mapping[str, str], identity: Identity, count: int, seed: int, *, oversize: bool = True
) -> Answers:
    """Send so many malformed requests to every RPC.

    Args:
        addresses: gRPC address by package, for example `touchstone.embedder.v1`.
        identity: A token that reaches everything.
        count: Requests to each RPC.
        seed: Draws them.
        oversize: Whether one request beyond every limit goes to each RPC as well.
    """
    answers = Answers()
    for package, address in addresses.items():
        async with dial(address, identity) as channel:
            for method in rpcs():
                if method.containing_service.file.package == package:
                    await _bombard_one(channel, method, count, seed, answers, oversize)
    return answers


async def _bombard_one(
    channel: Any, method: MethodDescriptor, count: int, seed: int, answers: Answers, oversize: bool
) -> None:
    path = f"/{method.containing_service.full_name}/{method.name}"
    codes = answers.codes.setdefault(path, Counter())
    numbers = iter(range(count))

    async def call(number: int, body: bytes) -> None:
        try:
            if method.server_streaming:
                stream = channel.unary_stream(path)(body, timeout=PATIENCE_S)
                async for _ in stream:
                    pass
            else:
                await channel.unary_unary(path)(body, timeout=PATIENCE_S)
            code, words = "OK", ""
        except grpc.aio.AioRpcError as error:
            code, words = error.code().name, error.details() or ""
        codes[code] += 1
        if code not in CALLERS_FAULT:
            answers.faults.append(f"{path} seed {seed} number {number}: {code}: {words[:300]}")

    async def work() -> None:
        for number in numbers:
            await call(number, request(method, random.Random(f"{seed} {path} {number}")))

    await asyncio.gather(*(work() for _ in range(8)))
    if oversize:
        await call(-1, b"\x0a" + b"a" * OVERSIZE)


# -- events ---------------------------------------------------------------------------------------------------------


def examples(topic: Topic) -> list[dict[str, Any]]:
    """The examples of a topic's event, by every version."""
    folder = ROOT / "shared" / "contracts" / "examples"
    return [
        json.loads(path.read_text()) for path in sorted(folder.glob(f"{topic.name.removeprefix('touchstone.')}.json"))
    ]


def event(topic: Topic, rng: random.Random) -> bytes:
    """One malformed event."""
    example = json.loads(json.dumps(rng.choice(examples(topic))))
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.choice((0, 1, 9, 3000)))
    if kind == 1:
        body = json.dumps(example).encode()
        return body[: rng.randrange(len(body))]
    if kind == 2:
        return rng.choice(
            (
                b"null",
                b"[]",
                b'"x"',
                b"[" * 100_000,
                b'{"a":' * 50_000,
                b"1e999",
                b"NaN",
                b"{}",
                b'{"event_id": "\\ud800"}',
            )
        )
    for _ in range(rng.randrange(1, 4)):
        _spoil(example, rng)
    body = json.dumps(example, allow_nan=True)
    return body.encode("utf-8", "surrogatepass")


def _spoil(value: Any, rng: random.Random) -> None:
    """Spoil one place somewhere in a document."""
    places = list(_places(value))
    holder, key = rng.choice(places)
    kind = rng.randrange(6)
    if kind == 0 and isinstance(holder, dict):
        del holder[key]
        return
    strange = (None, [], {}, 0, -1, 2**70, 1.5, float("nan"), True, [[]], {"$": "x"}, ["a"] * 50)
    holder[key] = text(rng) if kind < 4 else rng.choice((*strange, "\ud800", "a\x00b"))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def is_decodable(topic: Topic, body: bytes) -> bool:
    """Whether a body is an event of the topic at all; one that is may still be hostile."""
    try:
        topic.event.model_validate_json(body)
    except (ValidationError, RecursionError):
        return False
    return True


async def flood(bootstrap: str, count: int, seed: int) -> dict[str, int]:
    """Publish so many malformed events to every topic; gives how many of them cannot even be decoded, by topic."""
    producer: Any = AIOKafkaProducer(bootstrap_servers=bootstrap, max_request_size=8 * 1024 * 1024)
    await producer.start()
    undecodable: dict[str, int] = {}
    try:
        for topic in TOPICS:
            undecodable[topic.name] = 0
            for number in range(count):
                body = event(topic, random.Random(f"{seed} {topic.name} {number}"))
                undecodable[topic.name] += not is_decodable(topic, body)
                await producer.send(topic.name, body, key=str(number).encode())
            await producer.flush()
    finally:
        await producer.stop()
    return undecodable


def consumers(topic: Topic) -> list[str]:
    """The services that consume a topic, as its card says."""
    card = ROOT / "shared" / "contracts" / "topics" / f"{topic.name.removeprefix('touchstone.')}.yaml"
    return list(yaml.safe_load(card.read_text()).get("consumers") or [])


async def letters(bootstrap: str) -> dict[tuple[str, str], dict[tuple[int, int], str]]:
    """The reasons in the dead-letter topics, by topic and service, each by its message's partition and offset."""
    found: dict[tuple[str, str], dict[tuple[int, int], str]] = {}
    places = [TopicPartition(topic.dead_letters, number) for topic in TOPICS for number in range(topic.partitions)]
    consumer: Any = AIOKafkaConsumer(bootstrap_servers=bootstrap, enable_auto_commit=False)
    await consumer.start()
    try:
        known = [place for place in places if place.partition in (consumer.partitions_for_topic(place.topic) or ())]
        for topic in {place.topic for place in places}:
            await consumer._client.add_topic(topic)
        known = [place for place in places if place.partition in (consumer.partitions_for_topic(place.topic) or ())]
        consumer.assign(known)
        await consumer.seek_to_beginning(*known)
        ends = await consumer.end_offsets(known)
        while any([await consumer.position(place) < end for place, end in ends.items()]):
            for records in (await consumer.getmany(timeout_ms=1000)).values():
                for record in records:
                    letter = DeadLetter.model_validate_json(record.value)
                    found.setdefault((letter.topic, letter.service), {})[letter.partition, letter.offset] = (
                        letter.reason
                    )
    finally:
        await consumer.stop()
    return found


# -- both, on a platform --------------------------------------------------------------------------------------------


def attack(
    live: Any, requests: int, events: int, seed: int, patience_s: float, tell: Callable[[dict[str, Any]], None]
) -> list[str]:
    """Send both to a running platform that has indexed something, and look at what became of it.

    Args:
        live: The platform.
        requests: Malformed requests to each RPC.
        events: Malformed events to each topic.
        seed: Draws them.
        patience_s: How long the services may take until every event is done with, in seconds.
        tell: Gets a line for each RPC and for each topic and consumer.

    Returns:
        What no service should have done; empty when all is well.
    """
    where = json.loads((live.state / "platform.json").read_text())
    places = addresses(where["services"])
    identity = Identity((live.state / "token").read_text().strip())
    answers = asyncio.run(bombard(places, identity, requests, seed))
    for path, codes in answers.codes.items():
        tell({"hostile": "requests", "what": path, "answers": dict(codes)})
    problems = answers.faults

    undecodable = asyncio.run(flood(where["kafka"], events, seed))
    end = time.monotonic() + patience_s
    while (left := platforms.backlog(live)) and time.monotonic() < end:
        time.sleep(1.0)
    waiting = platforms.waiting(live)
    if left:
        problems.append(f"{left} events are not done with; {waiting}")
    found = asyncio.run(letters(where["kafka"]))
    for topic in TOPICS:
        for service in consumers(topic):
            reasons = found.get((topic.name, service), {})
            line = {"hostile": "events", "what": topic.name, "service": service, "sent": events}
            tell(line | {"undecodable": undecodable[topic.name], "dead_letters": len(reasons)})
            if len(reasons) < undecodable[topic.name]:
                problems.append(f"{topic.name}: {service} set {len(reasons)} aside of {undecodable[topic.name]}")
            problems += [f"{topic.name}: a letter without reason" for reason in reasons.values() if not reason]
    for name, report in json.loads((live.state / "supervisor.json").read_text())["processes"].items():
        if report["restarts"]:
            problems.append(f"{name} ended {report['restarts']} times: {report['detail']}")
    problems += [f"{name}: {words}" for name, words in waiting.items() if "stopped" in words]
    return problems


def addresses(services: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Each package's service at its address; a package is named after its service."""
    found: dict[str, str] = {}
    for package in {method.containing_service.file.package for method in rpcs()}:
        name = package.split(".")[1].replace("_", "-")
        (service,) = [each for each in services if each == name or each.startswith(f"{name}-")]
        found[package] = services[service]["grpc"]
    return found


def main() -> int:
    """Attack one platform while it does the default job, and say what became of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()

    def tell(line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="hostile-", ignore_cleanup_errors=True) as made:
        chaos = platforms.Platforms(Path(made))
        chaos.start_model()
        live = chaos.platform("attacked")
        try:
            live.ingest(chaos.live.SOURCE)
            live.until(live.generation_is_done, "all tasks are built or refused", 1800.0)
            problems = attack(live, chosen.requests, chosen.events, chosen.seed, 7200.0, tell)
            added = newcomer(live, Path(made))
        finally:
            live.stop()
            chaos.stop_model()
    tell({"hostile": "afterwards", "a_new_function_becomes_a_task": added, "problems": problems})
    return 1 if problems or not added else 0


def newcomer(live: Any, folder: Path) -> bool:
    """Whether a function that comes now becomes a task: the service goes on."""
    source = folder / "newcomer"
    source.mkdir()
    (source / "spans.py").write_text(NEWCOMER)
    live.ingest(source)
    live.until(
        lambda: any(task.entry_point == "longest_span" for task in live.tasks()), "the new function is a task", 1800.0
    )
    return True


if __name__ == "__main__":
    raise SystemExit(main())
