"""MinHash signatures and the bands under which near-duplicates meet."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any

PERMUTATIONS = 64
# Sixteen bands of four rows: two functions that share 0.8 of their shingles meet with probability 0.9998.
BANDS = 16
_ROWS = PERMUTATIONS // BANDS
_SEED = 1
THRESHOLD = 0.8
# With fewer shingles than this, sharing most of them says little.
_LEAST_SHINGLES = 12


def signature(shingles: Collection[bytes]) -> tuple[int, ...]:
    """The MinHash of a set of shingles: 64 numbers below 2^32; empty for a set too small to tell.

    Args:
        shingles: what the function is made of, see `fingerprints.shingles`.
    """
    if len(shingles) < _LEAST_SHINGLES:
        return ()
    sketch = _empty_sketch()()
    sketch.update_batch(sorted(shingles))
    return tuple(int(value) for value in sketch.hashvalues)


@cache
def _empty_sketch() -> Callable[[], Any]:
    # Loaded when first needed: the library takes a second to import, and the offline commands never need it.
    from datasketch import MinHash  # pyright: ignore[reportMissingTypeStubs]

    # Making the permutations is the slow part: once, then copies.
    made: Any = MinHash(num_perm=PERMUTATIONS, seed=_SEED, hashfunc=_hash)
    return made.copy


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=4).digest(), "little")


def bands(found: Sequence[int]) -> list[str]:
    """Keys under which a signature is filed: two that share one are compared."""
    keys: list[str] = []
    for band in range(BANDS):
        rows = ",".join(map(str, found[band * _ROWS : (band + 1) * _ROWS]))
        keys.append(f"{band}:{hashlib.blake2b(rows.encode(), digest_size=12).hexdigest()}")
    return keys


def similarity(left: Sequence[int], right: Sequence[int]) -> float:
    """Estimated share of common shingles of two signatures, from 0 to 1."""
    return sum(mine == other for mine, other in zip(left, right, strict=True)) / PERMUTATIONS
