"""The frozen suite of a task, as it lies in the blob store."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import zlib
from typing import Literal

from touchstone_contracts.envelope import Frozen

# A few bytes may hold as much as whoever sends them likes; the largest suites that are known have some MiB.
MAX_BYTES = 128 * 1024 * 1024


class Case(Frozen):
    """One input and what the ground truth returned for it, both JSON texts in the portable value form.

    `arguments` is an array of positional arguments or an object of named ones.
    """

    arguments: str
    expected: str


class Suite(Frozen):
    """All cases of one task.

    `comparison` is "portable" (SC: any sequence kind equals another) or "exact" (WSC: exact kinds).
    """

    comparison: Literal["portable", "exact"]
    entry_point: str
    seed: int
    cases: tuple[Case, ...]

    def to_bytes(self) -> bytes:
        """Canonical form: the same suite gives the same bytes, gzip without a time stamp."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return gzip.compress(text.encode("utf-8", "surrogatepass"), compresslevel=6, mtime=0)

    @classmethod
    def from_bytes(cls, data: bytes) -> Suite:
        """Read what `to_bytes` wrote; plain JSON is taken too.

        Raises:
            ValueError: the bytes are no suite.
        """
        if data[:2] == b"\x1f\x8b":
            data = _unzipped(data)
        return cls.model_validate_json(data)

    def digest(self) -> str:
        """SHA-256 of the canonical bytes, hexadecimal; also the suite's key in the blob store."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


def _unzipped(data: bytes) -> bytes:
    """The content of a gzip stream of a suite.

    Raises:
        ValueError: it is broken, or holds more than a suite may.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            text = stream.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(f"the suite's gzip stream is broken: {error}") from error
    if len(text) > MAX_BYTES:
        raise ValueError(f"the suite's gzip stream holds more than {MAX_BYTES // 1024**2} MiB")
    return text
