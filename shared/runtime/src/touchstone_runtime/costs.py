"""What is known of a cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


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


def told_costs(value: Any) -> Any:
    """Plain values of messages with None for each `cost_usd` that nobody knows, at any depth.

    Args:
        value: Objects, lists and plain values. An object with a cost names its model, or its `spec` does.

    Example:
        >>> told_costs([{"model": "m@h", "tokens_in": "9", "tokens_out": 0, "cost_usd": 0.0}])[0]["cost_usd"] is None
        True
    """
    if isinstance(value, list):
        return [told_costs(each) for each in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    told = {name: told_costs(each) for name, each in cast("dict[str, Any]", value).items()}
    return told | {"cost_usd": None} if _is_unknown(told) else told


def _is_unknown(told: Mapping[str, Any]) -> bool:
    spec = cast("dict[str, Any]", told.get("spec") or {})
    cost, model = told.get("cost_usd"), told.get("model") or spec.get("model")
    if not isinstance(cost, int | float) or not isinstance(model, str):
        return False
    # Large numbers are texts where a message became JSON.
    return cost_is_unknown(model, cost, int(told.get("tokens_in", 0)) + int(told.get("tokens_out", 0)))
