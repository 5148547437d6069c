"""Solutions by other hands, written from an instruction alone: how many pass the suites of their tasks.

    python tests/bench/solved_blind.py --draw NAME --kept FOLDER --solutions FOLDER [--wrong FOLDER] [--model NAME@URL]

Comes after `wording.py` with the same `--draw` and `--kept`, whose numbers name the tasks. `--solutions` holds
`NUMBER.py` a task, as many as there are, and `called.json`, which gives each number what its solver called the
instruction before it was judged (`determined`, `guess`, `nonsense`). Prints a line a solution, with the first case
that it fails, and the sum by track.

`--wrong` makes folders for writers of wrong programs there: a task each, with what `wrong_programs.py` reads
(`corpus/README.md`) and `instruction.md`, which is its author's text and is not committed. `--model` names the model
that worded the tasks with `wording.py`, which answers from its cache.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

from corpora import Bench, written_task
from wording import place_of, worded, worded_by

from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.usecases.build import BuiltSuite
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted

# Package, event, suite and task.
Kept = tuple[str, str, BuiltSuite, BuiltTask]


def kept(draw: str, folder: Path, model: str = "") -> dict[int, Kept]:
    """Package, event, suite and task of each number that `wording.py` gave a certified task, worded as there."""
    pairs = pickle.loads((folder / f"{draw}.sample").read_bytes())
    built: dict[int, tuple[str, str, BuiltSuite]] = {}
    for number, (name, event) in enumerate(
        sorted(pairs, key=lambda each: hashlib.sha256(each[1].encode()).hexdigest())
    ):
        place = place_of(folder, event)
        suite = pickle.loads(place.read_bytes()) if place.exists() else None
        if isinstance(suite, BuiltSuite):
            built[number] = (name, event, suite)
    told = [(event, suite) for _, event, suite in built.values()]
    tasks = worded_by(model, told) if model else [worded(*each) for each in told]
    return {number: (*each, task) for (number, each), task in zip(built.items(), tasks, strict=True)}


async def judged(asked: argparse.Namespace, tasks: dict[int, Kept], address: str) -> None:
    """Judge every solution; prints lines."""
    called: dict[str, str] = json.loads((asked.solutions / "called.json").read_text())
    count, passed, determined = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    async with Bench(address) as bench:
        for path in sorted(asked.solutions.glob("[0-9]*.py")):
            _, _, suite, task = tasks[int(path.stem)]
            found = await bench.judged(suite, path.read_text())
            word = called.get(path.stem, "")
            count[task.track] += 1
            passed[task.track] += found.verdict == "passed"
            determined[task.track, word] += 1
            determined[task.track, f"{word}, {found.verdict}"] += 1
            line: dict[str, Any] = {"number": int(path.stem), "track": task.track, "called": word}
            first = str(found.failures[0])[:600] if found.failures else ""
            print(json.dumps(line | {"verdict": found.verdict, "first": first}), flush=True)
    for track in sorted(count):
        words = {word: times for (of, word), times in sorted(determined.items()) if of == track}
        print(json.dumps({"track": track, "solutions": count[track], "passed": passed[track], "called": words}))


def write_wrong(asked: argparse.Namespace) -> None:
    """A folder a task for writers of wrong programs."""
    for package, event, _, task in kept(asked.draw, asked.kept, asked.model).values():
        folder = written_task(asked.wrong, package, FunctionExtracted.model_validate_json(event).function)
        (folder / "instruction.md").write_text(f"{task.instruction}\n\npython: {task.signatures['python']}\n")


def main() -> None:
    """Judge solutions, or ask for wrong programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--solutions", type=Path)
    parser.add_argument("--wrong", type=Path)
    parser.add_argument("--model", default="", metavar="NAME@URL", help="the model that worded the tasks")
    asked = parser.parse_args()
    if asked.wrong:
        write_wrong(asked)
    if asked.solutions:
        tasks = kept(asked.draw, asked.kept, asked.model)
        with sandbox_address() as address:
            asyncio.run(judged(asked, tasks, address))


if __name__ == "__main__":
    main()
