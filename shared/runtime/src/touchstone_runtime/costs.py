"""What is known of a cost."""

from __future__ import annotations

import math
from typing import Any, cast

# The strategy of answers that somebody else sampled: what they took nobody here knows.
SUBMITTED = "submitted"
_TOKENS = ("tokens_in", "tokens_out")
# Digits behind the point, and of less than they show so many that count.
_DIGITS, _SIGNIFICANT = 4, 2


def is_submitted(strategy: str) -> bool:
    """Whether answers were sampled by somebody else, so that nobody here knows what they took.

    Args:
        strategy: Of a run's specification, or as answers and rows are labelled: with its variant and its track.

    Example:
        >>> is_submitted("submitted"), is_submitted("submitted (repair)"), is_submitted("direct (repair)")
        (True, True, False)
    """
    return strategy.partition(" (")[0].partition(":")[0] == SUBMITTED


def cost_is_unknown(model: str, cost_usd: float, tokens: int, unpriced: int = 0) -> bool:
    """Whether a cost, or a part of it, only says that nobody named a price.

    A model elsewhere has an address in its name, and is not free.

    Args:
        model: As runs and ledgers name it.
        cost_usd: US dollars that were booked.
        tokens: How many were asked and answered.
        unpriced: How many of the answers, or of their tokens, have no price in the sum.

    Example:
        >>> cost_is_unknown("m@models.example", 0.0, 9), cost_is_unknown("m", 0.0, 9), cost_is_unknown("m", 1.0, 9, 2)
        (True, False, True)
    """
    return unpriced > 0 or ("@" in model and not cost_usd and tokens > 0)


def usd_in_words(cost_usd: float, *, unknown: bool) -> str:
    """US dollars; what is known of them where a part is not. What was paid is never told as nothing.

    Example:
        >>> usd_in_words(0.5, unknown=False), usd_in_words(0.5, unknown=True), usd_in_words(0.0, unknown=True)
        ('0.5000', '0.5000 + unknown', 'unknown')
        >>> usd_in_words(0.0000421, unknown=False), usd_in_words(0.0, unknown=False)
        ('0.000042', '0.0000')
    """
    digits = _DIGITS
    if 0.0 < cost_usd < 10.0**-_DIGITS:
        digits = _SIGNIFICANT - 1 - math.floor(math.log10(cost_usd))
    told = f"{cost_usd:.{digits}f}"
    if not unknown:
        return told
    return f"{told} + unknown" if cost_usd else "unknown"


def told_costs(value: Any) -> Any:
    """Plain values of messages with None for each `cost_usd` that nobody knows, at any depth.

    Of answers that somebody else sampled nobody knows the tokens either.

    Args:
        value: Objects, lists and plain values. An object with a cost names its model and strategy, or its `spec` does.

    Example:
        >>> told_costs([{"model": "m@h", "tokens_in": "9", "tokens_out": 0, "cost_usd": 0.0}])[0]["cost_usd"] is None
        True
    """
    if isinstance(value, list):
        return [told_costs(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    told = {name: told_costs(each) for name, each in cast("dict[str, Any]", value).items()}
    spec = cast("dict[str, Any]", told.get("spec") or {})
    cost, model = told.get("cost_usd"), told.get("model") or spec.get("model")
    if not isinstance(cost, int | float) or not isinstance(model, str):
        return told
    if any(is_submitted(strategy) for strategy in (told.get("strategy"), spec.get("strategy")) if strategy):
        return told | dict.fromkeys([name for name in ("cost_usd", *_TOKENS) if name in told])
    # Large numbers are texts where a message became JSON.
    tokens, unpriced = sum(int(told.get(name, 0)) for name in _TOKENS), int(told.get("unpriced", 0))
    return told | {"cost_usd": None} if cost_is_unknown(model, cost, tokens, unpriced) else told
