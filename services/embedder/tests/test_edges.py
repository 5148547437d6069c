"""Events, model folders, settings and RPCs."""

import base64

import numpy as np
import pytest

from embedder.adapters.models import choose_device, load_model, model_loaders
from embedder.adapters.publisher import event_of
from embedder.adapters.records import unit_of
from embedder.domain.units import EmbeddedUnit
from embedder.domain.vectors import from_bytes, to_bytes
from embedder.errors import ModelUnavailableError
from embedder.handlers import on_functions_extracted
from embedder.rpc import EmbedderServicer
from embedder.settings import EmbedderSettings
from embedder.usecases import EmbedFunctions, EmbedTexts, Ensemble
from touchstone.embedder.v1 import embedder_pb2
from touchstone_contracts.events import FunctionEmbedded, FunctionExtracted
from touchstone_runtime.errors import PermanentError


def test_the_event_carries_function_and_vectors_unchanged(function):
    original = function("naïve", "def naïve():\n    return '\\x00'")
    row = np.array([[0.6, 0.8]], dtype=np.float32)
    event = event_of(EmbeddedUnit(unit_of(original), (("m", to_bytes(row)),)))
    again = FunctionEmbedded.model_validate_json(event.model_dump_json())
    assert again.function == original
    assert again.vectors[0].dimensions == 2
    assert np.array_equal(from_bytes(base64.b64decode(again.vectors[0].data), 2), row)


async def test_a_batch_of_events_is_embedded(function, memory_store, published):
    ensemble = Ensemble(model_loaders(["bow-hash-64"], None, "auto", 8, 1))
    await ensemble.load()
    handle = on_functions_extracted(EmbedFunctions(ensemble, memory_store, published))
    await handle([FunctionExtracted(function=function("a")), FunctionExtracted(function=function("b"))])
    assert set(published.last) == {"s1v1:a", "s1v1:b"}


def test_a_missing_folder_is_named_with_the_way_out(tmp_path):
    with pytest.raises(ModelUnavailableError) as caught:
        load_model("all-MiniLM-L6-v2", tmp_path, "cpu", 8, 1)
    for part in ("all-MiniLM-L6-v2", str(tmp_path), "make run", "TOUCHSTONE_EMBEDDING_MODELS"):
        assert part in str(caught.value)


def test_a_broken_folder_is_named_with_the_way_out(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{not json")
    with pytest.raises(ModelUnavailableError, match="fetch the model again"):
        load_model("broken", tmp_path, "cpu", 8, 1)


def test_a_device_that_is_not_there_is_refused():
    assert choose_device("m", "auto") in {"cpu", "cuda", "mps"}
    with pytest.raises(ModelUnavailableError, match="TOUCHSTONE_EMBEDDING_DEVICE"):
        choose_device("m", "tpu")


def test_models_are_settings(monkeypatch):
    assert EmbedderSettings().embedding_models == ("all-MiniLM-L6-v2", "bow-hash-512")
    monkeypatch.setenv("TOUCHSTONE_EMBEDDING_MODELS", '["bow-hash-64"]')
    assert EmbedderSettings().embedding_models == ("bow-hash-64",)


async def test_rpcs(memory_store, tmp_path):
    ensemble = Ensemble(model_loaders(["bow-hash-64", "absent"], tmp_path, "cpu", 8, 1))

    async def lag():
        return 7

    servicer = EmbedderServicer(ensemble, EmbedTexts(ensemble), memory_store, lag)
    progress = (await servicer.Progress(embedder_pb2.ProgressRequest(), None)).progress
    assert list(progress.activities) == ["loading embedding models"]
    await ensemble.load()
    described = await servicer.Describe(embedder_pb2.DescribeRequest(), None)
    assert [(model.name, model.dimensions, model.device) for model in described.models] == [("bow-hash-64", 64, "cpu")]
    assert described.unavailable[0].name == "absent"
    answer = await servicer.Embed(embedder_pb2.EmbedRequest(texts=["sort a list", "parse a date"]), None)
    [vectors] = answer.vectors
    assert from_bytes(vectors.data, vectors.dimensions).shape == (2, 64)
    progress = (await servicer.Progress(embedder_pb2.ProgressRequest(), None)).progress
    assert progress.lag == 7 and progress.counters[0].name == "functions_embedded"
    with pytest.raises(PermanentError, match="query"):
        await servicer.Embed(embedder_pb2.EmbedRequest(texts=["x"], role="answer"), None)
