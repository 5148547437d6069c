"""Analysis in processes of its own: same answers, crashes survived, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from ingester.adapters.analysis_pool import AnalysisPool
from ingester.domain.analysis import analyse_file
from ingester.ports import ENDS_ITS_PROCESS, SourceFile

TEXT = b"import networkx\ndef f(x):\n    return networkx.Graph(x) if x else None\n"


@pytest.fixture
async def pool() -> AsyncIterator[AnalysisPool]:
    made = AnalysisPool(1)
    yield made
    await made.close()


async def test_answers_are_those_of_a_plain_call(pool: AnalysisPool) -> None:
    assert await pool.analyse(SourceFile("a.py", TEXT), frozenset()) == analyse_file(TEXT, "a.py")
    own = await pool.analyse(SourceFile("a.py", TEXT), frozenset({"networkx"}))
    assert own.functions[0].rejected_by == "own_library"
    broken = await pool.analyse(SourceFile("b.py", b"def f(:\n"), frozenset())
    assert "does not parse" in broken.problem


async def test_a_killed_process_costs_no_file(pool: AnalysisPool) -> None:
    await pool.analyse(SourceFile("a.py", TEXT), frozenset())
    assert pool._pool is not None
    (worker,) = pool._pool._processes
    os.kill(worker, signal.SIGKILL)
    await asyncio.sleep(0.2)
    for _ in range(2):
        assert (await pool.analyse(SourceFile("a.py", TEXT), frozenset())).functions


def test_the_pool_ends_with_a_killed_service() -> None:
    script = """
import asyncio
from ingester.adapters.analysis_pool import AnalysisPool
from ingester.ports import ENDS_ITS_PROCESS, SourceFile

async def main():
    pool = AnalysisPool(1)
    await pool.analyse(SourceFile("a.py", b"x = 1\\n"), frozenset())
    print(*pool._pool._processes, flush=True)
    await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""
    service = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    worker = int(service.stdout.readline())
    service.kill()
    service.wait()
    service.stdout.close()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{worker}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return
        if state == "Z":
            return
        time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the analysing process outlived its service")


BUSY = b"".join(b"def f%d(x):\n    return x if x else 0\n" % number for number in range(2000))


@pytest.mark.parametrize("doing", ["much", "in a library"])
async def test_a_file_that_takes_too_long_counts_as_one_that_does_not_parse(
    doing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pool = AnalysisPool(1, cpu_s=1.0)
    # What waits with it is read all the same.
    small = asyncio.create_task(pool.analyse(SourceFile("a.py", TEXT), frozenset()))
    if doing == "much":
        assert (await pool.analyse(SourceFile("busy.py", BUSY * 20), frozenset())).problem == ENDS_ITS_PROCESS
        assert await pool.fingerprints(BUSY * 20) is None
    else:
        assert await pool._in_process(partial(re.fullmatch, "(x+x+)+y", "x" * 60), "late") == "late"
    assert (await small).functions
    assert await pool.fingerprints(TEXT)
    await pool.close()


async def test_a_file_that_takes_too_much_memory_counts_as_one_that_does_not_parse(pool: AnalysisPool) -> None:
    assert await pool._in_process(partial(bytearray, 3 << 30), "too large") == "too large"
    assert (await pool.analyse(SourceFile("a.py", TEXT), frozenset())).functions
