"""Peak memory of the ingester over a small tree and one that is many times as large, in one run.

    python tests/bench/ingester_memory.py [--functions N]

Both trees are made of the same kinds of functions, under other names; the large one holds N functions (100,000 unless
told), the small one a tenth. The work is streamed, so the ratio of the peaks stays near 1. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PER_FILE = 250
PIECE = '''
def price_{n}(items: list[float], discount: float = 0.{n}) -> float:
    """Sum of the items, {n} per cent less above a hundred."""
    total = sum(items)
    if total > 100 + {n}:
        total -= total * discount
    return round(total, 2)
'''


def make(folder: Path, functions: int) -> None:
    """Write so many functions, some thousand lines a file, some files a folder."""
    for number in range(functions // PER_FILE):
        place = folder / f"part{number // 100}"
        place.mkdir(parents=True, exist_ok=True)
        start = number * PER_FILE
        (place / f"m{number}.py").write_text("".join(PIECE.format(n=n) for n in range(start, start + PER_FILE)))


def peak_bytes(folder: Path) -> tuple[int, float]:
    """Peak resident memory and seconds of classifying a folder."""
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "-m", "ingester", "classify", str(folder), "--json"], stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, process.returncode
    return usage.ru_maxrss * 1024, time.monotonic() - started


def main() -> None:
    """Measure both trees."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--functions", type=int, default=100_000)
    large = parser.parse_args().functions
    peaks: list[int] = []
    seconds = 0.0
    for functions in (large // 10, large):
        with tempfile.TemporaryDirectory() as made:
            make(Path(made), functions)
            peak, seconds = peak_bytes(Path(made))
            peaks.append(peak)
    line = {
        "bench": "ingester_memory",
        "functions": [large // 10, large],
        "peak_mib": [round(peak / 2**20, 1) for peak in peaks],
        "ratio": round(peaks[1] / peaks[0], 3),
        "functions_per_s": round(large / seconds),
    }
    print(json.dumps(line))


if __name__ == "__main__":
    main()
