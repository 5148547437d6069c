"""When a function's code appeared: earlier versions of its source are read until one lacks it.

What decides is the code, not its name or place: the normalised tree of `fingerprints`, or four fifths of its shingles.
Every date is a lower bound: a version that could not be read, or was not looked at, may have held the code.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple

from ingester.domain.near_duplicates import THRESHOLD

# With fewer shingles than this, sharing most of them says little.
_LEAST_SHINGLES = 12

DatedBy = Literal["release", "history", "file_time", "nothing"]


class Fingerprint(NamedTuple):
    """What a function's code is recognised by, whatever it is called and wherever it stands.

    `shingles` are 64-bit hashes of runs of five tokens.
    """

    tree: str
    shingles: frozenset[int]


class Released(NamedTuple):
    """One version of a source and when it was published."""

    version: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Dating:
    """When code appeared, and how that is known.

    Attributes:
        first_seen: The earliest moment at which the code may have been public; none when nothing tells.
        by: What tells: earlier releases, a repository's history, or the time that a file bears.
        version: Version of that moment.
        absent_from: Newest version before it that was read and lacks the code; empty when there is none.
        looked_at: How many earlier versions were read.
        at_latest: The code may be older still: its age decided already, or an earlier version could not be read.
    """

    first_seen: datetime | None = None
    by: DatedBy = "nothing"
    version: str = ""
    absent_from: str = ""
    looked_at: int = 0
    at_latest: bool = False


class Wanted:
    """The functions whose code is looked for.

    Args:
        fingerprints: By the caller's own key.
    """

    def __init__(self, fingerprints: Mapping[str, Fingerprint]) -> None:
        self._fingerprints = dict(fingerprints)
        self._by_tree: dict[str, list[str]] = {}
        for key, each in fingerprints.items():
            self._by_tree.setdefault(each.tree, []).append(key)

    def held_by(self, found: Fingerprint) -> list[str]:
        """Keys of the functions whose code a function of an earlier version is, or nearly is."""
        held = list(self._by_tree.get(found.tree, ()))
        size = len(found.shingles)
        if size >= _LEAST_SHINGLES:
            for key, each in self._fingerprints.items():
                other = len(each.shingles)
                if other >= _LEAST_SHINGLES and min(size, other) >= THRESHOLD * max(size, other) and key not in held:
                    shared = len(found.shingles & each.shingles)
                    if shared >= THRESHOLD * (size + other - shared):
                        held.append(key)
        return held


# Which of the wanted functions a version holds; none when the version cannot be read.
Look = Callable[[Released], Awaitable[frozenset[str] | None]]


@dataclass(slots=True)
class _Interval:
    """Functions that the version at `low` lacks and the one at `high` holds; -1 is before all versions."""

    low: int
    high: int
    keys: frozenset[str]


async def date_by_versions(
    keys: Sequence[str], earlier: Sequence[Released], current: Released, since: datetime, look: Look, most_looks: int
) -> dict[str, Dating]:
    """Find for each function the version in which its code appeared.

    The last version before `since` is read first: what it holds is too old, and when exactly it came does not matter.
    For the rest the version is found by halving, the largest groups first.

    Args:
        keys: The functions.
        earlier: Earlier versions, oldest first.
        current: The version that holds them all.
        since: Older code is of no use.
        look: Reads a version.
        most_looks: How many versions are read at most; what is left open is dated as early as it may be.
    """
    timeline = [*earlier, current]
    last = len(timeline) - 1
    looks = 0
    seen: dict[int, frozenset[str] | None] = {last: frozenset(keys)}

    async def read(place: int) -> frozenset[str] | None:
        nonlocal looks
        if place not in seen:
            seen[place] = await look(timeline[place])
            looks += 1
        return seen[place]

    gate = max((place for place, each in enumerate(earlier) if each.at < since), default=-1)
    low, old = -1, frozenset[str]()
    for place in range(gate, -1, -1):
        held = await read(place) if looks < most_looks else None
        # A version that cannot be read tells nothing: the one before it is asked.
        if held is not None:
            low, old = place, held & frozenset(keys)
            break
    found: dict[str, _Interval] = {key: _Interval(-1, low, old) for key in old}
    waiting = [_Interval(low, last, frozenset(keys) - old)]
    while waiting:
        waiting.sort(key=lambda each: (len(each.keys), each.high, each.low))
        group = waiting.pop()
        middle = _middle(group, seen)
        if not group.keys:
            continue
        if middle < 0 or looks >= most_looks:
            found |= dict.fromkeys(group.keys, group)
            continue
        held = await read(middle)
        if held is None:
            waiting.append(group)
            continue
        waiting.append(_Interval(group.low, middle, group.keys & held))
        waiting.append(_Interval(middle, group.high, group.keys - held))
    return {key: _dating(key, found[key], timeline, old, looks) for key in keys}


def _middle(group: _Interval, seen: Mapping[int, frozenset[str] | None]) -> int:
    """The version next to the middle of an interval that can still be read; -1 when there is none."""
    inside = [place for place in range(group.low + 1, group.high) if seen.get(place, frozenset()) is not None]
    return min(inside, key=lambda place: (abs(2 * place - group.low - group.high), place), default=-1)


def _dating(key: str, interval: _Interval, timeline: Sequence[Released], old: frozenset[str], looks: int) -> Dating:
    if key in old:
        held = timeline[interval.high]
        return Dating(held.at, "release", held.version, "", looks, at_latest=True)
    first = timeline[interval.low + 1]
    absent = timeline[interval.low].version if interval.low >= 0 else ""
    return Dating(first.at, "release", first.version, absent, looks, at_latest=interval.low + 1 < interval.high)
