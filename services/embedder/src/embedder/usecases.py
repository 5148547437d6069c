"""Embedding of functions in bulk, and of texts for a caller who waits."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedder.domain.calls import wanted_callees
from embedder.domain.texts import embedding_text, text_digest, text_form
from embedder.domain.units import CodeUnit, EmbeddedUnit, Place, UnitVector
from embedder.domain.vectors import to_bytes
from embedder.errors import (
    ModelsLoadingError,
    ModelUnavailableError,
    NoModelError,
    RequestTooLargeError,
    UnknownEmbeddingModelError,
)
from embedder.ports import EmbeddedPublisher, EmbeddingModel, FunctionStore, Lane, Role

MOST_TEXTS = 2048
# Raised when all that is kept has to be published once more; vectors that are there are not computed again.
# 2: the topic keeps the last word on every function, and an index of before learns whose vectors it holds.
_ANNOUNCED = 2
# A call with more texts is bulk work.
MOST_WAITED_FOR = 32


class Ensemble:
    """The configured models, on two lanes: who waits for an answer never stands behind bulk work.

    Args:
        loaders: For each configured name, what loads it; raises `ModelUnavailableError`.
        spare: Loads a model that is not configured but still at hand: an index of an earlier configuration
            goes on answering with it until its successor is whole.
        observe: Told model, texts and seconds of each turn, for metrics.
        remembered: Vectors of questions that are kept in memory.
        begin_bulk: Called by the thread of bulk work before all else, for its priority.
    """

    def __init__(
        self,
        loaders: Mapping[str, Callable[[], EmbeddingModel]],
        *,
        spare: Callable[[str], EmbeddingModel] | None = None,
        observe: Callable[[str, int, float], None] = lambda _model, _texts, _seconds: None,
        remembered: int = 4096,
        begin_bulk: Callable[[], None] = lambda: None,
    ) -> None:
        self._loaders = dict(loaders)
        self._spare = spare
        self._spares: dict[str, EmbeddingModel] = {}
        self._observe = observe
        self._models: dict[str, EmbeddingModel] = {}
        self._unavailable: dict[str, str] = {}
        self._loaded = asyncio.Event()
        self._lanes: dict[Lane, asyncio.Lock] = {"waiting": asyncio.Lock(), "bulk": asyncio.Lock()}
        # One thread a lane: within it the models' own threads are the only parallelism.
        self._threads: dict[Lane, ThreadPoolExecutor] = {
            lane: ThreadPoolExecutor(1, f"models-{lane}", begin_bulk if lane == "bulk" else None)
            for lane in self._lanes
        }
        self._remembered = remembered
        self._questions: OrderedDict[tuple[str, str], NDArray[np.float32]] = OrderedDict()

    async def load(self) -> None:
        """Load every model; those that cannot be loaded are named in `unavailable`."""
        for name, loader in self._loaders.items():
            try:
                self._models[name] = await asyncio.get_running_loop().run_in_executor(self._threads["waiting"], loader)
            except ModelUnavailableError as error:
                self._unavailable[name] = str(error)
        self._loaded.set()

    async def wait_loaded(self) -> None:
        """Return once every model is loaded or known to be unavailable."""
        await self._loaded.wait()

    @property
    def loading(self) -> bool:
        """Whether models are still being loaded."""
        return not self._loaded.is_set()

    @property
    def models(self) -> list[EmbeddingModel]:
        """The models that answer, in the configured order."""
        return list(self._models.values())

    @property
    def unavailable(self) -> dict[str, str]:
        """Configured models that cannot be used, with what is wrong and the way out."""
        return dict(self._unavailable)

    @property
    def key(self) -> str:
        """Changes whenever a function could get other vectors than before from the same text.

        Bears the models' digests, not their device: where a vector was computed makes no other generation.
        """
        return text_digest("\n".join(sorted(model.identity for model in self.models)))[:16]

    def choose(self, names: Sequence[str]) -> list[EmbeddingModel]:
        """The named models, or all that answer when none is named.

        Raises:
            ModelsLoadingError: they are not loaded yet.
            ModelUnavailableError: a named model cannot be loaded.
            NoModelError: no model could be loaded.
            UnknownEmbeddingModelError: a name is not configured.
        """
        if self.loading:
            raise ModelsLoadingError("the embedding models are still being loaded", way_out="ask again in some seconds")
        for name in names:
            if name in self._unavailable:
                raise ModelUnavailableError(self._unavailable[name])
            if name not in self._models:
                known = ", ".join([*self._models, *self._unavailable])
                raise UnknownEmbeddingModelError(
                    "no such embedding model is configured", thing=name, way_out=f"name one of: {known}"
                )
        if not self._models:
            raise NoModelError(
                "no embedding model could be loaded: " + "; ".join(self._unavailable.values()),
                way_out="put a model in place, or add bow-hash-512 to TOUCHSTONE_EMBEDDING_MODELS",
            )
        return [self._models[name] for name in dict.fromkeys(names)] if names else self.models

    async def find(self, names: Sequence[str]) -> list[EmbeddingModel]:
        """As `choose`; a name that is not configured any more is loaded where it is still at hand."""
        for name in dict.fromkeys(names):
            if self._spare is not None and name not in self._loaders and name not in self._spares:
                async with self._lanes["waiting"]:
                    try:
                        model = await asyncio.get_running_loop().run_in_executor(
                            self._threads["waiting"], self._spare, name
                        )
                    except ModelUnavailableError as error:
                        raise UnknownEmbeddingModelError(
                            f"is not configured, and cannot be had: {error}", thing=name
                        ) from error
                    self._spares[name] = model
        configured = [name for name in names if name not in self._spares]
        chosen = self.choose(configured) if configured or not names else []
        return [*chosen, *(self._spares[name] for name in dict.fromkeys(names) if name in self._spares)]

    async def encode(self, model: EmbeddingModel, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        """Vectors of the texts.

        Returns:
            (n, dimensions) float32, L2-normalised.
        """
        if not texts:
            return np.zeros((0, model.dimensions), dtype=np.float32)
        if role == "query" and lane == "waiting":
            return np.stack([await self._question(model, text) for text in texts])
        return await self._turn(model, texts, role, lane)

    async def _question(self, model: EmbeddingModel, text: str) -> NDArray[np.float32]:
        key = (model.identity, text)
        known = self._questions.get(key)
        if known is None:
            known = (await self._turn(model, [text], "query", "waiting"))[0]
            self._questions[key] = known
            while len(self._questions) > self._remembered:
                self._questions.popitem(last=False)
        self._questions.move_to_end(key)
        return known

    async def _turn(self, model: EmbeddingModel, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        async with self._lanes[lane]:
            started = time.monotonic()
            loop = asyncio.get_running_loop()
            vectors = await loop.run_in_executor(self._threads[lane], model.encode, texts, role, lane)
            self._observe(model.name, len(texts), time.monotonic() - started)
        return vectors

    def close(self) -> None:
        """Let the threads end."""
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class TextVectors:
    """Vectors of one model for the texts of a request: (n, dimensions) float32."""

    model: str
    identity: str
    dimensions: int
    vectors: NDArray[np.float32]


class EmbedTexts:
    """Embeds texts for a caller who waits."""

    def __init__(self, ensemble: Ensemble) -> None:
        self._ensemble = ensemble

    async def __call__(self, texts: Sequence[str], models: Sequence[str], role: Role) -> list[TextVectors]:
        """Vectors of each model for all texts.

        Raises:
            RequestTooLargeError: more than `MOST_TEXTS` texts.
            UnknownEmbeddingModelError: see `Ensemble.choose`, as for the other faults of models.
        """
        if len(texts) > MOST_TEXTS:
            raise RequestTooLargeError(
                f"{len(texts)} texts in one call", thing="Embed", way_out=f"send at most {MOST_TEXTS} at a time"
            )
        lane: Lane = "waiting" if len(texts) <= MOST_WAITED_FOR else "bulk"
        return [
            TextVectors(
                model.name,
                model.identity,
                model.dimensions,
                await self._ensemble.encode(model, texts, role, lane),
            )
            for model in await self._ensemble.find(models)
        ]


class EmbedFunctions:
    """Embeds functions with every model, stores the vectors, and publishes them.

    A function that mostly calls others of its file gets their bodies too. A callee may come later than its
    caller: then the caller is embedded and published once more, so that the last word is the same in any order.

    Args:
        ensemble: The models.
        store: Functions and vectors.
        publisher: Tells the platform.
        limit: Most characters of a text.
        callees: Whether a function that mostly calls gets the bodies of its callees.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        store: FunctionStore,
        publisher: EmbeddedPublisher,
        *,
        limit: int = 6000,
        callees: bool = True,
    ) -> None:
        self._ensemble = ensemble
        self._store = store
        self._publisher = publisher
        self._limit = limit
        self._callees = callees
        self.text_form = text_form(limit, callees=callees)

    async def __call__(self, units: Sequence[CodeUnit]) -> None:
        """Embed a batch; seeing a unit again publishes the same vectors again.

        Raises:
            NoModelError: not one model could be loaded; the work waits.
        """
        await self._ensemble.wait_loaded()
        batch = {unit.function_id: unit for unit in units}
        wants = {unit: wanted_callees(unit) for unit in batch.values()}
        # Committed before anything is read back: of two replicas that take in caller and callee at the same
        # time, at least the later one then sees both.
        await self._store.save(wants)
        callers = await self._store.callers_of(list(batch.values())) if self._callees else []
        wants.update({unit: wanted_callees(unit) for unit in callers})
        texts = await self._texts(wants)
        states = {unit.function_id: f"{self._key}:{text_digest(text)}" for unit, text in texts.items()}
        before = await self._store.embedded_with([unit.function_id for unit in callers])
        due = [
            unit
            for unit in texts
            if unit.function_id in batch or before.get(unit.function_id) != states[unit.function_id]
        ]
        await self._embed(due, texts, states)

    async def backfill(self, page: int = 64) -> int:
        """Embed and publish anew what was embedded by other models or in another text form; returns how many.

        Goes once through what is kept, by id. A restart goes over what is done without work and then on.
        """
        await self._ensemble.wait_loaded()
        done, after = 0, ""
        while self._ensemble.models:
            units = await self._store.not_embedded_by(self._key, after, page)
            if not units:
                break
            await self(units)
            done, after = done + len(units), units[-1].function_id
        return done

    @property
    def _key(self) -> str:
        return text_digest(f"{self._ensemble.key}\n{self.text_form}\n{_ANNOUNCED}")[:16]

    async def _texts(self, wants: Mapping[CodeUnit, tuple[str, ...]]) -> dict[CodeUnit, str]:
        # What is wanted is kept in any case: who turns this on again finds it.
        places = {
            unit: [Place(unit.source_version_id, unit.path, qualname) for qualname in qualnames if self._callees]
            for unit, qualnames in wants.items()
        }
        code = await self._store.code_at({place for wanted in places.values() for place in wanted})
        return {
            unit: embedding_text(unit, [code[place] for place in wanted if place in code], self._limit)
            for unit, wanted in places.items()
        }

    async def _embed(self, units: Sequence[CodeUnit], texts: Mapping[CodeUnit, str], states: Mapping[str, str]) -> None:
        if not units:
            return
        of_model = [
            (model, await self._vectors(model, [texts[unit] for unit in units])) for model in self._ensemble.choose(())
        ]
        embedded = [
            EmbeddedUnit(
                unit,
                tuple(
                    UnitVector(model.name, model.identity, vectors[text_digest(texts[unit])])
                    for model, vectors in of_model
                ),
                self.text_form,
            )
            for unit in units
        ]
        await self._publisher.publish(embedded)
        await self._store.mark_embedded({unit.function_id: states[unit.function_id] for unit in units})

    async def _vectors(self, model: EmbeddingModel, texts: Sequence[str]) -> dict[str, bytes]:
        # Padding makes the last bits of a vector depend on its batch: the first vector computed for a text is
        # kept and used ever after, so that a replay publishes the same bytes.
        by_digest = {text_digest(text): text for text in texts}
        kept = await self._store.vectors(model.identity, list(by_digest))
        missing = sorted(by_digest.keys() - kept.keys())
        if missing:
            vectors = await self._ensemble.encode(model, [by_digest[digest] for digest in missing], "code", "bulk")
            fresh = {digest: to_bytes(row) for digest, row in zip(missing, vectors, strict=True)}
            kept = {**kept, **await self._store.save_vectors(model.identity, fresh)}
        return kept


@dataclass(frozen=True)
class EmbeddingProgress:
    """How many functions were seen and embedded."""

    seen: int
    embedded: int


async def embedding_progress(store: FunctionStore) -> EmbeddingProgress:
    """Counts for progress displays."""
    seen, embedded = await store.counts()
    return EmbeddingProgress(seen, embedded)
