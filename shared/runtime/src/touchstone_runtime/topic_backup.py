"""`python -m touchstone_runtime.topic_backup write | restore`: what the topics hold, kept with the rest of a platform.

`write` gives every message of every topic, dead letters too, and how far each consumer group had come, to its output;
`restore` reads that from its input, makes the topics at a broker and publishes the messages again: in the same
partition and order, with key, headers and time. Doing it again adds nothing, and goes on where it was broken off.
The services are stopped meanwhile, so that the topics and the database tell of one moment.
"""

# The Kafka library ships few types; what comes out of it is annotated where it enters.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Collection, Iterable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import IO, Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from touchstone_runtime.bus import MESSAGE_BYTES
from touchstone_runtime.errors import PreconditionError, TouchstoneError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.kafka_access import KafkaAccess
from touchstone_runtime.settings import ServiceSettings, settings_or_end
from touchstone_runtime.topic_admin import reconcile_topics, wanted_topics
from touchstone_runtime.topic_archive import ArchiveWriter, Handled, Message, Place, read

_GROUPS = "touchstone."
_POLL_MS = 1000
# Messages that are on their way to the broker at a time.
_ABREAST = 500
# A consumer that was killed is a member of its group for as long as its session lasts.
_LEAVE_S = 30.0


@dataclass(frozen=True)
class Counts:
    """What came of it.

    Args:
        messages: In the archive.
        added: Of these, published now; the others were there.
        positions: Partitions of groups whose place is known.
    """

    messages: int
    added: int
    positions: int


async def write(settings: ServiceSettings, sink: IO[bytes]) -> Counts:
    """Write what the topics hold.

    Args:
        settings: How the broker is reached.
        sink: Takes the archive.

    Raises:
        DependencyAwayError: the broker is away.
        PreconditionError: services run.
    """
    access, archive = settings.kafka(), ArchiveWriter(sink)
    handled: list[Handled] = []
    async with _faults_named(access):
        async with _administrator(access) as admin:
            committed = await _positions(admin, await _quiet_groups(admin))
            places = await _places(admin)
        async with _reader(access) as reader:
            bounds = await _bounds(reader, places)
            for place in places:
                counts = {group: 0 for group, at in committed if at == place}
                archive.write(Place(place.topic, place.partition))
                async for offset, message in _messages(reader, place, *bounds[place]):
                    archive.write(message)
                    for group in counts:
                        counts[group] += offset < committed[group, place]
                handled += [
                    Handled(group, Place(place.topic, place.partition), count) for group, count in counts.items()
                ]
    for one in handled:
        archive.write(one)
    return Counts(archive.end(), 0, len(handled))


async def restore(settings: ServiceSettings, source: IO[bytes]) -> Counts:
    """Publish what an archive holds, as far as it is not there, and set the groups where they were.

    Args:
        settings: How the broker is reached, and how many replicas a topic has.
        source: The archive.

    Raises:
        DependencyAwayError: the broker is away.
        PreconditionError: the archive is not whole, the broker holds other messages, or services run. What was
            published until then stays; the same archive goes on from there.
    """
    access = settings.kafka()
    groups: dict[str, dict[TopicPartition, int]] = {}
    messages = added = 0
    async with _faults_named(access):
        await reconcile_topics(settings, MESSAGE_BYTES)
        async with _administrator(access) as admin:
            await _quiet_groups(admin)
            known = await _places(admin)
        async with _reader(access) as reader, _publisher(access) as publisher:
            bounds = await _bounds(reader, known)
            target: _Target | None = None
            for item in read(source):
                match item:
                    case Place():
                        if target is not None:
                            added += await target.settle()
                        place = _known(item, known)
                        there = _messages(reader, place, *bounds[place])
                        target = _Target(publisher, place, bounds[place][1], there)
                    case Message():
                        if target is None:
                            raise PreconditionError("holds a message of no partition", thing="the archive")
                        messages += 1
                        await target.take(item)
                    case Handled():
                        groups.setdefault(item.group, {})[_known(item.place, known)] = item.messages
            if target is not None:
                added += await target.settle()
        await _set_positions(access, groups)
    return Counts(messages, added, sum(map(len, groups.values())))


class _Target:
    """One partition that is filled: an archive's messages, counted from 0, have the offset of their number."""

    def __init__(self, publisher: Any, place: TopicPartition, end: int, there: AsyncGenerator[tuple[int, Message]]):
        self._publisher = publisher
        self._place = place
        self._end = end
        self._there = there
        self._found: tuple[int, Message] | None = None
        self._number = 0
        self._added = 0
        self._sent: list[asyncio.Future[Any]] = []

    async def take(self, message: Message) -> None:
        number, self._number = self._number, self._number + 1
        if number < self._end:
            await self._compare(number, message)
            return
        # A batch that was refused must not be followed by others: the order would be another.
        if len(self._sent) >= _ABREAST:
            await self._flush()
        self._sent.append(
            await self._publisher.send(
                self._place.topic,
                message.value,
                key=message.key,
                partition=self._place.partition,
                timestamp_ms=message.sent_ms,
                headers=list(message.headers),
            )
        )
        self._added += 1

    async def settle(self) -> int:
        """Wait until the broker has all; gives how many messages it had not."""
        await self._there.aclose()
        await self._flush()
        return self._added

    async def _flush(self) -> None:
        sent, self._sent = self._sent, []
        await asyncio.gather(*sent)

    async def _compare(self, number: int, message: Message) -> None:
        """See that what is there is of this archive; what the broker has let go of by now cannot be compared."""
        while self._found is None or self._found[0] < number:
            self._found = await anext(self._there, None)
            if self._found is None:
                return
        offset, there = self._found
        if offset == number and (there.key, there.value, there.headers) != (
            message.key,
            message.value,
            message.headers,
        ):
            raise PreconditionError(
                f"partition {self._place.partition} holds messages that are not of this archive",
                thing=self._place.topic,
                way_out=f"delete the topics {_GROUPS}* at the broker, and restore again",
            )


def _known(place: Place, known: Collection[TopicPartition]) -> TopicPartition:
    wanted = TopicPartition(place.topic, place.partition)
    if wanted in known:
        return wanted
    raise PreconditionError(
        f"has no partition {place.partition} here",
        thing=place.topic,
        way_out="restore by the release that wrote the archive, into a broker where it makes the topics",
    )


# -- the broker -----------------------------------------------------------------------------------------------------


async def _messages(reader: Any, place: TopicPartition, begin: int, end: int) -> AsyncGenerator[tuple[int, Message]]:
    """Each message between two offsets of a partition, with its own."""
    if begin == end:
        return
    reader.assign([place])
    reader.seek(place, begin)
    # Positions, not messages, tell the end: what was compacted away leaves gaps.
    while await reader.position(place) < end:
        for records in (await reader.getmany(place, timeout_ms=_POLL_MS)).values():
            for record in records:
                if record.offset < end:
                    headers = tuple((name, value or b"") for name, value in record.headers)
                    yield record.offset, Message(record.key, record.value, headers, record.timestamp)


async def _bounds(reader: Any, places: Collection[TopicPartition]) -> dict[TopicPartition, tuple[int, int]]:
    """Offsets of the first message that is kept and of the next that comes, of all partitions at once.

    Asked one by one, each question would wait for what the reader has asked for last.
    """
    begins, ends = await reader.beginning_offsets(places), await reader.end_offsets(places)
    return {place: (begins[place], ends[place]) for place in places}


async def _places(admin: Any) -> list[TopicPartition]:
    """Every partition of every topic of ours that the broker has."""
    present = set(await admin.list_topics())
    names = [name for name in wanted_topics(MESSAGE_BYTES) if name in present]
    described: list[Any] = await admin.describe_topics(names) if names else []
    return sorted(TopicPartition(one["topic"], each["partition"]) for one in described for each in one["partitions"])


async def _quiet_groups(admin: Any) -> list[str]:
    """The groups of ours; none has a member.

    Raises:
        PreconditionError: some have, and go on having them.
    """
    until = time.monotonic() + _LEAVE_S
    while True:
        listed: list[Any] = await admin.list_consumer_groups()
        groups = sorted(name for name, *_ in listed if name.startswith(_GROUPS))
        # One at a time: the client library reads an answer on several as if it were of an older form.
        answers = [answer for group in groups for answer in await admin.describe_consumer_groups([group])]
        busy = [group[1] for answer in answers for group in answer.groups if group[5]]
        if not busy:
            return groups
        if time.monotonic() > until:
            raise PreconditionError(
                f"has consumers: {', '.join(busy[:3])}",
                thing="the platform",
                way_out="stop its services, so that topics and database tell of one moment",
            )
        await asyncio.sleep(1.0)


async def _positions(admin: Any, groups: Iterable[str]) -> dict[tuple[str, TopicPartition], int]:
    """Offsets that groups have committed."""
    found: dict[tuple[str, TopicPartition], int] = {}
    for group in groups:
        committed: dict[TopicPartition, Any] = await admin.list_consumer_group_offsets(group)
        found |= {(group, place): kept.offset for place, kept in committed.items() if kept.offset >= 0}
    return found


async def _set_positions(access: KafkaAccess, groups: dict[str, dict[TopicPartition, int]]) -> None:
    """Have groups go on behind what they had handled; what they have handled since counts, too."""
    for group, wanted in groups.items():
        consumer: Any = AIOKafkaConsumer(group_id=group, enable_auto_commit=False, **access.options())
        try:
            await consumer.start()
            consumer.assign(list(wanted))
            held = {place: await consumer.committed(place) or 0 for place in wanted}
            if further := {place: count for place, count in wanted.items() if count > held[place]}:
                await consumer.commit(further)
        finally:
            await consumer.stop()


@asynccontextmanager
async def _administrator(access: KafkaAccess) -> AsyncGenerator[Any]:
    admin = AIOKafkaAdminClient(**access.options())
    try:
        await admin.start()
        yield admin
    finally:
        await admin.close()


@asynccontextmanager
async def _reader(access: KafkaAccess) -> AsyncGenerator[Any]:
    reader = AIOKafkaConsumer(enable_auto_commit=False, max_partition_fetch_bytes=MESSAGE_BYTES, **access.options())
    try:
        await reader.start()
        yield reader
    finally:
        await reader.stop()


@asynccontextmanager
async def _publisher(access: KafkaAccess) -> AsyncGenerator[Any]:
    publisher = AIOKafkaProducer(
        acks="all",
        enable_idempotence=True,
        compression_type="gzip",
        max_request_size=MESSAGE_BYTES,
        max_batch_size=1024 * 1024,
        **access.options(),
    )
    try:
        await publisher.start()
        yield publisher
    finally:
        await publisher.stop()


@asynccontextmanager
async def _faults_named(access: KafkaAccess) -> AsyncGenerator[None]:
    try:
        yield
    except (KafkaError, OSError) as error:
        if (refusal := await access.refusal()) is not None:
            raise refusal from error
        raise DependencyAwayError(f"cannot be used: {error}", thing=access.bootstrap, way_out="is Kafka up?") from error


# -- the command ----------------------------------------------------------------------------------------------------


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m touchstone_runtime.topic_backup", description=__doc__)
    parser.add_argument("what", choices=("write", "restore"), help="an archive to the output, or from the input")
    chosen: str = parser.parse_args().what
    settings = settings_or_end(ServiceSettings)
    try:
        if chosen == "write":
            counts = asyncio.run(write(settings, sys.stdout.buffer))
        else:
            counts = asyncio.run(restore(settings, sys.stdin.buffer))
    except TouchstoneError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    # Beside the archive, not in it.
    sys.stderr.write(f"{json.dumps(asdict(counts))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
