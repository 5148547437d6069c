"""What wrong answers resemble, in memory; it passes the contract suite of the real one."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluator.domain.outcomes import Outcome
from evaluator.domain.resemblance import AnswerPlace, Resemblance, WrongAnswer
from evaluator.domain.tasks import Attempt


class MemoryResemblances:
    """Stands on a store in memory, as the real one stands on its tables."""

    def __init__(self, store) -> None:
        self.store = store
        self.kept: dict[tuple[str, str, int, str, int], tuple[Resemblance, ...]] = {}

    async def waiting(self, most: int) -> list[str]:
        return sorted({each.place[1] for each in self._wrong()})[:most]

    async def uncompared(self, task_id: str) -> list[WrongAnswer]:
        return [each for each in self._wrong() if each.place[1] == task_id]

    async def save(self, compared: Sequence[tuple[WrongAnswer, tuple[Resemblance, ...]]]) -> None:
        for answer, found in compared:
            self.kept.setdefault((*answer.place, answer.solution_id, answer.verdict.judging), found)

    async def found(self, run_id: str = "", task_id: str = "") -> dict[AnswerPlace, tuple[Resemblance, ...]]:
        return {
            place: near
            for place, attempt in self.store.attempts.items()
            if run_id in ("", place[0])
            and task_id in ("", place[1])
            and (near := self.kept.get(key_of(place, attempt)))
        }

    def _wrong(self) -> list[WrongAnswer]:
        return [
            WrongAnswer(place, attempt.solution.solution_id, attempt.verdict)
            for place, attempt in sorted(self.store.attempts.items())
            if attempt.solution is not None
            and attempt.verdict is not None
            and attempt.verdict.outcome not in (Outcome.PASSED, Outcome.INFRASTRUCTURE)
            and attempt.verdict.failures
            and not attempt.solution.suite_digest
            and place[1] not in self.store.taken_back
            and key_of(place, attempt) not in self.kept
        ]


def key_of(place: AnswerPlace, attempt: Attempt) -> tuple[str, str, int, str, int]:
    solution_id = attempt.solution.solution_id if attempt.solution else ""
    return (*place, solution_id, attempt.verdict.judging if attempt.verdict else 0)


@pytest.fixture
def resemblances(store) -> MemoryResemblances:
    return MemoryResemblances(store)
