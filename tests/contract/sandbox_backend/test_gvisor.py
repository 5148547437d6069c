"""What only gVisor has: a kernel that can end, containers that are started ahead, a program that must be built."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.gvisor.pool import running_folder
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob, ProgramJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import resolve
from sandbox_executor.errors import IsolationMissingError, JobRefusedError
from sandbox_executor.usecases import Stop
from touchstone_local.settings import folders

STATE = folders().cache
MIB = 2**20


@pytest.fixture
def backend(tmp_path):
    """Makes backends with options of their own."""
    made = []
    cgroups = Cgroups()
    toolchains = Toolchains(STATE, PACKAGE / "harness", RuntimePaths())

    def make(runsc, **options):
        made.append(GvisorBackend(LANGUAGES, toolchains, GvisorOptions(runsc, tmp_path, **options), lambda: cgroups))
        return made[-1]

    yield make
    for one in made:
        one.close()
    cgroups.close()


def cases(backend, source, *inputs, language="python", entry="f", **limits):
    results = []
    stop = Stop()
    backend.run_cases(CasesJob(language, source, entry, inputs, resolve(limits)), results.append, stop)
    stop.close()
    return results


@pytest.mark.parametrize("backend_name", ["gvisor"])
def test_a_container_that_the_kernel_ends_is_made_anew(backend, runsc, backend_name):
    # Nobody looks at the memory in time, so the cgroup's own limit ends gVisor's kernel, and the built program with it.
    made = backend(runsc, spares=0, watch_every_s=3600.0)
    source = """
        package main

        func f(n int) int {
            all := make([]byte, n)
            for i := range all { all[i] = 1 }
            return len(all)
        }"""
    results = cases(made, source, "[10]", f"[{1500 * MIB}]", "[20]", language="go", memory_bytes=256 * MIB)
    assert [result.outcome.value for result in results] == ["returned", "memory", "returned"], results
    assert [results[0].value, results[2].value] == ["10", "20"]
    assert results[-1].job_cpu_s > results[0].job_cpu_s


@pytest.mark.parametrize("backend_name", ["gvisor"])
def test_one_is_started_ahead_and_serves_the_common_shape_only(backend, runsc, backend_name):
    made = backend(runsc, spares=1)
    source = "def f(x): return hash('text') - hash('text') + x"
    assert cases(made, source, "[1]")[0].value == "1"
    (ahead,) = made._pool.waiting()
    assert ahead.alive
    results = []
    stop = Stop()
    made.run_cases(CasesJob("python", source, "f", ("[2]",), resolve({}), hash_seed=5), results.append, stop)
    assert results[0].value == "2"
    assert made._pool.waiting() == [ahead]
    assert cases(made, source, "[3]")[0].value == "3"
    assert not ahead.alive
    # One that ended while it waited is not given to a job.
    (ahead,) = made._pool.waiting()
    ahead.kill()
    ahead._process.wait()
    assert cases(made, source, "[4]")[0].value == "4"
    stop.close()


def test_without_the_program_jobs_are_refused_with_the_way_out(backend, tmp_path):
    made = backend(tmp_path / "absent")
    (layer,) = made.layers()
    assert not layer.in_force
    assert "provision-gvisor" in layer.detail
    with pytest.raises(IsolationMissingError, match="provision-gvisor"):
        cases(made, "def f(): return 1", "[]")
    # It may come while the service runs.
    (tmp_path / "absent").write_text("#!/bin/sh\necho no >&2; exit 3\n")
    (tmp_path / "absent").chmod(0o755)
    with pytest.raises(IsolationMissingError, match="does not start: no"):
        cases(made, "def f(): return 1", "[]")


def test_packages_are_prepared_elsewhere(backend, tmp_path):
    stop = Stop()
    with pytest.raises(JobRefusedError, match="local backend"):
        backend(tmp_path / "absent").prepare("python", ("attrs",), stop)
    stop.close()


SERVE = """
import sys
from pathlib import Path
from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import ProgramJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.usecases import Stop
state, runsc = Path(sys.argv[1]), Path(sys.argv[2])
cgroups = Cgroups()
toolchains = Toolchains(state, PACKAGE / "harness", RuntimePaths())
backend = GvisorBackend(LANGUAGES, toolchains, GvisorOptions(runsc, state), lambda: cgroups)
source = "import os, time\\nif os.fork(): print('runs', flush=True)\\ntime.sleep(600)"
def told(event):
    sys.stdout.write("running\\n")
    sys.stdout.flush()
backend.run_program(ProgramJob("python", source, (), b"", (), DEFAULT), told, Stop())
"""


def remains(pid):
    """What an executor left: processes, folders, cgroups."""
    mark = f"touchstone-gvisor-{os.getuid()}/{pid}-"
    processes = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                words = Path(f"/proc/{entry}/cmdline").read_text()
            except OSError:
                continue
            if mark in words:
                processes.append(entry)
    folders = [path.name for path in running_folder().parent.iterdir() if path.name.startswith(f"{pid}-")]
    cgroups = []
    for folder, names, _ in os.walk("/sys/fs/cgroup", onerror=lambda _: None):
        cgroups += [str(Path(folder, name)) for name in names if name.startswith(f"touchstone-{pid}-")]
    return processes, folders, cgroups


@pytest.mark.parametrize("backend_name", ["gvisor"])
def test_an_executor_that_is_killed_leaves_nothing(tmp_path, runsc, backend, backend_name):
    command = [sys.executable, "-c", SERVE, str(tmp_path), str(runsc)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as executor:
        assert executor.stdout.readline() == "running\n"
        processes, _, _ = remains(executor.pid)
        assert len(processes) >= 3
        executor.send_signal(signal.SIGKILL)
    # Its jobs end with it: their first process hears that nobody commands it any more.
    deadline = time.monotonic() + 120
    while remains(executor.pid)[0] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert remains(executor.pid)[0] == []
    # The next executor removes its folders and cgroups.
    assert cases(backend(runsc, spares=0), "def f(): return 1", "[]")[0].value == "1"
    Cgroups().close()
    assert remains(executor.pid) == ([], [], [])


@pytest.mark.parametrize("backend_name", ["gvisor"])
def test_a_cancelled_job_is_gone_at_once(backend, runsc, backend_name):
    # Backends of other tests may have containers that wait.
    others = set(remains(os.getpid())[0])
    made = backend(runsc, spares=0)
    assert cases(made, "def f(): return 1", "[]")[0].value == "1"
    stop = Stop()
    stop.request()
    started = time.monotonic()
    made.run_program(ProgramJob("python", "while True: pass", (), b"", (), resolve({})), lambda _: None, stop)
    assert time.monotonic() - started < 120
    assert set(remains(os.getpid())[0]) <= others
    stop.close()
