"""Right programs by other hands, in other languages: how many pass the suites of their tasks.

    python tests/bench/translations.py [FOLDER] [--resume OUTPUT] [--model NAME@URL] [--tests SECONDS]
    python tests/bench/translations.py FOLDER --tell DRAW [--packages N] [--each N] [--most N]

Reads `corpus/translations`, or another folder of the same format (`corpus/README.md`), builds the suite of each task,
judges every translation, and prints a JSON line for each task as soon as it is done, with the first failure of each
that fails, and one for each track at the end: the words of a task `by_example` do not suffice, so a reader may well
take another rule from its examples. Cut short, it prints these for the tasks that are done; `--resume` goes on from
there.

With `--model` suites and words are made with this model's help; with `--tests` the tests of each package are run first.
Both as the platform does where they are configured.

`--tell` writes what a translator needs: `task.json` and `instruction.md`, all that a solver is told, of every task for
five languages that is released of a draw (`drawn.py`). The instruction is its author's text and is not committed.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from corpora import CORPUS, Bench, CorpusTask, task_name, written_task
from drawn import add_without, drawn
from piecewise import Line, Piecewise, add_platform, add_resume
from suites import candidates

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.usecases.build import BuiltSuite
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted

SOLUTIONS = {"javascript": "solution.js", "typescript": "solution.ts", "java": "Solution.java", "go": "solution.go"}
# Share of the translations that must pass.
AIM = 0.97


async def measured(bench: Bench, task: CorpusTask) -> Line:
    """What becomes of the translations of one task."""
    offered = await bench.sandbox.languages()
    built = await bench.build(task)
    if not isinstance(built, BuiltSuite):
        return {"refused": built.refusal.reason.value}
    track = (await bench.worded(task, built)).track
    verdicts: dict[str, str] = {}
    first: dict[str, str] = {}
    for language, name in SOLUTIONS.items():
        path = task.folder / name
        if not path.exists() or language not in offered:
            continue
        judged = await bench.judged(built, path.read_text(), language)
        verdicts[language] = judged.verdict
        if judged.verdict != "passed":
            first[language] = str(judged.failures[0]) if judged.failures else ""
    return {"track": track, "verdicts": verdicts, "first": first}


def summed(lines: list[Line]) -> list[Line]:
    """The share that passes, by track and language."""
    tried, passed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    built = [line for line in lines if "refused" not in line]
    for line in built:
        for language, verdict in line["verdicts"].items():
            tried[line["track"], language] += 1
            passed[line["track"], language] += verdict == "passed"
    told: list[Line] = []
    for track in sorted({track for track, _ in tried}):
        count = sum(tried[key] for key in tried if key[0] == track)
        share = round(sum(passed[key] for key in passed if key[0] == track) / count, 3)
        by = {key[1]: [passed[key], tried[key]] for key in sorted(tried) if key[0] == track}
        told.append({"track": track, "tried": count, "share": share, "aim": AIM} | by)
    return [*told, {"tasks": len(lines), "tasks_refused": len(lines) - len(built)}]


async def tell(folder: Path, address: str, functions: Iterable[tuple[str, str]], most: int) -> int:
    """Write what a solver is told of the released tasks for five languages among some functions; gives how many."""
    told = 0
    async with Bench(address) as bench:
        for package, event in functions:
            function = FunctionExtracted.model_validate_json(event).function
            name = task_name(package, function)
            task = CorpusTask(name, folder / name, to_subject(function))
            built = await bench.build(task) if task.portable else None
            if not isinstance(built, BuiltSuite):
                continue
            worded = await bench.worded(task, built)
            written_task(folder, package, function)
            heads = "\n".join(f"{language}: {worded.signatures[language]}" for language in SOLUTIONS)
            words = "\n\n".join([worded.instruction, heads, f"track: {worded.track}"])
            (task.folder / "instruction.md").write_text(f"{words}\n")
            told += 1
            if told == most:
                break
    return told


def main() -> None:
    """Print what fails, and the share that passes in each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS / "translations")
    parser.add_argument("--tell", metavar="DRAW")
    parser.add_argument("--packages", type=int, default=20)
    add_without(parser)
    parser.add_argument("--each", type=int, default=6)
    parser.add_argument("--most", type=int, default=40)
    add_resume(parser)
    add_platform(parser)
    asked = parser.parse_args()
    with sandbox_address() as address:
        if asked.tell:
            functions = candidates(drawn(asked.tell, asked.packages, asked.without), asked.each, Counter())
            print(asyncio.run(tell(asked.folder, address, functions, asked.most)))
            return
        pieces = Piecewise("translations", asked.folder, summed, asked.resume, asked.model, asked.tests)
        status = asyncio.run(pieces.run(address, measured))
    raise SystemExit(status)


if __name__ == "__main__":
    main()
