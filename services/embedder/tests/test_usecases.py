"""Embedding of batches: stored first, published second, the same on every replay and in every order."""

import asyncio
import itertools

import pytest

from embedder.errors import (
    ModelsLoadingError,
    ModelUnavailableError,
    NoModelError,
    RequestTooLargeError,
    UnknownEmbeddingModelError,
)
from embedder.usecases import EmbedFunctions, EmbedTexts, Ensemble

CALLER = "def report(rows):\n    return render(rows)"
CALLEE = "def render(rows):\n    return ', '.join(sorted(rows))"


async def loaded(*models, missing=()):
    def refuse(name):
        def load():
            raise ModelUnavailableError("there is no such folder", thing=name, way_out="fetch it")

        return load

    loaders = {model.name: (lambda model=model: model) for model in models} | {name: refuse(name) for name in missing}
    ensemble = Ensemble(loaders, turn=3)
    await ensemble.load()
    return ensemble


async def test_each_function_gets_a_vector_of_each_model(noise_model, memory_store, published, unit):
    ensemble = await loaded(noise_model(), noise_model("noise-8", 8))
    await EmbedFunctions(ensemble, memory_store, published)([unit("a"), unit("b")])
    [batch] = published.batches
    assert [one.unit.qualname for one in batch] == ["a", "b"]
    assert [[(name, len(data)) for name, data in one.vectors] for one in batch] == [
        [("noise-4", 16), ("noise-8", 32)]
    ] * 2
    assert await memory_store.counts() == (2, 2)


async def test_a_replay_publishes_the_same_bytes_without_a_model(noise_model, memory_store, published, unit):
    model = noise_model()
    embed = EmbedFunctions(await loaded(model), memory_store, published)
    await embed([unit("a")])
    await embed([unit("a")])
    assert published.batches[0] == published.batches[1]
    assert len(model.asked) == 1


async def test_the_first_vector_of_a_text_counts_for_ever(noise_model, memory_store, published, unit):
    # Same weights, another rounding: what a bigger batch does to the last bits.
    await EmbedFunctions(await loaded(noise_model("m", identity="m:1")), memory_store, published)([unit("a")])
    other = noise_model("m", identity="m:2")
    other.identity = "m:1"
    await EmbedFunctions(await loaded(other), memory_store, published)([unit("a")])
    assert published.batches[0] == published.batches[1]


async def test_the_last_word_is_the_same_in_every_order(noise_model, published, unit, memory_store):
    endings = []
    for order in itertools.permutations([unit("report", CALLER), unit("render", CALLEE), unit("other")]):
        store, out = type(memory_store)(), type(published)()
        embed = EmbedFunctions(await loaded(noise_model()), store, out)
        for one in order:
            await embed([one])
        endings.append(out.last)
    store, out = type(memory_store)(), type(published)()
    await EmbedFunctions(await loaded(noise_model()), store, out)(list(order))
    endings.append(out.last)
    assert all(ending == endings[0] for ending in endings)


async def test_a_caller_is_published_anew_when_its_callee_comes_and_only_then(
    noise_model, memory_store, published, unit
):
    embed = EmbedFunctions(await loaded(noise_model()), memory_store, published)
    await embed([unit("report", CALLER)])
    alone = published.last["s1v1:report"].vectors
    await embed([unit("render", CALLEE)])
    assert {one.unit.qualname for one in published.batches[1]} == {"render", "report"}
    assert published.last["s1v1:report"].vectors != alone
    await embed([unit("render", CALLEE)])
    assert [one.unit.qualname for one in published.batches[2]] == ["render"]


async def test_a_callee_of_another_file_or_version_is_not_inlined(noise_model, memory_store, published, unit):
    model = noise_model()
    embed = EmbedFunctions(await loaded(model), memory_store, published)
    await embed([unit("render", CALLEE, path="elsewhere.py"), unit("render", CALLEE, version_id="s1v2")])
    await embed([unit("report", CALLER)])
    assert model.asked[-1] == ("code", [CALLER])


async def test_a_missing_model_is_named_and_the_others_go_on(noise_model, memory_store, published, unit):
    ensemble = await loaded(noise_model(), missing=["big"])
    await EmbedFunctions(ensemble, memory_store, published)([unit("a")])
    assert [name for name, _ in published.last["s1v1:a"].vectors] == ["noise-4"]
    assert ensemble.unavailable == {"big": "big: there is no such folder (fetch it)"}
    with pytest.raises(ModelUnavailableError, match="fetch it"):
        ensemble.choose(["big"])
    with pytest.raises(UnknownEmbeddingModelError, match="noise-4, big"):
        ensemble.choose(["small"])


async def test_functions_wait_while_there_is_no_model(memory_store, published, unit):
    embed = EmbedFunctions(await loaded(missing=["big"]), memory_store, published)
    with pytest.raises(NoModelError, match="bow-hash-512"):
        await embed([unit("a")])
    assert published.batches == []
    assert await memory_store.counts() == (1, 0)


async def test_functions_wait_for_models_and_callers_are_told(noise_model, memory_store, published, unit):
    ensemble = Ensemble({"noise-4": noise_model})
    with pytest.raises(ModelsLoadingError):
        await EmbedTexts(ensemble)(["x"], [], "query")
    waiting = asyncio.create_task(EmbedFunctions(ensemble, memory_store, published)([unit("a")]))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await ensemble.load()
    await waiting
    assert len(published.batches) == 1


async def test_a_new_model_embeds_what_was_embedded_before(noise_model, memory_store, published, unit):
    await EmbedFunctions(await loaded(noise_model()), memory_store, published)([unit(name) for name in "abcde"])
    later = EmbedFunctions(await loaded(noise_model(), noise_model("noise-8", 8)), memory_store, published)
    assert await later.backfill(page=2) == 5
    assert all(len(one.vectors) == 2 for one in published.last.values())
    assert await later.backfill(page=2) == 0


async def test_a_failed_publication_leaves_the_function_unmarked(noise_model, memory_store, published, unit):
    async def refuse(embedded):
        raise ConnectionError("the broker is away")

    published.publish = refuse
    with pytest.raises(ConnectionError):
        await EmbedFunctions(await loaded(noise_model()), memory_store, published)([unit("a")])
    assert await memory_store.counts() == (1, 0)


async def test_a_search_gets_its_turn_between_the_turns_of_bulk_work(noise_model, memory_store, published, unit):
    model = noise_model()
    ensemble = await loaded(model)
    bulk = asyncio.create_task(EmbedTexts(ensemble)([f"t{n}" for n in range(30)], [], "code"))
    await asyncio.sleep(0)
    [vectors] = await EmbedTexts(ensemble)(["question"], ["noise-4"], "query")
    assert vectors.vectors.shape == (1, 4)
    await bulk
    roles = [role for role, _ in model.asked]
    assert roles.index("query") < len(roles) - 1
    assert max(len(texts) for _, texts in model.asked) == 3


async def test_too_many_texts_are_refused(noise_model):
    with pytest.raises(RequestTooLargeError, match="2048"):
        await EmbedTexts(await loaded(noise_model()))(["x"] * 2049, [], "query")
    [empty] = await EmbedTexts(await loaded(noise_model()))([], [], "query")
    assert empty.vectors.shape == (0, 4)
