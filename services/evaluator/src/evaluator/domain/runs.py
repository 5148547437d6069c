"""A run: its specification, and what became of it so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from evaluator.domain.specification import RunSpec
from evaluator.domain.tasks import Attempt
from evaluator.errors import UnknownRunError
from touchstone_runtime.meant import meant, the_one


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        run_id: Hash of the specification.
        halted: Why the run stands still; empty while all is well.
        withdrawn: Why it was taken off the board, for everybody to read; empty while it is on it.
        paused: Only what is asked for by name is answered, until it goes on.
        changed: Number of the last change of its life; 0 where there was none.
        askings: How often somebody asked for it again: what its endpoint did before the last time counts no more.
        attempts: One for each task and sample; empty where only the run itself was asked for.
        left_out: Of a run that was just started why tasks cannot be asked in its track, and how many.
    """

    run_id: str
    spec: RunSpec
    halted: str = ""
    withdrawn: str = ""
    paused: bool = False
    changed: int = field(default=0, compare=False)
    askings: int = field(default=0, compare=False)
    attempts: tuple[Attempt, ...] = field(default=(), compare=False)
    left_out: tuple[tuple[str, int], ...] = field(default=(), compare=False)


def run_named(run_id: str, runs: Iterable[Run]) -> Run:
    """The only one of some runs whose id begins so.

    Raises:
        UnknownRunError: There is none, or more than one.
    """
    fitting = meant(run_id, runs, lambda run: run.run_id)
    names = ("run", f"{len(fitting)} runs")
    return the_one(run_id, fitting, names, UnknownRunError, way_out="`touchstone runs list` lists them")
