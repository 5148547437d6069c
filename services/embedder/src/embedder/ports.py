"""What embedding needs from outside."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from embedder.domain.units import CodeUnit, EmbeddedUnit, Place

Role = Literal["query", "code"]
# Somebody waits for the answer, or it is bulk work that must keep nobody waiting.
Lane = Literal["waiting", "bulk"]


class EmbeddingModel(Protocol):
    """A loaded model. `identity` changes whenever the same text could get another vector."""

    @property
    def name(self) -> str:
        """Name by which callers choose it."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of its vectors."""
        ...

    @property
    def device(self) -> str:
        """Where it computes: cpu, cuda, mps."""
        ...

    @property
    def identity(self) -> str:
        """Name and a hash of the weights; the same on every device."""
        ...

    def encode(self, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        """Vectors of the texts; blocks, and is called by one thread at a time on each lane.

        Returns:
            (n, dimensions) float32, L2-normalised.
        """
        ...


class FunctionStore(Protocol):
    """The embedder's memory: functions seen, what they call, and vectors computed."""

    async def save(self, units: Mapping[CodeUnit, tuple[str, ...]]) -> None:
        """Keep units with the qualified names that they want inlined; committed when this returns."""
        ...

    async def callers_of(self, units: Collection[CodeUnit]) -> list[CodeUnit]:
        """Units that want one of these inlined, the given ones left out, by id."""
        ...

    async def code_at(self, places: Collection[Place]) -> dict[Place, str]:
        """Code of the units that stand at these places."""
        ...

    async def embedded_with(self, function_ids: Collection[str]) -> dict[str, str]:
        """The `state` under which each was last marked embedded; those never embedded are missing."""
        ...

    async def mark_embedded(self, states: Mapping[str, str]) -> None:
        """Note the state under which units were embedded."""
        ...

    async def not_embedded_by(self, keys: Collection[str], after: str, limit: int) -> list[CodeUnit]:
        """Units embedded once, whose last state begins with none of these keys, by id, behind the id `after`."""
        ...

    async def embedded_by(self, key: str) -> tuple[int, int]:
        """How many units were last embedded under this key, and how many under any."""
        ...

    def turn(self) -> AbstractAsyncContextManager[bool]:
        """Held by one process at a time; gives whether it is this one. A process that ends gives it back."""
        ...

    async def vectors(self, identity: str, digests: Collection[str]) -> dict[str, bytes]:
        """Vectors that a model computed earlier, by digest of the text."""
        ...

    async def identities(self, model: str) -> list[str]:
        """Identities of the models of this name that computed vectors once, by themselves."""
        ...

    async def save_vectors(self, identity: str, fresh: Mapping[str, bytes]) -> dict[str, bytes]:
        """Keep vectors; where one was kept before, the older one is what counts and is returned."""
        ...

    async def counts(self) -> tuple[int, int]:
        """How many units were seen, and how many were embedded."""
        ...


class EmbeddedPublisher(Protocol):
    """Tells the rest of the platform."""

    async def publish(self, embedded: Sequence[EmbeddedUnit]) -> None:
        """Publish; returns when all are confirmed."""
        ...
