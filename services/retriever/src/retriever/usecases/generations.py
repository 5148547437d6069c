"""The life of the index's generations: made, whole, answering, dropped."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from retriever.domain.code import IndexEntry, Vectors
from retriever.domain.ensemble import Weights
from retriever.domain.generations import Described, Generation, Space, generation_of, space_key, taken_over
from retriever.domain.scoring import model_of
from retriever.errors import BadRequestError, EmbedderAwayError, ModelsGoneError, ModelsLoadingError
from retriever.ports import Answered, CodeIndex, GenerationStore, ModelServer, Role
from touchstone_runtime.telemetry import get_logger

# How long a process goes on with what it knows: a switch made by another replica is seen so much later.
_FRESH_S = 1.0
_log = get_logger()


@dataclass(frozen=True)
class GenerationReport:
    """A generation as people see it.

    Args:
        generation: What it is.
        active: It answers.
        pinned: Somebody chose it; no newer one takes over by itself.
        current: The embedder makes its vectors now.
        lacking: Codes that lack a vector of it.
        left_out: How many of these were given back to the embedder and got none, see `GiveBack`.
    """

    generation: Generation
    active: bool
    pinned: bool
    current: bool
    lacking: int
    left_out: int = 0


@dataclass(frozen=True)
class _Known:
    """All generations, and the one that answers."""

    generations: tuple[Generation, ...] = ()
    active: str = ""
    pinned: bool = False
    until: float = 0.0

    def named(self, name: str) -> Generation | None:
        return next((one for one in self.generations if one.name == name), None)

    def spaces(self, *, dropped: bool) -> set[str]:
        return {key for one in self.generations if (one.state == "dropped") == dropped for key in one.keys}


class Generations:
    """Which generation answers, and when the next one takes over.

    Args:
        store: Remembers them.
        index: Holds their vectors.
        server: Makes vectors.
        weights: What the ranking's parts count, for each set of models.
        wanted: Names of the models to use; none for all of the embedder's.
    """

    def __init__(
        self,
        store: GenerationStore,
        index: CodeIndex,
        server: ModelServer,
        *,
        weights: Collection[Weights] = (),
        wanted: Collection[str] = (),
    ) -> None:
        self._store = store
        self._index = index
        self._server = server
        self._weights = weights
        self._wanted = wanted
        self._known = _Known()
        self._looking = asyncio.Lock()
        # What the embedder makes now, and the generations of it: that of all models, then that of those at once.
        self._described: Described | None = None
        self._current: tuple[str, ...] = ()
        self._newest: Generation | None = None
        self._left_out: dict[str, int] = {}
        self._let_go: set[str] = set()

    async def active(self) -> Generation | None:
        """The generation that answers; None as long as there is none."""
        known = await self._fresh()
        return known.named(known.active)

    async def named(self, name: str) -> Generation:
        """A generation by its name.

        Raises:
            BadRequestError: there is none of that name.
        """
        held = (await self._fresh()).named(name)
        return held if held is not None and held.state != "dropped" else await self._demand(name)

    async def holds(self, name: str) -> bool:
        """Whether there is a generation of that name."""
        held = (await self._fresh()).named(name) or (await self._read()).named(name)
        return held is not None and held.state != "dropped"

    async def look(self) -> None:
        """See what the embedder makes now, and let its generation take over where it is whole.

        Raises:
            IndexUnavailableError: the index does not answer.
        """
        async with self._looking:
            described = await self._server.describe()
            known = await self._take_over(await self._read())
            if described is None:
                return
            self._described = described
            made = [
                generation
                for part in dict.fromkeys((described, described.at_once))
                if (generation := generation_of(part, self._wanted, known.generations, self._weights)) is not None
            ]
            if not made:
                return
            self._current, self._newest = tuple(dict.fromkeys(one.name for one in made)), made[0]
            # That of all models is the newer one.
            for generation in reversed(made):
                held = known.named(generation.name)
                if held is None or held.state == "dropped":
                    await self._store.add(generation)
                    _log.info("generation_made", generation=generation.name, spaces=sorted(generation.keys))
            if chosen := await self._successor(known, made, described):
                await self._choose(chosen.name)
            await self._sweep()

    @property
    def described(self) -> Described | None:
        """What the embedder makes, as last seen; None before it has told."""
        return self._described

    @property
    def newest(self) -> Generation | None:
        """The generation of all models that the embedder has now, as last seen."""
        return self._newest

    def leave_out(self, name: str, lacking: int) -> None:
        """So many codes that lack a vector of a generation keep it from taking over no more."""
        self._left_out[name] = lacking

    async def report(self) -> list[GenerationReport]:
        """All generations that are not dropped, oldest first."""
        known = await self._read()
        lacking = {one.name: await self._index.lacking(one.keys) for one in known.generations if one.state != "dropped"}
        return [
            GenerationReport(
                one,
                one.name == known.active,
                one.name == known.active and known.pinned,
                one.name in self._current,
                lacking[one.name],
                min(lacking[one.name], self._left_out.get(one.name, 0)),
            )
            for one in known.generations
            if one.name in lacking
        ]

    async def switch(self, name: str, *, anyway: bool = False) -> None:
        """Let a generation answer until somebody says otherwise; an empty name lets the newest take over again.

        Raises:
            BadRequestError: there is none of that name, or it is not whole.
        """
        if not name:
            known = await self._read()
            await self._store.choose(known.active, pinned=False)
            self._known = _Known()
            await self.look()
            return
        generation = await self._demand(name)
        lacking = await self._index.lacking(generation.keys)
        if not anyway and lacking > self._left_out.get(name, 0):
            raise BadRequestError(
                f"is not whole: {lacking} codes lack its vectors",
                thing=name,
                way_out="wait, or switch anyway: what lacks them is then found by its words alone",
            )
        await self._choose(name, pinned=True)

    async def drop(self, name: str) -> None:
        """Let go of a generation; its vectors go soon after, unless another one shares them.

        Raises:
            BadRequestError: there is none of that name, it answers, or the embedder makes its vectors now.
        """
        generation = await self._demand(name)
        known = await self._read()
        if generation.name == known.active:
            raise BadRequestError("answers now", thing=name, way_out="switch to another one first")
        if generation.name in self._current:
            raise BadRequestError(
                "is what the embedder makes now", thing=name, way_out="change the embedder's models first"
            )
        await self._store.set_state(name, "dropped")
        self._known = _Known()

    async def placed(self, entries: Sequence[IndexEntry]) -> list[IndexEntry]:
        """Entries with their vectors under the keys that the index keeps them by.

        An index that was taken over keeps its vectors under models' names; what only dropped generations had is left
        out.

        Args:
            entries: Codes whose vectors bear `space_key`.
        """
        known = await self._recognised(await self._fresh(), entries)
        kept = {
            space_key(space.model, space.identity, one.text_form): space.key
            for one in known.generations
            if one.bound
            for space in one.spaces
        }
        gone = known.spaces(dropped=True) - known.spaces(dropped=False)

        def moved(vectors: Vectors) -> Vectors:
            under = {kept.get(key, key): row for key, row in vectors.items()}
            return {key: row for key, row in under.items() if key not in gone}

        return [IndexEntry(entry.code, moved(entry.vectors)) for entry in entries]

    async def _fresh(self) -> _Known:
        return self._known if time.monotonic() < self._known.until else await self._read()

    async def _read(self) -> _Known:
        known = await self._store.known()
        self._known = _Known(tuple(known.all), known.active, known.pinned, time.monotonic() + _FRESH_S)
        return self._known

    async def _demand(self, name: str) -> Generation:
        found = (await self._read()).named(name)
        if found is None or found.state == "dropped":
            raise BadRequestError("no such generation", thing=name[:80], way_out="see `touchstone index status`")
        return found

    async def _choose(self, name: str, *, pinned: bool = False) -> None:
        await self._store.choose(name, pinned=pinned)
        self._known = _Known()
        _log.info("generation_answers", generation=name, pinned=pinned)

    async def _successor(self, known: _Known, made: Sequence[Generation], described: Described) -> Generation | None:
        """The generation that is to answer from now on; None as long as the one that answers goes on."""
        *_, at_once = made
        if not known.active:
            return at_once
        if known.pinned:
            return None
        for generation in made:
            # What answers already goes on: what is new and lacks its later models' vectors stands where the others
            # put it.
            if generation.name == known.active:
                return None
            rests = generation is at_once or described.later is None or described.later.caught_up
            if rests and await self._whole(generation):
                return generation
        return None

    async def _whole(self, generation: Generation) -> bool:
        if await self._index.lacking(generation.keys) > self._left_out.get(generation.name, 0):
            return False
        await self._store.set_state(generation.name, "whole")
        return True

    async def _take_over(self, known: _Known) -> _Known:
        """An index of before there were generations answers as the first of them."""
        if known.generations:
            return known
        named = {key for key in await self._index.spaces() if "@" not in key and ":" not in key}
        if not named:
            return known
        first = taken_over(named, self._weights)
        await self._store.add(first)
        await self._choose(first.name)
        _log.info("index_taken_over", models=sorted(named))
        return await self._read()

    async def _recognised(self, known: _Known, entries: Sequence[IndexEntry]) -> _Known:
        """Learn by which weights an index of before was made: the embedder keeps its vectors, and sends them again.

        The very same numbers come from the same weights and the same text; other weights give no number twice.
        """
        first = next((one for one in known.generations if not one.bound), None)
        if first is None or first.name != known.active:
            return known
        held = await self._index.vectors([entry.code.function_id for entry in entries], first.keys)
        found = {space: _twin_of(space, entries, held) for space in first.spaces}
        forms = {key.partition("@")[2] for key in found.values()}
        if not all(found.values()) or len(forms) != 1:
            return known
        spaces = tuple(Space(space.key, space.model, key.partition("@")[0]) for space, key in found.items())
        # What was made while this was not known has a space of its own for the same vectors; it is made anew.
        doubles = [one.name for one in known.generations if one.keys & set(found.values())]
        await self._store.bind(replace(first, spaces=spaces, text_form=forms.pop()), doubles)
        _log.info("taken_over_index_recognised", models=sorted(space.identity for space in spaces))
        return await self._read()

    async def _sweep(self) -> None:
        """Let go of the vectors that no generation has any more."""
        known = await self._read()
        gone = known.spaces(dropped=True) - known.spaces(dropped=False)
        # An index may know its spaces by a sample alone, so each is let go of once in any case; and again where another
        # replica, which had not seen that it was dropped, wrote to it since.
        self._let_go &= gone
        if gone - self._let_go or (gone and gone & await self._index.spaces()):
            if count := await self._index.forget(sorted(gone)):
                _log.info("vectors_let_go", spaces=sorted(gone), codes=count)
            self._let_go = gone


class GenerationEmbedder:
    """Implements `QueryEmbedder`: the models of the generation that answers, by their digests.

    Args:
        generations: Which one that is.
        server: Makes vectors.
        name: Another generation to answer by, always.
    """

    def __init__(self, generations: Generations, server: ModelServer, name: str = "") -> None:
        self._generations = generations
        self._server = server
        self._name = name

    async def embed(self, texts: Sequence[str], role: Role) -> list[Vectors]:
        """Vectors of each text, by the keys of the generation's spaces.

        Raises:
            EmbedderUnavailableError: nobody answers, or no model is there.
            ModelsLoadingError: some of the models are still being loaded; it bears the vectors of the others.
            ModelsGoneError: the embedder has none of the generation's models.
        """
        name = self._name
        generation = await (self._generations.named(name) if name else self._generations.active())
        if generation is None:
            raise EmbedderAwayError(
                "the index has no generation yet: the embedder has not told its models",
                thing="the index",
                way_out="is it running and ready? see `touchstone status`",
            )
        wanted = {(space.model, space.identity): space.key for space in generation.spaces if space.identity}
        models = [model for model, _identity in wanted]
        answered = await self._server.embed(texts, models, role) if wanted else Answered([])
        # Of a model that has other weights by now nothing may meet the vectors that it made before.
        rows = {
            wanted[one.model, one.identity]: one.rows for one in answered.rows if (one.model, one.identity) in wanted
        }
        vectors: list[Vectors] = [{key: row[number] for key, row in rows.items()} for number in range(len(texts))]
        if answered.loading:
            raise ModelsLoadingError(answered.loading, vectors)
        if not rows:
            raise ModelsGoneError(
                f"has none of the models that generation {generation.name} was made by",
                thing="the embedder",
                way_out="the next generation takes over when it is whole; see `touchstone index status`",
            )
        return vectors


def _twin_of(space: Space, entries: Sequence[IndexEntry], held: Mapping[str, Vectors]) -> str:
    """The key whose vectors are those that are held under a model's name; empty where there is none."""
    same, compared = Counter[str](), Counter[str]()
    for entry in entries:
        old = held.get(entry.code.function_id, {}).get(space.key)
        for key, new in entry.vectors.items():
            # A text without words has a vector without direction in every model.
            if old is not None and key != space.key and model_of(key) == space.model and old.any():
                compared[key] += 1
                same[key] += old.shape == new.shape and bool(np.allclose(old, new, rtol=0, atol=1e-6))
    # A callee that came since may have changed a few.
    return next((key for key, count in same.items() if count and 2 * count > compared[key]), "")
