"""How a run was asked, for people: two that differ in anything of it are never told by the same words."""

from __future__ import annotations

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
