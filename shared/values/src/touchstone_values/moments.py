"""What moments, times of day and spans say, apart from the objects that say it."""

# JSON trees have no static types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from touchstone_values.closeness import number_of

CLOCKS = frozenset({"datetime", "time", "timestamp"})

_CLOCK = re.compile(
    r"(?P<day>[0-9-]{10}T)?(?P<minute>[0-9]{2}:[0-9]{2})(:(?P<second>[0-9]{2})(\.(?P<part>[0-9]{1,9}))?)?"
    r"((?P<sign>[+-])(?P<offset>[0-9:.]+))?",
    re.ASCII,
)
_DTYPE = re.compile(r"<[mM]8(\[([0-9]*)([a-zA-Z]+)\])?", re.ASCII)
_DAY = 86_400 * 10**18
# Attoseconds of the units that always last the same.
_LASTING = {
    "W": 7 * _DAY, "D": _DAY, "h": 3600 * 10**18, "m": 60 * 10**18, "s": 10**18, "ms": 10**15, "us": 10**12,
    "ns": 10**9, "ps": 10**6, "fs": 10**3, "as": 1,
}  # fmt: skip
_MONTHS = {"Y": 12, "M": 1}
_DAYS_BEFORE = (0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334)
# Days from the first of January of the year 1 to the epoch.
_EPOCH = 719_162


def clock_text(node: Any) -> str:
    """What a moment or a time of day says: its digits, and its offset if it has one, in one form.

    By which zone's rules it has this offset, and whether a clock was turned, is not said: it is the same moment.

    Args:
        node: A checked node of one of the kinds in `CLOCKS`.

    Example:
        >>> clock_text({"$": "time", "v": "12:00-00:00", "zone": "UTC", "fold": 1})
        '12:00:00.000000000+00:00:00.000000'
    """
    found = _CLOCK.fullmatch(node["v"])
    if found is None:
        return node["v"]
    day, offset, second = found["day"] or "", found["offset"], found["second"] or "00"
    text = f"{day}{found['minute']}:{second}.{(found['part'] or '').ljust(9, '0')}"
    if offset is None:
        return text
    offset += "00:00:00.000000"[len(offset) :]
    return f"{text}{found['sign'] if offset.strip('0:.') else '+'}{offset}"


def counted(dtype: str, cells: Sequence[Any]) -> list[tuple[str, int] | None]:
    """Counts of an array of moments or spans in a unit that they share with others, where there is one.

    Args:
        dtype: An array's, of numpy's kinds `M` and `m`.
        cells: Counts in its unit, as checked nodes; None for NaT.

    Returns:
        For each cell the name of a unit and how many of it; None for NaT. A span of months has no length in days, and
        one without a unit none at all.

    Example:
        >>> counted("<M8[D]", [1, None]) == counted("<M8[12h]", [2, None]) == [("as", 86400 * 10**18), None]
        True
    """
    found = _DTYPE.fullmatch(dtype)
    multiple, unit = (int(found[2] or 1), found[3] or "") if found else (1, dtype)
    counts = [None if cell is None else number_of(cell, "int") * multiple for cell in cells]
    if unit in _MONTHS:
        months = [None if count is None else count * _MONTHS[unit] for count in counts]
        if dtype[1] == "m":
            return [None if count is None else ("M", count) for count in months]
        return [None if count is None else ("as", _days(count) * _DAY) for count in months]
    if unit in _LASTING:
        return [None if count is None else ("as", count * _LASTING[unit]) for count in counts]
    return [None if count is None else (unit, count) for count in counts]


def _days(months: int) -> int:
    """Days from the epoch to the first of a month that many months after it, in years of any size."""
    years, month = divmod(months, 12)
    year = 1970 + years
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    before = year - 1
    days = 365 * before + before // 4 - before // 100 + before // 400
    return days + _DAYS_BEFORE[month] + (leap and month > 1) - _EPOCH
