"""Candidate pairs are made with all models that are wanted, or wait."""

import pytest

from retriever.domain.code import IndexEntry
from retriever.errors import EmbedderAwayError, ModelsLoadingError
from retriever.ports import ImportedQuery
from retriever.usecases.generations import GenerationEmbedder
from retriever.usecases.proposals import PoolRules, ProposePairs

QUERY = ImportedQuery("q1", "near to 0", "test", 1)


class Pools:
    """An index of `mini` and `mpnet` with pools: by both `good` is nearest, by `mini` alone `bad`."""

    def __init__(self, index, server, generations, store, published, entry, weights=None, **rules):
        self.index, self.server, self.generations = index, server, generations
        self.entry, self.published = entry, published
        embedder = GenerationEmbedder(generations, server)
        rules = PoolRules(**rules)
        self.propose = ProposePairs(
            index, embedder, store, published, weights or {}, rules, generation=generations.active
        )

    async def fill(self, direction, **codes):
        await self.generations.look()
        generation = await self.generations.active()
        keys = {space.model: space.key for space in generation.spaces}
        await self.index.upsert(
            [
                IndexEntry(self.entry(name).code, {keys["mini"]: direction(one), keys["mpnet"]: direction(other)})
                for name, (one, other) in codes.items()
            ]
        )
        await self.generations.switch(generation.name)

    def proposed(self):
        return [[one.function_id.rpartition(":")[2] for one in pairs] for _query, pairs in self.published.said]


@pytest.fixture
def pools(memory_index, models, memory_proposals, published, entry, generations_over):
    """Makes pools with rules."""

    def make(**rules):
        server = models(mini="1", mpnet="1")
        generations = generations_over(memory_index, server)
        return Pools(memory_index, server, generations, memory_proposals, published, entry, **rules)

    return make


async def gone(pools):
    pools.server.digests, pools.server.missing = {"mini": "1"}, (("mpnet", "its folder is broken"),)
    await pools.generations.look()


async def back(pools):
    pools.server.digests, pools.server.missing = {"mini": "1", "mpnet": "1"}, ()
    await pools.generations.look()


@pytest.mark.parametrize("wanted", [("mini", "mpnet"), ()])
async def test_a_query_waits_for_a_model_that_is_gone_as_for_one_that_is_loaded(pools, direction, wanted):
    made = pools(models=wanted)
    await made.fill(direction, good=(20, 0), bad=(0, 90))
    await gone(made)
    with pytest.raises(EmbedderAwayError, match="mpnet"):
        await made.propose(QUERY)
    assert made.proposed() == []
    await back(made)
    made.server.loading = ("mpnet",)
    with pytest.raises(ModelsLoadingError):
        await made.propose(QUERY)
    made.server.loading = ()
    await made.propose(QUERY)
    assert made.proposed() == [["good"]]


async def test_a_model_that_chooses_no_candidates_is_not_waited_for(pools, direction):
    for more in ({"models": ("mini",)}, {"weights": {"mpnet": 0.0}}):
        made = pools(**more)
        await made.fill(direction, good=(20, 0), bad=(0, 90))
        await gone(made)
        await made.propose(QUERY)
        assert made.proposed()[-1] == ["bad"]


async def test_a_model_that_the_generation_does_not_have_yet_is_named_as_what_is_waited_for(pools, direction):
    made = pools(models=("other", "mini"))
    await made.fill(direction, good=(20, 0))
    with pytest.raises(EmbedderAwayError, match=r"other.*TOUCHSTONE_POOL_MODELS"):
        await made.propose(QUERY)
    assert made.proposed() == []


async def test_while_a_pool_waits_for_a_model_what_it_holds_is_published(pools, direction, memory_proposals):
    made = pools()
    await made.fill(direction, good=(20, 0), bad=(0, 90))
    await made.propose(QUERY)
    # As if the process had ended before it published.
    memory_proposals.said.clear()
    await gone(made)
    await made.index.upsert([made.entry("later", 0)])
    with pytest.raises(EmbedderAwayError, match="mpnet"):
        await made.propose.refresh(caught_up=True)
    assert made.proposed() == [["good"], ["good"]]
    await back(made)
    assert await made.propose.refresh(caught_up=True) == 0
