"""Models that come later: behind all other work, and no vector is lost by any order of events."""

import asyncio
import itertools

import pytest

from embedder.adapters.records import unit_of
from embedder.errors import ModelsLoadingError, ModelUnavailableError
from embedder.rpc import EmbedderServicer
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import EmbedFunctions
from embedder.usecases.later import EmbedLater, LaterProgress
from touchstone.embedder.v1 import embedder_pb2

CALLER = "def report(rows):\n    return render(rows)"
CALLEE = "def render(rows):\n    return ', '.join(sorted(rows))"


class Here:
    """An embedder without servers, whose time stands until it is told to go on."""

    def __init__(self, ensemble, store, published, **more):
        self.now, self.waiting, self.store, self.published = 0.0, 0, store, published
        self.ensemble = ensemble
        self.embed = EmbedFunctions(ensemble, store, published, clock=lambda: self.now, **more)
        self.later = EmbedLater(ensemble, self.embed, store, self.lag, rest_s=100, page=2, clock=lambda: self.now)

    async def lag(self):
        return self.waiting

    def said(self):
        """Models of the last word on each function."""
        return {one.unit.qualname: [vector.model for vector in one.vectors] for one in self.published.last.values()}

    async def rested(self):
        self.now += 100
        return await self.later()


@pytest.fixture
def unit(function):
    """Makes a unit whose text is its own."""

    def make(name, code="", **more):
        return unit_of(function(name, code or f"def {name}():\n    pass", **more))

    return make


@pytest.fixture
def here(noise_model, memory_store, published):
    async def make(*models, store=None, out=None, **more):
        ensemble = Ensemble({model.name: lambda model=model: model for model in models or pair(noise_model)})
        await ensemble.load()
        return Here(ensemble, store or memory_store, out or published, **more)

    return make


def each(names, *models):
    return {name: list(models) for name in names}


def pair(noise_model):
    return noise_model("small"), noise_model("big", 8)


async def test_the_first_model_embeds_at_once_and_the_other_when_nothing_new_came_for_a_while(here, unit):
    world = await here()
    await world.embed([unit(name) for name in "abcde"])
    assert world.said() == each("abcde", "small")
    for now, waiting in ((99, 0), (100, 1), (100, -1)):
        world.now, world.waiting = now, waiting
        assert await world.later() == 0
    assert world.later.progress == LaterProgress(0, 5, -1.0, rests=False) and not world.later.progress.caught_up
    world.waiting = 0
    assert await world.later() == 5
    assert world.said() == each("abcde", "small", "big")
    assert world.later.progress == LaterProgress(5, 5, 0.0, rests=True) and world.later.progress.caught_up
    assert await world.rested() == 0 and len(world.published.batches) == 4
    # What comes then waits again, and nobody says meanwhile that all is done.
    await world.embed([unit("f")])
    assert await world.later() == 0 and not world.later.progress.caught_up
    assert await world.rested() == 1 and world.later.progress.caught_up


async def test_what_comes_is_counted_within_seconds(here, unit):
    world = await here()
    await world.embed([unit(name) for name in "ab"])
    await world.rested()
    world.now += 20
    await world.embed([unit("c")])
    await world.later()
    world.now += 5
    await world.embed([unit("d")])
    await world.later()
    assert (world.later.progress.done, world.later.progress.total) == (2, 3)
    world.now += 5
    await world.later()
    assert (world.later.progress.done, world.later.progress.total) == (2, 4)


async def test_nothing_embedded_is_not_all_that_there_will_be(here):
    world = await here()
    assert await world.rested() == 0 and not world.later.progress.caught_up


async def test_one_model_has_nothing_to_do_later(here, noise_model, unit):
    world = await here(noise_model())
    await world.embed([unit("a")])
    assert await world.rested() == 0 and world.later.progress is None


async def test_it_stands_back_as_soon_as_something_comes_and_goes_on_where_it_was(here, noise_model, unit):
    small, big = pair(noise_model)
    world = await here(small, big)
    await world.embed([unit(name) for name in "abcde"])
    whole = world.embed.whole

    async def interrupted(units):
        world.now += 3
        await whole(units)
        world.waiting = 1

    world.embed.whole = interrupted
    assert await world.rested() == 2
    assert world.later.progress == LaterProgress(2, 5, 4.5, rests=False)
    world.embed.whole, world.waiting = whole, 0
    # As after a restart: what is done is marked in the store.
    again = await here(small, big)
    assert await again.rested() == 3 and again.later.progress.caught_up
    assert [len(texts) for _role, texts in big.asked] == [2, 2, 1]


async def test_one_replica_does_it(here, unit):
    world, other = await here(), await here()
    await world.embed([unit("a")])
    async with world.store.turn():
        assert await other.rested() == 0 and other.later.progress == LaterProgress(0, 1, -1.0, rests=True)
    assert await other.rested() == 1
    assert await world.rested() == 0 and world.later.progress.caught_up


async def test_a_function_that_is_read_again_keeps_its_vectors_in_every_order(here, noise_model, unit, memory_store):
    for events in itertools.product(("read", "later"), repeat=4):
        world = await here(store=type(memory_store)(), out=None)
        world.published.batches.clear()
        had = False
        for event in ("read", *events):
            await (world.embed([unit("a")]) if event == "read" else world.rested())
            had = had or event == "later"
            assert world.said() == {"a": ["small", "big"] if had else ["small"]}
        # After a restart too, with a reading first.
        again = await here(store=world.store)
        await again.embed([unit("a")])
        assert again.said() == {"a": ["small", "big"] if had else ["small"]}


async def test_a_vector_that_another_replica_computed_meanwhile_is_not_lost(here, unit):
    world, other = await here(), await here()
    await world.embed([unit("a")])
    publish = world.published.publish

    async def meanwhile(embedded):
        # The other one had said all by the time that this one, who did not know of it, speaks.
        world.published.publish = publish
        await other.embed.whole([unit("a")])
        await publish(embedded)

    world.published.publish = meanwhile
    await world.embed([unit("a")])
    assert world.said() == {"a": ["small", "big"]}
    assert await world.rested() == 0 and world.later.progress.caught_up


async def test_the_same_text_of_a_new_version_has_all_vectors_at_once(here, unit):
    world = await here()
    await world.embed([unit("a")])
    await world.rested()
    await world.embed([unit("a", version_id="s1v2")])
    assert [vector.model for vector in world.published.last["s1v2:a"].vectors] == ["small", "big"]
    assert await world.rested() == 0 and world.later.progress.caught_up


async def test_a_caller_whose_text_changes_keeps_as_many_vectors_of_the_new_text(here, noise_model, unit):
    small, big = pair(noise_model)
    world = await here(small, big)
    await world.embed([unit("report", CALLER)])
    await world.rested()
    alone = world.published.last["s1v1:report"].vectors
    await world.embed([unit("render", CALLEE)])
    assert world.said() == {"report": ["small", "big"], "render": ["small"]}
    assert all(
        one.data != other.data for one, other in zip(world.published.last["s1v1:report"].vectors, alone, strict=False)
    )


async def test_who_adds_a_model_embeds_nothing_anew_at_the_start_and_who_takes_one_away_says_so(
    here, noise_model, unit
):
    small, big = pair(noise_model)
    alone = await here(small)
    await alone.embed([unit(name) for name in "abc"])
    both = await here(small, big)
    assert await both.embed.backfill() == 0
    assert await both.rested() == 3
    back = await here(small)
    assert await back.embed.backfill() == 3 and back.said() == each("abc", "small")
    # And the vectors that were computed are still there.
    again = await here(small, big)
    asked = len(big.asked)
    assert await again.rested() == 3 and len(big.asked) == asked
    assert again.said() == each("abc", "small", "big")


async def test_a_start_without_a_configured_model_says_nothing_anew_and_its_coming_back_neither(
    here, noise_model, unit, memory_store, published
):
    small, big = pair(noise_model)
    both = await here(small, big)
    await both.embed([unit(name) for name in "abc"])
    await both.rested()
    await both.embed([unit("new")])
    there = []

    def load():
        if not there:
            raise ModelUnavailableError("there is no such folder", thing="big")
        return there[0]

    ensemble = Ensemble({"small": lambda: small, "big": load})
    await ensemble.load()
    alone, said = Here(ensemble, memory_store, published), len(published.batches)
    assert await alone.embed.backfill() == 0
    there.append(big)
    assert await alone.rested() == 1 and len(published.batches) == said + 1
    assert alone.said() == each(["a", "b", "c", "new"], "small", "big")
    # Other weights make other vectors.
    there[0] = noise_model("big", 8, "big:2")
    other = await here(small, there[0])
    assert await other.embed.backfill() == 4 and await other.rested() == 4


async def test_another_text_form_is_embedded_at_once_by_the_first_model_only(here, unit):
    before = await here()
    await before.embed([unit("a")])
    await before.rested()
    world = await here(limit=500)
    assert await world.embed.backfill() == 1 and await world.embed.backfill() == 0
    await world.rested()
    assert world.later.progress.caught_up and world.said() == {"a": ["small", "big"]}


async def test_a_model_that_was_not_there_is_tried_again_and_waited_for(noise_model, memory_store, published, unit):
    small, big = pair(noise_model)
    there, tried = [], []

    def load():
        tried.append(None)
        if not there:
            raise ModelUnavailableError("there is no such folder", thing="big")
        return big

    ensemble = Ensemble({"small": lambda: small, "big": load})
    await ensemble.load()
    world = Here(ensemble, memory_store, published)
    await world.embed([unit("a")])
    assert await world.later() == 0 and len(tried) == 1
    for _ in range(3):
        assert await world.later() == 0
    assert await world.rested() == 0 and len(tried) == 2 and world.later.progress is None
    assert await world.later() == 0 and len(tried) == 2
    there.append(big)
    assert await world.rested() == 1 and ensemble.unavailable == {}
    assert world.said() == {"a": ["small", "big"]}
    # What loads it for the first time stands back; what answers with it was loaded again.
    assert len(tried) == 4


async def test_a_model_whose_files_change_while_it_is_loaded_is_tried_again(noise_model):
    digests = iter("x1222")

    def load():
        if (digest := next(digests)) == "x":
            raise ModelUnavailableError("there is no such folder", thing="big")
        return noise_model("big", identity=f"big:{digest}")

    ensemble = Ensemble({"small": lambda: noise_model("small"), "big": load})
    await ensemble.load()
    assert await ensemble.load_missing() == [] and "still being written" in ensemble.unavailable["big"]
    assert await ensemble.load_missing() == ["big"] and ensemble.later[0].identity == "big:2"


async def test_without_any_model_the_first_that_comes_embeds_at_once(noise_model, memory_store, published, unit):
    there = []

    def load():
        if not there:
            raise ModelUnavailableError("there is no such folder", thing="small")
        return there[0]

    ensemble = Ensemble({"small": load})
    await ensemble.load()
    world = Here(ensemble, memory_store, published)
    world.waiting = 1
    assert await world.later() == 0 and not ensemble.models
    there.append(noise_model("small"))
    world.now = 60
    await world.later()
    await world.embed([unit("a")])
    assert world.said() == {"a": ["small"]}


async def test_a_second_model_that_takes_long_at_the_start_keeps_no_question_to_the_first_waiting(noise_model):
    small, big = pair(noise_model)
    going, on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def load():
        loop.call_soon_threadsafe(going.set)
        asyncio.run_coroutine_threadsafe(on.wait(), loop).result(60)
        return big

    ensemble = Ensemble({"small": lambda: small, "big": load})
    loading = asyncio.create_task(ensemble.load())
    await going.wait()
    [model] = await ensemble.find(["small"])
    assert (await ensemble.encode(model, ["question"], "query", "waiting")).shape == (1, 4)
    # What all of them are is not known yet.
    assert ensemble.loading
    embed = EmbedTexts(ensemble)
    for names in ([], ["big"], ["small", "big"]):
        with pytest.raises(ModelsLoadingError):
            await embed(["question"], names, "query")
    # Who can do with those that are there gets these.
    servicer = EmbedderServicer(ensemble, embed, None, None, None)
    request = embedder_pb2.EmbedRequest(texts=["question"], models=["small", "big"], ready_alone=True)
    answer = await servicer.Embed(request, None)
    assert [one.model for one in answer.vectors] == ["small"] and list(answer.loading) == ["big"]
    for names in ([], ["big"]):
        with pytest.raises(ModelsLoadingError):
            await embed(["question"], names, "query", ready_alone=True)
    on.set()
    await loading
    answer = await servicer.Embed(request, None)
    assert [one.model for one in answer.vectors] == ["small", "big"] and not answer.loading
    assert [one.name for one in await ensemble.find([])] == ["small", "big"]
    assert ensemble.at_once == [small] and ensemble.later == [big]


async def test_who_waits_is_answered_while_a_model_is_loaded(noise_model):
    small, big = pair(noise_model)
    going, on = asyncio.Event(), asyncio.Event()
    loop, first = asyncio.get_running_loop(), []

    def load():
        if not first:
            first.append(None)
            raise ModelUnavailableError("there is no such folder", thing="big")
        loop.call_soon_threadsafe(going.set)
        asyncio.run_coroutine_threadsafe(on.wait(), loop).result(60)
        return big

    ensemble = Ensemble({"small": lambda: small, "big": load})
    await ensemble.load()
    loading = asyncio.create_task(ensemble.load_missing())
    await going.wait()
    assert (await ensemble.encode(small, ["question"], "query", "waiting")).shape == (1, 4)
    on.set()
    assert await loading == ["big"] and [model.name for model in ensemble.later] == ["big"]
