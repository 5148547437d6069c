"""A model that cannot be loaded for a while: no function loses the vector that it has of it."""

import pytest

from embedder.adapters.records import unit_of
from embedder.errors import ModelUnavailableError
from embedder.usecases.ensemble import Ensemble
from embedder.usecases.functions import EmbedFunctions
from embedder.usecases.later import EmbedLater

CALLER = "def report(rows):\n    return render(rows)"
CALLEE = "def render(rows):\n    return ', '.join(sorted(rows))"


class World:
    """An embedder that is started with some of its models missing, again and again, over one store."""

    def __init__(self, store, published, models):
        self.store, self.published, self.models = store, published, models
        self.now = 0.0

    async def start(self, missing=()):
        def loader(model):
            if model.name in missing:
                raise ModelUnavailableError("its folder is broken", thing=model.name)
            return model

        self.ensemble = Ensemble({one.name: lambda one=one: loader(one) for one in self.models})
        await self.ensemble.load()
        self.embed = EmbedFunctions(self.ensemble, self.store, self.published, clock=lambda: self.now)
        self.later = EmbedLater(
            self.ensemble, self.embed, self.store, self._lag, rest_s=100, page=2, clock=lambda: self.now
        )
        return await self.embed.backfill()

    async def rested(self):
        self.now += 100
        return await self.later()

    def said(self):
        return {one.unit.qualname: [vector.model for vector in one.vectors] for one in self.published.last.values()}

    @staticmethod
    async def _lag():
        return 0


@pytest.fixture
def world(memory_store, published, noise_model):
    return World(memory_store, published, [noise_model("small"), noise_model("mid", 6), noise_model("big", 8)])


@pytest.fixture
def unit(function):
    return lambda name, code="": unit_of(function(name, code or f"def {name}():\n    pass"))


async def test_a_function_that_is_read_again_keeps_the_vectors_of_a_model_that_is_missing(world, unit):
    await world.start()
    await world.embed([unit("a"), unit("b")])
    assert await world.rested() == 2
    for missing in (["big"], ["mid"], ["mid", "big"], ["small", "big"]):
        assert await world.start(missing) == 0
        world.now += 1
        await world.embed([unit("a")])
        assert sorted(world.said()["a"]) == ["big", "mid", "small"], missing
        # It is as whole as it was: nobody works on it, and nothing is held to be new.
        assert world.embed.grew_at == world.now - 1
        assert await world.rested() == 0 and sorted(world.said()["a"]) == ["big", "mid", "small"]
    assert await world.start() == 0 and await world.rested() == 0


async def test_what_comes_later_is_given_to_what_lacks_it_alone_while_another_model_is_missing(world, unit):
    await world.start()
    await world.embed([unit("a")])
    await world.rested()
    await world.start(["big"])
    await world.embed([unit("new")])
    batches = len(world.published.batches)
    assert await world.rested() == 1 and len(world.published.batches) == batches + 1
    assert world.said() == {"a": ["small", "mid", "big"], "new": ["small", "mid"]}
    assert world.later.progress.caught_up and await world.rested() == 0
    await world.start()
    assert await world.rested() == 1 and world.said()["new"] == ["small", "mid", "big"]


async def test_a_caller_whose_callee_is_read_again_keeps_them_too(world, unit):
    await world.start()
    await world.embed([unit("report", CALLER), unit("render", CALLEE)])
    await world.rested()
    await world.start(["big"])
    await world.embed([unit("render", CALLEE)])
    assert world.said()["report"] == world.said()["render"] == ["small", "mid", "big"]


async def test_of_a_model_whose_weights_changed_the_vector_that_it_had_last_is_kept(
    world, unit, memory_store, noise_model
):
    await world.start()
    await world.embed([unit("a")])
    await world.rested()
    # Sorts before the weights of before.
    world.models[2] = noise_model("big", 8, "big:0")
    await world.start()
    await world.rested()
    await world.start(["big"])
    await world.embed([unit("a")])
    [last] = world.published.last.values()
    assert [one.identity for one in last.vectors] == ["small:1", "mid:1", "big:0"]
