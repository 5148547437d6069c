"""Frames over a connection: 4 bytes length, 4 bytes length of the head, the head as JSON, then bytes of any kind.

Both sides bound what they take. The executor reads a runner's frames as an enemy's.
"""

from __future__ import annotations

import json
import select
import socket
import time
from dataclasses import dataclass
from typing import Any, cast

PROTOCOL = 1
PORT = 7200
MOST_HEAD = 1 << 20
_SIZE = 4
_CHUNK = 1 << 18
_SEND_WITHIN_S = 60.0


class MalformedFrameError(ValueError):
    """What came is no frame that may come here."""


class GoneError(Exception):
    """The other side is gone, or silent for too long."""


class WokenError(Exception):
    """The descriptor that was watched beside the connection became readable."""


@dataclass(frozen=True)
class Frame:
    """One frame: a kind, small fields, and bytes."""

    kind: str
    fields: dict[str, Any]
    body: bytes


class Channel:
    """One end of a connection.

    Args:
        connection: Connected; closed with this.
        largest: Most bytes of one frame that is taken.
    """

    def __init__(self, connection: socket.socket, largest: int) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A node that is gone says nothing: noticed within half a minute.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in (("TCP_KEEPIDLE", 10), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 4)):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        connection.settimeout(_SEND_WITHIN_S)
        self._connection = connection
        self.largest = largest
        self._buffer = bytearray()

    def send(self, kind: str, body: bytes = b"", **fields: object) -> None:
        """Send one frame.

        Raises:
            GoneError: the other side is gone, or takes nothing.
        """
        head = json.dumps({"kind": kind, **fields}).encode()
        size = _SIZE + len(head) + len(body)
        try:
            self._connection.sendall(size.to_bytes(_SIZE, "big") + len(head).to_bytes(_SIZE, "big") + head)
            if body:
                self._connection.sendall(body)
        except OSError as error:
            raise GoneError(f"nothing can be sent: {error}") from error

    def receive(self, deadline: float | None = None, wake: int = -1) -> Frame:
        """Wait for one frame.

        Args:
            deadline: When to give up, monotonic seconds; None waits for ever.
            wake: A descriptor that ends the wait when it becomes readable.

        Raises:
            GoneError: the other side is gone, or said nothing in time.
            MalformedFrameError: what came is no frame.
            WokenError: the descriptor is readable.
        """
        while (frame := self._take()) is None:
            self._wait(deadline, wake)
            try:
                data = self._connection.recv(_CHUNK)
            except OSError as error:
                raise GoneError(f"the connection broke: {error}") from error
            if not data:
                raise GoneError("the connection ended")
            self._buffer += data
        return frame

    def _wait(self, deadline: float | None, wake: int) -> None:
        poll = select.poll()
        poll.register(self._connection, select.POLLIN)
        if wake >= 0:
            poll.register(wake, select.POLLIN)
        left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000
        ready = {descriptor for descriptor, _ in poll.poll(left)}
        if wake in ready:
            raise WokenError
        if not ready:
            raise GoneError("nothing was said in time")

    def _take(self) -> Frame | None:
        buffer = self._buffer
        if len(buffer) < _SIZE:
            return None
        size = int.from_bytes(buffer[:_SIZE], "big")
        if not _SIZE < size <= self.largest:
            raise MalformedFrameError(f"a frame of {size} bytes")
        if len(buffer) < 2 * _SIZE:
            return None
        head_size = int.from_bytes(buffer[_SIZE : 2 * _SIZE], "big")
        if not 0 < head_size <= min(size - _SIZE, MOST_HEAD):
            raise MalformedFrameError(f"a head of {head_size} bytes in a frame of {size}")
        if len(buffer) < _SIZE + size:
            return None
        head, body = (
            bytes(buffer[2 * _SIZE : 2 * _SIZE + head_size]),
            bytes(buffer[2 * _SIZE + head_size : _SIZE + size]),
        )
        del buffer[: _SIZE + size]
        try:
            told: object = json.loads(head)
        except (ValueError, RecursionError, MemoryError):
            raise MalformedFrameError("a head is not JSON") from None
        if type(told) is not dict:
            raise MalformedFrameError("a head is no object")
        fields = cast("dict[str, Any]", told)
        kind = fields.pop("kind", None)
        if type(kind) is not str:
            raise MalformedFrameError("a head names no kind")
        return Frame(kind, fields, body)

    def close(self) -> None:
        """End the connection."""
        self._connection.close()

    def shut(self) -> None:
        """Let whoever reads it, here or there, see its end."""
        try:
            self._connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
