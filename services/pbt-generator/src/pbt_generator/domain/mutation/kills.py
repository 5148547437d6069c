"""What is known of mutants and the inputs that tell them from the ground truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pbt_generator.domain.mutation.mutants import Mutant
from pbt_generator.domain.search.exploration import Exploration, Run
from pbt_generator.domain.search.instrument import Goal

# A mutant whose place differed on so many inputs without any effect on the result is taken for equivalent.
EVIDENCE = 30
# On so many of these inputs the result must have hung on the mutant's line: another mutant there changed it. Where a
# line has no mutant that was ever killed, or where both ways on from a test that leaves gave the same each time,
# nothing is known of that, and more inputs are asked for.
FELT = 12
_UNFELT = 4
# How many of its neighbours a mutant is compared with, and on how many inputs.
SIBLINGS = 3
COMPARED = 90
# Likewise one whose place was reached on so many inputs and never gave another value than the original's; boundaries,
# constants of comparisons and parts of conditions are not taken for that, since they differ on few values that chance
# may miss.
UNMOVED = 250
_RARE = {"boundary", "limit", "number", "constant", "operand", "connective"}
# These differ at the limit alone, and turn the test there: what the test decides is what its neighbours decide too.
AT_LIMIT = {"boundary", "limit"}
# So many inputs on either side of a limit, one off it, and none at it: the values step over it, as even numbers do 9.
BESIDE = 10
# What differs on few values, or on nearly all, must show no effect on more inputs than that.
_WANTED = {"boundary": 2, "limit": 2, "number": 2, "constant": 4, "leave out": 4}
# A mutant has so many killers wanted, so that the suite does not hang on one case.
KILLERS = 4


@dataclass
class KillMatrix:
    """Mutants against inputs.

    Attributes:
        mutants: All mutants tried.
        killers: Per mutant the texts of inputs that kill it.
        tried: Per mutant on how many inputs it was run.
        infected: Per surviving mutant the texts of inputs on which its place gave another value.
        came: Per surviving mutant how many inputs came to its place.
        proved: Mutants that cannot matter, with the reason: their place is never reached, or they were tried on every
            input that comes to it.
        dead: Those of them whose line no input reaches.
        guards: Lines of tests whose arm leaves.
        jumped: Mutants that differ at a limit which values step over.
    """

    mutants: tuple[Mutant, ...]
    killers: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    tried: dict[int, int] = field(default_factory=dict[int, int])
    infected: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    came: dict[int, int] = field(default_factory=dict[int, int])
    proved: dict[int, str] = field(default_factory=dict[int, str])
    dead: set[int] = field(default_factory=set[int])
    guards: frozenset[int] = frozenset()
    jumped: set[int] = field(default_factory=set[int])

    def add(self, mutant: int, killers: Iterable[str], tried: int) -> None:
        """Take in the outcome of running one mutant."""
        self.killers.setdefault(mutant, set()).update(killers)
        self.tried[mutant] = self.tried.get(mutant, 0) + tried

    def survivors(self) -> list[Mutant]:
        """Mutants that nothing has killed."""
        return [mutant for mutant in self.mutants if not self.killers.get(mutant.number)]

    def equivalent(self) -> list[Mutant]:
        """Survivors shown equivalent, by proof or by evidence; see `shown`."""
        return [mutant for mutant in self.survivors() if self.shown(mutant)]

    def shown(self, mutant: Mutant) -> bool:
        """Whether a survivor is shown equivalent."""
        if mutant.number in self.proved or mutant.number in self.jumped:
            return True
        infected = len(self.infected.get(mutant.number, ()))
        if infected == 0:
            return self.came.get(mutant.number, 0) >= UNMOVED and mutant.operator not in _RARE
        wanted = _WANTED.get(mutant.operator, 1) * EVIDENCE
        if mutant.operator in AT_LIMIT:
            return infected >= wanted
        siblings = self.siblings(mutant)
        if infected >= wanted * _UNFELT and (not siblings or mutant.line in self.guards):
            return True
        felt = set[str]().union(*(self.killers[sibling.number] for sibling in siblings))
        return infected >= wanted and len(self.infected[mutant.number] & felt) >= FELT

    def siblings(self, mutant: Mutant) -> list[Mutant]:
        """Killed mutants of the same line, those with the most killers first: they tell where the line matters."""
        same = [other for other in self.mutants if other.line == mutant.line and self.killers.get(other.number)]
        same.sort(key=lambda other: (-len(self.killers[other.number]), other.number))
        return same[:SIBLINGS]

    def refuted(self, mutant: Mutant) -> bool:
        """Whether runs contradict a proof: one came to a line that none reaches, or its place gave another value."""
        came = self.came.get(mutant.number, 0) > 0
        differed = bool(self.infected.get(mutant.number))
        return (mutant.number in self.dead and came) or (bool(mutant.proof) and differed)

    def counted(self) -> list[Mutant]:
        """Mutants that count for the score."""
        left_out = {mutant.number for mutant in self.equivalent()}
        return [mutant for mutant in self.mutants if mutant.number not in left_out]

    def score(self, texts: frozenset[str] | None = None) -> float:
        """Share of the counted mutants killed by any input, or by the given ones; 1.0 when none counts."""
        counted = self.counted()
        if not counted:
            return 1.0
        killed = sum(
            1
            for mutant in counted
            if self.killers.get(mutant.number) and (texts is None or self.killers[mutant.number] & texts)
        )
        return killed / len(counted)


def exhausted(mutant: Mutant, names: Sequence[str], infected: Sequence[Sequence[object]]) -> str:
    """Whether a surviving mutant was tried on every input that it could matter for; the reason, or empty.

    A mutant that reads only parameters, and that differed only where these are empty values or single constants, has no
    other inputs to differ on than those: for a function of these parameters alone that is all of them, and for one with
    further parameters several of each must have been tried.

    Args:
        mutant: The mutant.
        names: Names of all parameters, in order.
        infected: The inputs on which its place gave another value.
    """
    if mutant.reads is None or not infected or not mutant.reads <= set(names):
        return ""
    places = [names.index(name) for name in sorted(mutant.reads)]
    values = {repr([given[place] for place in places]) for given in infected}
    if mutant.operator in {"boundary", "limit", "number"} and len(values) <= 2 and len(places) == len(names) == 1:
        return "it differs only for single values of the one argument, and these were tried"
    if not all(_empty(given[place]) for given in infected for place in places):
        return ""
    if len(places) == len(names):
        return "it differs only for empty arguments, and all of these were tried"
    return (
        "it differs only for empty arguments, which were tried with many others"
        if len(infected) >= 8 * len(values)
        else ""
    )


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, (str, int, float, list, dict, tuple, set, bytes)) and not value)


def reachers(exploration: Exploration, mutant: Mutant, runs: Sequence[Run]) -> list[Run]:
    """The runs that came to a mutant's line, as far as the goals tell; all of them when the goals do not tell."""
    near = _nearest(exploration.program.branches, mutant.line)
    if not near:
        return list(runs)
    return [run for run in runs if run.goals & near] or list(runs)


def _nearest(branches: Sequence[Goal], line: int) -> frozenset[int]:
    """Outcomes of the last test at or before a line: a run that came past it has one of them."""
    before = [goal for goal in branches if goal.line <= line]
    if not before:
        return frozenset()
    last = max(goal.line for goal in before)
    return frozenset(goal.number for goal in before if goal.line == last)


def diverse(runs: Sequence[Run], count: int) -> list[Run]:
    """So many runs that differ in the goals they reach and in their results, rare ones first."""
    groups: dict[tuple[frozenset[int], int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.goals, run.mark), []).append(run)
    frequency: dict[frozenset[int], int] = {}
    for goals, _ in groups:
        frequency[goals] = frequency.get(goals, 0) + 1
    ordered = sorted(groups.items(), key=lambda item: (frequency[item[0][0]], len(item[1]), item[1][0].text))
    queues: dict[frozenset[int], list[list[Run]]] = {}
    for (goals, _), members in ordered:
        queues.setdefault(goals, []).append(members)
    chosen: list[Run] = []
    while len(chosen) < count and queues:
        for goals in list(queues):
            members = queues[goals][0]
            chosen.append(members.pop(0))
            queues[goals].pop(0)
            if members:
                queues[goals].append(members)
            if not queues[goals]:
                del queues[goals]
            if len(chosen) >= count:
                break
    return chosen
