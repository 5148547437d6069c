"""Keeps one process running: starts it, notices its end, starts it again with growing pauses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from touchstone_local import processes
from touchstone_local.errors import LocalError
from touchstone_local.processes import Running

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
# A process that lived so long is taken for healthy: its next end starts again with the first pause.
HEALTHY_S = 60.0


@dataclass
class Part:
    """How one process is started, asked and stopped.

    Attributes:
        name: What people call it.
        start: Starts it, or finds it running; may wait until it is ready. Raises LocalError.
        ready: Whether it answers.
        stop: Stops it gracefully, by force where that fails.
        explain: One line that says why it ended, from its log; empty when there is none.
    """

    name: str
    start: Callable[[], Running]
    ready: Callable[[], bool]
    stop: Callable[[Running], None]
    explain: Callable[[], str] = lambda: ""


@dataclass
class Report:
    """What a keeper knows about its process.

    Attributes:
        state: "starting", "running", "restarting", "failing" or "stopped".
        pid: Process id, 0 where there is none.
        restarts: How often it was started again.
        detail: Why it is not running, or why it last ended.
        since: When the state was entered, seconds since the epoch.
    """

    state: str = "stopped"
    pid: int = 0
    restarts: int = 0
    detail: str = ""
    since: float = field(default_factory=time.time)


class Keeper:
    """A thread that keeps one part running until it is told to stop.

    Args:
        part: The part.
        changed: Called after each change of the report, from the keeper's thread.
        first_pause_s: Pause before the first start after an end; doubles up to 30 seconds.
    """

    def __init__(self, part: Part, changed: Callable[[], None], *, first_pause_s: float = FIRST_PAUSE_S) -> None:
        self.part = part
        self.report = Report()
        self._changed = changed
        self._first_pause_s = first_pause_s
        self._stopping = threading.Event()
        self._ready_once = threading.Event()
        self._running: Running | None = None
        self._thread = threading.Thread(target=self._keep, name=part.name, daemon=True)

    def begin(self) -> None:
        """Start keeping."""
        self._thread.start()

    def wait_ready(self, timeout_s: float) -> bool:
        """Wait until the process was ready for the first time."""
        return self._ready_once.wait(timeout_s)

    def finish(self) -> None:
        """Stop the process and the thread."""
        self._stopping.set()
        self._thread.join()
        if self._running is not None:
            self.part.stop(self._running)
        self._note("stopped")

    def _note(self, state: str, *, pid: int = 0, detail: str | None = None) -> None:
        report = self.report
        self.report = Report(
            state=state,
            pid=pid,
            restarts=report.restarts,
            detail=report.detail if detail is None else detail,
            since=report.since if report.state == state else time.time(),
        )
        # A full disk keeps a report from being written, and nothing from being kept: the next change tells it.
        with suppress(OSError):
            self._changed()

    def _keep(self) -> None:
        pause = self._first_pause_s
        while not self._stopping.is_set():
            self._note("starting")
            began = time.monotonic()
            try:
                self._running = self.part.start()
            except (LocalError, OSError) as error:
                self._note("failing", detail=str(error))
            except Exception as error:  # noqa: BLE001  a keeper that ends keeps nothing, whatever it met
                self._note("failing", detail=f"{type(error).__name__}: {error}")
            else:
                self._note("starting", pid=self._running.pid)
                why = self._watch(self._running)
                if self._stopping.is_set():
                    return
                if time.monotonic() - began > HEALTHY_S:
                    pause = self._first_pause_s
                self.report.restarts += 1
                self._note("restarting", detail=why)
            self._stopping.wait(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _watch(self, running: Running) -> str:
        """Follow the process until it ends or we are to stop; say how it ended."""
        code: int | None = None
        while not self._stopping.wait(0.2):
            code = processes.reap(running.pid) if code is None else code
            if code is not None or not running.alive():
                self._running = None
                code = processes.reap(running.pid) if code is None else code
                reason = self.part.explain()
                ended = f"ended by signal {-code}" if code is not None and code < 0 else f"ended with exit code {code}"
                return f"{'ended' if code is None else ended}{f': {reason}' if reason else ''}"
            if self.report.state != "running" and self.part.ready():
                self._ready_once.set()
                self._note("running", pid=running.pid)
        return ""
