"""What a backup of the topics is written as: gzipped lines of JSON, the last of which says that it is whole.

Of each partition there is a `Place`, then its messages in order; at the end, how many of them each group had handled.
"""

from __future__ import annotations

import base64
import gzip
import json
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any, cast

from touchstone_runtime.errors import PreconditionError

_FORM = {"touchstone": "topics", "version": 1}
# Messages are text with vectors in base64: more effort costs more time than it saves room.
_EFFORT = 3


@dataclass(frozen=True)
class Place:
    """A partition of a topic; the messages behind it are its own."""

    topic: str
    partition: int


@dataclass(frozen=True)
class Message:
    """A message as the broker had it.

    Args:
        key: None where it had none.
        value: None where it says that its key is no more.
        headers: Name and value, in order.
        sent_ms: When it was sent, in milliseconds since 1970.
    """

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    sent_ms: int


@dataclass(frozen=True)
class Handled:
    """How many messages of a partition, from its first that was kept, a consumer group had handled."""

    group: str
    place: Place
    messages: int


Item = Place | Message | Handled


class ArchiveWriter:
    """Writes an archive; it is whole only once `end` was called.

    Args:
        sink: Where to.

    Raises:
        PreconditionError: it cannot be written.
    """

    def __init__(self, sink: IO[bytes]) -> None:
        self._lines = gzip.GzipFile(fileobj=sink, mode="wb", compresslevel=_EFFORT, mtime=0)
        self._messages = 0
        self._put(_FORM)

    def write(self, item: Item) -> None:
        """Add an item."""
        match item:
            case Place():
                self._put({"topic": item.topic, "partition": item.partition})
            case Message():
                self._messages += 1
                headers = [[name, _packed(value)] for name, value in item.headers]
                self._put({"k": _packed(item.key), "v": _packed(item.value), "h": headers, "t": item.sent_ms})
            case Handled():
                place = {"topic": item.place.topic, "partition": item.place.partition}
                self._put({"group": item.group, **place, "handled": item.messages})

    def end(self) -> int:
        """Say that this is all; gives the number of messages."""
        self._put({"messages": self._messages})
        with _written():
            self._lines.close()
        return self._messages

    def _put(self, line: dict[str, Any]) -> None:
        with _written():
            self._lines.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def read(source: IO[bytes]) -> Iterator[Item]:
    """The items of an archive, in order.

    Raises:
        PreconditionError: it is none, or not whole; in the latter case behind the items that are there.
    """
    messages = 0
    lines = _lines(source)
    if next(lines, None) != _FORM:
        raise PreconditionError("is no backup of topics that can be read here", thing="the archive")
    for line in lines:
        match line:
            case {"k": key, "v": value, "h": headers, "t": int(sent_ms)}:
                messages += 1
                pairs = cast("list[list[Any]]", headers)
                named = tuple((str(name), _unpacked(text) or b"") for name, text in pairs)
                yield Message(_unpacked(key), _unpacked(value), named, sent_ms)
            case {"group": str(group), "topic": str(topic), "partition": int(partition), "handled": int(handled)}:
                yield Handled(group, Place(topic, partition), handled)
            case {"topic": str(topic), "partition": int(partition)}:
                yield Place(topic, partition)
            case {"messages": int(told)} if told == messages:
                return
            case _:
                break
    raise PreconditionError(f"is damaged or broken off behind {messages} messages", thing="the archive")


@contextmanager
def _written() -> Generator[None]:
    try:
        yield
    except OSError as error:
        raise PreconditionError(f"cannot be written: {error.strerror}", thing="the archive") from error


def _lines(source: IO[bytes]) -> Iterator[Any]:
    try:
        with gzip.GzipFile(fileobj=source, mode="rb") as file:
            for line in file:
                yield json.loads(line)
    except (EOFError, OSError, zlib.error, ValueError):
        return


def _packed(value: bytes | None) -> str | list[str] | None:
    """Text where it is some, which packs well; else base64 in a list."""
    if value is None:
        return None
    try:
        return value.decode()
    except UnicodeDecodeError:
        return [base64.b64encode(value).decode()]


def _unpacked(value: Any) -> bytes | None:
    match value:
        case str():
            return value.encode()
        case [str(text)]:
            return base64.b64decode(text)
        case _:
            return None
