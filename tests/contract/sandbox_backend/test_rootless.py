"""Backends without root: a user namespace, and cgroups that somebody delegated."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import pytest

NOBODY = 65534
REPO = Path(__file__).parents[3]
SCRIPT = """
import json, os, sys
from pathlib import Path
for place in json.loads(sys.argv[2]):
    Path(place, "cgroup.procs").write_text("0")
os.setgroups([]); os.setresgid(NOBODY, NOBODY, NOBODY); os.setresuid(NOBODY, NOBODY, NOBODY)
from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.selftest import run_attacks
from sandbox_executor.errors import IsolationMissingError
from sandbox_executor.usecases import Stop
state = Path(sys.argv[1])
toolchains = Toolchains(state, PACKAGE / "harness", RuntimePaths())
backend = local = LocalBackend(LANGUAGES, toolchains, LocalOptions(state))
if sys.argv[3]:
    backend = GvisorBackend(LANGUAGES, toolchains, GvisorOptions(Path(sys.argv[3]), state), local.cgroups)
answer = {"layers": {layer.name: [layer.in_force, layer.detail] for layer in backend.layers() if layer.required}}
def run(attack):
    results = []
    limits = Limits(attack.timeout_s, 60.0, attack.memory_bytes, attack.output_bytes, attack.processes)
    backend.run_cases(CasesJob("python", attack.source, "attack", ("[]",), limits), results.append, Stop())
    return results[0]
try:
    answer["attacks"] = {check.name: [check.passed, check.detail] for check in run_attacks(run)}
except IsolationMissingError as error:
    answer["refused"] = str(error)
backend.close()
local.close()
print(json.dumps(answer))
""".replace("NOBODY", str(NOBODY))


def run(tmp_path, places, runsc):
    """Run the script as nobody, by a Python that nobody may start."""
    python = shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")
    if python is None:
        pytest.skip("no Python outside of root's folders, so nobody else can start one")
    sources = [REPO / name / "src" for name in ("services/sandbox-executor", *(f"shared/{x}" for x in SHARED))]
    path = os.pathsep.join(str(place) for place in (*sources, sysconfig.get_path("purelib")))
    done = subprocess.run(
        [python, "-c", SCRIPT, str(tmp_path / "state"), json.dumps([str(place) for place in places]), runsc],
        env={"PYTHONPATH": path, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


SHARED = ("values", "runtime", "contracts", "rpc")


@pytest.fixture
def tmp_path():
    """A folder that everybody reaches: pytest closes its own ones whenever another run of it begins."""
    with tempfile.TemporaryDirectory(prefix="touchstone-rootless-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.fixture
def delegated():
    """Cgroups that belong to nobody, in every hierarchy that has a controller we use."""
    made = []
    own = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        own.update(dict.fromkeys(controllers.split(","), path))
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, target, kind, options, *_ = line.split()
        found = {"memory", "pids", "cpuacct"} & set(options.split(",")) if kind == "cgroup" else set()
        if found:
            folder = Path(target + own[found.pop()]) / f"rootless-{os.getpid()}"
            folder.mkdir()
            for path in (folder, *folder.iterdir()):
                os.chown(path, NOBODY, NOBODY)
            made.append(folder)
    if not made:
        pytest.skip("cgroups of the second version are delegated by whoever manages them")
    yield made
    for folder in made:
        folder.rmdir()


@pytest.fixture(params=["local", "gvisor"])
def program(request, tmp_path):
    """The path of a runsc that everybody may start; empty for the local backend."""
    if request.param == "local":
        return ""
    copy = tmp_path / "runsc"
    shutil.copy(request.getfixturevalue("runsc"), copy)
    copy.chmod(0o755)
    return str(copy)


def test_without_root_every_layer_holds(tmp_path, delegated, program):
    answer = run(tmp_path, delegated, program)
    assert all(holds for holds, _ in answer["layers"].values()), answer["layers"]
    assert answer["attacks"]
    assert not {name: detail for name, (held, detail) in answer["attacks"].items() if not held}


def test_without_delegated_cgroups_jobs_are_refused_with_the_way_out(tmp_path, program):
    answer = run(tmp_path, [], program)
    assert "attacks" not in answer
    assert "cgroup" in answer["refused"]
    assert "delegated" in answer["refused"]
