"""BM25 in memory: of each word the slots that hold it, with the statistics and the form that the stores have."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from retriever.adapters.held_order import IdOrder
from retriever.adapters.pg_text import needed_words, rarest
from retriever.domain.scoring import DIGITS
from retriever.domain.text import K1, B, TextStatistics

_FIRST_SCORED = 1000
_MARGIN = 10.0 ** (1 - DIGITS)


class HeldWords:
    """Words of codes by slot; slots come in rising order."""

    def __init__(self) -> None:
        self._slots: dict[str, array[int]] = {}
        self._times: dict[str, array[int]] = {}
        # Of each word, how many of its slots hold no code any more.
        self._left: Counter[str] = Counter()
        self._lengths = array("I")
        self._codes = self._words = 0
        self._places = 0

    @property
    def bytes(self) -> int:
        """What they take: five bytes for each word of a code, and some hundred for each word."""
        return int(self.wanted(1.0))

    def wanted(self, share: float) -> float:
        """What so many times these codes take at least: few of them have most of the words already."""
        return share * (5 * self._places + 4 * len(self._lengths)) + 400 * len(self._slots)

    def put(self, slot: int, words: Mapping[str, int]) -> None:
        """Take in the words of a code; its slot is the next one."""
        assert slot == len(self._lengths)
        length = sum(words.values())
        for word, times in words.items():
            if word not in self._slots:
                self._slots[word], self._times[word] = array("I"), array("B")
            self._slots[word].append(slot)
            self._times[word].append(times)
        self._lengths.append(length)
        self._codes, self._words = self._codes + 1, self._words + length
        self._places += len(words)

    def leave(self, slot: int, words: Mapping[str, int]) -> None:
        """A slot's code is there no more; it had these words."""
        self._left.update(words.keys())
        self._codes, self._words = self._codes - 1, self._words - self._lengths[slot]

    def best(
        self, asked: Sequence[str], admitted: NDArray[np.bool_], few: NDArray[np.int64] | None, order: IdOrder,
        depth: int,
    ) -> dict[int, float]:  # fmt: skip
        """BM25 of the best slots, none of which has no word of the question.

        Args:
            asked: Words.
            admitted: Of each slot, whether it may be found.
            few: The same as slots, where they are few: then all of them are scored.
            order: Of the slots; of equal scores the lesser id comes first.
            depth: Most slots.

        Source: Turtle and Flood 1995, as `PgText.best` has it.
        """
        holding = {term: len(self._slots.get(term, ())) - self._left[term] for term in asked}
        statistics = TextStatistics(self._codes, self._words / max(self._codes, 1), holding)
        asked = [term for term in asked if holding[term]]
        if few is not None:
            return self._top(asked, few, statistics, order, depth)
        rare = rarest(asked, statistics, _FIRST_SCORED)
        found = self._top(asked, self._holding(rare, admitted), statistics, order, depth)
        least = min(found.values()) if len(found) == depth else 0.0
        needed = needed_words(asked, statistics, least - _MARGIN)
        if not set(needed) <= set(rare):
            found = self._top(asked, self._holding(needed, admitted), statistics, order, depth)
        return found

    def _holding(self, terms: Sequence[str], admitted: NDArray[np.bool_]) -> NDArray[np.int64]:
        held = np.zeros(len(admitted), dtype=np.bool_)
        for term in terms:
            held[np.array(self._slots[term])] = True
        return np.flatnonzero(held & admitted)

    def _top(
        self, asked: Sequence[str], slots: NDArray[np.int64], statistics: TextStatistics, order: IdOrder, depth: int
    ) -> dict[int, float]:
        scores = np.zeros(len(slots))
        lengths = np.frombuffer(self._lengths, dtype=np.uint32)[slots] if len(slots) else np.zeros(0)
        damped = K1 * (1 - B + B * lengths / statistics.mean_words) if statistics.mean_words else K1
        for term in asked:
            held = np.frombuffer(self._slots[term], dtype=np.uint32)
            at = np.minimum(np.searchsorted(held, slots.astype(np.uint32)), len(held) - 1)
            counted = np.frombuffer(self._times[term], dtype=np.uint8)[at].astype(np.float64)
            times = np.where(held[at] == slots, counted, 0.0)
            scores += statistics.rarity(term) * times * (K1 + 1) / (times + damped)
        scores = np.round(scores, DIGITS)
        return dict(order.top(slots[scores > 0], scores[scores > 0], depth))
