"""The index in Weaviate, with one named vector for each model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import product
from typing import Any

import grpc
import httpx
import weaviate
from weaviate.classes.data import DataObject
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.classes.query import Filter
from weaviate.exceptions import WeaviateBaseError

from retriever.adapters.records import code_of_record
from retriever.adapters.weaviate_near import best, by_text, nearest
from retriever.adapters.weaviate_objects import (
    NO,
    YES,
    about_the_request,
    conditions,
    hits_of,
    ids_lacking,
    lacked_by,
    later_properties,
    listed_of,
    needs_looking,
    object_id,
    of_ids,
    properties_of,
    schema,
    scored_hit,
    sum_of_digests,
    text_settings,
    vector_config,
    vector_name,
    vectors_by_id,
    vectors_of,
    walked,
)
from retriever.domain.code import (
    Hit,
    IndexCounts,
    IndexedCode,
    IndexEntry,
    Listed,
    SearchFilter,
    Vectors,
    content_digest,
)
from retriever.domain.ensemble import Near
from retriever.domain.scoring import ordered, weight_of
from retriever.domain.versions import Reading, placed, superseded_ids
from retriever.errors import IndexFailedError, IndexUnavailableError
from retriever.ports import NO_READINGS
from touchstone_runtime.errors import words_of

_LEAST_CANDIDATES = 100
_ROWS = 200
_PAGE = 500
# Weaviate pages through no more than 10,000 objects of a filter.
_REACH = 10_000 - _PAGE
# Ids that one filter names: where a wildcard or a pattern admits more, each part of them is ranked, and the best taken.
_MOST_SELECTED = 10_000
# Raised whenever objects get other properties: the collection of before is then left alone.
_FORM = "2"


class WeaviateIndex:
    """Implements `CodeIndex`.

    The nearest candidates of each model come from Weaviate's graphs; their union is scored exactly here.
    Writers in one process take turns; with several replicas the mark "superseded" of a lineage settles with
    the next write to it.

    Args:
        http: host:port of the HTTP endpoint.
        grpc_endpoint: host:port of the gRPC endpoint.
        api_key: Empty for anonymous access.
        collection: Name of the collection; made when missing.
    """

    def __init__(self, http: str, grpc_endpoint: str, *, api_key: str = "", collection: str = "TouchstoneCode") -> None:
        http_host, _, http_port = http.rpartition(":")
        grpc_host, _, grpc_port = grpc_endpoint.rpartition(":")
        self._endpoint = http
        self._name = f"{collection}_{_FORM}"
        self._client = weaviate.use_async_with_custom(
            http_host=http_host,
            http_port=int(http_port),
            http_secure=False,
            grpc_host=grpc_host,
            grpc_port=int(grpc_port),
            grpc_secure=False,
            auth_credentials=Auth.api_key(api_key) if api_key else None,
            additional_config=AdditionalConfig(timeout=Timeout(init=5, query=60, insert=120)),
            # The client's own checks ask a package index for its newest version.
            skip_init_checks=True,
        )
        self._known_vectors: set[str] | None = None
        self._countable = False
        self._writing = asyncio.Lock()

    async def upsert(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading] = NO_READINGS) -> None:
        """Take in or replace codes by id, and note which codes are superseded now."""
        async with self._writing, self._calls():
            await self._make_room({model for entry in entries for model in entry.vectors})
            for start in range(0, len(entries), _ROWS):
                await self._write(entries[start : start + _ROWS], readings)

    async def settle(self, source_id: str, reading: Reading) -> int:
        """A source was read: note which of its codes are superseded now; gives how many changed."""
        async with self._writing, self._calls():
            if not await self._vector_names():
                return 0
            kept = await self._matching(
                Filter.by_property("source_id").equal(source_id), lambda code: code.source_id == source_id
            )
            superseded = superseded_ids((placed(code) for code, _marked in kept), {source_id: reading})
            return await self._remark(kept, superseded)

    async def search(self, query: Vectors, weights: Mapping[str, float], chosen: SearchFilter, limit: int) -> list[Hit]:
        """The nearest codes by weighted mean cosine, best first, equal scores by id."""
        async with self._calls():
            known = await self._vector_names()
            used = {
                model: vector
                for model, vector in query.items()
                if weight_of(model, weights) > 0 and vector_name(model) in known
            }
            if not used or limit < 1 or not chosen.forms:
                return []
            found: dict[str, Hit] = {}
            for filters, (model, vector) in product(await self._filters(chosen), used.items()):
                answer = await self._collection().query.near_vector(
                    near_vector=vector.tolist(),
                    target_vector=vector_name(model),
                    limit=max(2 * limit, _LEAST_CANDIDATES),
                    filters=filters,
                    include_vector=True,
                    return_properties=["record", "superseded"],
                )
                for found_object in answer.objects:
                    hit = scored_hit(found_object, used, weights)
                    if hit is not None:
                        found[hit.code.function_id] = hit
            return ordered(found.values())[:limit]

    async def near(self, query: Vectors, asked: Sequence[str], chosen: SearchFilter, depth: int) -> Near:
        """The candidates of a question."""
        async with self._calls():
            known = await self._vector_names()
            collection = self._collection()
            asking = {key: vector for key, vector in query.items() if vector_name(key) in known}
            text: dict[str, float] = {}
            found: list[dict[str, float]] = [{} for _key in asking]
            for filters in await self._filters(chosen) if known and chosen.forms and depth > 0 else ():
                more, *of_keys = await asyncio.gather(
                    by_text(collection, asked, filters, depth),
                    *(nearest(collection, key, vector, filters, depth) for key, vector in asking.items()),
                )
                text = best(text | more, depth)
                found = [best(one | other, depth) for one, other in zip(found, of_keys, strict=True)]
            ids = frozenset(text).union(*found)
            if not ids:
                return Near(frozenset(), {})
            # What a space did not bring in is measured there by the server: a vector is as much as a page of text.
            others = await asyncio.gather(
                *(
                    nearest(collection, key, vector, of_ids(ids - set(near)), len(ids))
                    for (key, vector), near in zip(asking.items(), found, strict=True)
                )
            )
            cosines = {key: near | other for key, near, other in zip(asking, found, others, strict=True)}
        return Near(ids, text, cosines)

    async def select(self, chosen: SearchFilter, most: int) -> list[Listed]:
        """What a filter admits, by place."""
        async with self._calls():
            return (await self._selected(chosen))[:most] if await self._vector_names() else []

    async def listed(self, function_ids: Collection[str]) -> dict[str, Listed]:
        """Place and twin of codes by id."""
        found = await self.codes(function_ids)
        return {name: Listed(name, hit.code.place, hit.code.twin) for name, hit in found.items()}

    async def codes(self, function_ids: Collection[str]) -> dict[str, Hit]:
        """Codes by id."""
        found: dict[str, Hit] = {}
        async for objects in self._by_ids(function_ids, ["record", "superseded"]):
            hits = await asyncio.to_thread(hits_of, objects)
            found |= {hit.code.function_id: hit for hit in hits}
        return found

    async def ids(self, after: str, most: int) -> list[str]:
        """Ids of codes, in the order of the server's own."""
        async with self._calls():
            if not await self._vector_names():
                return []
            return [str(one["function_id"]) for one in await walked(self._collection(), after, most)]

    async def vectors(self, function_ids: Collection[str], keys: Collection[str] | None) -> dict[str, Vectors]:
        """Vectors of codes by id, of these spaces or of all."""
        async with self._calls():
            known = await self._vector_names()
        names = sorted(known) if keys is None else [vector_name(key) for key in keys if vector_name(key) in known]
        found: dict[str, Vectors] = {}
        if names:
            async for objects in self._by_ids(function_ids, ["function_id", "models"], vectors=names):
                found |= await asyncio.to_thread(vectors_by_id, objects, keys)
        return found

    async def _by_ids(
        self, function_ids: Collection[str], properties: list[str], *, vectors: bool | list[str] = False
    ) -> AsyncIterator[Sequence[Any]]:
        ids = sorted(function_ids)
        async with self._calls():
            if not ids or not await self._vector_names():
                return
            for start in range(0, len(ids), _ROWS):
                answer = await self._collection().query.fetch_objects_by_ids(
                    [object_id(function_id) for function_id in ids[start : start + _ROWS]],
                    limit=_ROWS,
                    include_vector=vectors,
                    return_properties=properties,
                )
                yield answer.objects

    async def counts(self) -> IndexCounts:
        """How much the index holds."""
        async with self._calls():
            if not await self._vector_names():
                return IndexCounts(0, 0)
            replaced = Filter.by_property("superseded").equal(YES)
            return IndexCounts(await self._count(), await self._count(replaced))

    async def spaces(self) -> set[str]:
        """Keys of the spaces that the index has vectors of, as far as its first codes tell."""
        async with self._calls():
            if not await self._vector_names():
                return set()
            answer = await self._collection().query.fetch_objects(limit=_PAGE, return_properties=["models"])
        return {str(key) for one in answer.objects for key in one.properties["models"] or ()}

    async def lacking(self, keys: Collection[str]) -> int:
        """How many codes lack a vector of at least one of these spaces."""
        async with self._calls():
            if not keys or not await self._vector_names():
                return 0
            await self._make_countable()
            return await self._count() - await self._count(_having(keys))

    async def digest(self, keys: Collection[str]) -> str:
        """Names the codes that it holds, and which of them lack a vector of these spaces."""
        lacking: dict[str, int] = {}
        async with self._calls():
            if not await self._vector_names():
                return content_digest(0, {})
            await self._make_countable()
            held, count = await sum_of_digests(self._collection()), await self._count()
            for key in keys:
                # Counting is quick, and mostly none lacks it; adding up what a filter admits reads all of it.
                if await self._count(_having([key])) != count:
                    lacking[key] = held - await sum_of_digests(self._collection(), _having([key]))
        return content_digest(held, lacking)

    async def _count(self, filters: Any = None) -> int:
        found = await self._collection().aggregate.over_all(total_count=True, filters=filters)
        return int(found.total_count or 0)

    async def ids_lacking(self, keys: Collection[str], after: str, most: int) -> list[str]:
        """Ids of these codes, in the order of the server's own."""
        async with self._calls():
            return await ids_lacking(self._collection(), keys, after, most) if await self._vector_names() else []

    async def forget(self, keys: Collection[str]) -> int:
        """Let go of all vectors of these spaces; gives how many codes had any."""
        done = 0
        async with self._writing, self._calls():
            if not await self._vector_names():
                return 0
            await self._make_countable()
            having = Filter.by_property("spaces").contains_any(sorted(keys))
            while True:
                # Who has lost them is found no more, so the first page is always the next one.
                answer = await self._collection().query.fetch_objects(limit=_ROWS, filters=having, include_vector=True)
                if not answer.objects:
                    return done
                for one in answer.objects:
                    left = [str(key) for key in one.properties["models"] if key not in keys]
                    await self._collection().data.replace(
                        uuid=one.uuid,
                        properties={**one.properties, "models": left, "spaces": left},
                        vector={vector_name(key): row.tolist() for key, row in vectors_of(one, left).items()},
                    )
                done += len(answer.objects)

    async def tend(self) -> None:
        """The server keeps its graphs by itself."""

    async def fill_in(self) -> int:
        """Let codes of before be counted by their spaces and told apart, and found by words as they are made now."""
        done, after = 0, None
        while True:
            # Page by page writers wait, and take their turns between: what one has written is not written over.
            async with self._writing, self._calls():
                if not await self._vector_names():
                    return 0
                await self._make_countable()
                answer = await self._collection().query.fetch_objects(
                    limit=_PAGE, after=after, return_properties=["models", "spaces", "words_form", "digest_high"]
                )
                lacked = await lacked_by(self._collection(), answer.objects)
                for object_uuid, properties in lacked.items():
                    await self._collection().data.update(uuid=object_uuid, properties=properties)
            done += len(lacked)
            if len(answer.objects) < _PAGE:
                return done
            after = answer.objects[-1].uuid

    async def ready(self) -> str:
        """Why the index cannot be used, empty when it can."""
        try:
            async with self._calls():
                return "" if await self._client.is_ready() else f"Weaviate at {self._endpoint} is not ready"
        except IndexUnavailableError as error:
            return str(error)

    async def close(self) -> None:
        """Let go of connections."""
        await self._client.close()

    def _collection(self) -> Any:
        return self._client.collections.use(self._name)

    @asynccontextmanager
    async def _calls(self) -> AsyncIterator[None]:
        """Connect when needed, and give every fault of the server its name."""
        try:
            if not self._client.is_connected():
                await self._client.connect()
            yield
        except (WeaviateBaseError, grpc.RpcError, httpx.HTTPError, OSError) as error:
            # What is known may be wrong by now: the server may come back empty.
            self._known_vectors, self._countable = None, False
            why = words_of(error) or type(error).__name__
            if about_the_request(error):
                raise IndexFailedError(
                    f"does not take the request: {why}", thing=f"Weaviate at {self._endpoint}"
                ) from error
            raise IndexUnavailableError(
                f"does not answer as it should: {why}",
                thing=f"Weaviate at {self._endpoint}",
                way_out="start it, or set TOUCHSTONE_CODE_INDEX=pgvector",
            ) from error

    async def _vector_names(self) -> set[str]:
        if not self._known_vectors:
            if not await self._client.collections.exists(self._name):
                return set()
            config = await self._collection().config.get()
            self._known_vectors = set(config.vector_config or {})
        return self._known_vectors

    async def _make_room(self, models: set[str]) -> None:
        wanted = {vector_name(model) for model in models}
        known = await self._vector_names()
        if known:
            await self._make_countable()
        if not wanted - known:
            return
        vectors = [vector_config(name) for name in sorted(wanted - known)]
        if known:
            for vector in vectors:
                await self._collection().config.add_vector(vector_config=vector)
        else:
            await self._client.collections.create(
                self._name, properties=schema(), vector_config=vectors, inverted_index_config=text_settings()
            )
        self._known_vectors = None

    async def _make_countable(self) -> None:
        """A collection of an earlier release lacks properties by which codes are counted, told apart and found."""
        if not self._countable:
            there = {one.name for one in (await self._collection().config.get()).properties}
            for one in later_properties():
                if one.name not in there:
                    await self._collection().config.add_property(one)
            self._countable = True

    async def _with_kept_vectors(self, fresh: Mapping[str, IndexEntry]) -> dict[str, IndexEntry]:
        """The entries with the vectors of other spaces that their codes have: writing an object replaces it whole."""
        found = await self._collection().query.fetch_objects_by_ids(
            [object_id(function_id) for function_id in fresh],
            limit=len(fresh),
            include_vector=True,
            return_properties=["function_id", "models"],
        )
        kept = await asyncio.to_thread(vectors_by_id, found.objects)
        return {
            function_id: IndexEntry(entry.code, {**kept.get(function_id, {}), **entry.vectors})
            for function_id, entry in fresh.items()
        }

    async def _write(self, entries: Sequence[IndexEntry], readings: Mapping[str, Reading]) -> None:
        fresh = await self._with_kept_vectors({entry.code.function_id: entry for entry in entries})
        kept = await self._lineages({entry.code.lineage for entry in entries})
        codes = {**{code.function_id: code for code, _marked in kept}, **{key: one.code for key, one in fresh.items()}}
        superseded = superseded_ids(map(placed, codes.values()), readings)
        answer = await self._collection().data.insert_many(
            [
                DataObject(
                    uuid=object_id(entry.code.function_id),
                    properties=properties_of(entry, superseded=entry.code.function_id in superseded),
                    vector={vector_name(model): row.tolist() for model, row in entry.vectors.items()},
                )
                for entry in fresh.values()
            ]
        )
        if answer.has_errors:
            raise WeaviateBaseError(str(next(iter(answer.errors.values())).message))
        await self._remark([one for one in kept if one[0].function_id not in fresh], superseded)

    async def _remark(self, kept: Sequence[tuple[IndexedCode, bool]], superseded: set[str]) -> int:
        wrong = [code for code, marked in kept if marked != (code.function_id in superseded)]
        for code in wrong:
            await self._collection().data.update(
                uuid=object_id(code.function_id),
                properties={"superseded": YES if code.function_id in superseded else NO},
            )
        return len(wrong)

    async def _filters(self, chosen: SearchFilter) -> list[Any]:
        """The server's form of a filter: what any of these admits; none where nothing can be admitted."""
        if not needs_looking(chosen):
            return [conditions(chosen)]
        ids = [one.function_id for one in await self._selected(chosen)]
        return [of_ids(ids[start : start + _MOST_SELECTED]) for start in range(0, len(ids), _MOST_SELECTED)]

    async def _selected(self, chosen: SearchFilter) -> list[Listed]:
        # The server orders nothing by place, and knows neither globs nor patterns.
        filters = conditions(chosen) if chosen.exact and not needs_looking(chosen) else None
        return sorted([one async for one in self._admitted(chosen, filters)], key=lambda one: one.place)

    async def _admitted(self, chosen: SearchFilter, filters: Any) -> AsyncIterator[Listed]:
        async for page in self._pages(filters):
            for one in await asyncio.to_thread(listed_of, page, chosen):
                yield one

    async def _pages(self, filters: Any) -> AsyncIterator[list[tuple[str, bool]]]:
        """Records with their marks: what the filter admits, or everything where that is none or too many to page."""
        if filters is not None and await self._count(filters) > _REACH:
            filters = None
        after: Any = None
        seen = 0
        while True:
            way = {"after": after} if filters is None else {"filters": filters, "offset": seen}
            answer = await self._collection().query.fetch_objects(
                limit=_PAGE, return_properties=["record", "superseded"], **way
            )
            yield [(str(one.properties["record"]), one.properties["superseded"] == YES) for one in answer.objects]
            if len(answer.objects) < _PAGE:
                return
            seen, after = seen + _PAGE, answer.objects[-1].uuid

    async def _lineages(self, lineages: set[tuple[str, str, str]]) -> list[tuple[IndexedCode, bool]]:
        """Every code of these lineages, and whether it is marked superseded."""
        found: list[tuple[IndexedCode, bool]] = []
        files = sorted({(source_id, path) for source_id, path, _qualname in lineages})
        for source_id, path in files:
            qualnames = sorted({lineage[2] for lineage in lineages if lineage[:2] == (source_id, path)})
            filters = (
                Filter.by_property("source_id").equal(source_id)
                & Filter.by_property("path").equal(path)
                & Filter.by_property("qualname").contains_any(qualnames)
            )
            found += await self._matching(filters, lambda code: code.lineage in lineages)
        return found

    async def _matching(self, filters: Any, keep: Callable[[IndexedCode], bool]) -> list[tuple[IndexedCode, bool]]:
        """Every code that a filter admits, and whether it is marked superseded; `keep` says the same here."""
        found: list[tuple[IndexedCode, bool]] = []
        async for page in self._pages(filters):
            codes = await asyncio.to_thread(lambda page=page: [(code_of_record(record), old) for record, old in page])
            found += [one for one in codes if keep(one[0])]
        return found


def _having(keys: Collection[str]) -> Any:
    """A filter that admits codes with vectors of all these spaces."""
    return Filter.by_property("spaces").contains_all(sorted(keys))
