"""A sandbox of the local backend, from outside: its init is commanded over a socket, its cgroup measures."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import stat
import time
from collections.abc import Mapping
from typing import Any

from sandbox_executor.adapters.local.cgroups import JobCgroup
from sandbox_executor.adapters.local.zygotes import Zygote
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Ending, Usage
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages

_STOP_WITHIN_MS = 5000


class LocalSandbox:
    """Forked from a warm interpreter into fresh namespaces.

    Args:
        zygote: The interpreter.
        cgroup: The job's, not joined yet; removed by `close`.
        plan: What `launcher/init.py` reads.
        files: Files to lay into the working folder.
    """

    def __init__(self, zygote: Zygote, cgroup: JobCgroup, plan: dict[str, Any], files: Mapping[str, bytes]) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = ours
        self._cgroup = cgroup
        self._zygote = zygote
        self._init = -1
        self._running = False
        passed = [theirs.fileno(), pack(files), *cgroup.join_descriptors()]
        try:
            self._init = zygote.fork(plan, passed)
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            for descriptor in passed[1:]:
                os.close(descriptor)

    @property
    def control(self) -> int:
        """Descriptor that becomes readable when a program ended."""
        return self._control.fileno()

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program; the init obeys as soon as it has entered its namespaces."""
        run = {
            "mode": command.mode,
            "argv": list(command.argv),
            "env": dict(command.environment),
            "rlimits": dict(command.rlimits),
        }
        self._send({"run": run}, descriptors)
        self._running = True

    def ending(self) -> Ending:
        """How the program ended; waits for it."""
        while True:
            received = self._receive()
            if received is None:
                self._running = False
                return Ending(fault=f"the sandbox's first process ended: {self._zygote.words()[-300:]}")
            message, _ = received
            if "fault" in message:
                raise SandboxFaultError(f"cannot enter the sandbox: {message['fault']}", thing="namespaces")
            if "ended" in message:
                self._running = False
                ended = message["ended"]
                return Ending(ended.get("exit"), ended.get("signal"), ended.get("fault", ""))

    def ended(self) -> bool:
        """Whether the pending message says that the program ended; one that says that the sandbox stands is read."""
        try:
            head = self._control.recv(64, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except ConnectionResetError:
            return True
        if head.startswith(b'{"entered"'):
            self._receive()
            return False
        return True

    def stop(self) -> None:
        """Kill the program; when the init does not obey, kill the init, and all processes with it."""
        if not self._running:
            return
        with contextlib.suppress(SandboxFaultError):
            self._send({"kill": True}, [])
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        deadline = time.monotonic() + _STOP_WITHIN_MS / 1000
        while not (waiting.poll(_STOP_WITHIN_MS) and self.ended()):
            if time.monotonic() >= deadline:
                # It does not obey: with its init all processes of the sandbox end.
                self._kill_init()
        self.ending()

    def usage(self) -> Usage:
        """What everything in it has used since it was made."""
        return self._cgroup.usage()

    def collect(self, paths: tuple[str, ...], most_bytes: int) -> list[tuple[str, bytes]]:
        """Read regular files of the working folder."""
        if not paths:
            return []
        self._send({"collect": list(paths)}, [])
        found: list[tuple[str, bytes]] = []
        left = most_bytes
        while (received := self._receive()) is not None:
            message, descriptors = received
            if "collected" in message:
                break
            for descriptor in descriptors:
                # Nothing runs in the sandbox any more, so what is seen here stays as it is.
                with os.fdopen(descriptor, "rb") as stream:
                    status = os.fstat(descriptor)
                    if stat.S_ISREG(status.st_mode) and status.st_size <= left:
                        data = stream.read(left)
                        left -= len(data)
                        found.append((message["artefact"], data))
        return found

    def close(self) -> None:
        """End everything in it and remove its cgroup."""
        self._control.close()
        if self._init >= 0:
            self._kill_init()
            waiting = select.poll()
            waiting.register(self._init, select.POLLIN)
            waiting.poll(_STOP_WITHIN_MS)
            os.close(self._init)
            self._init = -1
        self._cgroup.remove()

    def _kill_init(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)

    def _send(self, message: dict[str, Any], descriptors: list[int]) -> None:
        try:
            messages.send(self._control, message, descriptors)
        except OSError as error:
            raise SandboxFaultError(f"the sandbox is gone: {error.strerror}") from error

    def _receive(self) -> tuple[dict[str, Any], list[int]] | None:
        return messages.receive(self._control)


def pack(files: Mapping[str, bytes]) -> int:
    """Files as `launcher/init.py` reads them, in a sealed file in memory; the caller closes it."""
    descriptor = os.memfd_create("files", os.MFD_CLOEXEC)
    with os.fdopen(os.dup(descriptor), "wb") as stream:
        for path, content in files.items():
            name = path.encode()
            stream.write(len(name).to_bytes(4, "big") + name + len(content).to_bytes(8, "big"))
            stream.write(content)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
