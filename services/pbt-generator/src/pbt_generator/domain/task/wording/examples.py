"""Which cases an instruction shows: those that leave the fewest readings open, real and plain ones first."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import cast

from pbt_generator.domain.task.wording.suggestions import counterexamples, given, shows, texts_in

# Longer cases are read by nobody.
SHOWN_CHARACTERS = 160
# Where no shorter case shows a way, or that a result is more than an argument or always the same: more of them where
# hardly any case is short, since a way that no example takes is one that words alone would have to tell.
_LONGEST, _MOST_LONG, _MOST_OF_LONG = 1500, 2, 8
_LEAST, _MOST = 4, 14
# Real inputs that are shown where there are as many.
_REAL = 4
# Cases that are shown beside, for a kind of argument or look of a result that none of the others has, and against what
# the others lead a reader to believe.
_UNSHOWN, _AGAINST = 5, 3
# So many results at most are shown twice each.
_FEW = 4
# Cases that are shown beside, for values that decide.
_VALUES = 4
# What a case is worth that shows a way through the program which no other shows, in readings that it decides.
_WAY = 3.0
# What callers send, what is near it, and what neither is.
_REALITY = (2.0, 1.4, 1.0)
_ODD, _LONG = 0.3, 200
# How usual an input is: it holds what the words offer for a parameter, what has the form of that, it is ordinary, or
# neither.
OFFERED, ALIKE, ORDINARY, OTHER = 0, 1, 2, 3
_USUAL = (1.4, 1.3, 1.2, 1.0)
# Of each so many are shown where there are as many.
_OF_USUAL = (2, 1, 2)
# What a sign costs, and what an empty text and a blank at an end do; letters, digits and single blanks inside are free.
_SIGN, _EMPTY, _STRANGE = 0.25, 1.0, 1.0
# What a number costs that is beyond a million, or of so many decimals that nobody writes it; one below zero, that is
# not small, or no half.
_EXTREME, _LARGE, _DECIMALS = 0.5, 1_000_000, 3
_UNEVEN, _SMALL = 0.2, 1000


@dataclass(frozen=True)
class _Case:
    place: int
    arguments: str
    expected: str
    way: int
    rank: int
    usual: int = OTHER

    @property
    def length(self) -> int:
        return len(self.arguments) + len(self.expected)

    @property
    def worth(self) -> float:
        """A factor: real inputs are worth more, odd characters and length make a case worth less."""
        return _REALITY[self.rank] * _USUAL[self.usual] / (1 + _ODD * self.cost) / (1 + self.length / _LONG)

    @cached_property
    def cost(self) -> float:
        """What its arguments cost to read."""
        return odd(self.arguments)

    @property
    def plainness(self) -> tuple[bool, int, int, float, int, str]:
        """What words offer and callers send first, then what is ordinary, has few odd characters, and is short."""
        inferred = self.rank > 0 and self.usual > ALIKE
        return inferred, self.usual, self.rank, self.cost, self.length, self.arguments


def examples(
    cases: Sequence[tuple[str, str, int]],
    rank: Sequence[int] = (),
    apart: Sequence[frozenset[int]] = (),
    values: Sequence[object] = (),
    usual: Sequence[int] = (),
) -> list[tuple[str, str]]:
    """Cases to show, as long as they are short: together they decide between most readings, with every way among them.

    The plainest readings, that an argument is given back and that the result is always the same, are among them. What
    no short case shows, one of the shortest others does.

    A reading is another program that some cases tell from the right one; who reads the examples cannot hold it when one
    of those is shown. Cases are taken one after the other, each the one that decides most for what it costs to read; a
    value that decides and that none of them holds gets the plainest one that does. The plainest stand first.

    Args:
        cases: Arguments and result as portable texts, and a number that cases of one way share.
        rank: How real the input of each is: 0 callers send it, 1 it is near such a one, 2 neither.
        apart: Per reading the places of the cases that tell it apart.
        values: Texts and numbers that decide.
        usual: How usual the input of each is: `OFFERED`, `ALIKE`, `ORDINARY` or `OTHER`.

    Example:
        >>> examples([("[12]", "1", 0), ("[5]", "5", 0), ("[-1]", "0", 1)])
        [('[5]', '5'), ('[12]', '1'), ('[-1]', '0')]
    """
    every = [
        _Case(place, *case, rank[place] if place < len(rank) else 2, usual[place] if place < len(usual) else OTHER)
        for place, case in enumerate(cases)
    ]
    plain = _plain_readings(every)
    short = _readable(every, [*plain, *apart])
    chosen = _deciding(short, apart, plain)
    sent = sorted((case for case in short if case.rank == 0 and case not in chosen), key=lambda case: case.plainness)
    chosen += sent[: max(0, _REAL - sum(case.rank == 0 for case in chosen))]
    rest = sorted((case for case in short if case not in chosen), key=lambda case: case.plainness)
    chosen += rest[: max(0, _LEAST - len(chosen))]
    chosen += _usual(short, chosen)
    chosen += _holding(values, short, chosen)
    chosen += _unshown(short, chosen)
    chosen += _against(short, chosen)
    chosen += _again(short, chosen)
    chosen.sort(key=lambda case: case.plainness)
    return [(case.arguments, case.expected) for case in chosen]


def _usual(cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """Inputs that words offer and ordinary ones, where few are among the chosen; those of other results first."""
    found: list[_Case] = []
    for usual, most in enumerate(_OF_USUAL):
        for _ in range(most - sum(case.usual == usual for case in chosen)):
            shown = {case.expected for case in (*chosen, *found)}
            left = [case for case in cases if case.usual == usual and case not in chosen and case not in found]
            if left:
                found.append(min(left, key=lambda case: (case.expected in shown, case.plainness)))
    return found


def _plain_readings(cases: Sequence[_Case]) -> list[frozenset[int]]:
    """What tells a function from one that gives back an argument, or always the same: the places of such cases."""
    values = [_given(case) for case in cases]
    places = dict.fromkeys(place for each in values for place in each)
    results = Counter(case.expected for case in cases)
    usual = max(results, key=lambda text: (results[text], text), default="")
    found = [
        *(
            frozenset(c.place for c, each in zip(cases, values, strict=True) if each.get(at) != c.expected)
            for at in places
        ),
        frozenset(case.place for case in cases if case.expected != usual),
    ]
    return [each for each in found if each]


def _given(case: _Case) -> dict[str, str]:
    """The arguments of a case as texts, by name or place."""
    values = given(case.arguments).items()
    return {place: json.dumps(value, ensure_ascii=False, separators=(",", ":")) for place, value in values}


def _readable(cases: Sequence[_Case], readings: Sequence[frozenset[int]]) -> list[_Case]:
    """The short cases, and a few of the others for ways that no short one shows and readings that none decides."""
    short = [case for case in cases if case.length <= SHOWN_CHARACTERS]
    long = sorted((case for case in cases if SHOWN_CHARACTERS < case.length <= _LONGEST), key=lambda case: case.length)
    known = {case.place for case in short}
    wanted = [each for each in readings if not each & known]
    wanted += [
        frozenset(case.place for case in cases if case.way == way)
        for way in dict.fromkeys(case.way for case in long)
        if all(case.way != way for case in short)
    ]
    added: dict[int, _Case] = {}
    most = _MOST_LONG if len(short) >= _LEAST else _MOST_OF_LONG
    for places in wanted:
        if len(added) < most and places.isdisjoint(added):
            added |= {case.place: case for case in [*(each for each in long if each.place in places)][:1]}
    return [*short, *added.values()]


def _deciding(cases: Sequence[_Case], apart: Sequence[frozenset[int]], plain: Sequence[frozenset[int]]) -> list[_Case]:
    """Cases that decide between readings and take every way, in the order of what they add."""
    undecided = [places for places in apart if any(case.place in places for case in cases)]
    untaken = {case.way for case in cases}
    unshown: list[frozenset[int]] = [places for places in plain if any(case.place in places for case in cases)]
    left, chosen = sorted(cases, key=lambda case: case.plainness), list[_Case]()
    while (undecided or untaken or unshown) and len(chosen) < _MOST:
        gains = {
            case.place: _WAY * ((case.way in untaken) + sum(case.place in places for places in unshown))
            for case in left
        }
        for places in undecided:
            for place in places & gains.keys():
                gains[place] += 1
        best = max(left, key=lambda case: gains[case.place] * case.worth)
        left.remove(best)
        chosen.append(best)
        untaken.discard(best.way)
        unshown = [places for places in unshown if best.place not in places]
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


def odd(text: str) -> float:
    r"""What the texts of a portable text cost a reader: signs, characters of no plain text, nothing, blanks at an end.

    Example:
        >>> odd('["two words", 5]'), odd('[""]'), odd('[" a"]'), odd('["a.b"]'), odd('["\\u0080 é"]')
        (0.0, 1.0, 1.0, 0.25, 2.0)
    """
    value = json.loads(text)
    return sum(map(_cost, texts_in(value, keys=True)), 0.0) + sum(map(_cost_of_number, _numbers_in(value)))


def _cost_of_number(number: float) -> float:
    if abs(number) > _LARGE or round(number, _DECIMALS) != number:
        return _EXTREME
    return 0.0 if 0 <= number <= _SMALL and number * 2 % 1 == 0 else _UNEVEN


def _numbers_in(value: object) -> Iterator[float]:
    match value:
        case bool():
            pass
        case int() | float():
            yield value
        case list():
            for held in cast("list[object]", value):
                yield from _numbers_in(held)
        case dict():
            for held in cast("dict[str, object]", value).values():
                yield from _numbers_in(held)
        case _:
            pass


def _cost(text: str) -> float:
    if not text:
        return _EMPTY
    ends = (text[0].isspace() or text[-1].isspace()) * _EMPTY
    inner = text.strip(" ")
    plain = (each for each in inner if not (each.isascii() and each.isalnum()) and each != " ")
    signs = sum(_SIGN if each.isascii() and each.isprintable() else _STRANGE for each in plain)
    return ends + signs + inner.count("  ") * _EMPTY


def _holding(values: Sequence[object], cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """The plainest case for each value that none of the chosen ones holds, where one of the cases does."""
    found: list[_Case] = []
    for value in values:
        told = str(value)
        if len(found) == _VALUES:
            break
        if not told.strip() or any(_holds(case, value) for case in (*chosen, *found)):
            continue
        holding = [case for case in cases if _holds(case, value)]
        found += [min(holding, key=lambda case: case.plainness)] if holding else []
    return found


def _holds(case: _Case, value: object) -> bool:
    """Whether a text of a case holds a text, or a case a number."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)[1:-1] in f"{case.arguments} {case.expected}"
    return re.search(rf"(?<![\w.]){re.escape(str(value))}(?![\w.])", f"{case.arguments} {case.expected}") is not None


def _unshown(cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """Cases that show what no chosen one does: a kind of argument or of result, empty or not, or a look of a result."""
    shown = {each for case in chosen for each in shows(case.arguments, case.expected)}
    found: list[_Case] = []
    for case in sorted(cases, key=lambda each: each.plainness):
        shows_more = {*shows(case.arguments, case.expected)} - shown
        if shows_more and len(found) < _UNSHOWN:
            shown |= shows_more
            found.append(case)
    return found


def _again(cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """Of few results, a second case for each that one alone shows: what they have in common is the rule."""
    results = Counter(case.expected for case in cases)
    shown = Counter(case.expected for case in chosen)
    found: list[_Case] = []
    for result in sorted(results) if len(results) <= _FEW else ():
        others = [case for case in cases if case.expected == result and case not in chosen]
        if shown[result] == 1 and others:
            found.append(min(others, key=lambda case: case.plainness))
    return found


def _against(cases: Sequence[_Case], chosen: Sequence[_Case]) -> list[_Case]:
    """The plainest cases against what the chosen ones lead a reader to believe."""
    written = [(case.arguments, case.expected) for case in cases]
    found: list[_Case] = []
    for places in counterexamples([(case.arguments, case.expected) for case in chosen], written):
        against = [cases[place] for place in places]
        if len(found) < _AGAINST and not any(case in found for case in against):
            found.append(min(against, key=lambda case: case.plainness))
    return found


__all__ = ["ALIKE", "OFFERED", "ORDINARY", "OTHER", "SHOWN_CHARACTERS", "decided", "examples", "odd"]
