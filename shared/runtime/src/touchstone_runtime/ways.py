"""How a run was asked, for people: where words do not tell two runs apart, the beginnings of their ids do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from touchstone_runtime.counts import counted


def strategy_words(spec: Any) -> str:
    """Strategy with its variant, of a specification."""
    return f"{spec.strategy}:{spec.variant}" if spec.variant else spec.strategy


def way_of(spec: Any) -> str:
    """Strategy with its variant, and of a sampled run how many answers, how warm."""
    return sampled_words(strategy_words(spec), spec.samples, spec.temperature)


def sampled_words(strategy: str, samples: int, temperature: float) -> str:
    """A strategy with how often and how warm it was asked, where that is not once and greedily.

    Example:
        >>> sampled_words("direct", 1, 0.0), sampled_words("direct", 5, 0.8)
        ('direct', 'direct, 5 samples at 0.8')
    """
    if samples <= 1 and not temperature:
        return strategy
    return f"{strategy}, {counted(samples, 'sample')} at {temperature:g}"


def marks(words: Sequence[str], run_ids: Sequence[str]) -> list[str]:
    """What follows the words of each run beside others, as of one model with two seeds: nothing where they are its own.

    Example:
        >>> marks(["m direct", "n direct", "m direct"], ["3f2a9c01e", "77", "9c01aa37b"])
        [', run 3f2a9c01', '', ', run 9c01aa37']
    """
    times = Counter(words)
    return [f", run {run_id[:8]}" if times[each] > 1 else "" for each, run_id in zip(words, run_ids, strict=True)]
