"""What isolation costs: JSON lines, each with its bar, measured against the bare runtime in the same run.

    python tests/bench/sandbox.py [cases|throughput|starts|compiled|cold|neighbours ...]

Without a name all of them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.gvisor.provision import place
from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.running import SandboxRunner, Setting
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.judging import Judge
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import CaseResult
from sandbox_executor.usecases import Stop
from touchstone_local.settings import folders
from touchstone_values import encode

ROUNDS = 7
CASES = 500
STATE = folders().cache
CANDIDATE = """
def f(words, limit):
    counts = {}
    for word in words:
        counts[word] = counts.get(word, 0) + len(word)
    return sorted(((n, w) for w, n in counts.items() if n <= limit), reverse=True)[:5]
"""
# The same work without any isolation: read the cases, call, compare.
BARE = """
import json, sys
space = {}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), space)
f = space["f"]
passed = 0
for line, expected in zip(open(sys.argv[2]), open(sys.argv[3])):
    passed += json.loads(json.dumps(f(*json.loads(line)))) == json.loads(expected)
print(passed)
"""
TRIVIAL = {
    "python": ("def f(x): return x", "f"),
    "javascript": ("function f(x) { return x; }\nmodule.exports = { f };", "f"),
    "typescript": ("export function f(x: number): number { return x; }", "f"),
    "java": ("class Solution { public static int f(int x) { return x; } }", "Solution.f"),
    "go": ("package main\nfunc f(x int) int { return x }", "f"),
    "php": ("<?php function f($x) { return $x; }", "f"),
}


def tell(name: str, value: float, unit: str, bar: float, *, at_least: bool = False, **more: object) -> None:
    held = value >= bar if at_least else value <= bar
    line = {"bench": f"sandbox.{name}", "value": round(value, 3), "unit": unit, "bar": bar, "held": held, **more}
    print(json.dumps({**line, "load": round(os.getloadavg()[0], 1)}), flush=True)


class Bench:
    """One backend for all measurements."""

    def __init__(self, folder: Path) -> None:
        self.toolchains = Toolchains(STATE, PACKAGE / "harness", RuntimePaths())
        self.backend = LocalBackend(LANGUAGES, self.toolchains, LocalOptions(folder, 4))
        self.backend.layers()

    def run(
        self, language: str, source: str, entry: str, inputs: list[str], sink: Callable[[CaseResult], None]
    ) -> None:
        stop = Stop()
        self.backend.run_cases(CasesJob(language, source, entry, tuple(inputs), resolve({})), sink, stop)
        stop.close()

    def zygote_cpu_s(self) -> float:
        """CPU-seconds of the warm interpreters themselves."""
        total = 0.0
        for zygote in self.backend._pool._zygotes.values():
            fields = Path(f"/proc/{zygote._process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return total


def five_hundred_cases(bench: Bench, folder: Path) -> None:
    """All CPU time of a judged candidate, against a bare process."""
    words = ["alpha", "beta", "gamma", "delta", "x", "yy"]
    arguments = [[[words[(i * k) % 6] for k in range(12)], 10 + i % 20] for i in range(CASES)]
    space: dict[str, Callable[..., object]] = {}
    exec(CANDIDATE, space)
    expected = [space["f"](*given) for given in arguments]
    (folder / "candidate.py").write_text(CANDIDATE)
    (folder / "in").write_text("".join(json.dumps(given) + "\n" for given in arguments))
    (folder / "out").write_text("".join(json.dumps(value) + "\n" for value in expected))
    inputs, wanted = [encode(given) for given in arguments], tuple(encode(value) for value in expected)
    ours, bare = [], []
    for _ in range(ROUNDS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", BARE, *(str(folder / name) for name in ("candidate.py", "in", "out"))]
        assert subprocess.run(command, capture_output=True, check=True).stdout == b"%d\n" % CASES
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        bare.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        judge, job = Judge(wanted, "exact"), [0.0]

        def take(result: CaseResult, judge: Judge = judge, job: list[float] = job) -> None:
            judge.take(result)
            job[0] = result.job_cpu_s

        start, zygote = time.process_time(), bench.zygote_cpu_s()
        bench.run("python", CANDIDATE, "f", inputs, take)
        ours.append(time.process_time() - start + bench.zygote_cpu_s() - zygote + job[0])
        assert judge.passed == CASES
    ratio = statistics.median(ours) / statistics.median(bare)
    tell("500_cases_cpu", ratio, "x bare", 1.5, ours_s=round(statistics.median(ours), 4),
         bare_s=round(statistics.median(bare), 4))  # fmt: skip


def throughput(bench: Bench) -> None:
    """Trivial jobs a second, each in fresh namespaces."""
    count = 300

    def one(_: int) -> None:
        bench.run("python", *TRIVIAL["python"], ["[1]"], lambda result: None)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(one, range(40)))
        start = time.monotonic()
        list(pool.map(one, range(count)))
        tell("jobs_per_second", count / (time.monotonic() - start), "jobs/s", 150, at_least=True)


def warm_starts(bench: Bench) -> None:
    """From the call to the answer of one trivial case."""
    for language, bar in (("python", 10), ("javascript", 60), ("php", 60)):
        if language == "php" and not _available(bench, "php"):
            continue
        times = []
        for _ in range(3 * ROUNDS):
            start = time.monotonic()
            bench.run(language, *TRIVIAL[language], ["[1]"], lambda result: None)
            times.append((time.monotonic() - start) * 1000)
        tell(f"warm_start_{language}", statistics.median(times), "ms", bar, fastest=round(min(times), 1))


def compiled(bench: Bench) -> None:
    """500 cases, compiling or transpiling included."""
    inputs = [f"[{i}]" for i in range(CASES)]
    for language, bar in (("typescript", 250), ("java", 900), ("go", 700)):
        times = []
        for _ in range(ROUNDS):
            results: list[CaseResult] = []
            start = time.monotonic()
            bench.run(language, *TRIVIAL[language], inputs, results.append)
            times.append((time.monotonic() - start) * 1000)
            assert [result.value for result in results] == [str(i) for i in range(CASES)]
        tell(f"500_cases_{language}", statistics.median(times), "ms", bar, fastest=round(min(times), 1))


def cold(bench: Bench) -> None:
    """A program in a fresh sandbox, against the same program bare."""
    language = LANGUAGES["python"]
    setting = Setting(language, "", resolve({}), "", 1, bench.toolchains.places("python"))
    inside, bare = [], []
    for _ in range(3 * ROUNDS):
        start = time.monotonic()
        subprocess.run(["/usr/bin/true"], check=True)
        bare.append((time.monotonic() - start) * 1000)
        start = time.monotonic()
        with bench.backend.open(setting, {}) as sandbox:
            stop = Stop()
            command = Command("exec", ("/usr/bin/true",), {})
            run_command(sandbox, command, stdin=b"", output_bytes=1000, end=start + 60, cancelled=stop)
            stop.close()
        inside.append((time.monotonic() - start) * 1000)
    cost = statistics.median(inside) - statistics.median(bare)
    tell("isolation_cold", cost, "ms", 30, bare_ms=round(statistics.median(bare), 2))


VICTIM = "def f(n):\n    t = 0\n    for i in range(n): t = (t * 31 + i) % 1000003\n    return t"
HOGS = {
    "spinners": "import os\ndef f(x):\n    for _ in range(54):\n        if os.fork() == 0: break\n    while True: pass",
    "memory": "def f(x):\n    b = []\n    while True: b.append(bytearray(1 << 20))",
    "bytes": "import os\ndef f(x):\n    while True: os.write(1, b'x' * 65536)",
    "imports": "import os\ndef f(x):\n    while True:\n        if os.fork() == 0:\n"
    "            for n in ('numpy', 'pandas', 'email', 'xml.dom.minidom'): __import__(n)\n"
    "            os._exit(0)\n        os.wait()",
    "answers": "def f(x): return [[]] * 900000",
}


HOG_LIMITS = resolve(
    {
        "case_timeout_s": 3.0,
        "total_timeout_s": 5.0,
        "memory_bytes": 256 << 20,
        "output_bytes": 64 << 20,
        "processes": 64,
    }
)


def neighbours(bench: Bench) -> None:
    """A well-behaved job beside two hogs, against the same job without them, on every backend."""
    _beside(bench.backend, "", ROUNDS)
    runsc = place(STATE)
    if not runsc.is_file():
        print(json.dumps({"bench": "sandbox.beside", "skipped": f"no {runsc}: run make tools"}), flush=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        options = GvisorOptions(runsc, Path(folder), spares=2)
        backend = GvisorBackend(LANGUAGES, bench.toolchains, options, bench.backend.cgroups)
        try:
            _beside(backend, "gvisor_", ROUNDS)
        finally:
            backend.close()


def _run(backend: SandboxRunner, job: CasesJob, sink: Callable[[CaseResult], None]) -> None:
    stop = Stop()
    backend.run_cases(job, sink, stop)
    stop.close()


def _beside(backend: SandboxRunner, prefix: str, rounds: int) -> None:
    """CPU-seconds beside hogs, round by round: alone before the hogs and after them, for a machine's pace drifts."""

    def victim() -> tuple[float, float, list[str]]:
        results: list[CaseResult] = []
        start = time.monotonic()
        inputs = tuple(f"[{400_000 + i}]" for i in range(8))
        # Time enough for its turn: what is asked is the verdict and the CPU-seconds, not who comes first.
        limits = resolve({"case_timeout_s": 60.0, "total_timeout_s": 300.0})
        _run(backend, CasesJob("python", VICTIM, "f", inputs, limits), results.append)
        return results[-1].job_cpu_s, time.monotonic() - start, [result.value for result in results]

    for name, source in HOGS.items():
        over = threading.Event()

        def hog(source: str = source, over: threading.Event = over) -> None:
            while not over.is_set():
                _run(backend, CasesJob("python", source, "f", ("[0]",) * 2, HOG_LIMITS), lambda result: None)

        alone = [victim() for _ in range(rounds)]
        threads = [threading.Thread(target=hog) for _ in range(2)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        beside = [victim() for _ in range(rounds)]
        over.set()
        for thread in threads:
            thread.join()
        alone += [victim() for _ in range(rounds)]
        cpu, wall = (statistics.median(x[i] for x in beside) / statistics.median(x[i] for x in alone) for i in (0, 1))
        same = all(values == alone[0][2] for _, _, values in (*alone, *beside))
        tell(f"{prefix}beside_{name}", cpu if same else 99.0, "x alone", 1.1, wall=round(wall, 2), same_verdicts=same)


def _available(bench: Bench, language: str) -> bool:
    return any(status.name == language and status.available for status in bench.toolchains.statuses())


PARTS: dict[str, Callable[[Bench, Path], None]] = {
    "cases": five_hundred_cases,
    "throughput": lambda bench, folder: throughput(bench),
    "starts": lambda bench, folder: warm_starts(bench),
    "compiled": lambda bench, folder: compiled(bench),
    "cold": lambda bench, folder: cold(bench),
    "neighbours": lambda bench, folder: neighbours(bench),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    chosen = parser.parse_args().parts or [*PARTS]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        try:
            for language, (source, entry) in TRIVIAL.items():
                if chosen != ["neighbours"] and _available(bench, language):
                    bench.run(language, source, entry, ["[1]"], lambda result: None)
            for part in chosen:
                PARTS[part](bench, Path(folder))
        finally:
            bench.backend.close()


if __name__ == "__main__":
    main()
