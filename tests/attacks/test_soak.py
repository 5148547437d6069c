"""A long mixed run: afterwards everything is as it was before. `SOAK_JOBS=20000` for the full length."""

import os
import random
import resource
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

JOBS = int(os.environ.get("SOAK_JOBS", "300"))
AT_A_TIME = 4
ATTACK_SHARE = 0.05
MIB = 2**20

HONEST = [
    ("def f(x): return x * 2", "returned"),
    ("def f(x):\n    print('words' * 100)\n    return [x] * 50", "returned"),
    ("def f(x): raise ValueError(x)", "raised"),
    ("import numpy as np\ndef f(x): return np.arange(x + 1)", "returned"),
    ("def f(x): return {str(i): (i, float(i)) for i in range(x + 5)}", "returned"),
    ("import os\ndef f(x):\n    open('/tmp/a', 'w').write('x' * 10000)\n    return os.listdir('/tmp')", "returned"),
    ("def f(x: return", "compile_error"),
]
ATTACKS = [
    ("import os\ndef f(x):\n    while True: os.fork()", "process_limit"),
    ("def f(x):\n    b = []\n    while True: b.append(bytearray(1 << 20))", "memory"),
    ("import os\ndef f(x): os._exit(0)", "exited"),
    ("import os\ndef f(x): os.kill(os.getpid(), 9)", "killed"),
    ("def f(x):\n    while True: pass", "timed_out"),
    ("def f(x):\n    while True: print('x' * 10000)", "output_limit"),
    ("import ctypes\ndef f(x): return ctypes.CDLL(None).ptrace(0, 0, 0, 0)", "forbidden"),
    (
        "import os\ndef f(x):\n    for d in range(3, 9):\n        try: os.write(d, b'\\0\\0\\0\\1x')\n"
        "        except OSError: pass\n    return x",
        "forbidden",
    ),
    (
        "import os, time\ndef f(x):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(100)\n"
        "    return x",
        "returned",
    ),
    (
        "import os\ndef f(x):\n    open('/dev/shm/a', 'wb').write(bytes(8 << 20))\n    os.symlink('/etc', f'l{x}')\n"
        "    return x",
        "returned",
    ),
]  # fmt: skip


def job_cgroups():
    """Folders of this process's jobs; those of other executors come and go meanwhile."""
    found = []
    for folder, names, _ in os.walk("/sys/fs/cgroup", onerror=lambda _: None):
        if Path(folder).name.startswith(f"touchstone-{os.getpid()}-"):
            found += [name for name in names if name.startswith("job-")]
    return found


def state(backend):
    """Everything of this machine that jobs could use up; counted once all containers that wait for a job are there."""
    if backend.name == "gvisor":
        backend._pool.waiting()
    own = 1_000_000 + (os.getpid() % 10_000) * 64
    processes = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if own <= os.stat(f"/proc/{entry}").st_uid < own + 64:
                    processes.append(entry)
            except OSError:
                continue
    return {
        "cgroups": len(job_cgroups()),
        "mounts": len(Path("/proc/self/mounts").read_text().splitlines()),
        "processes": len(processes),
        "descriptors": len(os.listdir("/proc/self/fd")),
        "temporary files": len(os.listdir(tempfile.gettempdir())),
    }


def test_soak(sandbox):
    dice = random.Random(7)
    # Where each job brings its own kernel, a tenth of them shows as much.
    count = JOBS if sandbox.backend.name == "local" else JOBS // 10
    jobs = [dice.choice(ATTACKS if dice.random() < ATTACK_SHARE else HONEST) for _ in range(count)]

    def run(job):
        source, outcome = job
        limits = {"memory_bytes": 96 * MIB, "processes": 12, "output_bytes": 1 * MIB, "case_timeout_s": 0.5}
        if outcome != "timed_out":
            # On a busy machine an honest program may wait long for its turn.
            limits["case_timeout_s"] = 20.0
        results = sandbox.cases(source, ["[1]", "[2]"], "f", **limits)
        got = [result.outcome.value for result in results]
        if outcome == "process_limit" and sandbox.backend.name == "gvisor":
            # The copies that a fork makes are held against its kernel's memory, which may be full first.
            got = [outcome if each == "memory" else each for each in got]
        return outcome, got

    with ThreadPoolExecutor(AT_A_TIME) as pool:
        list(pool.map(run, [*HONEST, *ATTACKS]))
        before, memory = state(sandbox.backend), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        started = time.monotonic()
        answers = list(pool.map(run, jobs))
        seconds = time.monotonic() - started
    wrong = [(wanted, got) for wanted, got in answers if got != [wanted, wanted]]
    assert not wrong, wrong[:5]
    assert len(answers) == count
    after = state(sandbox.backend)
    # Other programs of this machine may make temporary files meanwhile; ours may not.
    assert {**after, "temporary files": 0} == {**before, "temporary files": 0}
    assert after["processes"] == 0
    if sandbox.backend.name == "local":
        # Containers that wait for a job have cgroups of their own.
        assert after["cgroups"] == 0
    assert abs(after["temporary files"] - before["temporary files"]) < 20
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory
    assert grown < 64 * 1024, f"the executor grew by {grown} KiB"
    print(f"{count} jobs in {seconds:.1f} s, {count / seconds:.0f} jobs/s")
