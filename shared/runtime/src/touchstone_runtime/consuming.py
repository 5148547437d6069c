"""One subscription to a topic: takes messages, hands them on in lanes, commits what is done.

The consumer goes on polling whatever its handlers do. A partition whose messages wait is paused, not left: however long
a dependency is away, the member stays in its group and nothing moves. Within a partition the messages of one lane are
handled in order, one at a time; lanes do not wait for one another. What is committed is everything before the first
message that is not done, so that a crash replays and loses nothing.

Beside each offset stands how often the messages behind it were begun, and by which process. A crash does not erase
that: a message that ended its process so often is set aside with the next start. An expired session ends no process.
"""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUntypedBaseClass=false, reportIncompatibleMethodOverride=false

from __future__ import annotations

import asyncio
import contextlib
import itertools
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.abc import ConsumerRebalanceListener
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError

from touchstone_runtime import metrics
from touchstone_runtime.errors import PreconditionError, words_of
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.leaving import is_cancelled, leave
from touchstone_runtime.telemetry import get_logger
from touchstone_runtime.tries import Tries

# A message that was begun so often, and never ended, ended its process.
MOST_TRIES = 3
# Of what was in hand when a process ended, so many are begun together; of these, if that ends it again, each alone.
# One by one from the first, with a word to the broker for each, a thousand messages took two minutes.
_CAREFULLY = 8
# Tells this process from those before it.
PROCESS = uuid.uuid4().hex[:8]
_POLL_MS = 500
_FAULT_PAUSE_S = 5.0
# What is done within so many seconds is committed together; a crash replays that much.
_COMMIT_EVERY_S = 0.2
_WINDOW_BYTES = 32 * 1024 * 1024
_log = get_logger()
# The consumption one of whose turns the running task has.
_in_turn: ContextVar[Consumption | None] = ContextVar("in_turn", default=None)


@dataclass(frozen=True)
class Handling:
    """How the messages of a topic are handled.

    Attributes:
        work: Handles messages of one lane in order; returns when they are done for good, dead letters included. Only
            a stop of the service may interrupt it.
        abandon: Sets a message aside that ended its process so often.
        lane: The lane of a message; messages of different lanes do not wait for one another.
        width: Messages of one lane handled side by side, each of another partition.
        most: Messages handed over at a time.
        window: Messages of a partition that are taken ahead of the first that is not done.
        gather_s: How long a message waits for others that are handed over with it, in seconds.
        together: Messages of all lanes that are handled at a time; lanes take turns. 0 sets no bound.
    """

    work: Callable[[list[Any]], Awaitable[None]]
    abandon: Callable[[Any, int], Awaitable[None]]
    lane: Callable[[Any], str] = lambda _record: ""
    width: int = 1
    most: int = 1
    window: int = 100
    gather_s: float = 0.0
    together: int = 0


@dataclass
class _Partition:
    """What is going on in one partition that we hold."""

    position: int | None = None
    # Whether the group has never said how far it is here.
    unsaid: bool = False
    tries: Tries = field(default_factory=Tries)
    lanes: dict[str, deque[Any]] = field(default_factory=dict[str, "deque[Any]"])
    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict[str, "asyncio.Task[None]"])
    # Offsets that were taken and are not done, each with when its message was sent, in milliseconds.
    open: dict[int, int] = field(default_factory=dict[int, int])
    size: int = 0
    committed: tuple[int, str] = (-1, "")
    # Work on this partition from before the group was dealt anew, by its lane: it comes before that of the same lane.
    earlier: dict[str, list[asyncio.Task[None]]] = field(default_factory=dict[str, "list[asyncio.Task[None]]"])

    def working(self) -> dict[str, list[asyncio.Task[None]]]:
        """What is not done of this partition's work, that of before it included, by lane."""
        lanes = {lane: [*tasks] for lane, tasks in self.earlier.items()}
        for lane, task in self.tasks.items():
            lanes.setdefault(lane, []).append(task)
        left = {lane: [task for task in tasks if not task.done()] for lane, tasks in lanes.items()}
        return {lane: tasks for lane, tasks in left.items() if tasks}

    def low(self) -> int | None:
        """The offset to commit: the first that is not done."""
        return min(self.open) if self.open else self.position

    def due(self) -> tuple[int, str] | None:
        """Offset and mark that are to be committed; None where they are."""
        if (low := self.low()) is None:
            return None
        wanted = (low, self.tries.mark(low))
        return None if wanted == self.committed else wanted


class Consumption(ConsumerRebalanceListener):
    """Consumes one topic until told to stop.

    Args:
        topic: Its name.
        group: The consumer group.
        access: How the broker is reached; read anew for each client, as a password's file may have changed.
        options: Of the consumer alone: sizes, timeouts.
        handling: How messages are handled.
        stop_timeout_s: How long a stop waits for messages in hand.

    Attributes:
        stopped: Why nothing is taken any more until the service is started anew; empty while it goes on.
    """

    def __init__(
        self,
        topic: str,
        group: str,
        access: KafkaAccess,
        options: dict[str, Any],
        handling: Handling,
        stop_timeout_s: float,
    ) -> None:
        self._topic = topic
        self._group = group
        self._access = access
        self._options = options
        self._handling = handling
        self._stop_timeout_s = stop_timeout_s
        self._consumer: Any = None
        self._partitions: dict[TopicPartition, _Partition] = {}
        self._earlier: dict[TopicPartition, dict[str, list[asyncio.Task[None]]]] = {}
        # Of partitions that were held before the group was dealt anew.
        self._tries: dict[TopicPartition, Tries] = {}
        self._slots: dict[str, asyncio.Semaphore] = {}
        # Whoever waits longest comes first, so that lanes take turns.
        self._all = asyncio.Semaphore(handling.together) if handling.together else None
        # What was begun twice is begun one at a time, whatever its lane and partition: the one that ends the process
        # again is then known by itself.
        self._alone: tuple[TopicPartition, int] | None = None
        self._freed = asyncio.Event()
        self._stopping = asyncio.Event()
        self._dirty = asyncio.Event()
        self._committing = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []
        self._failing: dict[tuple[TopicPartition, int], str] = {}
        self.stopped = ""

    async def start(self) -> None:
        """Join the group and begin."""
        self._consumer = AIOKafkaConsumer(
            group_id=self._group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            **self._access.options(),
            **self._options,
        )
        self._consumer.subscribe([self._topic], listener=self)
        await self._consumer.start()
        self._tasks = [
            asyncio.create_task(self._aloud(self._poll()), name=f"poll {self._topic}"),
            asyncio.create_task(self._aloud(self._commit_what_is_done()), name=f"commit {self._topic}"),
        ]

    async def stop(self) -> None:
        """Take nothing more, finish what is in hand or give it back, and leave the group."""
        if self._consumer is None or self._stopping.is_set():
            return
        self._stopping.set()
        self._dirty.set()
        self._freed.set()
        await leave(asyncio.gather(*self._tasks, return_exceptions=True), self._topic)
        lanes = [*self._earlier.values(), *(partition.working() for partition in self._partitions.values())]
        working = [task for tasks in lanes for of_lane in tasks.values() for task in of_lane]
        if working:
            _, late = await asyncio.wait(working, timeout=self._stop_timeout_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        for partition in self._partitions.values():
            # Whoever was stopped in good order did not end the process.
            partition.tries.forget()
        # A broker that is away is not told how far we are: what was done comes again.
        await leave(self._commit(self._partitions), self._topic)
        await leave(self._consumer.stop(), self._topic)

    async def pause(self, seconds: float) -> None:
        """Wait, as a handler that awaits a dependency does; a stop of the service ends the wait.

        Who waits handles nothing: of those that are handled at a time another lane's takes the place meanwhile.

        Raises:
            asyncio.CancelledError: the service stops.
        """
        bounded = self._all if _in_turn.get() is self else None
        if bounded is not None:
            bounded.release()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._stopping.wait()
        finally:
            if bounded is not None:
                await bounded.acquire()
        if self._stopping.is_set():
            raise asyncio.CancelledError

    @property
    def in_hand(self) -> int:
        """Messages that were taken and are not done."""
        return sum(len(partition.open) for partition in self._partitions.values())

    def oldest_s(self) -> float:
        """How long the oldest message in hand has waited, in seconds; 0 where there is none."""
        sent = [partition.open[min(partition.open)] for partition in self._partitions.values() if partition.open]
        return metrics.waited_s(min(sent)) if sent else 0.0

    @property
    def failing(self) -> list[str]:
        """Messages at which we fail, and try again, for no reason that we know; one line each."""
        return list(self._failing.values())

    def waits(self, record: Any) -> None:
        """Note that a message waits for a dependency: if the process ends now, the message is not why."""
        place = TopicPartition(record.topic, record.partition)
        partition = self._partitions.get(place)
        self._end_alone((place, record.offset))
        if partition is not None:
            partition.tries.forget(record.offset)
            self._dirty.set()

    # -- polling ------------------------------------------------------------------------------------------------

    async def _aloud(self, work: Coroutine[Any, Any, None]) -> None:
        """End what nobody waits for with a word, where it ends by a fault that it does not know, or its client's end.

        It is not begun again: what the client gave before it failed is behind its position, and would be left out. The
        group keeps what was committed, so that nothing is lost.
        """
        try:
            await work
        except (Exception, asyncio.CancelledError) as error:
            if is_cancelled():
                raise
            self.stopped = (
                f"{self._topic}: stopped, what the broker gives cannot be read or committed: "
                f"{type(error).__name__}: {words_of(error)}; mend the cause and restart the service"
            )
            metrics.CONSUMERS_HALTED.inc()
            _log.error("consumer_stopped", topic=self._topic, exc_info=error)

    async def _poll(self) -> None:
        while not self._stopping.is_set():
            try:
                self._pause_the_full()
                held = dict(self._partitions)
                taken = await self._consumer.getmany(timeout_ms=_POLL_MS, max_records=self._handling.window)
                for place, records in taken.items():
                    partition = self._partitions.get(place)
                    if partition is not None and held.get(place) is partition:
                        await self._take(place, partition, records)
                    else:
                        await self._give_back(place, records[0].offset)
                await self._say_where_new_ones_stand()
            except KafkaError as error:
                # The client reconnects by itself; what was taken stays in hand.
                _log.warning("poll_failed", topic=self._topic, error=f"{type(error).__name__}: {error}")
                await asyncio.sleep(1.0)

    async def _say_where_new_ones_stand(self) -> None:
        """Say how far the group is where it never has: an autoscaler takes all that ever was there for waiting."""
        for place, partition in [*self._partitions.items()]:
            if partition.unsaid and partition.position is None:
                # Where a broker does not answer soon, the others go on meanwhile.
                with contextlib.suppress(TimeoutError, IllegalStateError):
                    async with asyncio.timeout(_POLL_MS / 1000):
                        partition.position = await self._consumer.position(place)
                    self._dirty.set()

    def _pause_the_full(self) -> None:
        held = self._consumer.assignment()
        full = {place for place in held if self._is_full(place)}
        self._consumer.pause(*(full - self._consumer.paused()))
        self._consumer.resume(*((held - full) & self._consumer.paused()))

    def _is_full(self, place: TopicPartition) -> bool:
        partition = self._partitions.get(place)
        if partition is None:
            return True
        return len(partition.open) >= self._handling.window or partition.size >= _WINDOW_BYTES

    async def _give_back(self, place: TopicPartition, first: int) -> None:
        """Have messages again that came while the group was dealt anew.

        The client has its partitions before we are told of them, and reads on: what it gave meanwhile is behind its
        position and would never come again.
        """
        with contextlib.suppress(IllegalStateError):
            # Not where it began anew before them: what lies between would be left out.
            if await self._consumer.position(place) > first:
                self._consumer.seek(place, first)

    async def _take(self, place: TopicPartition, partition: _Partition, records: list[Any]) -> None:
        for record in records:
            partition.open[record.offset] = record.timestamp
            partition.size += len(record.value or b"")
        partition.position = records[-1].offset + 1
        partition.tries.begin_all(records[-1].offset)
        # The mark stands at the broker before the first handler sees a message.
        await self._commit({place: partition})
        for record in records:
            lane = self._handling.lane(record)
            partition.lanes.setdefault(lane, deque()).append(record)
            if lane not in partition.tasks:
                task = asyncio.create_task(self._run_lane(place, partition, lane), name=f"{self._topic} {lane}")
                partition.tasks[lane] = task

    async def _run_lane(self, place: TopicPartition, partition: _Partition, lane: str) -> None:
        queue = partition.lanes[lane]
        slot = self._slots.setdefault(lane, asyncio.Semaphore(self._handling.width))
        await asyncio.gather(*partition.earlier.get(lane, []), return_exceptions=True)
        try:
            while queue and not self._stopping.is_set() and self._partitions.get(place) is partition:
                async with slot, self._turn():
                    if self._stopping.is_set() or self._partitions.get(place) is not partition:
                        return
                    await self._handle_or_wait(place, partition, queue)
        except asyncio.CancelledError:
            # A stop: what is in hand stays uncommitted and comes again.
            return
        finally:
            partition.lanes.pop(lane, None)
            partition.tasks.pop(lane, None)

    @contextlib.asynccontextmanager
    async def _turn(self) -> AsyncGenerator[None]:
        """One of those that are handled at a time, lanes in turn."""
        if self._all is None:
            yield
            return
        async with self._all:
            token = _in_turn.set(self)
            try:
                yield
            finally:
                _in_turn.reset(token)

    async def _handle_or_wait(self, place: TopicPartition, partition: _Partition, queue: deque[Any]) -> None:
        at = place, queue[0].offset
        try:
            await self._handle(place, partition, queue)
        except Exception as error:  # noqa: BLE001  a fault of ours: the message stays, and nothing is silent
            if self._partitions.get(place) is partition:
                where = f"partition {place.partition}, offset {at[1]}"
                words = f"{type(error).__name__}: {words_of(error)}"
                self._failing[at] = f"{self._topic}: fails, and is tried again: {where}: {words}"
            _log.error("lane_failed", topic=self._topic, partition=place.partition, exc_info=error)
            await self.pause(_FAULT_PAUSE_S)
        else:
            self._failing.pop(at, None)

    async def _handle(self, place: TopicPartition, partition: _Partition, queue: deque[Any]) -> None:
        first = queue[0]
        before = partition.tries.before(first.offset)
        if before >= MOST_TRIES:
            await self._handling.abandon(first, before)
            self._done(partition, [queue.popleft()])
            return
        if self._handling.gather_s and len(queue) < self._handling.most:
            await asyncio.sleep(self._handling.gather_s)
        most = self._handling.most if not before else min(self._handling.most, _CAREFULLY) if before == 1 else 1
        batch = list(
            itertools.takewhile(
                lambda record: partition.tries.before(record.offset) == before, itertools.islice(queue, most)
            )
        )
        at = place, first.offset
        try:
            if before > 1:
                await self._begin_alone(at)
            if before:
                # One of them may have ended a process before: counted before they are begun.
                for record in batch:
                    partition.tries.begin(record.offset)
                await self._commit({place: partition})
            await self._handling.work(batch)
        finally:
            self._end_alone(at)
        for _ in batch:
            queue.popleft()
        self._done(partition, batch)

    async def _begin_alone(self, at: tuple[TopicPartition, int]) -> None:
        """Wait until no other one that was begun so often is under way; one that waits for a dependency is not."""
        while self._alone is not None:
            self._freed.clear()
            await self._freed.wait()
            if self._stopping.is_set():
                raise asyncio.CancelledError
        self._alone = at

    def _end_alone(self, at: tuple[TopicPartition, int]) -> None:
        if self._alone == at:
            self._alone = None
            self._freed.set()

    def _done(self, partition: _Partition, records: Iterable[Any]) -> None:
        for record in records:
            partition.open.pop(record.offset, None)
            partition.size -= len(record.value or b"")
            partition.tries.end(record.offset)
        self._dirty.set()

    # -- committing ---------------------------------------------------------------------------------------------

    async def _commit_what_is_done(self) -> None:
        while not self._stopping.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(5.0):
                    await self._dirty.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_COMMIT_EVERY_S):
                    await self._stopping.wait()
            self._dirty.clear()
            await self._commit(self._partitions)

    async def _commit(self, partitions: dict[TopicPartition, _Partition]) -> None:
        async with self._committing:
            due = {place: wanted for place, partition in partitions.items() if (wanted := partition.due())}
            if not due:
                return
            try:
                await self._consumer.commit(due)
            except (CommitFailedError, IllegalStateError):
                # The partitions went to somebody else, who takes the messages again.
                return
            except KafkaError as error:
                # Tried again with the next round; a crash before it replays what was done.
                _log.warning("commit_failed", topic=self._topic, error=f"{type(error).__name__}: {error}")
                return
            for place, wanted in due.items():
                partitions[place].committed = wanted

    # -- what the group tells ------------------------------------------------------------------------------------

    async def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit what is done; what is in hand is finished, and comes again to whoever gets the partition."""
        await self._commit({place: self._partitions[place] for place in revoked if place in self._partitions})
        for place, partition in self._partitions.items():
            self._earlier[place] = partition.working()
            self._tries[place] = partition.tries
        self._partitions.clear()
        self._failing.clear()

    async def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Begin where the group stands, knowing what was begun before."""
        marks = await self._marks()
        self._partitions = {
            place: _Partition(
                tries=Tries.read(marks.get(place, ""), PROCESS, self._tries.pop(place, None)),
                earlier=self._earlier.pop(place, {}),
                unsaid=place not in marks,
            )
            for place in assigned
        }

    async def _marks(self) -> dict[TopicPartition, str]:
        admin: AIOKafkaAdminClient | None = None
        try:
            admin = AIOKafkaAdminClient(**self._access.options())
            await admin.start()
            found: dict[TopicPartition, Any] = await admin.list_consumer_group_offsets(self._group)
            return {place: str(kept.metadata or "") for place, kept in found.items()}
        except (KafkaError, OSError, PreconditionError) as error:
            # Without the marks a message gets its tries anew: that is all that is lost.
            _log.warning("marks_unread", topic=self._topic, error=f"{type(error).__name__}: {error}")
            return {}
        finally:
            if admin is not None:
                await leave(admin.close(), self._topic)
