"""Verdicts have versions: the newest counts, the old ones stay, and what changed is public."""

from __future__ import annotations

import pytest

from evaluator.domain.outcomes import Outcome
from evaluator.domain.tasks import Verdict
from evaluator.errors import BadSpecificationError, UnknownRunError, UnknownTaskError
from evaluator.usecases.rejudging import get_rejudged, judge_again, verdicts_of
from evaluator.usecases.runs import get_attempt, record_verdict

WRONG, RIGHT = Verdict(Outcome.WRONG_OUTPUT, 50, 49), Verdict(Outcome.PASSED, 50, 50)


@pytest.fixture
async def judged(house, store, announcer):
    """A run with three answers: two programs that were judged, and an answer without a program."""

    def said(values):
        return (
            "no idea" if values["entry_point"] == "f3" else f"```python\ndef {values['entry_point']}(x): return x\n```"
        )

    made = house(answer=said)
    await made.tasks(1, 2, 3)
    run = await made.start()
    for attempt in run.attempts:
        found = await made.solve(run, attempt.task.task_id)
        await record_verdict(store, run.run_id, found.task.task_id, found.solution.solution_id, WRONG)
    announcer.judgings.clear()
    return made, run


async def test_the_newest_verdict_counts_and_the_old_one_stays(judged, store, announcer):
    made, run = judged
    assert (await made.row()).share.value == 0.0
    assert await judge_again(store, announcer, run.run_id[:8], "", " the comparator was wrong ") == 2
    asked = sorted(announcer.judgings)
    assert [each[2:] for each in asked] == [(1, "the comparator was wrong")] * 2
    # Until it comes, the old one counts, and asking again asks for the same.
    assert (await made.row()).share.value == 0.0 and await get_rejudged(store) == []
    announcer.judgings.clear()
    assert await judge_again(store, announcer, run.run_id, "", "the comparator was wrong") == 2
    assert sorted(announcer.judgings) == asked
    task_id = asked[0][0]
    _, attempt = await get_attempt(store, run.run_id, task_id)
    newer = Verdict(Outcome.PASSED, 50, 50, judging=1, note="the comparator was wrong")
    for _ in range(2):
        assert await record_verdict(store, run.run_id, task_id, attempt.solution.solution_id, newer)
    # The first one, met again, is old.
    assert await record_verdict(store, run.run_id, task_id, attempt.solution.solution_id, WRONG)
    _, after = await get_attempt(store, run.run_id, task_id)
    assert after.verdict == newer
    assert await verdicts_of(store, run.run_id, after) == [WRONG, newer]
    ((of, change),) = await get_rejudged(store)
    assert (of.run_id, change.task_id, change.before, change.after) == (run.run_id, task_id, WRONG, newer)
    assert (await made.row()).solved == 1.0
    announcer.judgings.clear()
    assert await judge_again(store, announcer, run.run_id, task_id, "once more") == 1
    assert announcer.judgings == [(task_id, 0, 2, "once more")]
    # A later verdict hides no change: the list is public.
    latest = Verdict(Outcome.PASSED, 50, 50, judging=2, note="once more")
    assert await record_verdict(store, run.run_id, task_id, attempt.solution.solution_id, latest)
    changes = [(each.before, each.after) for _, each in await get_rejudged(store)]
    assert changes == [(WRONG, newer), (newer, latest)]


async def test_a_task_is_judged_again_in_every_run(judged, house, store, announcer):
    made, run = judged
    task_id = run.attempts[0].task.task_id
    other = await made.start(strategy="cocost")
    found = await made.solve(other, task_id)
    announcer.judgings.clear()
    # An answer that waits for its first verdict has none to be judged again.
    assert await judge_again(store, announcer, "", task_id[:9], "mended") == 1
    await record_verdict(store, other.run_id, task_id, found.solution.solution_id, RIGHT)
    assert await judge_again(store, announcer, "", task_id, "mended") == 2


async def test_nothing_is_judged_again_without_a_note_or_a_name(judged, store, announcer):
    _, run = judged
    for run_id, task_id, note, kind in (
        (run.run_id, "", "  ", BadSpecificationError),
        ("", "", "mended", BadSpecificationError),
        ("nobody", "", "mended", UnknownRunError),
        (run.run_id, "nothing", "mended", UnknownTaskError),
        ("", "nothing", "mended", UnknownTaskError),
    ):
        with pytest.raises(kind):
            await judge_again(store, announcer, run_id, task_id, note)
    assert announcer.judgings == []
