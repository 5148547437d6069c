"""Vectors that a filter admits, found by short codes: to read thousands of them in full takes longer than all else."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import faiss as untyped
import numpy as np
from numpy.typing import NDArray

from retriever.domain.code import SearchFilter

# Its stubs know few of its arguments.
faiss: Any = untyped
# Four bits for each two numbers, where they divide the vector: with four for each four, as in inverted files, .965 of
# the ten best of 2,000 were found where these find .993 (drawn vectors, two models, 300 compared again; .98 of 150).
_OF_PART, _BITS, _ROUNDS = (2, 1), 4, 10
# So many times as many as are wanted are compared again, or this share of all where that is more: fewer are not worth
# asking for by codes. Reading them is most of what a filter takes, so no more are than recall asks for.
_TIMES, _SHARE = 1.5, 0.075
# What codes that lie together by filter may take, in bytes.
MOST_BYTES, _MOST_HELD = 64 * 2**20, 1024

Slots = NDArray[np.int64]
# A filter, and a space by key and dimensions.
_Key = tuple[SearchFilter, tuple[str, int]]


def compared_again(count: int, most: int) -> int:
    """How many of so many vectors are compared in full where so many are wanted."""
    return max(int(_TIMES * most), int(_SHARE * count))


class ShortCodes:
    """A short code of each vector of a space, by slot.

    Args:
        sample: (n, d) float32, by which the codes are learned.
        slots: How many there will be at first.

    Source: Jégou et al. 2011, product quantisation.
    """

    def __init__(self, sample: NDArray[np.float32], slots: int) -> None:
        self.dimensions = sample.shape[1]
        numbers = next(one for one in _OF_PART if self.dimensions % one == 0)
        self._parts = self.dimensions // numbers
        self._coder = faiss.ProductQuantizer(self.dimensions, self._parts, _BITS)
        self._coder.cp.niter = _ROUNDS
        # Few vectors are no mistake.
        self._coder.cp.min_points_per_centroid = 1
        self._coder.train(np.ascontiguousarray(sample))
        self._codes: NDArray[np.uint8] = np.empty((slots, int(self._coder.code_size)), dtype=np.uint8)

    @property
    def bytes(self) -> int:
        """What they take."""
        return self._codes.nbytes

    def put(self, slots: Slots, rows: NDArray[np.float32]) -> None:
        """Take in the codes of vectors: (n, d) float32 for n slots."""
        if (least := int(slots.max(initial=-1)) + 1) > len(self._codes):
            grown = np.empty((max(least, len(self._codes) * 5 // 4), self._codes.shape[1]), dtype=np.uint8)
            grown[: len(self._codes)] = self._codes
            self._codes = grown
        if len(slots):
            self._codes[slots] = self._coder.compute_codes(np.ascontiguousarray(rows))

    def packed(self, slots: Slots) -> Any:
        """An index of faiss over the codes of these slots, which looks them up in registers; its ids are places."""
        plain = faiss.IndexPQ(self.dimensions, self._parts, _BITS, faiss.METRIC_INNER_PRODUCT)
        plain.pq, plain.is_trained = self._coder, True
        faiss.copy_array_to_vector(self._codes[slots].ravel(), plain.codes)
        plain.ntotal = len(slots)
        packed = faiss.IndexPQFastScan(plain)
        # It refers to codes that end with this call, and does not need them.
        packed.orig_codes = None
        return packed


@dataclass(frozen=True)
class _Packed:
    """What a filter admits in one space: of which version of the index, the slots, and their codes once there are."""

    version: int
    slots: Slots
    codes: Any = None
    bytes: int = 0


class FewCodes:
    """Codes of what filters admit, those that were asked for last; one thread at a time.

    Args:
        most_bytes: What they may take.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._held: OrderedDict[_Key, _Packed] = OrderedDict()
        self.bytes = 0

    def nearest(
        self,
        chosen: SearchFilter,
        space: tuple[str, int],
        version: int,
        among: Callable[[], Slots],
        short: ShortCodes,
        asked: NDArray[np.float32],
        most: int,
    ) -> Slots:
        """Slots that are probably the nearest, in no order, for comparing in full.

        Putting codes together takes as long as comparing all of them once does. So these are given where codes that
        were put together are out of date: as long as somebody writes, others would be so before they are of use.

        Args:
            chosen: The filter.
            space: Key and dimensions of the space.
            version: Raised whenever the filter may admit something else.
            among: Gives what it admits and has a vector there.
            short: The space's codes.
            asked: (d,) float32.
            most: How many are looked for.
        """
        key = (chosen, space)
        known = self._held.get(key)
        if known is not None and known.version != version:
            known = _Packed(version, among())
            self._put(key, known)
            return known.slots
        if known is None or known.codes is None:
            slots = among()
            known = _Packed(version, slots, short.packed(slots), len(slots) * (short.dimensions // 4 + 8))
            self._put(key, known)
        self._held.move_to_end(key)
        places = known.codes.search(asked[None], most)[1][0]
        return known.slots[places[places >= 0]]

    def _put(self, key: _Key, packed: _Packed) -> None:
        self._let_go(key)
        self._held[key] = packed
        self.bytes += packed.bytes
        while len(self._held) > 1 and (self.bytes > self._most_bytes or len(self._held) > _MOST_HELD):
            self._let_go(next(iter(self._held)))

    def _let_go(self, key: _Key) -> None:
        gone = self._held.pop(key, None)
        self.bytes -= gone.bytes if gone else 0
