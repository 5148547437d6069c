"""Fakes of the retriever's ports, and makers of the things that tests are about."""

from __future__ import annotations

import contextlib
import dataclasses
import math

import numpy as np
import pytest

from retriever.adapters.held_index import Change
from retriever.adapters.memory_index import MemoryIndex
from retriever.adapters.records import code_of, code_of_record
from retriever.domain.code import IndexEntry
from retriever.domain.generations import Described, KnownGenerations
from retriever.domain.pools import entering
from retriever.domain.versions import Reading
from retriever.ports import Answered, BuildPlace, PoolVersion, ProposalCounts, TextRows
from retriever.usecases.generations import Generations
from retriever.usecases.rebuild import RebuildIndex
from touchstone_contracts.events import Function, SourceRef


def make_source(name="shapes", version="1.0", released="2026-01-01T00:00:00Z", source_id="", licence="MIT"):
    return SourceRef(
        source_id=source_id or f"id-{name}",
        source_version_id=f"{name}-{version}",
        kind="package",
        name=name,
        version=version,
        licence=licence,
        released_at=released,
    )


def make_function(qualname="area", *, source=None, **more):
    source = source or make_source()
    code = more.pop("code", f"def {qualname.rpartition('.')[2]}(x):\n    return x")
    fields = {
        "function_id": f"{source.source_version_id}:{qualname}",
        "source": source,
        "path": "pkg/core.py",
        "qualname": qualname,
        "name": qualname.rpartition(".")[2],
        "line_start": 3,
        "line_end": 4,
        "code": code,
        "searchable_pair": True,
        **more,
    }
    return Function(**fields)


def make_code(*args, **more):
    return code_of(make_function(*args, **more))


def toward(degrees, dimensions=2):
    """A vector of length one that points so many degrees away from the first axis."""
    vector = np.zeros(dimensions, dtype=np.float32)
    vector[0], vector[1] = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return vector


def make_entry(qualname="area", degrees=0.0, *, models=("m",), vectors=None, **more):
    return IndexEntry(make_code(qualname, **more), vectors or {model: toward(degrees) for model in models})


class AngleEmbedder:
    """Embeds a text that holds a number as the vector that points so many degrees away; counts calls."""

    def __init__(self, models=("m",)):
        self.models = models
        self.asked = []

    async def embed(self, texts, role):
        self.asked.append((role, list(texts)))
        return [{model: toward(self._degrees(text)) for model in self.models} for text in texts]

    @staticmethod
    def _degrees(text):
        numbers = [float(word) for word in text.replace("(", " ").replace(")", " ").split() if word.isdigit()]
        return numbers[-1] if numbers else 0.0


class MemoryReadings:
    """Implements `ReadingStore` in memory; what stood is given instead of a blob's digest."""

    def __init__(self):
        self.records = {}
        self.standing = {}

    async def add(self, record):
        key = (record.source_id, record.source_version_id)
        before = self.records.get(key)
        if before is None or (record.read_at >= before.read_at and (record.whole or not before.whole)):
            self.records[key] = record

    async def readings(self, source_ids):
        found = {}
        for source_id in source_ids:
            records = sorted((r for (s, _v), r in self.records.items() if s == source_id), key=lambda r: r.read_at)
            whole = [place for place, record in enumerate(records) if record.whole]
            if whole:
                last = records[whole[-1]]
                earlier = frozenset(record.source_version_id for record in records[: whole[-1]])
                standing = self.standing.get(last.digest) if last.digest else None
                found[source_id] = Reading(last.source_version_id, earlier, standing, last.version_key)
        return found


class MemoryProposals:
    """Implements `ProposalStore` in memory; the contract suite holds it to the real one."""

    def __init__(self):
        self.queries = {}
        self.kept = {}
        self.said = {}
        self.looks = {}
        self.made = []

    async def add(self, imported):
        new = {query.query_id for query in imported} - set(self.queries)
        for query in imported:
            self.queries.setdefault(query.query_id, query)
        return new

    async def meant(self, beginning):
        found = sorted(each for each in self.queries if each.startswith(beginning))
        return [beginning] if beginning in found else found[:2]

    async def proposals(self, query_id):
        return list(self.kept.get(query_id, []))

    async def extend(self, query, fresh, look, most):
        await self.add([query])
        kept = self.kept.get(query.query_id, [])
        version = max((one.version for one in kept), default=0) + 1
        new = [dataclasses.replace(one, version=version) for one in entering(kept, fresh, most)]
        if new:
            self.kept[query.query_id] = kept + sorted(new, key=lambda one: one.rank)
            self.made.append(PoolVersion(query.query_id, version, len(new), look))
        self.looks[query.query_id] = look
        return new

    async def unpublished(self, query_id):
        said = self.said.get(query_id, set())
        return [one for one in self.kept.get(query_id, []) if one.pair_id not in said]

    async def mark_published(self, query_id, pair_ids):
        self.said.setdefault(query_id, set()).update(pair_ids)

    async def due(self, index, rested, stale, limit):
        found = []
        for name in sorted(self.kept, key=lambda name: (self.looks[name].at, name)):
            look = self.looks[name]
            again = (look.index != index and look.at <= rested) or look.at < stale
            if again or await self.unpublished(name):
                found.append(self.queries[name])
        return found[:limit]

    async def versions(self, query_id=""):
        chosen = [one for one in self.made if query_id in ("", one.query_id)]
        return sorted(chosen, key=lambda one: (one.query_id, one.version))

    async def unanswered(self):
        return [query for name, query in sorted(self.queries.items()) if name not in self.kept]

    async def listed(self, limit, after=""):
        found = [query for name, query in sorted(self.queries.items()) if name > after][:limit]
        return [(query, len(self.kept.get(query.query_id, []))) for query in found]

    async def counts(self):
        return ProposalCounts(len(self.queries), len(self.kept), sum(map(len, self.kept.values())))


class MemoryGenerations:
    """Implements `GenerationStore` in memory; the contract suite holds it to the real one."""

    def __init__(self):
        self.kept = {}
        self.chosen = ("", False)

    async def known(self):
        return KnownGenerations(list(self.kept.values()), *self.chosen)

    async def add(self, generation):
        kept = self.kept.setdefault(generation.name, dataclasses.replace(generation, made_at="2026-01-01T00:00:00"))
        if kept.state == "dropped":
            await self.set_state(generation.name, "building")

    async def choose(self, name, *, pinned):
        self.chosen = (name, pinned) if name in self.kept else ("", False)

    async def set_state(self, name, state):
        self.kept[name] = dataclasses.replace(self.kept[name], state=state)

    async def bind(self, generation, doubles):
        for name in doubles:
            del self.kept[name]
        changes = {"spaces": generation.spaces, "text_form": generation.text_form}
        self.kept[generation.name] = dataclasses.replace(self.kept[generation.name], **changes)


class MemoryBuilds:
    """Implements `BuildStore` in memory; the contract suite holds it to the real one."""

    def __init__(self):
        self.kept = {}
        self.taken = False

    async def begin(self, places):
        if self.kept:
            return False
        self.kept = {place: BuildPlace(*place, 0) for place in places}
        return True

    async def places(self):
        return [self.kept[place] for place in sorted(self.kept)]

    async def advance(self, stream, partition, position, taken, left):
        before = self.kept[stream, partition]
        self.kept[stream, partition] = BuildPlace(stream, partition, position, before.taken + taken, left)

    async def ended(self, stream):
        for place, kept in self.kept.items():
            if place[0] == stream:
                self.kept[place] = dataclasses.replace(kept, left=0)

    async def finish(self):
        self.kept = {}

    @contextlib.asynccontextmanager
    async def turn(self):
        mine, self.taken = not self.taken, True
        try:
            yield mine
        finally:
            self.taken = self.taken and not mine


class MemoryChanges:
    """Implements `ChangeLog` in memory; the contract suite holds it to the real one."""

    def __init__(self, kept=10_000):
        self.changes = []
        self.last = 0
        self.kept = kept

    async def append(self, function_ids, source_ids, keys):
        self.last += 1
        self.changes.append(Change(self.last, tuple(function_ids), tuple(source_ids), tuple(keys)))
        del self.changes[: -self.kept]

    async def head(self):
        return self.last

    async def after(self, number, most):
        return [one for one in self.changes if one.number > number][:most]


class Models:
    """Implements `ModelServer`: models by name and digest, each of which turns what it embeds by so many degrees."""

    def __init__(self, **digests):
        self.digests = digests
        self.text_form = "code-1"
        self.later = None
        self.missing = ()
        self.spare = {}
        self.loading = ()
        self.asked = []
        self.given = []

    def identities(self):
        return tuple((name, f"{name}:{digest}") for name, digest in self.digests.items())

    async def describe(self):
        there = self.digests and not self.loading
        return Described(self.identities(), self.text_form, self.later, self.missing) if there else None

    async def embed(self, texts, models, role):
        self.asked.append(list(models))
        there = {**self.spare, **self.digests}
        rows = np.stack([toward(AngleEmbedder._degrees(text)) for text in texts])
        answering = [name for name in models if name in there and name not in self.loading]
        of_models = [TextRows(name, f"{name}:{there[name]}", rows) for name in answering]
        return Answered(of_models, tuple(name for name in models if name in self.loading))

    async def embed_functions(self, records):
        self.given.append([code_of_record(record).function_id for record in records])


class Published:
    """Keeps what was published, in order."""

    def __init__(self):
        self.said = []

    async def publish(self, *what):
        self.said.append(what)


class Lag:
    functions_behind = 5


@pytest.fixture
def function():
    return make_function


@pytest.fixture
def changes():
    return MemoryChanges()


@pytest.fixture
def source():
    return make_source


@pytest.fixture
def code():
    return make_code


@pytest.fixture
def entry():
    return make_entry


@pytest.fixture
def direction():
    return toward


@pytest.fixture
def memory_index():
    return MemoryIndex()


@pytest.fixture
def embedder():
    return AngleEmbedder()


@pytest.fixture
def memory_readings():
    return MemoryReadings()


@pytest.fixture
def memory_proposals():
    return MemoryProposals()


@pytest.fixture
def memory_generations():
    return MemoryGenerations()


@pytest.fixture
def models():
    """Makes an embedder with models by name and digest."""
    return Models


def make_generations(index, server=None, store=None, **more):
    return Generations(store or MemoryGenerations(), index, server or Models(), **more)


@pytest.fixture
def memory_builds():
    return MemoryBuilds()


def make_rebuild(index, streams=(), store=None):
    return RebuildIndex(store or MemoryBuilds(), index, streams)


@pytest.fixture
def rebuild_over():
    return make_rebuild


@pytest.fixture
def generations_over():
    return make_generations


@pytest.fixture
def published():
    return Published()


@pytest.fixture
def lag():
    return Lag()
