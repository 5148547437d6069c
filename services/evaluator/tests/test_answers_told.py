"""What is told of one answer: by whose cases it was judged."""

from __future__ import annotations

import pytest

from evaluator.adapters.answer_messages import to_answer
from evaluator.domain.tasks import Attempt, Effort, Solution


@pytest.mark.parametrize(("judged_by", "told"), [("", ""), ("s" * 64, ""), ("b" * 64, "b" * 64)])
def test_the_suite_of_an_answer_is_told_where_it_is_not_its_tasks(task, run, judged_by, told):
    known = task()
    assert known.suite_digest == "s" * 64
    attempt = Attempt(known, Solution("s", "code", Effort(), suite_digest=judged_by))
    assert to_answer(run(), attempt).suite_digest == told
    assert to_answer(run(), Attempt(known)).suite_digest == ""
