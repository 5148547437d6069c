"""Attack programs, the sandboxes that must hold them, and the weakened runners where they must succeed."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.layout import LIBRARY, PACKAGE
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob, Printed, ProgramJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import resolve
from sandbox_executor.usecases import Stop
from touchstone_local.settings import folders

HERE = Path(__file__).parent
STATE = folders().cache
BACKENDS = ["local", "gvisor", "pods"]


@dataclasses.dataclass(frozen=True)
class Attack:
    """One program with what its first lines say about it."""

    path: Path
    source: str
    facts: dict[str, str]

    def __str__(self):
        return self.path.stem if self.path.suffix == ".py" else self.path.name

    def numbers(self, name):
        """Limits from a line such as `limits: memory_bytes=1 processes=2`."""
        pairs = [part.split("=") for part in self.facts.get(name, "").split()]
        return {key: float(value) if key.endswith("_s") else int(value) for key, value in pairs}


def read_attack(path):
    source = path.read_text()
    facts = {}
    for line in source.splitlines():
        if line == "<?php":
            continue
        mark, _, rest = line.partition(" ")
        name, colon, value = rest.partition(": ")
        if mark not in ("#", "//") or not colon:
            break
        facts[name] = value.strip()
    return Attack(path, source, facts)


def attacks_in(folder):
    found = [read_attack(path) for path in sorted((HERE / folder).iterdir()) if path.is_file()]
    machine = platform.machine()
    return [attack for attack in found if attack.facts.get("only", machine) == machine]


# Runner pods have no way out, and what a job could leave goes with its pod.
_NOT_IN_PODS = {"test_egress", "test_soak"}


def pytest_collection_modifyitems(items):
    """Leave out what is no question of a backend."""
    items[:] = [
        item
        for item in items
        if item.path.stem not in _NOT_IN_PODS
        or getattr(item, "callspec", None) is None
        or item.callspec.params.get("sandbox") != "pods"
    ]


def pytest_generate_tests(metafunc):
    for name, folder in (("isolation_attack", "isolation"), ("oracle_attack", "oracle")):
        if name in metafunc.fixturenames:
            metafunc.parametrize(name, attacks_in(folder), ids=str)


class Runner:
    """A backend and short ways to use it."""

    def __init__(self, backend, least_memory=0):
        self.backend = backend
        self.least_memory = least_memory

    def cases(self, source, inputs, entry, language="python", **limits):
        if "memory_bytes" in limits:
            limits["memory_bytes"] = max(limits["memory_bytes"], self.least_memory)
        job = CasesJob(language, source, entry, tuple(inputs), resolve(limits))
        results = []
        with contextlib.closing(Stop()) as stop:
            self.backend.run_cases(job, results.append, stop)
        return results

    def program(self, source, arguments=(), language="python", **limits):
        job = ProgramJob(language, source, (), b"", tuple(arguments), resolve(limits))
        events = []
        with contextlib.closing(Stop()) as stop:
            self.backend.run_program(job, events.append, stop)
        printed = {
            name: b"".join(e.data for e in events if isinstance(e, Printed) and e.stream == name).decode()
            for name in ("stdout", "stderr")
        }
        return events[-1], printed["stdout"], printed["stderr"]


class WeakenedBackend(LocalBackend):
    """The local backend with a launcher of these tests, which leaves layers out.

    Args:
        state: Folder of its own.
        weaken: `privileges`, `network`, `seccomp`, `landlock`.
    """

    def __init__(self, state, weaken):
        super().__init__(LANGUAGES, toolchains_here(), LocalOptions(state, 4))
        self._weaken = weaken
        program = f"{LIBRARY}/weakened.py"
        self._layout = dataclasses.replace(
            self._layout,
            binds=(*self._layout.binds, (str(HERE / "weak" / "launcher.py"), program)),
            files=self._layout.files | {"/etc/weaken": " ".join(sorted(weaken))},
            program=program,
        )

    def require_layers(self):
        """What is missing is missing on purpose."""

    def _plan(self, setting, user):
        return dataclasses.replace(super()._plan(setting, user), network="network" in self._weaken)


def toolchains_here():
    return Toolchains(STATE, PACKAGE / "harness", RuntimePaths())


def make_backend(state, weaken=frozenset()):
    if weaken:
        return WeakenedBackend(state, weaken)
    return LocalBackend(LANGUAGES, toolchains_here(), LocalOptions(state, 4))


@pytest.fixture(scope="session")
def php():
    """PHP as a plain program of this machine: its path, and the variables that it needs."""
    toolchains = toolchains_here()
    toolchains.places("php")
    executable = toolchains._runtime("php").executable
    return executable, {"LD_LIBRARY_PATH": str(executable.parent / "lib")}


def load_pods():
    """The cluster of pods of this machine's own, from beside the executor's unit tests."""
    path = HERE.parents[1] / "services" / "sandbox-executor" / "tests" / "runner_pods.py"
    spec = importlib.util.spec_from_file_location("runner_pods", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session", params=BACKENDS)
def sandbox(request, tmp_path_factory, host):
    state = tmp_path_factory.mktemp(request.param)
    if request.param == "pods":
        with load_pods().pods_anywhere(state, STATE, request.config.getoption("runner_pods")) as backend:
            yield Runner(backend)
        return
    if request.param == "local":
        backend = make_backend(state)
        yield Runner(backend)
        backend.close()
        return
    cgroups = Cgroups()
    toolchains = toolchains_here()
    options = GvisorOptions(request.getfixturevalue("runsc"), state, spares=2)
    backend = GvisorBackend(LANGUAGES, toolchains, options, lambda: cgroups)
    yield Runner(backend)
    backend.close()
    cgroups.close()


@pytest.fixture(scope="session")
def weakened(tmp_path_factory, host):
    """Sandboxes without some of their layers, by the set of layers left out."""
    made = {}

    def get(weaken=frozenset()):
        if weaken not in made:
            made[weaken] = Runner(make_backend(tmp_path_factory.mktemp("weak"), weaken))
        return made[weaken]

    yield get
    for runner in made.values():
        runner.backend.close()


def _answer_on(listener, text, heard):
    def serve():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            heard.append("connection")
            with connection:
                connection.sendall(text)

    listener.listen(8)
    threading.Thread(target=serve, daemon=True).start()


@pytest.fixture(scope="session")
def heard():
    """What the host's services were told, by whomever."""
    return []


@pytest.fixture(scope="session")
def host(tmp_path_factory, heard):
    """What this machine has that a candidate must not reach: a file, a secret, services on every kind of socket."""
    folder = tmp_path_factory.mktemp("host")
    secret = secrets.token_hex(16)
    os.environ["TOUCHSTONE_SECRET"] = secret
    (folder / "canary.txt").write_text(secret)
    content = {
        "file": str(folder / "canary.txt"),
        "content": secret,
        "secret": secret,
        "socket": str(folder / "s"),
        "abstract": f"touchstone-{secret}",
        "heartbeat": str(folder / "heartbeat"),
        "bare": False,
        "privileged": False,
        "victim": 1,
    }
    with contextlib.ExitStack() as stack:
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        content["port"] = tcp.getsockname()[1]
        _answer_on(tcp, b"hello from the host", heard)
        for address in (content["socket"], "\0" + content["abstract"]):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(address)
            _answer_on(listener, b"hello from the host", heard)
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        datagrams.bind(("127.0.0.1", 0))
        content["datagram_port"] = datagrams.getsockname()[1]

        def echo():
            while True:
                try:
                    data, sender = datagrams.recvfrom(100)
                    heard.append("datagram")
                    datagrams.sendto(data, sender)
                except OSError:
                    return

        threading.Thread(target=echo, daemon=True).start()
        yield content


PLACES = ("/", "/etc", "/usr", "/usr/lib", "/usr/bin", "/dev", "/work", "/tmp", "/dev/shm", "/var/tmp")
SETTINGS = ("core_pattern", "hostname", "domainname")
# Where a node mounts what is a pod's own: they come and go with pods.
OF_PODS = ("/kubelet/pods/", "/run/containerd/", "/run/netns/")


@pytest.fixture
def witness(host, heard):
    """What can be seen of an attack from outside, whatever the attack itself says; the same before and after it."""

    def look():
        names = ("attacked", "linked", "note", "written", "large", "many")
        return {
            "heard": len(heard),
            "canary": Path(host["file"]).read_text() == host["content"],
            "files": [f"{folder}/{name}" for folder in PLACES for name in names if os.path.lexists(f"{folder}/{name}")],
            "devices": sorted(name for name in os.listdir("/dev") if name.startswith("device-")),
            "settings": [Path("/proc/sys/kernel", name).read_text() for name in SETTINGS],
            "queues": [Path("/proc/sysvipc", name).read_text().count(str(0x70AD)) for name in ("shm", "msg", "sem")],
            "priority": [os.getpriority(os.PRIO_PROCESS, pid) for pid in (0, os.getppid())],
            "limits": Path("/proc/self/limits").read_text(),
            "mounts": [
                line for line in Path("/proc/self/mounts").read_text().splitlines() if not any(map(line.count, OF_PODS))
            ],
        }

    return look


@pytest.fixture
def bare(tmp_path):
    """Runs a script as a plain process of this machine: no isolation at all."""

    def run(script, *arguments, timeout=300, leak=()):
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, timeout=timeout, pass_fds=leak, check=False
        )

    return run


@pytest.fixture
def made_up():
    """Makes an attack of these facts, for tests of what reads them."""
    return lambda **facts: Attack(Path("made_up.py"), "", facts)


@pytest.fixture
def reached():
    """What an attack says that it reached."""

    def read(result):
        return json.loads(result.value) if result.value else []

    return read
