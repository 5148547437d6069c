"""Of how many answers of a run nobody knows the cost."""

import numpy as np

from evaluator.adapters.messages import to_summary
from evaluator.domain.board import row_of
from evaluator.domain.results import Cell, RunResults

BEFORE = Cell("passed", False, 1000, 1000, 1.0, 0.0, 0.0)
AFTER = Cell("passed", False, 1000, 1000, 1.0, 0.04, 0.0)
UNASKED = Cell("", False, 0, 0, 0.0, 0.0, 0.0)


def test_answers_before_a_price_was_named_are_counted_in_the_summary_and_the_row(run, task, facts):
    known = [facts(task(number)) for number in (1, 2, 3, 4)]
    ids = [each.task_id for each in known]
    cells = dict(zip(ids, [(BEFORE,), (BEFORE,), (AFTER,), (UNASKED,)], strict=True))

    def unpriced(*, unpriced=False, **named):
        results = RunResults(run(**named), cells, unpriced)
        summary = to_summary(results, frozenset())
        row = row_of(results, known, np.arange(4))
        assert summary.unpriced == row.totals.unpriced
        return summary.unpriced

    assert unpriced(model="big@api.example:443") == 2
    assert unpriced(model="small") == 0
    # The platform's own endpoint may be somebody else's, who asks for money.
    assert unpriced(model="big", unpriced=True) == 2
    assert unpriced(model="theirs", strategy="submitted", answers="d" * 64) == 4
