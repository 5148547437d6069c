"""What is known of a share."""

from __future__ import annotations

from typing import Any, cast

_FIGURES = ("value", "low", "high")


def told_shares(found: Any) -> Any:
    """Plain values of messages without the figures of shares that lack verdicts, at any depth.

    What is judged of such a share may be the easy part: it has the least and the most that it can be, its `value`,
    `low` and `high` are None, and it has no pass@k.

    Args:
        found: Objects, lists and plain values. A share says its bounds, `least` and `most`, beside or above its value.

    Example:
        >>> told_shares([{"value": 1.0, "low": 0.3, "high": 1.0, "least": 0.1, "most": 0.9, "pass_at": [1]}])
        [{'value': None, 'low': None, 'high': None, 'least': 0.1, 'most': 0.9, 'pass_at': []}]
    """
    if isinstance(found, list):
        return [told_shares(each) for each in cast("list[Any]", found)]
    if not isinstance(found, dict):
        return found
    told = {name: told_shares(each) for name, each in cast("dict[str, Any]", found).items()}
    least, most = told.get("least"), told.get("most")
    if not isinstance(least, int | float) or not isinstance(most, int | float) or least >= most:
        return told
    if isinstance(told.get("share"), dict):
        told["share"] = cast("dict[str, Any]", told["share"]) | dict.fromkeys(_FIGURES)
    told |= {"pass_at": []} if "pass_at" in told else {}
    return told | dict.fromkeys(name for name in _FIGURES if name in told)
