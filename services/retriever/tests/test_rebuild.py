"""An index that was lost is built again, goes on after a kill, and reads everything once."""

import pytest

from retriever.usecases.rebuild import BuildReport, RebuildIndex, Stream
from touchstone_runtime.rereading import Reread


class Log:
    """A topic of two partitions, read in pages of two."""

    def __init__(self, *partitions):
        self.partitions = [list(each) for each in partitions]
        self.read_so_far = []

    async def read(self, positions):
        for number, events in enumerate(self.partitions):
            place = positions.get(number, 0)
            while place < len(events):
                page = events[place : place + 2]
                place += len(page)
                self.read_so_far += page
                yield Reread(tuple(page), number, place, len(events) - place)


@pytest.fixture
def building(memory_index, memory_builds):
    """Makes a build over a log; what it took is noted."""

    def make(log, taken, fails_at=None):
        async def take(events):
            if fails_at in events:
                raise ConnectionError("killed")
            taken.extend(events)

        first = Stream("readings", 1, Log(["r"]).read, take)
        return RebuildIndex(memory_builds, memory_index, [first, Stream("functions", 2, log.read, take)])

    return make


async def test_an_empty_index_builds_itself_and_a_filled_one_only_when_told(building, memory_index, entry):
    log, taken = Log("ab", "cde"), []
    await building(log, taken).go_on()
    assert taken == ["r", *"abcde"]
    await memory_index.upsert([entry("f")])
    build = building(log, taken)
    await build.go_on()
    assert len(taken) == 6 and await build.report() is None
    await build.begin()
    assert await build.report() == BuildReport(0, -1)
    await build.go_on()
    assert taken[6:] == taken[:6] and await build.report() is None


async def test_a_killed_build_goes_on_where_it_was_and_reads_the_rest_once(building, memory_index, entry):
    await memory_index.upsert([entry("f")])
    log, taken = Log("abcd", "efgh"), []
    build = building(log, taken, fails_at="g")
    await build.begin()
    with pytest.raises(ConnectionError):
        await build.go_on()
    assert await build.report() == BuildReport(7, 2)
    again = building(log, taken)
    await again.begin()
    await again.go_on()
    assert taken == ["r", *"abcdefgh"] and await again.report() is None
    # The page that was in hand is read twice, nothing else.
    assert log.read_so_far == [*"abcdefgh", *"gh"]


async def test_of_several_replicas_one_builds(building, memory_builds):
    taken = []
    async with memory_builds.turn():
        await building(Log("a"), taken).go_on()
    assert taken == []
