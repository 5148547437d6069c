"""Two runs compared repository by repository: until they are told apart, or the money is spent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluator.domain.board import mode_of
from evaluator.domain.outcomes import Outcome, is_scored
from evaluator.domain.runs import Run
from evaluator.domain.stopping import Comparison, Decision, Look, compare_until_decided, order_of_looks
from evaluator.domain.tasks import Attempt
from evaluator.errors import BadSpecificationError, TaskNotYetKnownError
from evaluator.ports import Announcer, Place, Store
from evaluator.usecases.boards import demand_wording
from evaluator.usecases.runs import get_run, unfinished_of
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED


class Step(StrEnum):
    """What a comparison did when it was told to go on."""

    ASKING = "asking"
    DECIDED = "decided"
    MONEY_SPENT = "money_spent"
    ALL_SEEN = "all_seen"


@dataclass(frozen=True)
class Seen:
    """How far a comparison is.

    Attributes:
        comparison: How the runs stand after the repositories of which every answer ended, from the first on.
        repositories: How many repositories there are.
        cost_usd: What both runs have cost so far.
        following: The first repository that is not judged in both; empty when there is none.
        wording: Whether the described tasks are compared, or those by example; never both.
        tasks: How many standing tasks these are.
        elsewhere: How many the others are, on which nothing here rests.
        absent: Tasks of the set that one of the runs does not know here yet, as in a replay; while there are any no
            repository is looked at, since the order is that of all.
    """

    runs: tuple[Run, Run]
    comparison: Comparison
    repositories: int
    cost_usd: float
    following: str
    wording: str
    tasks: int
    elsewhere: int
    absent: int = 0

    @property
    def halted(self) -> str:
        """What one of the runs stands still for; empty while neither does."""
        return next((run.halted for run in self.runs if run.halted), "")


async def compared(store: Store, run_a: str, run_b: str, wording: str = "") -> Seen:
    """Look at two runs; asks for nothing.

    The repositories come in an order that is a hash of the set of tasks and of their names: which of them is looked at
    next must not depend on how the models did.

    Args:
        store: The evaluator's memory.
        run_a: Whole id or an unambiguous beginning.
        run_b: The same, of another run over the same tasks.
        wording: "described" or "by_example"; empty is the described tasks where the runs have one.

    Raises:
        UnknownRunError: There is no such run.
        UnknownScopeError: There is no such wording.
        BadSpecificationError: The two are one, or their tasks, tracks, exercises, languages or ways of asking differ.
    """
    first, second = await get_run(store, run_a), await get_run(store, run_b)
    _demand_comparable(first, second)
    described = {attempt.task.task_id: _is_described(attempt) for attempt in first.attempts if not attempt.retracted}
    wording = demand_wording(wording) or (DESCRIBED if any(described.values()) else BY_EXAMPLE)
    tasks = sum(each == (wording == DESCRIBED) for each in described.values())
    sides = _by_repository(first, wording), _by_repository(second, wording)
    names = order_of_looks(first.spec.tasks.digest, sides[0])
    absent = await _absent(store, first, second)
    looks: list[Look] = []
    following = ""
    for name in () if absent else names:
        found = _look_at(sides[0][name], sides[1].get(name, {}))
        if found is None:
            following = name
            break
        looks.append(found)
    cost = math.fsum(
        attempt.solution.effort.cost_usd
        for run in (first, second)
        for attempt in run.attempts
        if attempt.solution is not None
    )
    found = compare_until_decided(looks)
    elsewhere = len(described) - tasks
    return Seen((first, second), found, len(names), cost, following, wording, tasks, elsewhere, absent)


async def advance(
    store: Store,
    announcer: Announcer,
    run_a: str,
    run_b: str,
    budget_usd: float = 0.0,
    *,
    again: bool = False,
    wording: str = "",
) -> tuple[Seen, Step, int]:
    """Ask two paused runs for what is compared of the next repository, where neither is better yet and money is left.

    Args:
        store: The evaluator's memory.
        announcer: Publishes requests.
        run_a: Whole id or an unambiguous beginning.
        run_b: The same.
        budget_usd: Nothing is asked for once both have cost so much; 0 is no bound. It is looked at before each
            repository, so what one repository costs may come on top.
        again: Ask once more for what was asked for and has no verdict: whoever asked may have died between noting it
            and asking.
        wording: As in `compared`; only these tasks are asked for.

    Returns:
        How the runs stand, what was done, and how many answers were asked for.

    Raises:
        UnknownRunError: There is no such run.
        BadSpecificationError: The two cannot be compared, one of them goes on by itself, or the budget is no amount.
        TaskNotYetKnownError: Tasks of the set have not come yet.
    """
    if not math.isfinite(budget_usd) or budget_usd < 0:
        raise BadSpecificationError(
            f"a budget of {budget_usd:g} US dollars bounds nothing", way_out="give what both may cost; 0 is no bound"
        )
    seen = await compared(store, run_a, run_b, wording)
    if seen.absent:
        raise TaskNotYetKnownError(
            f"{seen.absent} tasks of the runs have not come yet",
            thing=f"{seen.runs[0].run_id[:12]} and {seen.runs[1].run_id[:12]}",
            way_out="ask again in a moment",
        )
    if seen.comparison.decision is not Decision.OPEN:
        return seen, Step.DECIDED, 0
    if not seen.following:
        return seen, Step.ALL_SEEN, 0
    places = [_open(run, seen.following, seen.wording) for run in seen.runs]
    new = [each & await store.unasked(run.run_id) for run, each in zip(seen.runs, places, strict=True)]
    if 0 < budget_usd <= seen.cost_usd and new == places:
        # What was begun is judged to its end: it is paid for.
        return seen, Step.MONEY_SPENT, 0
    wanted = places if again else new
    for run, each in zip(seen.runs, wanted, strict=True):
        if each and not run.paused:
            raise BadSpecificationError(
                "the run asks for all its tasks by itself",
                thing=run.run_id,
                way_out=f"`touchstone runs pause {run.run_id[:12]}` first",
            )
    for run, each in zip(seen.runs, wanted, strict=True):
        # Noted first: a paused run answers only what is noted.
        await store.mark_requested(run.run_id, sorted(each), by_name=True)
        await announcer.request_solutions(run, sorted(each))
    return seen, Step.ASKING, sum(map(len, wanted))


def _demand_comparable(first: Run, second: Run) -> None:
    fault = (
        "a run is not compared with itself"
        if first.run_id == second.run_id
        else "the runs have other sets of tasks"
        if first.spec.tasks.digest != second.spec.tasks.digest or not first.spec.tasks.digest
        else "the runs are in other tracks"
        if first.spec.track != second.spec.track
        else "the runs stand on exercises of other versions"
        if first.spec.exercise != second.spec.exercise
        else "the runs are in other languages"
        if first.spec.language != second.spec.language
        else "one run is greedy and the other sampled"
        if mode_of(first) != mode_of(second)
        else ""
    )
    if fault:
        raise BadSpecificationError(fault, thing=f"{first.run_id[:12]} and {second.run_id[:12]}")


async def _absent(store: Store, first: Run, second: Run) -> int:
    """How many standing tasks of the set of two runs either lacks."""
    met = [{attempt.task.task_id for attempt in run.attempts} for run in (first, second)]
    both = met[0] & met[1]
    tasks = first.spec.tasks
    ids = await store.task_ids_of(tasks.digest)
    if ids is None:
        return max(0, tasks.count - len(both))
    return len(set(ids) - both - {each.task_id for each in await store.retractions()})


def _is_described(attempt: Attempt) -> bool:
    return attempt.task.wording == DESCRIBED


def _by_repository(run: Run, wording: str) -> dict[str, dict[str, list[Attempt]]]:
    """Answers to standing tasks of a wording, by repository and task."""
    found: dict[str, dict[str, list[Attempt]]] = {}
    for attempt in run.attempts:
        if not attempt.retracted and _is_described(attempt) == (wording == DESCRIBED):
            found.setdefault(attempt.task.cluster, {}).setdefault(attempt.task.task_id, []).append(attempt)
    return found


def _open(run: Run, repository: str, wording: str) -> set[Place]:
    inside = _by_repository(run, wording).get(repository, {})
    return {place for place in unfinished_of(run) if place[0] in inside}


def _look_at(first: Mapping[str, Sequence[Attempt]], second: Mapping[str, Sequence[Attempt]]) -> Look | None:
    """What is seen of a repository, given its tasks' answers in both runs; None while a verdict is missing."""
    if any(attempt.verdict is None for side in (first, second) for each in side.values() for attempt in each):
        return None
    both = [(_ends(first[task_id]), _ends(second[task_id])) for task_id in sorted(first.keys() & second.keys())]
    # Of a task that lacks nothing both ends are one.
    ends = [(mine[0] - other[1], mine[1] - other[0]) for mine, other in both]
    lost = [(below, above) for below, above in ends if below < above]
    return Look(
        math.fsum(below for below, above in ends if below == above),
        len(ends),
        len(lost),
        math.fsum(below for below, _ in lost),
        math.fsum(above for _, above in lost),
    )


def _ends(answers: Sequence[Attempt]) -> tuple[float, float]:
    """Share of a task's answers that passed, were those that were lost wrong, and were they right."""
    outcomes = [attempt.verdict.outcome for attempt in answers if attempt.verdict is not None]
    passed = sum(outcome is Outcome.PASSED for outcome in outcomes)
    lost = sum(not is_scored(outcome) for outcome in outcomes)
    return passed / len(outcomes), (passed + lost) / len(outcomes)
