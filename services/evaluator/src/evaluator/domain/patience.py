"""How long a run's own endpoint is waited for: it may be away for a while, and must not be waited for without end."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

# Faults at one answer by an endpoint that answers: the next time is like the last.
MOST_FAULTS = 3

Place = tuple[str, str, int]


@dataclass
class Patience:
    """What each run's endpoint did lately; times are seconds of any clock that only grows.

    A run is waited for as long as it has had no answer for `seconds`; what is left of it then ends without being asked,
    unless it was one answer alone that did not come: an endpoint may block one question, and answer all others.
    One answer among others that never comes is waited for as long by itself, so that a prompt at which an endpoint
    always fails does not live on the others' luck.

    Args:
        seconds: How long an endpoint is waited for.
    """

    seconds: float
    _runs: dict[str, float] = field(default_factory=dict[str, float])
    _places: dict[Place, float] = field(default_factory=dict[Place, float])
    _faults: Counter[Place] = field(default_factory=Counter[Place])
    _over: dict[str, str] = field(default_factory=dict[str, str])
    # The answers of each run that did not come since one came.
    _silent: defaultdict[str, set[Place]] = field(default_factory=lambda: defaultdict[str, set[Place]](set))
    _askings: Counter[str] = field(default_factory=Counter[str])

    def asked(self, run_id: str, askings: int) -> None:
        """An answer of a run is asked for; where somebody asked for the run again, what was before counts no more.

        Args:
            run_id: The run.
            askings: How often somebody asked for it again, as everybody knows it; a request of before changes nothing.
        """
        if askings > self._askings[run_id]:
            self._askings[run_id] = askings
            self._go_on(run_id)
            for place in [each for each in self._places.keys() | self._faults.keys() if each[0] == run_id]:
                self._forget(place)

    def answered(self, place: Place) -> None:
        """The endpoint answered."""
        self._go_on(place[0])
        self._forget(place)

    def over(self, run_id: str) -> str:
        """Why nothing of a run is asked for any more; empty while it is."""
        return self._over.get(run_id, "")

    def give_up(self, place: Place, now: float, why: str) -> None:
        """Remember why, where it was the run that had no answer for so long, and not one question alone."""
        run_id = place[0]
        if now - self._runs.get(run_id, now) >= self.seconds and self._silent[run_id] - {place}:
            self._over[run_id] = why

    def away(self, place: Place, now: float) -> bool:
        """The endpoint does not answer; True when it has been waited for long enough."""
        self._silent[place[0]].add(place)
        since = min(self._runs.setdefault(place[0], now), self._places.setdefault(place, now))
        if now - since < self.seconds:
            return False
        self._forget(place)
        return True

    def failed(self, place: Place) -> bool:
        """The endpoint answered with a fault at this request; True when it was asked often enough."""
        self._faults[place] += 1
        if self._faults[place] < MOST_FAULTS:
            return False
        self._forget(place)
        return True

    def _go_on(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
        self._over.pop(run_id, None)
        self._silent.pop(run_id, None)

    def _forget(self, place: Place) -> None:
        self._places.pop(place, None)
        self._faults.pop(place, None)
