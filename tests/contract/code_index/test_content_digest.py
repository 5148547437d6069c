"""Every index says by a digest what it holds, so that figures of one content are not held against those of another."""

import dataclasses

import pytest

from retriever.adapters.memory_index import MemoryIndex

KEYS = ("a", "b")


def _entries(made, names, **about):
    vectors = {key: made.toward(10) for key in KEYS}
    return [made.make_entry(name, vectors=vectors, **about) for name in names]


async def test_the_same_content_has_the_same_digest_in_whatever_order_it_came_and_at_every_store(index, made):
    entries = _entries(made, "pqrs")
    await index.upsert(entries)
    there = await index.digest(KEYS)
    await index.upsert(entries[2:])
    assert there and await index.digest(KEYS) == there
    other = MemoryIndex()
    for entry in reversed(entries):
        await other.upsert([entry])
    assert await other.digest(KEYS) == there


async def test_a_code_that_takes_the_place_of_another_changes_the_digest(index, made):
    entries = _entries(made, "pqrs")
    await index.upsert(entries)
    before, counts = await index.digest(KEYS), await index.counts()
    other = dataclasses.replace(entries[0].code, record=f"{entries[0].code.record} ")
    await index.upsert([dataclasses.replace(entries[0], code=other)])
    assert await index.counts() == counts and await index.digest(KEYS) not in ("", before)
    await index.upsert(entries[:1])
    assert await index.digest(KEYS) == before


async def test_as_many_other_codes_are_another_content(made):
    one, other = MemoryIndex(), MemoryIndex()
    await one.upsert(_entries(made, "pqr"))
    await other.upsert(_entries(made, "pqs"))
    assert await one.counts() == await other.counts() and await one.digest(KEYS) != await other.digest(KEYS)


async def test_which_codes_lack_vectors_of_the_spaces_that_are_named_is_part_of_it(index, made):
    whole = _entries(made, "pq")
    halves = [dataclasses.replace(entry, vectors={"a": entry.vectors["a"]}) for entry in whole]
    found = []
    for entries in ([whole[0], halves[1]], [halves[0]], whole):
        await index.upsert(entries)
        found.append((await index.digest(("a",)), await index.digest(KEYS)))
    of_a, of_both = zip(*found, strict=True)
    assert len({*of_a}) == 1 and of_both[0] == of_both[1] != of_both[2] == of_a[2]
    assert await index.digest(("a", "nobody's")) != of_a[0]
    await index.forget(["b"])
    assert await index.digest(("a",)) == of_a[0] and await index.digest(KEYS) not in of_both


async def test_which_of_two_codes_lacks_a_vector_is_told(made):
    whole = _entries(made, "pq")
    halves = [dataclasses.replace(entry, vectors={"a": entry.vectors["a"]}) for entry in whole]
    one, other = MemoryIndex(), MemoryIndex()
    await one.upsert([whole[0], halves[1]])
    await other.upsert([halves[0], whole[1]])
    assert await one.digest(KEYS) != await other.digest(KEYS)


@pytest.mark.parametrize("keys", [(), KEYS])
async def test_an_empty_index_has_a_digest(index, made, keys):
    empty = await index.digest(keys)
    await index.upsert(_entries(made, "p"))
    assert empty and await index.digest(keys) != empty
