"""Names of the two bands of tasks by the cyclomatic complexity of their code.

Up to ten is what published sets of this kind hold; what is above stands in a band of its own, is asked for by name, and
shares no run and no release with the other one unless somebody names its tasks.
"""

from __future__ import annotations

USUAL, HARD = "usual", "hard"
BANDS = (USUAL, HARD)
MOST_USUAL = 10


def band_of(complexity: int) -> str:
    """The band of a task; what nobody counted is usual.

    Example:
        >>> band_of(10), band_of(11), band_of(0)
        ('usual', 'hard', 'usual')
    """
    return HARD if complexity > MOST_USUAL else USUAL
