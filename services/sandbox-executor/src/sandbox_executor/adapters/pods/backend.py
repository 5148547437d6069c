"""The backend whose jobs run in pods of their own: a runner there does the work, this side believes little of it.

A runner that was taken over can answer for its own job only, and knows no expected value. What it says is read with
bounds; words that a runner never says mean that others speak for it, which is the job's doing. A runner that ends or
falls silent is the platform's fault, and the job can be tried again.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.pods import wire
from sandbox_executor.adapters.pods.channel import (
    PORT,
    PROTOCOL,
    Channel,
    Frame,
    GoneError,
    MalformedFrameError,
    WokenError,
)
from sandbox_executor.adapters.pods.pool import PodPool
from sandbox_executor.adapters.pods.taking import Events, Results
from sandbox_executor.adapters.views import views_in
from sandbox_executor.domain.jobs import CaseSink, CasesJob, ProgramJob, ProgramSink
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.pods import RunnerPod
from sandbox_executor.domain.requirements import Prepared
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.errors import IsolationMissingError, JobRefusedError, SandboxFaultError, TouchstoneError
from sandbox_executor.ports import Cancellation, LanguageStatus, Layer, SessionSandbox
from sandbox_executor.usecases.stopping import Stop

_MIB = 1024 * 1024
# One frame of a runner: a file that is brought back, or an answer, which may be as large as what may be printed.
_LARGEST = 96 * _MIB
_CONNECT_WITHIN_S = 5.0
_HELLO_WITHIN_S = 30.0
_DESCRIBE_WITHIN_S = 120.0
# Beyond twice a job's own time, since sandboxes that are made anew are on the platform's: to stop, clean, bring back.
_BEYOND_S = 120.0
_CHUNK = 4 * _MIB
_NEXT_POD_S = 0.2


@dataclass(frozen=True)
class PodsOptions:
    """How the backend works.

    Attributes:
        state_dir: Folder with datasets that are ready.
        wait_s: How long a job waits for a pod.
        look_s: How long a look at what holds jobs waits for one.
        port: Where runners listen.
    """

    state_dir: Path
    wait_s: float = 600.0
    look_s: float = 10.0
    port: int = PORT


class PodsBackend:
    """Implements `ports.Backend` by runner pods.

    Args:
        languages: Definitions by name.
        pool: Gives pods.
        options: How it works.
    """

    name = "pods"
    egress = False

    def __init__(self, languages: Mapping[str, Language], pool: PodPool, options: PodsOptions) -> None:
        self._languages = languages
        self._pool = pool
        self._options = options
        self._views = views_in(options.state_dir)
        self._looking = threading.Lock()
        self._described: tuple[list[Layer], list[LanguageStatus]] | None = None

    # What holds a job

    def layers(self) -> list[Layer]:
        """What isolates a job here: what a fresh runner says of its own programs, and what the API shows of its pod.

        Raises:
            SandboxFaultError: no runner can tell now; later one may, so nothing is said to be missing.
            IsolationMissingError: pods may not be claimed, or would show foreign code what it must not see.
        """
        return self._describe()[0]

    def languages(self) -> list[LanguageStatus]:
        """Which languages runners offer."""
        try:
            return self._describe()[1]
        except TouchstoneError as error:
            return [LanguageStatus(name, False, "", str(error)) for name in self._languages]

    def _describe(self) -> tuple[list[Layer], list[LanguageStatus]]:
        # Whoever asks whether the service is ready asks again soon: nobody waits behind others for long.
        if not self._looking.acquire(timeout=self._options.look_s):
            raise SandboxFaultError("no runner has described itself yet", thing="runner pods")
        try:
            if self._described is None:
                self._described = self._ask()
            return self._described
        finally:
            self._looking.release()

    def _ask(self) -> tuple[list[Layer], list[LanguageStatus]]:
        """Have a fresh runner describe itself."""
        with contextlib.closing(Stop()) as never, self._runner(never, self._options.look_s) as runner:
            with runner.sending():
                runner.channel.send("describe")
            try:
                frame = runner.receive(time.monotonic() + _DESCRIBE_WITHIN_S, never)
                layers, languages = wire.read_description(frame)
            except MalformedFrameError as error:
                raise SandboxFaultError(f"does not describe itself: {error}", thing=runner.pod.name) from error
        words = "one for each job, without token, secret or volume of others, as the API shows it"
        return [Layer("runner pods", True, words), *layers], languages

    # Jobs

    def run_cases(self, job: CasesJob, sink: CaseSink, cancelled: Cancellation) -> None:
        """Call the entry point on each input; the sink gets one result for each case, in order."""
        self._prove_possible(job.language, job.environment_id)
        results = Results(job, sink)
        with contextlib.suppress(CancelledError), self._runner(cancelled) as runner:
            with runner.sending():
                self._send_data(runner.channel, job.data_view)
                wire.send_cases(runner.channel, job)
            end = time.monotonic() + 2 * job.limits.total_timeout_s + _BEYOND_S
            try:
                while results.take(runner.receive(end, cancelled)):
                    pass
            except MalformedFrameError as error:
                results.distrust(str(error))

    def run_program(self, job: ProgramJob, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run a program; the sink gets what it prints, its artefacts, and last its result."""
        self._prove_possible(job.language, job.environment_id)
        events = Events(sink, job.limits.output_bytes, job.artefacts)
        with contextlib.suppress(CancelledError), self._runner(cancelled) as runner:
            with runner.sending():
                self._send_data(runner.channel, job.data_view)
                wire.send_program(runner.channel, job)
            end = time.monotonic() + 2 * job.limits.total_timeout_s + _BEYOND_S
            try:
                while (frame := runner.receive(end, cancelled)).kind != "done":
                    events.take(frame)
                wire.expect(frame, "done")
                events.finish()
            except MalformedFrameError as error:
                events.distrust(str(error))

    def open_session(self, job: SessionJob) -> SessionSandbox:
        """A sandbox that stays until it is closed; blocks while it is made."""
        self._prove_possible(job.language, job.environment_id)
        with contextlib.closing(Stop()) as never, ExitStack() as opened:
            runner = opened.enter_context(self._runner(never))
            with runner.sending():
                self._send_data(runner.channel, job.data_view)
                wire.send_session(runner.channel, job)
            try:
                wire.expect(runner.receive(time.monotonic() + _BEYOND_S, never), "opened")
            except MalformedFrameError as error:
                raise SandboxFaultError(f"opens no session: {error}", thing=runner.pod.name) from error
            return _PodSession(runner, opened.pop_all())

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Refused: runner pods have no network to fetch packages with."""
        raise JobRefusedError(
            "runner pods have no network to fetch packages with",
            thing="prepare",
            way_out="use a service with the local backend",
        )

    def close(self) -> None:
        """Remove the pods that were claimed."""
        self._pool.close()

    def _prove_possible(self, language: str, environment_id: str) -> None:
        if language not in self._languages:
            raise JobRefusedError("no such language", thing=language, way_out=f"one of {', '.join(self._languages)}")
        if environment_id:
            raise JobRefusedError(
                "runner pods have the base environment only", thing=environment_id, way_out="use the local backend"
            )

    def _send_data(self, channel: Channel, view: str) -> None:
        if not view:
            return
        folder = self._views / view
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = str(path.relative_to(folder))
            with path.open("rb") as stream:
                # An empty file is sent, too.
                data = stream.read(_CHUNK)
                channel.send("data", data, view=view, path=name)
                while data := stream.read(_CHUNK):
                    channel.send("data", data, view=view, path=name)

    # Pods

    @contextlib.contextmanager
    def _runner(self, cancelled: Cancellation, wait_s: float | None = None) -> Generator[_Runner]:
        """A pod and a connection to its runner, nobody else's; both gone afterwards."""
        deadline = time.monotonic() + (self._options.wait_s if wait_s is None else wait_s)
        while True:
            pod = self._pool.claim(cancelled, deadline)
            try:
                if pod.exposed:
                    raise IsolationMissingError(
                        f"would show foreign code {', '.join(pod.exposed)}",
                        thing=f"runner pod {pod.name}",
                        way_out="let the chart make runner pods",
                    )
                channel = self._connect(pod)
                if channel is not None:
                    with contextlib.closing(channel):
                        yield _Runner(pod, channel, self._pool.why_ended)
                        return
            finally:
                self._pool.bury(pod)
            time.sleep(_NEXT_POD_S)

    def _connect(self, pod: RunnerPod) -> Channel | None:
        """Greet the runner of a pod; None when it does not answer, or is of another release: the next may."""
        try:
            connection = socket.create_connection((pod.address, self._options.port), _CONNECT_WITHIN_S)
        except OSError:
            return None
        channel = Channel(connection, _LARGEST)
        try:
            hello = channel.receive(time.monotonic() + _HELLO_WITHIN_S)
            told = wire.expect(hello, "hello", protocol=wire.whole, pod=wire.text)
            # An address may have become another pod's since it was seen.
            if told == {"protocol": PROTOCOL, "pod": pod.uid}:
                return channel
        except (GoneError, MalformedFrameError):
            pass
        channel.close()
        return None


class _Runner:
    """A claimed pod's runner."""

    def __init__(self, pod: RunnerPod, channel: Channel, why_ended: Callable[[RunnerPod], str]) -> None:
        self.pod = pod
        self.channel = channel
        self._why_ended = why_ended

    @contextlib.contextmanager
    def sending(self) -> Generator[None]:
        """Send; a runner that does not take it is a fault."""
        try:
            yield
        except GoneError as error:
            raise self._lost(str(error)) from error

    def receive(self, end: float, cancelled: Cancellation) -> Frame:
        """The next frame; a fault that it tells of is raised.

        Raises:
            CancelledError: it was requested.
            MalformedFrameError: others speak for the runner.
            SandboxFaultError: the runner is gone, or says nothing in time.
        """
        try:
            frame = self.channel.receive(end, cancelled.descriptor)
        except WokenError:
            raise CancelledError from None
        except GoneError as error:
            raise self._lost(str(error)) from error
        if frame.kind == "fault":
            raise wire.read_fault(frame)
        return frame

    def _lost(self, words: str) -> SandboxFaultError:
        reason = self._why_ended(self.pod)
        return SandboxFaultError(f"the runner is gone: {words}{f' ({reason})' * bool(reason)}", thing=self.pod.name)


class _PodSession:
    """One session in a pod.

    Args:
        runner: Has the session open.
        opened: Ends it, and its pod.
    """

    def __init__(self, runner: _Runner, opened: ExitStack) -> None:
        self._runner = runner
        self._opened = opened
        self._closing = threading.Lock()
        self._alive = True
        self._closed = False
        self._steps = 0

    @property
    def alive(self) -> bool:
        """Whether what earlier steps left is still there."""
        return self._alive and not self._closed

    def run(self, step: Step, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run one step; the sink gets what it prints, its artefacts, and last its result."""
        events = Events(sink, step.output_bytes, step.artefacts)
        self._steps += 1
        end = time.monotonic() + 2 * step.timeout_s + _BEYOND_S
        try:
            with self._asking():
                wire.send_step(self._runner.channel, step, self._steps)
                try:
                    while (frame := self._runner.receive(end, cancelled)).kind != "done":
                        events.take(frame)
                except CancelledError:
                    self._stop()
                    return
                self._done(frame)
                events.finish()
        except MalformedFrameError as error:
            events.distrust(str(error))

    def _stop(self) -> None:
        """Stop the step; what it still says is not told."""
        self._runner.channel.send("stop", number=self._steps)
        end = time.monotonic() + _BEYOND_S
        with contextlib.closing(Stop()) as never:
            while (frame := self._runner.receive(end, never)).kind != "done":
                pass
        self._done(frame)

    def write(self, path: str, content: bytes) -> str:
        """Put a file into the working folder; gives why not, in words, or nothing."""
        try:
            with self._asking():
                self._runner.channel.send("write", content, path=path)
                told = wire.expect(self._next(), "written", words=wire.text)
                self._done(self._next())
        except MalformedFrameError as error:
            raise self._foreign(error) from error
        return told["words"]

    def read(self, path: str) -> bytes | None:
        """A regular file of the working folder; None when there is none, or when it cannot be opened safely."""
        try:
            with self._asking():
                self._runner.channel.send("read", path=path)
                frame = self._next()
                told = wire.expect(replace(frame, body=b""), "content", found=wire.truth)
                self._done(self._next())
        except MalformedFrameError as error:
            raise self._foreign(error) from error
        return frame.body if told["found"] else None

    def close(self) -> None:
        """End everything in it and remove its pod."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._opened.close()

    def _next(self) -> Frame:
        with contextlib.closing(Stop()) as never:
            return self._runner.receive(time.monotonic() + _BEYOND_S, never)

    def _done(self, frame: Frame) -> None:
        self._alive = wire.expect(frame, "done", alive=wire.truth)["alive"] and self._alive

    @contextlib.contextmanager
    def _asking(self) -> Generator[None]:
        """Whatever breaks while it is asked something ends the session."""
        if not self.alive:
            raise SandboxFaultError("the session's pod is gone", thing=self._runner.pod.name)
        try:
            with self._runner.sending():
                yield
        except (MalformedFrameError, TouchstoneError):
            self._alive = False
            raise

    def _foreign(self, error: MalformedFrameError) -> SandboxFaultError:
        return SandboxFaultError(f"the runner said what it never says: {error}", thing=self._runner.pod.name)
