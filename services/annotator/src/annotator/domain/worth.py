"""In which order waiting pairs are judged: what tells most of retrievers for one judgement comes first."""

from __future__ import annotations

import math
from collections.abc import Mapping


def worth(rank: int, places: Mapping[str, int]) -> float:
    """What a label of a pair tells of retrievers, before its query has any.

    The depth in the pool counts by the discount of NDCG, since a code far down moves no score; and where retrievers
    disagree on the place, the label decides between them by just the difference of these discounts.

    Args:
        rank: Place in the pool when the pair entered it, from 1.
        places: By retriever the place that it alone gave the code; 0 where the code is not among those asked for.

    Source: Carterette, Allan and Sitaraman (2006), minimal test collections: a document's weight is the difference
        that its label makes to the measure.

    Example:
        >>> worth(1, {"model": 1, "words": 1}), worth(1, {"model": 1, "words": 0})
        (1.0, 2.0)
    """
    alone = [_discount(place) for place in places.values()]
    return _discount(rank) + (max(alone) - min(alone) if alone else 0.0)


def priority(of_pair: float, judged: int) -> float:
    """The order among waiting pairs, highest first: each further label of one query tells less than the one before.

    Args:
        of_pair: See `worth`.
        judged: How many pairs of the query are judged, or were begun.

    Source: Carterette et al. (2008), the million query track: many queries with few labels tell retrievers apart for
        less work than few queries with many.
    """
    return of_pair / (1 + judged)


def _discount(place: int) -> float:
    return 1 / math.log2(place + 1) if place > 0 else 0.0
