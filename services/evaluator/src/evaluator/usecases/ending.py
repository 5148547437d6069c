"""Answers that end without the model: its endpoint stays away, or a person cancels the run. Outside every score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from evaluator.domain.outcomes import Outcome
from evaluator.domain.patience import Patience, Place
from evaluator.domain.runs import Run
from evaluator.domain.tasks import Effort, Solution, Task
from evaluator.ports import Announcer, Store
from evaluator.usecases.lives import publish_changes
from evaluator.usecases.spending import tallied
from evaluator.usecases.strategies import Draft, Strategy, tracks_of
from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError, TouchstoneError
from touchstone_runtime.faults import Fault, classify


@dataclass(frozen=True)
class Patient:
    """A strategy whose run ends as `infrastructure` where its own endpoint stays away or fails at a request.

    What the platform itself lacks (its own model server, sandbox, search, a raised budget) is waited for without end.
    What its models took before it broke off stays with the answer: it is paid for.

    Args:
        inner: The strategy.
        patience: What is known of each run's endpoint.
        clock: Seconds that only grow.
        broken: What was spent on each answer that broke off and is asked for again.
    """

    inner: Strategy
    patience: Patience
    clock: Callable[[], float]
    broken: dict[Place, Effort] = field(default_factory=dict[Place, Effort])

    @property
    def prompts(self) -> tuple[str, ...]:
        """The prompt files that it uses."""
        return self.inner.prompts

    @property
    def bounds(self) -> Mapping[str, int]:
        """Every bound that decides its answers."""
        return self.inner.bounds

    @property
    def parts(self) -> tuple[str, ...]:
        """What it can go without."""
        return self.inner.parts

    @property
    def tracks(self) -> Collection[str]:
        """What it can be asked in."""
        return tracks_of(self.inner)

    def variant(self, text: str) -> str:
        """The canonical text of a variant."""
        return self.inner.variant(text)

    async def solve(self, run: Run, task: Task, sample: int = 0) -> Solution:
        """Answer one task, or end it.

        Raises:
            SuspendedError: What it needs is away, and is waited for.
            RetryableError: The endpoint failed at this request, and is asked again.
        """
        place = (run.run_id, task.task_id, sample)
        self.patience.asked(run.run_id, run.askings)
        if why := self.patience.over(run.run_id):
            # Each would be asked for with all its tries, and a run of thousands would end for hours.
            return self._ended(run, task, sample, why)
        with tallied() as tally:
            try:
                solution = await self.inner.solve(run, task, sample)
            except Exception as error:
                # What was answered is not paid for again: the last try has the figures of those before it.
                if tally.effort != Effort():
                    self.broken[place] = tally.effort
                fault = error if isinstance(error, TouchstoneError) else _fault_of(error)
                if (why := self._given_up(place, fault)) is None:
                    if fault is error:
                        raise
                    raise fault from error
                return self._ended(run, task, sample, why)
        self.broken.pop(place, None)
        self.patience.answered(place)
        return solution

    def _given_up(self, place: Place, error: TouchstoneError) -> str | None:
        """Why an answer ends at a fault; None where it is asked for again."""
        match error:
            case SuspendedError():
                now = self.clock()
                if error.own or not self.patience.away(place, now):
                    return None
                why = f"given up after {self.patience.seconds:.0f} s: {error}"
                self.patience.give_up(place, now, why)
                return why
            case RetryableError():
                return str(error) if self.patience.failed(place) else None
            case PermanentError():
                # Nobody knows the model any more: asking again says the same.
                return str(error)
            case _:
                return None

    def _ended(self, run: Run, task: Task, sample: int, why: str) -> Solution:
        draft = Draft(run, task, sample)
        draft.spend(self.broken.pop((run.run_id, task.task_id, sample), Effort()))
        return draft.given_up(Outcome.INFRASTRUCTURE, why)


def _fault_of(error: Exception) -> TouchstoneError:
    """An error of a strategy's own, such as packages bring, as a fault of ours: nobody would hear of it else."""
    said = f"the strategy failed: {type(error).__name__}: {error}"
    match classify(error):
        case Fault.WAIT:
            return SuspendedError(said)
        case Fault.RETRY:
            return RetryableError(said)
        case Fault.FINAL:
            return PermanentError(said)


async def cancel_run(store: Store, announcer: Announcer, run: Run) -> int:
    """End every answer of a run that is not judged; gives how many. Asking for the run again takes it up again."""
    count = await store.end_answers(run.run_id)
    await publish_changes(store, announcer, run.run_id)
    return count
