"""Answers that were given once are given again: free, and the same after any crash."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Protocol, cast

from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import RetryableError
from touchstone_runtime.llm.errors import LlmCacheError
from touchstone_runtime.llm.messages import Answer, LlmUsage

FOLDER = "llm-cache"


class LlmCache(Protocol):
    """Where answers are kept, by the hash of their request."""

    async def get(self, key: str) -> dict[str, Any] | None:
        """The stored record, or None.

        Raises:
            LlmCacheError: The cache cannot be read.
        """
        ...

    async def put(self, key: str, record: dict[str, Any]) -> dict[str, Any]:
        """Store a record unless there is one already.

        Returns:
            What is stored now: the first record wins, so that two writers go on with the same answer.

        Raises:
            LlmCacheError: The record cannot be written.
        """
        ...


class MemoryLlmCache:
    """A cache that lives as long as the process."""

    def __init__(self) -> None:
        self.records: dict[str, dict[str, Any]] = {}

    async def get(self, key: str) -> dict[str, Any] | None:
        """The stored record, or None."""
        return self.records.get(key)

    async def put(self, key: str, record: dict[str, Any]) -> dict[str, Any]:
        """Store a record unless there is one already; returns what is stored."""
        return self.records.setdefault(key, record)


class BlobLlmCache:
    """A cache beside the blobs: `<blob store>/llm-cache/<hash>.json`."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def get(self, key: str) -> dict[str, Any] | None:
        """The stored record, or None; a damaged record counts as none."""
        try:
            data = await self._blobs.get_at(_path(key))
        except RetryableError as error:
            raise _unusable(error) from error
        return None if data is None else _decode(data)

    async def put(self, key: str, record: dict[str, Any]) -> dict[str, Any]:
        """Store a record unless there is a sound one already; returns what is stored."""
        data = json.dumps(record, sort_keys=True, ensure_ascii=True).encode("ascii")
        try:
            damaged = await self._blobs.get_at(_path(key)) is not None and await self.get(key) is None
            await self._blobs.put_at(_path(key), data, keep=not damaged)
        except RetryableError as error:
            raise _unusable(error) from error
        return await self.get(key) or record


def _path(key: str) -> str:
    return f"{FOLDER}/{key}.json"


def _decode(data: bytes) -> dict[str, Any] | None:
    try:
        record: object = json.loads(data)
    except ValueError:
        return None
    return cast("dict[str, Any]", record) if isinstance(record, dict) else None


def _unusable(error: RetryableError) -> LlmCacheError:
    return LlmCacheError(
        f"the cache of model answers cannot be used: {error.message}",
        thing=error.thing,
        way_out="free disk space or make the folder writable",
    )


def to_record(answer: Answer) -> dict[str, Any]:
    """An answer as a cache keeps it."""
    told: dict[str, Any] = {"logprobs": answer.logprobs} if answer.logprobs else {}
    told |= {"thought_tokens": answer.thought_tokens} if answer.thought_tokens else {}
    told |= {"answered_by": answer.answered_by} if answer.answered_by else {}
    told |= {"lost": asdict(answer.lost)} if answer.lost.lost_tokens else {}
    return told | {
        "text": answer.text,
        "finish_reason": answer.finish_reason,
        "model": answer.model,
        "tokens_in": answer.usage.tokens_in,
        "tokens_out": answer.usage.tokens_out,
        "seconds": answer.usage.seconds,
        "cost_usd": answer.usage.cost_usd,
    }


def from_record(record: dict[str, Any], key: str) -> Answer | None:
    """A kept answer; None where the record is damaged."""
    try:
        usage = LlmUsage(
            tokens_in=int(record["tokens_in"]),
            tokens_out=int(record["tokens_out"]),
            seconds=float(record["seconds"]),
            cost_usd=float(record["cost_usd"]),
            calls=1,
            thought_tokens=int(record.get("thought_tokens", 0)),
        )
        return Answer(
            text=str(record["text"]),
            finish_reason=str(record["finish_reason"]),
            model=str(record["model"]),
            usage=usage,
            cached=True,
            key=key,
            logprobs=tuple(
                tuple((str(token), float(value)) for token, value in place) for place in record.get("logprobs", ())
            ),
            thought_tokens=int(record.get("thought_tokens", 0)),
            lost=LlmUsage(**record.get("lost", {})),
            answered_by=str(record.get("answered_by", "")),
        )
    except (KeyError, TypeError, ValueError):
        return None
