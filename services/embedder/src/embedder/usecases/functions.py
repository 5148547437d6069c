"""Embedding of functions in bulk."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from embedder.domain.calls import wanted_callees
from embedder.domain.texts import embedding_text, text_digest, text_form
from embedder.domain.units import CodeUnit, EmbeddedUnit, Place, UnitVector
from embedder.domain.vectors import to_bytes
from embedder.ports import EmbeddedPublisher, EmbeddingModel, FunctionStore
from embedder.usecases.ensemble import Ensemble

# Raised when all that is kept has to be published once more; vectors that are there are not computed again.
# 2: the topic keeps the last word on every function, and an index of before learns whose vectors it holds.
_ANNOUNCED = 2


class EmbedFunctions:
    """Embeds functions, stores the vectors, and publishes them.

    A function that comes gets the vector of the model that embeds at once, and of the models that come later what is
    kept for its text: a function that is read again never loses a vector that it had, not in the broker's last word
    on it either, and not while a configured model cannot be loaded. `whole` gives it all vectors.

    A function that mostly calls others of its file gets their bodies too. A callee may come later than its
    caller: then the caller is embedded and published once more, so that the last word is the same in any order.

    Args:
        ensemble: The models.
        store: Functions and vectors.
        publisher: Tells the platform.
        limit: Most characters of a text.
        callees: Whether a function that mostly calls gets the bodies of its callees.
        clock: Seconds.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        store: FunctionStore,
        publisher: EmbeddedPublisher,
        *,
        limit: int = 6000,
        callees: bool = True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._ensemble = ensemble
        self._store = store
        self._publisher = publisher
        self._limit = limit
        self._callees = callees
        self._clock = clock
        self.text_form = text_form(limit, callees=callees)
        # When something came last that was not embedded before.
        self.grew_at = clock()

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
        before = await self._store.embedded_with([unit.function_id for unit in texts])
        wholes = await self.whole_keys()
        keys = {*wholes, self._begun_key}
        if any(_key_of(before.get(name, "")) not in keys for name in batch):
            self.grew_at = self._clock()
        due = [
            unit
            for unit in texts
            if unit.function_id in batch
            or before.get(unit.function_id) not in {f"{key}:{text_digest(texts[unit])}" for key in keys}
        ]
        # What had all vectors keeps them all, even where its text is another one now.
        whole = {unit for unit in due if self._ensemble.later and _key_of(before.get(unit.function_id, "")) in wholes}
        await self._embed([unit for unit in due if unit not in whole], texts)
        await self._embed([unit for unit in due if unit in whole], texts, self._ensemble.later)

    async def whole(self, units: Sequence[CodeUnit]) -> None:
        """Give units that were embedded the vectors of all models, and publish them once more."""
        texts = await self._texts({unit: wanted_callees(unit) for unit in units})
        await self._embed(units, texts, self._ensemble.later)

    async def backfill(self, page: int = 64) -> int:
        """Embed and publish anew what was embedded by other models or in another text form; returns how many.

        Goes once through what is kept, by id. A restart goes over what is done without work and then on. What has the
        vectors of a model that cannot be loaded now is left as it is: without them the last word on it would say less.
        """
        await self._ensemble.wait_loaded()
        done, after, keys = 0, "", [*await self.whole_keys(), self._begun_key]
        while self._ensemble.models:
            units = await self._store.not_embedded_by(keys, after, page)
            if not units:
                break
            await self(units)
            done, after = done + len(units), units[-1].function_id
        return done

    @property
    def whole_key(self) -> str:
        """Under which functions are marked that have the vectors of all models in this text form.

        Bears the models' digests, not their device: where a vector was computed makes no other generation.
        """
        return self._key([model.identity for model in self._ensemble.models])

    async def whole_keys(self) -> tuple[str, ...]:
        """The same, and those of what has besides the vectors of configured models that cannot be loaded now."""
        return (self.whole_key, *await self._of_missing())

    @property
    def _begun_key(self) -> str:
        return self._key([model.identity for model in self._ensemble.at_once])

    async def _of_missing(self) -> dict[str, tuple[str, ...]]:
        """Keys of what has the vectors of models that are missing, beside all that are there: identities of those."""
        there = [model.identity for model in self._ensemble.models]
        missing = [["", *await self._store.identities(name)] for name in self._ensemble.unavailable]
        some = [tuple(filter(None, chosen)) for chosen in product(*missing)]
        return {self._key([*there, *chosen]): chosen for chosen in some if chosen}

    async def _kept_of_missing(self, digests: Mapping[CodeUnit, str]) -> dict[CodeUnit, list[UnitVector]]:
        """Vectors of models that are missing: by the weights that each unit was embedded with last, or any."""
        found: dict[CodeUnit, list[UnitVector]] = {unit: [] for unit in digests}
        if not self._ensemble.unavailable:
            return found
        before = await self._store.embedded_with([unit.function_id for unit in digests])
        last = await self._of_missing()
        for name in self._ensemble.unavailable:
            kept = {
                identity: await self._store.vectors(identity, list(digests.values()))
                for identity in await self._store.identities(name)
            }
            for unit, digest in digests.items():
                of_last = last.get(_key_of(before.get(unit.function_id, "")), ())
                identities = sorted((one for one in kept if digest in kept[one]), key=lambda one: one in of_last)
                if identities:
                    found[unit].append(UnitVector(name, identities[-1], kept[identities[-1]][digest]))
        return found

    def _key(self, identities: Sequence[str]) -> str:
        of_models = text_digest("\n".join(sorted(identities)))[:16]
        return text_digest(f"{of_models}\n{self.text_form}\n{_ANNOUNCED}")[:16]

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

    async def _embed(
        self, units: Sequence[CodeUnit], texts: Mapping[CodeUnit, str], later: Sequence[EmbeddingModel] = ()
    ) -> None:
        """Publish units with the vectors of the model that embeds at once, of these, and what is kept of all others."""
        if not units:
            return
        models, digests = self._ensemble.choose(()), {unit: text_digest(texts[unit]) for unit in units}
        rows = {
            model.name: await self._vectors(model, [texts[unit] for unit in units])
            for model in (*self._ensemble.at_once, *later)
        }
        unasked = [model for model in models if model.name not in rows]
        besides = await self._kept_of_missing(digests)
        said, left = dict[CodeUnit, int](), list(units)
        while left:
            for model in unasked:
                rows[model.name] = await self._store.vectors(model.identity, [digests[unit] for unit in left])
            embedded = [
                EmbeddedUnit(
                    unit,
                    (
                        *(
                            UnitVector(model.name, model.identity, rows[model.name][digests[unit]])
                            for model in models
                            if digests[unit] in rows[model.name]
                        ),
                        *besides[unit],
                    ),
                    self.text_form,
                )
                for unit in left
            ]
            # Who gives a function its other vectors at the same time may have said so before this did: then the last
            # word on it is to be said once more, with all of them.
            more = [one for one in embedded if len(one.vectors) > said.get(one.unit, 0)]
            lacking = {one.unit for one in more if len(one.vectors) - len(besides[one.unit]) < len(models)}
            if more:
                await self._publisher.publish(more)
                keys = {
                    one.unit: self._begun_key
                    if one.unit in lacking
                    else self._key([vector.identity for vector in one.vectors])
                    for one in more
                }
                await self._store.mark_embedded(
                    {unit.function_id: f"{key}:{digests[unit]}" for unit, key in keys.items()}
                )
            said |= {one.unit: len(one.vectors) for one in more}
            left = [one.unit for one in more if one.unit in lacking]

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


def _key_of(state: str) -> str:
    """The key in a state under which a unit was marked."""
    return state.partition(":")[0]


@dataclass(frozen=True)
class EmbeddingProgress:
    """How many functions were seen and embedded."""

    seen: int
    embedded: int


async def embedding_progress(store: FunctionStore) -> EmbeddingProgress:
    """Counts for progress displays."""
    seen, embedded = await store.counts()
    return EmbeddingProgress(seen, embedded)
