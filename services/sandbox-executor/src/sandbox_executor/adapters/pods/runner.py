"""The process in a runner pod: serves one executor's one job, by the backend of this machine, and ends.

It has the pod to itself and nothing worth taking: no key, no token, no expected value. Each program that it runs is
held as on a machine of its own; the pod is the wall behind that one.
"""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.channel import PROTOCOL, Channel, Frame, GoneError, MalformedFrameError
from sandbox_executor.adapters.views import views_in
from sandbox_executor.domain.jobs import File, Printed, ProgramEvent, ProgramResult
from sandbox_executor.errors import IsolationMissingError, JobRefusedError, TouchstoneError
from sandbox_executor.ports import Backend, SessionSandbox
from sandbox_executor.usecases.stopping import Stop

# An executor's frames: a file, a source, a piece of a dataset.
_LARGEST = 256 << 20
_FIRST_WITHIN_S = 30.0


class Inbox:
    """Reads frames ahead in a thread, so that an executor that stops a job, or is gone, is noticed while it runs.

    Args:
        channel: Where they come from.
    """

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._frames: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stops: dict[int, Stop] = {}
        self._gone = False
        self._thread = threading.Thread(target=self._run, name="inbox", daemon=True)
        self._thread.start()

    def take(self, within_s: float | None = None) -> Frame | None:
        """The next frame; None when the executor is gone, or says nothing for so long."""
        try:
            return self._frames.get(timeout=within_s)
        except queue.Empty:
            return None

    @contextlib.contextmanager
    def stoppable(self, number: int = 0) -> Generator[Stop]:
        """A cancellation that the executor requests by this number, or by going away."""
        stop = Stop()
        with self._lock:
            self._stops[number] = stop
            if self._gone:
                stop.request()
        try:
            yield stop
        finally:
            with self._lock:
                del self._stops[number]
            stop.close()

    def _run(self) -> None:
        with contextlib.suppress(GoneError, MalformedFrameError):
            while True:
                frame = self._channel.receive()
                if frame.kind != "stop":
                    self._frames.put(frame)
                    continue
                with self._lock:
                    stop = self._stops.get(frame.fields.get("number", 0))
                    if stop is not None:
                        stop.request()
        with self._lock:
            self._gone = True
            for stop in self._stops.values():
                stop.request()
        self._frames.put(None)

    def join(self) -> None:
        """Wait for the thread; the channel is shut before."""
        self._thread.join()


class Runner:
    """Serves one executor.

    Args:
        backend: Runs jobs.
        state_dir: Where the backend looks for datasets.
        pod: What the cluster calls this pod (its uid), for the executor to compare.
        most_memory_bytes: No job may have more: it must fit the pod.
    """

    def __init__(self, backend: Backend, state_dir: Path, pod: str, most_memory_bytes: int) -> None:
        self._backend = backend
        self._views = views_in(state_dir)
        self._pod = pod
        self._most_memory_bytes = most_memory_bytes
        self._files: list[File] = []
        self._inputs: list[bytes] = []
        self._stdin = b""

    def serve(self, listener: socket.socket) -> None:
        """Serve the first connection that speaks; those that say nothing are let go."""
        while True:
            connection, _ = listener.accept()
            channel = Channel(connection, _LARGEST)
            inbox = Inbox(channel)
            try:
                channel.send("hello", protocol=PROTOCOL, pod=self._pod)
                first = inbox.take(_FIRST_WITHIN_S)
                if first is not None:
                    self._obey(channel, inbox, first)
                    return
            except GoneError:
                continue
            finally:
                channel.shut()
                inbox.join()
                channel.close()

    def _obey(self, channel: Channel, inbox: Inbox, frame: Frame) -> None:
        """Obey frames until a job is done."""
        works: dict[str, Callable[[Channel, Inbox, Frame], None]] = {
            "cases": self._cases, "program": self._program, "session": self._session,
        }  # fmt: skip
        current: Frame | None = frame
        while current is not None:
            if current.kind in works:
                try:
                    works[current.kind](channel, inbox, current)
                    channel.send("done")
                except (TouchstoneError, OSError) as error:
                    wire.send_fault(channel, error)
                return
            if current.kind == "describe":
                wire.send_description(channel, self._backend.layers(), self._backend.languages())
            else:
                self._gather(current)
            current = inbox.take()

    def _gather(self, frame: Frame) -> None:
        if frame.kind == "file":
            self._files.append(File(frame.fields["path"], frame.body))
        elif frame.kind == "input":
            self._inputs.append(frame.body)
        elif frame.kind == "stdin":
            self._stdin = frame.body
        elif frame.kind == "data":
            path = self._views / frame.fields["view"] / frame.fields["path"]
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as stream:
                stream.write(frame.body)
            path.chmod(0o444)
        else:
            raise MalformedFrameError(f"a frame {frame.kind[:40]!r}")

    def _prove_room(self, memory_bytes: int) -> None:
        if memory_bytes > self._most_memory_bytes:
            raise JobRefusedError(
                f"asks for {memory_bytes} bytes of memory, and a runner pod has {self._most_memory_bytes} for its job",
                thing="memory_bytes",
                way_out="ask for less, or give runner pods more (runner.resources of the chart)",
            )

    def _cases(self, channel: Channel, inbox: Inbox, frame: Frame) -> None:
        job = wire.cases_job(frame, self._inputs)
        self._prove_room(job.limits.memory_bytes)
        with inbox.stoppable() as stop:
            self._backend.run_cases(job, lambda result: wire.send_result(channel, result), stop)

    def _program(self, channel: Channel, inbox: Inbox, frame: Frame) -> None:
        job = wire.program_job(frame, self._files, self._stdin)
        self._prove_room(job.limits.memory_bytes)
        with inbox.stoppable() as stop:
            self._backend.run_program(job, lambda event: _send(channel, event), stop)

    def _session(self, channel: Channel, inbox: Inbox, frame: Frame) -> None:
        job = wire.session_job(frame, self._files)
        self._prove_room(job.limits.memory_bytes)
        session = self._backend.open_session(job)
        try:
            channel.send("opened")
            while (command := inbox.take()) is not None:
                if command.kind == "stdin":
                    self._stdin = command.body
                    continue
                try:
                    self._act(channel, inbox, session, command)
                except (TouchstoneError, OSError) as error:
                    wire.send_fault(channel, error)
                channel.send("done", alive=session.alive)
        finally:
            session.close()

    def _act(self, channel: Channel, inbox: Inbox, session: SessionSandbox, command: Frame) -> None:
        if command.kind == "step":
            with inbox.stoppable(command.fields["number"]) as stop:
                session.run(wire.session_step(command, self._stdin), lambda event: _send(channel, event), stop)
        elif command.kind == "write":
            channel.send("written", words=session.write(command.fields["path"], command.body))
        elif command.kind == "read":
            content = session.read(command.fields["path"])
            channel.send("content", content or b"", found=content is not None)
        else:
            raise MalformedFrameError(f"a frame {command.kind[:40]!r}")


def _send(channel: Channel, event: ProgramEvent) -> None:
    if isinstance(event, Printed):
        channel.send("printed", event.data, stream=event.stream)
    elif isinstance(event, ProgramResult):
        wire.send_ended(channel, event)
    else:
        channel.send("file", event.content, path=event.path)


def warm(backend: Backend, within_s: float = 120.0) -> None:
    """Return once a job would run at once.

    Raises:
        IsolationMissingError: it never would; names what is missing.
    """
    end = time.monotonic() + within_s
    while missing := [layer for layer in backend.layers() if layer.required and not layer.in_force]:
        if time.monotonic() >= end:
            break
        time.sleep(1.0)
    if missing:
        raise IsolationMissingError("; ".join(f"{layer.name}: {layer.detail}" for layer in missing), thing="isolation")
