"""pass@k from several answers to one task."""

from __future__ import annotations


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
