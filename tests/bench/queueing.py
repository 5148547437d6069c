"""How long work waits for workers: a stage of the platform as a queue, simulated; one JSON line a step of the plan.

Arrivals are random (Poisson), services spread as their coefficient of variation says (lognormal), workers take whoever
waits longest. `docs/scale.md` has what the lines say. Held against the formula of Erlang (C) where services are
exponential: `tests/repo/test_queueing.py`.
"""

from __future__ import annotations

import heapq
import json
import math
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass

JOBS = 200_000


@dataclass(frozen=True)
class Stage:
    """One kind of work, and who does it.

    Attributes:
        name: For people.
        arrivals_per_s: How much comes, on average.
        mean_s: What one takes on one worker, on average, in seconds.
        spread: Standard deviation of that over its mean.
        workers: How many are done side by side.
    """

    name: str
    arrivals_per_s: float
    mean_s: float
    spread: float
    workers: int

    @property
    def load(self) -> float:
        """Share of the time that workers are busy; at 1 and above the queue grows without end."""
        return self.arrivals_per_s * self.mean_s / self.workers


@dataclass(frozen=True)
class Waits:
    """How long jobs waited for a worker, in seconds, and which share of them waited at all."""

    mean_s: float
    p95_s: float
    share: float


def lognormal(mean: float, spread: float, rng: random.Random) -> Callable[[], float]:
    """Draws services of a mean and a spread.

    Source: moments of the lognormal distribution; sigma^2 = ln(1 + spread^2), mu = ln(mean) - sigma^2 / 2.
    """
    variance = math.log1p(spread**2)
    return lambda: rng.lognormvariate(math.log(mean) - variance / 2, math.sqrt(variance))


def simulate(stage: Stage, jobs: int = JOBS, seed: int = 0, draw: Callable[[], float] | None = None) -> Waits:
    """Let jobs come, wait and be done; the first tenth, which meets an empty house, is not counted.

    Args:
        stage: What comes, and who does it.
        jobs: How many come.
        seed: Of all that is random.
        draw: Gives the next service, in seconds; lognormal by the stage where none is given.
    """
    rng = random.Random(seed)
    service = draw or lognormal(stage.mean_s, stage.spread, rng)
    free = [0.0] * stage.workers
    now, waited = 0.0, []
    for _ in range(jobs):
        now += rng.expovariate(stage.arrivals_per_s)
        begins = max(now, heapq.heappop(free))
        heapq.heappush(free, begins + service())
        waited.append(begins - now)
    counted = sorted(waited[jobs // 10 :])
    return Waits(
        sum(counted) / len(counted), counted[int(0.95 * len(counted))], sum(each > 0 for each in counted) / len(counted)
    )


def erlang_c(arrivals_per_s: float, mean_s: float, workers: int) -> float:
    """Mean wait in seconds where services are exponential.

    Source: A. K. Erlang, 1917; the delay formula of the M/M/c queue.
    """
    offered = arrivals_per_s * mean_s
    busy = offered**workers / math.factorial(workers) * workers / (workers - offered)
    waits = busy / (sum(offered**each / math.factorial(each) for each in range(workers)) + busy)
    return waits * mean_s / (workers - offered)


# Seconds of one core, of all pods of a node together, as the step `loaded` of tests/cluster measured them with one
# replica of each service; refused candidates are taken to cost as much as certified ones. Arrivals: a hundred million
# functions in a year, and a thousand models on a thousand tasks each day.
_YEAR_S, _DAY_S = 365 * 86400, 86400
_CANDIDATES = 0.052 * 100e6 / _YEAR_S
PLAN = (
    *(Stage("build suites", _CANDIDATES, 4.5, 1.5, workers) for workers in (1, 2, 4)),
    *(Stage("judge answers", 1000 * 1000 / _DAY_S, 0.24, 1.5, workers) for workers in (3, 4, 6)),
    *(Stage("take functions in", 100e6 / _YEAR_S, 0.048, 0.3, workers) for workers in (1, 2)),
)


def main() -> None:
    """Print the plan."""
    for stage in PLAN:
        waits = asdict(simulate(stage)) if stage.load < 1 else {}
        line = asdict(stage) | {"load": stage.load} | {f"wait_{name}": value for name, value in waits.items()}
        sys.stdout.write(json.dumps({k: round(v, 4) if isinstance(v, float) else v for k, v in line.items()}) + "\n")


if __name__ == "__main__":
    main()
