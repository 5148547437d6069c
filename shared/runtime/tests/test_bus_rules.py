from types import SimpleNamespace

from hypothesis import given
from hypothesis import strategies as st

from touchstone_contracts.events import SourceRequested
from touchstone_contracts.topics import TOPICS
from touchstone_runtime import metrics
from touchstone_runtime.bus import Bus
from touchstone_runtime.dead_letters import DeadLetterLimit, reason_of
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.faults import Fault
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.tries import Tries


def test_a_few_dead_letters_stop_nobody():
    limit = DeadLetterLimit(0.5)
    assert not any(limit.record(died_of_us=True) for _ in range(9))


def test_a_large_share_of_dead_letters_stops_the_consumer():
    limit = DeadLetterLimit(0.5)
    assert [limit.record(died_of_us=True) for _ in range(10)][-1]


@given(st.lists(st.booleans(), max_size=200))
def test_half_good_messages_never_stop_a_consumer(outcomes):
    limit = DeadLetterLimit(0.5)
    for dead in outcomes:
        assert not limit.record(died_of_us=False)
        assert not limit.record(died_of_us=dead)


def test_a_reason_names_the_field_but_not_the_content():
    try:
        SourceRequested.model_validate_json('{"source_id": 1, "request_id": "secret"}')
    except ValueError as error:
        words = reason_of(error)
    assert "source_id" in words and "secret" not in words


def test_a_reason_is_one_line():
    assert reason_of(PermanentError("first\nsecond")) == "first"
    assert reason_of(PermanentError("no such blob", thing="\r\n\r\nX: y")) == "X: y: no such blob"
    assert reason_of(PermanentError("\n \u2028")) == "PermanentError"


@given(st.dictionaries(st.integers(0, 60), st.integers(1, 4), max_size=40), st.integers(-1, 60))
def test_a_mark_keeps_every_count_that_was_made(counts, until):
    tries = Tries("process 0")
    tries.begin_all(until)
    for process in range(4):
        before = {offset: tries.before(offset) for offset in counts}
        begun = [offset for offset, count in counts.items() if count > process]
        for offset in begun:
            tries.begin(offset)
        assert len(tries.mark(0)) <= 2000 and tries.mark(61) == ""
        tries = Tries.read(tries.mark(0), f"process {process + 1}")
        for offset in counts:
            begun_all = 1 if process == 0 and offset <= until else 0
            assert tries.before(offset) == (before[offset] + 1 if offset in begun else max(before[offset], begun_all))


def test_marks_of_before_are_read():
    kept = Tries.read('{"to":9,"n":{"4":2},"by":"x"}', "y")
    assert [kept.before(offset) for offset in (3, 4, 9, 10)] == [1, 2, 1, 0]


def test_messages_that_merely_wait_spend_no_try():
    """An operator is called for what goes to the dead letters after its tries, which waiting never does."""
    topic, record = TOPICS[0], SimpleNamespace(partition=0, offset=7)
    retries = metrics.EVENT_RETRIES.labels(topic.name)
    note = Bus(ServiceSettings(), "evaluator")._noter(topic, [record], SimpleNamespace(waits=lambda record: None))
    before = retries._value.get()
    for tries in range(1, 40):
        note(ConnectionError("database away"), Fault.WAIT, tries)
    assert retries._value.get() == before
    assert metrics.MESSAGES_WAITING.labels(topic.name)._value.get() == 1
    for fault in (Fault.RETRY, Fault.FINAL):
        note(ValueError("damaged"), fault, 1)
    assert retries._value.get() == before + 1


async def test_of_messages_that_are_handled_together_each_counts_while_they_wait():
    topic, seen = TOPICS[0], []
    bus = Bus(ServiceSettings(retry_attempts=1), "evaluator")
    event = SourceRequested(source_id="a", request_id="b")
    body = event.model_dump_json().encode()
    records = [
        SimpleNamespace(timestamp=0, partition=0, offset=offset, value=body, key=None, headers=(), topic=topic.name)
        for offset in range(64)
    ]

    def shown():
        figures = (metrics.EVENTS_IN_FLIGHT, metrics.MESSAGES_WAITING)
        return tuple(figure.labels(topic.name)._value.get() for figure in figures)

    async def pause(_seconds):
        seen.append(shown())

    async def handle(events):
        seen.append(shown())
        if len(seen) == 1:
            raise ConnectionError("database away")

    before = shown()
    consumption = SimpleNamespace(pause=pause, waits=lambda _record: None)
    await bus._handle(topic, records, handle, DeadLetterLimit(0.5), consumption)
    assert seen == [(before[0] + 64, before[1])] + [(before[0] + 64, 64)] * 2
    assert shown() == (before[0], 0)
