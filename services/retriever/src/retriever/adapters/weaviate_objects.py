"""Codes as objects of Weaviate: their properties, their names there, and filters in its form."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset, Tokenization, VectorDistances
from weaviate.classes.query import Filter, Metrics
from weaviate.exceptions import UnexpectedStatusCodeError, WeaviateInvalidInputError

from retriever.adapters.records import code_of_record
from retriever.domain.code import (
    Hit,
    IndexedCode,
    IndexEntry,
    Listed,
    SearchFilter,
    Vectors,
    licence_key,
    repository_key,
)
from retriever.domain.scoring import mean_cosine
from retriever.domain.text import K1, WORDS_FORM, B, words_of

# Objects that a walk along their ids looks at, at once.
_WALKED = 500
_NAMESPACE = uuid.UUID("5b0f9c55-0b2e-5a4a-9a55-3d0a5f4f6f10")
_NOT_IN_NAMES = re.compile(r"\W")
_FILTERABLE = (
    "source_id",
    "path",
    "qualname",
    "repository_key",
    "language",
    "form",
    "searchable_pair",
    "superseded",
    "licence_key",
    "version",
)
# Ends of the qualified name; the path and the folders above it; keys of the spaces that it has vectors of.
_FILTERABLE_LISTS = ("symbols", "folders", "spaces")
# One object holds the keys of its spaces too, so that vectors are told apart from those of models with a like name.
_KEPT = (
    ("function_id", DataType.TEXT),
    ("record", DataType.TEXT),
    ("models", DataType.TEXT_ARRAY),
    ("words_form", DataType.TEXT),
)
# A code's digest in two halves: the server adds numbers up as float64, exact for half a billion codes of 24 bits.
_DIGESTS = ("digest_high", "digest_low")
# So many records are read at a time.
_RECORDS = 200
# Truth values are texts: the client that fits our protobuf puts a truth value into a filter's number, too.
YES, NO = "yes", "no"


def schema() -> list[Property]:
    """The properties of the collection."""
    return [
        *(Property(name=name, data_type=DataType.TEXT, tokenization=Tokenization.FIELD) for name in _FILTERABLE),
        *(
            Property(name=name, data_type=DataType.TEXT_ARRAY, tokenization=Tokenization.FIELD)
            for name in _FILTERABLE_LISTS
        ),
        Property(
            name="words",
            data_type=DataType.TEXT,
            tokenization=Tokenization.WHITESPACE,
            index_filterable=False,
            index_searchable=True,
        ),
        # The server adds up along the index, where there is one, instead of reading all objects.
        *(Property(name=name, data_type=DataType.INT) for name in _DIGESTS),
        *(Property(name=name, data_type=kind, index_filterable=False, index_searchable=False) for name, kind in _KEPT),
    ]


def text_settings() -> Any:
    """BM25 as `retriever.domain.text` has it."""
    return Configure.inverted_index(bm25_k1=K1, bm25_b=B, stopwords_preset=StopwordsPreset.NONE)


def digests_of(code: IndexedCode) -> dict[str, int]:
    """The code's digest as the server keeps it."""
    return dict(zip(_DIGESTS, divmod(code.digest, 2**24), strict=True))


async def sum_of_digests(collection: Any, filters: Any = None) -> int:
    """Sum of the digests of all codes, or of those that a filter admits."""
    metrics = [Metrics(name).integer(sum_=True) for name in _DIGESTS]
    found = (await collection.aggregate.over_all(filters=filters, return_metrics=metrics)).properties
    high, low = (int(found[name].sum_ or 0) if name in found else 0 for name in _DIGESTS)
    return high * 2**24 + low


def later_properties() -> list[Property]:
    """Those that an index of an earlier release gets later."""
    return [one for one in schema() if one.name in ("spaces", "words_form", *_DIGESTS)]


def text_properties(code: IndexedCode) -> dict[str, Any]:
    """By which words a code is found, each as often as it counts."""
    return {"words": " ".join(sorted(words_of(code).elements())), "words_form": WORDS_FORM}


async def lacked_by(collection: Any, objects: Sequence[Any]) -> dict[Any, dict[str, Any]]:
    """What objects of an earlier release lack, by their ids; records are read of those alone that need them."""
    lacked: dict[Any, dict[str, Any]] = {}
    for one in objects:
        if one.properties["models"] and not one.properties["spaces"]:
            lacked[one.uuid] = {"spaces": list(one.properties["models"])}
    old = [one.uuid for one in objects if _lacks_of_record(one.properties)]
    for start in range(0, len(old), _RECORDS):
        page = old[start : start + _RECORDS]
        answer = await collection.query.fetch_objects_by_ids(page, limit=len(page), return_properties=["record"])
        for one in answer.objects:
            made = await asyncio.to_thread(_made_of_record, str(one.properties["record"]))
            lacked[one.uuid] = lacked.get(one.uuid, {}) | made
    return lacked


def _lacks_of_record(properties: Any) -> bool:
    return properties["words_form"] != WORDS_FORM or properties[_DIGESTS[0]] is None


def _made_of_record(record: str) -> dict[str, Any]:
    code = code_of_record(record)
    return text_properties(code) | digests_of(code)


def vector_name(key: str) -> str:
    """A space's key in the form that Weaviate takes; the ending keeps like names apart."""
    return f"m_{_NOT_IN_NAMES.sub('_', key)}_{uuid.uuid5(_NAMESPACE, key).hex[:8]}"


def object_id(function_id: str) -> uuid.UUID:
    """Weaviate's id of a function."""
    return uuid.uuid5(_NAMESPACE, function_id)


def vector_config(name: str) -> Any:
    """A named vector that we bring ourselves."""
    return Configure.Vectors.self_provided(
        name=name, vector_index_config=Configure.VectorIndex.hnsw(distance_metric=VectorDistances.DOT)
    )


def properties_of(entry: IndexEntry, *, superseded: bool) -> dict[str, Any]:
    """What the server keeps of a code beside its vectors."""
    code, keys = entry.code, sorted(entry.vectors)
    return {
        "function_id": code.function_id,
        "source_id": code.source_id,
        "path": code.lineage[1],
        "qualname": code.qualname,
        "repository_key": repository_key(code.repository),
        "language": code.language.lower(),
        "form": code.form,
        "searchable_pair": YES if code.searchable_pair else NO,
        "superseded": YES if superseded else NO,
        "licence_key": licence_key(code.licence),
        "version": code.version,
        "symbols": _ends(code.qualname),
        "folders": _folders(code.plain_path),
        **text_properties(code),
        "models": keys,
        "spaces": keys,
        **digests_of(code),
        "record": code.record,
    }


def needs_looking(chosen: SearchFilter) -> bool:
    """Whether the server's filters cannot say it."""
    return bool(chosen.pattern) or "*" in chosen.symbol or any(sign in chosen.path for sign in "*?")


def listed_of(page: Sequence[tuple[str, bool]], chosen: SearchFilter) -> list[Listed]:
    """Those of a page that a filter admits."""
    codes = ((code_of_record(record), superseded) for record, superseded in page)
    return [Listed(one.function_id, one.place, one.twin) for one, old in codes if chosen.admits(one, superseded=old)]


def conditions(chosen: SearchFilter) -> Any:
    """Everything but globs, wildcards and patterns."""
    conditions: Any = Filter.by_property("form").contains_any(sorted(chosen.forms))
    for name, keys in (
        ("repository_key", chosen.repository_keys),
        ("language", chosen.language_keys),
        ("licence_key", chosen.licence_keys),
        ("version", [chosen.version] if chosen.version else []),
        ("symbols", [chosen.symbol.strip().lower()] if chosen.symbol else []),
        ("folders", [chosen.path.strip().removeprefix("./").rstrip("/")] if chosen.path else []),
    ):
        if keys:
            conditions &= Filter.by_property(name).contains_any(keys)
    if not chosen.superseded:
        conditions &= Filter.by_property("superseded").equal(NO)
    if chosen.pairs_only:
        conditions &= Filter.by_property("searchable_pair").equal(YES)
    return conditions


def _ends(qualname: str) -> list[str]:
    """A qualified name and its ends, in lower case."""
    parts = qualname.lower().split(".")
    return [".".join(parts[place:]) for place in range(len(parts))]


def _folders(path: str) -> list[str]:
    """A path and the folders above it."""
    parts = path.split("/")
    return ["/".join(parts[: place + 1]) for place in range(len(parts))]


def vectors_by_id(objects: Sequence[Any], keys: Collection[str] | None = None) -> dict[str, Vectors]:
    """Vectors of objects by function; all of them, or those of some spaces."""
    held = {str(one.properties["function_id"]): vectors_of(one, _keys_of(one, keys)) for one in objects}
    return {function_id: vectors for function_id, vectors in held.items() if vectors}


def _keys_of(found: Any, keys: Collection[str] | None) -> list[str]:
    return [str(key) for key in found.properties["models"] or () if keys is None or key in keys]


def vectors_of(found: Any, models: Sequence[str]) -> dict[str, NDArray[np.float32]]:
    """Vectors of one object by the keys of their spaces."""
    return {
        model: np.asarray(found.vector[vector_name(model)], dtype=np.float32)
        for model in models
        if found.vector.get(vector_name(model))
    }


def scored_hit(found: Any, query: Vectors, weights: Mapping[str, float]) -> Hit | None:
    """A code with its weighted mean cosine; None where it shares no model with the question."""
    score = mean_cosine(query, vectors_of(found, list(query)), weights)
    if score is None:
        return None
    return Hit(code_of_record(str(found.properties["record"])), score, found.properties["superseded"] == YES)


def of_ids(function_ids: Collection[str]) -> Any:
    """A filter that admits these alone; None where there are none."""
    return Filter.by_id().contains_any([object_id(one) for one in sorted(function_ids)]) if function_ids else None


def hits_of(objects: Sequence[Any]) -> list[Hit]:
    """Codes of objects, their scores 0."""
    return [
        Hit(code_of_record(str(one.properties["record"])), 0.0, one.properties["superseded"] == YES) for one in objects
    ]


async def walked(collection: Any, after: str, most: int, *properties: str) -> list[Any]:
    """Properties of so many objects behind that of a code, in the order of the server's own."""
    answer = await collection.query.fetch_objects(
        limit=most, after=object_id(after) if after else None, return_properties=["function_id", *properties]
    )
    return [one.properties for one in answer.objects]


async def ids_lacking(collection: Any, keys: Collection[str], after: str, most: int) -> list[str]:
    """As `CodeIndex.ids_lacking`. The server filters no walk along its ids: all are looked at."""
    found: list[str] = []
    while len(found) < most:
        page = await walked(collection, after, _WALKED, "models")
        for one in page:
            after = str(one["function_id"])
            if not set(keys) <= set(one["models"] or ()):
                found.append(after)
        if len(page) < _WALKED:
            break
    return found[:most]


def about_the_request(error: Exception) -> bool:
    """Whether the server, or its client, refuses what was asked, so that waiting cannot help."""
    if isinstance(error, UnexpectedStatusCodeError):
        return error.status_code in (400, 413, 422)
    return isinstance(error, WeaviateInvalidInputError)
