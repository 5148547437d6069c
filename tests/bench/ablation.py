"""What each rule family of the generator earns: the yield of a sample with everything, and without each family.

    python tests/bench/ablation.py --draw NAME [--packages N] [--each N] [--family NAME ...]
    python tests/bench/ablation.py --sample FILE [--family NAME ...]

Draws packages as `suites.py` does, or reads a sample that it wrote. Prints a JSON line for each family: how many suites
are released without it, which functions it alone releases and which it loses, and the CPU-seconds in all. A family that
earns nothing on functions that nobody looked at goes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from corpora import Bench, CorpusTask
from drawn import drawn
from suites import candidates

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.domain.inputs.families import FAMILIES
from pbt_generator.usecases.build import BuiltSuite
from pbt_generator.usecases.explore import Effort
from pbt_generator.usecases.tasks import to_candidate
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted

# Families that are a number of inputs or mutants, and what they are without it.
_COUNTED = {
    "edges": Effort(edges=0),
    "first inputs by Hypothesis": Effort(drawn=0),
    "small domains": Effort(small=0),
    "sweeps": Effort(swept=0),
}


def efforts(wanted: Sequence[str]) -> dict[str, Effort]:
    """The effort without each of the wanted families, or of all where none is named."""
    every = _COUNTED | {family: Effort(without=frozenset({family})) for family in FAMILIES}
    unknown = set(wanted) - set(every)
    if unknown:
        raise SystemExit(f"no such family: {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    return {name: effort for name, effort in every.items() if not wanted or name in wanted}


@dataclass
class Outcome:
    """What became of a sample."""

    released: dict[str, float]
    cpu_s: float


async def built(tasks: Sequence[CorpusTask], address: str, effort: Effort) -> Outcome:
    """Build every suite; gives the mutation scores of those that are released."""
    released: dict[str, float] = {}
    async with Bench(address, effort) as bench:
        for task in tasks:
            suite = await bench.build(task)
            if isinstance(suite, BuiltSuite):
                released[task.name] = suite.certificate.mutation.score
        return Outcome(released, bench.cpu_s)


async def measure(tasks: Sequence[CorpusTask], address: str, wanted: Sequence[str]) -> None:
    """Print the table."""
    whole = await built(tasks, address, Effort())
    print(json.dumps({"bench": "ablation", "without": "", "tried": len(tasks), "released": len(whole.released),
                      "cpu_s": round(whole.cpu_s, 1)}), flush=True)  # fmt: skip
    for family, effort in efforts(wanted).items():
        found = await built(tasks, address, effort)
        print(json.dumps({
            "bench": "ablation", "without": family, "tried": len(tasks), "released": len(found.released),
            "earns": sorted(set(whole.released) - set(found.released)),
            "costs": sorted(set(found.released) - set(whole.released)),
            "cpu_s": round(found.cpu_s, 1),
        }), flush=True)  # fmt: skip


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw")
    parser.add_argument("--packages", type=int, default=6)
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--family", action="append", default=[])
    asked = parser.parse_args()
    if asked.sample:
        events = [json.loads(line)[1] for line in asked.sample.read_text().splitlines()]
    elif asked.draw:
        events = [event for _, event in candidates(drawn(asked.draw, asked.packages), asked.each, Counter())]
    else:
        parser.error("say --draw or --sample")
    tasks: list[CorpusTask] = []
    for event in events:
        function = FunctionExtracted.model_validate_json(event).function
        tasks.append(CorpusTask(f"{function.path}::{function.qualname}", Path(), to_candidate(to_subject(function))))
    with sandbox_address() as address:
        asyncio.run(measure(tasks, address, asked.family))


if __name__ == "__main__":
    main()
