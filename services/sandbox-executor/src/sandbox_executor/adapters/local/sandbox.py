"""A sandbox of the local backend, from outside: its init is commanded over a socket, its cgroup measures."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import stat
import threading
from collections.abc import Mapping
from dataclasses import replace

from sandbox_executor.adapters.commanded import STOP_WITHIN_MS, CommandedSandbox, pack
from sandbox_executor.adapters.egress.process import RelayProcess
from sandbox_executor.adapters.hosting.cgroups import JobCgroup
from sandbox_executor.adapters.hosting.watch import MemoryWatch
from sandbox_executor.adapters.local.zygotes import Zygote
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.launcher import messages


class LocalSandbox(CommandedSandbox):
    """Forked from a warm interpreter into fresh namespaces.

    Args:
        zygote: The interpreter.
        cgroup: The job's, not joined yet; removed by `close`.
        plan: What `launcher/init.py` reads.
        files: Files to lay into the working folder.
        relay: The job's way out, which gets a listener of this sandbox's network; None where it has none.
        held: What ends programs that use too much memory, and how much that is; None where the kernel does.
    """

    def __init__(
        self, zygote: Zygote, cgroup: JobCgroup, plan: messages.Plan, files: Mapping[str, bytes],
        relay: RelayProcess | None = None, held: tuple[MemoryWatch, int] | None = None,
    ) -> None:  # fmt: skip
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        super().__init__(ours)
        self.cgroup = cgroup
        # The watch looks from a thread of its own.
        self._lock = threading.Lock()
        self._closed = False
        self._watch = held[0] if held is not None else None
        self._watched = held[0].add(self, held[1]) if held is not None else None
        self._zygote = zygote
        self._init = -1
        passed = [theirs.fileno(), pack(files), *cgroup.join_descriptors()]
        if relay is not None:
            passed.append(os.dup(relay.channel.fileno()))
        try:
            self._init = zygote.fork(plan, passed)
        except BaseException:
            self.close()
            raise
        finally:
            theirs.close()
            for descriptor in passed[1:]:
                os.close(descriptor)

    def processes(self) -> list[int]:
        """The processes in it, by their numbers here."""
        return self.cgroup.pids()

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program; where memory is watched, once that of one that was ended before is given back."""
        if self._watched is not None:
            self._watched.settle()
        super().start(command, descriptors)

    def memory(self, bound: int) -> int:
        """Bytes in use now; exact above the bound. 0 once it is closed."""
        with self._lock:
            return 0 if self._closed else self.cgroup.memory(bound)

    def end_program(self) -> None:
        """Have its first process end what runs."""
        messages.send(self._control, messages.Kill())

    def usage(self) -> Usage:
        """What everything in it has used since it was made."""
        with self._lock:
            used = self.cgroup.usage()
        if self._watched is None:
            return used
        kills = used.oom_kills + self._watched.kills
        return replace(used, memory_bytes=self._watched.peak(used.memory_bytes), oom_kills=kills)

    def collect(self, paths: tuple[str, ...], most_bytes: int) -> list[tuple[str, bytes]]:
        """Read regular files of the working folder."""
        if not paths:
            return []
        found: list[tuple[str, bytes]] = []
        left = most_bytes
        for received in self._collect(paths):
            for descriptor in received.descriptors[1:]:
                os.close(descriptor)
            for descriptor in received.descriptors[:1]:
                # Nothing runs in the sandbox any more, so what is seen here stays as it is.
                with os.fdopen(descriptor, "rb") as stream:
                    status = os.fstat(descriptor)
                    if stat.S_ISREG(status.st_mode) and status.st_size <= left:
                        data = stream.read(left)
                        left -= len(data)
                        found.append((received.message.path, data))
        return found

    def close(self) -> None:
        """End everything in it and remove its cgroup."""
        if self._watch is not None and self._watched is not None:
            self._watch.remove(self._watched)
        self._control.close()
        if self._init >= 0:
            self._kill_init()
            waiting = select.poll()
            waiting.register(self._init, select.POLLIN)
            waiting.poll(STOP_WITHIN_MS)
            os.close(self._init)
            self._init = -1
        with self._lock:
            self._closed = True
        self.cgroup.remove()

    def _kill_init(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._init, signal.SIGKILL)

    def _words(self) -> str:
        return self._zygote.words()
