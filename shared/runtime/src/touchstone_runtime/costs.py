"""What is known of a cost."""

from __future__ import annotations


def cost_is_unknown(model: str, cost_usd: float, tokens: int) -> bool:
    """Whether a cost of 0 only says that nobody named a price: a model elsewhere has an address in its name.

    Args:
        model: As runs and ledgers name it.
        cost_usd: US dollars that were booked.
        tokens: How many were asked and answered.

    Example:
        >>> cost_is_unknown("m@models.example", 0.0, 9), cost_is_unknown("m", 0.0, 9)
        (True, False)
    """
    return "@" in model and not cost_usd and tokens > 0
