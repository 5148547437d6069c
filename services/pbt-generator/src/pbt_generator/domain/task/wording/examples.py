"""Which cases an instruction shows: those that leave the fewest readings open, real and plain ones first."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

# Longer cases are read by nobody.
SHOWN_CHARACTERS = 160
_LEAST, _MOST = 4, 12
# Real inputs that are shown where there are as many.
_REAL = 4
# Cases that are shown beside, for a kind of argument or result that none of the others has.
_UNSHOWN = 4
# What a case is worth that shows a way through the program which no other shows, in readings that it decides.
_WAY = 3.0
# What callers send, what is near it, and what neither is.
_REALITY = (2.0, 1.4, 1.0)
_ODD, _LONG = 0.15, 200
# A gain that is less than this share of what is to be decided is not worth a line, once there are so many.
_WORTH, _ENOUGH = 0.02, 8
_PLAIN = frozenset(" .,:;-_/+*=()[]{}\"'<>@#%&?!$|~^")


@dataclass(frozen=True)
class _Case:
    place: int
    arguments: str
    expected: str
    way: int
    rank: int

    @property
    def length(self) -> int:
        return len(self.arguments) + len(self.expected)

    @property
    def worth(self) -> float:
        """A factor: real inputs are worth more, odd characters and length make a case worth less."""
        return _REALITY[self.rank] / (1 + _ODD * odd(self.arguments)) / (1 + self.length / _LONG)

    @property
    def plainness(self) -> tuple[int, int, int, str]:
        """What callers send first, then what has few odd characters, then what is short."""
        return self.rank, odd(self.arguments), self.length, self.arguments


def examples(
    cases: Sequence[tuple[str, str, int]], rank: Sequence[int] = (), apart: Sequence[frozenset[int]] = ()
) -> list[tuple[str, str]]:
    """Cases to show, as long as they are short: together they decide between most readings, with every way among them.

    A reading is another program that some cases tell from the right one; who reads the examples cannot hold it when one
    of those is shown. Cases are taken one after the other, each the one that decides most for what it costs to read.

    Args:
        cases: Arguments and result as portable texts, and a number that cases of one way share.
        rank: How real the input of each is: 0 callers send it, 1 it is near such a one, 2 neither.
        apart: Per reading the places of the cases that tell it apart.

    Example:
        >>> examples([("[12]", "1", 0), ("[5]", "5", 0), ("[-1]", "0", 1)])
        [('[5]', '5'), ('[-1]', '0'), ('[12]', '1')]
    """
    short = [
        _Case(place, *case, rank[place] if place < len(rank) else 2)
        for place, case in enumerate(cases)
        if len(case[0]) + len(case[1]) <= SHOWN_CHARACTERS
    ]
    chosen = _deciding(short, apart)
    sent = sorted((case for case in short if case.rank == 0 and case not in chosen), key=lambda case: case.plainness)
    chosen += sent[: max(0, _REAL - sum(case.rank == 0 for case in chosen))]
    chosen += [case for case in short if case not in chosen][: max(0, _LEAST - len(chosen))]
    chosen += _unshown(short, chosen)
    return [(case.arguments, case.expected) for case in chosen]


def _deciding(cases: Sequence[_Case], apart: Sequence[frozenset[int]]) -> list[_Case]:
    """Cases that decide between readings and take every way, in the order of what they add."""
    undecided = [places for places in apart if any(case.place in places for case in cases)]
    untaken = {case.way for case in cases}
    total = len(undecided) + _WAY * len(untaken)
    left, chosen = sorted(cases, key=lambda case: case.plainness), list[_Case]()
    while (undecided or untaken) and len(chosen) < _MOST:
        gains = {case.place: _WAY * (case.way in untaken) for case in left}
        for places in undecided:
            for place in places & gains.keys():
                gains[place] += 1
        best = max(left, key=lambda case: gains[case.place] * case.worth)
        if not untaken and len(chosen) >= _ENOUGH and gains[best.place] < _WORTH * total:
            break
        left.remove(best)
        chosen.append(best)
        untaken.discard(best.way)
        undecided = [places for places in undecided if best.place not in places]
    return chosen


def decided(shown: Sequence[tuple[str, str]], cases: Sequence[tuple[str, str]], apart: Sequence[frozenset[int]]) -> int:
    """How many readings the shown examples tell from the right one.

    Example:
        >>> decided([("[1]", "1")], [("[0]", "0"), ("[1]", "1")], [frozenset({1}), frozenset({0})])
        1
    """
    given = set(shown)
    places = {place for place, case in enumerate(cases) if case in given}
    return sum(not places.isdisjoint(each) for each in apart)


def odd(text: str) -> int:
    r"""How many characters of a portable text a reader stumbles over: those of no plain text.

    Example:
        >>> odd('["two words"]'), odd('["a\\u0080 é\\n"]')
        (0, 3)
    """
    return sum(not (each.isascii() and each.isalnum()) and each not in _PLAIN for each in text)


def _unshown(cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """Cases that show what no chosen one does: a kind of argument or of result, empty or not."""
    shown = {kind for case in chosen for kind in _kinds(case)}
    found: list[_Case] = []
    for case in sorted(cases, key=lambda each: each.plainness):
        kinds = set(_kinds(case))
        if kinds - shown and len(found) < _UNSHOWN:
            shown |= kinds
            found.append(case)
    return found


def _kinds(case: _Case) -> Iterator[tuple[str, str, bool]]:
    given: Any = json.loads(case.arguments)
    named = isinstance(given, dict)
    values = cast("dict[str, Any]", given).items() if named else enumerate(cast("list[Any]", given))
    for place, value in [*((str(place), value) for place, value in values), ("result", json.loads(case.expected))]:
        yield place, type(value).__name__, bool(value)


__all__ = ["SHOWN_CHARACTERS", "decided", "examples", "odd"]
