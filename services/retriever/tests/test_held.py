"""An index that answers from memory: what it holds, whom it follows, and when it lets the store answer."""

import asyncio
import sys

import numpy as np
import pytest

from retriever.adapters import held_vectors
from retriever.adapters.held_codes import HeldCodes, prepared
from retriever.adapters.held_few import FewCodes, ShortCodes
from retriever.adapters.held_index import HeldIndex
from retriever.adapters.held_vectors import HeldSpace
from retriever.adapters.memory_index import MemoryIndex
from retriever.domain.code import Hit, SearchFilter
from retriever.domain.text import query_terms
from retriever.domain.versions import Reading
from retriever.settings import RetrieverSettings

ROOM = 2**30


class Watched(MemoryIndex):
    """Counts the questions that reach the store."""

    def __init__(self):
        super().__init__()
        self.asked = 0

    async def near(self, *question):
        self.asked += 1
        return await super().near(*question)


@pytest.fixture
def store():
    return Watched()


async def found(index, direction, **chosen):
    near = await index.near({"m": direction(0)}, [], SearchFilter(**chosen), 10)
    return {one.rpartition(":")[2] for one in near.ids}


async def test_the_store_answers_until_the_memory_is_whole(store, changes, entry, direction):
    index = HeldIndex(store, changes, ROOM)
    await index.upsert([entry("f", 10)])
    assert await found(index, direction) == {"f"} and store.asked == 1
    assert index.state == "filling"
    await index.follow()
    assert await found(index, direction) == {"f"} and store.asked == 1
    assert index.state.startswith("1 codes in 0 of 1,024 MiB")
    await index.close()


async def test_symbols_paths_and_patterns_are_asked_of_the_store(store, changes, entry, direction):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    await index.upsert([entry("f", 10), entry("g", 20)])
    for chosen in ({"symbol": "g"}, {"path": "pkg"}, {"pattern": "def g"}):
        before = store.asked
        assert "g" in await found(index, direction, **chosen) and store.asked == before + 1
    await index.close()


async def test_what_one_replica_writes_another_finds_and_what_left_leaves(store, changes, entry, source, direction):
    one, other = HeldIndex(store, changes, ROOM), HeldIndex(store, changes, ROOM)
    for index in (one, other):
        await index.follow()
    first, second = source(version="1.0"), source(version="2.0", released="2026-06-01T00:00:00Z")
    await one.upsert([entry("kept", 10, source=first), entry("gone", 20, source=first)])
    assert await found(one, direction) == {"kept", "gone"} and await found(other, direction) == set()
    await other.follow()
    assert await found(other, direction) == {"kept", "gone"}
    reading = Reading("shapes-2.0", frozenset({"shapes-1.0"}), frozenset({("pkg/core.py", "kept")}))
    assert await one.settle(second.source_id, reading) == 1
    await other.follow()
    assert await found(one, direction) == {"kept"} == await found(other, direction)
    await one.upsert([entry("kept", 30, source=second)], {second.source_id: reading})
    await other.follow()
    near = await other.near({"m": direction(0)}, [], SearchFilter(), 10)
    assert near.ids == {"shapes-2.0:kept"}
    assert await one.forget(["m"]) == 3
    # Which vectors went with the space is not told apart: all is read again.
    for _ in range(2):
        await other.follow()
    assert await found(other, direction) == set() and store.asked == 0
    for index in (one, other):
        await index.close()


async def test_a_store_that_knows_its_spaces_by_a_sample_is_held_with_all_vectors(store, changes, entry, direction):
    await store.upsert([entry("f", 10), entry("g", vectors={"m": direction(20), "later": direction(20)})])

    async def of_the_first_codes():
        return {"m"}

    store.spaces = of_the_first_codes
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    assert (await index.near({"later": direction(0)}, [], SearchFilter(), 10)).ids == {"shapes-1.0:g"}
    await index.upsert([entry("h", vectors={"later": direction(30)})])
    near = await index.near({"later": direction(0)}, [], SearchFilter(), 10)
    assert near.ids == {"shapes-1.0:g", "shapes-1.0:h"} and store.asked == 0
    await index.close()


async def test_letting_go_of_what_nothing_has_leaves_what_is_held(store, changes, entry, direction):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    await index.upsert([entry("f", 10)])
    assert await index.forget(["other"]) == 0
    assert await found(index, direction) == {"f"} and store.asked == 0
    await index.close()


async def test_who_missed_changes_that_are_kept_no_more_fills_anew(store, changes, entry, direction):
    index, other = HeldIndex(store, changes, ROOM), HeldIndex(store, changes, 0)
    await index.follow()
    changes.kept = 2
    for number in range(5):
        await other.upsert([entry(f"f{number}", number)])
    await index.follow()
    assert len(await found(index, direction)) == 5 and store.asked == 1
    await index.follow()
    assert len(await found(index, direction)) == 5 and store.asked == 1
    # Restored from a copy of before.
    changes.last, changes.changes = 1, []
    await index.follow()
    await index.follow()
    assert len(await found(index, direction)) == 5 and store.asked == 1
    assert other.state == "off"
    for one in (index, other):
        await one.close()


async def test_a_log_that_cannot_be_read_lets_the_store_answer(store, changes, entry, direction, monkeypatch):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    await index.upsert([entry("f", 10)])
    monkeypatch.setattr(index, "_until", 0.0)
    assert await found(index, direction) == {"f"} and store.asked == 1
    assert "the store answers" in index.state
    await index.close()


async def test_too_much_stays_with_the_store_and_says_so(store, changes, entry, direction):
    await store.upsert([entry(f"f{number}", number) for number in range(300)])
    index = HeldIndex(store, changes, 50_000)
    await index.follow()
    await index.follow()
    assert "too much to hold" in index.state and "search_memory_mb" in index.state
    assert await found(index, direction) and store.asked == 1
    await index.close()


async def test_what_fits_is_not_given_up_by_a_guess_from_its_first_codes(store, changes, entry):
    # All say the same words: the first hundred codes know them all.
    words = " ".join(f"word{'abcdefghij'[one % 10]}{chr(97 + one // 10 % 26)}x" for one in range(150))
    await store.upsert([entry(f"f{number}", number, code=f"def f(x):\n    return {words}") for number in range(900)])
    whole = HeldIndex(store, changes, ROOM)
    await whole.follow()
    assert whole._codes is not None
    tight = HeldIndex(store, changes, int(whole._codes.bytes * 1.01))
    await tight.follow()
    assert "codes in" in tight.state
    for one in (whole, tight):
        await one.close()


def test_whoever_reads_at_any_moment_of_a_write_finds_every_code_that_is_there(code, direction):
    codes = [code(name) for name in ("f", "g")]
    ids = [one.function_id for one in codes]
    held, missed, reads = HeldCodes(2), [], 0

    def batch(degrees, of):
        return [prepared(Hit(one, 0.0, False), {f"m{degrees}": direction(degrees)}) for one in of]

    def look(frame, _event, _arg):
        """Read as another thread would that comes between any two instructions."""
        nonlocal reads
        if "held_" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        reads += 1
        found = held.codes(ids)
        if set(found) != set(ids) or held.bytes < 0:
            missed.append((frame.f_code.co_name, frame.f_lineno))
        return look

    held.take(batch(0, codes))
    before = sys.gettrace()
    sys.settrace(look)
    try:
        held.take(batch(10, codes))
        held.take(batch(20, [code(name, docstring="another one") for name in ("f", "g")]))
    finally:
        sys.settrace(before)
    assert missed == [] and reads > 100


async def test_a_code_that_is_written_again_has_its_new_vector_and_words_alone(store, changes, entry, direction):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    for degrees, word in ((10, "alpha"), (50, "beta")):
        await index.upsert([entry("f", degrees, code=f"def f(x):\n    return {word}"), entry("g", 20)])
    near = await index.near({"m": direction(0)}, query_terms("beta alpha"), SearchFilter(), 5)
    expected = await store.near({"m": direction(0)}, query_terms("beta alpha"), SearchFilter(), 5)
    assert near.cosines["m"]["shapes-1.0:f"] == pytest.approx(np.cos(np.radians(50)), abs=2e-6)
    assert dict(near.text) == pytest.approx(dict(expected.text), abs=1e-6) and near.text
    await index.close()


@pytest.fixture(params=[16, 17])
def clustered(request):
    """Vectors around centres, as those of code lie: (n, d) float32; of 17 numbers no part of several can be made."""
    draw, many = np.random.default_rng(5), request.param
    rows = np.repeat(draw.normal(size=(80, many)), 50, axis=0) + draw.normal(size=(4000, many)) / 2
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_an_inverted_file_finds_what_comparing_does_with_what_came_meanwhile(clustered, code, monkeypatch):
    monkeypatch.setattr("retriever.adapters.held_codes._MOST_COMPARED", 100)
    monkeypatch.setattr(held_vectors, "LISTS_FROM", 2000)
    fresh = [
        prepared(Hit(code(f"f{number:04}", code=f"def f(x): return {number % 7}"), 0.0, number % 5 == 0), {"m": row})
        for number, row in enumerate(clustered)
    ]
    exact, held = HeldCodes(), HeldCodes()
    exact.take(fresh)
    held.take(fresh[:3000])
    [space] = held.due()
    learned = held_vectors.learn(space)
    held.take(fresh[3000:3500])
    held.adopt(space, learned)
    assert not held.due()
    held.take(fresh[3500:])
    met = 0
    for chosen in (SearchFilter(), SearchFilter(superseded=True)):
        for asked in clustered[::40]:
            one, other = [index.near({"m": asked}, [], chosen, 10) for index in (exact, held)]
            met += len(one.ids & other.ids)
            assert all(other.cosines["m"][name] == one.cosines["m"][name] for name in one.ids & other.ids)
            assert chosen.superseded or not any(int(name[-4:]) % 5 == 0 for name in other.ids)
            assert list(other.ids) == sorted(other.ids) == list(other.cosines["m"])
    assert met >= 0.97 * 2 * 100 * 10
    assert held.bytes > space.rows.nbytes / 2


@pytest.fixture
def many(clustered, code, monkeypatch):
    """Vectors in memory with an inverted file; a filter admits 2,000 of them at first."""
    monkeypatch.setattr(held_vectors, "LISTS_FROM", 2000)
    fresh = [
        prepared(Hit(code(f"f{number:04}", language="python" if number % 2 else "go"), 0.0, False), {"m": row})
        for number, row in enumerate(clustered)
    ]
    held = HeldCodes()
    held.take(fresh[:3800])
    [space] = held.due()
    learned = held_vectors.learn(space)
    held.take(fresh[3800:3900])
    held.adopt(space, learned)
    held.take(fresh[3900:])
    return held


def nearest_of(clustered, asked, admitted):
    """The ten nearest of what is admitted, by comparing with all."""
    order = np.argsort(-(clustered @ asked), kind="stable")
    return [f"shapes-1.0:f{number:04}" for number in order.tolist() if admitted(number)][:10]


def test_what_a_filter_leaves_is_found_by_short_codes_nearly_as_by_comparing(clustered, many):
    chosen, met = SearchFilter(languages=("python",)), 0
    for asked in clustered[::40]:
        near = many.near({"m": asked}, [], chosen, 10)
        met += len(near.ids & set(nearest_of(clustered, asked, lambda number: number % 2)))
        assert not any(int(name[-4:]) % 2 == 0 for name in near.ids)
    assert met >= 0.97 * 100 * 10


def test_what_a_filter_leaves_is_compared_whole_as_long_as_somebody_writes(clustered, many, code):
    chosen = SearchFilter(languages=("go",))
    many.near({"m": clustered[0]}, [], chosen, 10)
    for number in range(0, 4000, 400):
        name = code(f"new{number}", language="go")
        many.take([prepared(Hit(name, 0.0, False), {"m": clustered[number + 1]})])
        near = many.near({"m": clustered[number]}, [], chosen, 9)
        expected = nearest_of(clustered, clustered[number], lambda number: number % 2 == 0)[:8]
        assert set(expected) <= near.ids
        assert name.function_id in many.near({"m": clustered[number + 1]}, [], chosen, 9).ids


def test_codes_of_filters_that_were_not_asked_for_of_late_are_let_go_of(clustered):
    short = ShortCodes(clustered, len(clustered))
    short.put(np.arange(len(clustered)), clustered)
    slots = np.arange(0, 4000, 2)
    few = FewCodes(most_bytes=2 * 2000 * (clustered.shape[1] // 4 + 8))
    for name in ("a", "b", "a", "c", "a"):
        found = few.nearest(SearchFilter(languages=(name,)), ("m", 1), 1, lambda: slots, short, clustered[4], 20)
        assert 4 in found and len(found) == 20 and not np.any(found % 2)
    assert [chosen.languages for chosen, _space in few._held] == [("c",), ("a",)]


async def test_who_asks_while_somebody_writes_waits_for_its_turn_and_keeps_nobody_else(
    store, changes, entry, direction
):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    await index.upsert([entry("f", 10)])
    assert await found(index, direction) == {"f"}
    with index._turn:
        asking = asyncio.create_task(found(index, direction))
        await asyncio.sleep(0.05)
        assert not asking.done()
    assert await asking == {"f"} == await found(index, direction)
    await index.close()


async def test_what_a_filter_admits_is_looked_at_beside_and_then_answered_at_once(store, changes, entry, direction):
    index = HeldIndex(store, changes, ROOM)
    await index.follow()
    await index.upsert([entry("f", 10)])
    beside, there = [], index._beside
    index._beside = lambda work: beside.append(work) or there(work)
    for asked in (1, 1):
        assert await found(index, direction, languages=("python",)) == {"f"} and len(beside) == asked
    await index.close()


def test_lists_are_found_by_short_codes_of_their_centres_as_by_all_of_them(clustered):
    space = HeldSpace(clustered.shape[1], len(clustered))
    space.put(np.arange(len(clustered)), clustered)
    learned = held_vectors.learn(space)
    centres = learned.centres.refine_index.reconstruct_n(0, learned.file.nlist)
    nearest = np.argsort(-clustered[::40] @ centres.T, axis=1)[:, :4]
    found = learned.centres.search(clustered[::40], 4)[1]
    met = sum(len({*one} & {*other}) for one, other in zip(nearest.tolist(), found.tolist(), strict=True))
    assert met >= 0.97 * nearest.size
    # All of them where all are asked for.
    assert {*learned.centres.search(clustered[:1], len(centres))[1][0].tolist()} == {*range(len(centres))}


def test_an_eighth_of_the_memory_is_held_in_unless_it_is_said(monkeypatch):
    for there, said, expected in ((2**33, {}, 2**30), (2**40, {}, 2**31), (2**33, {"search_memory_mb": 0}, 0)):
        monkeypatch.setattr("retriever.settings.machine_memory", lambda there=there: there)
        assert RetrieverSettings(**said).search_memory_bytes == expected
