"""Answers that end without the model: its endpoint stays away, or a person cancels the run. Outside every score."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from evaluator.domain.outcomes import Outcome
from evaluator.domain.patience import Patience
from evaluator.domain.runs import Run
from evaluator.domain.tasks import Solution, Task
from evaluator.ports import Announcer, Store
from evaluator.usecases.lives import publish_changes
from evaluator.usecases.strategies import Draft, Strategy, tracks_of
from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError


@dataclass(frozen=True)
class Patient:
    """A strategy whose run ends as `infrastructure` where its own endpoint stays away or fails at a request.

    What the platform itself lacks (its own model server, sandbox, search, a raised budget) is waited for without end.

    Args:
        inner: The strategy.
        patience: What is known of each run's endpoint.
        clock: Seconds that only grow.
    """

    inner: Strategy
    patience: Patience
    clock: Callable[[], float]

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
        if why := self.patience.over(run.run_id):
            # Each would be asked for with all its tries, and a run of thousands would end for hours.
            return _ended(run, task, sample, why)
        try:
            solution = await self.inner.solve(run, task, sample)
        except SuspendedError as error:
            now = self.clock()
            if error.own or not self.patience.away(place, now):
                raise
            why = f"given up after {self.patience.seconds:.0f} s: {error}"
            self.patience.give_up(run.run_id, now, why)
            return _ended(run, task, sample, why)
        except RetryableError as error:
            if not self.patience.failed(place):
                raise
            return _ended(run, task, sample, str(error))
        except PermanentError as error:
            # Nobody knows the model any more: asking again says the same.
            return _ended(run, task, sample, str(error))
        self.patience.answered(place)
        return solution


async def cancel_run(store: Store, announcer: Announcer, run: Run) -> int:
    """End every answer of a run that is not judged; gives how many. Asking for the run again takes it up again."""
    count = await store.end_answers(run.run_id)
    await publish_changes(store, announcer, run.run_id)
    return count


def _ended(run: Run, task: Task, sample: int, why: str) -> Solution:
    return Draft(run, task, sample).given_up(Outcome.INFRASTRUCTURE, why)
