"""A part of a run's answers is that part of all of them."""

from __future__ import annotations

from collections import Counter

import pytest

from evaluator.adapters.answer_messages import NONE, outcome_of
from evaluator.adapters.messages import to_run, to_run_page, to_spec
from evaluator.domain.outcomes import Outcome
from evaluator.domain.specification import RunSpec, TaskSet
from evaluator.domain.tasks import Effort, Solution, Verdict
from evaluator.errors import UnknownRunError
from evaluator.usecases.boards import Boards
from evaluator.usecases.run_pages import run_page
from evaluator.usecases.runs import get_attempt, get_run, record_verdict
from evaluator.usecases.tasks import retract_task


@pytest.fixture
async def answered(house, store, lists):
    """A run of seven tasks: two passed, two near misses, one far off, one taken back, one open; and its boards."""
    made = house()
    await made.tasks(1, 2, 3, 4, 5, 6, 7)
    run = await made.start()
    near, far = Verdict(Outcome.WRONG_OUTPUT, cases=50, passed=49), Verdict(Outcome.WRONG_OUTPUT, cases=50, passed=1)
    verdicts = [Verdict(Outcome.PASSED), near, far, Verdict(Outcome.PASSED), near, Verdict(Outcome.PASSED)]
    for attempt, verdict in zip(run.attempts, verdicts, strict=False):
        place = (run.run_id, attempt.task.task_id)
        await store.save_solution(*place, Solution(attempt.task.task_id, "def f(): ...", Effort(tokens_in=3)))
        assert await record_verdict(store, *place, attempt.task.task_id, verdict)
    await retract_task(store, run.attempts[5].task.task_id, "wrong")
    return run.run_id, Boards(store, lists)


@pytest.mark.parametrize("outcome", ["", "passed", "wrong_output", "near_miss", "pending", "retracted", "raised"])
async def test_pages_of_answers_are_all_of_them_in_order(answered, store, outcome):
    run_id, boards = answered
    whole = to_run(await get_run(store, run_id))
    wanted = [
        one for one in whole.results if outcome in ("", one.outcome) or (outcome == "near_miss" and one.near_miss)
    ]
    found = []
    for start in range(0, 8, 2):
        page = to_run_page(await run_page(store, boards, run_id, outcome=outcome, start=start, most=2), NONE)
        assert page.total == len(wanted) and len(page.results) <= 2
        assert (page.summary, page.tasks, page.finished) == (whole.summary, whole.tasks, whole.finished) != (None, 0, 0)
        assert {each.outcome: each.count for each in page.outcomes} == Counter(one.outcome for one in whole.results)
        assert page.near_misses == sum(one.near_miss for one in whole.results) == 2
        found += page.results
    assert found == wanted


async def test_figures_of_a_run_and_one_answer_are_read_without_all_its_answers(answered, store, monkeypatch):
    run_id, boards = answered
    (first, *_), loaded = (await get_run(store, run_id)).attempts, []
    load = store.load_run

    async def counted(name):
        loaded.append(name)
        return await load(name)

    monkeypatch.setattr(store, "load_run", counted)
    monkeypatch.setattr(store, "attempts_at", None)
    figures = await run_page(store, boards, run_id[:6])
    assert (figures.attempts, figures.total, figures.near_misses) == ([], 7, 2)
    _, attempt = await get_attempt(store, run_id[:6], first.task.task_id)
    assert outcome_of(attempt) == "passed" and loaded == []
    with pytest.raises(UnknownRunError, match="no run has this id"):
        await run_page(store, boards, "zzz", most=3)


def test_a_key_that_an_old_run_was_asked_with_is_told_to_nobody():
    for endpoint, told in (
        ("m@http://acme:sk-1@127.0.0.1:9/v1", "m@http://127.0.0.1:9/v1"),
        ("m@https://h/v1?key=sk-1", "m@https://h/v1"),
        ("m@https://h/a@b/v1", "m@https://h/a@b/v1"),
        ("org/model:x", "org/model:x"),
    ):
        assert to_spec(RunSpec(TaskSet(), "python", "direct", "", "m", endpoint)).endpoint == told
