"""Embedding of batches: stored first, published second, the same on every replay and in every order."""

import asyncio
import itertools
import threading

import pytest

from embedder.domain.texts import text_form
from embedder.errors import (
    ModelsLoadingError,
    ModelUnavailableError,
    NoModelError,
    RequestTooLargeError,
    UnknownEmbeddingModelError,
)
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import EmbedFunctions

CALLER = "def report(rows):\n    return render(rows)"
CALLEE = "def render(rows):\n    return ', '.join(sorted(rows))"


async def loaded(*models, missing=()):
    def refuse(name):
        def load():
            raise ModelUnavailableError("there is no such folder", thing=name, way_out="fetch it")

        return load

    loaders = {model.name: (lambda model=model: model) for model in models} | {name: refuse(name) for name in missing}
    ensemble = Ensemble(loaders)
    await ensemble.load()
    return ensemble


async def test_each_function_gets_a_vector_of_each_model(noise_model, memory_store, published, unit):
    ensemble = await loaded(noise_model(), noise_model("noise-8", 8))
    embed = EmbedFunctions(ensemble, memory_store, published)
    await embed([unit("a"), unit("b")])
    assert [[vector.model for vector in one.vectors] for one in published.batches[0]] == [["noise-4"]] * 2
    await embed.whole([unit("a"), unit("b")])
    [_at_once, batch] = published.batches
    assert [one.unit.qualname for one in batch] == ["a", "b"]
    assert [[(vector.model, vector.identity, len(vector.data)) for vector in one.vectors] for one in batch] == [
        [("noise-4", "noise-4:1", 16), ("noise-8", "noise-8:1", 32)]
    ] * 2
    assert {one.text_form for one in batch} == {text_form(6000)}
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


async def test_callees_can_be_left_out_which_is_a_text_form_of_its_own(noise_model, memory_store, published, unit):
    model = noise_model()
    own = EmbedFunctions(await loaded(model), memory_store, published, callees=False)
    for one in (unit("render", CALLEE), unit("report", CALLER), unit("render", CALLEE)):
        await own([one])
    # No caller is embedded once more because its callee came.
    assert [[one.unit.qualname for one in batch] for batch in published.batches] == [["render"], ["report"], ["render"]]
    assert ("code", [CALLER]) in model.asked and all(CALLEE not in text for text in _of_callers(model))
    inlining = EmbedFunctions(await loaded(model), memory_store, published)
    assert inlining.text_form != own.text_form
    assert await inlining.backfill() == 2 and any(CALLEE in text for text in _of_callers(model))
    assert await inlining.backfill() == 0 and await own.backfill() == 2


def _of_callers(model):
    return [text for _role, texts in model.asked for text in texts if text.startswith(CALLER)]


async def test_a_missing_model_is_named_and_the_others_go_on(noise_model, memory_store, published, unit):
    ensemble = await loaded(noise_model(), missing=["big"])
    await EmbedFunctions(ensemble, memory_store, published)([unit("a")])
    assert [vector.model for vector in published.last["s1v1:a"].vectors] == ["noise-4"]
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


async def test_another_model_embeds_what_was_embedded_before(noise_model, memory_store, published, unit):
    await EmbedFunctions(await loaded(noise_model()), memory_store, published)([unit(name) for name in "abcde"])
    later = EmbedFunctions(await loaded(noise_model("noise-8", 8)), memory_store, published)
    assert await later.backfill(page=2) == 5
    assert all([vector.model for vector in one.vectors] == ["noise-8"] for one in published.last.values())
    assert await later.backfill(page=2) == 0
    # One walk along the ids: no page looks again at what is done.
    assert memory_store.pages == [*sorted(set(memory_store.pages[:-1])), ""]


async def test_another_text_form_is_another_generation(noise_model, memory_store, published, unit):
    ensemble = await loaded(noise_model())
    await EmbedFunctions(ensemble, memory_store, published)([unit("a")])
    other = EmbedFunctions(ensemble, memory_store, published, limit=500)
    assert await other.backfill() == 1
    assert published.last["s1v1:a"].text_form == text_form(500) != text_form(6000)


async def test_a_backfill_goes_on_where_it_was_stopped(noise_model, memory_store, published, unit):
    units = [unit(name) for name in "abcde"]
    await EmbedFunctions(await loaded(noise_model()), memory_store, published)(units)
    model = noise_model("new")
    later = EmbedFunctions(await loaded(model), memory_store, published)
    await later(units[:3])
    assert await later.backfill(page=2) == 2
    assert len(published.batches) == 3


async def test_a_failed_publication_leaves_the_function_unmarked(noise_model, memory_store, published, unit):
    async def refuse(embedded):
        raise ConnectionError("the broker is away")

    published.publish = refuse
    with pytest.raises(ConnectionError):
        await EmbedFunctions(await loaded(noise_model()), memory_store, published)([unit("a")])
    assert await memory_store.counts() == (1, 0)


async def test_who_waits_is_served_beside_bulk_work_not_behind_it(noise_model, memory_store, published, unit):
    going, on = threading.Event(), threading.Event()

    class Slow(noise_model):
        def encode(self, texts, role, lane):
            if lane == "bulk":
                going.set()
                assert on.wait(120)
            return super().encode(texts, role, lane)

    model = Slow()
    ensemble = await loaded(model)
    bulk = asyncio.create_task(EmbedFunctions(ensemble, memory_store, published)([unit("a")]))
    await asyncio.to_thread(going.wait, 10)
    [vectors] = await EmbedTexts(ensemble)(["question"], ["noise-4"], "query")
    assert vectors.vectors.shape == (1, 4) and not bulk.done()
    on.set()
    await bulk
    assert model.lanes == ["waiting", "bulk"]


async def test_a_question_is_embedded_once_and_the_oldest_is_forgotten(noise_model):
    model = noise_model()
    ensemble = Ensemble({model.name: lambda: model}, remembered=2)
    await ensemble.load()
    embed = EmbedTexts(ensemble)
    [first] = await embed(["a", "b"], [], "query")
    [again] = await embed(["b", "a"], [], "query")
    assert (first.vectors[::-1] == again.vectors).all()
    assert [texts for _role, texts in model.asked] == [["a"], ["b"]]
    await embed(["c", "b"], [], "query")
    assert [texts for _role, texts in model.asked][2:] == [["c"], ["b"]]


async def test_long_calls_are_bulk_work(noise_model):
    model = noise_model()
    await EmbedTexts(await loaded(model))([f"t{n}" for n in range(33)], [], "code")
    assert model.lanes == ["bulk"]


async def test_an_earlier_configurations_model_still_answers_questions(noise_model):
    old, tried = noise_model("old"), []

    def spare(name):
        tried.append(name)
        if name != "old":
            raise ModelUnavailableError("there is no such folder", thing=name)
        return old

    ensemble = Ensemble({"noise-4": noise_model}, spare=spare)
    await ensemble.load()
    for _ in range(2):
        answers = await EmbedTexts(ensemble)(["x"], ["noise-4", "old"], "query")
        assert [(one.model, one.identity) for one in answers] == [("noise-4", "noise-4:1"), ("old", "old:1")]
    assert tried == ["old"]
    assert [model.name for model in ensemble.models] == ["noise-4"]
    with pytest.raises(UnknownEmbeddingModelError, match="no such folder"):
        await EmbedTexts(ensemble)(["x"], ["older"], "query")


async def test_too_many_texts_are_refused(noise_model):
    with pytest.raises(RequestTooLargeError, match="2048"):
        await EmbedTexts(await loaded(noise_model()))(["x"] * 2049, [], "query")
    [empty] = await EmbedTexts(await loaded(noise_model()))([], [], "query")
    assert empty.vectors.shape == (0, 4)
