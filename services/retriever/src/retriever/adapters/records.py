"""Functions as events carry them, and as the index holds them."""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic_core import from_json

from retriever.domain.code import IndexedCode, IndexEntry
from retriever.domain.generations import space_key
from retriever.domain.versions import key_of_version
from retriever.ports import ReadingRecord
from touchstone_contracts.events import Function, FunctionEmbedded, SourceIngested, SourceRef, Vector
from touchstone_runtime.errors import PermanentError


def _left_out(model: type[BaseModel]) -> dict[str, Any]:
    """What the fields are that a record of an earlier release does not have."""
    return {name: field.default for name, field in model.model_fields.items() if not field.is_required()}


_LEFT_OUT, _LEFT_OUT_OF_SOURCE = _left_out(Function), _left_out(SourceRef)


def code_of(function: Function, record: str = "") -> IndexedCode:
    """The index's view of a function; the whole of it travels along as its record, written anew where none is given."""
    return code_of_record(record or function.model_dump_json())


def code_of_record(record: str) -> IndexedCode:
    """The same from a record that was kept.

    It is read and not checked once more, which would take three times as long: it was when it came.
    """
    function: dict[str, Any] = _LEFT_OUT | from_json(record)
    source: dict[str, Any] = _LEFT_OUT_OF_SOURCE | function["source"]
    released, changed = source["released_at"], function["changed_at"]
    return IndexedCode(
        function_id=function["function_id"],
        source_id=source["source_id"],
        source_version_id=source["source_version_id"],
        repository=source["name"],
        version=source["version"],
        dated_at=_date(released or changed, in_utc=True),
        language=function["language"],
        path=function["path"],
        qualname=function["qualname"],
        form=function["form"],
        code=function["code"],
        docstring=function["docstring"],
        searchable_pair=function["searchable_pair"],
        record=record,
        licence=source["licence"],
        line_start=function["line_start"],
        line_end=function["line_end"],
        changed_at=_date(changed or released),
    )


@lru_cache(maxsize=4096)
def _date(text: str | None, *, in_utc: bool = False) -> str:
    # Codes of one source share theirs.
    if not text:
        return ""
    at = datetime.fromisoformat(text)
    return (at.astimezone(UTC) if in_utc else at).isoformat()


def entry_of(event: FunctionEmbedded) -> IndexEntry:
    """What goes into the index; vectors bear the keys of their spaces.

    Raises:
        PermanentError: a vector is not what it says.
    """
    vectors = {
        space_key(vector.model, vector.identity, event.text_form): _decoded(
            base64_bytes(vector), vector.dimensions, vector.model
        )
        for vector in event.vectors
    }
    return IndexEntry(code_of(event.function), vectors)


def reading_of(event: SourceIngested) -> ReadingRecord | None:
    """The reading that an event tells of; None where no version was opened."""
    source = event.source
    if event.state not in ("ingested", "failed") or not source.version:
        return None
    dated = source.released_at.astimezone(UTC).isoformat() if source.released_at else ""
    return ReadingRecord(
        source_id=source.source_id,
        source_version_id=source.source_version_id,
        version_key=key_of_version(dated, source.version, source.source_version_id) if dated else "",
        read_at=event.occurred_at.astimezone(UTC).isoformat(),
        whole=event.state == "ingested",
        repository=source.name,
        version=source.version,
        digest=event.standing_digest,
    )


def base64_bytes(vector: Vector) -> bytes:
    """The bytes of a vector in an event.

    Raises:
        PermanentError: they are no base64.
    """
    try:
        return base64.b64decode(vector.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise PermanentError(f"a vector is no base64: {error}", thing=vector.model) from error


def rows_of(data: bytes, dimensions: int, models: str) -> NDArray[np.float32]:
    """Rows of little-endian float32: (n, dimensions).

    Raises:
        PermanentError: the length does not fit, or a number is not finite.
    """
    if dimensions < 1 or len(data) % (4 * dimensions):
        raise PermanentError(f"{len(data)} bytes are no vectors of {dimensions} numbers", thing=models)
    rows = np.frombuffer(data, dtype="<f4").reshape(-1, dimensions).astype(np.float32)
    if not np.isfinite(rows).all():
        raise PermanentError("a vector holds a number that is not finite", thing=models)
    return rows


def _decoded(data: bytes, dimensions: int, model: str) -> NDArray[np.float32]:
    rows = rows_of(data, dimensions, model)
    if len(rows) != 1:
        raise PermanentError(f"{len(rows)} vectors where one is due", thing=model)
    length = float(np.linalg.norm(rows[0].astype(np.float64)))
    # Products stand for cosines everywhere, so the length is made sure of here. Nothing said gives a zero vector.
    return (rows[0] / length).astype(np.float32) if length else rows[0]
