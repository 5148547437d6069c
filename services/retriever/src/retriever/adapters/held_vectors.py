"""Vectors of one space in memory: rows by slot, and, where they are many, an inverted file that finds candidates."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import faiss as untyped
import numpy as np
from numpy.typing import NDArray

from retriever.adapters.held_few import ShortCodes

# Its stubs know few of its arguments.
faiss: Any = untyped
# From so many vectors on, comparing with all of them takes longer than an inverted file does.
LISTS_FROM = 20_000
# Lists for each square root of their number, as faiss advises below a million; its own ten rounds of k-means.
_OF_ROOT, _MOST_LISTS, _ROUNDS = 4, 4096, 10
# Of each list; faiss asks for 39 at least.
_SAMPLED = 40
# Fast scan looks codes up in registers: 16 centres for each part of so many numbers, where they divide the vector.
_OF_PART, _BITS = (4, 3, 2, 1), 4
# Rows that an inverted file is tried with, how many of their neighbours it shall find, and of how many. Questions in
# words lie further off than rows do: where .994 of the rows' neighbours were found, .98 of the questions' were
# (all-MiniLM-L6-v2, 60,000 functions of installed packages, first lines of docstrings).
_TRIED, _WANTED_RECALL, _TOLD_BY = 256, 0.993, 10
# Candidates of a question, the best of which are compared again in full: the fewest of these that are enough.
_CANDIDATES = (150, 300, 600, 1200)
# Which lists lie nearest is asked of such codes of their centres, each for two numbers, and so many times as many as
# are wanted are compared in full: all centres are megabytes, and reading them took most of a question's time.
_OF_CENTRE, _COMPARED_AGAIN = (2, 1), 4
# A list that has grown so many times since its centres were learned is learned anew.
_GROWN = 4

Slots = NDArray[np.int64]


def one_thread() -> ThreadPoolExecutor:
    """A thread that does one thing after the other; faiss starts no others beside it."""
    return ThreadPoolExecutor(1, "held", no_threads_beside)


def no_threads_beside() -> None:
    """Let what the calling thread asks of faiss be done by itself."""
    faiss.omp_set_num_threads(1)


@dataclass(frozen=True)
class Lists:
    """An inverted file over copies of the rows in half a byte for each few numbers.

    Args:
        file: The index of faiss; its ids are slots.
        centres: Finds the lists; faiss refers to it, and does not keep it.
        probes: Lists that a question looks into.
        candidates: How many of what it finds there are compared again.
        learned: How many vectors there were when its centres were learned.
        slots: Whose they were; none once it is in use.
        short: Codes by slot, for filters that admit few.
    """

    file: Any
    centres: Any
    probes: int
    candidates: int
    learned: int
    slots: Slots
    short: ShortCodes

    @property
    def bytes(self) -> int:
        """Of the copies and their ids, and of the short codes."""
        copies = int(self.file.ntotal) * (int(self.file.code_size) + 8) + int(self.file.nlist) * int(self.file.d) * 4
        return copies + self.short.bytes


class HeldSpace:
    """Vectors of one space by slot; a slot's vector never changes once it is there.

    Args:
        dimensions: Numbers of a vector.
        slots: How many there will be at first.
    """

    def __init__(self, dimensions: int, slots: int) -> None:
        self.dimensions = dimensions
        self.rows: NDArray[np.float32] = np.empty((slots, dimensions), dtype=np.float32)
        self.there: NDArray[np.bool_] = np.zeros(slots, dtype=np.bool_)
        self.count = 0
        self.lists: Lists | None = None

    @property
    def bytes(self) -> int:
        """What it takes."""
        return self.count * self.dimensions * 4 + len(self.there) + (self.lists.bytes if self.lists else 0)

    def put(self, slots: Slots, rows: NDArray[np.float32]) -> None:
        """Take vectors in: (n, d) float32 for n slots that have none."""
        if (least := int(slots.max()) + 1) > len(self.rows):
            grown = np.empty((max(least, len(self.rows) * 5 // 4), self.dimensions), dtype=np.float32)
            grown[: len(self.rows)] = self.rows
            there = np.zeros(len(grown), dtype=np.bool_)
            there[: len(self.there)] = self.there
            self.rows, self.there = grown, there
        self.rows[slots] = rows
        self.there[slots] = True
        self.count += len(slots)
        if self.lists is not None:
            self.lists.file.add_with_ids(np.ascontiguousarray(rows), slots)
            self.lists.short.put(slots, rows)

    def having(self, slots: Slots) -> Slots:
        """Those of these slots that have a vector."""
        return slots[self.has(slots)]

    def has(self, slots: Slots) -> NDArray[np.bool_]:
        """Of each of these slots whether it has a vector."""
        if not len(slots) or int(slots.max()) < len(self.there):
            return self.there[slots]
        known = slots < len(self.there)
        known[known] = self.there[slots[known]]
        return known

    def cosines(self, asked: NDArray[np.float32], slots: Slots) -> NDArray[np.float32]:
        """Products with the vectors of these slots, all of which have one; nothing is copied."""
        found = np.empty(len(slots), dtype=np.float32)
        if len(slots):
            pointers = [faiss.swig_ptr(one) for one in (found, np.ascontiguousarray(asked), self.rows)]
            kept = np.ascontiguousarray(slots)
            faiss.fvec_inner_products_by_idx(*pointers, faiss.swig_ptr(kept), self.dimensions, 1, len(kept))
        return found

    def candidates(self, asked: NDArray[np.float32], admitted: Any, share: float, most: int) -> Slots:
        """About the nearest of what is admitted, by the inverted file.

        Args:
            asked: (d,) float32.
            admitted: A selector of faiss.
            share: How much of all is admitted: the less, the more lists are looked into.
            most: How many shall be found at least.
        """
        assert self.lists is not None
        probes = min(int(self.lists.probes / max(share, 0.01)), int(self.lists.file.nlist))
        chosen = faiss.SearchParametersIVF(sel=admitted, nprobe=max(probes, 1))
        _products, found = self.lists.file.search(asked[None], max(most, self.lists.candidates), params=chosen)
        return found[0][found[0] >= 0]

    def due(self) -> bool:
        """Whether an inverted file should be learned."""
        learned = self.lists.learned if self.lists else 0
        return self.count >= (_GROWN * learned if learned else LISTS_FROM)


def learn(space: HeldSpace) -> Lists:
    """An inverted file over what a space has now; reads rows that are there, so that others may add meanwhile.

    Source: André et al. 2015, Cache locality is not enough (product quantisation in registers), as faiss has it.
    """
    # Of this thread alone: whoever searches meanwhile has the other processors.
    no_threads_beside()
    rows, slots = space.rows, np.flatnonzero(space.there).astype(np.int64)
    lists = max(min(int(_OF_ROOT * math.sqrt(len(slots))), len(slots) // _SAMPLED, _MOST_LISTS), 1)
    draw = np.random.default_rng(1)
    sample = rows[np.sort(draw.permutation(slots)[: lists * _SAMPLED])]
    numbers = next(one for one in _OF_PART if space.dimensions % one == 0)
    centres = faiss.IndexFlatIP(space.dimensions)
    file = faiss.IndexIVFPQFastScan(
        centres, space.dimensions, lists, space.dimensions // numbers, _BITS, faiss.METRIC_INNER_PRODUCT
    )
    # What lies around one centre is told apart by how it differs from it.
    file.by_residual = True
    file.cp.niter = _ROUNDS
    file.cp.max_points_per_centroid = _SAMPLED
    file.train(sample)
    short = ShortCodes(sample, len(rows))
    for start in range(0, len(slots), 4096):
        part = slots[start : start + 4096]
        file.add_with_ids(rows[part], part)
        short.put(part, rows[part])
    # Many rows at once are sooner compared with the centres as they are.
    found_by = _finder(centres)
    file.quantizer = found_by
    probes, candidates = _tuned(file, rows, slots, draw)
    return Lists(file, found_by, probes, candidates, len(slots), slots, short)


def _finder(centres: Any) -> Any:
    """What finds the nearest of these centres: by codes in registers, the best of which are compared in full."""
    numbers = next(one for one in _OF_CENTRE if centres.d % one == 0)
    coded = faiss.IndexPQFastScan(centres.d, centres.d // numbers, _BITS, faiss.METRIC_INNER_PRODUCT)
    # Few centres are no mistake.
    coded.pq.cp.min_points_per_centroid = 1
    rows = centres.reconstruct_n(0, centres.ntotal)
    coded.train(rows)
    coded.add(rows)
    finder = faiss.IndexRefine(coded, centres)
    finder.k_factor = _COMPARED_AGAIN
    return finder


def _tuned(file: Any, rows: NDArray[np.float32], slots: Slots, draw: np.random.Generator) -> tuple[int, int]:
    """The fewest lists and candidates that find, of some rows, the neighbours that comparing with everything does.

    A row finds itself in any case, and says nothing.
    """
    tried = draw.permutation(slots)[:_TRIED]
    asked = rows[tried]
    # Rows of slots without a vector hold anything.
    dense = len(slots) == int(slots[-1]) + 1
    base = rows[: len(slots)] if dense else rows[slots]
    nearest = slots[faiss.knn(asked, base, _TOLD_BY + 1, metric=faiss.METRIC_INNER_PRODUCT)[1]]
    true = [set(near.tolist()) - {own} for near, own in zip(nearest, tried.tolist(), strict=True)]

    def enough(probes: int, candidates: int) -> bool:
        chosen = faiss.SearchParametersIVF(nprobe=probes)
        found = file.search(asked, candidates, params=chosen)[1]
        met = sum(len(near & set(other)) for near, other in zip(true, found.tolist(), strict=True))
        return met >= _WANTED_RECALL * sum(map(len, true))

    lists = int(file.nlist)
    candidates = next((one for one in _CANDIDATES if enough(lists, one)), _CANDIDATES[-1])
    probes = 8.0
    while probes < lists and not enough(int(probes), candidates):
        probes *= math.sqrt(2)
    return min(int(probes), lists), candidates
