"""A sandbox whose first process obeys commands over a socket; backends differ in how they make and measure it.

The first process is ours, but lies next to candidates: what it says is read with bounds, and words that it never says
mean that others speak for it, which is the job's doing.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping

from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Ending
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.messages import Artefact, Collect, Collected, Ended, Entered, Failed, Kill, Run

STOP_WITHIN_MS = 5000
# Files of a working folder in memory are brought back within this.
COLLECT_WITHIN_S = 60.0
_ENTERED = messages.dump(Entered())


class CommandedSandbox(ABC):
    """Programs in a sandbox, started and ended by the sandbox's first process (`launcher/init.py`).

    Args:
        control: Our end of its packet socket.
    """

    def __init__(self, control: socket.socket) -> None:
        messages.date(control)
        self._control = control
        self._stands = False
        self._running = False
        self._gone = False

    @abstractmethod
    def _kill_init(self) -> None:
        """Kill the first process, and all others with it; harmless when it is gone."""

    @abstractmethod
    def _words(self) -> str:
        """The last of what the first process said on its error stream."""

    @property
    def control(self) -> int:
        """Descriptor that becomes readable when a program ended."""
        return self._control.fileno()

    @property
    def alive(self) -> bool:
        """Whether its first process still obeyed when it was heard last."""
        return not self._gone

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program; the init obeys as soon as it has entered its namespaces."""
        run = Run(command.mode, command.argv, command.environment, command.rlimits)
        self._send(run, descriptors)
        self._running = True

    def ending(self) -> Ending:
        """How the program ended; waits for it."""
        try:
            received = self._receive_after_entering(Ended)
        except messages.MalformedMessageError as error:
            return self._distrust(str(error))
        self._running = False
        if received is None:
            self._gone = True
            return Ending(fault=f"the sandbox's first process ended: {self._words()[-300:]}")
        ended = received.message
        return Ending(ended.exit_code, ended.signal, ended.fault[:300], at=received.at)

    def _distrust(self, words: str) -> Ending:
        """Others speak for the first process: end everything."""
        self._running = False
        self._gone = True
        self._kill_init()
        return Ending(foreign=f"the sandbox's first process said what it never says: {words}")

    def ended(self) -> bool:
        """Whether the pending message says that the program ended; one that says that the sandbox stands is read."""
        try:
            said = self._control.recv(len(_ENTERED) + 1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
            if self._stands or said != _ENTERED:
                return True
            self._receive(Entered)
        except (ConnectionResetError, messages.MalformedMessageError):
            return True
        return False

    def stop(self) -> None:
        """Kill the program; when the init does not obey, kill the init, and all processes with it."""
        if not self._running:
            return
        with contextlib.suppress(SandboxFaultError):
            self._send(Kill(), [])
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        deadline = time.monotonic() + STOP_WITHIN_MS / 1000
        while not (waiting.poll(STOP_WITHIN_MS) and self.ended()):
            if time.monotonic() >= deadline:
                # It does not obey: with its init all processes of the sandbox end.
                self._kill_init()
        self.ending()

    def _collect(self, paths: tuple[str, ...]) -> Generator[messages.Received]:
        """Ask for files; each that comes with what came along. What comes is checked against what was asked for.

        Raises:
            SandboxFaultError: the sandbox ended meanwhile.
        """
        self._send(Collect(paths), [])
        deadline = time.monotonic() + COLLECT_WITHIN_S
        waiting = select.poll()
        waiting.register(self._control, select.POLLIN)
        missing = set(paths)
        try:
            while True:
                if not waiting.poll(max(0.0, deadline - time.monotonic()) * 1000):
                    raise messages.MalformedMessageError("nothing")
                received = self._receive_after_entering(Artefact, Collected)
                if received is None:
                    self._gone = True
                    raise SandboxFaultError("the sandbox ended while files were brought back", thing="artefacts")
                if isinstance(received.message, Collected):
                    return
                if received.message.path not in missing:
                    messages.close(received.descriptors)
                    raise messages.MalformedMessageError("a file that was not asked for")
                missing.remove(received.message.path)
                yield received
        except messages.MalformedMessageError as error:
            # The files that came are as foreign as all others; no more are taken.
            self._distrust(str(error))

    def _send(self, message: Run | Kill | Collect | messages.Plan, descriptors: list[int]) -> None:
        try:
            messages.send(self._control, message, descriptors)
        except OSError as error:
            self._gone = True
            raise SandboxFaultError(f"the sandbox is gone: {error.strerror}") from error

    def _receive(self, *kinds: type[object]) -> messages.Received | None:
        received = messages.receive(self._control, *kinds)
        if received is not None and not isinstance(received.message, Artefact):
            # Nothing else brings any.
            messages.close(received.descriptors)
        self._stands = self._stands or (received is not None and isinstance(received.message, Entered))
        return received

    def _receive_after_entering(self, *kinds: type[object]) -> messages.Received | None:
        """The next message; the first one of all says whether the sandbox stands.

        Raises:
            SandboxFaultError: it does not.
        """
        if not self._stands:
            first = self._receive(Entered, Failed)
            if first is None:
                return None
            if isinstance(first.message, Failed):
                raise SandboxFaultError(f"cannot enter the sandbox: {first.message.words[:300]}", thing="namespaces")
        return self._receive(*kinds)


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
