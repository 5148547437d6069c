"""Analysis in processes of its own: same answers, crashes survived, nothing left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ingester.adapters.analysis_pool import AnalysisPool
from ingester.domain.analysis import analyse_file
from ingester.ports import SourceFile

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
from ingester.ports import SourceFile

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
