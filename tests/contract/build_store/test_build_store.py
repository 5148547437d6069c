"""What every store of builds does."""

from retriever.ports import BuildPlace


async def test_a_build_is_begun_once_and_knows_how_far_it_is(store):
    assert await store.places() == []
    assert await store.begin([("b", 0), ("a", 1), ("a", 0)])
    await store.advance("a", 1, 7, 3, 4)
    await store.advance("a", 1, 9, 2, 0)
    assert not await store.begin([("c", 0)])
    assert await store.places() == [BuildPlace("a", 0, 0), BuildPlace("a", 1, 9, 5, 0), BuildPlace("b", 0, 0)]
    await store.ended("a")
    assert [place.left for place in await store.places()] == [0, 0, -1]
    await store.finish()
    assert await store.places() == [] and await store.begin([("c", 0)])


async def test_one_has_the_turn_and_gives_it_back(store):
    async with store.turn() as first:
        async with store.turn() as second:
            assert (first, second) == (True, False)
        async with store.turn() as third:
            assert not third
    async with store.turn() as fourth:
        assert fourth
