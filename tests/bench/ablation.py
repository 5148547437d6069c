"""What each rule family of the generator earns: the yield of a sample with everything, and without each family.

    python tests/bench/ablation.py --draw NAME [--packages N] [--each N] [--most N] [--family NAME ...]
    python tests/bench/ablation.py --sample FILE [--most N] [--whole FILE] [--family NAME ...]

Draws packages as `suites.py` does, or reads a sample that it wrote; given both, a file that is not there is written.
Prints a JSON line for each family: of how many functions it says anything, and of at most N of these, evenly drawn: how
many suites are released with it and without, which functions it alone releases and which it loses, and the CPU-seconds
with and without. A function of which a family says nothing comes out the same, digit by digit, and is not built, so a
large sample costs little; nor is one whose inputs or results no data is, whatever is searched. `--whole` keeps what the
functions come to with everything, for further families. A family that earns nothing on functions that nobody looked at
goes.

Behind the families each rule of proof has a line: in how many of the released functions it proves a mutant or a branch,
and which of these are refused without it, since the mutant lives or the branch is missing.

A function whose building ends in an error is counted and named, under `failed` without the family and `failed_whole`
with everything; it is no part of what a family earns or costs, and the others go on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

from corpora import Bench, CorpusTask
from drawn import add_without, drawn
from suites import UNSUITABLE, candidates

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.domain.inputs.families import FAMILIES, without
from pbt_generator.domain.inputs.inference.signature import UnreadableProgramError, input_shape, read_program
from pbt_generator.domain.inputs.shapes import shared_kinds
from pbt_generator.usecases.build import LEAST_MUTATION_SCORE as LEAST
from pbt_generator.usecases.build import BuiltSuite, RefusedSuite
from pbt_generator.usecases.explore import Effort
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted


class Builder(Protocol):
    """What builds suites."""

    async def build(self, task: CorpusTask) -> BuiltSuite | RefusedSuite:
        """The suite of a task, or why there is none."""
        ...


# Rules that exclude branches and no mutants.
_BRANCH = "branch: "
# Refused before anything is searched, or for want of a file.
_BEFORE_SEARCH = {"not_a_plain_function", "unreadable_source", "cannot_load", "fault"}
# Families that are a number of inputs or mutants, and what they are without it.
_COUNTED = {
    "edges": Effort(edges=0),
    "first inputs by Hypothesis": Effort(drawn=0),
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
    """What became of a sample, by the names of its functions.

    Attributes:
        released: Mutation scores of those that are released.
        cpu_s: CPU-seconds of those that were built, whether released or refused.
        failed: What ended the building of the others.
        refused: Why the rest was refused.
        proofs: Of those that are released, how many mutants were killed and counted, and how many each rule proved.
    """

    released: dict[str, float] = field(default_factory=dict[str, float])
    cpu_s: dict[str, float] = field(default_factory=dict[str, float])
    failed: dict[str, str] = field(default_factory=dict[str, str])
    refused: dict[str, str] = field(default_factory=dict[str, str])
    proofs: dict[str, tuple[int, int, dict[str, int]]] = field(
        default_factory=dict[str, tuple[int, int, dict[str, int]]]
    )

    def seen(self, name: str) -> bool:
        """Whether it was tried already."""
        return name in self.cpu_s or name in self.failed

    def take(self, other: Outcome) -> None:
        """Add what became of others."""
        self.released |= other.released
        self.cpu_s |= other.cpu_s
        self.failed |= other.failed
        self.refused |= other.refused
        self.proofs |= other.proofs

    def open(self, name: str) -> bool:
        """Whether what was built may come out otherwise when something else is searched."""
        return name in self.cpu_s and self.refused.get(name) not in UNSUITABLE | _BEFORE_SEARCH


async def built(tasks: Sequence[CorpusTask], bench: Builder, said: str = "") -> Outcome:
    """Build every suite, whatever comes of the others."""
    found = Outcome()
    for number, task in enumerate(tasks, 1):
        sys.stderr.write(f"{said} {number} of {len(tasks)}: {task.name}\n")
        try:
            suite = await bench.build(task)
        except Exception as error:  # noqa: BLE001  a defect of ours is told with its function; the table goes on
            found.failed[task.name] = f"{type(error).__name__}: {error}"[:200]
            continue
        found.cpu_s[task.name] = suite.cpu_s
        if isinstance(suite, BuiltSuite):
            score = suite.certificate.mutation
            found.released[task.name] = score.score
            counted = score.mutants - len(score.proved)
            rules = Counter(map(rule_of, score.proved))
            rules.update(f"{_BRANCH}{each.partition(': ')[2]}" for each in suite.certificate.unreachable)
            found.proofs[task.name] = (score.killed, counted, dict(rules))
        else:
            found.refused[task.name] = suite.refusal.reason.value
    return found


def line_of(family: str, some: Sequence[CorpusTask], whole: Outcome, found: Outcome) -> dict[str, object]:
    """What a family earns on the functions that were built both with and without it."""
    names = [task.name for task in some if task.name in whole.cpu_s and task.name in found.cpu_s]
    before, after = ({name for name in names if name in each.released} for each in (whole, found))
    return {
        "without": family, "tried": len(names), "released": [len(before), len(after)],
        "earns": sorted(before - after), "costs": sorted(after - before),
        "cpu_s": [round(sum(each.cpu_s[name] for name in names), 1) for each in (whole, found)],
        "failed_whole": {task.name: whole.failed[task.name] for task in some if task.name in whole.failed},
        "failed": found.failed,
    }  # fmt: skip


def rule_of(proved: str) -> str:
    """The rule by which a mutant of a certificate is proved, without what it says of this mutant alone.

    Example:
        >>> rule_of("line 3: n < 1 → n <= 1 (the tests on the way leave no `n` on which it differs)")
        'the tests on the way leave no … on which it differs'
    """
    reason = proved.rpartition(" (")[2].removesuffix(")")
    return re.sub(r"`[^`]*`|(?<=differs for )\w+|(?<=all )\d+", "…", reason)


def proof_lines(whole: Outcome) -> list[dict[str, object]]:
    """What each rule of proof earns: functions in which it proves a mutant, and those that are refused without it."""
    rules = sorted({rule for _, _, rules in whole.proofs.values() for rule in rules})
    lines: list[dict[str, object]] = []
    for rule in rules:
        held = {name: each for name, each in whole.proofs.items() if rule in each[2]}
        alive = [name for name, (killed, counted, by) in held.items() if killed / (counted + by[rule]) < LEAST]
        # A branch that nothing reaches and no proof excludes refuses the function.
        lost = list(held) if rule.startswith(_BRANCH) else alive
        lines.append({"proof": rule, "released": len(whole.released), "functions": len(held), "earns": lost})
    return lines


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


async def measure(
    tasks: Sequence[CorpusTask], address: str, wanted: Sequence[str], most: int, kept: Path | None = None
) -> None:
    """Print the table."""
    whole = Outcome(**json.loads(kept.read_text())) if kept and kept.exists() else Outcome()
    for family, effort in efforts(wanted).items():
        every = [task for task in tasks if touched(task, effort)]
        step = max(1.0, len(every) / most)
        some = [every[int(place * step)] for place in range(min(len(every), most))]
        async with Bench(address) as bench:
            whole.take(await built([task for task in some if not whole.seen(task.name)], bench, "with everything"))
        if kept:
            kept.write_text(json.dumps(asdict(whole)))
        async with Bench(address, effort) as bench:
            found = await built([task for task in some if whole.open(task.name)], bench, f"without {family}")
        counts = {"bench": "ablation", "sample": len(tasks), "touched": len(every)}
        print(json.dumps(counts | line_of(family, some, whole, found)), flush=True)
    for line in proof_lines(whole):
        print(json.dumps({"bench": "ablation"} | line), flush=True)


def main() -> None:
    """Print a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw")
    parser.add_argument("--packages", type=int, default=6)
    add_without(parser)
    parser.add_argument("--each", type=int, default=3, help="functions of a package, 0: all")
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--whole", type=Path)
    asked = parser.parse_args()
    if asked.sample and asked.sample.exists():
        events = [json.loads(line)[1] for line in asked.sample.read_text().splitlines()]
    elif asked.draw:
        pairs = list(candidates(drawn(asked.draw, asked.packages, asked.without), asked.each, Counter()))
        if asked.sample:
            asked.sample.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
        events = [event for _, event in pairs]
    else:
        parser.error("say --draw or --sample")
    tasks: list[CorpusTask] = []
    for event in events:
        function = FunctionExtracted.model_validate_json(event).function
        tasks.append(CorpusTask(f"{function.path}::{function.qualname}", Path(), to_subject(function)))
    with sandbox_address() as address:
        asyncio.run(measure(tasks, address, asked.family, asked.most, asked.whole))


if __name__ == "__main__":
    main()
