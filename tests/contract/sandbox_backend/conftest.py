"""Every backend of the sandbox, with ways to give it jobs."""

from __future__ import annotations

import base64
import contextlib
import dataclasses
import datetime
import email.utils
import hashlib
import http.server
import importlib.util
import io
import json
import os
import tarfile
import threading
import urllib.parse
import zipfile
from pathlib import Path

import pytest

from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.hosting.users import FIRST_USER, USERS_PER_EXECUTOR
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob, File, Printed, ProgramJob, ProgramResult
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.packages import Policy
from sandbox_executor.usecases import Stop
from touchstone_local.settings import folders

STATE = folders().cache


@dataclasses.dataclass
class Ran:
    """A program's run."""

    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]
    result: ProgramResult


GVISOR_SLACK = 128 * 2**20


class Bench:
    """A backend and short ways to use it."""

    def __init__(self, backend, memory_slack=2**20):
        self.backend = backend
        # How far a job can get beyond its memory limit before it is ended.
        self.memory_slack = memory_slack

    def cases(self, source, *inputs, entry="f", stop=None, language="python", **options):
        """Results of the calls; inputs are portable texts or values for JSON."""
        texts = tuple(text if isinstance(text, str) else json.dumps(text) for text in inputs)
        names = [field.name for field in dataclasses.fields(CasesJob)]
        rest = {name: options.pop(name) for name in list(options) if name in names}
        job = CasesJob(language, source, entry, texts, resolve(options), **rest)
        results = []
        mine = stop or Stop()
        try:
            self.backend.run_cases(job, results.append, mine)
        finally:
            if stop is None:
                mine.close()
        return results

    def one(self, source, *arguments, **options):
        """The result of a single call."""
        (result,) = self.cases(source, list(arguments), **options)
        return result

    def program(self, source, *, files=None, stdin=b"", arguments=(), artefacts=(), language="python", **options):
        """A whole program."""
        environment = options.pop("environment_id", "")
        job = ProgramJob(
            language,
            source,
            tuple(File(path, content) for path, content in (files or {}).items()),
            stdin,
            tuple(arguments),
            resolve(options),
            environment,
            tuple(artefacts),
        )
        events = []
        stop = Stop()
        try:
            self.backend.run_program(job, events.append, stop)
        finally:
            stop.close()
        text = {
            name: b"".join(e.data for e in events if isinstance(e, Printed) and e.stream == name)
            for name in ("stdout", "stderr")
        }
        brought = {e.path: e.content for e in events if isinstance(e, File)}
        return Ran(text["stdout"], text["stderr"], brought, events[-1])

    def later(self, seconds):
        """A cancellation that is requested by itself after a while."""
        stop = Stop()
        threading.Timer(seconds, stop.request).start()
        return stop


# What runner pods refuse (packages and a way out need a network), or leave to the cluster (shares of a processor).
_NOT_IN_PODS = {"test_egress", "test_go_packages", "test_java_packages", "test_packages", "test_neighbours"}
# Look into the process that makes sandboxes, which is the pod's.
_LOOK_INSIDE = {
    "test_types_are_checked_once_however_often_the_program_is_started",
    "test_a_case_that_is_asked_again_finds_nothing_of_its_first_attempt",
}


def pytest_collection_modifyitems(items):
    """Leave out what a backend refuses; `test_pods.py` shows that it does."""
    items[:] = [
        item
        for item in items
        if getattr(item, "callspec", None) is None
        or item.callspec.params.get("bench") != "pods"
        or (item.path.stem not in _NOT_IN_PODS and item.originalname not in _LOOK_INSIDE)
    ]


def load_pods():
    """The cluster of pods of this machine's own, from beside the executor's unit tests."""
    path = Path(__file__).parents[3] / "services" / "sandbox-executor" / "tests" / "runner_pods.py"
    spec = importlib.util.spec_from_file_location("runner_pods", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def slack_of(backend):
    """How far jobs of runner pods get beyond their memory: gVisor's kernel holds none, so the runner looks at it."""
    kernel = next(layer.detail for layer in backend.layers() if layer.name == "kernel")
    return GVISOR_SLACK if "gVisor" in kernel else 2**20


# Each job is a start of Python on gVisor's kernel: for the few tests that ask for it.
PODS_IN_GVISOR = "pods in gvisor"


@pytest.fixture(scope="session", params=["local", "gvisor", "pods"])
def bench(request, tmp_path_factory):
    # What the host has in its environment must never be seen inside.
    os.environ["TOUCHSTONE_CANARY"] = "canary-7f3a"
    state = tmp_path_factory.mktemp(request.param)
    if request.param == "pods":
        with load_pods().pods_anywhere(state, STATE, request.config.getoption("runner_pods")) as backend:
            yield Bench(backend, slack_of(backend))
        return
    if request.param == PODS_IN_GVISOR:
        more = {"runsc": request.getfixturevalue("runsc"), "replicas": 1, "look_s": 120.0}
        with load_pods().pods_backend(state, STATE, **more) as backend:
            yield Bench(backend, slack_of(backend))
        return
    toolchains = Toolchains(STATE, PACKAGE / "harness", RuntimePaths())
    if request.param == "local":
        backend = LocalBackend(LANGUAGES, toolchains, LocalOptions(state, 4))
        yield Bench(backend)
        backend.close()
        return
    cgroups = Cgroups()
    options = GvisorOptions(request.getfixturevalue("runsc"), state, spares=2)
    backend = GvisorBackend(LANGUAGES, toolchains, options, lambda: cgroups)
    yield Bench(backend, GVISOR_SLACK)
    backend.close()
    cgroups.close()


@pytest.fixture
def quarter(bench, request, tmp_path):
    """A backend of the same kind whose jobs keep a quarter of a processor busy at most."""
    toolchains = Toolchains(STATE, PACKAGE / "harness", RuntimePaths())
    local = LocalBackend(LANGUAGES, toolchains, LocalOptions(tmp_path, 1, cpus=0.25))
    backend = local
    if bench.backend.name == "gvisor":
        # As in the service: its cgroups are the local backend's.
        options = GvisorOptions(request.getfixturevalue("runsc"), tmp_path, spares=0)
        backend = GvisorBackend(LANGUAGES, toolchains, options, local.cgroups)
    yield Bench(backend)
    if backend is not local:
        backend.close()
    local.close()


@pytest.fixture
def leftovers(bench):
    """Everything that jobs could leave on the host: processes of their users, cgroups, mounts, descriptors."""

    def look():
        pool = getattr(bench.backend, "_pool", None)
        # Those that wait for the next job are no leftovers.
        waiting = pool.waiting() if hasattr(pool, "waiting") else []
        idle = {str(folder) for container in waiting for folder in container.cgroup._folders.values()}
        own = {pid for container in waiting for pid in container.cgroup.pids()}
        users = []
        first = FIRST_USER + (os.getpid() % 10_000) * USERS_PER_EXECUTOR
        for entry in os.listdir("/proc"):
            if entry.isdigit() and int(entry) not in own:
                try:
                    job = first <= os.stat(f"/proc/{entry}").st_uid < first + USERS_PER_EXECUTOR
                    words = Path(f"/proc/{entry}/cmdline").read_text()
                except OSError:
                    continue
                if job or f"touchstone-gvisor-{os.getuid()}/{os.getpid()}-" in words:
                    users.append(entry)
        cgroups = set()
        # Folders of other executors vanish while they are looked through.
        for folder, names, _ in os.walk("/sys/fs/cgroup", onerror=lambda _: None):
            if Path(folder).name.startswith(f"touchstone-{os.getpid()}-"):
                cgroups |= {str(Path(folder, name)) for name in names if name.startswith("job-")}
        return {
            "processes": len(users),
            "cgroups": len(cgroups - idle),
            "mounts": len(Path("/proc/self/mounts").read_text().splitlines()),
            "descriptors": len(os.listdir("/proc/self/fd")),
        }

    return look


class Index:
    """A registry of npm packages and an index of wheels, on loopback."""

    def __init__(self):
        self._files = {}
        self._npm = {}
        self._wheels = {}
        self._dates = {}
        self._sent_on = {}
        self._answers = {}
        self.asked = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            # Else what cannot be read as a request is answered without a status line, which npm calls a broken answer.
            default_request_version = "HTTP/1.1"

            def do_GET(self):
                outer.asked.append(self.path)
                if self.path in outer._sent_on:
                    self.send_response(302)
                    self.send_header("Location", outer._sent_on[self.path])
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                if outer._answers.get(self.path):
                    status, headers = outer._answers[self.path].pop(0)
                    self.send_response(status)
                    for name, value in headers.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                found = outer._find(urllib.parse.unquote(self.path.partition("?")[0]))
                if found is None:
                    self.send_error(404)
                    return
                kind, body = found
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                if self.path in outer._dates:
                    self.send_header("Last-Modified", outer._dates[self.path])
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def _find(self, path):
        if path in self._files:
            return "application/octet-stream", self._files[path]
        name = path.strip("/")
        if name in self._npm:
            return "application/json", json.dumps(self._npm[name]).encode()
        if name.startswith("simple/") and name[7:] in self._wheels:
            page = {"meta": {"api-version": "1.1"}, "name": name[7:], "files": self._wheels[name[7:]]}
            return "application/vnd.pypi.simple.v1+json", json.dumps(page).encode()
        return None

    def npm(self, name, version, files, *, days=100, integrity="", needs=None, **manifest):
        """Publish a package of npm; `files` are texts or bytes by path."""
        manifest = {"name": name, "version": version, "dependencies": needs or {}, **manifest}
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            for path, content in {"package.json": json.dumps(manifest), **files}.items():
                data = content.encode() if isinstance(content, str) else content
                member = tarfile.TarInfo(f"package/{path}")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))
        data = stream.getvalue()
        place = f"/{name}/-/{name.rpartition('/')[2]}-{version}.tgz"
        self._files[place] = data
        known = self._npm.setdefault(name, {"name": name, "dist-tags": {}, "versions": {}, "time": {}})
        proof = integrity or "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
        known["versions"][version] = manifest | {"dist": {"tarball": self.url + place, "integrity": proof}}
        known["time"][version] = _ago(days)
        known["dist-tags"]["latest"] = version

    def file(self, path, data):
        """Serve a file that no page names."""
        self._files[path] = data
        return self.url + path

    def jar(
        self, name, version, files, *, days=100, needs=(), digest="", scopes=("compile",), more="", also=(), damage=None
    ):  # fmt: skip
        """Publish an archive of Java; `files` are bytes by path, `needs` are `group:name:version[:classifier]`.

        `also` are classifiers under which it is there as well; `damage` changes its bytes.
        """
        group, artifact = name.split(":")
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for path, data in files.items():
                archive.writestr(path, data)
        data, words = stream.getvalue(), ""
        data = damage(data) if damage else data
        tags = ("groupId", "artifactId", "version", "classifier", "scope")
        for number, need in enumerate(needs):
            parts = need.split(":")
            values = (*parts, *[""] * (4 - len(parts)), scopes[number % len(scopes)])
            inner = "".join(f"<{tag}>{value}</{tag}>" for tag, value in zip(tags, values, strict=True) if value)
            words += f"<dependency>{inner}</dependency>"
        folder = f"/maven/{group.replace('.', '/')}/{artifact}"
        place = f"{folder}/{version}/{artifact}-{version}"
        pom = (
            "<project><modelVersion>4.0.0</modelVersion>"
            f"<groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>"
            f"<dependencies>{words}</dependencies>{more}</project>"
        )
        self._files[f"{place}.pom"] = pom.encode()
        for jar in (f"{place}.jar", *(f"{place}-{classifier}.jar" for classifier in also)):
            self._files[jar] = data
            self._dates[jar] = email.utils.format_datetime(
                datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days), usegmt=True
            )
            if digest != "none":
                self._files[f"{jar}.sha1"] = (digest or hashlib.sha1(data).hexdigest()).encode()
        self._files[f"{folder}/maven-metadata.xml"] = (
            f"<metadata><groupId>{group}</groupId><artifactId>{artifact}</artifactId><versioning>"
            f"<latest>{version}</latest><release>{version}</release><versions><version>{version}</version></versions>"
            "<lastUpdated>20260101000000</lastUpdated></versioning></metadata>"
        ).encode()

    def module(self, path, version, files, *, needs=(), days=100, go="1.21"):
        """Publish a module of Go on the mirror; `files` are texts by path, `needs` are `path version`."""
        folder = f"/go/{path}/@v"
        requires = "".join(f"require {need}\n" for need in needs)
        manifest = f"module {path}\n\ngo {go}\n\n{requires}"
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for name, text in {"go.mod": manifest, **files}.items():
                archive.writestr(f"{path}@{version}/{name}", text)
        known = self._files.get(f"{folder}/list", b"").decode().split()
        told = json.dumps({"Version": version, "Time": _ago(days)}).encode()
        self._files |= {
            f"{folder}/{version}.info": told,
            f"{folder}/{version}.mod": manifest.encode(),
            f"{folder}/{version}.zip": stream.getvalue(),
            f"{folder}/list": "\n".join([*known, version]).encode(),
        }

    def sends_on(self, path, target):
        """Answer a path by another address."""
        self._sent_on[path] = target

    def answers(self, path, *statuses, **headers):
        """Answer a path by these, one after the other, before it gives what it has."""
        self._answers[path] = [(status, headers) for status in statuses]

    def wheel(self, name, version, files, *, days=100, tag="py3-none-any", needs=()):
        """Publish a wheel; `needs` are its requirements."""
        info = f"{name}-{version}.dist-info"
        content = {
            **files,
            f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
            + "".join(f"Requires-Dist: {need}\n" for need in needs),
            f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {tag}\n",
        }
        content[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in content) + f"{info}/RECORD,,\n"
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w") as archive:
            for path, text in content.items():
                archive.writestr(path, text)
        data = stream.getvalue()
        file = f"{name}-{version}-{tag}.whl"
        self._files[f"/wheels/{file}"] = data
        entry = {
            "filename": file, "url": f"{self.url}/wheels/{file}", "upload-time": _ago(days), "size": len(data),
            "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
        }  # fmt: skip
        self._wheels.setdefault(name, []).append(entry)


def _ago(days):
    return (datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)).isoformat().replace("+00:00", "Z")


@pytest.fixture(scope="session")
def index():
    made = Index()
    yield made
    made.server.shutdown()


@pytest.fixture
def elsewhere():
    """Another server than the configured one."""
    made = Index()
    yield made
    made.server.shutdown()


@pytest.fixture
def preparing(index):
    """Makes what prepares packages, in a state folder, under a policy."""
    with contextlib.ExitStack() as stack:

        def make(state, **policy):
            variables = {"PIP_INDEX_URL": f"{index.url}/simple", "PIP_DEFAULT_TIMEOUT": "30"}
            registry = {"npm_config_registry": index.url, "npm_config_fetch_retries": "0"}
            # Nobody but the mirror is to be asked, whatever an operator has set for a shell of their own.
            mirror = {"GOPROXY": f"{index.url}/go,direct", "GOSUMDB": "off", "GOPRIVATE": "example.test/*"}
            options = LocalOptions(
                state,
                2,
                variables,
                registry,
                maven_repository=f"{index.url}/maven",
                go_variables=mirror,
                policy=Policy(**policy),
            )
            backend = LocalBackend(LANGUAGES, Toolchains(STATE, PACKAGE / "harness", RuntimePaths()), options)
            stack.callback(backend.close)

            def prepare(language, *requirements):
                with contextlib.closing(Stop()) as stop:
                    return backend.prepare(language, requirements, stop)

            return prepare

        yield make


@pytest.fixture
def prepare(bench, preparing):
    """Prepares in the folder where the backend under test finds environments."""
    return preparing(bench.backend._options.state_dir)
