"""The evaluator's events on an empty database: the same board, byte for byte."""

from __future__ import annotations

import random
import uuid

import pytest

from evaluator.adapters.announcer import changed_of, request_of
from evaluator.adapters.messages import BoardAnswers
from evaluator.adapters.store import SqlStore
from evaluator.app import MIGRATIONS
from evaluator.domain.exercises import Exercise
from evaluator.errors import TaskNotYetKnownError
from evaluator.handlers import (
    on_run_changed,
    on_solution_requested,
    on_task_built,
    on_task_retracted,
    on_verdict_reached,
)
from evaluator.usecases.boards import Boards
from evaluator.usecases.choosing import Wanted
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import cancel_run
from evaluator.usecases.runs import (
    delete_run,
    get_run,
    pause_run,
    publish_unrequested,
    resume_run,
    start_run,
    withdraw_run,
)
from touchstone_contracts.events import (
    Function,
    RunChanged,
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


def pytest_generate_tests(metafunc):
    metafunc.parametrize("shuffled", range(metafunc.config.option.shuffles))


async def test_replaying_the_events_in_any_order_gives_the_board_byte_for_byte(store, fakes, shuffled):
    """Four runs: greedy, three samples, on a track, and one that was paused with half of its answers and went on.

    Among them are verdicts of two versions, retractions before and after the answers, and answers without a program.
    The greedy run was deleted before and asked for anew. Runs of a second model are withdrawn, put back, deleted,
    cancelled, taken up again and still paused. Boards of every set, track and mode are compared.
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
            self.strategies = strategies
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
                RunChanged: on_run_changed(kept, lists),
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

        def told(self):
            """The changes of runs that it told since it was last asked, as events."""
            told, self.announcer.changes = self.announcer.changes, []
            return [changed_of(*each) for each in told]

        async def sweep(self):
            """What is open again is asked for, and the requests are met."""
            places = [(run, task_id, sample) for run, task_id, sample in await self.store.unrequested()]
            await publish_unrequested(self.store, self.announcer)
            await self.meet([request_of(*place) for place in places])

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
    await delete_run(first.store, first.announcer, (await first.start()).run_id)
    log += first.told()
    for wanted in ({}, {"samples": 3, "temperature": 0.5}, {"track": "speed"}, PAUSED):
        run = await first.start(**wanted)
        for place, attempt in enumerate(run.attempts):
            request = request_of(run, attempt.task.task_id, attempt.sample)
            if wanted is PAUSED and place == len(run.attempts) // 2:
                await pause_run(first.store, first.announcer, await get_run(first.store, run.run_id))
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
    log += first.told()
    await lead_lives(first, log)
    log.append(TaskRetracted(task_id=f"{2:032d}", reason="wrong"))
    await first.meet(log[-1:])
    page = await first.page()
    assert set(page) == {(track, mode) for track in ("", "speed") for mode in ("greedy", "sampled")}
    assert b"raised" in b"".join(page.values()) and b"asked_anew" in page["", "greedy"]
    random.Random(shuffled).shuffle(log)
    second = House(store)
    await second.meet(log)
    await second.sweep()
    assert await second.page() == page
    # Twice is once.
    await second.meet(log[::-1])
    await second.sweep()
    assert await second.page() == page
    assert second.told() == []
    paused = [run.run_id for run, _ in (await first.store.overview()).runs if run.paused]
    assert paused == [run.run_id for run, _ in (await store.overview()).runs if run.paused]
    for run_id in paused:
        assert await store.unasked(run_id) == await first.store.unasked(run_id)


async def lead_lives(house, log):
    """Runs that differ in their seeds alone, and what is done to each; everything is noted in the log."""
    store, announcer, reached = house.store, house.announcer, {}

    async def begun(seed, answered, judged):
        """A sampled run: so many of its answers are there, and so many of those judged; gives the other verdicts."""
        run = await house.start(temperature=0.9, seed=seed)
        late = []
        for place, attempt in enumerate(run.attempts):
            request = request_of(run, attempt.task.task_id, attempt.sample)
            log.append(request)
            if place >= answered:
                continue
            before = len(announcer.solutions)
            await house.meet([request])
            for solution in announcer.solutions[before:]:
                verdict = verdict_of(run, attempt, solution, "raised" if place % 2 else "passed", 0)
                late.append(verdict)
                if place < judged:
                    log.append(late.pop())
                    await house.meet(log[-1:])
        return run, late

    async def met(events):
        log.extend(events)
        await house.meet(events)

    async def gone_on(run, after):
        """Asked for again and judged, by requests that know of what was done before."""
        for place, attempt in enumerate((await get_run(store, run.run_id)).attempts):
            if attempt.verdict is None and not attempt.retracted:
                before = len(announcer.solutions)
                await met([request_of(after, attempt.task.task_id, attempt.sample)])
                for solution in announcer.solutions[before:]:
                    outcome = reached.get(solution.solution_id, "passed" if place % 3 else "killed")
                    await met([verdict_of(run, attempt, solution, outcome, 0)])

    # Withdrawn before its last verdicts, and one that was put back, withdrawn again and put back.
    run, late = await begun(11, 7, 4)
    await withdraw_run(store, announcer, run.run_id, "asked wrongly")
    await met(late)
    run, late = await begun(12, 7, 5)
    for reason in ("once", "", "twice", ""):
        await withdraw_run(store, announcer, run.run_id, reason, restore=not reason)
    await met(late)
    # Deleted before its last verdicts.
    run, late = await begun(13, 7, 4)
    await delete_run(store, announcer, run.run_id)
    await met(late)
    # Cancelled with verdicts, with answers that are judged too late, and with questions that nobody answered.
    run, late = await begun(14, 5, 3)
    assert await cancel_run(store, announcer, await get_run(store, run.run_id)) == 4
    await met(late)
    # The same, and taken up again.
    run, late = await begun(15, 5, 3)
    await cancel_run(store, announcer, await get_run(store, run.run_id))
    await met(late)
    # Of one solution the sandbox says the same again.
    reached = {verdict.solution_id: verdict.outcome for verdict in late}
    await gone_on(run, await house.start(temperature=0.9, seed=15))
    # Cancelled as a whole: it is no row.
    run, _ = await begun(16, 0, 0)
    await cancel_run(store, announcer, await get_run(store, run.run_id))
    # Paused, with an answer that is judged later, and one that is asked for by name meanwhile.
    run, late = await begun(17, 5, 4)
    await pause_run(store, announcer, await get_run(store, run.run_id))
    await met(late)
    by_name = await store.find_run(run.run_id)
    place = (run.attempts[5].task.task_id, 0)
    await store.mark_requested(run.run_id, [place], by_name=True)
    before = len(announcer.solutions)
    await met([request_of(by_name, *place)])
    await met([verdict_of(run, run.attempts[5], announcer.solutions[before], "passed", 0)])
    # Held from the beginning, and one that was held and went on.
    await house.start(temperature=0.9, seed=18, held=True)
    run = await house.start(temperature=0.9, seed=19, held=True)
    await gone_on(run, await house.start(temperature=0.9, seed=19))
    log += house.told()


def built(number, source):
    function = Function(
        function_id=f"function{number}",
        source=SourceRef(source_id=source, source_version_id=source, kind="package", name=source, version="1"),
        path=f"{number}.py", qualname=f"f{number}", name=f"f{number}", line_start=1, line_end=2, code="x",
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
