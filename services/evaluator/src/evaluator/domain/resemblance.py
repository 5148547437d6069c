"""Which mutants of the ground truth a wrong answer resembles: those that fail the same cases, best in the same way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from evaluator.domain.tasks import Verdict

# Of the cases that answer or mutant fail, the share that both must fail before anything is claimed.
NEAR = 0.8
# Mutants that are named where several are as near as the nearest.
MOST = 3
# A run, a task, and the number of an answer to it.
AnswerPlace = tuple[str, str, int]


@dataclass(frozen=True)
class KillPattern:
    """A mutant of a ground truth, and how it fails the suite.

    Attributes:
        line: Line of the ground truth that it changes.
        change: What became what, for people.
        cases: Cases of the suite.
        passed: Cases that it passes.
        failures: (case index, outcome, detail) of the first failed cases, in their order.
    """

    line: int
    change: str
    cases: int
    passed: int
    failures: tuple[tuple[int, str, str], ...]


@dataclass(frozen=True)
class Resemblance:
    """A mutant that fails as an answer does.

    Attributes:
        line: Line of the ground truth that it changes.
        change: What became what, for people.
        shared: Cases that both fail.
        either: Cases that at least one of them fails.
        alike: Of the shared ones those on which both did the same.
        compared: Cases that this was looked at on, from the first one: fewer than all where a verdict names only the
            first of its failed cases.
        cases: Cases of the suite.
    """

    line: int
    change: str
    shared: int
    either: int
    alike: int
    compared: int
    cases: int

    @property
    def how(self) -> str:
        """How near it is, in words.

        Example:
            >>> Resemblance(3, "a < b → a <= b", 11, 12, 10, 40, 90).how
            'the same 11 of 12 failed cases, 10 with the same result; of the first 40 cases'
        """
        same = f"the same {self.shared} of {self.either} failed {'case' if self.either == 1 else 'cases'}"
        alike = "all" if self.alike == self.shared > 1 else self.alike or "none"
        where = "" if self.compared == self.cases else f"; of the first {self.compared} cases"
        return f"{same}, {alike} with the same result{where}"


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that fails cases of its task's own suite: where it stands, what it is, and how it was judged last."""

    place: AnswerPlace
    solution_id: str
    verdict: Verdict


def nearest(verdict: Verdict, patterns: Iterable[KillPattern]) -> tuple[Resemblance, ...]:
    """The mutants whose failed cases are nearest to a wrong answer's; none where none is near.

    Near is a Jaccard index of at least `NEAR` over the failed cases. Of mutants that are equally near in it, those come
    first that did the same on more of the shared cases. Programs that are wrong almost everywhere fail the same cases
    for any reason: an answer that fails more than half of what is compared resembles only what also gives the same on a
    share of at least `NEAR`.

    Args:
        verdict: The answer's, on the task's own suite.
        patterns: The mutants'.

    Returns:
        The nearest ones, those that are equally near, at most `MOST`.
    """
    found = [
        each
        for pattern in patterns
        if pattern.cases == verdict.cases and (each := _compared(verdict, pattern)) is not None
    ]
    found.sort(key=lambda each: (*_distance(each), each.line, each.change))
    return tuple(each for each in found if _distance(each) == _distance(found[0]))[:MOST]


def _distance(each: Resemblance) -> tuple[float, float]:
    return -each.shared / each.either, -each.alike / each.shared


def _compared(verdict: Verdict, pattern: KillPattern) -> Resemblance | None:
    """How near a mutant is; None where it is not near."""
    upto = min(_known(each.cases, each.passed, each.failures) for each in (verdict, pattern))
    ours = {index: done for index, *done in verdict.failures if index < upto}
    theirs = {index: done for index, *done in pattern.failures if index < upto}
    shared, either = ours.keys() & theirs.keys(), ours.keys() | theirs.keys()
    alike = sum(ours[index] == theirs[index] for index in shared)
    telling = len(shared) if 2 * len(ours) <= upto else alike
    if not shared or telling < NEAR * len(either):
        return None
    return Resemblance(pattern.line, pattern.change, len(shared), len(either), alike, upto, verdict.cases)


def _known(cases: int, passed: int, failures: Sequence[tuple[int, str, str]]) -> int:
    """Of how many cases, from the first one, a verdict tells which fail: of all, or up to the last that it names."""
    whole = cases - passed <= len(failures)
    return cases if whole or not failures else failures[-1][0] + 1
