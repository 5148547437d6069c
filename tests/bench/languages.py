"""Jobs in JavaScript, TypeScript, Java, Go and PHP: start and 500 cases, against the bare runtime's own start.

Prints one JSON line for each language and kind of job. Everything is counted: sandbox, compiler, harness, comparison
of nothing. The bare runtime is started in the same run, by turns with the jobs, so that a busy machine slows both.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.errors import JobRefusedError
from touchstone_local.settings import folders

REPO = Path(__file__).resolve().parents[2]
HARNESS = REPO / "services" / "sandbox-executor" / "src" / "sandbox_executor" / "harness"
CASES = 500
ROUNDS = 11
SUM = {
    "javascript": "function f(xs) { let s = 0; for (const x of xs) s += x; return [s, String(s)]; }",
    "typescript": "export function f(xs: number[]): [number, string] "
    "{ let s = 0; for (const x of xs) s += x; return [s, String(s)]; }",
    "java": "import java.util.*; public class S { public static List<Object> f(List<Integer> xs) "
    '{ int s = 0; for (int x : xs) s += x; return List.of(s, "" + s); } }',
    "go": 'package main\n\nimport "strconv"\n\nfunc f(xs []int) []any '
    "{ s := 0; for _, x := range xs { s += x }; return []any{s, strconv.Itoa(s)} }\n",
    "php": '<?php function f($xs) { $s = array_sum($xs); return [$s, "$s"]; }',
}
# Milliseconds: median of a warm start, and of 500 cases with everything.
BARS = {("javascript", 1): 60, ("php", 1): 60, ("typescript", CASES): 250, ("java", CASES): 900, ("go", CASES): 700}


class Never:
    """A cancellation that never comes."""

    requested = False

    def __init__(self) -> None:
        self.descriptor, _ = os.pipe()


def bare(toolchains: Toolchains, language: str, scratch: Path) -> tuple[list[str], dict[str, str]]:
    """The command that starts the language's runtime and does nothing, with its environment."""
    binds = {inside: outside for outside, inside in toolchains.binds()}

    def outside_of(text: str) -> str:
        for inside, outside in binds.items():
            text = text.replace(inside + "/", outside + "/")
        return text

    places = toolchains.places(language)
    runtime = outside_of(places["runtime"])
    environment = {
        name: outside_of(value.format(**places))
        for name, value in LANGUAGES[language].environment.items()
        if name == "LD_LIBRARY_PATH"
    }
    nothing = scratch / f"nothing.{'php' if language == 'php' else 'js'}"
    nothing.write_text("")
    return [runtime, *{"java": ["--version"], "go": ["version"]}.get(language, [str(nothing)])], environment


def measure(
    backend: LocalBackend, toolchains: Toolchains, language: str, cases: int, scratch: Path
) -> dict[str, object]:
    """Run the job several times, by turns with the bare runtime."""
    inputs = tuple(json.dumps([[i, i + 1, i + 2]]) for i in range(cases))
    job = CasesJob(language, SUM[language], "f", inputs, DEFAULT)
    command, environment = bare(toolchains, language, scratch)
    walls: list[float] = []
    cpus: list[float] = []
    starts: list[float] = []
    for _ in range(ROUNDS):
        results: list[CaseResult] = []
        began = time.perf_counter()
        backend.run_cases(job, results.append, Never())
        walls.append(time.perf_counter() - began)
        wrong = [
            r for i, r in enumerate(results) if r.outcome is not Outcome.RETURNED or json.loads(r.value)[0] != 3 * i + 3
        ]
        if wrong or len(results) != cases:
            raise SystemExit(f"{language}: {wrong[:1]}")
        cpus.append(results[-1].job_cpu_s)
        began = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        starts.append(time.perf_counter() - began)
    wall, start = statistics.median(walls), statistics.median(starts)
    bar = BARS.get((language, cases))
    return {
        "measure": "sandbox_job",
        "language": language,
        "cases": cases,
        "wall_ms": round(wall * 1000, 1),
        "fastest_ms": round(min(walls) * 1000, 1),
        "cpu_ms": round(statistics.median(cpus) * 1000, 1),
        "bare_start_ms": round(start * 1000, 1),
        "ratio_to_bare_start": round(wall / start, 2),
        "bar_ms": bar,
        "met": None if bar is None else wall * 1000 <= bar,
    }


def main() -> int:
    """Measure every language that is here."""
    with tempfile.TemporaryDirectory() as folder:
        toolchains = Toolchains(folders().cache, HARNESS, RuntimePaths())
        backend = LocalBackend(LANGUAGES, toolchains, LocalOptions(Path(folder), 2))
        try:
            backend.warm()
            for language in SUM:
                try:
                    toolchains.places(language)
                except JobRefusedError as error:
                    print(json.dumps({"measure": "sandbox_job", "language": language, "missing": str(error)}))
                    continue
                for cases in (1, CASES):
                    line = measure(backend, toolchains, language, cases, Path(folder))
                    print(json.dumps(line), flush=True)
        finally:
            backend.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
