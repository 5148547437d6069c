"""Vectors as bytes, and the other way."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def normalised(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scale each row to length 1; a row of zeros stays as it is.

    Args:
        vectors: (n, d) float32.
    """
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    return (vectors / np.where(lengths == 0.0, 1.0, lengths)).astype(np.float32)


def to_bytes(vectors: NDArray[np.float32]) -> bytes:
    """Row-major little-endian float32."""
    return np.ascontiguousarray(vectors, dtype="<f4").tobytes()


def from_bytes(data: bytes, dimensions: int) -> NDArray[np.float32]:
    """What `to_bytes` wrote, as (n, dimensions) float32.

    Raises:
        ValueError: the bytes are no whole number of rows.
    """
    return np.frombuffer(data, dtype="<f4").reshape(-1, dimensions).astype(np.float32)
