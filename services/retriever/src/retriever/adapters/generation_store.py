"""Generations of the index in PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert

from retriever.adapters.tables import generations
from retriever.domain.ensemble import Weights
from retriever.domain.generations import Generation, KnownGenerations, Space, State
from touchstone_runtime.database import Database

# Any number that no other lock uses: whoever chooses takes turns.
_CHOICE_LOCK = 61_042_118


class SqlGenerationStore:
    """Implements `GenerationStore`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known(self) -> KnownGenerations:
        """All that there were, and which of them answers: read by one statement, as each process does each second."""
        async with self._database.session() as session:
            rows = list(await session.execute(sa.select(generations).order_by(generations.c.number)))
        active = next((row for row in rows if row.active), None)
        kept = [_generation(row) for row in rows]
        return KnownGenerations(kept, active.name, active.pinned) if active else KnownGenerations(kept)

    async def add(self, generation: Generation) -> None:
        """Keep a generation; one of that name is as before, but building again where it was dropped."""
        new = insert(generations).values(
            {**_parts(generation), "state": generation.state, "active": False, "pinned": False}
        )
        async with self._database.session() as session:
            await session.execute(
                new.on_conflict_do_update(
                    index_elements=["name"],
                    set_={"state": "building"},
                    where=generations.c.state == "dropped",
                )
            )

    async def choose(self, name: str, *, pinned: bool) -> None:
        """Let a generation answer from now on."""
        async with self._database.session() as session:
            await session.execute(sa.select(sa.func.pg_advisory_xact_lock(_CHOICE_LOCK)))
            await session.execute(sa.update(generations).where(generations.c.active).values(active=False, pinned=False))
            chosen = sa.update(generations).where(generations.c.name == name)
            await session.execute(chosen.values(active=True, pinned=pinned))

    async def set_state(self, name: str, state: State) -> None:
        """Note that a generation is whole, or dropped."""
        async with self._database.session() as session:
            await session.execute(sa.update(generations).where(generations.c.name == name).values(state=state))

    async def bind(self, generation: Generation, doubles: Collection[str]) -> None:
        """Note the identities and the text form of a generation that was taken over; those named are no more."""
        parts = _parts(generation)
        async with self._database.session() as session:
            await session.execute(
                sa.update(generations)
                .where(generations.c.name == generation.name)
                .values(spaces=parts["spaces"], text_form=parts["text_form"])
            )
            await session.execute(sa.delete(generations).where(generations.c.name.in_(sorted(doubles))))


def _parts(generation: Generation) -> dict[str, Any]:
    weights = generation.weights
    return {
        "name": generation.name,
        "spaces": [{"key": space.key, "model": space.model, "identity": space.identity} for space in generation.spaces],
        "text_form": generation.text_form,
        "weights": {"models": dict(weights.models), "text": weights.text, "crowding": weights.crowding},
    }


def _generation(row: Any) -> Generation:
    return Generation(
        row.name,
        tuple(Space(one["key"], one["model"], one["identity"]) for one in row.spaces),
        row.text_form,
        Weights(dict(row.weights["models"]), text=row.weights["text"], crowding=row.weights["crowding"]),
        row.state,
        row.made_at.isoformat(timespec="seconds"),
    )
