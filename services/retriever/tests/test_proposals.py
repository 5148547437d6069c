"""Queries in, candidate pairs out: the same ones for ever."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.errors import BadRequestError, EmptyIndexError
from retriever.ports import ImportedQuery, Proposal
from retriever.usecases.proposals import ImportQueries, ProposePairs, query_id

QUERY = ImportedQuery("q1", "near to 0", "test", 3)


async def test_queries_are_kept_and_published_once_each(memory_proposals, published):
    ids = await ImportQueries(memory_proposals, published)(
        [("Sort  a list", "blog"), ("sum", ""), (" Sort a list\n", "mail")], 0
    )
    assert ids[0] == ids[2] != ids[1]
    [(queries,)] = published.said
    assert [(query.text, query.origin, query.candidates) for query in queries] == [
        ("Sort a list", "blog", 20),
        ("sum", "", 20),
    ]
    assert (await memory_proposals.counts()).queries == 2


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
        await memory_proposals.save(query, [Proposal("p", "f", 1, 1.0, "{}")])
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
