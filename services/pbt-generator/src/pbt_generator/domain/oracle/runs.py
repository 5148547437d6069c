"""What has been run, which goals were reached, and what the comparisons saw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pbt_generator.domain.oracle.probes import Goal, Instrumented

RETURNED = 0
RAISED = 1
TOO_LONG = 2
# How many cases every goal should have.
ENOUGH = 3
# Longest result of a case, in characters.
MAX_RESULT = 20_000


# One value for each parameter, a tuple of values for `*args`.
Input = tuple[object, ...]


@dataclass(frozen=True)
class Operands:
    """One comparison as it was seen.

    Attributes:
        site: number of the comparison in the program.
        op: operator or method: "==", "<", "in", "startswith", "key" …
        left: left operand or receiver, a plain value.
        right: right operand or argument, a plain value.
    """

    site: int
    op: str
    left: object
    right: object


@dataclass(frozen=True)
class Run:
    """One input and what calling the ground truth with it did.

    Attributes:
        given: The input.
        text: Its JSON text in the portable form.
        status: RETURNED, RAISED or TOO_LONG.
        goals: Numbers of the goals reached.
        seen: Operands of comparisons whose goals were still open.
        mark: Hash of the result; equal results have equal marks.
        portability: 0 five languages share the result, 1 Python's codec has it, 2 it cannot leave the sandbox.
        note: Type of the result, or of the error with its words.
        steps: Loop rounds and calls that it took.
        size: Length of the result's text.
        strange: Some argument is of another kind than its parameter's shape.
    """

    given: Input
    text: str
    status: int
    goals: frozenset[int]
    seen: tuple[Operands, ...]
    mark: int
    portability: int
    note: str
    steps: int
    size: int
    strange: bool = False


@dataclass
class Exploration:
    """Everything that was run on one function.

    Args:
        program: The instrumented program's goals.
        highest_portability: 0 for SC, 1 for WSC: results above it are no cases.
    """

    program: Instrumented
    highest_portability: int
    runs: list[Run] = field(default_factory=list[Run])
    returned: list[Run] = field(default_factory=list[Run])
    strange: list[Run] = field(default_factory=list[Run])
    raised: list[Run] = field(default_factory=list[Run])
    texts: set[str] = field(default_factory=set[str])
    reached: Counter[int] = field(default_factory=Counter[int])
    reached_raising: Counter[int] = field(default_factory=Counter[int])
    marks: Counter[int] = field(default_factory=Counter[int])
    errors: Counter[str] = field(default_factory=Counter[str])
    unportable: Counter[str] = field(default_factory=Counter[str])

    def add(self, runs: Iterable[Run]) -> int:
        """Take in what was run; gives how many of the runs reached a goal for the first time."""
        fresh = 0
        for run in runs:
            self.runs.append(run)
            if run.status == RETURNED and run.portability <= self.highest_portability and run.size <= MAX_RESULT:
                fresh += any(self.reached[goal] == 0 for goal in run.goals)
                if run.strange and not self._needed(run):
                    self.strange.append(run)
                else:
                    self._keep(run)
            elif run.status == RETURNED:
                self.unportable[run.note if run.size <= MAX_RESULT else "a result of more than 20,000 characters"] += 1
            elif run.status == RAISED:
                fresh += any(self.reached_raising[goal] == 0 for goal in run.goals)
                self.raised.append(run)
                self.reached_raising.update(run.goals)
                self.errors[run.note] += 1
        return fresh

    def _needed(self, run: Run) -> bool:
        """Whether a run of another kind reaches a branch that has too few cases of the right kind."""
        return any(self.reached[goal.number] < ENOUGH for goal in self.program.branches if goal.number in run.goals)

    def _keep(self, run: Run) -> None:
        self.returned.append(run)
        self.reached.update(run.goals)
        self.marks[run.mark] += 1

    def admit(self, texts: Collection[str]) -> None:
        """Count returning runs of another kind as usual ones."""
        admitted = [replace(run, strange=False) for run in self.strange if run.text in texts]
        self.strange = [run for run in self.strange if run.text not in texts]
        for run in admitted:
            self._keep(run)

    def sort_again(self, strange: Callable[[Input], bool]) -> None:
        """Take all runs in anew after shapes changed: runs of the right kind first, then those that a branch needs."""
        runs = [replace(run, strange=strange(run.given)) for run in self.runs]
        for part in (self.returned, self.strange, self.raised, self.runs):
            part.clear()
        for count in (self.reached, self.reached_raising, self.marks, self.errors, self.unportable):
            count.clear()
        self.add(sorted(runs, key=lambda run: run.strange))

    def covered(self, goal: Goal, times: int = 1) -> bool:
        """Whether a goal was reached: by a returning run, or by a raising one where it can only raise."""
        if self.reached[goal.number] >= times:
            return True
        return goal.raises and self.reached_raising[goal.number] > 0

    def missing(self) -> list[Goal]:
        """Branches that no run reached."""
        return [goal for goal in self.program.branches if not self.covered(goal)]

    def scarce(self) -> list[Goal]:
        """Goals with too few cases, branches first."""
        found = [goal for goal in self.program.goals if not self.covered(goal, ENOUGH)]
        return sorted(found, key=lambda goal: (not goal.branch, goal.number))

    def coverage(self) -> float:
        """Share of the branches reached; 1.0 for a function without branches."""
        branches = self.program.branches
        return 1.0 - len(self.missing()) / len(branches) if branches else 1.0

    def return_rate(self) -> float:
        """Share of the runs that gave a usable result."""
        return len(self.returned) / len(self.runs) if self.runs else 0.0


def fresh_texts(exploration: Exploration, inputs: Sequence[tuple[Input, str]]) -> list[tuple[Input, str]]:
    """The inputs that were never run before, without doubles; they count as run from now on."""
    kept: list[tuple[Input, str]] = []
    for given, text in inputs:
        if text not in exploration.texts:
            exploration.texts.add(text)
            kept.append((given, text))
    return kept
