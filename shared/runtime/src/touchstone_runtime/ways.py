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


def ways_apart(models: Sequence[str], ways: Sequence[str], run_ids: Sequence[str]) -> list[str]:
    """The way of each run beside others, with the run where another one of its model is told alike, as by two seeds.

    Example:
        >>> ways_apart(["m", "n", "m"], ["direct"] * 3, ["3f2a9c01e", "77", "9c01aa37b"])
        ['direct, run 3f2a9c01', 'direct', 'direct, run 9c01aa37']
    """
    times = Counter(zip(models, ways, strict=True))
    return [
        f"{way}, run {run_id[:8]}" if times[model, way] > 1 else way
        for model, way, run_id in zip(models, ways, run_ids, strict=True)
    ]
