"""What clients write of runs calls an outcome a verdict exactly where the evaluator does."""

from evaluator.domain.outcomes import Outcome, is_scored
from touchstone_cli.run_formats import JUDGED


def test_exported_runs_grade_what_the_evaluator_scores() -> None:
    assert {outcome.value for outcome in Outcome if is_scored(outcome)} == JUDGED
