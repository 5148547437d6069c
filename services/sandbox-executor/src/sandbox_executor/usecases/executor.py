"""Running and judging jobs: queueing, threads, cancellation, deadlines."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TypeVar

from sandbox_executor.domain.datasets import Dataset
from sandbox_executor.domain.egress import Destination, EgressPolicy
from sandbox_executor.domain.frames import LARGE, fault
from sandbox_executor.domain.jobs import (
    CasesJob,
    JobError,
    ProgramEvent,
    ProgramJob,
    check_cases_job,
    check_inputs,
    check_program_job,
)
from sandbox_executor.domain.judging import Judge, Verdict, difference
from sandbox_executor.domain.limits import DEFAULT, MAXIMUM, Limits, resolve
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.packages import PolicyError
from sandbox_executor.domain.queueing import FairQueue, QueueFullError, Ticket
from sandbox_executor.domain.requirements import Prepared, RequirementError
from sandbox_executor.domain.selftest import Attack, Check, run_attacks
from sandbox_executor.errors import (
    BusyError,
    IsolationMissingError,
    JobRefusedError,
    SandboxFaultError,
    TouchstoneError,
)
from sandbox_executor.ports import Backend, DatasetStore, Examiner, StoredSuite
from sandbox_executor.usecases.described import Described, Load, read_layer
from sandbox_executor.usecases.stopping import Stop
from touchstone_runtime.errors import PreconditionError
from touchstone_values import MalformedValueError

T = TypeVar("T")
J = TypeVar("J")
Job = TypeVar("Job", CasesJob, ProgramJob)


# Fetches of packages at a time, and how many of one caller may wait.
PREPARES = 2
_MOST_PREPARES = 100


@dataclass(frozen=True)
class _Lane:
    """Jobs that wait for one another, and the threads that run them."""

    queue: FairQueue
    threads: ThreadPoolExecutor


class Executor:
    """Runs jobs, so many at a time, on the backend that each names.

    Args:
        backends: By name; the first is the default.
        workers: Jobs at a time.
        default: Limits of jobs that name none.
        maximum: Limits that no job may exceed.
        observe: Told of each finished job: kind, seconds it ran, seconds it waited for its turn.
        examiner: Reads and compares answers; in this process by default.
        memory_bytes: What the limits of jobs that run at a time may add up to.
        most_waiting: Jobs of one caller that may wait.
        proven_only: Whether a backend takes no job before it passed the self-test, which its first job then waits for.
        datasets: Has datasets ready; without it jobs that name some are refused.
        egress: What jobs may reach outside; nothing by default.
    """

    def __init__(
        self,
        backends: Mapping[str, Backend],
        workers: int,
        default: Limits = DEFAULT,
        maximum: Limits = MAXIMUM,
        observe: Callable[[str, float, float], None] | None = None,
        examiner: Examiner | None = None,
        memory_bytes: float = float("inf"),
        most_waiting: int = 10_000,
        proven_only: bool = False,
        datasets: DatasetStore | None = None,
        egress: EgressPolicy | None = None,
    ) -> None:
        self.backends = backends
        self.default_limits = default
        self.maximum_limits = maximum
        self._workers = workers
        self._observe = observe
        self._fault = examiner.fault if examiner is not None else fault
        self._difference = examiner.difference if examiner is not None else difference
        # Fetching packages takes minutes and other means than running programs: it has a lane of its own.
        self._lanes = {
            "jobs": _Lane(FairQueue(workers, memory_bytes, most_waiting), ThreadPoolExecutor(workers, "job")),
            "prepare": _Lane(FairQueue(PREPARES, most_waiting=_MOST_PREPARES), ThreadPoolExecutor(PREPARES, "prepare")),
        }
        self._done = 0
        self._datasets = datasets
        self._egress = egress or EgressPolicy()
        self._proven_only = proven_only
        self._proofs: dict[str, asyncio.Lock] = {}
        self._proven: set[str] = set()
        self._broken: dict[str, str] = {}

    @property
    def load(self) -> Load:
        """How busy it is."""
        queues = [lane.queue for lane in self._lanes.values()]
        waiting, running = sum(queue.waiting for queue in queues), sum(queue.running for queue in queues)
        return Load(waiting, running, self._workers, self._done)

    def limits(self, asked: Mapping[str, float | int]) -> Limits:
        """Fill in defaults.

        Raises:
            JobRefusedError: a limit lies outside of what is offered.
        """
        try:
            return resolve(dict(asked), self.default_limits, self.maximum_limits)
        except ValueError as error:
            raise JobRefusedError(str(error), thing="limits") from error

    def backend(self, name: str) -> Backend:
        """The backend of that name, or the default.

        Raises:
            JobRefusedError: there is no such backend.
        """
        if not name:
            return next(iter(self.backends.values()))
        if name not in self.backends:
            raise JobRefusedError("no such backend", thing=name, way_out=f"one of {', '.join(self.backends)}")
        return self.backends[name]

    async def sound(self, name: str) -> Backend:
        """The backend, unless it failed its self-test; one that was not tested yet is, before its first job.

        Raises:
            IsolationMissingError: it did; names the attacks that it did not hold.
        """
        backend = self.backend(name)
        if self._proven_only and backend.name not in self._proven:
            async with self._proofs.setdefault(backend.name, asyncio.Lock()):
                if backend.name not in self._proven:
                    await self.prove(backend.name)
        if backend.name in self._broken:
            raise IsolationMissingError(self._broken[backend.name], thing=f"backend {backend.name}")
        return backend

    async def unfit(self) -> str:
        """Why the default backend takes no jobs; empty when it does."""
        (described, *_) = await self.describe()
        return self._broken.get(described.name, described.detail)

    async def prove(self, name: str = "") -> list[Check]:
        """Attack a backend at start; one that does not hold gets no jobs.

        Raises:
            IsolationMissingError: a layer is missing, so that no job can be run at all.
        """
        backend = self.backend(name)
        checks = await self.self_test(name)
        failed = [f"{check.name} ({check.detail})" for check in checks if not check.passed]
        if failed:
            self._broken[backend.name] = f"the self-test was not held: {'; '.join(failed)}"
        self._proven.add(backend.name)
        return checks

    async def run_cases(self, job: CasesJob, backend: str = "", caller: str = "") -> AsyncGenerator[list[CaseResult]]:
        """Run the cases; gives results in order, in groups as they come.

        Raises:
            JobRefusedError: the job is not well formed.
            BusyError: the caller has too many jobs waiting.
        """
        chosen = await self.sound(backend)
        prove_job(check_cases_job, job)
        job = replace(job, egress=self.egress(chosen, caller, job.egress))

        def work(job: CasesJob, sink: Callable[[CaseResult], None], stop: Stop) -> None:
            self._prove_inputs(job)
            chosen.run_cases(job, lambda result: sink(self._proved(result)), stop)

        async with contextlib.aclosing(self._in_turn("cases", job, work, caller)) as groups:
            async for group in groups:
                yield group

    async def _in_turn(
        self, kind: str, job: Job, work: Callable[[Job, Callable[[T], None], Stop], None], caller: str
    ) -> AsyncGenerator[list[T]]:
        """`stream` for a job, whose datasets are there until it has ended."""
        async with self.data(job.datasets) as view:
            ready = replace(job, data_view=view)

            def begin(sink: Callable[[T], None], stop: Stop) -> None:
                work(ready, sink, stop)

            async with contextlib.aclosing(self.stream(kind, begin, caller, job.limits.memory_bytes)) as groups:
                async for group in groups:
                    yield group

    @contextlib.asynccontextmanager
    async def data(self, datasets: tuple[Dataset, ...]) -> AsyncGenerator[str]:
        """Have datasets ready for as long as the context lasts; gives what backends know them by.

        Raises:
            PreconditionError: there is none with that digest, or this service has no store of datasets.
            BusyError: there is no room now.
        """
        if not datasets:
            yield ""
            return
        if self._datasets is None:
            raise PreconditionError("this service has no store of datasets", thing=datasets[0].digest)
        held = await self._datasets.hold(datasets)
        try:
            yield held.view
        finally:
            held.release()

    def egress(self, backend: Backend, caller: str, asked: tuple[Destination, ...]) -> tuple[Destination, ...]:
        """What a job of this caller may reach.

        Raises:
            JobRefusedError: the operator does not allow what it asks for, or the backend has no way out.
        """
        granted: list[tuple[Destination, ...]] = []
        prove_job(lambda names: granted.append(self._egress.grant(caller, names)), asked)
        if asked and not backend.egress:
            raise JobRefusedError("has no egress", thing=backend.name, way_out="use the local backend, or do without")
        return granted[0]

    async def add_dataset(self, content: bytes) -> str:
        """Store a dataset where jobs may name it; gives its digest.

        Raises:
            PreconditionError: this service has no store of datasets.
        """
        if self._datasets is None:
            raise PreconditionError("this service has no store of datasets", thing="datasets")
        return await self._datasets.add(content)

    def _prove_inputs(self, job: CasesJob) -> None:
        """Refuse arguments that are none: what would come of them is no doing of the candidate's."""
        prove_job(lambda job: check_inputs(job.inputs, self._fault), job)

    def _proved(self, result: CaseResult) -> CaseResult:
        """The result, its value proved to be one: callers take it for such."""
        if result.outcome is not Outcome.RETURNED or len(result.value) <= LARGE:
            return result
        words = self._fault(result.value)
        if not words:
            return result
        return replace(result, outcome=Outcome.FORBIDDEN, value="", error_type="ForeignFrame", error_message=words)

    async def run_program(
        self, job: ProgramJob, backend: str = "", caller: str = ""
    ) -> AsyncGenerator[list[ProgramEvent]]:
        """Run a program; gives what it prints, its files, and last its result.

        Raises:
            JobRefusedError: the job is not well formed.
            BusyError: the caller has too many jobs waiting.
        """
        chosen = await self.sound(backend)
        prove_job(check_program_job, job)
        job = replace(job, egress=self.egress(chosen, caller, job.egress))

        async with contextlib.aclosing(self._in_turn("program", job, chosen.run_program, caller)) as groups:
            async for group in groups:
                yield group

    async def judge(
        self, job: CasesJob, suite: StoredSuite, backend: str = "", stop_after_failures: int = 0, caller: str = ""
    ) -> Verdict:
        """Run a candidate on a suite and compare outside of the sandbox.

        Args:
            job: Its inputs are replaced by the suite's.
            suite: Inputs and expected values.
            backend: Name, or empty for the default.
            stop_after_failures: How many failed cases are enough; 0 runs all.
            caller: Whose job it is.

        Raises:
            JobRefusedError: the job is not well formed, or the suite has no cases or texts that are no portable values.
            SandboxFaultError: not every case was answered, or a fault of the platform was the first to fail.
        """
        chosen = await self.sound(backend)
        if not suite.arguments:
            raise JobRefusedError("the suite has no cases", thing="suite")
        nothing = "null" in suite.expected
        job = replace(job, inputs=suite.arguments, stop_after_failures=0, nothing_returned=nothing)
        prove_job(check_cases_job, job)

        def work(job: CasesJob, sink: Callable[[Verdict], None], stop: Stop) -> None:
            judge = Judge(suite.expected, suite.comparison, stop_after_failures, self._difference)
            started = time.monotonic()
            cpu_s, memory_bytes = 0.0, 0

            def take(result: CaseResult) -> None:
                nonlocal cpu_s, memory_bytes
                if judge.enough:
                    return
                cpu_s, memory_bytes = result.job_cpu_s, result.memory_bytes
                try:
                    judge.take(result)
                except MalformedValueError as error:
                    words = f"case {result.index}: what is expected is no portable value: {error}"
                    raise JobRefusedError(words, thing="suite") from error
                if judge.enough:
                    stop.request()

            self._prove_inputs(job)
            chosen.run_cases(job, take, stop)
            sink(judge.verdict(time.monotonic() - started, cpu_s, memory_bytes))

        verdicts: list[Verdict] = []
        async with contextlib.aclosing(self._in_turn("judge", job, work, caller)) as groups:
            async for group in groups:
                verdicts += group
        if verdicts[-1].outcome == Outcome.PLATFORM_FAULT:
            words = next((failure.detail for failure in verdicts[-1].failures), "not every case was answered")
            raise SandboxFaultError(f"there is no verdict: {words}", thing="job")
        return verdicts[-1]

    async def stream(
        self, kind: str, work: Callable[[Callable[[T], None], Stop], None], caller: str = "", memory_bytes: int = 0
    ) -> AsyncGenerator[list[T]]:
        """Run the work in a thread once it is its turn; give what it sinks, in groups; stop it when nobody listens.

        Raises:
            BusyError: the caller has too many jobs waiting.
        """
        lane = self._lanes["prepare" if kind == "prepare" else "jobs"]
        loop = asyncio.get_running_loop()
        stop = Stop()
        ready = asyncio.Event()
        waiting: deque[T] = deque()

        def sink(item: T) -> None:
            waiting.append(item)
            # One wake-up for a group: the loop is asked again only after it took what was there.
            if len(waiting) == 1:
                with contextlib.suppress(RuntimeError):
                    loop.call_soon_threadsafe(ready.set)

        asked = time.monotonic()
        try:
            ticket = await self._admitted(lane.queue, caller, memory_bytes)
        except BaseException:
            stop.close()
            raise
        started = time.monotonic()
        future = loop.run_in_executor(lane.threads, work, sink, stop)
        future.add_done_callback(lambda _: ready.set())
        try:
            while True:
                await ready.wait()
                ready.clear()
                ended = future.done()
                if waiting:
                    group: list[T] = []
                    while waiting:
                        group.append(waiting.popleft())
                    yield group
                if ended:
                    future.result()
                    return
        finally:
            stop.request()
            # The place is free only when the job's processes are gone, whatever becomes of the caller.
            future.add_done_callback(lambda _: self._finish(kind, asked, started, stop, lane, ticket))
            if not future.done():
                with contextlib.suppress(Exception):
                    await asyncio.shield(future)

    async def _admitted(self, queue: FairQueue, caller: str, memory_bytes: int, *, works: bool = True) -> Ticket:
        admitted = asyncio.Event()
        ticket = Ticket(caller, memory_bytes, admitted.set, works)
        try:
            queue.add(ticket)
            await admitted.wait()
        except QueueFullError as error:
            raise BusyError(str(error), thing="queue", way_out="wait for earlier jobs to end") from error
        except BaseException:
            queue.leave(ticket)
            raise
        return ticket

    async def reserve(self, caller: str, memory_bytes: int) -> Callable[[], None]:
        """Hold memory beside running jobs, once it is its turn; gives what lets it go, to be called once.

        Raises:
            BusyError: the caller has too many jobs waiting.
        """
        queue = self._lanes["jobs"].queue
        ticket = await self._admitted(queue, caller, memory_bytes, works=False)
        return lambda: queue.leave(ticket)

    def _finish(self, kind: str, asked: float, started: float, stop: Stop, lane: _Lane, ticket: Ticket) -> None:
        stop.close()
        self._done += 1
        lane.queue.leave(ticket)
        if self._observe is not None:
            self._observe(kind, time.monotonic() - started, started - asked)

    async def prepare(self, language: str, requirements: tuple[str, ...], caller: str = "") -> Prepared:
        """Have an environment of packages; a package that cannot be had is an answer.

        Raises:
            JobRefusedError: a requirement is not well formed, or a package is not allowed; names the rule.
            IsolationMissingError: the backend that fetches them does not hold.
            BusyError: the caller has too many such requests waiting.
        """
        # It opens a sandbox like any job, with a network on top.
        chosen = await self.sound("local" if "local" in self.backends else "")

        def work(sink: Callable[[Prepared], None], stop: Stop) -> None:
            sink(chosen.prepare(language, requirements, stop))

        found: list[Prepared] = []
        try:
            async with contextlib.aclosing(self.stream("prepare", work, caller)) as groups:
                async for group in groups:
                    found += group
        except PolicyError as error:
            raise JobRefusedError(error.rule, thing=error.thing, way_out=error.way_out) from error
        except RequirementError as error:
            raise JobRefusedError(str(error), thing="requirements") from error
        return found[-1]

    async def describe(self) -> list[Described]:
        """Every backend with its layers and languages."""

        def look(name: str, backend: Backend) -> Described:
            try:
                layers = backend.layers()
            except TouchstoneError as error:
                return Described(name, False, (), (), str(error), backend.egress)
            missing = [layer.name for layer in layers if layer.required and not layer.in_force]
            detail = f"refuses jobs: {', '.join(missing)} not in force" if missing else ""
            return Described(name, not missing, tuple(layers), tuple(backend.languages()), detail, backend.egress)

        items = self.backends.items()
        return list(await asyncio.gather(*(asyncio.to_thread(look, name, backend) for name, backend in items)))

    async def self_test(self, backend: str = "") -> list[Check]:
        """Look at every layer, the kernel among them, and attack the sandbox; every check must pass.

        Raises:
            IsolationMissingError: a layer is missing, so that no job can be run at all.
        """
        chosen = self.backend(backend)

        def attack(attack: Attack) -> CaseResult | None:
            results: list[CaseResult] = []
            limits = Limits(attack.timeout_s, 60.0, attack.memory_bytes, attack.output_bytes, attack.processes)
            stop = Stop()
            try:
                job = CasesJob("python", attack.source, "attack", ("[]",), limits)
                chosen.run_cases(job, results.append, stop)
            finally:
                stop.close()
            return results[0] if results else None

        layers = await asyncio.to_thread(chosen.layers)
        return [*map(read_layer, layers), *await asyncio.to_thread(run_attacks, attack)]

    def close(self) -> None:
        """End all jobs and backends."""
        for backend in self.backends.values():
            backend.close()
        for lane in self._lanes.values():
            lane.threads.shutdown(wait=False)


def prove_job(check: Callable[[J], object], job: J) -> None:
    """Refuse a job that is not well formed.

    Raises:
        JobRefusedError: the check found something.
    """
    try:
        check(job)
    except JobError as error:
        raise JobRefusedError(str(error), thing="job") from error
