"""A lexical embedding that needs no model: hashed bags of words."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from touchstone_runtime.words import terms

_DEFINITION = re.compile(r"\b(?:def|class|func(?:tion)?|fn|interface)\s+(?:\([^)]*\)\s*)?\*?((?:[^\W\d]|\$)[\w$]*)")

# A function's own name says more about it than any word of its body.
_NAME_WEIGHT = 3


def embed_words(text: str, dimensions: int, *, code: bool) -> NDArray[np.float32]:
    """Hash the words of a text into a vector.

    Each stemmed word adds `1 + ln(count)` to one component, with a sign from the same hash, so that
    collisions cancel on average. No statistics of a corpus enter: the vector of a text never changes.

    Args:
        text: A question, or code with its docstring.
        dimensions: Length of the vector.
        code: Whether the text is code; then the first defined name counts threefold.

    Returns:
        (dimensions,) float32, L2-normalised; all zeros when the text holds no meaningful word.
    """
    counts = Counter(terms(text))
    if code and (defined := _DEFINITION.search(text)):
        for term in terms(defined.group(1)):
            counts[term] += _NAME_WEIGHT - 1
    vector = np.zeros(dimensions, dtype=np.float64)
    for term, count in sorted(counts.items()):
        component, sign = _place(term, dimensions)
        vector[component] += sign * (1.0 + math.log(count))
    length = math.sqrt(float(vector @ vector))
    return (vector / length if length else vector).astype(np.float32)


@lru_cache(maxsize=65536)
def _place(term: str, dimensions: int) -> tuple[int, float]:
    digest = int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")
    return digest % dimensions, 1.0 if digest >> 63 else -1.0
