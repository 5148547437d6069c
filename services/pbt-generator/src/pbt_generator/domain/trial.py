"""Tasks solved blind: what several independent solutions say of a task, beside what its ground truth says.

A solution that differs from the ground truth is wrong, or was not told enough. Two that agree with each other, and not
with the ground truth, point at an input which the instruction leaves open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from touchstone_values import MalformedValueError, compare

Standing = Literal["solved", "open", "hard", "unanswered"]
Comparison = Literal["portable", "exact"]
# Inputs that are listed; all are counted.
_LISTED = 20
# Results longer than this, and than twice what is expected, are not read: that takes memory and time which whoever
# wrote the solution would choose.
_LONGEST = 1 << 17


@dataclass(frozen=True)
class Attempt:
    """One solution: its program (empty where the model gave none), and per case what it returned, or None."""

    code: str
    returned: tuple[str | None, ...]


@dataclass(frozen=True)
class Point:
    """An input on which solutions agree with each other and not with the ground truth.

    Attributes:
        case: Its number in the suite.
        arguments: The input, a portable text.
        expected: What the ground truth gives.
        given: What the solutions give.
        solutions: How many of them do.
    """

    case: int
    arguments: str
    expected: str
    given: str
    solutions: int


@dataclass(frozen=True)
class Trial:
    """What a model's solutions say of a task.

    Attributes:
        task_id: The task.
        model: Who solved it.
        asked: Solutions that were asked for.
        answered: Those that are programs.
        solved: Those that give what the ground truth gives on every case.
        points: The first inputs on which two agree against the ground truth.
        pointed: How many such inputs there are.
    """

    task_id: str
    model: str
    asked: int
    answered: int
    solved: int
    points: tuple[Point, ...] = ()
    pointed: int = 0

    @property
    def standing(self) -> Standing:
        """`open` where two agree against the ground truth, `solved` where one passes, else `hard`."""
        if not self.answered:
            return "unanswered"
        if self.pointed:
            return "open"
        return "solved" if self.solved else "hard"

    @property
    def words(self) -> str:
        """How many of how many solutions pass; what was asked for and not answered is none."""
        return f"{self.solved}/{self.answered}"

    def to_dict(self) -> dict[str, Any]:
        """The record as data."""
        return asdict(self) | {"standing": self.standing}


def judge(
    task_id: str, model: str, attempts: Sequence[Attempt], cases: Sequence[tuple[str, str]], comparison: Comparison
) -> Trial:
    """What solutions say of a task.

    Args:
        task_id: The task.
        model: Who solved it.
        attempts: Independent solutions.
        cases: Arguments and expected result of each case, as portable texts.
        comparison: How results are compared.
    """
    answered = [attempt for attempt in attempts if attempt.code]
    wrong = [
        [place for place, given in enumerate(attempt.returned) if not _solves(cases[place][1], given, comparison)]
        for attempt in answered
    ]
    points: list[Point] = []
    for place, (arguments, expected) in enumerate(cases):
        differing = [
            given
            for attempt, places in zip(answered, map(set, wrong), strict=True)
            if place in places and (given := attempt.returned[place]) is not None and len(given) <= _longest(expected)
        ]
        given, count = _most_agreed(differing, comparison)
        if count >= 2:
            points.append(Point(place, arguments, expected, given, count))
    points.sort(key=lambda point: (-point.solutions, len(point.arguments), point.case))
    solved = sum(not places for places in wrong)
    return Trial(task_id, model, len(attempts), len(answered), solved, tuple(points[:_LISTED]), len(points))


def _most_agreed(given: Sequence[str], comparison: Comparison) -> tuple[str, int]:
    """The result that most of them share, and how many do."""
    counts = [(sum(_same(each, other, comparison) for other in given), each) for each in given]
    return max(((each, count) for count, each in counts), key=lambda pair: pair[1], default=("", 0))


def _solves(expected: str, given: str | None, comparison: Comparison) -> bool:
    """Whether a solution gives what the ground truth gives; its words to the letter are, however many they are."""
    if given is None or given == expected:
        return given == expected
    return len(given) <= _longest(expected) and _same(expected, given, comparison)


def _longest(expected: str) -> int:
    """Characters of the longest result that is read where this one is expected."""
    return max(_LONGEST, 2 * len(expected))


def _same(expected: str, given: str, comparison: Comparison) -> bool:
    try:
        return compare(expected, given, comparison) is None
    except MalformedValueError:
        # What a solution returned came over a channel that it shares.
        return False


__all__ = ["Attempt", "Point", "Standing", "Trial", "judge"]
