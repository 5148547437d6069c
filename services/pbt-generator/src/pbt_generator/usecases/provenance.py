"""Where a suite's inputs come from: real ones first, and each case counted as real, near real or inferred."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from pbt_generator.domain.inputs.domains.domain import InputDomain
from pbt_generator.domain.inputs.domains.reality import Nearness, nearness
from pbt_generator.domain.inputs.inference.real_inputs import traced_inputs
from pbt_generator.domain.inputs.traced import Seen
from pbt_generator.domain.oracle.certificate import Inputs, Traced
from pbt_generator.domain.oracle.certificate import Robustness as Track
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.runs import Exploration, Run
from pbt_generator.ports import Comparison
from pbt_generator.usecases.explore import Explorer
from pbt_generator.usecases.robustness import Robustness
from touchstone_values import compare

# Of cases that serve alike, those that callers really send come first, then their neighbours.
_RANK: dict[Nearness, int] = {"real": 0, "near": 1, "inferred": 2}


def ranks(explorer: Explorer) -> dict[str, int]:
    """Which of the returned inputs are preferred, by their texts; none where no real input is known."""
    real = list(explorer.written(explorer.shape.examples).values())
    return {run.text: _RANK[nearness(run.given, real)] for run in explorer.found.returned} if real else {}


def with_real(
    found: Exploration, runs: Sequence[Run], rank: dict[str, int], ordinary: Container[str] = ()
) -> list[Run]:
    """The chosen runs, and behind them those that callers really make, and those with the inputs that are given."""
    chosen: Container[str] = {run.text for run in runs}
    real = (run for run in found.returned if rank.get(run.text) == _RANK["real"] or run.text in ordinary)
    return [*runs, *(run for run in real if run.text not in chosen)]


def nearness_of(explorer: Explorer, runs: Sequence[Run]) -> tuple[int, ...]:
    """How real the input of each run is: 0 callers send it, 1 it is near such a one, 2 neither."""
    real = list(explorer.written(explorer.shape.examples).values())
    return tuple(_RANK[nearness(run.given, real)] for run in runs)


def inputs_of(rank: Sequence[int], domain: InputDomain, track: Robustness, traced: Traced) -> Inputs:
    """What a certificate says of the inputs of its cases; `rank` is what `nearness_of` gives."""
    told = Track(track.suite.digest if track.suite else "", track.cases, track.refused)
    return Inputs(rank.count(0), rank.count(1), rank.count(2), domain.to_dict(), told, traced)


def traced_of(seen: Seen, explorer: Explorer, expected: Mapping[str, str], comparison: Comparison) -> Traced:
    """What running the package's tests showed, and whether the ground truth alone gives what it gave there.

    Args:
        seen: What was seen.
        explorer: Knows how inputs are written.
        expected: What the ground truth gives, by the texts of the cases' inputs.
        comparison: How results are compared.
    """
    same = other = 0
    for call, given in traced_inputs(seen.calls, explorer.shape):
        for text in explorer.written([given]):
            # What a method gives is a part of what its record gives, where it changes its object.
            if call.result and not call.owner and text in expected:
                if compare(expected[text], call.result, comparison) is None:
                    same += 1
                else:
                    other += 1
    return Traced(seen.note, len(seen.calls), same, other, seen.kinds)


def told_apart(
    matrix: KillMatrix, runs: Sequence[Run], others: Iterable[frozenset[int]] = ()
) -> tuple[frozenset[int], ...]:
    """Per mutant and reading that a case is known to tell from the ground truth: the places of all such cases.

    Each is another reading of the task, which examples leave open or decide.

    Args:
        matrix: Mutants and their killers.
        runs: The cases.
        others: The same of programs that are not in the matrix.
    """
    places = {run.text: place for place, run in enumerate(runs)}
    asked = [*matrix.counted(), *matrix.readings()]
    found = (
        frozenset(places[text] for text in matrix.killers.get(mutant.number, ()) if text in places) for mutant in asked
    )
    return tuple(sorted((each for each in (*found, *others) if each), key=lambda each: (len(each), sorted(each))))


__all__ = ["inputs_of", "nearness_of", "ranks", "told_apart", "traced_of", "with_real"]
