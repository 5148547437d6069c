"""Events, model folders, settings and RPCs."""

import base64
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from embedder.adapters.models import ModelFolders, choose_device, load_model
from embedder.adapters.publisher import event_of
from embedder.adapters.records import unit_of
from embedder.app import convert
from embedder.domain.units import EmbeddedUnit, UnitVector
from embedder.domain.vectors import from_bytes, to_bytes
from embedder.errors import ModelUnavailableError, UnknownEmbeddingModelError
from embedder.handlers import on_functions_extracted
from embedder.rpc import EmbedderServicer
from embedder.settings import EmbedderSettings
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import EmbedFunctions
from embedder.usecases.later import EmbedLater, LaterProgress
from touchstone.embedder.v1 import embedder_pb2
from touchstone_contracts.events import FunctionEmbedded, FunctionExtracted
from touchstone_runtime.errors import PermanentError


def test_the_event_carries_function_and_vectors_unchanged(function):
    original = function("naïve", "def naïve():\n    return '\\x00'")
    row = np.array([[0.6, 0.8]], dtype=np.float32)
    event = event_of(EmbeddedUnit(unit_of(original), (UnitVector("m", "m:1", to_bytes(row)),), "form-1"))
    again = FunctionEmbedded.model_validate_json(event.model_dump_json())
    assert again.function == original
    assert (again.vectors[0].identity, again.vectors[0].dimensions, again.text_form) == ("m:1", 2, "form-1")
    assert np.array_equal(from_bytes(base64.b64decode(again.vectors[0].data), 2), row)


async def test_a_batch_of_events_is_embedded(function, memory_store, published):
    ensemble = Ensemble({"bow-hash-64": ModelFolders(Path(), Path()).loader("bow-hash-64")})
    await ensemble.load()
    handle = on_functions_extracted(EmbedFunctions(ensemble, memory_store, published))
    await handle([FunctionExtracted(function=function("a")), FunctionExtracted(function=function("b"))])
    assert set(published.last) == {"s1v1:a", "s1v1:b"}


def test_a_missing_folder_is_named_with_the_way_out(tmp_path):
    with pytest.raises(ModelUnavailableError) as caught:
        load_model("all-MiniLM-L6-v2", ModelFolders(tmp_path, tmp_path, "cpu"))
    for part in ("all-MiniLM-L6-v2", str(tmp_path), "make run", "TOUCHSTONE_EMBEDDING_MODELS"):
        assert part in str(caught.value)


@pytest.mark.parametrize("number", ["0", "00000", "16001", "10000000000", "9" * 5000])
async def test_a_bag_of_words_that_no_memory_holds_is_none(number):
    """Names come with requests of whoever may read: one must not end the service."""
    folders = ModelFolders(Path(), Path())
    ensemble = Ensemble({"bow-hash-8": folders.loader("bow-hash-8")}, spare=lambda name: load_model(name, folders))
    await ensemble.load()
    with pytest.raises(UnknownEmbeddingModelError, match="1 to 16000"):
        await EmbedTexts(ensemble)(["sort"], [f"bow-hash-{number}"], "query")
    [most] = await EmbedTexts(ensemble)(["sort"], ["bow-hash-16000"], "query")
    assert most.vectors.shape == (1, 16_000)


def test_a_broken_folder_is_named_with_the_way_out(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{not json")
    with pytest.raises(ModelUnavailableError, match="fetch the model again"):
        load_model("broken", ModelFolders(tmp_path, tmp_path, "cpu"))


def test_where_torch_is_missing_a_model_that_is_not_converted_is_refused_with_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    folder = tmp_path / "models" / "small"
    (folder / "1_Pooling").mkdir(parents=True)
    for name, content in {
        "config.json": "{}",
        "modules.json": '[{"type": "models.Transformer"}, {"type": "models.Pooling"}]',
        "1_Pooling/config.json": '{"pooling_mode_mean_tokens": true}',
        "config_sentence_transformers.json": "{}",
        "tokenizer.json": "{}",
    }.items():
        (folder / name).write_text(content)
    for convertible in (True, False):
        if not convertible:
            (folder / "tokenizer.json").unlink()
        with pytest.raises(ModelUnavailableError) as refusal:
            load_model("small", ModelFolders(tmp_path / "models", tmp_path / "converted", "cpu"))
        assert "torch" in str(refusal.value) and "TOUCHSTONE_CONVERTED_MODELS_DIR" in str(refusal.value)


@pytest.mark.parametrize(
    "name", ["../other", "/etc", "a/../../b", "", ".", "a" * 300, "[" * 50_000, "a\x00b", "m/", "\ud800"]
)
def test_a_name_that_could_be_a_path_is_no_model(name, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "config.json").write_text("{}")
    with pytest.raises(ModelUnavailableError, match="no name of a model"):
        load_model(name, ModelFolders(tmp_path / "models", tmp_path, "cpu"))


def test_a_device_that_is_not_there_is_refused():
    assert choose_device("m", "auto") in {"cpu", "cuda", "mps"}
    with pytest.raises(ModelUnavailableError, match="TOUCHSTONE_EMBEDDING_DEVICE"):
        choose_device("m", "tpu")


def test_models_are_settings(monkeypatch):
    assert EmbedderSettings().embedding_models == ("all-MiniLM-L6-v2", "all-mpnet-base-v2")
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-64"]')
    assert EmbedderSettings().embedding_models == ("bow-hash-64",)


def test_conversion_demands_the_first_model_and_goes_on_without_the_others(tmp_path):
    def converted(*names):
        said = []
        convert(
            EmbedderSettings(embedding_models=names, models_dir=tmp_path, converted_models_dir=tmp_path), said.append
        )
        return said

    first, then = converted("bow-hash-64", "absent")[1::2]
    assert first == "bow-hash-64 on cpu" and then.startswith("goes on without absent: ") and "make run" in then
    with pytest.raises(ModelUnavailableError, match="absent"):
        converted("absent", "bow-hash-64")


async def nobody(_units):
    """Takes functions that nobody gives."""
    raise AssertionError


async def test_functions_that_an_index_gives_back_are_embedded_and_published(
    noise_model, memory_store, published, function
):
    ensemble = Ensemble({name: partial(noise_model, name) for name in ("small", "big")})
    await ensemble.load()
    embed = EmbedFunctions(ensemble, memory_store, published)

    async def lag():
        return 0

    servicer = EmbedderServicer(ensemble, EmbedTexts(ensemble), embed, memory_store, lag)

    async def give(*functions):
        records = [one.model_dump_json() for one in functions]
        await servicer.EmbedFunctions(embedder_pb2.EmbedFunctionsRequest(functions=records), None)

    await give(function("a"), function("b"))
    assert {one.unit.qualname: len(one.vectors) for one in published.last.values()} == {"a": 1, "b": 1}
    later = EmbedLater(ensemble, embed, memory_store, lag, rest_s=0)
    assert await later() == 2 and {len(one.vectors) for one in published.last.values()} == {2}
    # What the embedder knew all along is published once more with all that it has: its event had been lost.
    published.batches.clear()
    await give(function("a"))
    assert [len(one.vectors) for one in published.last.values()] == [2]
    with pytest.raises(PermanentError, match="slice is not searched"):
        await give(function("c", form="slice"))
    with pytest.raises(PermanentError, match="64 at most"):
        await give(*[function(f"f{number}") for number in range(65)])
    with pytest.raises(PermanentError, match="is no function"):
        await servicer.EmbedFunctions(embedder_pb2.EmbedFunctionsRequest(functions=["{}"]), None)
    assert len(memory_store.states) == 2


async def test_rpcs(memory_store, tmp_path):
    folders = ModelFolders(tmp_path, tmp_path, "cpu")
    ensemble = Ensemble({name: folders.loader(name) for name in ("bow-hash-64", "absent")})

    async def lag():
        return 7

    servicer = EmbedderServicer(ensemble, EmbedTexts(ensemble), nobody, memory_store, lag, "form-1")
    progress = (await servicer.Progress(embedder_pb2.ProgressRequest(), None)).progress
    assert list(progress.activities) == ["loading embedding models"]
    assert not (await servicer.Describe(embedder_pb2.DescribeRequest(), None)).models
    await ensemble.load()
    described = await servicer.Describe(embedder_pb2.DescribeRequest(), None)
    assert [(model.name, model.dimensions, model.device) for model in described.models] == [("bow-hash-64", 64, "cpu")]
    assert described.unavailable[0].name == "absent"
    assert (described.models[0].identity, described.text_form) == ("bow-hash-64:2", "form-1")
    answer = await servicer.Embed(embedder_pb2.EmbedRequest(texts=["sort a list", "parse a date"]), None)
    [vectors] = answer.vectors
    assert vectors.identity == "bow-hash-64:2"
    assert from_bytes(vectors.data, vectors.dimensions).shape == (2, 64)
    progress = (await servicer.Progress(embedder_pb2.ProgressRequest(), None)).progress
    assert progress.lag == 7 and progress.counters[0].name == "functions_embedded"
    with pytest.raises(PermanentError, match="query"):
        await servicer.Embed(embedder_pb2.EmbedRequest(texts=["x"], role="answer"), None)


async def test_models_that_come_later_are_described_with_how_far_they_are(noise_model, memory_store):
    models = {name: partial(noise_model, name) for name in ("small", "big")}
    ensemble = Ensemble(models)
    told = [None]

    async def lag():
        return 0

    servicer = EmbedderServicer(ensemble, EmbedTexts(ensemble), nobody, memory_store, lag, "form-1", lambda: told[0])
    assert not (await servicer.Describe(embedder_pb2.DescribeRequest(), None)).models
    await ensemble.load()
    described = await servicer.Describe(embedder_pb2.DescribeRequest(), None)
    assert [(model.name, model.later) for model in described.models] == [("small", False), ("big", True)]
    assert not described.HasField("later")
    for rests, caught_up in ((True, True), (False, False)):
        told[0] = LaterProgress(3, 3, 0.0, rests)
        later = (await servicer.Describe(embedder_pb2.DescribeRequest(), None)).later
        assert (later.done, later.total, later.rests, later.caught_up) == (3, 3, rests, caught_up)
