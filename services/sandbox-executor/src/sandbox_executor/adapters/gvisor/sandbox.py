"""A sandbox of the gVisor backend, from outside."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable, Mapping

from sandbox_executor.adapters.commanded import COLLECT_WITHIN_S, CommandedSandbox, pack
from sandbox_executor.adapters.egress.process import RelayProcess
from sandbox_executor.adapters.gvisor.container import Container
from sandbox_executor.adapters.gvisor.watch import MemoryWatch, Watched
from sandbox_executor.adapters.running import DISK_BYTES
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.egress import Refusal
from sandbox_executor.domain.outcomes import Ending, Usage
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.messages import Entered, Failed, Plan

_ENTER_WITHIN_S = 90.0
_SETTLE_WITHIN_S = 5.0
_CHUNK = 1 << 16
# Descriptors of a command that only prints, such as a compiler: input, output, errors.
_PLAIN = 3


class GvisorSandbox(CommandedSandbox):
    """A warm container with one job's files in it.

    When the kernel ends the container itself, because memory ran out faster than the watch could act, the next
    program gets a new one: the files are laid out again and the commands that had succeeded are run again.

    Args:
        take: Gives a warm container.
        watch: Ends programs that use too much memory.
        plan: What `launcher/guest.py` reads.
        files: Files to lay into the working folder.
        memory_bytes: Memory limit.
        revives: Whether a lost container is replaced by one that is built up again.
        relay: Its way out; None where it has none.
    """

    def __init__(
        self, take: Callable[[], Container], watch: MemoryWatch, plan: Plan, files: Mapping[str, bytes],
        memory_bytes: int, *, revives: bool = True, relay: RelayProcess | None = None,
    ) -> None:  # fmt: skip
        self._take = take
        self._watch = watch
        self._plan = plan
        self._files = files
        self._memory_bytes = memory_bytes
        self._revives = revives
        self._relay = relay
        self._spent = Usage()
        self._built: list[Command] = []
        self._plain: Command | None = None
        self._lost = False
        self._artefacts = -1
        self._before = Usage()
        self._container = take()
        super().__init__(self._container.control)
        self._watched = self._enter()

    def _enter(self) -> Watched:
        """Bring the job into the warm container."""
        container = self._container
        self._artefacts, theirs = os.pipe2(os.O_CLOEXEC)
        packed = pack(self._files)
        self._before = container.usage()
        try:
            self._send(self._plan, [packed, theirs])
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
        return self._watch.add(container, self._memory_bytes)

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program; waits until memory of one that was ended before is given back."""
        if self._lost or not self._container.alive:
            if not self._revives:
                raise SandboxFaultError("the container is gone, with what earlier programs left", thing="gVisor")
            self._revive()
        deadline = time.monotonic() + _SETTLE_WITHIN_S
        while self._watched.exceeded and time.monotonic() < deadline:
            time.sleep(0.005)
        self._plain = command if len(descriptors) == _PLAIN else None
        super().start(command, descriptors)

    def _revive(self) -> None:
        used = self.usage()
        self._leave()
        self._spent = used
        self._lost = self._gone = False
        self._container = self._take()
        self._control = self._dated(self._container.control)
        self._watched = self._enter()
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        try:
            for command in self._built:
                super().start(command, [null] * _PLAIN)
                if self.ending().exit_code != 0:
                    raise SandboxFaultError("what succeeded before failed in a new container", thing=command.argv[0])
        finally:
            os.close(null)

    def ending(self) -> Ending:
        """How the program ended; waits for it."""
        ending = super().ending()
        # Its first process does not answer any more: the program that stands for the container may end a little later.
        self._lost = self._lost or bool(ending.fault or ending.foreign)
        if self._revives and self._plain is not None and ending.exit_code == 0:
            self._built.append(self._plain)
        self._plain = None
        return ending

    @property
    def alive(self) -> bool:
        """Whether it can run programs: always, where a lost container is replaced."""
        return self._revives or not (self._lost or not self._container.alive)

    def processes(self) -> list[int]:
        """The host's processes that make up the sandbox."""
        return self._container.cgroup.pids()

    def usage(self) -> Usage:
        """What the job has used; what gVisor needed before the job came is not its doing."""
        spent, used, before = self._spent, self._container.usage(), self._before
        return Usage(
            spent.cpu_s + used.cpu_s - before.cpu_s,
            max(spent.memory_bytes, self._watched.peak(used.memory_bytes)),
            spent.oom_kills + used.oom_kills + self._watched.kills,
            spent.refused_processes + used.refused_processes - before.refused_processes,
            spent.foreign_kills + used.foreign_kills - before.foreign_kills,
        )

    def refused(self) -> tuple[Refusal, ...]:
        """What its way out refused since this was asked last."""
        return self._relay.refused() if self._relay is not None else ()

    def collect(self, paths: tuple[str, ...], most_bytes: int) -> list[tuple[str, bytes]]:
        """Read regular files of the working folder."""
        found: list[tuple[str, bytes]] = []
        if not paths or self._lost or not self._container.alive:
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
        self._lost = self._lost or self._gone
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
        self._leave()

    def _leave(self) -> None:
        self._watch.remove(self._watched)
        os.close(self._artefacts)
        self._container.close()

    def _kill_init(self) -> None:
        self._container.kill()

    def _words(self) -> str:
        return self._container.words()
