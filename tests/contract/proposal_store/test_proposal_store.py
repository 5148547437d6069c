"""What every store of proposals does."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from retriever.domain.exact import TWINS
from retriever.ports import ImportedQuery, Look, PoolVersion, Proposal, ProposalCounts

QUERY = ImportedQuery("q1", "wörds", "here", 2)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
LOOK = Look(NOW, "5:1", 20, {"a|b": 7})


def proposals(*names, version=1):
    return [
        Proposal(f"p-{name}", name, rank, 1 / rank, f'{{"id": "{name}"}}', version, f"{TWINS}{name}")
        for rank, name in enumerate(names, 1)
    ]


def looked(minutes, index="5:1"):
    return Look(NOW + timedelta(minutes=minutes), index, 20, {})


async def test_a_pool_grows_by_what_does_not_stand_there(store):
    assert await store.proposals("q1") == []
    assert await store.extend(QUERY, proposals("a", "b"), LOOK, 9) == proposals("a", "b")
    assert await store.extend(QUERY, proposals("c", "a", "b"), looked(1), 9) == proposals("c", version=2)
    assert await store.extend(QUERY, proposals("b"), looked(2), 9) == []
    assert await store.proposals("q1") == proposals("a", "b") + proposals("c", version=2)
    assert await store.proposals("q2") == []
    assert await store.versions() == [PoolVersion("q1", 1, 2, LOOK), PoolVersion("q1", 2, 1, looked(1))]
    assert await store.versions("q2") == []


async def test_copies_and_what_is_too_much_do_not_enter(store):
    [copy] = proposals("copy")
    copy = Proposal(copy.pair_id, copy.function_id, 2, 0.5, copy.record, 1, f"{TWINS}a")
    assert await store.extend(QUERY, [*proposals("a"), copy], LOOK, 9) == proposals("a")
    assert await store.extend(QUERY, [copy, *proposals("b", "c")], looked(1), 2) == proposals("b", version=2)


@pytest.mark.parametrize("store", [pytest.param("postgres", marks=pytest.mark.real)], indirect=True)
@pytest.mark.parametrize("before", ["", "2-0123456789", "0" * 32])
async def test_a_copy_of_what_entered_by_a_digest_of_before_does_not_enter(store, before, load_module):
    code = load_module("services/retriever/tests/conftest.py").make_code("f", code="def f(x):\n    return x")
    [of_before] = (replace(one, record=code.record, twin=before) for one in proposals("a"))
    await store.extend(QUERY, [of_before], LOOK, 9)
    copy = replace(of_before, pair_id="p-copy", function_id="copy", twin=code.twin)
    assert await store.extend(QUERY, [copy, *proposals("b")], looked(1), 9) == proposals("b", version=2)


async def test_what_is_not_published_is_told_until_it_is(store):
    await store.extend(QUERY, proposals("a", "b"), LOOK, 9)
    assert await store.unpublished("q1") == proposals("a", "b")
    await store.mark_published("q1", ["p-a"])
    assert await store.unpublished("q1") == proposals("a", "b")[1:]
    await store.mark_published("q1", ["p-b"])
    assert await store.unpublished("q1") == []


async def test_pools_are_due_when_the_index_changed_or_a_day_passed_the_longest_waiting_first(store):
    later, waits = ImportedQuery("q0", "later", "", 5), ImportedQuery("q9", "waits", "", 5)
    await store.add([waits])
    for minutes, query in ((0, QUERY), (5, later)):
        await store.extend(query, proposals("a"), looked(minutes), 9)
        await store.mark_published(query.query_id, ["p-a"])

    async def due(index, rested, stale=-60, limit=9):
        return await store.due(index, NOW + timedelta(minutes=rested), NOW + timedelta(minutes=stale), limit)

    assert await due("5:1", 10) == []
    assert await due("6:1", 10) == [QUERY, later]
    assert await due("6:1", 10, limit=1) == [QUERY]
    assert await due("6:1", 3) == [QUERY]
    assert await due("5:1", 10, stale=3) == [QUERY]
    await store.extend(QUERY, [], looked(7, "6:1"), 9)
    assert await due("6:1", 10) == [later]
    await store.extend(QUERY, proposals("b"), looked(8, "6:1"), 9)
    assert await due("6:1", 6) == [later, QUERY]


async def test_no_proposals_are_not_kept_for_ever(store):
    assert await store.extend(QUERY, [], LOOK, 9) == []
    assert await store.extend(QUERY, proposals("a"), LOOK, 9) == proposals("a")


async def test_queries_are_counted_before_they_are_answered(store):
    other = ImportedQuery("q2", "more", "", 5)
    assert await store.add([QUERY, other, QUERY]) == {QUERY.query_id, other.query_id}
    assert await store.add([ImportedQuery("q1", "words changed", "", 9)]) == set()
    assert await store.meant(QUERY.query_id) == [QUERY.query_id] and await store.meant("%") == []
    assert len(await store.meant("")) == 2
    await store.extend(QUERY, proposals("a", "b", "c"), LOOK, 9)
    assert await store.counts() == ProposalCounts(queries=2, answered=1, proposals=3)
    await store.add([])


async def test_what_has_no_proposals_yet_is_told(store):
    other = ImportedQuery("q2", "more", "", 5)
    assert await store.unanswered() == []
    await store.add([other, QUERY])
    assert await store.unanswered() == [QUERY, other]
    await store.extend(QUERY, proposals("a"), LOOK, 9)
    assert await store.unanswered() == [other]


async def test_queries_are_listed_from_place_to_place(store):
    others = [ImportedQuery(f"q{number}", "more", "there", 5) for number in range(2, 6)]
    await store.add([*others, QUERY])
    await store.extend(others[0], proposals("a", "b"), LOOK, 9)
    assert await store.listed(2) == [(QUERY, 0), (others[0], 2)]
    assert await store.listed(2, "q2") == [(others[1], 0), (others[2], 0)]
    assert await store.listed(9, "q4") == [(others[3], 0)] and await store.listed(9, "q5") == []
    assert await store.listed(9, "q4\0\udc80") == [(others[3], 0)], "a place that nobody gave is one between others"


async def test_of_writers_at_once_each_pair_enters_once(store):
    entered = await asyncio.gather(*(store.extend(QUERY, proposals("a", f"{n}"), LOOK, 20) for n in range(6)))
    pool = await store.proposals("q1")
    assert sorted(one.function_id for one in pool) == sorted(["a", *"012345"])
    assert sorted(one.function_id for new in entered for one in new) == sorted(one.function_id for one in pool)
    assert sorted({one.version for one in pool}) == [1, 2, 3, 4, 5, 6]
