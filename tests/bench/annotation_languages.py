"""Pairs in PHP, Java, Go and JavaScript with known verdicts, in the real sandbox and without a model; JSON lines.

    python tests/bench/annotation_languages.py --language java

Fifteen queries, each with a code that answers it and one that does not, written by hand as they stand in the wild: bare
functions, methods cut out of their class, classes whole, with their imports and without. The cases are given; what is
measured is whether a code is found, put together, compiled and judged rightly.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import sys
import time
from pathlib import Path
from typing import Any

from annotator.domain.pair import Pair
from annotator.usecases.judging import Judge

SHARED = Path(__file__).with_name("annotation_planted.py")

# Tasks: query and cases. Codes by language and task: one that answers the query and one that does not.
DATA = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))


def planted() -> Any:
    """The bench whose sandbox and given answers are used here too."""
    spec = importlib.util.spec_from_file_location("annotation_planted", SHARED)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["annotation_planted"] = module
    spec.loader.exec_module(module)
    return module


def pairs(language: str) -> list[tuple[str, Pair, bool, list[dict[str, Any]]]]:
    """Task, pair, whether it answers, and cases."""
    found: list[tuple[str, Pair, bool, list[dict[str, Any]]]] = []
    for task, codes in DATA["codes"][language].items():
        about = DATA["tasks"][task]
        for name in ("right", "wrong"):
            pair = Pair(f"{task}-{name}", task, about["query"], f"f-{task}-{name}", codes[name], language)
            found.append((task, pair, name == "right", about["cases"]))
    return found


async def measure(language: str, box: Any, given: Any, method: Any) -> dict[str, Any]:
    """One line of the bench."""
    started = time.monotonic()
    compiled, known, wrong = 0, 0, []
    chosen = pairs(language)
    for task, pair, right, cases in chosen:
        record = await Judge(given(cases={"interpretation": "i", "cases": cases}), box, method).judge(pair)
        ran = record.executed is True
        compiled += ran
        reached = (record.label, record.decided_by) == (1, "execution") if right else record.evidence == "failed"
        known += ran and reached
        if not (ran and reached):
            last = record.reports[-1] if record.reports else None
            detail = (last.cases[0].detail if last and last.cases else "") or record.steps[-1].detail
            trial = next((step.detail for step in record.steps if step.name == "trial"), "")
            wrong.append(f"{task} {'right' if right else 'wrong'}: {trial or detail}"[:300])
    return {
        "bench": "annotation_languages",
        "language": language,
        "pairs": len(chosen),
        "compiled": compiled,
        "known_verdict": known,
        "share": round(known / len(chosen), 3),
        "wrong": wrong,
        "wall_s": round(time.monotonic() - started, 1),
    }


async def main() -> int:
    """Judge them all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--language", action="append", choices=sorted(DATA["codes"]), help="again for several; default: all"
    )
    arguments = parser.parse_args()
    shared = planted()
    async with shared.sandbox() as box:
        for language in arguments.language or sorted(DATA["codes"]):
            if not await box.speaks(language):
                print(json.dumps({"bench": "annotation_languages", "language": language, "missing": True}), flush=True)
                continue
            print(json.dumps(await measure(language, box, shared.Given, shared.METHOD)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
