"""More cases behind the chosen ones: inputs of chance that the ground truth alone has run.

What tells a wrong program apart that no mutant stands for is few of many inputs. Mutants cost most of what a suite
costs, and a case hardly anything: so many more inputs are drawn than mutants are run on, and many of them are cases.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence

from pbt_generator.domain.inputs.drawing.edge_inputs import edge_inputs
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.oracle.runs import Exploration, Input, Run
from pbt_generator.domain.oracle.selection import allowed_share
from pbt_generator.usecases.candidates import seed_from
from pbt_generator.usecases.explore import Explorer

# Most cases of chance, and characters of their input and of their result.
MAX_FURTHER, _LONGEST = 1000, 2000
# And of all of them together: a program that holds all cases must be one that the sandbox takes, in every language.
_ALL = 600_000
# Seeds of their own, and for each of them inputs that are drawn, made of two that returned, and at edges of such.
_SEEDS, _DRAWN, _VARIED, _EDGES, _BASES = 2, 300, 450, 250, 40


async def further(explorer: Explorer, chosen: Sequence[Run], odd: Collection[str]) -> list[Run]:
    """Draw inputs that the search did not, run them, and choose among all that returned by chance.

    Args:
        explorer: What was searched; it learns nothing of these inputs.
        chosen: The cases before them. No result gets more than its share of all cases.
        odd: Texts of inputs that programs are seldom written for: these are chosen for their own sake or not at all,
            and nothing is made of them.

    Returns:
        At most `MAX_FURTHER` runs, in the order of their inputs' digests.
    """
    seldom = set(odd)
    bases = [run for run in explorer.found.returned if run.text not in seldom]
    if not bases:
        return []
    inputs = [given for turn in range(_SEEDS) for given in _inputs(explorer, bases, turn)]
    fresh = await _aside(explorer, inputs)
    taken = {run.text for run in chosen}
    pool = [
        run
        for run in [*bases, *fresh]
        if run.text not in taken and not run.strange and max(len(run.text), run.size) <= _LONGEST
    ]
    pool.sort(key=lambda run: hashlib.sha256(run.text.encode()).digest())
    return _within(pool, Counter(run.mark for run in chosen))


async def _aside(explorer: Explorer, inputs: Sequence[Input]) -> list[Run]:
    """Run inputs of which the search learns nothing; gives those that returned."""
    found, broken = explorer.found, explorer.broken
    explorer.watched = frozenset()
    explorer.found = Exploration(
        found.program, found.highest_portability, texts=set(found.texts), reached=Counter(found.reached),
        reached_raising=Counter(found.reached_raising),
    )  # fmt: skip
    try:
        await explorer.run(inputs)
        return explorer.found.returned
    finally:
        explorer.found, explorer.broken = found, broken


def _inputs(explorer: Explorer, pool: Sequence[Run], turn: int) -> list[Input]:
    """Inputs of one seed, most of them made of others."""
    sampler = explorer.sampler.with_seed(seed_from(f"{explorer.seed}/{turn}"))
    variation, rng = Variation(sampler), sampler.rng
    drawn = [sampler.input() for _ in range(_DRAWN)]
    varied = [variation.vary(rng.choice(pool).given, rng.choice(pool).given) for _ in range(_VARIED)]
    bases = [run.given for run in rng.sample(pool, min(_BASES, len(pool)))]
    may_be_sent, portable = explorer.may_be_sent, explorer.portable
    return [*drawn, *varied, *edge_inputs(bases, sampler.texts.pieces, rng, _EDGES, may_be_sent, portable=portable)]


def _within(pool: Sequence[Run], counts: Counter[int]) -> list[Run]:
    """The first runs that have room and leave every result within its share of all cases, `counts` among them."""
    share = allowed_share(len(counts | Counter(run.mark for run in pool)))
    kept: list[Run] = []
    total, room = counts.total(), _ALL
    for run in pool:
        length = len(run.text) + run.size
        if len(kept) < MAX_FURTHER and length <= room and counts[run.mark] + 1 <= share * (total + 1):
            kept.append(run)
            room -= length
            counts[run.mark] += 1
            total += 1
    return kept


__all__ = ["MAX_FURTHER", "further"]
