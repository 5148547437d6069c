"""Reads what gVisor's kernel reports of system calls: which process or thread it refused to make.

Each report is a packet: a header (its size, the kind of message, a count of lost ones) and a protobuf message,
whose second field tells how the call ended: `result`, `errno`.
"""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import Generator

_HEADER = struct.Struct("=HHI")
_LARGEST = 1 << 16
_MOST = 1000
# `version: 1` as protobuf: what both sides say first.
_GREETING = b"\x08\x01"
_EXIT, _ERRNO = 2, 2


def greet(connection: socket.socket) -> None:
    """Answer gVisor's greeting."""
    connection.recv(_LARGEST)
    connection.send(_GREETING)
    connection.setblocking(False)


def count_refusals(connection: socket.socket) -> int:
    """Read the reports that have come; how many calls failed because there may be no more processes.

    A program that makes reports as fast as they are read keeps nobody here: the rest is for the next time.
    """
    refused = 0
    for _ in range(_MOST):
        try:
            packet = connection.recv(_LARGEST)
        except (BlockingIOError, ConnectionResetError):
            break
        if not packet:
            break
        if read_errno(packet) == errno.EAGAIN:
            refused += 1
    return refused


def read_errno(packet: bytes) -> int:
    """The error number with which a reported call ended; 0 when it succeeded or cannot be read."""
    if len(packet) < _HEADER.size:
        return 0
    size = _HEADER.unpack_from(packet)[0]
    for number, value in _fields(packet[size:]):
        if number == _EXIT and isinstance(value, bytes):
            return next((found for inner, found in _fields(value) if inner == _ERRNO and isinstance(found, int)), 0)
    return 0


def _fields(data: bytes) -> Generator[tuple[int, int | bytes]]:
    """The fields of a protobuf message: numbers as they are, everything else as bytes; ends where it is damaged."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        length, at = (8, at) if kind == 1 else (4, at) if kind == 5 else _varint(data, at)
        if kind not in (1, 2, 5) or at + length > len(data):
            return
        yield key >> 3, data[at : at + length]
        at += length


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    return value, at
