"""A sandbox of the gVisor backend, from outside."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Mapping
from dataclasses import replace

from sandbox_executor.adapters.commanded import COLLECT_WITHIN_S, CommandedSandbox, pack
from sandbox_executor.adapters.gvisor.container import Container
from sandbox_executor.adapters.hosting.watch import MemoryWatch
from sandbox_executor.adapters.running import DISK_BYTES
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.messages import Entered, Failed, Plan

_ENTER_WITHIN_S = 90.0
_CHUNK = 1 << 16


class GvisorSandbox(CommandedSandbox):
    """A warm container with one job's files in it.

    The kernel may end the container itself, when memory runs out faster than the watch can act; then it runs no more.

    Args:
        container: Warm, without a job yet; closed with this.
        watch: Ends programs that use too much memory.
        plan: What `launcher/guest.py` reads.
        files: Files to lay into the working folder.
        memory_bytes: Memory limit.
    """

    def __init__(
        self, container: Container, watch: MemoryWatch, plan: Plan, files: Mapping[str, bytes], memory_bytes: int
    ) -> None:
        super().__init__(container.control)
        self._container = container
        self._watch = watch
        self._artefacts, theirs = os.pipe2(os.O_CLOEXEC)
        packed = pack(files)
        self._before = container.usage()
        try:
            self._send(plan, [packed, theirs])
            waiting = select.poll()
            waiting.register(self._control, select.POLLIN)
            received = self._receive(Entered, Failed) if waiting.poll(_ENTER_WITHIN_S * 1000) else None
            if received is None or isinstance(received.message, Failed):
                words = received.message.words if received else self._words()[-600:]
                raise SandboxFaultError(f"cannot enter the sandbox: {words}", thing="gVisor")
        except BaseException as error:
            os.close(self._artefacts)
            container.close()
            if isinstance(error, messages.MalformedMessageError):
                raise SandboxFaultError(f"cannot enter the sandbox: {error}", thing="gVisor") from error
            raise
        finally:
            os.close(packed)
            os.close(theirs)
        self._watched = watch.add(container, memory_bytes)

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program; waits until memory of one that was ended before is given back."""
        if not self.alive:
            raise SandboxFaultError("the container is gone, with what earlier programs left", thing="gVisor")
        self._watched.settle()
        super().start(command, descriptors)

    @property
    def alive(self) -> bool:
        """Whether it can run programs; the program that stands for the container may end a little later than it."""
        return super().alive and self._container.alive

    def processes(self) -> list[int]:
        """The host's processes that make up the sandbox."""
        return self._container.cgroup.pids()

    def usage(self) -> Usage:
        """What the job has used; what gVisor needed before the job came is not its doing."""
        used, watched = self._container.usage(), self._watched
        usage = used.since(self._before)
        return replace(usage, memory_bytes=watched.peak(used.memory_bytes), oom_kills=used.oom_kills + watched.kills)

    def collect(self, paths: tuple[str, ...], most_bytes: int) -> list[tuple[str, bytes]]:
        """Read regular files of the working folder."""
        found: list[tuple[str, bytes]] = []
        if not paths or not self.alive:
            return found
        left = most_bytes
        try:
            for received in self._collect(paths):
                size = received.message.size
                messages.close(received.descriptors)
                if not 0 <= size <= DISK_BYTES:
                    raise messages.MalformedMessageError("a file larger than the disk that it lies on")
                data = self._pour(size)
                if size <= left:
                    left -= size
                    found.append((received.message.path, data))
        except messages.MalformedMessageError as error:
            self._distrust(str(error))
        return found

    def _pour(self, size: int) -> bytes:
        data = bytearray()
        waiting = select.poll()
        waiting.register(self._artefacts, select.POLLIN)
        deadline = time.monotonic() + COLLECT_WITHIN_S
        while len(data) < size and waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
            piece = os.read(self._artefacts, min(_CHUNK, size - len(data)))
            if not piece:
                break
            data += piece
        if len(data) < size:
            raise messages.MalformedMessageError("a part of a file")
        return bytes(data)

    def close(self) -> None:
        """End everything in it and remove it."""
        self._watch.remove(self._watched)
        os.close(self._artefacts)
        self._container.close()

    def _kill_init(self) -> None:
        self._container.kill()

    def _words(self) -> str:
        return self._container.words()
