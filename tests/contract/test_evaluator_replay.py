"""The evaluator's events on an empty database: the same board, byte for byte."""

from __future__ import annotations

import random
import uuid

import pytest

from evaluator.adapters.announcer import request_of
from evaluator.adapters.messages import BoardAnswers
from evaluator.adapters.store import SqlStore
from evaluator.app import MIGRATIONS
from evaluator.errors import TaskNotYetKnownError
from evaluator.handlers import on_solution_requested, on_task_built, on_task_retracted, on_verdict_reached
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.direct import Direct
from evaluator.usecases.runs import start_run
from touchstone_contracts.events import (
    Function,
    SolutionRequested,
    SourceRef,
    TaskBuilt,
    TaskRetracted,
    VerdictReached,
)
from touchstone_runtime.database import Database

# What is asked here is the task as it stands; nothing poses it otherwise.
NO_EXERCISES = None


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
    """Two runs, one with three samples; a verdict of two versions, a retraction, an answer without a program."""

    def said(values):
        name = values["entry_point"]
        return "no idea" if name == "f3" else f"```python\ndef {name}(x):\n    return x\n```"

    class House:
        def __init__(self, kept):
            self.store, self.lists, self.announcer = kept, lists, fakes.RecordingAnnouncer()
            models = fakes.ScriptedModels(solve_v1=said)
            strategies = {"direct": Direct(models, NO_EXERCISES, max_tokens=64)}
            self.start = lambda **wanted: start_run(
                kept,
                self.announcer,
                models,
                strategies,
                fakes.KnownReleases(),
                lists,
                None,
                NO_EXERCISES,
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
            board = await Boards(self.store, self.lists).board(mode="sampled")
            greedy = await Boards(self.store, self.lists).board(mode="greedy")
            found = [BoardAnswers().answer(*each) for each in (board, greedy)]
            return [each.SerializeToString(deterministic=True) for each in found]

    lists = fakes.MemoryLists()
    first, log = House(fakes.MemoryStore()), []
    for number in range(1, 9):
        log.append(built(number, f"pack{number % 3}"))
    await first.meet(log)
    for wanted in ({}, {"samples": 3, "temperature": 0.5}):
        run = await first.start(**wanted)
        for attempt in run.attempts:
            request = request_of(run, attempt.task.task_id, attempt.sample)
            before = len(first.announcer.solutions)
            await first.meet([request])
            log.append(request)
            for solution in first.announcer.solutions[before:]:
                number = len(log)
                log.append(verdict_of(run, attempt, solution, "passed" if number % 3 else "wrong_output", 0))
                if number % 5 == 0:
                    log.append(verdict_of(run, attempt, solution, "raised", 1))
                await first.meet(log[number:])
    log.append(TaskRetracted(task_id=f"{2:032d}", reason="wrong"))
    await first.meet(log[-1:])
    page = await first.page()
    assert b"raised" in page[0] + page[1]
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
