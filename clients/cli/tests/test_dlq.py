"""Dead letters read from a log that is a list."""

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_cli.dlq_kafka import LogRecord
from touchstone_cli.dlq_letters import REPLAYED_HEADER, as_object, body_of, droppable, letters_in, replay, select
from touchstone_cli.errors import CliError
from touchstone_contracts.events import DeadLetter, PairProposed
from touchstone_contracts.topics import PAIR_PROPOSED, TASK_BUILT


class MemoryLog:
    """A broker's topics as one list of records."""

    def __init__(self):
        self.records = []
        self.fails_after = None

    async def read(self):
        return [record for record in self.records if record.topic.endswith(".dlq")]

    async def send(self, topic, key, value, headers):
        if self.fails_after is not None:
            if self.fails_after == 0:
                raise CliError("the broker is away")
            self.fails_after -= 1
        self.records.append(LogRecord(topic, value, key, dict(headers)))

    async def delete(self, until):
        self.records = [one for one in self.records if one.offset >= until.get((one.topic, one.partition), 0)]

    def sent_to(self, topic):
        return [record for record in self.records if record.topic == topic]


def bury(log, offset, *, topic=PAIR_PROPOSED, service="annotator", body=b'{"a": 1}', **more):
    letter = DeadLetter(
        topic=topic.name,
        partition=more.pop("partition", 0),
        offset=offset,
        key="pair-1",
        body=base64.b64encode(body).decode(),
        headers={"origin": "test"},
        service=service,
        reason="no such column\nmore",
        attempts=5,
    )
    log.records.append(LogRecord(topic.dead_letters, letter.model_dump_json().encode(), b"pair-1"))
    return letter


@pytest.fixture
def log():
    return MemoryLog()


async def letters(log):
    return letters_in(await log.read())


async def test_letters_are_listed_once_for_each_service(log):
    bury(log, 4)
    bury(log, 4)
    bury(log, 4, service="other")
    bury(log, 5, topic=TASK_BUILT)
    found = await letters(log)
    assert [(letter.id, letter.letter.service) for letter in found] == [
        (f"{PAIR_PROPOSED.name}:0:4", "annotator"),
        (f"{PAIR_PROPOSED.name}:0:4", "other"),
        (f"{TASK_BUILT.name}:0:5", "annotator"),
    ]
    assert not any(letter.replayed for letter in found)


async def test_what_is_no_letter_is_left_out(log):
    log.records.append(LogRecord(PAIR_PROPOSED.dead_letters, b"not json"))
    log.records.append(LogRecord(PAIR_PROPOSED.dead_letters, b"{}"))
    assert await letters(log) == []


async def test_replay_publishes_the_original_bytes_with_their_key(log):
    body = PairProposed.model_construct(pair_id="p").pair_id.encode() + b"\xff\x00"
    bury(log, 4, body=body)
    assert await replay(log, await letters(log)) == [f"{PAIR_PROPOSED.name}:0:4"]
    assert log.sent_to(PAIR_PROPOSED.name) == [LogRecord(PAIR_PROPOSED.name, body, b"pair-1", {"origin": "test"})]


async def test_replayed_letters_are_known_as_such(log):
    bury(log, 4)
    bury(log, 5)
    await replay(log, select(await letters(log), f"{PAIR_PROPOSED.name}:0:4"))
    assert [letter.replayed for letter in await letters(log)] == [True, False]
    marker = log.records[-1]
    assert (marker.topic, marker.headers) == (
        PAIR_PROPOSED.dead_letters,
        {REPLAYED_HEADER: f"{PAIR_PROPOSED.name}:0:4"},
    )


async def test_a_message_with_two_letters_is_published_once(log):
    bury(log, 4)
    bury(log, 4, service="other")
    await replay(log, await letters(log))
    assert len(log.sent_to(PAIR_PROPOSED.name)) == 1
    assert all(letter.replayed for letter in await letters(log))


async def test_a_crash_between_message_and_marker_leaves_it_to_be_replayed(log):
    bury(log, 4)
    log.fails_after = 1
    with pytest.raises(CliError):
        await replay(log, await letters(log))
    log.fails_after = None
    assert [letter.replayed for letter in await letters(log)] == [False]
    await replay(log, await letters(log))
    assert len(log.sent_to(PAIR_PROPOSED.name)) == 2


async def test_a_body_that_is_damaged_is_not_published(log):
    letter = bury(log, 4)
    damaged = letter.model_copy(update={"body": "no base64!"})
    log.records = [LogRecord(PAIR_PROPOSED.dead_letters, damaged.model_dump_json().encode())]
    with pytest.raises(CliError, match="nothing was published"):
        await replay(log, await letters(log))
    assert not log.sent_to(PAIR_PROPOSED.name)


async def test_one_letter_that_cannot_be_read_keeps_no_other_from_being_replayed(log):
    for offset in range(4):
        letter = bury(log, offset)
        if offset % 2:
            damaged = letter.model_copy(update={"body": "", "body_digest": "ab" * 32} if offset == 1 else {"body": "!"})
            log.records[-1] = LogRecord(PAIR_PROPOSED.dead_letters, damaged.model_dump_json().encode())
    told = []
    with pytest.raises(CliError, match=r"^2 letters could not be replayed: ") as caught:
        await replay(log, await letters(log), told.append)
    for words in (":0:1: its message cannot be read", ":0:3: its body is no base64"):
        assert f"{PAIR_PROPOSED.name}{words}" in str(caught.value)
    assert told == [f"{PAIR_PROPOSED.name}:0:0", f"{PAIR_PROPOSED.name}:0:2"]
    assert len(log.sent_to(PAIR_PROPOSED.name)) == 2
    assert [letter.replayed for letter in await letters(log)] == [True, False, True, False]


async def test_what_was_replayed_before_the_broker_went_is_told(log):
    bury(log, 4)
    bury(log, 5)
    log.fails_after, told = 3, []
    with pytest.raises(CliError, match="the broker is away"):
        await replay(log, await letters(log), told.append)
    assert told == [f"{PAIR_PROPOSED.name}:0:4"]


async def test_letters_by_event_id(log):
    first, second = bury(log, 4), bury(log, 5)
    found = await letters(log)
    assert [letter.letter.offset for letter in select(found, second.event_id[:12])] == [5]
    assert first.event_id != second.event_id
    with pytest.raises(CliError, match="no such dead letter"):
        select(found, "zzzz")
    with pytest.raises(CliError, match="empty id"):
        select(found, "")


async def test_an_id_that_means_several_is_refused(log):
    for offset in range(20):
        bury(log, offset)
    found = await letters(log)
    shared = next(
        prefix
        for prefix in "0123456789abcdef"
        if sum(letter.letter.event_id.startswith(prefix) for letter in found) > 1
    )
    with pytest.raises(CliError, match="give more of the id"):
        select(found, shared)


async def test_letters_as_json(log):
    bury(log, 4)
    [letter] = await letters(log)
    shown = as_object(letter)
    assert (shown["id"], shown["attempts"], shown["replayed"]) == (f"{PAIR_PROPOSED.name}:0:4", 5, False)
    assert "body" not in shown and body_of(letter) == {"a": 1}
    json.dumps(shown)


async def test_bodies_that_are_no_json(log):
    bury(log, 4, body=b"\xffplain")
    [letter] = await letters(log)
    assert body_of(letter) == "\ufffdplain"


async def test_a_broker_that_was_restored_counts_anew_and_no_letter_hides_behind_a_namesake(log):
    bury(log, 4, body=b"before")
    await replay(log, await letters(log))
    bury(log, 4, body=b"after")
    assert [letter.replayed for letter in await letters(log)] == [True, False]
    assert await replay(log, [each for each in await letters(log) if not each.replayed])
    assert [record.value for record in log.sent_to(PAIR_PROPOSED.name)] == [b"before", b"after"]
    assert all(letter.replayed for letter in await letters(log))


# -- what is deleted ----------------------------------------------------------------------------------------------

LETTERS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from("rn"), st.integers(0, 4), st.integers(0, 9)), max_size=14
)


def written(entries):
    """Records of two partitions: letters ("n") and notes of replays ("r") of five messages, with their days."""
    records, ends = [], [100, 7]
    for partition, kind, offset, day in entries:
        letter = bury(MemoryLog(), offset)
        headers = {REPLAYED_HEADER: f"{PAIR_PROPOSED.name}:0:{offset}"} if kind == "r" else {}
        value = b"" if headers else letter.model_dump_json().encode()
        records.append(
            LogRecord(PAIR_PROPOSED.dead_letters, value, b"k", headers, partition, ends[partition], day * 86_400_000)
        )
        ends[partition] += 2
    return records


@given(LETTERS, st.integers(0, 10), st.booleans())
async def test_what_stays_is_told_as_before_and_what_goes_is_what_may(entries, day, unreplayed):
    log = MemoryLog()
    log.records = written(entries)
    before = {letter.id: letter for letter in await letters(log)}
    young = {letter.id for letter in letters_in([one for one in log.records if one.sent_ms >= day * 86_400_000])}
    dropped = droppable(log.records, day * 86_400_000, unreplayed=unreplayed)
    await log.delete(dropped.until)
    after = {letter.id: letter for letter in await letters(log)}
    # No letter that stays is replayed once more, and none that is young or waits goes.
    assert after == {name: before[name] for name in after}
    assert young <= after.keys() and (unreplayed or all(before[name].replayed for name in before.keys() - after.keys()))
    gone = before.keys() - after.keys()
    assert (dropped.letters, dropped.stay) == (len(gone), len(after))
    assert dropped.unreplayed == sum(not before[name].replayed for name in gone)
    again = droppable(log.records, day * 86_400_000, unreplayed=unreplayed)
    assert (again.letters, again.stay) == (0, len(after))


async def test_letters_go_up_to_the_first_that_stays(log):
    log.records = written([(0, "n", 0, 1), (0, "r", 0, 1), (0, "n", 1, 1), (0, "n", 2, 1), (0, "r", 2, 1)])
    dropped = droppable(log.records, 2 * 86_400_000)
    assert (dropped.letters, dropped.stay) == (1, 2) and dropped.until == {(PAIR_PROPOSED.dead_letters, 0): 104}
    whole = droppable(log.records, 2 * 86_400_000, unreplayed=True)
    assert (whole.letters, whole.unreplayed, whole.stay) == (3, 1, 0)
