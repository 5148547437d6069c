"""What a certificate counts: branches by how they are covered, mutants by what became of them."""

from __future__ import annotations

from collections.abc import Iterable

from pbt_generator.domain.oracle.certificate import FLOOR, Coverage, MutationScore, Reading, Weight
from pbt_generator.domain.oracle.edges import edges_of
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.misreadings import READING
from pbt_generator.domain.oracle.mutation.mutant import Mutant
from pbt_generator.domain.oracle.runs import Exploration


def coverage_of(found: Exploration, reached: frozenset[int], dead: dict[int, str]) -> Coverage:
    """Counts of branches, each in the first of the three that it belongs to."""
    branches = found.program.branches
    returning = [goal for goal in branches if goal.number in reached]
    left = [goal for goal in branches if goal.number not in reached]
    raising = [goal for goal in left if goal.raises and found.reached_raising[goal.number]]
    proved = [goal for goal in left if goal.number in dead and goal not in raising]
    return Coverage(len(branches), len(returning), len(raising), len(proved))


def mutation_of(matrix: KillMatrix, texts: frozenset[str]) -> MutationScore:
    """What the cases with these texts do to the mutants."""
    killed = matrix.killed(texts)
    gone = {mutant.number for mutant in killed}
    alive = [mutant for mutant in matrix.counted() if mutant.number not in gone]
    every = [mutant for mutant in matrix.mutants if not mutant.reading]

    def shown(mutant: Mutant) -> str:
        reason = matrix.exclusion(mutant)
        return f"line {mutant.line}: {mutant.change}" + (f" ({reason.reason})" if reason is not None else "")

    return MutationScore(
        mutants=len(every),
        killed=len(killed),
        proved=tuple(shown(mutant) for mutant in every if mutant.number in matrix.proofs),
        survivors=tuple(f"line {mutant.line}: {mutant.change}" for mutant in alive),
        evidence=tuple(
            shown(mutant)
            for mutant in alive
            if not matrix.killers.get(mutant.number) and matrix.exclusion(mutant) is not None
        ),
    )


def readings_of(matrix: KillMatrix, texts: frozenset[str]) -> tuple[Reading, ...]:
    """How other languages' rules fare on the cases with these texts."""
    return tuple(
        Reading(mutant.reading, mutant.line, mutant.change, bool(matrix.killers.get(mutant.number, set()) & texts))
        for mutant in matrix.readings()
    )


def weight_of(matrix: KillMatrix, texts: Iterable[str], refused: Iterable[str] = ()) -> Weight:
    """What a score rests on.

    Args:
        matrix: The mutants.
        texts: Arguments of the cases, as portable texts.
        refused: Inputs that raise: an edge that only they have is none that a case could hold.
    """
    cases = frozenset(texts)
    offered, met = edges_of(cases)
    shown: list[str] = []
    for text in sorted(set(refused), key=lambda text: (len(text), text)):
        if gone := (edges_of([text])[1] & offered) - met:
            offered -= gone
            shown.append(text)
    counted = len(matrix.counted())
    misread = [mutant for mutant in matrix.readings() if mutant.reading == READING] if counted < FLOOR else []
    told = sum(bool(matrix.killers.get(mutant.number, set()) & cases) for mutant in misread)
    return Weight(counted, FLOOR, tuple(sorted(offered)), tuple(sorted(met)), len(misread), told, tuple(shown))
