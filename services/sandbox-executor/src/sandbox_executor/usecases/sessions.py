"""Sessions: opened, used step by step by the caller who opened them, and ended in time."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import ParamSpec, TypeVar

from sandbox_executor.domain.jobs import File, ProgramEvent, ProgramResult, check_files, check_path
from sandbox_executor.domain.limits import LimitError, Limits, resolve
from sandbox_executor.domain.sessions import (
    DEFAULT_TIMES,
    MAXIMUM_TIMES,
    UNKNOWN,
    Ended,
    SessionJob,
    SessionTimes,
    Step,
    check_session_job,
    check_step,
    due,
    named,
    replica_of,
    resolve_times,
    why_ended,
)
from sandbox_executor.errors import BusyError, JobRefusedError
from sandbox_executor.ports import Backend, SessionSandbox
from sandbox_executor.usecases.executor import Executor, prove_job
from sandbox_executor.usecases.stopping import Stop
from touchstone_runtime.errors import NotFoundError, PreconditionError

P = ParamSpec("P")
T = TypeVar("T")

# Of sessions that have ended, remembered to say why.
_REMEMBERED = 10_000


@dataclass(frozen=True)
class Quotas:
    """How many sessions may be open.

    Attributes:
        open_sessions: Of all callers together.
        per_caller: Of one caller.
        memory_bytes: What their limits may add up to.
    """

    open_sessions: int = 8
    per_caller: int = 4
    memory_bytes: float = float("inf")


@dataclass(frozen=True)
class Opened:
    """A session as it was granted."""

    session_id: str
    limits: Limits
    times: SessionTimes


@dataclass(eq=False)
class _Session:
    """One that is open. `lock` is held while something is done in it; `stop` ends a step."""

    granted: Opened
    caller: str
    sandbox: SessionSandbox
    held: contextlib.AsyncExitStack
    opened: float
    used: float
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    stop: Stop | None = None
    ending: Ended | None = None


class Sessions:
    """Every session of one service.

    Args:
        executor: Gives workers to steps, and memory to sessions.
        quotas: How many there may be.
        default: Times of sessions that name none.
        maximum: Times that none may exceed.
        clock: Seconds, only ever forward.
        observe: Told how many are open, and how the last one ended, if one did.
        replica: Address of this replica, which ids of sessions name; empty where there is only one.
    """

    def __init__(
        self,
        executor: Executor,
        quotas: Quotas | None = None,
        default: SessionTimes = DEFAULT_TIMES,
        maximum: SessionTimes = MAXIMUM_TIMES,
        clock: Callable[[], float] = time.monotonic,
        observe: Callable[[int, str], None] | None = None,
        replica: str = "",
    ) -> None:
        self._replica = replica
        self._executor = executor
        self.quotas = quotas or Quotas()
        self._default = default
        self._maximum = maximum
        self._clock = clock
        self._observe = observe
        self._open: dict[str, _Session] = {}
        # Asked for and not open yet: (caller, bytes).
        self._coming: list[tuple[str, int]] = []
        self._ended: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._discarding: set[asyncio.Task[None]] = set()
        self._draining = False

    @property
    def count(self) -> int:
        """Sessions that are open."""
        return len(self._open)

    async def open(
        self, job: SessionJob, *, idle_s: float = 0.0, lifetime_s: float = 0.0, backend: str = "", caller: str = ""
    ) -> Opened:
        """Open a session, once there is memory for it.

        Args:
            job: What for.
            idle_s: Seconds without a call after which it ends; 0 for the default.
            lifetime_s: Seconds after which it ends; 0 for the default.
            backend: Name, or empty for the default.
            caller: Whose it is: nobody else can reach it.

        Raises:
            JobRefusedError: it is not well formed, or asks for more than any session gets.
            BusyError: the caller, or all callers together, have as many as they may.
        """
        try:
            times = resolve_times(idle_s, lifetime_s, self._default, self._maximum)
        except LimitError as error:
            raise JobRefusedError(str(error), thing="session") from error
        prove_job(check_session_job, job)
        chosen = await self._executor.sound(backend)
        job = replace(job, egress=self._executor.egress(chosen, caller, job.egress))
        place = caller, job.limits.memory_bytes
        self._check_quotas(*place)
        self._coming.append(place)
        try:
            async with contextlib.AsyncExitStack() as stack:
                view = await stack.enter_async_context(self._executor.data(job.datasets))
                release = await self._executor.reserve(*place)
                stack.callback(release)
                sandbox = await self._make(chosen, replace(job, data_view=view))
                if self._draining:
                    await _finished(sandbox.close)
                    self._check_quotas(*place)
                # From here on what it holds is the session's.
                held = stack.pop_all()
            now = self._clock()
            granted = Opened(named(secrets.token_hex(16), self._replica), job.limits, times)
            self._open[granted.session_id] = _Session(granted, caller, sandbox, held, now, now)
        finally:
            self._coming.remove(place)
        self._tell("")
        return granted

    def _check_quotas(self, caller: str, memory_bytes: int) -> None:
        if self._draining:
            raise BusyError("the service is stopping", thing="sessions", way_out="try again in a minute")
        callers = [session.caller for session in self._open.values()] + [who for who, _ in self._coming]
        held = sum(session.granted.limits.memory_bytes for session in self._open.values())
        held += sum(most for _, most in self._coming)
        quotas, way_out = self.quotas, "close one that is not needed any more, or wait for its idle time"
        if memory_bytes > quotas.memory_bytes:
            most = f"{quotas.memory_bytes:.0f} bytes"
            raise JobRefusedError(
                f"all sessions together may have {most}", thing="memory_bytes", way_out="ask for less"
            )
        if callers.count(caller) >= quotas.per_caller:
            raise BusyError(
                f"this caller has {quotas.per_caller} open; more it may not", thing="sessions", way_out=way_out
            )
        if len(callers) >= quotas.open_sessions or held + memory_bytes > quotas.memory_bytes:
            raise BusyError(
                f"{len(callers)} are open, with {held} bytes; there is no room", thing="sessions", way_out=way_out
            )

    async def _make(self, chosen: Backend, job: SessionJob) -> SessionSandbox:
        making = asyncio.ensure_future(asyncio.to_thread(chosen.open_session, job))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            # The caller went away; what is being made for it is taken down once it stands.
            self._later(self._discard(making))
            raise

    async def _discard(self, making: asyncio.Future[SessionSandbox]) -> None:
        with contextlib.suppress(Exception):
            await asyncio.to_thread((await making).close)

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.ensure_future(work)
        self._discarding.add(task)
        task.add_done_callback(self._discarding.discard)

    async def execute(self, session_id: str, step: Step, caller: str = "") -> AsyncGenerator[list[ProgramEvent]]:
        """Run one step; gives what it prints, its files, and last its result.

        Args:
            session_id: Of the session.
            step: With 0 for a time or an output that is the session's.
            caller: Who asks.

        Raises:
            NotFoundError: the caller has no such session, or it ended meanwhile; says why.
            BusyError: something else is being done in it.
            JobRefusedError: the step is not well formed.
        """
        prove_job(check_step, step)
        async with self._using(session_id, caller) as session:
            asked: dict[str, float | int] = {"total_timeout_s": step.timeout_s, "output_bytes": step.output_bytes}
            maximum = self._executor.maximum_limits
            try:
                limits = resolve(asked, session.granted.limits, maximum)
            except LimitError as error:
                raise JobRefusedError(str(error), thing="step") from error

            def work(sink: Callable[[ProgramEvent], None], stop: Stop) -> None:
                session.stop = stop
                if session.ending is not None:
                    return
                left = session.opened + session.granted.times.lifetime_s - self._clock()
                timeout_s = max(0.0, min(limits.total_timeout_s, left))
                bounded = replace(step, timeout_s=timeout_s, output_bytes=limits.output_bytes)
                session.sandbox.run(bounded, sink, stop)

            answered = False
            async with contextlib.aclosing(self._executor.stream("step", work, caller)) as groups:
                async for group in groups:
                    answered = answered or isinstance(group[-1], ProgramResult)
                    yield group
            if not answered:
                raise self._gone(session, session.ending or "lost")

    async def write(self, session_id: str, file: File, caller: str = "") -> None:
        """Put a file into the working folder in place of what is there.

        Raises:
            NotFoundError: the caller has no such session; says why.
            BusyError: something else is being done in it.
            JobRefusedError: the path leaves the working folder, or the file is too large.
            PreconditionError: it cannot be written: a link or a file on the way, or no room.
        """
        prove_job(check_files, (file,))
        async with self._using(session_id, caller) as session:
            problem = await _finished(session.sandbox.write, file.path, file.content)
        if problem:
            raise PreconditionError(f"cannot be written: {problem}", thing=file.path)

    async def read(self, session_id: str, path: str, caller: str = "") -> File:
        """Read a regular file of the working folder.

        Raises:
            NotFoundError: the caller has no such session, or the session no such file; says which.
            BusyError: something else is being done in it.
            JobRefusedError: the path leaves the working folder.
        """
        prove_job(check_path, path)
        async with self._using(session_id, caller) as session:
            content = await _finished(session.sandbox.read, path)
        if content is None:
            raise NotFoundError("no regular file of at most 32 MiB lies there; links are not followed", thing=path)
        return File(path, content)

    async def close(self, session_id: str, caller: str = "") -> None:
        """End a session, and a step that runs in it.

        Raises:
            NotFoundError: the caller has no such session; says why.
        """
        await self._end(await self._find(session_id, caller), "closed")

    async def sweep(self) -> None:
        """End the sessions whose time is over."""
        now = self._clock()
        for session in list(self._open.values()):
            how = due(now, session.opened, session.used, session.granted.times)
            if how is not None and not session.lock.locked():
                await self._end(session, how)

    async def drain(self) -> None:
        """End all sessions, with the steps that run in them; no more are opened."""
        self._draining = True
        await asyncio.gather(*(self._end(session, "drained") for session in list(self._open.values())))
        await asyncio.gather(*self._discarding)

    async def _find(self, session_id: str, caller: str) -> _Session:
        session = self._open.get(session_id)
        elsewhere = replica_of(session_id)
        if session is None and elsewhere and elsewhere != self._replica:
            raise PreconditionError(
                f"this session lives in another replica, at {elsewhere[:100]}", thing="session",
                way_out="ask there; `touchstone sandbox session` does",
            )  # fmt: skip
        if session is None or session.caller != caller:
            owner, words = self._ended.get(session_id, ("", ""))
            raise NotFoundError(
                words if words and owner == caller else UNKNOWN,
                thing=session_id[:64],
                way_out="open a new one, with OpenSession",
            )
        how = due(self._clock(), session.opened, session.used, session.granted.times)
        if how is not None and not session.lock.locked():
            await self._end(session, how)
            raise self._gone(session, how)
        return session

    def _gone(self, session: _Session, how: Ended) -> NotFoundError:
        words = why_ended(how, session.granted.times)
        return NotFoundError(words, thing=session.granted.session_id, way_out="open a new one, with OpenSession")

    @contextlib.asynccontextmanager
    async def _using(self, session_id: str, caller: str) -> AsyncGenerator[_Session]:
        """Have a session for oneself; it is not idle meanwhile, and ends with its sandbox."""
        session = await self._find(session_id, caller)
        if session.lock.locked():
            raise BusyError(
                "something else is being done in this session", thing=session_id, way_out="wait for it to end"
            )
        async with session.lock:
            if session_id not in self._open:
                # Somebody waited for the lock to end it.
                raise self._gone(session, session.ending or "closed")
            try:
                yield session
            finally:
                session.stop = None
                session.used = self._clock()
                if not session.sandbox.alive:
                    await self._remove(session, "lost")

    async def _end(self, session: _Session, how: Ended) -> None:
        session.ending = session.ending or how
        if session.stop is not None:
            session.stop.request()
        async with session.lock:
            await self._remove(session, session.ending)

    async def _remove(self, session: _Session, how: Ended) -> None:
        """With its lock held: take a session down, once."""
        identifier = session.granted.session_id
        if self._open.pop(identifier, None) is None:
            return
        session.ending = how
        self._ended[identifier] = (session.caller, why_ended(how, session.granted.times))
        while len(self._ended) > _REMEMBERED:
            self._ended.popitem(last=False)
        try:
            await _finished(session.sandbox.close)
        finally:
            await session.held.aclose()
            self._tell(how)

    def _tell(self, how: str) -> None:
        if self._observe is not None:
            self._observe(len(self._open), how)


async def _finished(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Run it in a thread to its end, even where the caller goes away: nothing else may touch the sandbox meanwhile."""
    running = asyncio.ensure_future(asyncio.to_thread(work, *arguments, **named))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait([running])
        raise
