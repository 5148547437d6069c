"""What each rule family of the generator earns: the yield of a sample with everything, and without each family.

    python tests/bench/ablation.py --draw NAME [--packages N] [--each N] [--most N] [--family NAME ...]
    python tests/bench/ablation.py --sample FILE [--most N] [--family NAME ...]

Draws packages as `suites.py` does, or reads a sample that it wrote. Prints a JSON line for each family: of how many
functions it says anything, and of at most N of these, evenly drawn: how many suites are released with it and without,
which functions it alone releases and which it loses, and the CPU-seconds with and without. A function of which a family
says nothing comes out the same, digit by digit, and is not built, so a large sample costs little. A family that earns
nothing on functions that nobody looked at goes.
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
from pbt_generator.domain.inputs.families import FAMILIES, without
from pbt_generator.domain.inputs.inference.signature import UnreadableProgramError, input_shape, read_program
from pbt_generator.domain.inputs.shapes import shared_kinds
from pbt_generator.usecases.build import BuiltSuite
from pbt_generator.usecases.explore import Effort
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
    cpu_s: dict[str, float]


async def built(tasks: Sequence[CorpusTask], address: str, effort: Effort) -> Outcome:
    """Build every suite; gives the scores of those that are released, and CPU-seconds, by the functions' names."""
    found = Outcome({}, {})
    async with Bench(address, effort) as bench:
        for task in tasks:
            suite = await bench.build(task)
            found.cpu_s[task.name] = suite.cpu_s
            if isinstance(suite, BuiltSuite):
                found.released[task.name] = suite.certificate.mutation.score
    return found


def touched(task: CorpusTask, effort: Effort) -> bool:
    """Whether a family says anything of a function."""
    if not effort.without:
        return True
    candidate = task.candidate
    try:
        program = read_program(candidate.code, candidate.imports, candidate.name, candidate.calls)
    except UnreadableProgramError:
        return False
    shape = input_shape(program)
    shape = shape.mapped(shared_kinds) if task.portable else shape
    return without(shape, effort.without) != shape


async def measure(tasks: Sequence[CorpusTask], address: str, wanted: Sequence[str], most: int) -> None:
    """Print the table."""
    whole = Outcome({}, {})
    for family, effort in efforts(wanted).items():
        every = [task for task in tasks if touched(task, effort)]
        step = max(1.0, len(every) / most)
        some = [every[int(place * step)] for place in range(min(len(every), most))]
        known = await built([task for task in some if task.name not in whole.cpu_s], address, Effort())
        whole.released |= known.released
        whole.cpu_s |= known.cpu_s
        found = await built(some, address, effort)
        before = {task.name for task in some} & set(whole.released)
        print(json.dumps({
            "bench": "ablation", "without": family, "sample": len(tasks), "touched": len(every), "tried": len(some),
            "released": [len(before), len(found.released)],
            "earns": sorted(before - set(found.released)),
            "costs": sorted(set(found.released) - before),
            "cpu_s": [round(sum(each[task.name] for task in some), 1) for each in (whole.cpu_s, found.cpu_s)],
        }), flush=True)  # fmt: skip


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw")
    parser.add_argument("--packages", type=int, default=6)
    parser.add_argument("--each", type=int, default=3, help="functions of a package, 0: all")
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--most", type=int, default=12)
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
        tasks.append(CorpusTask(f"{function.path}::{function.qualname}", Path(), to_subject(function)))
    with sandbox_address() as address:
        asyncio.run(measure(tasks, address, asked.family, asked.most))


if __name__ == "__main__":
    main()
