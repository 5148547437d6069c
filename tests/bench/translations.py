"""Right programs by other hands, in other languages: how many pass the suites of their tasks.

    python tests/bench/translations.py [FOLDER]

Reads `corpus/translations`, or another folder of the same format (`corpus/README.md`), builds the suite of each task,
judges every translation, and prints a JSON line for each that fails, with its first failure, and one for each language.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import Counter
from pathlib import Path

from corpora import CORPUS, Bench, tasks_in

from pbt_generator.usecases.build import BuiltSuite
from touchstone_cli.sandbox_server import sandbox_address

SOLUTIONS = {"javascript": "solution.js", "typescript": "solution.ts", "java": "Solution.java", "go": "solution.go"}
# Share of the translations that must pass.
AIM = 0.97


async def measure(folder: Path, address: str) -> list[dict[str, object]]:
    """Build and judge everything in a folder."""
    tried, passed, refused = Counter[str](), Counter[str](), 0
    lines: list[dict[str, object]] = []
    async with Bench(address) as bench:
        offered = set(await bench.sandbox.languages())
        for task in tasks_in(folder):
            built = await bench.build(task)
            if not isinstance(built, BuiltSuite):
                refused += 1
                lines.append({"task": task.name, "refused": built.refusal.reason.value})
                continue
            for language, name in SOLUTIONS.items():
                path = task.folder / name
                if not path.exists() or language not in offered:
                    continue
                tried[language] += 1
                judged = await bench.judged(built, path.read_text(), language)
                passed[language] += judged.verdict == "passed"
                if judged.verdict != "passed":
                    failure = str(judged.failures[0]) if judged.failures else ""
                    lines.append({"task": task.name, "language": language, "verdict": judged.verdict, "first": failure})
    for language in sorted(tried):
        share = round(passed[language] / tried[language], 3)
        lines.append(
            {"bench": "translations", "language": language, "tried": tried[language], "share": share, "aim": AIM}
        )
    return [*lines, {"bench": "translations", "languages": sorted(tried), "tasks_refused": refused}]


def main() -> None:
    """Print what fails, and the share that passes in each language."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS / "translations")
    asked = parser.parse_args()
    with sandbox_address() as address:
        for line in asyncio.run(measure(asked.folder, address)):
            print(json.dumps(line))


if __name__ == "__main__":
    main()
