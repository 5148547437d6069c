"""Functions analysed per second, against a bare tree-sitter parse of the same files in the same run.

    python tests/bench/ingester_speed.py [FOLDER ...]

Analysed means everything that a function goes through before the platform's history is asked: parse, scope graph,
dependency class, control flow, complexity, filters, normalised tree and MinHash. Times are CPU seconds of one process,
the best of two rounds; the last line uses two processes and wall time. Prints JSON lines.
"""

from __future__ import annotations

import asyncio
import json
import sys
import sysconfig
import time
from collections.abc import Callable
from pathlib import Path

from ingester.adapters.analysis_pool import AnalysisPool, tune_collector
from ingester.domain.analysis import analyse_file
from ingester.domain.grammar import python_parser
from ingester.ports import SourceFile

DEFAULT = ("networkx/algorithms", "networkx/classes", "pygments", "sympy/core", "hypothesis", "packaging", "rich")
ROUNDS = 2


def read(folders: list[Path]) -> list[SourceFile]:
    files = [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.stat().st_size < 1 << 20]
    return [SourceFile(path.name, path.read_bytes()) for path in files]


def best(work: Callable[[], None], clock: Callable[[], float]) -> float:
    taken: list[float] = []
    for _ in range(ROUNDS):
        started = clock()
        work()
        taken.append(clock() - started)
    return min(taken)


async def pooled(files: list[SourceFile], processes: int) -> float:
    pool = AnalysisPool(processes)
    await asyncio.gather(*(pool.analyse(file, frozenset()) for file in files[: 4 * processes]))
    started = time.perf_counter()
    for start in range(0, len(files), 16):
        await asyncio.gather(*(pool.analyse(file, frozenset()) for file in files[start : start + 16]))
    taken = time.perf_counter() - started
    await pool.close()
    return taken


def main() -> None:
    site = Path(sysconfig.get_paths()["purelib"])
    folders = [Path(name) for name in sys.argv[1:]] or [site / name for name in DEFAULT if (site / name).is_dir()]
    # Every third file of the default folders is sample enough.
    files = read(folders) if sys.argv[1:] else read(folders)[::3]
    parser = python_parser()
    functions = sum(
        found.form != "class" for file in files for found in analyse_file(file.content, file.path).functions
    )
    tune_collector()

    def parse() -> None:
        for file in files:
            parser.parse(file.content)

    def analyse() -> None:
        for file in files:
            analyse_file(file.content, file.path)

    bare, full = best(parse, time.process_time), best(analyse, time.process_time)
    line = {
        "bench": "ingester_speed",
        "files": len(files),
        "functions": functions,
        "parse_per_s": round(functions / bare),
        "analysed_per_s": round(functions / full),
        "ratio": round(bare / full, 3),
        "bar": 0.2,
    }
    print(json.dumps(line))
    sample = files[::4]
    one, two = asyncio.run(pooled(sample, 1)), asyncio.run(pooled(sample, 2))
    line = {
        "bench": "ingester_speed_two_processes",
        "wall_s_one": round(one, 2),
        "wall_s_two": round(two, 2),
        "speedup": round(one / two, 2),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
