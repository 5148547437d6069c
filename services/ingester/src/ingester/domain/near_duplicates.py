"""MinHash signatures and the bands under which near-duplicates meet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from datasketch import MinHash

PERMUTATIONS = 64
# Sixteen bands of four rows: two functions that share 0.8 of their shingles meet with probability 0.9998.
BANDS = 16
_ROWS = PERMUTATIONS // BANDS
_SEED = 1
THRESHOLD = 0.8


def signature(shingles: Iterable[bytes]) -> bytes:
    """The MinHash of a set of shingles, as little-endian 64-bit numbers."""
    sketch = MinHash(num_perm=PERMUTATIONS, seed=_SEED, hashfunc=_hash)
    sketch.update_batch(sorted(shingles))
    return np.asarray(sketch.hashvalues, dtype="<u8").tobytes()


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=4).digest(), "little")


def bands(found: bytes) -> list[str]:
    """Keys under which a signature is filed: two that share one are compared."""
    width = _ROWS * 8
    return [
        f"{band}:{hashlib.blake2b(found[band * width : (band + 1) * width], digest_size=12).hexdigest()}"
        for band in range(BANDS)
    ]


def similarity(left: bytes, right: bytes) -> float:
    """Estimated share of common shingles of two signatures, from 0 to 1."""
    mine, other = np.frombuffer(left, dtype="<u8"), np.frombuffer(right, dtype="<u8")
    return float(np.count_nonzero(mine == other)) / PERMUTATIONS
