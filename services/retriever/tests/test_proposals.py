"""Queries in, candidate pairs out: a pool that grows by versions."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.pools import shared_by_models
from retriever.errors import BadRequestError, EmptyIndexError
from retriever.handlers import on_query_imported
from retriever.ports import ImportedQuery, Look, Proposal
from retriever.usecases.proposals import ImportQueries, PoolRules, ProposePairs, query_id, query_meant
from touchstone_contracts.events import QueryImported
from touchstone_runtime.faults import is_the_messages

QUERY = ImportedQuery("q1", "near to 0", "test", 3)
NOW = datetime(2026, 11, 23, tzinfo=UTC)
LOOK = Look(NOW, "1:0", 20, {})


class Clock:
    """A clock that is set by hand."""

    def __init__(self):
        self.now = NOW

    def __call__(self):
        return self.now

    def pass_minutes(self, minutes):
        self.now += timedelta(minutes=minutes)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def pooling(memory_index, embedder, memory_proposals, published, clock):
    """Makes a `ProposePairs` with rules."""

    def make(**rules):
        return ProposePairs(memory_index, embedder, memory_proposals, published, {}, PoolRules(**rules), clock)

    return make


def ids(said):
    return [one.function_id.partition(":")[2] for one in said[1]]


@pytest.mark.parametrize("candidates", [0, -3, 101, 10**6])
async def test_a_query_that_asks_for_no_number_of_candidates_waits_for_nothing(
    memory_index, memory_proposals, published, entry, pooling, candidates
):
    """The lane of such a query would stand still for ever behind an index that has all it could wait for."""
    await memory_index.upsert([entry("f", 10), entry("g", 20)])
    handle = on_query_imported(pooling())
    with pytest.raises(BadRequestError, match="1 to 100") as caught:
        await handle(QueryImported(query_id="q", text="near to 0", candidates=candidates))
    assert is_the_messages(caught.value)
    await handle(QueryImported(query_id="q", text="near to 0", candidates=2))
    assert len(published.said[-1][1]) == 2


async def test_queries_are_kept_and_published_once_each(memory_proposals, published):
    importing = ImportQueries(memory_proposals, published)
    ids, new = await importing([("Sort  a list", "blog"), ("sum", ""), (" Sort a list\n", "mail")], 0)
    assert ids[0] == ids[2] != ids[1] and new == 2
    # Whoever brings them again, from wherever, has no pair announced a second time.
    assert await importing([("sum", "elsewhere"), ("Sort a list", "blog")], 3) == ([ids[1], ids[0]], 0)
    [(queries,)] = published.said
    assert [(query.text, query.origin, query.candidates) for query in queries] == [
        ("Sort a list", "blog", 20),
        ("sum", "", 20),
    ]
    assert (await memory_proposals.counts()).queries == 2


async def test_a_query_is_meant_by_the_beginning_of_its_id_where_no_other_begins_so(memory_proposals):
    kept = [ImportedQuery(name, name, "", 5) for name in ("ab", "abc", "b1")]
    await memory_proposals.add(kept)
    assert [await query_meant(memory_proposals, each) for each in ("b", "ab", "abc")] == ["b1", "ab", "abc"]
    for beginning, words in (("zzz", "no query has this id"), ("a", "several queries")):
        with pytest.raises(BadRequestError, match=words):
            await query_meant(memory_proposals, beginning)


async def test_a_query_that_was_stored_when_the_process_ended_is_published_by_the_next(memory_proposals, published):
    class Away:
        async def publish(self, queries):
            raise ConnectionError("the broker is away")

    with pytest.raises(ConnectionError):
        await ImportQueries(memory_proposals, Away())([("Sort a list", ""), ("sum", "")], 0)
    next_one = ImportQueries(memory_proposals, published)
    assert await next_one.again() == 2
    [(queries,)] = published.said
    assert {query.text for query in queries} == {"Sort a list", "sum"}
    for query in queries:
        await memory_proposals.extend(query, [Proposal("p", "f", 1, 1.0, "{}")], LOOK, 9)
    assert await next_one.again() == 0 and len(published.said) == 1


async def test_a_query_that_could_not_be_published_is_published_when_the_broker_is_back(memory_proposals, published):
    class Broker:
        away = True

        async def publish(self, queries):
            if self.away:
                raise ConnectionError("the broker is away")
            await published.publish(queries)

    broker = Broker()
    importing = ImportQueries(memory_proposals, broker)
    assert await importing.again() == 0
    with pytest.raises(ConnectionError):
        await importing([("Sort a list", "")], 0)
    with pytest.raises(ConnectionError):
        await importing.again()
    broker.away = False
    assert await importing.again() == 1
    # What waits for its turn is not published anew every time.
    assert await importing.again() == 0
    [(queries,)] = published.said
    assert [query.text for query in queries] == ["Sort a list"]


@pytest.mark.parametrize(("text", "candidates"), [("", 5), ("x" * 2001, 5), ("x", 101), ("x", -1)])
async def test_bad_queries_are_refused_before_anything_is_kept(memory_proposals, published, text, candidates):
    with pytest.raises(BadRequestError):
        await ImportQueries(memory_proposals, published)([("good", ""), (text, "")], candidates)
    assert published.said == [] and memory_proposals.queries == {}


@given(st.text(min_size=1, max_size=50))
def test_white_space_makes_no_other_query(text):
    assert query_id(text) == query_id(f"  {text}\n") == query_id(" ".join(text.split()))


async def test_the_nearest_pairs_are_proposed_by_mean_cosine(
    memory_index, embedder, memory_proposals, published, entry, function
):
    await memory_index.upsert(
        [entry(f"f{degrees}", degrees) for degrees in (40, 10, 20, 30)]
        + [entry("no_value", 1, searchable_pair=False), entry("K", 2, form="class")]
    )
    await ProposePairs(memory_index, embedder, memory_proposals, published, {})(QUERY)
    [(query, proposals)] = published.said
    assert query == QUERY
    assert [(one.rank, one.function_id) for one in proposals] == [
        (1, "shapes-1.0:f10"),
        (2, "shapes-1.0:f20"),
        (3, "shapes-1.0:f30"),
    ]
    assert proposals[0].score == pytest.approx(0.98481, abs=1e-4)
    assert len({one.pair_id for one in proposals}) == 3


async def test_each_candidate_says_where_each_retriever_alone_has_it(
    memory_index, embedder, memory_proposals, published, entry
):
    await memory_index.upsert([entry(f"f{degrees}", degrees) for degrees in (40, 10, 20)])
    await ProposePairs(memory_index, embedder, memory_proposals, published, {})(QUERY)
    [(_, proposals)] = published.said
    models = {name for one in proposals for name in one.places} - {"text"}
    assert models and all(set(one.places) == models | {"text"} for one in proposals)
    for name in models:
        assert sorted(one.places[name] for one in proposals) == [1, 2, 3]
    again = await memory_proposals.proposals("q1")
    assert [one.places for one in again] == [one.places for one in proposals]


async def test_copies_take_no_places_by_words_from_what_stands_behind_them(
    memory_index, published, entry, source, pooling
):
    copy = "def parse_csv_row(x):\n    return parse(csv, row, x)"
    forks = [entry("parse_csv_row", 5, code=copy, source=source(f"fork{number}")) for number in range(30)]
    names = {"parse_csv": 10, "parse": 20, "other": 30}
    await memory_index.upsert(forks + [entry(name, degrees) for name, degrees in names.items()])
    await pooling()(ImportedQuery("q1", "parse csv row", "", 5))
    [(_query, proposals)] = published.said
    found = {one.function_id.partition(":")[2]: one.places["text"] for one in proposals}
    assert found == {"parse_csv_row": 1, "parse_csv": 2, "parse": 3, "other": 0}


async def test_a_replay_proposes_the_same_pairs_although_the_index_changed(
    memory_index, embedder, memory_proposals, published, entry
):
    propose = ProposePairs(memory_index, embedder, memory_proposals, published, {})
    await memory_index.upsert([entry("f", 10), entry("g", 20)])
    await propose(QUERY)
    await memory_index.upsert([entry("nearer", 0), entry("g", 5)])
    await propose(QUERY)
    assert published.said[0] == published.said[1]
    assert len(embedder.asked) == 1


async def test_a_query_of_a_growing_index_gets_its_further_candidates_and_only_these_are_proposed(
    memory_index, memory_proposals, published, entry, pooling, clock
):
    propose = pooling()
    await memory_index.upsert([entry("f40", 40), entry("f30", 30)])
    await propose(QUERY)
    assert await propose.refresh(caught_up=True) == 0
    await memory_index.upsert([entry("f10", 10), entry("f20", 20), entry("f50", 50)])
    assert await propose.refresh(caught_up=True) == 2
    assert [ids(said) for said in published.said] == [["f30", "f40"], ["f10", "f20"]]
    assert [(one.rank, one.version) for one in published.said[1][1]] == [(1, 2), (2, 2)]
    # What stood there once stays, and a replay tells of all.
    await propose(QUERY)
    assert ids(published.said[2]) == ["f30", "f40", "f10", "f20"]
    assert await propose.refresh(caught_up=True) == 0
    assert [(one.version, one.entered) for one in await memory_proposals.versions("q1")] == [(1, 2), (2, 2)]


async def test_while_the_index_grows_a_query_rests_and_is_looked_at_in_the_end(
    memory_index, published, entry, pooling, clock
):
    propose = pooling(rest=timedelta(minutes=10))
    await memory_index.upsert([entry("f30", 30)])
    await propose(QUERY)
    await memory_index.upsert([entry("f10", 10)])
    clock.pass_minutes(9)
    assert await propose.refresh(caught_up=False) == 0
    clock.pass_minutes(2)
    assert await propose.refresh(caught_up=False) == 1


async def test_an_index_that_seems_the_same_is_looked_at_once_a_day(memory_index, published, entry, pooling, clock):
    propose = pooling(stale=timedelta(days=1))
    await memory_index.upsert([entry("f30", 30)])
    await propose(QUERY)
    memory_index._entries.clear()
    await memory_index.upsert([entry("f10", 10)])
    clock.pass_minutes(23 * 60)
    assert await propose.refresh(caught_up=True) == 0
    clock.pass_minutes(2 * 60)
    assert await propose.refresh(caught_up=True) == 1


async def test_copies_are_one_candidate_now_and_later(memory_index, published, entry, source, pooling):
    propose = pooling()
    same = "def same(x):\n    return x"
    others = [source(name) for name in "abcdef"]
    await memory_index.upsert([entry("f", 5, source=one, code=same) for one in others])
    await memory_index.upsert([entry("g", 20), entry("h", 30), entry("i", 40)])
    await propose(QUERY)
    assert ids(published.said[0]) == ["f", "g", "h"]
    await memory_index.upsert([entry("f", 4, source=source("z"), code="def same(x):\n\n    return  x")])
    assert await propose.refresh(caught_up=True) == 0


async def test_a_pool_has_an_end_and_so_has_a_sweep(memory_index, memory_proposals, published, entry, pooling, clock):
    propose = pooling(most_pairs=4, queries_a_sweep=5, pairs_a_sweep=1)
    queries = [ImportedQuery(f"q{number}", "near to 0", "", 3) for number in range(3)]
    await memory_index.upsert([entry("f90", 90)])
    for query in queries:
        clock.pass_minutes(1)
        await propose(query)
    await memory_index.upsert([entry(f"f{degrees}", degrees) for degrees in (10, 20, 30)])
    clock.pass_minutes(1)
    # One at a time, the longest waiting first.
    assert [await propose.refresh(caught_up=True) for _ in range(4)] == [3, 3, 3, 0]
    assert [said[0].query_id for said in published.said] == ["q0", "q1", "q2"] * 2
    await memory_index.upsert([entry(f"f{degrees}", degrees) for degrees in (1, 2, 3)])
    clock.pass_minutes(1)
    assert await propose.refresh(caught_up=True) == 0
    assert len(await memory_proposals.proposals("q0")) == 4


async def test_what_could_not_be_published_is_published_by_the_next_sweep(
    memory_index, embedder, memory_proposals, published, entry, clock
):
    class Broker:
        away = False

        async def publish(self, query, pairs):
            if self.away:
                raise ConnectionError("the broker is away")
            await published.publish(query, pairs)

    broker = Broker()
    propose = ProposePairs(memory_index, embedder, memory_proposals, broker, {}, now=clock)
    await memory_index.upsert([entry("f30", 30)])
    await propose(QUERY)
    await memory_index.upsert([entry("f10", 10)])
    broker.away = True
    with pytest.raises(ConnectionError):
        await propose.refresh(caught_up=True)
    broker.away = False
    assert await propose.refresh(caught_up=True) == 1 and ids(published.said[-1]) == ["f10"]
    assert await propose.refresh(caught_up=True) == 0


async def test_the_overlap_says_how_many_candidates_the_models_share(
    memory_index, memory_proposals, published, entry, direction, clock
):
    class Embedder:
        async def embed(self, texts, role):
            return [{"a": direction(0), "b": direction(90), "unused": direction(0)} for _ in texts]

    rules = PoolRules(models=("a", "b"))
    propose = ProposePairs(memory_index, Embedder(), memory_proposals, published, {}, rules, clock)
    near = {"both": (5, 85), "only_a": (10, 0), "only_b": (80, 90), "of_the_mean": (40, 50)}
    codes = {
        name: entry(name, vectors={"a": direction(one), "b": direction(other), "unused": direction(1)})
        for name, (one, other) in near.items()
    }
    await memory_index.upsert(list(codes.values()))
    await propose(ImportedQuery("q1", "x", "", 2))
    [version] = await memory_proposals.versions("q1")
    assert version.look.shared == {"a|b": 1, "a|mean": 1, "b|mean": 1}
    assert shared_by_models([("q", 2, {"a|b": 0}), ("q", 2, {"a|b": 1}), ("r", 4, {"a|b": 4})]) == {
        ("a", "b"): (0.75, 2)
    }
    # Where the index has fewer codes than are asked for, all of them are the candidates.
    await propose(ImportedQuery("q2", "y", "", 20))
    [few] = await memory_proposals.versions("q2")
    assert set(shared_by_models([("q2", few.look.asked, few.look.shared)]).values()) == {(1.0, 1)}


async def test_a_crash_before_the_publication_changes_nothing(
    memory_index, embedder, memory_proposals, published, entry
):
    class Broken:
        async def publish(self, query, proposals):
            raise ConnectionError("the broker is away")

    await memory_index.upsert([entry("f", 10)])
    with pytest.raises(ConnectionError):
        await ProposePairs(memory_index, embedder, memory_proposals, Broken(), {})(QUERY)
    await memory_index.upsert([entry("nearer", 0)])
    await ProposePairs(memory_index, embedder, memory_proposals, published, {})(QUERY)
    assert [one.function_id for one in published.said[0][1]] == ["shapes-1.0:f"]


async def test_equal_scores_are_ordered_by_id(memory_index, embedder, memory_proposals, published, entry):
    await memory_index.upsert([entry(name, 10) for name in ("c", "a", "d", "b")])
    await ProposePairs(memory_index, embedder, memory_proposals, published, {})(QUERY)
    assert [one.function_id[-1] for one in published.said[0][1]] == ["a", "b", "c"]


async def test_a_query_waits_while_nothing_could_be_proposed(
    memory_index, embedder, memory_proposals, published, entry
):
    await memory_index.upsert([entry("no_value", 1, searchable_pair=False)])
    with pytest.raises(EmptyIndexError, match="add a source"):
        await ProposePairs(memory_index, embedder, memory_proposals, published, {})(QUERY)
    assert published.said == [] and memory_proposals.kept == {}
