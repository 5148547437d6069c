"""How many codes there are: counted for all who ask within a second, and beside searches where there are very many."""

import asyncio

import pytest

from retriever.domain.code import IndexCounts
from retriever.errors import IndexUnavailableError
from retriever.usecases.counting import CountedCodes, LackingCodes


class Counts:
    """An index that is asked for its counts, and for what lacks vectors; it answers when it is let."""

    lacks, asked_lacking = {"a": 7, "b": 5}, 0

    async def lacking(self, keys):
        self.asked_lacking += 1
        await self.let.wait()
        if self.lacks is None:
            raise IndexUnavailableError("does not answer", thing="the index")
        [key] = keys
        return self.lacks[key]

    def __init__(self, indexed):
        self.indexed, self.asked, self.let = indexed, 0, asyncio.Event()
        self.let.set()

    async def counts(self):
        self.asked += 1
        await self.let.wait()
        if self.indexed < 0:
            raise IndexUnavailableError("does not answer", thing="the index")
        return IndexCounts(self.indexed, 0)


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


async def asked_at_once(count, times):
    return await asyncio.gather(*(count() for _ in range(times)))


async def test_all_who_ask_within_a_second_share_one_count(clock):
    index = Counts(9_000)
    count = CountedCodes(index, clock)
    assert await asked_at_once(count, 40) == [9_000] * 40 and await count() == 9_000
    assert index.asked == 1
    index.indexed, clock.now = 9_001, 1.0
    assert await asked_at_once(count, 40) == [9_001] * 40 and index.asked == 2


async def test_of_very_many_the_last_count_is_told_while_they_are_counted_again(clock):
    index = Counts(10_000)
    count = CountedCodes(index, clock)
    assert await count() == 10_000
    index.indexed, clock.now = 20_000, 5.0
    index.let.clear()
    assert await asked_at_once(count, 3) == [10_000] * 3
    index.let.set()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert await count() == 20_000 and index.asked == 2


async def test_who_gives_up_waiting_takes_no_other_with_him(clock):
    index = Counts(7)
    index.let.clear()
    count = CountedCodes(index, clock)
    first, second = asyncio.create_task(count()), asyncio.create_task(count())
    await asyncio.sleep(0)
    first.cancel()
    index.let.set()
    assert await second == 7 and index.asked == 1


async def test_an_index_that_does_not_answer_is_told_and_asked_again(clock):
    index = Counts(-1)
    count = CountedCodes(index, clock)
    with pytest.raises(IndexUnavailableError):
        await count()
    index.indexed = 3
    assert await count() == 3


async def test_what_no_model_finds_is_counted_seldom_and_a_store_that_is_away_fails_nobody(clock):
    """Where one model's vectors come later, codes have those of the other: these are found."""
    index = Counts(9)
    lacking = LackingCodes(index, clock)
    assert [await lacking(["a", "b"]) for _ in range(3)] == [5, 5, 5] and index.asked_lacking == 2
    assert await lacking(["a"]) == 7 and await lacking([]) == 0
    index.lacks, clock.now = {"a": 1, "b": 0}, 9.0
    assert await lacking(["a", "b"]) == 5, "not so soon"
    clock.now = 10.0
    assert await lacking(["b", "a"]) == 0
    index.lacks, clock.now = None, 20.0
    assert await lacking(["a", "b"]) == 0
    assert await LackingCodes(index, clock)(["a"]) == 0


async def test_no_search_waits_for_what_takes_long_to_count_and_it_is_counted_once_at_a_time(clock):
    """Of very many codes the store compares all with all their vectors, for longer than a search may take."""
    index = Counts(9)
    lacking = LackingCodes(index, clock)
    assert await lacking(["a"]) == 7
    index.lacks, clock.now = {"a": 3}, 10.0
    index.let.clear()
    assert await asyncio.wait_for(asked_at_once(lambda: lacking(["a"]), 3), 60) == [7] * 3
    clock.now = 40.0
    assert await asyncio.wait_for(lacking(["a"]), 60) == 7 and index.asked_lacking == 2
    index.let.set()
    assert await lacking(["a"]) == 3 and index.asked_lacking == 2


async def test_who_gives_up_a_search_leaves_the_count_of_what_no_model_finds_to_the_others(clock):
    index = Counts(9)
    index.let.clear()
    lacking = LackingCodes(index, clock)
    first, second = asyncio.create_task(lacking(["a"])), asyncio.create_task(lacking(["a"]))
    await asyncio.sleep(0)
    first.cancel()
    index.let.set()
    assert await second == 7 and index.asked_lacking == 1
