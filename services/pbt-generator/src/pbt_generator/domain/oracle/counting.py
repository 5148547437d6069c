"""What a certificate counts: branches by how they are covered, mutants by what became of them."""

from __future__ import annotations

from pbt_generator.domain.oracle.certificate import Coverage, MutationScore
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.mutants import Mutant
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
    gone = {mutant.number for mutant in killed} | set(matrix.proofs)
    alive = [mutant for mutant in matrix.mutants if mutant.number not in gone]

    def shown(mutant: Mutant) -> str:
        reason = matrix.exclusion(mutant)
        return f"line {mutant.line}: {mutant.change}" + (f" ({reason.reason})" if reason is not None else "")

    return MutationScore(
        mutants=len(matrix.mutants),
        killed=len(killed),
        proved=tuple(shown(mutant) for mutant in matrix.mutants if mutant.number in matrix.proofs),
        survivors=tuple(f"line {mutant.line}: {mutant.change}" for mutant in alive),
        evidence=tuple(
            shown(mutant)
            for mutant in alive
            if not matrix.killers.get(mutant.number) and matrix.exclusion(mutant) is not None
        ),
    )
