"""Malformed requests and malformed events, drawn from seeds: whatever can reach a service from outside.

Both know the structure that they spoil: bytes that are no message, messages cut short, fields that no version has, and
well-formed messages whose values are hostile.
"""

# protobuf ships few types; what comes out of its descriptors is annotated where it enters.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass
from pydantic import ValidationError

import touchstone
from touchstone_contracts.topics import Topic

LATER = "of_a_later_version"
CONTRACTS = Path(__file__).resolve().parents[2] / "shared" / "contracts"
_TEXTS = (
    "",
    "\x00",
    "a\x00b",
    "../../../../etc/passwd",
    "/etc/passwd",
    "'; DROP TABLE tasks; --",
    "%s%n%x" * 20,
    "\u202e\u0301\ufeff",
    "\U0010ffff" * 3,
    "-1",
    "NaN",
    "1e999",
    "9" * 5000,
    "{" * 500,
    "\r\n\r\nX: y",
    "--upload-pack=x",
    "file:///dev/zero",
    "http://127.0.0.1:1/v1",
    "x@http://127.0.0.1:1/v1",
    "http://[::1",
    "0" * 64,
    "0001-01-01",
    "9999-12-31T23:59:59+14:00",
    # What stands for something, at a place where it does or does not.
    "python",
    "java",
    "direct",
    "SC",
    "all",
    "code2bench",
    "def f(x): return x",
)
_SIGNED = (0, 1, -1, 2, 101, 10**6, 2**31 - 1, -(2**31), 2**31, 2**53 + 1, 2**63 - 1, -(2**63))
_FLOATS = (0.0, -0.0, -1.0, 1e308, -1e308, float("nan"), float("inf"), float("-inf"), 5e-324)
# A field that no version has, in each wire type, and text that is no UTF-8 (a lone surrogate).
_UNKNOWN_FIELDS = b"\x92\xf4\x01\x03\xed\xa0\x80" + b"\xf8\xff\xff\xff\x0f\x01"
_NO_UTF8 = b"\x0a\x03\xed\xa0\x80"


# -- requests -------------------------------------------------------------------------------------------------------


@cache
def rpcs() -> tuple[MethodDescriptor, ...]:
    """Every RPC of the contracts."""
    found: list[MethodDescriptor] = []
    (folder,) = touchstone.__path__
    for path in sorted(Path(folder).rglob("*_pb2.py")):
        name = ".".join(path.relative_to(folder).with_suffix("").parts)
        descriptor = importlib.import_module(f"touchstone.{name}").DESCRIPTOR
        for service in descriptor.services_by_name.values():
            found.extend(service.methods)
    return tuple(sorted(found, key=lambda method: method.full_name))


def request(method: MethodDescriptor, rng: random.Random) -> bytes:
    """One malformed request, as its bytes; only one of twenty that say nothing at all, which is a good request."""
    while says_nothing(method, body := _request(method, rng)) and rng.random() < 0.95:
        pass
    return body


def undecodable_request(method: MethodDescriptor, rng: random.Random) -> bytes:
    """Bytes that are no request of the method."""
    while is_request(method, body := _request(method, rng, kinds=4)):
        pass
    return body


def is_request(method: MethodDescriptor, body: bytes) -> bool:
    """Whether a body can be decoded as a request of the method; one that can may still be hostile."""
    try:
        GetMessageClass(method.input_type)().ParseFromString(body)
    except DecodeError:
        return False
    return True


def says_nothing(method: MethodDescriptor, body: bytes) -> bool:
    """Whether a body is a request of the method that sets no field which this version knows."""
    message = GetMessageClass(method.input_type)()
    try:
        message.ParseFromString(body)
    except DecodeError:
        return False
    return not message.ListFields()


def _request(method: MethodDescriptor, rng: random.Random, kinds: int = 10) -> bytes:
    kind = rng.randrange(kinds)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 3, 17, 400, 70_000)))
    message = GetMessageClass(method.input_type)()
    _fill(message, rng, 0)
    body = message.SerializePartialToString()
    match kind:
        case 1:
            return body[: rng.randrange(len(body) + 1)]
        case 2:
            return _flipped(body or b"\x0a\x01a", rng)
        case 3:
            return body + rng.choice((_UNKNOWN_FIELDS, _NO_UTF8, _UNKNOWN_FIELDS + _NO_UTF8))
        case 4:
            # One message upon another: fields stand twice, of a choice several members.
            other = GetMessageClass(method.input_type)()
            _fill(other, rng, 0)
            return body + other.SerializePartialToString()
        case _:
            return body


def _flipped(body: bytes, rng: random.Random) -> bytes:
    spoilt = bytearray(body)
    for _ in range(rng.randrange(1, 6)):
        spoilt[rng.randrange(len(spoilt))] = rng.randrange(256)
    return bytes(spoilt)


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
                return rng.choice((b"", b"\x00", b"\xed\xa0\x80", b"[" * 500, rng.randbytes(100)))
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
            return rng.choice((0, 1, 2**31, 2**32 - 1))
        case FieldDescriptor.CPPTYPE_UINT64:
            return rng.choice((0, 1, 2**63, 2**64 - 1))
        case _:
            return rng.choice(_SIGNED)


def text(rng: random.Random) -> str:
    """A hostile text, very long now and then: seldom, for a message has many, and what is long takes long."""
    if rng.random() < 0.001:
        return rng.choice(("a", "\u2028", "(", "[")) * 200_000
    return rng.choice(_TEXTS) + ("" if rng.random() < 0.7 else rng.choice(_TEXTS))


# -- events ---------------------------------------------------------------------------------------------------------


@cache
def _example(topic: Topic) -> str:
    return (CONTRACTS / "examples" / f"{topic.name.removeprefix('touchstone.')}.json").read_text()


def consumers(topic: Topic) -> list[str]:
    """The services that consume a topic, as its card says."""
    card = CONTRACTS / "topics" / f"{topic.name.removeprefix('touchstone.')}.yaml"
    return list(yaml.safe_load(card.read_text()).get("consumers") or [])


def event(topic: Topic, rng: random.Random) -> bytes:
    """One malformed event of a topic; some can be decoded, and are hostile in what they say."""
    example = json.loads(_example(topic))
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
                b"[" * (100_000 if rng.random() < 0.05 else 2000),
                b'{"a":' * (50_000 if rng.random() < 0.05 else 2000),
                b"1e999",
                b"NaN",
                b"{}",
                b'{"event_id": "\\ud800"}',
            )
        )
    if kind == 3:
        return _flipped(json.dumps(example).encode(), rng)
    for _ in range(rng.randrange(1, 4)):
        _spoil(example, rng)
    return json.dumps(example, allow_nan=True, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def undecodable_event(topic: Topic, rng: random.Random) -> bytes:
    """One malformed event that is none of its topic's."""
    while is_decodable(topic, body := event(topic, rng)):
        pass
    return body


def is_decodable(topic: Topic, body: bytes) -> bool:
    """Whether a body is an event of the topic at all; one that is may still be hostile."""
    try:
        topic.event.model_validate_json(body)
    except (ValidationError, RecursionError):
        return False
    return True


def example(topic: Topic) -> bytes:
    """A good event of a topic, as this version's writers publish it."""
    return _example(topic).encode()


def of_a_later_version(topic: Topic) -> tuple[bytes, int]:
    """The same as a later version may write it, and how much it adds.

    Every enumeration has a member that this version lacks, and every object with fields one more; each holds `LATER`.
    """
    schema = json.loads((CONTRACTS / "schemas" / f"{topic.name.removeprefix('touchstone.')}.json").read_text())
    content = _later(json.loads(_example(topic)), schema, schema.get("$defs", {}))
    text = json.dumps(content)
    return text.encode(), text.count(LATER)


def _later(content: Any, schema: Any, definitions: Any) -> Any:
    for choice in schema.get("anyOf", ()):
        # An optional value: what is not null has a schema of its own.
        schema = choice if choice.get("type") != "null" and content is not None else schema
    schema = definitions.get(schema.get("$ref", "").rpartition("/")[2], schema)
    if isinstance(content, str) and "enum" in schema:
        return LATER
    if isinstance(content, list):
        return [_later(value, schema.get("items", {}), definitions) for value in content]
    if isinstance(content, dict) and "properties" in schema:
        known = schema["properties"]
        return {key: _later(value, known.get(key, {}), definitions) for key, value in content.items()} | {
            LATER: {"nested": [1, LATER]}
        }
    return content


def _spoil(value: Any, rng: random.Random) -> None:
    """Spoil one place somewhere in a document."""
    holder, key = rng.choice(list(_places(value)))
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
