"""Wrong programs by other hands: how many really wrong ones pass the suites of their tasks.

    python tests/bench/wrong_programs.py [FOLDER] [--list]

Reads `corpus/wrong_programs`, or another folder of the same format (`corpus/README.md`), builds the suite of each task,
checks every witness, judges every program, and prints one JSON line; `--list` prints a line for each program first.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

from corpora import CORPUS, Bench, tasks_in

from pbt_generator.usecases.build import BuiltSuite
from touchstone_cli.sandbox_server import sandbox_address

# Share of the really wrong programs that may pass.
AIM = 0.02


async def measure(folder: Path, address: str, *, listed: bool) -> dict[str, object]:
    """Build, check and judge everything in a folder."""
    tasks = refused = wrong = 0
    passed: list[str] = []
    unshown: list[str] = []
    async with Bench(address) as bench:
        for task in tasks_in(folder):
            tasks += 1
            built = await bench.build(task)
            if not isinstance(built, BuiltSuite):
                refused += 1
                print(json.dumps({"task": task.name, "refused": built.refusal.reason.value}), flush=True)
                continue
            for path in sorted(task.folder.glob("*.py")):
                described = path.with_suffix(".json")
                if not described.exists():
                    continue
                name, source = f"{task.name}/{path.stem}", path.read_text()
                if not await bench.really_wrong(task, source, json.loads(described.read_text())["input"]):
                    unshown.append(name)
                    continue
                wrong += 1
                judged = await bench.judged(built, source)
                if judged.verdict == "passed":
                    passed.append(name)
                if listed:
                    print(json.dumps({"program": name, "verdict": judged.verdict}), flush=True)
        return {
            "bench": "wrong_programs", "tasks": tasks, "refused": refused, "really_wrong": wrong, "passed": len(passed),
            "share": round(len(passed) / wrong, 4) if wrong else None, "aim": AIM, "which": passed,
            "witness_shows_nothing": unshown, "cpu_s": round(bench.cpu_s, 1),
        }  # fmt: skip


def main() -> None:
    """Print what passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS / "wrong_programs")
    parser.add_argument("--list", action="store_true")
    asked = parser.parse_args()
    with sandbox_address() as address:
        print(json.dumps(asyncio.run(measure(asked.folder, address, listed=asked.list))))


if __name__ == "__main__":
    main()
