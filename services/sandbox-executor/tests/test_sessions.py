"""Sessions: whose they are, how many, when they end; on a fake backend and a clock that is set by hand."""

import asyncio
import contextlib
import select
import threading

import pytest

from sandbox_executor.domain.jobs import File, JobError, Printed, ProgramResult
from sandbox_executor.domain.limits import DEFAULT, LimitError
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.domain.queueing import FairQueue, Ticket
from sandbox_executor.domain.sessions import (
    DEFAULT_TIMES,
    MAXIMUM_TIMES,
    SessionJob,
    SessionTimes,
    Step,
    check_step,
    resolve_times,
)
from sandbox_executor.errors import BusyError, JobRefusedError
from sandbox_executor.usecases import Executor, Quotas, Sessions
from touchstone_runtime.errors import NotFoundError, PreconditionError

JOB = SessionJob("python", DEFAULT)
STEP = Step(0.0, 0, source="work")


class Room:
    """A session's sandbox; `hang` makes steps wait until they are stopped."""

    def __init__(self, job, *, hang=False):
        self.files = {file.path: file.content for file in job.files}
        self.hang = hang
        self.alive = True
        self.closed = 0
        self.steps = []
        self.entered = threading.Event()

    def run(self, step, sink, cancelled):
        self.steps.append(step)
        self.entered.set()
        if self.hang:
            waiter = select.poll()
            waiter.register(cancelled.descriptor, select.POLLIN)
            waiter.poll()
            return
        if step.source == "die":
            self.alive = False
        sink(Printed("stdout", step.source.encode()))
        sink(ProgramResult(Outcome.RETURNED, 0, 0.1, 0.1, 1))

    def write(self, path, content):
        if path == "full":
            return "No space left on device"
        self.files[path] = content
        return ""

    def read(self, path):
        return self.files.get(path)

    def close(self):
        self.closed += 1


@pytest.fixture
def house(echoing):
    """Sessions on a fake backend; `rooms` are its sandboxes, `clock` its time."""

    class House:
        def __init__(self, hang=False, **options):
            self.now = 0.0
            self.rooms = []
            self.hang = hang
            echoing.open_session = self.make
            options = {"memory_bytes": 10 * DEFAULT.memory_bytes} | options
            self.executor = Executor({"scripted": echoing}, 2, memory_bytes=options.pop("memory_bytes"))
            self.sessions = Sessions(self.executor, clock=lambda: self.now, **options)

        def make(self, job):
            self.rooms.append(Room(job, hang=self.hang))
            return self.rooms[-1]

    made = []

    def build(**options):
        made.append(House(**options))
        return made[-1]

    yield build
    for one in made:
        one.executor.close()


async def all_of(stream):
    return [event async for group in stream for event in group]


async def test_files_and_steps_belong_to_one_sandbox_until_it_is_closed(house):
    built = house()
    opened = await built.sessions.open(SessionJob("python", DEFAULT, files=(File("a", b"1"),)), caller="me")
    name = opened.session_id
    await built.sessions.write(name, File("b", b"2"), "me")
    assert await built.sessions.read(name, "a", "me") == File("a", b"1")
    assert await built.sessions.read(name, "b", "me") == File("b", b"2")
    events = await all_of(built.sessions.execute(name, STEP, "me"))
    assert events[0] == Printed("stdout", b"work")
    assert events[-1].outcome is Outcome.RETURNED
    with pytest.raises(PreconditionError, match="full: cannot be written: No space left"):
        await built.sessions.write(name, File("full", b""), "me")
    with pytest.raises(NotFoundError, match="no regular file"):
        await built.sessions.read(name, "absent", "me")
    await built.sessions.close(name, "me")
    with pytest.raises(NotFoundError, match="closed by its caller"):
        await all_of(built.sessions.execute(name, STEP, "me"))
    assert [room.closed for room in built.rooms] == [1]
    assert built.sessions.count == 0


async def test_nobody_else_reaches_a_session_or_learns_that_there_is_one(house):
    built = house()
    sessions = built.sessions
    name = (await sessions.open(JOB, caller="me")).session_id
    strangers = []
    for attempt in (
        lambda: all_of(sessions.execute(name, STEP, "you")),
        lambda: sessions.write(name, File("a", b""), "you"),
        lambda: sessions.read(name, "a", "you"),
        lambda: sessions.close(name, "you"),
        lambda: sessions.close("0" * 32, "you"),
    ):
        with pytest.raises(NotFoundError, match="no such session") as caught:
            await attempt()
        strangers.append(caught.value.message)
    assert len(set(strangers)) == 1
    assert built.rooms[0].steps == []
    await sessions.close(name, "me")
    with pytest.raises(NotFoundError) as caught:
        await sessions.close(name, "you")
    assert caught.value.message == strangers[0]


async def test_an_idle_session_ends_and_says_so(house):
    built = house()
    name = (await built.sessions.open(JOB, idle_s=60, caller="me")).session_id
    built.now = 59.0
    await all_of(built.sessions.execute(name, STEP, "me"))
    built.now = 118.0
    await built.sessions.sweep()
    assert built.sessions.count == 1
    built.now = 119.0
    await built.sessions.sweep()
    assert built.rooms[0].closed == 1
    with pytest.raises(NotFoundError, match="nothing was asked of it for 60 s"):
        await built.sessions.read(name, "a", "me")


async def test_a_session_ends_with_its_life_however_busy_and_a_step_gets_no_more_than_is_left(house):
    built = house()
    name = (await built.sessions.open(JOB, idle_s=60, lifetime_s=100, caller="me")).session_id
    for now in (50.0, 99.0):
        built.now = now
        await all_of(built.sessions.execute(name, STEP, "me"))
    assert [step.timeout_s for step in built.rooms[0].steps] == [50.0, 1.0]
    # Without a sweep in between: the call itself finds that its time is over.
    built.now = 100.0
    with pytest.raises(NotFoundError, match="its life of 100 s was over"):
        await all_of(built.sessions.execute(name, STEP, "me"))
    assert built.rooms[0].closed == 1


async def test_a_lost_sandbox_ends_its_session(house):
    built = house()
    name = (await built.sessions.open(JOB, caller="me")).session_id
    events = await all_of(built.sessions.execute(name, Step(0.0, 0, source="die"), "me"))
    assert isinstance(events[-1], ProgramResult)
    with pytest.raises(NotFoundError, match="its sandbox was killed"):
        await built.sessions.read(name, "a", "me")
    assert built.rooms[0].closed == 1


async def test_quotas_of_a_caller_and_of_all(house):
    built = house(quotas=Quotas(3, 2, 10 * DEFAULT.memory_bytes))
    sessions = built.sessions
    mine = [await sessions.open(JOB, caller="me") for _ in range(2)]
    with pytest.raises(BusyError, match="this caller has 2"):
        await sessions.open(JOB, caller="me")
    await sessions.open(JOB, caller="you")
    with pytest.raises(BusyError, match="no room"):
        await sessions.open(JOB, caller="they")
    await sessions.close(mine[0].session_id, "me")
    await sessions.open(JOB, caller="they")
    assert sessions.count == 3


async def test_those_that_are_being_opened_count(house):
    built = house(quotas=Quotas(8, 2))
    asked = [built.sessions.open(JOB, caller="me") for _ in range(5)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(answer, BusyError) for answer in answers) == 3
    assert len(built.rooms) == 2


async def test_memory_of_sessions_has_a_bound_and_counts_beside_jobs(house):
    built = house(quotas=Quotas(8, 8, 2 * DEFAULT.memory_bytes), memory_bytes=3 * DEFAULT.memory_bytes)
    with pytest.raises(JobRefusedError, match="all sessions together"):
        await built.sessions.open(SessionJob("python", DEFAULT.__class__(5, 120, 3 * DEFAULT.memory_bytes, 4096, 4)))
    opened = [await built.sessions.open(JOB, caller="me") for _ in range(2)]
    with pytest.raises(BusyError, match="no room"):
        await built.sessions.open(JOB, caller="me")
    queue = built.executor._lanes["jobs"].queue
    first, second = (Ticket("j", DEFAULT.memory_bytes, lambda: None) for _ in range(2))
    queue.add(first)
    queue.add(second)
    assert (first.running, second.running, queue.running) == (True, False, 1)
    await built.sessions.close(opened[0].session_id, "me")
    assert second.running


def test_a_job_that_sessions_leave_no_room_for_runs_alone_and_not_never():
    queue = FairQueue(4, 100)
    session = Ticket("s", 50, lambda: None, works=False)
    small, large, after = Ticket("a", 30, lambda: None), Ticket("b", 90, lambda: None), Ticket("c", 10, lambda: None)
    for ticket in (session, small, large, after):
        queue.add(ticket)
    assert [ticket.running for ticket in (session, small, large, after)] == [True, True, False, False]
    queue.leave(small)
    assert [ticket.running for ticket in (large, after)] == [True, False]
    queue.leave(large)
    assert after.running
    assert queue.running == 1


async def test_one_thing_at_a_time_in_a_session_and_closing_ends_it(house):
    built = house(hang=True)
    sessions = built.sessions
    name = (await sessions.open(JOB, caller="me")).session_id
    running = asyncio.create_task(all_of(sessions.execute(name, STEP, "me")))
    await asyncio.to_thread(built.rooms[0].entered.wait)
    with pytest.raises(BusyError, match="something else"):
        await sessions.write(name, File("a", b""), "me")
    # Whatever the time says: what runs is not idle.
    built.now = 3599.0
    await sessions.sweep()
    assert built.sessions.count == 1
    await sessions.close(name, "me")
    with pytest.raises(NotFoundError, match="closed by its caller"):
        await running
    assert built.rooms[0].closed == 1


async def test_a_caller_that_goes_away_stops_its_step_and_keeps_its_session(house):
    built = house(hang=True)
    sessions = built.sessions
    name = (await sessions.open(JOB, caller="me")).session_id
    running = asyncio.create_task(all_of(sessions.execute(name, STEP, "me")))
    await asyncio.to_thread(built.rooms[0].entered.wait)
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    built.rooms[0].hang = False
    assert len(await all_of(sessions.execute(name, STEP, "me"))) == 2
    await asyncio.sleep(0)
    assert built.executor.load.running == 0


async def test_draining_ends_all_and_opens_none(house):
    built = house(hang=True)
    names = [(await built.sessions.open(JOB, caller="me")).session_id for _ in range(2)]
    running = asyncio.create_task(all_of(built.sessions.execute(names[0], STEP, "me")))
    await asyncio.to_thread(built.rooms[0].entered.wait)
    await built.sessions.drain()
    assert [room.closed for room in built.rooms] == [1, 1]
    with pytest.raises(NotFoundError, match="stopping"):
        await running
    with pytest.raises(BusyError, match="stopping"):
        await built.sessions.open(JOB, caller="me")


async def test_times_and_limits_that_no_session_gets_are_refused(house):
    built = house()
    for wrong in ({"idle_s": -1.0}, {"lifetime_s": 1e9}, {"idle_s": float("nan")}):
        with pytest.raises(JobRefusedError, match="must lie between"):
            await built.sessions.open(JOB, **wrong)
    name = (await built.sessions.open(JOB)).session_id
    for step in (Step(1e9, 0, source="x"), Step(0.0, -1, source="x")):
        with pytest.raises(JobRefusedError, match="must lie between"):
            await all_of(built.sessions.execute(name, step))
    for path in ("../x", "/etc/passwd", "a/../../b", "", "a//b", "."):
        with pytest.raises(JobRefusedError, match="relative"):
            await built.sessions.read(name, path)
        with pytest.raises(JobRefusedError, match="relative"):
            await built.sessions.write(name, File(path, b""))
    assert built.rooms[0].steps == []


def test_resolved_times():
    assert resolve_times(0, 0, DEFAULT_TIMES, MAXIMUM_TIMES) == DEFAULT_TIMES
    assert resolve_times(0, 60, DEFAULT_TIMES, MAXIMUM_TIMES) == SessionTimes(60, 60)
    with pytest.raises(LimitError):
        resolve_times(MAXIMUM_TIMES.idle_s + 1, 0, DEFAULT_TIMES, MAXIMUM_TIMES)


@pytest.mark.parametrize(
    "step",
    [
        Step(1, 1, source="x", command=("y",)),
        Step(1, 1, command=("a\0b",)),
        Step(1, 1, command=("",)),
        Step(1, 1, command=("a", "b" * 100_001)),
        Step(1, 1, source="x", artefacts=("../y",)),
        Step(1, 1, source="x" * (4 * 2**20 + 1)),
    ],
)
def test_steps_that_are_not_well_formed(step):
    with pytest.raises(JobError):
        check_step(step)
