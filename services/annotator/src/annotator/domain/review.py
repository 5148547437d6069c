"""People's opinions on pairs: what two of them come to, how far they agree, and how right methods were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from annotator.domain.record import Label
from annotator.domain.statistics import Interval, clopper_pearson, krippendorff_alpha

# What a reviewer can say, and the label that it is; "cannot_tell" is undecided.
Opinion = Literal["yes", "no", "cannot_tell"]
OPINIONS: dict[str, Label | None] = {"yes": 1, "no": 0, "cannot_tell": None}
# A pair is decided by so many reviewers where they agree.
REVIEWERS = 2
METHOD_ID = "person-review"


def of_reviewers(method_id: str) -> bool:
    """Whether a label is what reviewers came to, of its own pair or of one with the same query and code.

    Example:
        >>> of_reviewers(METHOD_ID), of_reviewers("person-review-3f2a"), of_reviewers("person-3f2a")
        (True, True, False)
    """
    return method_id.startswith(METHOD_ID)


State = Literal["waiting", "agreed", "disputed", "adjudicated"]

# Steps that show what tests are and what they did, and nothing of what a model thinks of the pair.
_EVIDENCE = frozenset({"test_program", "execution", "trial", "repair"})


@dataclass(frozen=True, slots=True)
class Review:
    """What one reviewer says of one pair."""

    pair_id: str
    reviewer: str
    opinion: str
    note: str = ""


def state_of(reviews: Sequence[Review], adjudicated: bool = False) -> State:
    """What the opinions on a pair come to.

    Example:
        >>> state_of([Review("p", "a", "yes"), Review("p", "b", "no")])
        'disputed'
    """
    if adjudicated:
        return "adjudicated"
    if len(reviews) < REVIEWERS:
        return "waiting"
    return "agreed" if len({review.opinion for review in reviews}) == 1 else "disputed"


def is_evidence(step: str, outcome: str) -> bool:
    """Whether a step may be shown to who shall not know what anybody thinks: a run that is imagined is a thought.

    Example:
        >>> is_evidence("execution", "passed"), is_evidence("execution", "simulated passed")
        (True, False)
    """
    return step in _EVIDENCE and not outcome.startswith("simulated")


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far people agree, and how right methods were where people decided.

    Attributes:
        pairs: Pairs with two opinions.
        alpha: Krippendorff's alpha on nominal opinions, "cannot tell" being one; None where it is undefined.
        agreed: Share of pairs with equal opinions; None where there is none.
        method_right: Share of methods' labels that people's decisions confirm, among pairs where both say yes or no;
            None where there is none.
    """

    pairs: int
    alpha: float | None
    agreed: Interval | None
    decided: int
    method_right: Interval | None


def agreement_of(
    opinions: Mapping[tuple[str, str], int], compared: Mapping[tuple[Label, Label], int], decided: int
) -> Agreement:
    """Figures of a review.

    Source: CoSQA+, agreement by Krippendorff's alpha, accuracy by Clopper-Pearson intervals.

    Args:
        opinions: How many pairs have these two opinions.
        compared: How many pairs have this label by people and this one by the method before, both 0 or 1.
        decided: Pairs that people decided.
    """
    codes = {opinion: place for place, opinion in enumerate(OPINIONS)}
    raters = list(zip(*([codes[a], codes[b]] for a, b in opinions), strict=True)) or [(), ()]
    return Agreement(
        pairs=sum(opinions.values()),
        alpha=krippendorff_alpha(raters, list(opinions.values())),
        agreed=_equal(opinions),
        decided=decided,
        method_right=_equal(compared),
    )


def _equal(pairs: Mapping[tuple[Any, Any], int]) -> Interval | None:
    """Share of pairs whose two values are equal; None where there is no pair."""
    if not pairs:
        return None
    return clopper_pearson(sum(times for (one, other), times in pairs.items() if one == other), sum(pairs.values()))
