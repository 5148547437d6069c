"""A sandbox whose first process obeys commands over a socket; backends differ in how they make and measure it."""

from __future__ import annotations

import contextlib
import select
import socket
import time
from abc import ABC, abstractmethod
from typing import Any

from sandbox_executor.adapters.arrivals import date_messages, read_date
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.outcomes import Ending
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages

STOP_WITHIN_MS = 5000


class CommandedSandbox(ABC):
    """Programs in a sandbox, started and ended by the sandbox's first process (`launcher/init.py`).

    Args:
        control: Our end of its packet socket.
    """

    def __init__(self, control: socket.socket) -> None:
        self._control = self._dated(control)
        self._running = False
        self._gone = False

    def _dated(self, control: socket.socket) -> socket.socket:
        date_messages(control)
        self._date: float | None = None
        return control

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
                self._gone = True
                return Ending(fault=f"the sandbox's first process ended: {self._words()[-300:]}")
            message, _ = received
            if "fault" in message:
                raise SandboxFaultError(f"cannot enter the sandbox: {message['fault']}", thing="namespaces")
            if "ended" in message:
                self._running = False
                ended = message["ended"]
                return Ending(ended.get("exit"), ended.get("signal"), ended.get("fault", ""), self._date)

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
        deadline = time.monotonic() + STOP_WITHIN_MS / 1000
        while not (waiting.poll(STOP_WITHIN_MS) and self.ended()):
            if time.monotonic() >= deadline:
                # It does not obey: with its init all processes of the sandbox end.
                self._kill_init()
        self.ending()

    def _send(self, message: dict[str, Any], descriptors: list[int]) -> None:
        try:
            messages.send(self._control, message, descriptors)
        except OSError as error:
            self._gone = True
            raise SandboxFaultError(f"the sandbox is gone: {error.strerror}") from error

    def _receive(self) -> tuple[dict[str, Any], list[int]] | None:
        self._date = None
        return messages.receive(self._control, self._note)

    def _note(self, level: int, kind: int, data: bytes) -> None:
        self._date = read_date(level, kind, data) or self._date
