"""Nobody knows how long an answer took that came with a batch, or from elsewhere: it has no time, nor has any sum."""

import pytest

from evaluator.adapters.answer_messages import to_answer
from evaluator.adapters.board_rows import cell_of
from evaluator.adapters.messages import to_board_row, to_row
from evaluator.adapters.models import effort_of
from evaluator.domain.outcomes import Outcome
from evaluator.domain.specification import TaskSet
from evaluator.domain.tasks import Attempt, Effort, Solution, Verdict
from evaluator.usecases.boards import Boards
from touchstone_runtime.llm import LlmUsage

TIMED, UNTIMED = Effort(9, 9, 1.5, 0.0, 1), Effort(9, 9, None, 0.0, 1)


def test_an_answer_that_took_no_measured_time_has_none():
    assert effort_of(LlmUsage(9, 9, 1.5, calls=1)).seconds == 1.5
    assert effort_of(LlmUsage(9, 9, 0.0, calls=1)).seconds is None, "it came with a batch"
    assert effort_of(LlmUsage()).seconds == 0.0, "nothing was asked"
    assert (TIMED + TIMED).seconds == 3.0 and (TIMED + UNTIMED).seconds is None is (UNTIMED + TIMED).seconds


@pytest.mark.parametrize(("kept", "tokens", "seconds"), [(1.5, 9, 1.5), (0.0, 9, None), (None, 9, None), (None, 0, 0)])
def test_times_that_were_kept_as_none_before_are_none(kept, tokens, seconds):
    class Row:
        outcome = solution_id = None
        cases = passed = cost_usd = cpu_s = reference_cpu_s = cancelled = 0
        tokens_in, tokens_out = tokens, 0

    Row.seconds = kept
    assert cell_of(Row).seconds == seconds


@pytest.mark.parametrize(
    ("efforts", "seconds"), [((TIMED, TIMED), 3.0), ((TIMED, UNTIMED), None), ((UNTIMED, UNTIMED), None)]
)
async def test_a_row_has_a_time_where_all_its_answers_have(store, lists, task, run, efforts, seconds):
    ids = []
    for number in (1, 2):
        await store.save_task(task(number, source=f"p{number}"))
        ids.append(task(number).task_id)
    digest = await lists.put(ids)
    one = run(run_id="a" * 4, model="a", tasks=TaskSet(digest, "named", "two", 2))
    await store.save_run(one, ids)
    for task_id, effort in zip(ids, efforts, strict=True):
        await store.save_solution(one.run_id, task_id, Solution(task_id, "code", effort))
        assert await store.save_verdict(one.run_id, task_id, task_id, Verdict(Outcome.PASSED, cases=5, passed=5))
    board, *_ = await Boards(store, lists).board("two")
    (row,) = board.rows
    assert row.totals.seconds == seconds
    told, line = to_board_row(row), to_row(board, row)
    assert told.HasField("seconds") == line.HasField("model_seconds") == (seconds is not None)
    assert (told.seconds, line.model_seconds) == (seconds or 0, seconds or 0)


@pytest.mark.parametrize(("effort", "told"), [(TIMED, True), (UNTIMED, False)])
def test_an_answer_is_told_with_its_time_or_without(task, run, effort, told):
    answer = to_answer(run(run_id="a" * 4), Attempt(task(1), Solution("s", "code", effort)))
    assert answer.HasField("seconds") == told and answer.seconds == (1.5 if told else 0)
