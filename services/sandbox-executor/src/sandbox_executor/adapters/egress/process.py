"""A job's relay, from the executor's side: a process of its own that is started, asked and ended."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from dataclasses import asdict
from pathlib import Path

from sandbox_executor.adapters.egress.relay import Bounds
from sandbox_executor.domain.egress import PORT, Destination, Refusal
from sandbox_executor.errors import SandboxFaultError

PACKAGE = Path(__file__).parent.parent.parent
_READY_WITHIN_MS = 60_000
_ADDRESS = f"http://127.0.0.1:{PORT}"
# By which programs know that there is a proxy; Node's own client wants to be told to look.
VARIABLES = {
    **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), _ADDRESS),
    "NODE_USE_ENV_PROXY": "1",
}


@contextlib.contextmanager
def relaying(
    allowed: tuple[Destination, ...], most_bytes: int, within: Callable[[], Path] | None = None
) -> Generator[RelayProcess | None]:
    """One job's relay, whatever sandboxes it has; None where nothing is allowed.

    Args:
        allowed: What the job may reach.
        most_bytes: What it may carry.
        within: Gives the folder beneath which its socket lies; without it the relay waits for listeners.

    Raises:
        SandboxFaultError: it does not start.
    """
    if not allowed:
        yield None
        return
    with contextlib.ExitStack() as held:
        path = ""
        if within is not None:
            # Short, because a socket lies in it.
            folder = Path(held.enter_context(tempfile.TemporaryDirectory(dir=within(), prefix="e")))
            folder.chmod(0o755)
            path = str(folder / "s")
        relay = RelayProcess(allowed, most_bytes, path)
        held.callback(relay.close)
        if path:
            relay.await_ready()
        yield relay


class RelayProcess:
    """One job's relay.

    Args:
        allowed: What the job may reach.
        most_bytes: What it may carry.
        path: Where it listens, a Unix socket; empty to wait for listeners on `channel`, one after the other.
    """

    def __init__(self, allowed: tuple[Destination, ...], most_bytes: int, path: str = "") -> None:
        self.channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        options = {
            "allowed": [asdict(each) for each in allowed],
            "bounds": asdict(Bounds(most_bytes)),
            "path": path,
            "channel": theirs.fileno(),
        }
        self.path = path
        self._buffer = b""
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-s", "-P", "-B", "-m", "sandbox_executor.adapters.egress.relay",
                 json.dumps(options)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={"PYTHONPATH": str(PACKAGE.parent)},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
                bufsize=0,
            )  # fmt: skip
        assert self._process.stdout is not None
        self._told = self._process.stdout.fileno()
        os.set_blocking(self._told, False)

    def await_ready(self) -> None:
        """Wait until it listens at its path.

        Raises:
            SandboxFaultError: it does not.
        """
        waiting = select.poll()
        waiting.register(self._told, select.POLLIN)
        if not waiting.poll(_READY_WITHIN_MS) or not self._read().startswith(b'{"ready"'):
            raise SandboxFaultError("the relay of a job's egress does not start", thing="egress")

    def refused(self) -> tuple[Refusal, ...]:
        """What it refused since it was asked last."""
        lines = (self._buffer + self._read()).split(b"\n")
        self._buffer = lines.pop()
        found: list[Refusal] = []
        for line in lines:
            told = json.loads(line)
            if "target" in told:
                found.append(Refusal(told["target"], told["reason"]))
        return tuple(found)

    def _read(self) -> bytes:
        data = b""
        with contextlib.suppress(BlockingIOError):
            while piece := os.read(self._told, 1 << 16):
                data += piece
        return data

    def close(self) -> None:
        """End it, and every connection with it."""
        self.channel.close()
        self._process.kill()
        with self._process:
            pass
