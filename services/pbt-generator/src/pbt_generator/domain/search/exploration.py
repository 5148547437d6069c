"""The search for inputs: what has been run, which goals were reached, and what to try next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from pbt_generator.domain.drawing.sampling import Input, Sampler
from pbt_generator.domain.drawing.splicing import Operands, spliced
from pbt_generator.domain.drawing.variation import Variation
from pbt_generator.domain.search.instrument import Goal, Instrumented

RETURNED = 0
RAISED = 1
TOO_LONG = 2
# How many cases every goal should have.
ENOUGH = 3
_BEST = 8
# Longest result of a case, in characters.
MAX_RESULT = 20_000


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
    too_long: int = 0

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
            else:
                self.too_long += 1
        return fresh

    def _needed(self, run: Run) -> bool:
        """Whether a run of another kind reaches a branch that has too few cases of the right kind."""
        return any(self.reached[goal.number] < ENOUGH for goal in self.program.branches if goal.number in run.goals)

    def _keep(self, run: Run) -> None:
        self.returned.append(run)
        self.reached.update(run.goals)
        self.marks[run.mark] += 1

    def sort_again(self, strange: Callable[[Input], bool]) -> None:
        """Take all runs in anew after shapes changed: runs of the right kind first, then those that a branch needs."""
        runs = [replace(run, strange=strange(run.given)) for run in self.runs]
        for part in (self.returned, self.strange, self.raised, self.runs):
            part.clear()
        for count in (self.reached, self.reached_raising, self.marks, self.errors, self.unportable):
            count.clear()
        self.too_long = 0
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


def next_inputs(exploration: Exploration, sampler: Sampler, count: int) -> list[Input]:
    """Choose what to run next.

    About half aims at goals that are still open: an input that came to the same test and left it the other way is
    changed, first by writing into it what its comparisons asked for. The rest varies inputs that returned, preferring
    rare results, and draws fresh ones.
    """
    rng = sampler.rng
    variation = Variation(sampler)
    open_goals = exploration.scarce()
    inputs: list[Input] = []
    if open_goals:
        targets = _targets(exploration, open_goals)
        share = count // 2 if exploration.missing() else count // 3
        for place in range(share if targets else 0):
            base = rng.choice(targets[place % len(targets)])
            # What is still missing late in the search often hides behind another kind of value.
            strange = 0.2 if exploration.missing() else 0.02
            inputs.append(
                variation.retype(base.given) if rng.random() < strange else _aimed(base, variation, exploration)
            )
    parents = _spread(exploration)
    while len(inputs) < count:
        if parents and rng.random() < 0.6:
            base = rng.choice(parents)
            other = rng.choice(parents)
            inputs.append(variation.vary(base.given, other.given))
        else:
            inputs.append(sampler.input())
    return inputs


def _aimed(base: Run, variation: Variation, exploration: Exploration) -> Input:
    rng = variation.rng
    given = base.given
    open_seen = [seen for seen in base.seen if not _settled(exploration, seen.site)]
    if open_seen and rng.random() < 0.75:
        made = spliced(given, rng.choice(open_seen), rng)
        if made is not None:
            if rng.random() < 0.25:
                again = spliced(made, rng.choice(open_seen), rng)
                return again if again is not None else made
            return made
    return variation.vary(given)


def _settled(exploration: Exploration, first_goal: int) -> bool:
    goals = exploration.program.goals
    site = goals[first_goal].site
    return all(
        exploration.reached[goal.number] >= ENOUGH for goal in goals[first_goal : first_goal + 3] if goal.site == site
    )


def _targets(exploration: Exploration, open_goals: Sequence[Goal]) -> list[list[Run]]:
    """For each open goal, in order, the runs that came nearest to it."""
    by_goal: dict[int, list[Run]] = {}
    for goal in open_goals[:24]:
        near: list[tuple[float, int, Run]] = []
        siblings = _siblings(exploration.program, goal)
        if not exploration.reached[goal.number] and exploration.reached_raising[goal.number]:
            # Runs came there and raised afterwards: what must change lies behind the goal, not before it.
            came = [run for run in reversed(exploration.raised) if goal.number in run.goals]
            by_goal[goal.number] = came[: 3 * _BEST]
            continue
        for order, run in enumerate(reversed(exploration.runs[-2500:])):
            near_enough = run.goals & siblings and goal.number not in run.goals
            if run.status != TOO_LONG and near_enough and (not run.strange or (goal.branch and order % 4 == 0)):
                near.append((_distance(run, goal, exploration.program) + 0.3 * run.status, order, run))
        near.sort(key=lambda item: item[:2])
        if near:
            by_goal[goal.number] = [run for _, _, run in near[:_BEST]]
    if not by_goal:
        return [exploration.runs[-40:]] if exploration.runs else []
    required = [runs for number, runs in by_goal.items() if exploration.program.goals[number].branch]
    others = [runs for number, runs in by_goal.items() if not exploration.program.goals[number].branch]
    return required * 3 + others


def _siblings(program: Instrumented, goal: Goal) -> frozenset[int]:
    """The other outcomes of the same test: a run that reached one of them came as far as the test."""
    same = {
        other.number
        for other in program.goals
        if other.number != goal.number and other.line == goal.line and (other.kind == goal.kind or other.site >= 0)
    }
    if goal.kind in {"except", "try", "case", "function", "for"}:
        # Whatever ran at all may come here: the way in is not a test.
        same |= {other.number for other in program.goals if other.line < goal.line and other.line >= goal.line - 6}
    return frozenset(same)


def _distance(run: Run, goal: Goal, program: Instrumented) -> float:
    """How near the comparisons on a goal's line came to turning the other way; 1.0 when nothing is known."""
    best = 1.0
    for seen in run.seen:
        if program.goals[seen.site].line != goal.line:
            continue
        if isinstance(seen.left, (int, float)) and isinstance(seen.right, (int, float)):
            gap = abs(float(seen.left) - float(seen.right))
            best = min(best, gap / (gap + 10.0))
        elif isinstance(seen.left, str) and isinstance(seen.right, str):
            shared = sum(1 for a, b in zip(seen.left, seen.right, strict=False) if a == b)
            best = min(best, 1.0 - (shared + 1) / (max(len(seen.left), len(seen.right)) + 2))
        else:
            best = min(best, 0.6)
    return best


def _spread(exploration: Exploration) -> list[Run]:
    """Returning runs to vary: those with rare results and rare goals come more often."""
    pool = exploration.returned[-1500:]
    if not pool:
        return exploration.raised[-60:]
    marks = exploration.marks
    rare = sorted(pool, key=lambda run: marks[run.mark])[: max(20, len(pool) // 4)]
    return [*rare, *rare, *pool[-200:]]
