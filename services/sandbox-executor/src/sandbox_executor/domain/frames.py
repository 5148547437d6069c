"""Reading a candidate's answer channel. Everything that is not exactly an answer is the candidate's failure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from touchstone_values import MalformedValueError, parse

# Characters of a value up to which it is read where it arrives; a larger one is read in a process of its own.
LARGE = 128 * 1024
_HEAD = 4
_NAME = 200
_TEXT = 2000
# JSON may write a character beyond the basic plane as twelve bytes; the rest is the names of the fields.
_RAISED_BYTES = 12 * (_NAME + _TEXT) + 200


class ProtocolError(ValueError):
    """What came is not an answer."""


class OversizedError(ProtocolError):
    """A frame is longer than an answer may be."""


class FrameReader:
    """Cuts a stream into frames.

    Args:
        largest: Longest frame that is taken, in bytes.
    """

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[bytes]:
        """Take more of the stream; give the frames that are whole.

        What stands before a frame that cannot be taken is given first, however the stream was cut: the error comes
        when that frame is the next one.

        Raises:
            OversizedError: the next frame announces too many bytes.
        """
        buffer = self._buffer
        buffer += data
        frames: list[bytes] = []
        start = 0
        while len(buffer) - start >= _HEAD:
            size = int.from_bytes(buffer[start : start + _HEAD], "big")
            if size > self._largest:
                if not frames:
                    raise OversizedError(f"an answer of {size} bytes")
                break
            if len(buffer) - start - _HEAD < size:
                break
            frames.append(bytes(buffer[start + _HEAD : start + _HEAD + size]))
            start += _HEAD + size
        del buffer[:start]
        return frames

    @property
    def rest(self) -> bytes:
        """The beginning of a frame that is not whole yet, without its length."""
        return bytes(self._buffer[_HEAD : _HEAD + _NAME])

    @property
    def pending(self) -> int:
        """Bytes of a frame that is not whole yet."""
        return len(self._buffer)


@dataclass(frozen=True)
class Returned:
    """A call returned; `value` is a portable value's text, proven unless it is `LARGE`."""

    value: str


@dataclass(frozen=True)
class Raised:
    """A call, or the loading of the candidate, raised."""

    error_type: str
    message: str


def frame(text: str) -> bytes:
    """One frame of the request channel."""
    data = text.encode()
    return len(data).to_bytes(_HEAD, "big") + data


def request(index: int, arguments: str) -> bytes:
    """The request frame of one case."""
    return frame(f'{{"i":{index},"args":{arguments}}}')


def first_request(source: str, entry_point: str, *, nothing_returned: bool = False) -> bytes:
    """The request frame that names the candidate."""
    options = {"nothing": True} if nothing_returned else {}
    return frame(json.dumps({"source": source, "entry": entry_point, "options": options}))


def read_load(data: bytes) -> Raised | None:
    """Read the first frame: None when the candidate is ready.

    Raises:
        ProtocolError: it is neither of the two that may come first.
    """
    if data == b'{"o":"ready"}':
        return None
    return _raised(data, '{"o":"load_error","t":', {"o", "t", "m"})


def count_answers(frames: Sequence[bytes], first: int) -> int:
    """How many frames, the last one perhaps not whole, are what a harness writes for this case and those after it."""
    count = 0
    while count < len(frames) and frames[count].startswith(b'{"i":%d,"o":"r' % (first + count)):
        count += 1
    return count


def read_answer(data: bytes, index: int) -> Returned | Raised:
    """Read the answer to one case.

    Raises:
        ProtocolError: it is not the answer to this case, byte for byte of the right shape.
    """
    head = b'{"i":%d,"o":"returned","v":' % index
    if data.startswith(head):
        try:
            value = data[len(head) : -1].decode()
        except UnicodeDecodeError as error:
            raise ProtocolError(f"the answer to case {index} is not UTF-8: {error.reason}") from None
        # What lies between head and brace must be one value: a second key would not parse. A large one is
        # proved where its size can hurt nobody else, before anybody reads it.
        words = fault(value) if len(value) <= LARGE else ""
        if words:
            raise ProtocolError(f"the answer to case {index} is no portable value: {words}")
        if data[-1:] != b"}":
            raise ProtocolError(f"the answer to case {index} does not end")
        return Returned(value)
    return _raised(data, f'{{"i":{index},"o":"raised","t":', {"i", "o", "t", "m"})


def fault(value: str) -> str:
    """Why a text is no portable value, in words; empty when it is one."""
    try:
        parse(value)
    except MalformedValueError as error:
        return str(error)
    except Exception as error:  # noqa: BLE001  proven bounds come first; this is the line behind them
        return f"it cannot be read: {type(error).__name__}"
    return ""


def _raised(data: bytes, head: str, keys: set[str]) -> Raised:
    if not data.startswith(head.encode()) or len(data) > _RAISED_BYTES:
        raise ProtocolError(f"expected a frame that begins with {head}, got {data[:60]!r}")
    try:
        parsed: object = json.loads(data, object_pairs_hook=_unique)
    except (ValueError, RecursionError, MemoryError):
        raise ProtocolError("a frame is not JSON") from None
    found = cast("dict[str, object]", parsed) if type(parsed) is dict else {}
    kind, message = found.get("t"), found.get("m")
    if set(found) != keys or type(kind) is not str or type(message) is not str:
        raise ProtocolError("a frame has other keys than it should")
    if len(kind) > _NAME or len(message) > _TEXT:
        raise ProtocolError("a frame's texts are too long")
    return Raised(kind, message)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key occurs twice")
    return found
