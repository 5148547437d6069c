"""Wrong programs by other hands: how many really wrong ones pass the suites of their tasks.

    python tests/bench/wrong_programs.py [FOLDER] [--resume OUTPUT] [--model NAME@URL] [--tests SECONDS]

Reads `corpus/wrong_programs`, or another folder of the same format (`corpus/README.md`), builds the suite of each task,
checks every witness, judges every program, and prints a JSON line for each task as soon as it is done, with the verdict
on each program, and one for all. Cut short, it prints that one for the tasks that are done; `--resume` goes on from
there. With `--model` suites are built with wrong programs of this model's own making, which it makes up from the
ground truth and without sight of the corpus. With `--tests` the tests of each package are run first, as the platform
does, and a line tells how they went and how many calls of the function were seen.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from corpora import CORPUS, Bench, CorpusTask
from piecewise import Line, Piecewise, add_platform, add_resume

from pbt_generator.usecases.build import BuiltSuite
from touchstone_cli.sandbox_server import sandbox_address

# Share of the really wrong programs that may pass.
AIM = 0.02


async def measured(bench: Bench, task: CorpusTask) -> Line:
    """What becomes of the programs of one task."""
    built = await bench.build(task)
    if not isinstance(built, BuiltSuite):
        return {"refused": built.refusal.reason.value}
    verdicts: dict[str, str] = {}
    unshown: list[str] = []
    for path in sorted(task.folder.glob("*.py")):
        described = path.with_suffix(".json")
        if not described.exists():
            continue
        source = path.read_text()
        if await bench.really_wrong(task, built, source, json.loads(described.read_text())["input"]):
            verdicts[path.stem] = (await bench.judged(built, source)).verdict
        else:
            unshown.append(path.stem)
    made_up = built.certificate.mistakes
    told: Line = {"made_up": [len(made_up.programs), made_up.told_apart]} if made_up.model else {}
    if task.subject.seen.note:
        told |= {"tests": task.subject.seen.note, "calls_seen": len(task.subject.seen.calls)}
    return {"verdicts": verdicts, "witness_shows_nothing": unshown} | told


def summed(lines: list[Line]) -> list[Line]:
    """The share that passes, and which ones do."""
    built = [line for line in lines if "refused" not in line]
    verdicts = {f"{line['task']}/{name}": verdict for line in built for name, verdict in line["verdicts"].items()}
    passed = [name for name, verdict in verdicts.items() if verdict == "passed"]
    unshown = [f"{line['task']}/{name}" for line in built for name in line["witness_shows_nothing"]]
    share = round(len(passed) / len(verdicts), 4) if verdicts else None
    return [
        {"tasks": len(lines), "refused": len(lines) - len(built), "really_wrong": len(verdicts), "passed": len(passed),
         "share": share, "aim": AIM, "which": passed, "witness_shows_nothing": unshown,
         "cpu_s": round(sum(line["cpu_s"] for line in lines), 1)}
    ]  # fmt: skip


def main() -> None:
    """Print what passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS / "wrong_programs")
    add_resume(parser)
    add_platform(parser)
    asked = parser.parse_args()
    with sandbox_address() as address:
        pieces = Piecewise("wrong_programs", asked.folder, summed, asked.resume, asked.model, asked.tests)
        status = asyncio.run(pieces.run(address, measured))
    raise SystemExit(status)


if __name__ == "__main__":
    main()
