"""What of some rankings nobody has judged yet, and what new labels change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

# Source: CoSQA+, whose measures look at ten places.
DEPTH = 10

Labels = Mapping[str, Collection[str]]


def unjudged(
    rankings: Sequence[Mapping[str, Sequence[str]]], judged: Labels, undecided: Labels, depth: int = DEPTH
) -> list[tuple[str, str]]:
    """Pairs of query and code among the first places that have no label, what buys most first.

    What many engines agree to show decides about many, so it comes first; then the higher place. Queries without any
    label are left out: they are no part of the set that is scored. Undecided codes leave rankings before these are
    measured, and so take no place here.

    Source: depth pooling, as in TREC.

    Example:
        >>> unjudged([{"q": ["a", "b"]}, {"q": ["b", "c"]}], {"q": {"c"}}, {})
        [('q', 'b'), ('q', 'a')]
    """
    places: dict[tuple[str, str], list[int]] = defaultdict(list)
    for ranking in rankings:
        for query, codes in ranking.items():
            if query not in judged:
                continue
            for place, code in enumerate(places_measured(codes, undecided.get(query, ()), depth), start=1):
                if code not in judged[query]:
                    places[query, code].append(place)
    return sorted(places, key=lambda pair: (-len(places[pair]), min(places[pair]), pair))


def places_measured(ranking: Sequence[str], undecided: Collection[str], depth: int = DEPTH) -> list[str]:
    """The codes in the first places of a ranking as it is measured: without undecided ones.

    Example:
        >>> places_measured(["a", "b", "a", "c", "d"], {"b"}, 2)
        ['a', 'c']
    """
    return [code for code in dict.fromkeys(ranking) if code not in undecided][:depth]


def joined(labels: Labels, more: Collection[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Labels with some pairs added."""
    found = {query: set(codes) for query, codes in labels.items()}
    for query, code in more:
        found.setdefault(query, set()).add(code)
    return {query: frozenset(codes) for query, codes in found.items()}


def still_unjudged(ranking: Mapping[str, Sequence[str]], judged: Labels, undecided: Labels, depth: int = DEPTH) -> int:
    """How many pairs among the first places of one ranking have no label, each of which counts as wrong."""
    return len(unjudged([ranking], judged, undecided, depth))
