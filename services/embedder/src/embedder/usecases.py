"""Embedding of functions in bulk, and of texts for a caller who waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedder.domain.calls import wanted_callees
from embedder.domain.texts import embedding_text, text_digest
from embedder.domain.units import CodeUnit, EmbeddedUnit, Place
from embedder.domain.vectors import to_bytes
from embedder.errors import (
    ModelsLoadingError,
    ModelUnavailableError,
    NoModelError,
    RequestTooLargeError,
    UnknownEmbeddingModelError,
)
from embedder.ports import EmbeddedPublisher, EmbeddingModel, FunctionStore, Role

MOST_TEXTS = 2048


class Ensemble:
    """The configured models: loaded in a thread, used by one caller at a time in short turns.

    Args:
        loaders: For each configured name, what loads it; raises `ModelUnavailableError`.
        turn: Most texts encoded before another caller gets a turn, so that a search never waits for bulk work.
        observe: Told model, texts and seconds of each turn, for metrics.
    """

    def __init__(
        self,
        loaders: Mapping[str, Callable[[], EmbeddingModel]],
        *,
        turn: int = 32,
        observe: Callable[[str, int, float], None] = lambda _model, _texts, _seconds: None,
    ) -> None:
        self._loaders = dict(loaders)
        self._turn = turn
        self._observe = observe
        self._models: dict[str, EmbeddingModel] = {}
        self._unavailable: dict[str, str] = {}
        self._loaded = asyncio.Event()
        self._taking_turns = asyncio.Lock()
        # One thread, so that torch's own threads are the only parallelism.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="models")

    async def load(self) -> None:
        """Load every model; those that cannot be loaded are named in `unavailable`."""
        for name, loader in self._loaders.items():
            try:
                self._models[name] = await asyncio.get_running_loop().run_in_executor(self._thread, loader)
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
        """Changes whenever a function could get other vectors than before from the same text."""
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

    async def encode(self, model: EmbeddingModel, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Vectors of the texts, in turns with other callers.

        Returns:
            (n, dimensions) float32, L2-normalised.
        """
        rows: list[NDArray[np.float32]] = []
        for start in range(0, len(texts), self._turn):
            chunk = texts[start : start + self._turn]
            async with self._taking_turns:
                started = time.monotonic()
                vectors = await asyncio.get_running_loop().run_in_executor(self._thread, model.encode, chunk, role)
                self._observe(model.name, len(chunk), time.monotonic() - started)
            rows.append(vectors)
        return np.concatenate(rows) if rows else np.zeros((0, model.dimensions), dtype=np.float32)

    def close(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True)
class TextVectors:
    """Vectors of one model for the texts of a request: (n, dimensions) float32."""

    model: str
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
        return [
            TextVectors(model.name, model.dimensions, await self._ensemble.encode(model, texts, role))
            for model in self._ensemble.choose(models)
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
    """

    def __init__(
        self, ensemble: Ensemble, store: FunctionStore, publisher: EmbeddedPublisher, *, limit: int = 6000
    ) -> None:
        self._ensemble = ensemble
        self._store = store
        self._publisher = publisher
        self._limit = limit

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
        callers = await self._store.callers_of(list(batch.values()))
        wants.update({unit: wanted_callees(unit) for unit in callers})
        texts = await self._texts(wants)
        states = {unit.function_id: f"{self._ensemble.key}:{text_digest(text)}" for unit, text in texts.items()}
        before = await self._store.embedded_with([unit.function_id for unit in callers])
        due = [
            unit
            for unit in texts
            if unit.function_id in batch or before.get(unit.function_id) != states[unit.function_id]
        ]
        await self._embed(due, texts, states)

    async def backfill(self, page: int = 64) -> int:
        """Embed and publish anew what was embedded by another set of models; returns how many."""
        await self._ensemble.wait_loaded()
        done = 0
        while self._ensemble.models:
            units = await self._store.not_embedded_by(self._ensemble.key, page)
            if not units:
                break
            await self(units)
            done += len(units)
        return done

    async def _texts(self, wants: Mapping[CodeUnit, tuple[str, ...]]) -> dict[CodeUnit, str]:
        places = {
            unit: [Place(unit.source_version_id, unit.path, qualname) for qualname in qualnames]
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
            (model.name, await self._vectors(model, [texts[unit] for unit in units]))
            for model in self._ensemble.choose(())
        ]
        embedded = [
            EmbeddedUnit(unit, tuple((name, vectors[text_digest(texts[unit])]) for name, vectors in of_model))
            for unit in units
        ]
        await self._publisher.publish(embedded)
        await self._store.mark_embedded({unit.function_id: states[unit.function_id] for unit in units})

    async def _vectors(self, model: EmbeddingModel, texts: Sequence[str]) -> dict[str, bytes]:
        # Padding makes the last bits of a vector depend on its batch: the first vector computed for a text is
        # kept and used ever after, so that a replay publishes the same bytes.
        by_digest = {text_digest(text): text for text in texts}
        kept = await self._store.vectors(model.identity, list(by_digest))
        # Texts of like length go through a model together: less padding, and so less work.
        missing = sorted(by_digest.keys() - kept.keys(), key=lambda digest: (len(by_digest[digest]), digest))
        if missing:
            vectors = await self._ensemble.encode(model, [by_digest[digest] for digest in missing], "code")
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
