"""The relay's own program: speaks HTTP CONNECT with one job, resolves names itself, connects to what it checked.

Run as `python -m sandbox_executor.adapters.egress.relay OPTIONS`, a process for each job, with nothing of the
executor's environment. It ends when its standard input does. What it refuses is a line of JSON on its standard
output, written before the job is told.
"""

from __future__ import annotations

import array
import asyncio
import contextlib
import json
import os
import resource
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox_executor.domain.egress import MOST_WORDS, Destination, parse_target, public
from sandbox_executor.domain.texts import one_line

_HEAD_BYTES = 8192
_HEAD_WITHIN_S = 10.0
_CONNECT_WITHIN_S = 15.0
_IDLE_S = 120.0
_CHUNK = 1 << 16
_MEMORY_BYTES = 512 * 1024 * 1024
# So many refusals are told one by one; of so many bytes each, that a pipe takes them all without a reader.
_MOST_TOLD = 100
_TARGET_BYTES = 400
_REASON_BYTES = 200
# Of connections, those that ask for nothing among them.
_MOST_OPEN = 256

Resolve = Callable[[str, int], Awaitable[list[str]]]


@dataclass(frozen=True)
class Bounds:
    """What one job may use.

    Attributes:
        most_bytes: Of all connections, both ways together.
        open_connections: At a time.
        connections: In all.
    """

    most_bytes: int
    open_connections: int = 16
    connections: int = 512


class RefusedError(Exception):
    """A request that is not granted; the words say why."""


class Relay:
    """Serves one job.

    Args:
        allowed: What it may reach.
        bounds: What it may use.
        resolve: Gives the addresses of a name and port.
    """

    def __init__(self, allowed: tuple[Destination, ...], bounds: Bounds, resolve: Resolve | None = None) -> None:
        self._addresses = resolve or _ask
        self._allowed = {(each.host, each.port): each for each in allowed}
        self._bounds = bounds
        self._left = bounds.most_bytes
        self._open = 0
        self._seen = 0
        self._told = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection of the job."""
        if self._open >= _MOST_OPEN:
            writer.close()
            return
        self._open += 1
        self._seen += 1
        target = ""
        try:
            # Heard first: who is cut off with words unread would not hear ours.
            target = await _target(reader)
            if self._open > self._bounds.open_connections or self._seen > self._bounds.connections:
                raise RefusedError(
                    f"more than {self._bounds.open_connections} connections at a time, or "
                    f"{self._bounds.connections} in all"
                )
            out_reader, out_writer = await self._connect(target)
            with contextlib.closing(out_writer):
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.drain()
                await self._pass_on(reader, writer, out_reader, out_writer, target)
        except RefusedError as error:
            self._tell(target, str(error))
            with contextlib.suppress(OSError):
                writer.write(_answer(str(error)))
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            # The job, or whoever it spoke with, went away.
            pass
        finally:
            self._open -= 1
            writer.close()

    async def _connect(self, target: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        asked = parse_target(target)
        granted = None if asked is None else self._allowed.get((asked.host, asked.port))
        if granted is None:
            raise RefusedError("not among the names that this job may reach")
        try:
            async with asyncio.timeout(_CONNECT_WITHIN_S):
                addresses = await self._resolve(granted)
                for address in addresses:
                    # The address that was checked and not the name, which could lead elsewhere by now.
                    with contextlib.suppress(OSError):
                        return await asyncio.open_connection(address, granted.port)
        except TimeoutError:
            raise RefusedError("no answer in time") from None
        raise RefusedError("nobody answers there")

    async def _resolve(self, granted: Destination) -> list[str]:
        try:
            addresses = await self._addresses(granted.host.strip("[]"), granted.port)
        except OSError as error:
            raise RefusedError(f"the name cannot be resolved: {error.strerror or error}") from None
        except ValueError:
            # Names that cannot be asked for at all.
            raise RefusedError("the name cannot be resolved: it is none") from None
        kept = [address for address in addresses if granted.private or public(address)]
        if not kept:
            raise RefusedError("the name leads to an address that is not public")
        return kept

    async def _pass_on(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
        out_reader: asyncio.StreamReader, out_writer: asyncio.StreamWriter, target: str,
    ) -> None:  # fmt: skip
        ways = [
            asyncio.ensure_future(self._pump(reader, out_writer, target)),
            asyncio.ensure_future(self._pump(out_reader, writer, target)),
        ]
        try:
            await asyncio.gather(*ways)
        except TimeoutError:
            return
        finally:
            for way in ways:
                way.cancel()

    async def _pump(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, name: str) -> None:
        while True:
            async with asyncio.timeout(_IDLE_S):
                data = await source.read(_CHUNK)
                if not data:
                    with contextlib.suppress(OSError):
                        target.write_eof()
                    return
                if len(data) > self._left:
                    self._left = 0
                    self._tell(name, f"more than {self._bounds.most_bytes} bytes")
                    raise ConnectionAbortedError
                self._left -= len(data)
                target.write(data)
                await target.drain()

    def _tell(self, target: str, reason: str) -> None:
        self._told += 1
        if self._told <= _MOST_TOLD:
            line = {"target": _fit(target, _TARGET_BYTES), "reason": _fit(reason, _REASON_BYTES)}
            # Short enough to be written whole or not at all: a job is served, whoever hears of what it was refused.
            with contextlib.suppress(BlockingIOError):
                os.write(1, json.dumps(line, ensure_ascii=False).encode() + b"\n")


def _fit(text: str, most_bytes: int) -> str:
    return one_line(text, MOST_WORDS).encode()[:most_bytes].decode("utf-8", "ignore")


async def _ask(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def _target(reader: asyncio.StreamReader) -> str:
    """What a request wants to be connected to.

    Raises:
        RefusedError: it is no CONNECT.
        OSError: nothing whole came.
    """
    try:
        async with asyncio.timeout(_HEAD_WITHIN_S):
            head = await reader.readuntil(b"\r\n\r\n")
    except TimeoutError:
        raise RefusedError("no whole request came in time") from None
    except asyncio.LimitOverrunError:
        raise RefusedError(f"a request of more than {_HEAD_BYTES} bytes") from None
    words = head.split(b"\r\n", 1)[0].decode("ascii", "replace").split(" ")
    if len(words) == 3 and words[0] != "CONNECT" and words[2].startswith("HTTP/"):
        raise RefusedError(f"only CONNECT is spoken, and not {words[0][:20]} {words[1][:200]}")
    if len(words) != 3 or words[2] not in ("HTTP/1.1", "HTTP/1.0"):
        raise RefusedError("only HTTP CONNECT is spoken")
    return words[1]


def _answer(reason: str) -> bytes:
    body = f"touchstone: {reason}\n".encode("utf-8", "replace")
    head = f"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\n"
    return head.encode() + b"Connection: close\r\n\r\n" + body


def receive_listener(channel: socket.socket) -> socket.socket | None:
    """The socket that a sandbox's first process opened in the job's own network; None when none comes any more."""
    _, ancillary, _, _ = channel.recvmsg(256, socket.CMSG_SPACE(struct.calcsize("i")), socket.MSG_CMSG_CLOEXEC)
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            return socket.socket(fileno=array.array("i", payload)[0])
    return None


async def run(options: dict[str, Any]) -> None:
    """Serve until the executor lets go."""
    allowed = tuple(Destination(**each) for each in options["allowed"])
    relay = Relay(allowed, Bounds(**options["bounds"]))
    loop = asyncio.get_running_loop()
    came: asyncio.Queue[socket.socket | None] = asyncio.Queue()
    os.set_blocking(1, False)
    # Nothing is ever written there: readable means that the executor is gone.
    loop.add_reader(0, came.put_nowait, None)
    server = None
    if options["path"]:
        server = await asyncio.start_unix_server(relay.serve, options["path"], limit=_HEAD_BYTES)
        await asyncio.to_thread(Path(options["path"]).chmod, 0o666)
        os.write(1, b'{"ready": true}\n')
    else:
        channel = socket.socket(fileno=options["channel"])
        loop.add_reader(channel, lambda: came.put_nowait(receive_listener(channel)))
    while (listener := await came.get()) is not None:
        # The sandbox before is gone; a listener of its network would keep that.
        if server is not None:
            server.close()
        server = await asyncio.start_server(relay.serve, sock=listener, limit=_HEAD_BYTES)


def main() -> None:
    """Read the options, bound oneself, serve."""
    options = json.loads(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_BYTES, _MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    asyncio.run(run(options))
    # A thread may still ask for a name; nobody waits for it.
    os._exit(0)


if __name__ == "__main__":
    main()
