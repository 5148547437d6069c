"""A hog beside a victim: what one job does to the machine changes nothing of another's verdict.

`tests/bench/sandbox.py` measures the processor time; here it may be some way off, as tests share the machine.
"""

import threading
import time

import pytest

MIB = 2**20
VICTIM = """
def f(n):
    total = 0
    for i in range(n):
        total = (total * 31 + i) % 1000003
    return total
"""
HOGS = {
    "spinners": (
        "import os\ndef f(x):\n    for _ in range(54):\n        if os.fork() == 0:\n            while True: pass\n"
        "    while True: pass",
        {"processes": 64},
    ),
    "memory": ("def f(x):\n    b = []\n    while True: b.append(bytearray(1 << 20))", {"memory_bytes": 256 * MIB}),
    "bytes": ("import os\ndef f(x):\n    while True: os.write(1, b'x' * 65536)", {"output_bytes": 64 * MIB}),
    "imports": (
        "import os, sys\ndef f(x):\n    while True:\n        if os.fork() == 0:\n"
        "            for name in ('numpy', 'pandas', 'email', 'json', 'xml.dom.minidom'): __import__(name)\n"
        "            os._exit(0)\n        os.wait()",
        {"processes": 64},
    ),
    # Each time a sandbox is made anew.
    "endings": ("import os\ndef f(x): os._exit(1)", {}),
    "answers": ("def f(x): return [[]] * 900000", {"output_bytes": 64 * MIB}),
}


@pytest.mark.parametrize("name", HOGS)
def test_a_hog_changes_nothing_of_its_neighbours_verdict(bench, name):
    inputs = [[60_000 + i] for i in range(8)]
    limits = {"case_timeout_s": 2.0, "total_timeout_s": 60.0}
    alone = bench.cases(VICTIM, *inputs, **limits)
    source, options = HOGS[name]
    over = threading.Event()

    def hog():
        while not over.is_set():
            bench.cases(source, *[[0]] * 3, case_timeout_s=3.0, total_timeout_s=6.0, **options)

    threads = [threading.Thread(target=hog) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(1.5)
    try:
        beside = bench.cases(VICTIM, *inputs, **limits)
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert [(r.outcome, r.value) for r in beside] == [(r.outcome, r.value) for r in alone]
    assert all(r.outcome == "returned" for r in alone)
    assert beside[-1].job_cpu_s < 2 * alone[-1].job_cpu_s + 0.2


SPINS = """
import os, time
def f(seconds):
    end = time.monotonic() + seconds
    children = []
    for _ in range(3):
        child = os.fork()
        if child == 0:
            while time.monotonic() < end: pass
            os._exit(0)
        children.append(child)
    for child in children: os.waitpid(child, 0)
"""


def test_a_job_keeps_no_more_processors_busy_than_the_operator_allows(quarter):
    result = quarter.one(SPINS, 1.5, case_timeout_s=60.0)
    assert result.outcome == "returned", result
    # A busy machine gives less, never more; a period's share at both ends may come on top.
    assert result.cpu_s <= 0.25 * result.wall_s + 0.1
