"""What is known of a share, and how it is told."""

from __future__ import annotations

from typing import Any, cast

_FIGURES = ("value", "low", "high")
# So many more digits than usual tell what fewer would tell as another figure.
_MORE = 4


def percent(share: float, digits: int = 1) -> str:
    """A share of one as per cent; what is not all is never told as all, nor what is something as nothing.

    Example:
        >>> percent(0.0625), percent(1.0), percent(3999 / 4000), percent(0.996, 0)
        ('6.2', '100.0', '99.98', '99.6')
    """
    return _told(100.0 * share, digits, ".", (0.0, 100.0))


def points(difference: float, digits: int = 1) -> str:
    """A difference of two shares of one in points, with its sign; on which side of nothing it is can always be told.

    Example:
        >>> points(0.0625), points(-0.0), points(0.003, 0), points(-0.0004)
        ('+6.2', '+0.0', '+0.3', '-0.04')
    """
    return _told(100.0 * difference, digits, "+.", (0.0,))


def _told(value: float, digits: int, form: str, ends: tuple[float, ...]) -> str:
    """A number with as many digits as keep it apart from `ends`, where it is not one of them."""
    texts = [f"{value:{form}{digits + more}f}" for more in range(_MORE + 1)]
    apart = [text for text in texts if float(text) not in ends]
    nearest = min(ends, key=lambda end: abs(end - value))
    return apart[0] if apart else f"{nearest:{form}{digits}f}"


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
