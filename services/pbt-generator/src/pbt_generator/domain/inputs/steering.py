"""What to run next: inputs aimed at goals that are still open, variations of what returned, fresh ones."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.splicing import spliced
from pbt_generator.domain.inputs.drawing.sweeps import last_digits
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.oracle.mutation.kills import diverse
from pbt_generator.domain.oracle.probes import Goal, Instrumented
from pbt_generator.domain.oracle.runs import ENOUGH, TOO_LONG, Exploration, Input, Run

_BEST = 8
# So few results, one of which is seen so seldom; inputs whose last digits are tried then, and those of other length.
_FEW, _SELDOM, _CHECKED, _LENGTHENED = 4, 60, 8, 2


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


def sees_few(exploration: Exploration) -> bool:
    """Whether there are very few results, one of which is hardly ever seen."""
    marks = exploration.marks
    return 0 < len(marks) < _FEW and (len(marks) < 2 or min(marks.values()) < _SELDOM)


def seldom(exploration: Exploration) -> list[Run]:
    """The runs with the result that is seen least."""
    marks = exploration.marks
    rare = min(marks, key=lambda mark: (marks[mark], mark))
    return [run for run in exploration.returned if run.mark == rare]


def checked_inputs(exploration: Exploration, pieces: Sequence[str], *, again: bool = False) -> list[Input]:
    """Inputs with other last digits: those that check a number are right for one of ten, or of a hundred.

    Args:
        exploration: What was run.
        pieces: Short texts of the program.
        again: Near the rare result alone, one character longer and one shorter.
    """
    bases = diverse(seldom(exploration), _LENGTHENED) if again else diverse(exploration.returned, _CHECKED)
    lengths = (1, -1) if again else (0,)
    return [made for run in bases for longer in lengths for made in last_digits(run.given, pieces, longer)]


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
    if goal.kind in {"except", "try", "with", "case", "function", "for"}:
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
        elif isinstance(seen.left, str) and isinstance(seen.right, str) and seen.op != "match":
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
