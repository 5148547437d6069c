"""Messages between executor, zygote and init: one JSON object each, with descriptors, on packet sockets."""

from __future__ import annotations

import array
import json
import socket
import struct
from collections.abc import Callable
from typing import Any

LARGEST = 180_000
_MOST_DESCRIPTORS = 32
# Of control data besides descriptors, such as a date.
_MORE = 64


def send(channel: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    """Send one message."""
    ancillary = []
    if descriptors:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    channel.sendmsg([json.dumps(message).encode()], ancillary)


def receive(
    channel: socket.socket, note: Callable[[int, int, bytes], None] | None = None
) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for one message; None when the other side is gone.

    Args:
        channel: A packet socket.
        note: Given other control data that came with it: level, kind, bytes.
    """
    size = struct.calcsize("i")
    try:
        data, ancillary, _, _ = channel.recvmsg(
            LARGEST, socket.CMSG_SPACE(_MOST_DESCRIPTORS * size) + _MORE, socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionResetError:
        return None
    if not data:
        return None
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % size])
        elif note is not None:
            note(level, kind, payload)
    return json.loads(data), list(descriptors)
