"""Values of Hypothesis strategies, the same for the same seed wherever they are drawn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider
from hypothesis.strategies import SearchStrategy

_CHECKS: list[Any] = list(HealthCheck)


class _FunctionOnly(HypothesisProvider):
    """Draws from the strategies alone.

    Hypothesis mixes in constants that it finds in the modules that its process has loaded and takes for the user's:
    what is drawn would depend on what else a service does, and on how it was installed.
    """

    def _maybe_draw_constant(self, *_args: Any, **_constraints: Any) -> None:
        return None


_BACKEND = "touchstone"
AVAILABLE_PROVIDERS[_BACKEND] = f"{__name__}.{_FunctionOnly.__name__}"
_SETTINGS = settings(
    database=None, deadline=None, phases=[Phase.generate], suppress_health_check=_CHECKS, backend=_BACKEND
)


def drawn_by_hypothesis(strategy: SearchStrategy[Any], count: int, seed_value: int) -> list[Any]:
    """So many values at most: a small space is exhausted earlier."""
    drawn: list[Any] = []
    if not count:
        return drawn

    def collect(value: Any) -> None:
        drawn.append(value)

    test: Callable[[], None] = seed(seed_value)(settings(_SETTINGS, max_examples=count)(given(strategy)(collect)))
    test()
    return drawn
