"""The models on their two lanes, and texts for a caller who waits."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embedder.errors import (
    ModelsLoadingError,
    ModelUnavailableError,
    NoModelError,
    RequestTooLargeError,
    UnknownEmbeddingModelError,
)
from embedder.ports import EmbeddingModel, Lane, Role
from touchstone_runtime.errors import TouchstoneError

MOST_TEXTS = 2048
# A call with more texts is bulk work.
MOST_WAITED_FOR = 32
# So long after a model that is not configured could not be loaded it is not tried again, in seconds.
_SPARE_AGAIN_S = 60.0


class Ensemble:
    """The configured models, on two lanes: who waits for an answer never stands behind bulk work.

    The first of them that answers embeds functions as they come; the others come later (`EmbedLater`).

    Args:
        loaders: For each configured name, what loads it; raises `ModelUnavailableError`, and whatever else it raises
            takes no other model with it.
        spare: Loads a model that is not configured but still at hand: an index of an earlier configuration
            goes on answering with it until its successor is whole.
        observe: Told model, texts and seconds of each turn, for metrics.
        remembered: Vectors of questions that are kept in memory.
        begin_bulk: Called by the thread of bulk work before all else, for its priority.
        clock: Seconds.
    """

    def __init__(
        self,
        loaders: Mapping[str, Callable[[], EmbeddingModel]],
        *,
        spare: Callable[[str], EmbeddingModel] | None = None,
        observe: Callable[[str, int, float], None] = lambda _model, _texts, _seconds: None,
        remembered: int = 4096,
        begin_bulk: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._loaders = dict(loaders)
        self._spare = spare
        self._spares: dict[str, EmbeddingModel] = {}
        self._spare_turn = asyncio.Lock()
        # Why the last try failed, and until when there is no other one.
        self._spares_failed: dict[str, tuple[float, str]] = {}
        self._clock = clock
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
        """Load every model; those that cannot be loaded are named in `unavailable`.

        One that has to be converted takes minutes, and questions to those before it are answered meanwhile.
        """
        for name, loader in self._loaders.items():
            try:
                self._models[name] = await asyncio.to_thread(loader)
            except Exception as error:  # noqa: BLE001  whatever is wrong with one, the others are there
                self._unavailable[name] = _why(name, error)
        self._loaded.set()

    async def load_missing(self) -> list[str]:
        """Try once more to load what could not be had, without keeping anybody waiting; gives what is there now."""
        found: list[str] = []
        for name in list(self._unavailable):
            try:
                # The first time it may be converted, which takes a minute of all cores.
                loader = self._loaders[name]
                first = await asyncio.get_running_loop().run_in_executor(self._threads["bulk"], loader)
                # Loaded again: threads that were made in one that stands back would do so for questions as well.
                model = await asyncio.to_thread(loader)
                if model.identity != first.identity:
                    raise ModelUnavailableError("its files are still being written", thing=name, way_out="wait")
            except Exception as error:  # noqa: BLE001  as at the start
                self._unavailable[name] = _why(name, error)
                continue
            self._models[name] = model
            del self._unavailable[name]
            found.append(name)
        return found

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
        return [self._models[name] for name in self._loaders if name in self._models]

    @property
    def at_once(self) -> list[EmbeddingModel]:
        """The model by which functions are embedded as they come: the first that was there at the start."""
        return list(self._models.values())[:1]

    @property
    def later(self) -> list[EmbeddingModel]:
        """The models whose vectors functions get behind all other work."""
        return [model for model in self.models if model not in self.at_once]

    @property
    def unavailable(self) -> dict[str, str]:
        """Configured models that cannot be used, with what is wrong and the way out."""
        return dict(self._unavailable)

    def awaited(self, names: Sequence[str]) -> list[str]:
        """Those of the names that are still being loaded, where another one of them is not."""
        still = [name for name in dict.fromkeys(names) if self._awaits(name)]
        return still if len(still) < len(set(names)) else []

    def _awaits(self, name: str) -> bool:
        return self.loading and name in self._loaders and name not in self._models and name not in self._unavailable

    def choose(self, names: Sequence[str]) -> list[EmbeddingModel]:
        """The named models, or all that answer when none is named.

        Raises:
            ModelsLoadingError: they, or one that is named, are not loaded yet.
            ModelUnavailableError: a named model cannot be loaded.
            NoModelError: no model could be loaded.
            UnknownEmbeddingModelError: a name is not configured.
        """
        if self.loading and (not names or any(map(self._awaits, names))):
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
                await self._load_spare(name, self._spare)
        configured = [name for name in names if name not in self._spares]
        chosen = self.choose(configured) if configured or not names else []
        return [*chosen, *(self._spares[name] for name in dict.fromkeys(names) if name in self._spares)]

    async def _load_spare(self, name: str, spare: Callable[[str], EmbeddingModel]) -> None:
        """Load a model that is not configured, beside both lanes: it may take long, and fail."""
        async with self._spare_turn:
            until, why = self._spares_failed.get(name, (0.0, ""))
            if name not in self._spares and (not why or self._clock() >= until):
                try:
                    self._spares[name] = await asyncio.to_thread(spare, name)
                    why = ""
                except Exception as error:  # noqa: BLE001  as of those that are configured
                    why = _why(name, error)
                    while len(self._spares_failed) > self._remembered:
                        del self._spares_failed[next(iter(self._spares_failed))]
                    self._spares_failed[name] = (self._clock() + _SPARE_AGAIN_S, why)
        if name not in self._spares:
            raise UnknownEmbeddingModelError(f"is not configured, and cannot be had: {why}", thing=name)

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


def _why(name: str, error: Exception) -> str:
    """What is wrong with a model that cannot be loaded."""
    return str(error) if isinstance(error, TouchstoneError) else f"{name}: {type(error).__name__}: {error}"


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

    async def __call__(
        self, texts: Sequence[str], models: Sequence[str], role: Role, *, ready_alone: bool = False
    ) -> list[TextVectors]:
        """Vectors of each model for all texts.

        Args:
            texts: What is embedded.
            models: Names; none for all models.
            role: Whether the texts are questions or code.
            ready_alone: Leave out named models that are still being loaded, as long as another one answers.

        Raises:
            RequestTooLargeError: more than `MOST_TEXTS` texts.
            UnknownEmbeddingModelError: see `Ensemble.choose`, as for the other faults of models.
        """
        if len(texts) > MOST_TEXTS:
            raise RequestTooLargeError(
                f"{len(texts)} texts in one call", thing="Embed", way_out=f"send at most {MOST_TEXTS} at a time"
            )
        lane: Lane = "waiting" if len(texts) <= MOST_WAITED_FOR else "bulk"
        loading = self._ensemble.awaited(models) if ready_alone else []
        return [
            TextVectors(
                model.name,
                model.identity,
                model.dimensions,
                await self._ensemble.encode(model, texts, role, lane),
            )
            for model in await self._ensemble.find([name for name in models if name not in loading])
        ]
