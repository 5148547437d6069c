"""An index that was lost is built again, goes on after a kill, and reads everything once."""

import pytest

from retriever.adapters.memory_index import MemoryIndex
from retriever.usecases.rebuild import BuildReport, RebuildIndex, Stream
from touchstone_runtime.errors import PermanentError, RetryableError
from touchstone_runtime.faults import DependencyAwayError
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


class Taking:
    """Takes events but for those that fail as told."""

    def __init__(self, **faults):
        self.faults, self.taken = faults, []

    async def __call__(self, events):
        for event in events:
            if event in self.faults:
                raise self.faults[event]
        self.taken += [event for event in events if event not in self.taken]


def rebuild_of(store, index, log, take, **more):
    return RebuildIndex(store, index, [Stream("functions", 2, log.read, take)], **more)


async def test_an_event_that_cannot_be_taken_keeps_no_other_one_back(memory_index, memory_builds):
    take = Taking(b=PermanentError("not finite"), e=PermanentError("no such blob"))
    build = rebuild_of(memory_builds, memory_index, Log("abcd", "efg"), take)
    await build.go_on()
    assert take.taken == [*"acdfg"] and await build.report() is None


async def test_an_event_at_which_the_index_fails_is_left_out_after_some_tries_and_an_away_index_is_waited_for(
    memory_index, memory_builds
):
    take = Taking(b=RetryableError("index row requires 9040 bytes"))
    build = rebuild_of(memory_builds, memory_index, Log("abcd", "efg"), take, tries=3)
    for _turn in range(2):
        with pytest.raises(RetryableError):
            await build.go_on()
    assert take.taken == []
    await build.go_on()
    assert take.taken == [*"acdefg"] and await build.report() is None
    for faults in ({"b": DependencyAwayError("away")}, {one: RetryableError("is down") for one in "abcdefg"}):
        away = Taking(**faults)
        build = rebuild_of(memory_builds, memory_index, Log("abcd", "efg"), away, tries=3)
        await build.begin()
        for _turn in range(9):
            # Where not one of a page can be taken it is no event's fault.
            with pytest.raises((RetryableError, DependencyAwayError)):
                await build.go_on()
        assert away.taken == []
        away.faults = {}
        await build.go_on()
        assert sorted(away.taken) == [*"abcdefg"]


class Server:
    """An index that can come back empty."""

    def __init__(self):
        self.lose()

    def lose(self):
        self.now = MemoryIndex()

    def __getattr__(self, name):
        return getattr(self.now, name)

    async def has(self):
        return (await self.counts()).indexed


@pytest.fixture
def losing(memory_builds, entry):
    """Makes a build over ten codes, a server that loses all of them, and a log that can break off."""

    class Losing:
        def __init__(self):
            self.server, self.log, self.breaks_at, self.clock = Server(), Log("", "0123456789"), None, 0.0

        async def take(self, names):
            if self.breaks_at in names:
                raise DependencyAwayError("killed")
            await self.server.upsert([entry(f"f{name}") for name in names])

        def start(self):
            return rebuild_of(memory_builds, self.server, self.log, self.take, clock=lambda: self.clock)

    return Losing()


@pytest.mark.parametrize("restarted", [True, False])
async def test_an_index_that_is_lost_while_a_build_goes_on_is_built_from_the_first_message(losing, restarted):
    losing.breaks_at = "6"
    build = losing.start()
    with pytest.raises(DependencyAwayError):
        await build.go_on()
    assert await losing.server.has() == 6
    losing.server.lose()
    losing.breaks_at = None
    await (losing.start() if restarted else build).go_on()
    assert await losing.server.has() == 10


@pytest.mark.parametrize("written", [[], ["0", "new"]])
async def test_an_index_that_is_lost_while_the_retriever_runs_is_built_again_by_itself(losing, written):
    build = losing.start()
    await build.go_on()
    losing.clock += 60
    await build.go_on()
    reads = len(losing.log.read_so_far)
    losing.server.lose()
    await losing.take(written)
    for _turn in range(3):
        losing.clock += 60
        await build.go_on()
    assert await losing.server.has() == 10 + len(written[1:]) and len(losing.log.read_so_far) == reads + 10


async def test_an_index_that_nothing_fills_is_read_for_once(losing):
    losing.log = Log("", "")
    build = losing.start()
    for _turn in range(3):
        losing.clock += 60
        await build.go_on()
    assert await losing.server.has() == 0 and await build.report() is None
