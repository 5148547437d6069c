"""What a task's answers make of it: the share that passed, and pass@k from several of them."""

from __future__ import annotations

import math

from evaluator.domain.outcomes import Outcome, is_scored, outcome_named
from evaluator.domain.results import Cell


def pass_at_k(samples: int, passed: int, k: int) -> float:
    """Chance that at least one of k answers, drawn without putting back from those that are there, passed.

    Args:
        samples: Answers to the task.
        passed: Those that passed every case.
        k: How many are drawn; at most `samples`.

    Raises:
        ValueError: The numbers are impossible; with k above `samples` no unbiased estimate exists.

    Source: Chen et al. 2021, Evaluating large language models trained on code: 1 − C(n−c, k) / C(n, k), computed as
    a product, so that nothing overflows. Its mean over all draws of the samples is the true pass@k.

    Example:
        >>> round(pass_at_k(10, 3, 2), 6)
        0.533333
    """
    if not (0 <= passed <= samples and 1 <= k <= samples):
        raise ValueError(f"there is no pass@{k} of {passed} passed of {samples}")
    failing = 1.0
    if samples - passed < k:
        return 1.0
    for number in range(samples - passed + 1, samples + 1):
        failing *= 1.0 - k / number
    return 1.0 - failing


def share_solved(cells: tuple[Cell, ...], samples: int) -> float:
    """Share of a task's answers that passed; NaN where one of them is missing."""
    least, most = share_ends(cells, samples)
    return least if least == most else math.nan


def share_ends(cells: tuple[Cell, ...], samples: int) -> tuple[float, float]:
    """Share of a task's answers that passed, were every missing one wrong, and were it right; equal where none is."""
    judged = [cell for cell in cells[:samples] if cell.outcome and is_scored(outcome_named(cell.outcome))]
    passed = sum(cell.outcome == Outcome.PASSED for cell in judged)
    return passed / samples, (passed + samples - len(judged)) / samples
