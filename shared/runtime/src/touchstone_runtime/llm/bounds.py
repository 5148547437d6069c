"""The bound on an answer's length that an endpoint calls too large, and what it is asked with instead.

Endpoints refuse a bound that is above their own, or that does not fit into the model's context beside the question.
Neither says anything of the question: it is asked again with the largest bound that the endpoint names, or without one.
Either is below what was asked for, so that what a budget keeps for the answer still holds.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

BOUNDS = ("max_completion_tokens", "max_tokens")
_AT_MOST = "max_tokens<="
# Words for the bound, or for the context that it has to fit into.
_OF_THE_BOUND = re.compile(
    r"max_?(completion_|new_|output_)?tokens|max(imum)?( number of)?( completion| output| new)? tokens"
    r"|(completion|output) tokens|(in|for) the (completion|output)|maximum tokens|\bcontext\b(?! deadline| cancel)",
    re.IGNORECASE,
)
_OF_THE_CONTEXT = re.compile(r"\b(context|input|inputs|prompt|messages)\b", re.IGNORECASE)
_TOO_SMALL = re.compile(r"at least|too small|greater than|minimum", re.IGNORECASE)
# Numbers of a status are no bounds, nor are those in the names of models.
_STATUS = re.compile(r"(code|status)\W{1,5}\d{3}\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\w.-])(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?![\w-]|\.\d)")


@dataclass(frozen=True)
class Smaller:
    """What a question is asked with instead.

    Attributes:
        without: What `request_body` leaves out or lowers.
        lasting: Whether it holds for every question to the model, and not for this one alone.
    """

    without: frozenset[str]
    lasting: bool


def lowered(max_tokens: int, without: Collection[str]) -> int:
    """A bound, no larger than an endpoint was found to take.

    Args:
        max_tokens: As it was asked for.
        without: What the endpoint was found to refuse, limits of the bound among it.

    Example:
        >>> lowered(9000, {"seed", "max_tokens<=4096"})
        4096
    """
    limits = [int(name.removeprefix(_AT_MOST)) for name in without if name.startswith(_AT_MOST)]
    return min([max_tokens, *limits])


def smaller_bound(body: Mapping[str, object], said: str, named: str) -> Smaller | None:
    """How a refused question is asked with a smaller bound; None where the bound is not at fault, or none was told.

    Args:
        body: What the endpoint was told.
        said: Its words.
        named: The parameter that it names; empty where it names none.

    Example:
        >>> said = "max_tokens is too large: 9000. This model supports at most 4096 completion tokens"
        >>> sorted(smaller_bound({"max_tokens": 9000}, said, "").without)
        ['max_tokens<=4096']
    """
    told = next((value for name in BOUNDS if isinstance(value := body.get(name), int)), 0)
    said = _STATUS.sub("", said)
    if not told or not (named in BOUNDS or _OF_THE_BOUND.search(said)):
        return None
    numbers = {int(each.replace(",", "")) for each in _NUMBER.findall(said)} - {told}
    own = [each for each in numbers if 1 < each < told]
    if not own and _TOO_SMALL.search(said):
        return None
    of_context = _OF_THE_CONTEXT.search(said) is not None
    limit = _room(said, numbers, told) if of_context and len(numbers) > 1 else max(own, default=0)
    if not 0 < limit < told:
        return Smaller(frozenset(BOUNDS), lasting=False)
    return Smaller(frozenset({f"{_AT_MOST}{limit}"}), lasting=not of_context)


def _room(said: str, numbers: set[int], told: int) -> int:
    """What a question leaves of a context, from the numbers of a refusal; 0 where they leave it open."""
    # The sum of question and bound, or the two written as a sum, tell which of the others is the question.
    totals = {each for each in numbers if each - told in numbers}
    rest = sorted(numbers - totals)
    summed = re.search(rf"\d \+ {told}\b", said) is not None
    if len(rest) != 2 or not (totals or summed or rest[1] <= told):
        return 0
    return rest[1] - rest[0]
