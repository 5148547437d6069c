"""CPU-seconds of a certified task, and of judging one model's solution on its suite.

    python tests/bench/tasks.py [FILE ...]

Tries every function of the files (by default those of the end-to-end tests), then judges each ground truth as a
candidate would be. The paper's figure for judging is 38.7 CPU-seconds a model-task. Prints JSON lines.
"""

from __future__ import annotations

import ast
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TOUCHSTONE = str(Path(sys.executable).parent / "touchstone")
PAPER_JUDGING_CPU_S = 38.7


def ask(*arguments: str) -> dict[str, Any]:
    """Run one command of the platform and read its JSON, which one that ends with 1 may print too."""
    done = subprocess.run([TOUCHSTONE, *arguments, "--json"], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        raise RuntimeError(f"touchstone {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def measure(file: Path, name: str) -> tuple[dict[str, Any], float | None]:
    """What trying a function gave, and the CPU-seconds of judging its ground truth where a suite was released."""
    with tempfile.TemporaryDirectory() as folder:
        built = ask("try", f"{file}::{name}", "--out", folder)
        if not built["released"]:
            return built, None
        suite = ["--inputs", f"{folder}/inputs.jsonl", "--expected", f"{folder}/expected.jsonl"]
        judged = ask("sandbox", "cases", "--language", "python", "--entry", name, f"{folder}/groundtruth.py", *suite)
        assert judged["verdict"] == "passed", judged
        return built, float(judged["cpu_s"])


def main() -> None:
    """Measure every function and print the medians."""
    files = [Path(name) for name in sys.argv[1:]] or sorted((HERE.parent / "e2e/sources/wordkit").glob("*.py"))
    building: list[float] = []
    judging: list[float] = []
    refused = 0
    for file in files:
        names = [node.name for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)]
        for name in names:
            built, judged = measure(file, name)
            if judged is None:
                refused += 1
                continue
            building.append(built["cpu_s"])
            judging.append(judged)
    line = {
        "bench": "tasks",
        "functions": len(building) + refused,
        "certified": len(building),
        "cpu_s_per_certified_task_median": round(statistics.median(building), 3),
        "cpu_s_per_certified_task_mean": round(statistics.mean(building), 3),
        "cpu_s_per_model_task_median": round(statistics.median(judging), 4),
        "model_task_to_paper": round(statistics.median(judging) / PAPER_JUDGING_CPU_S, 5),
    }
    sys.stdout.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
