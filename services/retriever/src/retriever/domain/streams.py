"""RepoRift's streams: several comparisons, one small set.

Source: RepoRift, section 2.2.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from retriever.domain.code import Hit, IndexedCode
from retriever.domain.scoring import ordered

QUERY, CODE, CLASS, COMPONENT = "query", "code", "class", "component"

# What an augmented search does, in order; each can be left out.
LOOK_UP, ENRICH, RERANK = "look_up", "enrich", "rerank"
STREAMS = (QUERY, CODE, CLASS, COMPONENT)
STEPS = (LOOK_UP, ENRICH, *STREAMS, RERANK)

TOP = 3
LEAST = 5
MOST = 15
MOST_COMPONENTS = MOST - 3 * TOP


@dataclass(frozen=True)
class StreamHit:
    """Code in the union; `hit.score` is the highest cosine over the streams that found it.

    Where copies are to be one, `copies` are the others of it that streams met, by place.
    """

    hit: Hit
    streams: tuple[str, ...]
    copies: tuple[IndexedCode, ...] = ()


def unite(
    query: Sequence[Hit], code: Sequence[Hit], classes: Sequence[Hit], components: Iterable[Sequence[Hit]]
) -> list[StreamHit]:
    """The union of the streams, 5 to 15 where the repository has as many, best cosine first.

    Args:
        query: The augmented query against functions; its first three count, the rest fills up.
        code: The generated code against functions; its first three count.
        classes: The generated code against classes; its first three count.
        components: Each component function of the generated code against functions; its first counts.
    """
    found: dict[str, StreamHit] = {}
    for name, hits in (
        (QUERY, query[:TOP]),
        (CODE, code[:TOP]),
        (CLASS, classes[:TOP]),
        *((COMPONENT, hits[:1]) for hits in list(components)[:MOST_COMPONENTS]),
    ):
        for hit in hits:
            _add(found, hit, name)
    for hit in query[TOP:]:
        if len(found) >= LEAST:
            break
        _add(found, hit, QUERY)
    best = {one.hit.code.function_id: one for one in found.values()}
    return [best[hit.code.function_id] for hit in ordered(one.hit for one in found.values())]


def reorder(united: Sequence[StreamHit], order: Sequence[int]) -> list[StreamHit]:
    """Put the union in the order that a re-ranker gave.

    Args:
        united: The union.
        order: Positions in it, counted from 1, best first. What is out of range or said twice is dropped;
            what is not said follows in the old order.
    """
    wanted = [position - 1 for position in dict.fromkeys(order) if 1 <= position <= len(united)]
    rest = [position for position in range(len(united)) if position not in wanted]
    return [united[position] for position in [*wanted, *rest]]


def fitting(texts: Sequence[str], room: int) -> list[str]:
    """Texts that together have so many characters: whole ones first, and the longest cut to one length.

    Args:
        texts: Any texts.
        room: Most characters of all.

    Example:
        >>> fitting(["ab", "abcdefgh", "abcdefghij"], 12)
        ['ab', 'abcde', 'abcde']
    """
    left, longest = room, 0
    for number, length in enumerate(sorted(len(text) for text in texts)):
        longest = left // (len(texts) - number)
        if length > longest:
            break
        left -= length
        longest = length
    return [text[:longest] for text in texts]


def _add(found: dict[str, StreamHit], hit: Hit, stream: str) -> None:
    before = found.get(hit.code.function_id)
    if before is None:
        found[hit.code.function_id] = StreamHit(hit, (stream,))
        return
    streams = before.streams if stream in before.streams else (*before.streams, stream)
    best = max(before.hit.score, hit.score)
    found[hit.code.function_id] = StreamHit(replace(hit, score=best), streams)
