"""A model that cannot be loaded, for whatever reason, takes no other one with it and keeps nobody waiting."""

import asyncio
import threading

import pytest

from embedder.adapters.models import ModelFolders, load_model
from embedder.errors import ModelUnavailableError, UnknownEmbeddingModelError
from embedder.usecases.ensemble import EmbedTexts, Ensemble


def broken():
    raise PermissionError(13, "Permission denied", "/models/second/config.json")


async def test_whatever_a_loader_raises_the_other_models_are_there(noise_model):
    there = []
    second = {"second": lambda: there[0] if there else broken()}
    ensemble = Ensemble({"noise-4": noise_model, **second}, spare=lambda _name: broken())
    await ensemble.load()
    assert [one.name for one in ensemble.models] == ["noise-4"] and not ensemble.loading
    assert "Permission denied" in ensemble.unavailable["second"]
    assert await ensemble.load_missing() == [] and "Permission denied" in ensemble.unavailable["second"]
    with pytest.raises(UnknownEmbeddingModelError, match="Permission denied"):
        await ensemble.find(["spare"])
    there.append(noise_model("second"))
    assert await ensemble.load_missing() == ["second"]


def test_a_folder_that_cannot_be_looked_into_is_named_with_the_way_out(tmp_path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("embedder.adapters.models.Path.is_file", refuse)
    with pytest.raises(ModelUnavailableError, match=r"Permission denied.*let the service read"):
        load_model("second", ModelFolders(tmp_path, tmp_path / "kept"))


async def test_a_model_that_is_not_configured_and_broken_keeps_no_question_to_others_waiting(noise_model):
    going, on, tries, now = threading.Event(), threading.Event(), [], [0.0]

    def spare(name):
        tries.append(name)
        going.set()
        on.wait(60)
        raise ModelUnavailableError("cannot be loaded", thing=name)

    ensemble = Ensemble({"new": lambda: noise_model("new")}, spare=spare, clock=lambda: now[0])
    await ensemble.load()
    ask = EmbedTexts(ensemble)
    old = [asyncio.create_task(ask([f"question {number}"], ["old"], "query")) for number in range(5)]
    try:
        await asyncio.to_thread(going.wait, 60)
        async with asyncio.timeout(60):
            [answer] = await ask(["question"], ["new"], "query")
        assert answer.model == "new" and not any(one.done() for one in old)
    finally:
        on.set()
    assert {type(one) for one in await asyncio.gather(*old, return_exceptions=True)} == {UnknownEmbeddingModelError}
    assert tries == ["old"]
    now[0] = 61
    with pytest.raises(UnknownEmbeddingModelError):
        await ask(["question"], ["old"], "query")
    assert tries == ["old", "old"]
