"""A case has its own time and not that of those before it: a program knows few questions ahead, and none for long."""

from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path

import pytest

from sandbox_executor.domain.outcomes import Outcome

_spec = spec_from_file_location("played", Path(__file__).with_name("played.py"))
assert _spec is not None and _spec.loader is not None
_played = module_from_spec(_spec)
_spec.loader.exec_module(_played)
LIMITS, Played, play, outcomes = _played.LIMITS, _played.Played, _played.play, _played.outcomes


class Ahead(Played):
    """A candidate that is slow over easy cases while it works on a hard one, as soon as it knows that one.

    Args:
        seconds: How long each case takes by itself.
        slow_s: How long it takes over an easy case then, within the time of one.
    """

    def __init__(self, seconds, slow_s):
        super().__init__(list(seconds))
        self.alone, self.slow_s, self.known = list(seconds), slow_s, {}

    def _step(self):
        super()._step()
        if self._loading:
            self.known = {}
            return
        # What lies in its pipe, by when it was first seen there.
        for place in range(len(self._requests)):
            self.known.setdefault(self.first + len(self.asked[-1]) + place, self.time)
        works = [case for case in self.known if self.alone[case] > LIMITS.case_timeout_s]
        for case, alone in enumerate(self.alone):
            worked = self.time - self.known.get(case, self.time)
            self.seconds[case] = max(0.001, alone - worked) if case in works else self.slow_s if works else alone


@pytest.mark.parametrize("easy", [2, 7, 30])
@pytest.mark.parametrize("slow_s", [0.05, 0.1, 0.25])
def test_working_ahead_gains_no_time(easy, slow_s):
    played = Ahead([0.001] * easy + [0.9, 0.001], slow_s)
    assert outcomes(played) == "r" * easy + "tr"


def test_cases_that_are_fast_are_handed_over_together():
    played = Played([0.001] * 200)
    assert outcomes(played) == "r" * 200
    assert played.starts == 1
    # A few, then dozens at a time: the clock stands still while they are handed over.
    gaps = [later - earlier for earlier, later in pairwise(played.asked[0])]
    assert max(gaps) < 0.002


@pytest.mark.parametrize("seconds", [0.02, 0.03])
def test_an_honest_program_is_not_started_again(seconds):
    # Together they take longer than one case may, and never so long after they were handed over.
    played = Played([seconds] * 60)
    assert outcomes(played) == "r" * 60
    assert played.starts == 1


def test_what_was_known_for_long_is_asked_for_again():
    played = Played([0.2] * 6)
    results = play(played)
    assert [result.outcome for result in results] == [Outcome.RETURNED] * 6
    # The second answer comes in its own time, but not in one case's from when its question was handed over.
    assert (played.starts, played.firsts) == (2, [0, 1])
