"""Fakes of the embedder's ports, and makers of the things that tests are about."""

from __future__ import annotations

import contextlib
import hashlib

import numpy as np
import pytest

from embedder.adapters.records import function_of, unit_of
from embedder.domain.calls import normal_qualname
from embedder.domain.units import Place
from embedder.domain.vectors import normalised
from touchstone_contracts.events import Function, SourceRef


class MemoryFunctionStore:
    """Implements `FunctionStore` in memory; the contract suite in tests/contract holds it to the real one."""

    def __init__(self):
        self.units = {}
        self.wants = {}
        self.states = {}
        self.kept = {}
        self.pages = []
        self.taken = False

    @staticmethod
    def _place(unit):
        return Place(unit.source_version_id, unit.path, normal_qualname(unit.qualname))

    async def save(self, units):
        for unit, qualnames in units.items():
            self.units[unit.function_id] = unit
            self.wants.setdefault(unit.function_id, set()).update(
                Place(unit.source_version_id, unit.path, qualname) for qualname in qualnames
            )

    async def callers_of(self, units):
        places = {self._place(unit) for unit in units}
        given = {unit.function_id for unit in units}
        return [
            self.units[function_id]
            for function_id in sorted(self.units)
            if function_id not in given and self.wants[function_id] & places
        ]

    async def code_at(self, places):
        found = {}
        for unit in self.units.values():
            place = self._place(unit)
            if place in places:
                candidate = (function_of(unit).line_start, unit.function_id, unit.code)
                found[place] = min(found.get(place, candidate), candidate)
        return {place: code for place, (_line, _id, code) in found.items()}

    async def embedded_with(self, function_ids):
        return {function_id: self.states[function_id] for function_id in function_ids if function_id in self.states}

    async def mark_embedded(self, states):
        self.states.update(states)

    async def not_embedded_by(self, keys, after, limit):
        self.pages.append(after)
        under = tuple(f"{key}:" for key in keys)
        others = [one for one in sorted(self.states) if one > after and not self.states[one].startswith(under)]
        return [self.units[function_id] for function_id in others[:limit]]

    async def embedded_by(self, key):
        return sum(state.startswith(f"{key}:") for state in self.states.values()), len(self.states)

    @contextlib.asynccontextmanager
    async def turn(self):
        mine, self.taken = not self.taken, True
        try:
            yield mine
        finally:
            self.taken = self.taken and not mine

    async def vectors(self, identity, digests):
        return {digest: self.kept[identity, digest] for digest in digests if (identity, digest) in self.kept}

    async def identities(self, model):
        return sorted({identity for identity, _digest in self.kept if identity.startswith(f"{model}:")})

    async def save_vectors(self, identity, fresh):
        for digest, data in fresh.items():
            self.kept.setdefault((identity, digest), data)
        return await self.vectors(identity, list(fresh))

    async def counts(self):
        return len(self.units), len(self.states)


class HashModel:
    """A model whose vectors are noise made from the text; counts what it was asked."""

    device = "cpu"

    def __init__(self, name="noise-4", dimensions=4, identity=""):
        self.name = name
        self.dimensions = dimensions
        self.identity = identity or f"{name}:1"
        self.asked = []
        self.lanes = []

    def encode(self, texts, role, lane):
        self.asked.append((role, list(texts)))
        self.lanes.append(lane)
        rows = []
        for text in texts:
            seed = int.from_bytes(hashlib.sha256(f"{self.identity}{role}{text}".encode()).digest()[:8], "little")
            rows.append(np.random.default_rng(seed).normal(size=self.dimensions))
        return normalised(np.array(rows, dtype=np.float32))


class Published:
    """Keeps what was published."""

    def __init__(self):
        self.batches = []

    async def publish(self, embedded):
        self.batches.append(list(embedded))

    @property
    def last(self):
        """The last word on each function."""
        return {one.unit.function_id: one for batch in self.batches for one in batch}


def make_function(qualname="area", code="def area(w, h):\n    return w * h", **more):
    source = more.pop("source", None) or SourceRef(
        source_id="s1", source_version_id=more.pop("version_id", "s1v1"), kind="package", name="shapes", version="1.0"
    )
    fields = {
        "function_id": f"{source.source_version_id}:{qualname}",
        "source": source,
        "path": "shapes/core.py",
        "qualname": qualname,
        "name": qualname.rpartition(".")[2],
        "line_start": 1,
        "line_end": code.count("\n") + 1,
        "code": code,
        **more,
    }
    return Function(**fields)


@pytest.fixture
def function():
    """Makes a `Function`."""
    return make_function


@pytest.fixture
def unit():
    """Makes a `CodeUnit`."""
    return lambda *args, **more: unit_of(make_function(*args, **more))


@pytest.fixture
def memory_store():
    return MemoryFunctionStore()


@pytest.fixture
def published():
    return Published()


@pytest.fixture
def noise_model():
    """The class of models whose vectors are noise."""
    return HashModel
