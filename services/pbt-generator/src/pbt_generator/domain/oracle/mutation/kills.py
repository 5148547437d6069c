"""What is known of mutants and the inputs that tell them from the ground truth."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from pbt_generator.domain.oracle.mutation.mutant import KEPT, Mutant
from pbt_generator.domain.oracle.probes import Goal
from pbt_generator.domain.oracle.runs import Exploration, Run

# A mutant has so many killers wanted, so that the suite does not hang on one case.
KILLERS = 4


@dataclass(frozen=True)
class Exclusion:
    """Why a surviving mutant may be the ground truth over again.

    Attributes:
        kind: A `proof` holds for every input and takes the mutant out of the score. `evidence` is what runs showed: it
            explains a survivor to a reader and leaves the score as it is.
        reason: In words.
    """

    kind: Literal["proof", "evidence"]
    reason: str


@dataclass
class KillMatrix:
    """Mutants against inputs.

    Attributes:
        mutants: All mutants of the ground truth.
        killers: Per mutant the texts of inputs that kill it.
        tried: Per mutant on how many inputs it was run.
        infected: Per surviving mutant the texts of inputs on which its place gave another value.
        came: Per surviving mutant how many inputs came to its place.
        proofs: Mutants that are proved to give what the ground truth gives, with the reason.
        dead: Those of them whose line no input reaches.
        unfinished: Mutants that took more steps than were granted, on some input that killed nothing, or whose runs
            left the ground truth other than it was.
        others: Per wrong program that is no mutant the texts of inputs that tell it from the ground truth.
    """

    mutants: tuple[Mutant, ...]
    killers: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    tried: dict[int, int] = field(default_factory=dict[int, int])
    infected: dict[int, set[str]] = field(default_factory=dict[int, set[str]])
    came: dict[int, int] = field(default_factory=dict[int, int])
    proofs: dict[int, str] = field(default_factory=dict[int, str])
    dead: set[int] = field(default_factory=set[int])
    unfinished: set[int] = field(default_factory=set[int])
    others: tuple[frozenset[str], ...] = ()

    def prove(self, mutant: int, reason: str, *, dead: bool = False) -> None:
        """Take in a proof."""
        self.proofs[mutant] = reason
        if dead:
            self.dead.add(mutant)

    def add(self, mutant: int, killers: Iterable[str], tried: int) -> None:
        """Take in the outcome of running one mutant; what kills it refutes a proof."""
        found = set(killers)
        self.killers.setdefault(mutant, set()).update(found)
        self.tried[mutant] = self.tried.get(mutant, 0) + tried
        if found:
            self.proofs.pop(mutant, None)

    def watch(self, mutant: Mutant, infected: Iterable[str], came: int) -> None:
        """Take in on which inputs the place of a mutant gave another value; a run may refute a proof."""
        self.came[mutant.number] = self.came.get(mutant.number, 0) + came
        self.infected.setdefault(mutant.number, set()).update(infected)
        differed = bool(self.infected[mutant.number]) and not mutant.of_result
        if (mutant.number in self.dead and self.came[mutant.number]) or (mutant.proof and differed):
            self.dead.discard(mutant.number)
            self.proofs.pop(mutant.number, None)

    def refute(self, lines: Collection[int]) -> None:
        """Take back that no input reaches the lines of mutants: a run came to where these lines stand."""
        for mutant in self.mutants:
            if mutant.number in self.dead and mutant.line in lines:
                self.dead.discard(mutant.number)
                self.proofs.pop(mutant.number, None)

    def survivors(self) -> list[Mutant]:
        """Mutants that nothing has killed and no proof excludes."""
        return [mutant for mutant in self.counted() if not self.killers.get(mutant.number)]

    def readings(self, *, alive: bool = False) -> list[Mutant]:
        """Mutants that are readings and not proved to be the ground truth: all, or those that nothing killed."""
        found = [mutant for mutant in self.mutants if mutant.reading and mutant.number not in self.proofs]
        return [mutant for mutant in found if not (alive and self.killers.get(mutant.number))]

    def exclusion(self, mutant: Mutant) -> Exclusion | None:
        """Why a mutant that nothing killed may be equivalent; None when nothing says so."""
        if mutant.number in self.proofs:
            return Exclusion("proof", self.proofs[mutant.number])
        if mutant.number in self.unfinished:
            return Exclusion(
                "evidence", "it took too many steps, or its runs hang on one another, which does not show that it fails"
            )
        infected, came = len(self.infected.get(mutant.number, ())), self.came.get(mutant.number, 0)
        if infected:
            return Exclusion("evidence", f"its place gave another value on {infected} inputs, without any effect")
        if came:
            return Exclusion("evidence", f"its place never gave another value on {came} inputs")
        return None

    def counted(self) -> list[Mutant]:
        """Mutants that count for the score: all but the proved ones, and those that are another language's reading."""
        return [mutant for mutant in self.mutants if not mutant.reading and mutant.number not in self.proofs]

    def killed(self, texts: frozenset[str] | None = None) -> list[Mutant]:
        """Mutants killed by any input, or by the given ones."""
        return [
            mutant
            for mutant in self.counted()
            if self.killers.get(mutant.number) and (texts is None or self.killers[mutant.number] & texts)
        ]

    def score(self, texts: frozenset[str] | None = None) -> float:
        """Share of the counted mutants killed by any input, or by the given ones.

        0.0 when none counts: where nothing was tried, nothing is shown.
        """
        return _share(self.killed(texts), self.counted())

    def least_score(self, texts: frozenset[str] | None = None) -> float:
        """The score, or that of the mutants in code alone where it is lower.

        Entries of a large table are easily told apart, and make up for nothing that survives in the code around it.
        """
        counted, killed = self.counted(), self.killed(texts)
        code, told = ([each for each in mutants if each.operator != KEPT] for mutants in (counted, killed))
        return min(_share(killed, counted), _share(told, code) if code else 1.0)


def _share(killed: Sequence[Mutant], counted: Sequence[Mutant]) -> float:
    return len(killed) / len(counted) if counted else 0.0


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


def of_other_kinds(known: Sequence[Run], runs: Sequence[Run], count: int) -> list[Run]:
    """So many runs, the shortest, each with a kind of value at some depth of an argument that none before it has.

    Args:
        known: Runs whose kinds are there already.
        runs: Where to look.
        count: Most runs.
    """
    met = set[tuple[object, ...]]().union(*(_kinds_of(run.given) for run in known))
    found: list[Run] = []
    for run in sorted(runs, key=lambda run: (run.strange, len(run.text), run.text)):
        if len(found) >= count:
            break
        kinds = _kinds_of(run.given)
        if not kinds <= met:
            found.append(run)
            met |= kinds
    return found


def _kinds_of(value: object, place: tuple[object, ...] = ()) -> set[tuple[object, ...]]:
    """Kinds of the parts of a value, each with the argument that it lies in, how deep, and whether it is empty."""
    found: set[tuple[object, ...]] = {(*place, type(value).__name__, not value)}
    if isinstance(value, (list, tuple, set, frozenset, dict)):
        parts = cast("Iterable[object]", value.values() if isinstance(value, dict) else value)  # pyright: ignore[reportUnknownMemberType]
        for number, part in enumerate(parts):
            found |= _kinds_of(part, (*place, number if not place else "in"))
    return found
