"""Messages between executor, zygote and init: one JSON object each, with descriptors, on packet sockets."""

from __future__ import annotations

import array
import json
import socket
import struct
from typing import Any

LARGEST = 180_000
_MOST_DESCRIPTORS = 32


def send(channel: socket.socket, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
    """Send one message."""
    ancillary = []
    if descriptors:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    channel.sendmsg([json.dumps(message).encode()], ancillary)


def receive(channel: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Wait for one message; None when the other side is gone."""
    size = struct.calcsize("i")
    try:
        data, ancillary, _, _ = channel.recvmsg(
            LARGEST, socket.CMSG_SPACE(_MOST_DESCRIPTORS * size), socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionResetError:
        return None
    if not data:
        return None
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % size])
    return json.loads(data), list(descriptors)
