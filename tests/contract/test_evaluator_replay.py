"""The evaluator's events on an empty database: the same board, byte for byte."""

from __future__ import annotations

import random
import uuid

import pytest

from evaluator.adapters.announcer import request_of
from evaluator.adapters.messages import BoardAnswers
from evaluator.adapters.store import SqlStore
from evaluator.app import MIGRATIONS
from evaluator.domain.exercises import Exercise
from evaluator.errors import TaskNotYetKnownError
from evaluator.handlers import on_solution_requested, on_task_built, on_task_retracted, on_verdict_reached
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.direct import Direct
from evaluator.usecases.runs import delete_run, get_run, pause_run, resume_run, start_run
from touchstone_contracts.events import (
    Function,
    SolutionRequested,
    SourceRef,
    TaskBuilt,
    TaskRetracted,
    VerdictReached,
)
from touchstone_runtime.database import Database

PAUSED = {"temperature": 0.7, "seed": 7}


@pytest.fixture(scope="module")
def fakes(load_module):
    return load_module("services/evaluator/tests/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def store(request, fakes):
    if request.param == "memory":
        yield fakes.MemoryStore()
        return
    database = Database(request.getfixturevalue("postgres"), f"replay_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield SqlStore(database.session)
    await database.close()


async def test_replaying_the_events_in_any_order_gives_the_board_byte_for_byte(store, fakes):
    """Four runs: greedy, three samples, on a track, and one that was paused with half of its answers and went on.

    Among them are verdicts of two versions, retractions before and after the answers, and answers without a program.
    The greedy run was deleted before and asked for anew. Boards of every set, track and mode are compared.
    """

    def said(values):
        name = values["entry_point"]
        return "no idea" if name == "f3" else f"```python\ndef {name}(x):\n    return x\n```"

    class House:
        def __init__(self, kept):
            self.store, self.lists, self.announcer = kept, lists, fakes.RecordingAnnouncer()
            models = fakes.ScriptedModels(solve_v1=said, solve_fast_v1=said)
            exercises = fakes.GivenExercises()
            for number in range(1, 8):
                exercises.given["speed", f"{number:032d}"] = Exercise("speed", reference_cpu_s=0.5)
            strategies = {"direct": Direct(models, exercises, max_tokens=64)}
            self.start = lambda **wanted: start_run(
                kept,
                self.announcer,
                models,
                strategies,
                fakes.KnownReleases(),
                lists,
                None,
                exercises,
                Wanted(**wanted),
            )
            self.handlers = {
                TaskBuilt: on_task_built(kept),
                TaskRetracted: on_task_retracted(kept),
                SolutionRequested: on_solution_requested(kept, self.announcer, models, strategies, lists),
                VerdictReached: on_verdict_reached(kept),
            }

        async def meet(self, events):
            """As the bus does: what must wait for another event is tried again."""
            while events:
                left = []
                for event in events:
                    try:
                        await self.handlers[type(event)](event)
                    except TaskNotYetKnownError:
                        left.append(event)
                assert len(left) < len(events)
                events = left

        async def page(self):
            """What every board says, and its digest, by set, track and mode."""
            boards = Boards(self.store, self.lists)
            _, scopes, _ = await boards.board()
            pages = {}
            for scope in scopes:
                for mode in ("greedy", "sampled"):
                    answer = BoardAnswers().answer(*await boards.board(scope.digest, mode=mode))
                    assert answer.digest
                    pages[scope.track, mode] = answer.SerializeToString(deterministic=True)
            return pages

    lists = fakes.MemoryLists()
    first, log = House(fakes.MemoryStore()), []
    for number in range(1, 9):
        log.append(built(number, f"pack{number % 3}"))
    await first.meet(log)
    log.append(TaskRetracted(task_id=f"{8:032d}", reason="wrong from the beginning"))
    await first.meet(log[-1:])
    await delete_run(first.store, (await first.start()).run_id)
    for wanted in ({}, {"samples": 3, "temperature": 0.5}, {"track": "speed"}, PAUSED):
        run = await first.start(**wanted)
        for place, attempt in enumerate(run.attempts):
            request = request_of(run, attempt.task.task_id, attempt.sample)
            if wanted is PAUSED and place == len(run.attempts) // 2:
                await pause_run(first.store, await get_run(first.store, run.run_id))
                log.append(request)
                await first.meet([request])
                assert await first.store.unasked(run.run_id)
                await resume_run(first.store, first.announcer, run)
            before = len(first.announcer.solutions)
            log.append(request)
            await first.meet([request])
            for solution in first.announcer.solutions[before:]:
                number = len(log)
                log.append(verdict_of(run, attempt, solution, "passed" if number % 3 else "wrong_output", 0))
                if number % 5 == 0:
                    log.append(verdict_of(run, attempt, solution, "raised", 1))
                await first.meet(log[number:])
    log.append(TaskRetracted(task_id=f"{2:032d}", reason="wrong"))
    await first.meet(log[-1:])
    page = await first.page()
    assert set(page) == {(track, mode) for track in ("", "speed") for mode in ("greedy", "sampled")}
    assert b"raised" in b"".join(page.values()) and b"asked_anew" in page["", "greedy"]
    random.Random(4).shuffle(log)
    second = House(store)
    await second.meet(log)
    assert await second.page() == page
    # Twice is once.
    await second.meet(log[::-1])
    assert await second.page() == page


def built(number, source):
    function = Function(
        function_id=f"function{number}",
        source=SourceRef(source_id=source, source_version_id=source, kind="package", name=source, version="1"),
        path="a.py", qualname=f"f{number}", name=f"f{number}", line_start=1, line_end=2, code="x",
    )  # fmt: skip
    return TaskBuilt(
        task_id=f"{number:032d}", function=function, kind="SC", difficulty="Easy", entry_point=f"f{number}",
        instruction="Return it.", suite_digest="s", certificate_digest="c", cases=5, branch_coverage=1.0,
    )  # fmt: skip


def verdict_of(run, attempt, solution, outcome, judging):
    return VerdictReached(
        verdict_id=f"{solution.solution_id}{judging}", solution_id=solution.solution_id, run_id=run.run_id,
        task_id=attempt.task.task_id, outcome=outcome, cases=5, passed=5 if outcome == "passed" else 4, cpu_s=0.25,
        judging=judging, judging_note="mended" if judging else "",
    )  # fmt: skip
