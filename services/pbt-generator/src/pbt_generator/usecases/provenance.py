"""Where a suite's inputs come from: real ones first, and each case counted as real, near real or inferred."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence

from pbt_generator.domain.inputs.domains.domain import InputDomain
from pbt_generator.domain.inputs.domains.reality import Nearness, nearness
from pbt_generator.domain.oracle.certificate import Inputs
from pbt_generator.domain.oracle.certificate import Robustness as Track
from pbt_generator.domain.oracle.runs import Exploration, Run
from pbt_generator.usecases.explore import Explorer
from pbt_generator.usecases.robustness import Robustness

# Of cases that serve alike, those that callers really send come first, then their neighbours.
_RANK: dict[Nearness, int] = {"real": 0, "near": 1, "inferred": 2}


def ranks(explorer: Explorer) -> dict[str, int]:
    """Which of the returned inputs are preferred, by their texts; none where no real input is known."""
    real = list(explorer.written(explorer.shape.examples).values())
    return {run.text: _RANK[nearness(run.given, real)] for run in explorer.found.returned} if real else {}


def with_real(found: Exploration, runs: Sequence[Run], rank: dict[str, int]) -> list[Run]:
    """The chosen runs, and behind them those that callers really make."""
    chosen: Container[str] = {run.text for run in runs}
    real = (run for run in found.returned if rank.get(run.text) == _RANK["real"])
    return [*runs, *(run for run in real if run.text not in chosen)]


def inputs_of(explorer: Explorer, domain: InputDomain, runs: Sequence[Run], track: Robustness) -> Inputs:
    """What a certificate says of the inputs of its cases."""
    real = list(explorer.written(explorer.shape.examples).values())
    counts = Counter(nearness(run.given, real) for run in runs)
    told = Track(track.suite.digest if track.suite else "", track.cases, track.refused)
    return Inputs(counts["real"], counts["near"], counts["inferred"], domain.to_dict(), told)


__all__ = ["inputs_of", "ranks", "with_real"]
