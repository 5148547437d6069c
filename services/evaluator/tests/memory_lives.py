"""The half of the fake store that keeps what becomes of runs; the other half is in `conftest.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from evaluator.domain.lives import Change, Life, RunChange, Touched, life_of, numbered
from evaluator.domain.outcomes import CANCELLED, Outcome
from evaluator.domain.runs import Run
from evaluator.domain.tasks import Attempt, Effort, Solution, Verdict, solution_id
from evaluator.ports import Place


class MemoryLives:
    def __init__(self) -> None:
        self.kept: dict[str, Run] = {}
        self.attempts: dict[tuple[str, str, int], Attempt] = {}
        self.requested: set[tuple[str, str, int]] = set()
        self.changes: Counter[str] = Counter()
        self.forgotten: set[str] = set()
        self.taken_back: dict[str, str] = {}
        self.verdicts: dict[tuple[str, str, str], dict[int, Verdict]] = {}
        self.lives: dict[str, dict[tuple[int, str], RunChange]] = {}
        self.published: set[RunChange] = set()
        self.asked_at: dict[tuple[str, str, int], int] = {}

    async def set_withdrawn(self, run_id: str, reason: str) -> None:
        self.changes[run_id] += 1
        if self.kept[run_id].withdrawn != reason:
            self.note(run_id, Change.WITHDRAWN if reason else Change.RESTORED, reason)

    async def set_paused(self, run_id: str, *, paused: bool) -> None:
        mine = [place for place, each in sorted(self.attempts.items()) if place[0] == run_id and each.solution is None]
        if paused and (not self.kept[run_id].paused or self.requested.intersection(mine)):
            self.requested.difference_update(mine)
            self.note(run_id, Change.PAUSED, answers=[Touched(*place[1:]) for place in mine])
        elif not paused and (self.kept[run_id].paused or self.life(run_id).ended):
            self.note(run_id, Change.RESUMED)

    async def end_answers(self, run_id: str) -> int:
        ended = [
            Touched(*place[1:], each.solution is not None)
            for place, each in sorted(self.attempts.items())
            if place[0] == run_id and each.verdict is None and place[1] not in self.taken_back
        ]
        if ended or self.kept[run_id].paused:
            self.note(run_id, Change.CANCELLED, answers=ended)
        self.kept[run_id] = replace(self.kept[run_id], halted="")
        return len(ended)

    async def set_halted(self, run_id: str, reason: str, place: Place | None = None) -> bool:
        if run_id in self.forgotten:
            return False
        if place is not None:
            mine = self.attempts[run_id, *place]
            asked = (run_id, *place) in self.requested or not self.kept[run_id].paused
            if mine.solution or mine.verdict or place[0] in self.taken_back or not asked:
                return False
        before = self.kept[run_id].halted
        self.kept[run_id] = replace(self.kept[run_id], halted=reason)
        return bool(reason) and not before

    async def halted_runs(self) -> list[Run]:
        return [run for _, run in sorted(self.kept.items()) if run.halted]

    async def forget_run(self, run_id: str) -> None:
        if run_id in self.kept:
            number = self.life(run_id).changed + 1
            self.lives[run_id] = {(number, "deleted"): RunChange(run_id, number, Change.DELETED)}
            self.hold(run_id)

    async def is_forgotten(self, run_id: str) -> bool:
        return run_id in self.forgotten

    async def learn_change(self, change: RunChange) -> None:
        known = self.lives.setdefault(change.run_id, {})
        if (change.number, change.change) not in known:
            known[change.number, change.change] = change
            self.published.add(change)
            self.hold(change.run_id)
            self.settle(change.run_id, everything=True)

    async def note_asked(self, run_id: str, place: Place, after_change: int) -> None:
        mine = (run_id, *place)
        self.asked_at[mine] = max(self.asked_at.get(mine, -1), after_change)
        if run_id in self.kept and not (self.kept[run_id].paused and self.life(run_id).waits(place, after_change)):
            self.requested.add(mine)

    async def unpublished_changes(self, run_id: str = "") -> list[RunChange]:
        known = [each for _, lives in sorted(self.lives.items()) for _, each in sorted(lives.items())]
        return [each for each in known if each not in self.published and run_id in ("", each.run_id)]

    async def mark_published(self, changes: Sequence[RunChange]) -> None:
        self.published.update(changes)

    def life(self, run_id: str) -> Life:
        return life_of(self.lives.get(run_id, {}).values())

    def note(self, run_id: str, change: Change, reason: str = "", answers: Sequence[Touched] = ()) -> None:
        for each in numbered(run_id, self.life(run_id).changed + 1, change, reason, answers):
            self.lives.setdefault(run_id, {})[each.number, each.change] = each
        self.hold(run_id)
        self.settle(run_id, everything=True)

    def hold(self, run_id: str) -> int:
        life, run = self.life(run_id), self.kept.get(run_id)
        if life.deleted:
            self.forgotten.add(run_id)
            self.kept.pop(run_id, None)
            for kept in (self.attempts, self.verdicts, self.asked_at):
                for place in [place for place in kept if place[0] == run_id]:
                    del kept[place]
            self.requested = {place for place in self.requested if place[0] != run_id}
        elif run is not None and life.changed:
            self.kept[run_id] = replace(run, withdrawn=life.withdrawn, paused=life.paused, changed=life.changed)
            self.changes[run_id] += 1
        return life.changed

    def settle(self, run_id: str, *, everything: bool = False) -> None:
        life = self.life(run_id)
        if not life.changed or run_id not in self.kept:
            return
        for place in [place for place in self.attempts if place[0] == run_id]:
            self.settle_one(place, life, everything=everything)

    def settle_one(self, place: tuple[str, str, int], life: Life, *, everything: bool) -> None:
        attempt, asked_at = self.attempts[place], self.asked_at.get(place, -1)
        cancelled = attempt.verdict is not None and attempt.verdict.detail == CANCELLED
        ended = Verdict(Outcome.INFRASTRUCTURE, cases=attempt.task.cases, detail=CANCELLED)
        waits = life.waits(place[1:], asked_at) and (everything or attempt.solution is None)
        if waits or (cancelled and place[1:] not in life.ended):
            self.requested.discard(place)
            self.attempts[place] = replace(attempt, solution=None, verdict=None)
        elif life.paused and asked_at < 0 and attempt.solution is None:
            self.requested.discard(place)
        elif life.ended.get(place[1:]) is False:
            number = solution_id(place[0], place[1], "", Outcome.INFRASTRUCTURE, place[2])
            given_up = Solution(number, "", Effort(), Outcome.INFRASTRUCTURE, CANCELLED)
            self.attempts[place] = replace(attempt, solution=given_up, verdict=ended)
        elif place[1:] in life.ended and attempt.solution is not None:
            self.attempts[place] = replace(attempt, verdict=ended)
