"""The text part of the ranking: BM25 over the words of names, docstrings, signatures and bodies.

Source: Robertson and Zaragoza 2009, BM25 with fields: a word counts as often as its fields weigh.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from retriever.domain.code import IndexedCode
from touchstone_runtime.words import terms

# How often a word counts where it stands; a body that holds signature and docstring counts them once more.
NAME_WEIGHT, DOCSTRING_WEIGHT, SIGNATURE_WEIGHT = 3, 1, 1
# The usual ones, and Weaviate's.
K1, B = 1.2, 0.75
# More often no word is said to stand in one code: PostgreSQL keeps so many places of a word.
MOST_TIMES = 255
MOST_WORDS = 4000
# PostgreSQL takes no word of more than 2,046 bytes, in codes and in questions.
_LONGEST = 100
MOST_QUERY_TERMS = 32
# Raised whenever `words_of` gives other words for the same code: kept ones of another form are made anew.
WORDS_FORM = "words-2"


@dataclass(frozen=True)
class TextStatistics:
    """What BM25 knows of all codes: their number, their mean length in words, and how many hold a word."""

    codes: int
    mean_words: float
    holding: Mapping[str, int]

    def rarity(self, term: str) -> float:
        """Inverse document frequency, above 0 for every word."""
        holding = self.holding.get(term, 0)
        return math.log1p((self.codes - holding + 0.5) / (holding + 0.5))


def words_of(code: IndexedCode) -> Counter[str]:
    """How often each word counts in a code: lower case, cut at case changes and underscores, stemmed."""
    parts = code.qualname.replace("<locals>", "").split(".")
    signature = code.code.partition("\n")[0]
    counted: Counter[str] = Counter(terms(code.code)[:MOST_WORDS])
    for text, weight in (
        (parts[-1], NAME_WEIGHT),
        (" ".join(parts[:-1]), 1),
        (signature, SIGNATURE_WEIGHT),
        (code.docstring, DOCSTRING_WEIGHT),
    ):
        for term in terms(text)[:MOST_WORDS]:
            counted[term] += weight
    return Counter({term: min(count, MOST_TIMES) for term, count in counted.items() if len(term) <= _LONGEST})


def query_terms(query: str) -> list[str]:
    """The words of a question, each once, in order; of those that `words_of` may give."""
    return [term for term in dict.fromkeys(terms(query)) if len(term) <= _LONGEST][:MOST_QUERY_TERMS]


def bm25(asked: Sequence[str], words: Mapping[str, int], statistics: TextStatistics) -> float:
    """BM25 of one code; 0 where no word is shared.

    Args:
        asked: `query_terms`.
        words: `words_of` the code.
        statistics: Of all codes.
    """
    length = sum(words.values())
    damped = K1 * (1 - B + B * length / statistics.mean_words) if statistics.mean_words else K1
    return math.fsum(
        statistics.rarity(term) * words[term] * (K1 + 1) / (words[term] + damped) for term in asked if term in words
    )
