"""Messages between executor, zygote and init: one typed JSON object each, with descriptors, on packet sockets.

They are built and read here and nowhere else, both ways: closed kinds, exact fields, bounded sizes. What the first
process of a sandbox says is read like the words of an enemy, who may have taken it over.
"""

from __future__ import annotations

import array
import json
import os
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, TypeVar, cast

LARGEST = 180_000
_MOST_DESCRIPTORS = 32
# Of control data besides descriptors: a date.
_MORE = 64
_TIMESTAMPS_NS = 35  # SO_TIMESTAMPNS, of asm-generic/socket.h
_TIMES = struct.Struct("@qq")
_LARGEST_NUMBER = 1 << 63


class MalformedMessageError(ValueError):
    """What came is none of the messages that may come here."""


# Before anything foreign: what is started, and how


@dataclass(frozen=True)
class RootPlan:
    """The file system that every job sees, and the program that starts in it; read by `root.py`.

    Attributes:
        mountpoint: Folder outside, on which the root is built.
        binds: Read-only mounts: (outside, inside).
        symlinks: (inside, where it leads).
        files: Small files, by path inside.
        environments: Folder outside, of prepared dependencies.
        views: Folder outside, of datasets.
        user_namespace: Become root of one first.
        python: The interpreter, inside.
        program: What it runs.
        options: A `WarmUp`, as text.
        environment: All variables of the program.
    """

    mountpoint: str
    binds: tuple[tuple[str, str], ...]
    symlinks: tuple[tuple[str, str], ...]
    files: Mapping[str, str]
    environments: str
    views: str
    user_namespace: bool
    python: str
    program: str
    options: str
    environment: Mapping[str, str]


@dataclass(frozen=True)
class WarmUp:
    """What an interpreter does before a job comes; `control` and `network` are a zygote's, the rest a guest's.

    Attributes:
        site: Folder of libraries.
        preload: Modules to import.
        control: Descriptor of its socket.
        network: Its sandboxes may use the network.
        disk_bytes: Size of each folder that a program may write to.
        inodes: Files in each of them.
        user: Whose they are.
    """

    site: str
    preload: tuple[str, ...]
    control: int = -1
    network: bool = False
    disk_bytes: int = 0
    inodes: int = 0
    user: int = 0


@dataclass(frozen=True)
class Plan:
    """What one sandbox shall be.

    Attributes:
        uid: User of candidates.
        gid: Group of candidates.
        disk_bytes: Size of each folder that a program may write to.
        inodes: Files in each of them.
        processes: Processes at a time, where no cgroup of the host's counts them.
        environment: Prepared dependencies, or empty.
        data_view: Datasets, or empty.
        preload: Modules to import for this job.
        keep_capabilities: The user stays root of its user namespace, without capabilities.
        network: Share the host's network.
        egress: Port of the way out, inside; 0 for none. Whoever serves it waits on a last descriptor for a listener.
    """

    uid: int
    gid: int
    disk_bytes: int
    inodes: int
    processes: int = 0
    environment: str = ""
    data_view: str = ""
    preload: tuple[str, ...] = ()
    keep_capabilities: bool = False
    network: bool = False
    egress: int = 0


# To the first process of a sandbox


@dataclass(frozen=True)
class Run:
    """Start a program with the descriptors that come along as its 0, 1, 2 and so on.

    Attributes:
        mode: `exec`, `cases` or `program`, as in `adapters.sandbox.Command`.
        argv: Argument vector.
        environment: All variables.
        rlimits: Resource limits by name, without `RLIMIT_`.
    """

    mode: str
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    rlimits: Mapping[str, int]


@dataclass(frozen=True)
class Kill:
    """End the program and whatever it started."""


@dataclass(frozen=True)
class Collect:
    """Bring these files back."""

    paths: tuple[str, ...]


# From a zygote, and from the first process of a sandbox


@dataclass(frozen=True)
class Ready:
    """Warm; `landlock` is the kernel's version of it, 0 for none."""

    landlock: int = 0


@dataclass(frozen=True)
class Forked:
    """A sandbox was forked; a descriptor of its first process comes along."""


@dataclass(frozen=True)
class Failed:
    """What was asked for could not be done."""

    words: str


@dataclass(frozen=True)
class Entered:
    """The sandbox stands."""


@dataclass(frozen=True)
class Ended:
    """The program ended, or could not be started; exactly one of the three is set."""

    exit_code: int | None = None
    signal: int | None = None
    fault: str = ""

    def __post_init__(self) -> None:
        """Hold the numbers to what a kernel gives."""
        code, signal = self.exit_code, self.signal
        if [code is None, signal is None, not self.fault].count(False) != 1:
            raise MalformedMessageError("an end of another kind")
        if not 0 <= (code or 0) <= 255 or not 0 < (1 if signal is None else signal) <= 64:
            raise MalformedMessageError("an end that no kernel tells of")


@dataclass(frozen=True)
class Artefact:
    """A regular file: its descriptor comes along, or so many bytes of it come through the pipe for files."""

    path: str
    size: int = 0


@dataclass(frozen=True)
class Collected:
    """No more files come."""


def _number(value: object) -> int:
    if type(value) is not int or not -_LARGEST_NUMBER <= value < _LARGEST_NUMBER:
        raise MalformedMessageError("not a number")
    return value


def _number_or_none(value: object) -> int | None:
    return None if value is None else _number(value)


def _truth(value: object) -> bool:
    if type(value) is not bool:
        raise MalformedMessageError("neither true nor false")
    return value


def _text(value: object) -> str:
    if type(value) is not str:
        raise MalformedMessageError("not a text")
    return value


def _sequence(value: object) -> list[object]:
    if type(value) is not list:
        raise MalformedMessageError("not an array")
    return cast("list[object]", value)


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _sequence(value)))


def _pair(value: object) -> tuple[str, str]:
    first, second = _texts(value) if len(_sequence(value)) == 2 else ("", None)
    return first, _text(second)


def _pairs(value: object) -> tuple[tuple[str, str], ...]:
    return tuple(map(_pair, _sequence(value)))


def _mapping(value: object) -> dict[str, object]:
    if type(value) is not dict:
        raise MalformedMessageError("not an object")
    return cast("dict[str, object]", value)


def _texts_by_name(value: object) -> dict[str, str]:
    return {name: _text(text) for name, text in _mapping(value).items()}


def _numbers_by_name(value: object) -> dict[str, int]:
    return {name: _number(number) for name, number in _mapping(value).items()}


_READERS: dict[str, Callable[[object], object]] = {
    "int": _number,
    "int | None": _number_or_none,
    "bool": _truth,
    "str": _text,
    "tuple[str, ...]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
    "Mapping[str, str]": _texts_by_name,
    "Mapping[str, int]": _numbers_by_name,
}
_KINDS: tuple[type[Any], ...] = (
    RootPlan, WarmUp, Plan, Run, Kill, Collect, Ready, Forked, Failed, Entered, Ended, Artefact, Collected,
)  # fmt: skip
_FIELDS = {kind: {field.name: _READERS[str(field.type)] for field in fields(kind)} for kind in _KINDS}
# Made once: forks use it.
_ENCODER = json.JSONEncoder(default=dict)
Kind = TypeVar("Kind")


def dump(message: object) -> bytes:
    """A message as it travels."""
    kind = type(message)
    content = {"kind": kind.__name__, **{name: getattr(message, name) for name in _FIELDS[kind]}}
    return _ENCODER.encode(content).encode()


def parse(data: bytes | str, *kinds: type[Kind]) -> Kind:
    """Read a message that must be of one of these kinds.

    Raises:
        MalformedMessageError: it is not.
    """
    try:
        content: object = json.loads(data)
    except (ValueError, RecursionError, MemoryError):
        raise MalformedMessageError("a message is not JSON") from None
    told = _mapping(content)
    name = told.pop("kind", None)
    kind = next((kind for kind in kinds if kind.__name__ == name), None)
    if kind is None:
        raise MalformedMessageError(f"a message of kind {str(name)[:40]!r} where none is expected")
    readers = _FIELDS[kind]
    if told.keys() != readers.keys():
        raise MalformedMessageError(f"a message {kind.__name__} with other fields")
    return kind(**{field: read(told[field]) for field, read in readers.items()})


class Received(NamedTuple):
    """A message with what came along.

    Attributes:
        message: As it was read.
        descriptors: The receiver closes them.
        at: When it was sent, in seconds of the wall's clock by the kernel; None where that was not asked for.
    """

    message: Any
    descriptors: list[int]
    at: float | None


def send(channel: socket.socket, message: object, descriptors: list[int] | None = None) -> None:
    """Send one message."""
    ancillary = []
    if descriptors:
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))]
    channel.sendmsg([dump(message)], ancillary)


def receive(channel: socket.socket, *kinds: type[Any]) -> Received | None:
    """Wait for one message, of one of these kinds; None when the other side is gone.

    Raises:
        MalformedMessageError: something else came; what came along is closed.
    """
    size = struct.calcsize("i")
    try:
        data, ancillary, flags, _ = channel.recvmsg(
            LARGEST, socket.CMSG_SPACE(_MOST_DESCRIPTORS * size) + _MORE, socket.MSG_CMSG_CLOEXEC
        )
    except ConnectionResetError:
        return None
    descriptors, at = array.array("i"), None
    for level, kind, payload in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(payload[: len(payload) - len(payload) % size])
        elif (level, kind) == (socket.SOL_SOCKET, _TIMESTAMPS_NS) and len(payload) >= _TIMES.size:
            seconds, nanoseconds = _TIMES.unpack_from(payload)
            at = seconds + nanoseconds / 1e9
    if not data:
        close(descriptors)
        return None
    try:
        if flags & (socket.MSG_TRUNC | socket.MSG_CTRUNC):
            raise MalformedMessageError("a message is too long")
        return Received(parse(data, *kinds), list(descriptors), at)
    except MalformedMessageError:
        close(descriptors)
        raise


def close(descriptors: list[int] | array.array[int]) -> None:
    """Close what came along."""
    for descriptor in descriptors:
        os.close(descriptor)


def date(channel: socket.socket) -> None:
    """Have the kernel date what comes on a socket."""
    channel.setsockopt(socket.SOL_SOCKET, _TIMESTAMPS_NS, 1)
