"""What every store of proposals does."""

import asyncio

from retriever.ports import ImportedQuery, Proposal, ProposalCounts

QUERY = ImportedQuery("q1", "wörds", "here", 2)


def proposals(*names):
    return [Proposal(f"p-{name}", name, rank, 1 / rank, f'{{"id": "{name}"}}') for rank, name in enumerate(names, 1)]


async def test_the_first_proposals_are_the_only_ones(store):
    assert await store.proposals("q1") == []
    assert await store.save(QUERY, proposals("a", "b")) == proposals("a", "b")
    assert await store.save(QUERY, proposals("c")) == proposals("a", "b")
    assert await store.proposals("q1") == proposals("a", "b")
    assert await store.proposals("q2") == []


async def test_no_proposals_are_not_kept_for_ever(store):
    assert await store.save(QUERY, []) == []
    assert await store.save(QUERY, proposals("a")) == proposals("a")


async def test_queries_are_counted_before_they_are_answered(store):
    other = ImportedQuery("q2", "more", "", 5)
    await store.add([QUERY, other, QUERY])
    await store.add([ImportedQuery("q1", "words changed", "", 9)])
    await store.save(QUERY, proposals("a", "b", "c"))
    assert await store.counts() == ProposalCounts(queries=2, answered=1, proposals=3)
    await store.add([])


async def test_what_has_no_proposals_yet_is_told(store):
    other = ImportedQuery("q2", "more", "", 5)
    assert await store.unanswered() == []
    await store.add([other, QUERY])
    assert await store.unanswered() == [QUERY, other]
    await store.save(QUERY, proposals("a"))
    assert await store.unanswered() == [other]


async def test_queries_are_listed_from_place_to_place(store):
    others = [ImportedQuery(f"q{number}", "more", "there", 5) for number in range(2, 6)]
    await store.add([*others, QUERY])
    await store.save(others[0], proposals("a", "b"))
    assert await store.listed(2) == [(QUERY, 0), (others[0], 2)]
    assert await store.listed(2, "q2") == [(others[1], 0), (others[2], 0)]
    assert await store.listed(9, "q4") == [(others[3], 0)] and await store.listed(9, "q5") == []


async def test_of_two_writers_one_wins_whole(store):
    kept = await asyncio.gather(*(store.save(QUERY, proposals(f"{n}a", f"{n}b")) for n in range(6)))
    assert all(one == kept[0] for one in kept)
    assert [one.function_id[0] for one in kept[0]] in [[str(n)] * 2 for n in range(6)]
