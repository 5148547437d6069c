"""What a board is computed from: for each run and task how its answers ended, without any code."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from evaluator.domain.outcomes import cpu_ratio, is_near_miss
from evaluator.domain.runs import Run
from evaluator.domain.tasks import Attempt, Effort
from touchstone_runtime.costs import cost_is_unknown
from touchstone_runtime.source_kinds import cluster_of


class Cell(NamedTuple):
    """One answer: `outcome` is empty until there is a verdict."""

    outcome: str
    near_miss: bool
    tokens_in: int
    tokens_out: int
    # None where nobody measured them.
    seconds: float | None
    cost_usd: float
    cpu_s: float
    # CPU of an answer that passed, divided by the ground truth's measured beside it; 0 where that was not measured.
    cpu_ratio: float = 0.0
    # Ended by a person who cancelled the run.
    cancelled: bool = False


def cell_of(attempt: Attempt) -> Cell:
    """How an answer ended that is at hand whole."""
    effort = attempt.solution.effort if attempt.solution else Effort()
    took = (effort.tokens_in, effort.tokens_out, effort.seconds, effort.cost_usd)
    verdict = attempt.verdict
    if verdict is None:
        return Cell("", False, *took, 0.0)
    outcome = verdict.outcome.value
    near = is_near_miss(outcome, verdict.cases, verdict.passed)
    reference = attempt.solution.reference_cpu_s if attempt.solution else 0.0
    return Cell(outcome, near, *took, verdict.cpu_s, cpu_ratio(outcome, verdict.cpu_s, reference), verdict.cancelled)


@dataclass(frozen=True)
class RunResults:
    """One run (without attempts) and its answers by task, samples in order.

    Attributes:
        unpriced: Whether nobody named its model's price, though that has no address in its name.
    """

    run: Run
    cells: Mapping[str, tuple[Cell, ...]]
    unpriced: bool = False


def unpriced(run: Run, cells: Iterable[Cell], *, named: bool = True) -> int:
    """How many answers of a run have a cost that nobody knows: its model has no price, or somebody else asked.

    Args:
        run: The run.
        cells: Its answers.
        named: Whether a model without an address in its name has a price, if only none.
    """
    if run.spec.answers:
        return sum(1 for _ in cells)
    took = ((cell.cost_usd, cell.tokens_in + cell.tokens_out) for cell in cells)
    return sum(cost_is_unknown(run.spec.model, usd, n) or (not named and not usd and n > 0) for usd, n in took)


def is_cancelled(results: RunResults, retracted: Collection[str]) -> bool:
    """Whether every answer of a run was ended by cancelling it: it says nothing of its model."""
    some = False
    for task_id, cells in results.cells.items():
        if cells and task_id not in retracted:
            if not all(cell.cancelled for cell in cells):
                return False
            some = True
    return some


@dataclass(frozen=True)
class TaskFacts:
    """What a board knows of a task.

    Attributes:
        languages: Target languages that it can be asked for in.
        month: Month in which the code appeared, YYYY-MM; empty when unknown.
        complexity: Cyclomatic; 0 when unknown.
        described: Whether its words suffice by stated rules; where nobody told, they do not.
        imported: Whether it is of a set that somebody else made, whose name is its source.
    """

    task_id: str
    kind: str
    difficulty: str
    source: str
    licence: str
    month: str
    form: str
    complexity: int
    languages: frozenset[str]
    described: bool = False
    imported: bool = False

    @property
    def cluster(self) -> str:
        """What it stands or falls together with, as `cluster_of` says."""
        return cluster_of(self.task_id, self.source, imported=self.imported)


@dataclass(frozen=True)
class Overview:
    """What boards are compared with to know what changed, of one moment.

    Attributes:
        runs: Every run (without attempts), by id, with a number that rises with each change of its attempts. A run that
            was removed and is kept anew goes on counting where it was.
        retracted: Ids of tasks that were taken back.
        tasks: How many there are; worded: of how many somebody told whether their words suffice.
    """

    runs: Sequence[tuple[Run, int]]
    retracted: frozenset[str]
    tasks: int
    worded: int


@dataclass(frozen=True)
class Scope:
    """A set of tasks over which runs are compared: a release, or the set that some runs have.

    Attributes:
        digest: Of the release where it is one, else of the set.
        task_ids: Its tasks, retracted ones included.
        track: What is asked of them; empty where it is to write the function. Two tracks are two scopes.
        exercise: Version of the making of what the track asks; 0 where nobody told. Two versions are two scopes: the
            same task is another question in each.
        unlisted: How many tasks it has at most whose ids nobody here knows: the list of a set is not there.
        ambiguous: Whether another release has its name.
    """

    digest: str
    kind: str
    name: str
    task_ids: frozenset[str]
    track: str = ""
    exercise: int = 0
    unlisted: int = 0
    ambiguous: bool = False

    def absent(self, facts: Collection[str], retracted: Collection[str]) -> int:
        """How many of its tasks nobody here knows yet, as in a replay; those that were taken back count nowhere.

        Args:
            facts: Ids of the tasks that are known.
            retracted: Ids of those that were taken back.
        """
        return self.unlisted + sum(each not in facts and each not in retracted for each in self.task_ids)

    @property
    def label(self) -> str:
        """The name, and what tells it from other sets of that name: two are never one board."""
        told = f"{self.name}, exercises {self.exercise}" if self.exercise else self.name
        if not self.digest or (self.kind == "release" and not self.ambiguous):
            return told
        return f"{told} ({'release' if self.kind == 'release' else 'set'} {self.digest[:6]})"

    @property
    def unversioned(self) -> str:
        """Its digest without the version of the exercises."""
        return self.digest.removesuffix(f":{self.exercise}") if self.exercise else self.digest


def scope_digest(run: Run) -> str:
    """What a run can be compared over: its release where it is one, else its very set of tasks.

    In its track alone, and in the one making of what the track asks.
    """
    tasks, spec = run.spec.tasks, run.spec
    digest = tasks.release or tasks.digest or f"before-{run.run_id}"
    if not spec.track:
        return digest
    return f"{digest}:{spec.track}:{spec.exercise}" if spec.exercise else f"{digest}:{spec.track}"
