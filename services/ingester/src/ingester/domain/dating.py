"""When a function's code appeared: earlier versions of its source are read until one lacks it.

What decides is the code, not its name or place: the normalised tree of `fingerprints`, or four fifths of its shingles.
Every date is a lower bound: a version that could not be read, or was not looked at, may have held the code. It is one
of these versions alone: code that stood elsewhere before, as on a branch that was squashed, is older than they tell.
Versions are not one line: an older one is mended while the next is tried as a pre-release. What a version lacks, those
lack that are both earlier and lower; of others that tells nothing.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from packaging.version import InvalidVersion, Version

from ingester.domain.near_duplicates import THRESHOLD

# With fewer shingles than this, sharing most of them says little.
_LEAST_SHINGLES = 12
# Stands for the date of a version that has none: it may be older than all others.
NO_DATE = datetime(1970, 1, 1, tzinfo=UTC)

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
        version: Version or commit of that moment.
        absent_from: Newest version before it that was read and lacks the code; empty when there is none.
        looked_at: How many earlier versions were read.
        at_latest: Its age decided already, so that it may be older still, or versions were left unread: the first of
            them that may hold it dates it, and it may be newer.
    """

    first_seen: datetime | None = None
    by: DatedBy = "nothing"
    version: str = ""
    absent_from: str = ""
    looked_at: int = 0
    at_latest: bool = False


def of_shares(shares: Sequence[tuple[Dating, int]]) -> Dating:
    """When most of the code appeared that a function is made of, or the function itself where that was before.

    Args:
        shares: The dating of each of its functions, the function itself first, and how long it is.
    """
    own = shares[0][0]
    half = sum(length for _, length in shares) / 2
    reached = 0
    # What has no date may be older than all.
    for each, length in sorted(shares, key=lambda share: share[0].first_seen or NO_DATE):
        reached += length
        if reached > half:
            earlier = own.first_seen is not None and (each.first_seen or NO_DATE) < own.first_seen
            return each if earlier else own
    return own


class Wanted:
    """The functions whose code is looked for.

    Args:
        fingerprints: By the caller's own key.
    """

    def __init__(self, fingerprints: Mapping[str, Fingerprint]) -> None:
        self._by_tree: dict[str, list[str]] = {}
        self._keys: list[str] = []
        self._sizes: list[int] = []
        having: dict[int, list[int]] = {}
        for key, each in fingerprints.items():
            self._by_tree.setdefault(each.tree, []).append(key)
            if len(each.shingles) >= _LEAST_SHINGLES:
                for shingle in each.shingles:
                    having.setdefault(shingle, []).append(len(self._keys))
                self._keys.append(key)
                self._sizes.append(len(each.shingles))
        # What the same functions have in common is counted at once, so that a thousand alike ones cost little.
        blocks: dict[tuple[int, ...], int] = {}
        self._block_of = {shingle: blocks.setdefault(tuple(places), len(blocks)) for shingle, places in having.items()}
        self._having = list(blocks)

    def held_by(self, found: Fingerprint) -> list[str]:
        """Keys of the functions whose code a function of an earlier version is, or nearly is."""
        held = dict.fromkeys(self._by_tree.get(found.tree, ()))
        size = len(found.shingles)
        if size >= _LEAST_SHINGLES:
            common = Counter(self._block_of[each] for each in found.shingles if each in self._block_of)
            shared: defaultdict[int, int] = defaultdict(int)
            for block, number in common.items():
                for place in self._having[block]:
                    shared[place] += number
            for place in sorted(shared):
                union = size + self._sizes[place] - shared[place]
                if shared[place] >= THRESHOLD * union:
                    held[self._keys[place]] = None
        return list(held)


class Held(NamedTuple):
    """What a version was seen to hold.

    Attributes:
        keys: Functions that it holds for certain.
        lacks_others: Whether it was read whole, so that it lacks all others; otherwise it may hold them.
    """

    keys: frozenset[str] = frozenset()
    lacks_others: bool = False


Look = Callable[[Released], Awaitable[Held]]


@dataclass(frozen=True, slots=True)
class _Group:
    """Functions of which the same is known.

    Attributes:
        keys: The functions.
        held: The earliest version that is known to hold them.
        open: Earlier versions that may hold them.
        lacking: Versions that were read and lack them.
    """

    keys: frozenset[str]
    held: int
    open: frozenset[int]
    lacking: frozenset[int] = frozenset()

    def told(self, place: int, seen: Held, under: Mapping[int, frozenset[int]]) -> Iterator[_Group]:
        """What is known after a version was read; `under` each that was read are those that lack what it lacks."""
        if kept := self.keys & seen.keys:
            yield self._with(kept, min(place, self.held), self.lacking, under)
        if others := self.keys - seen.keys:
            if seen.lacks_others:
                yield self._with(others, self.held, self.lacking | {place}, under)
            else:
                yield replace(self, keys=others)

    @staticmethod
    def _with(keys: frozenset[str], held: int, lacking: frozenset[int], under: Mapping[int, frozenset[int]]) -> _Group:
        # From a version after one that holds the code it was taken out, which tells nothing of those before.
        without = frozenset[int]().union(*(under[each] for each in lacking if each < held))
        return _Group(keys, held, frozenset(range(held)) - without, lacking)

    def next(self, past: int, seen: Collection[int]) -> int:
        """The version that is best read next; -1 where none would tell more.

        Args:
            past: How many of the versions are too old.
            seen: Those that were read, or cannot be.
        """
        unread = [place for place in self.open if place not in seen] if self.held >= past else []
        old = [place for place in unread if place < past]
        if old:
            # No other one is both later and higher.
            return max(old)
        low = min(self.open, default=0) - 1
        return min(unread, key=lambda place: (abs(2 * place - low - self.held), place), default=-1)


async def date_by_versions(
    keys: Sequence[str], earlier: Sequence[Released], current: Released, since: datetime, look: Look, most_looks: int
) -> dict[str, Dating]:
    """Find for each function the version in which its code appeared.

    Versions before `since` are read first, the last of each line: what one holds is too old, and when exactly it came
    does not matter. For the rest the version is found by halving, the largest groups first.

    Args:
        keys: The functions.
        earlier: Earlier versions, oldest first.
        current: The version that holds them all.
        since: Older code is of no use.
        look: Reads a version.
        most_looks: How many versions are read at most; what is left open is dated as early as it may be.
    """
    timeline = [*earlier, current]
    heights = [_height(each.version) for each in timeline]
    past = sum(each.at < since for each in earlier)
    groups: list[_Group] = [_Group(frozenset(keys), len(earlier), frozenset(range(len(earlier))))]
    seen: set[int] = set()
    under: dict[int, frozenset[int]] = {}
    while len(seen) < most_looks:
        choices = [(len(group.keys), group.held, place) for group in groups if (place := group.next(past, seen)) >= 0]
        if not choices:
            break
        place = max(choices)[-1]
        seen.add(place)
        held = await look(timeline[place])
        under[place] = frozenset(each for each in range(place + 1) if heights[each] <= heights[place])
        groups = [told for group in groups for told in group.told(place, held, under)]
    return {key: _dating(group, timeline, past, len(seen)) for group in groups for key in group.keys}


def _height(version: str) -> Version:
    """Where a version stands among the others; names that are no versions come from before there was an order."""
    try:
        return Version(version)
    except InvalidVersion:
        return Version("0.dev0")


def _dating(group: _Group, timeline: Sequence[Released], past: int, looks: int) -> Dating:
    if group.held < past:
        held = timeline[group.held]
        return Dating(_known(held.at), "release", held.version, "", looks, at_latest=True)
    place = min(group.open | {group.held})
    absent = max((each for each in group.lacking if each < place), default=-1)
    before = timeline[absent].version if absent >= 0 else ""
    return Dating(
        _known(timeline[place].at), "release", timeline[place].version, before, looks, at_latest=bool(group.open)
    )


def _known(date: datetime) -> datetime | None:
    return None if date == NO_DATE else date
