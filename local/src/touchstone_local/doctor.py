"""What this machine has, what it lacks, and what to do about it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from touchstone_local import control, jars, models, platform, ports, postgres, processes, weaviate
from touchstone_local.download import human
from touchstone_local.errors import LocalError
from touchstone_local.programs import search_path
from touchstone_local.settings import Folders, environment, setting

OK = "ok"
WARNING = "warning"
PROBLEM = "problem"

NEEDED_DISK_BYTES = 4_000_000_000
NEEDED_MEMORY_BYTES = 6_000_000_000


@dataclass(frozen=True)
class Check:
    """One finding.

    Attributes:
        name: What was looked at.
        state: "ok", "warning" (something works less well) or "problem" (the platform cannot do its job).
        detail: What was found.
        way_out: What to do; empty where nothing is to be done.
    """

    name: str
    state: str
    detail: str
    way_out: str = ""


def examine(folders: Folders) -> list[Check]:
    """Look at everything that the platform needs; changes nothing."""
    checks: list[Callable[[], Check]] = [
        _python,
        _java,
        lambda: _jar_files("kafka", "Kafka jars", folders),
        _postgres,
        lambda: _program("Node", "node", ["--version"], "JavaScript and TypeScript candidates", "TOUCHSTONE_NODE"),
        lambda: _program("Go", "go", ["version"], "Go candidates", "TOUCHSTONE_GO_ROOT", "bin/go"),
        lambda: _php(folders),
        lambda: _jar_files("ecj", "Java compiler", folders),
        _bubblewrap,
        _cgroups,
        _settings,
        *_models(folders),
        *([lambda: _weaviate(folders)] if platform.own_weaviate() else []),
        lambda: _disk(folders),
        _memory,
        *(lambda service=service: _ports(service, folders) for service in platform.services()),
        lambda: _platform(folders),
    ]
    # What is wrong for several is told once.
    return list(dict.fromkeys(_guarded(check) for check in checks))


def _guarded(check: Callable[[], Check]) -> Check:
    try:
        return check()
    except LocalError as error:
        return _refused(error)


def _refused(error: LocalError) -> Check:
    return Check(error.thing or "setting", PROBLEM, error.message, error.way_out)


def _output(command: list[str], variables: Mapping[str, str] | None = None) -> str:
    """First line that a program prints; empty when it cannot be run."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=30,
            env=_environment() | dict(variables or {}),
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout or done.stderr).strip().splitlines()
    return lines[0] if done.returncode == 0 and lines else ""


def _environment() -> dict[str, str]:
    return environment() | {"PATH": search_path(setting("PATH"))}


def _python() -> Check:
    return Check("Python", OK, f"{'.'.join(map(str, sys.version_info[:3]))} at {sys.executable}")


def _java() -> Check:
    program = jars.java()
    version = _output([str(program), "-version"])
    if not version:
        return Check(
            "Java", PROBLEM, f"{program} does not run", "run `make setup`, or name one by TOUCHSTONE_JAVA_HOME"
        )
    return Check("Java", OK, version)


def _jar_files(group: str, name: str, folders: Folders) -> Check:
    absent = jars.missing(group, folders.cache)
    if absent:
        size = human(sum(jar.size_bytes for jar in absent))
        return Check(name, WARNING, f"{len(absent)} files are missing ({size})", "`touchstone up` fetches them")
    return Check(name, OK, f"{len(jars.locked(group))} files in {jars.folder_of(group, folders.cache)}")


def _postgres() -> Check:
    if platform.external("database_url"):
        return Check("PostgreSQL", OK, "TOUCHSTONE_DATABASE_URL names a server")
    version = _output([str(postgres.binaries() / "postgres"), "--version"])
    if not version:
        return Check("PostgreSQL", PROBLEM, f"{postgres.binaries()} does not run", "run `make setup`")
    return Check("PostgreSQL", OK, version)


def _program(name: str, program: str, arguments: list[str], use: str, named_by: str, inside: str = "") -> Check:
    """A language's runtime: the one that a setting names, else the one of its package."""
    named = setting(named_by)
    path = str(Path(named) / inside) if named else shutil.which(program, path=_environment()["PATH"])
    version = _output([path, *arguments]) if path else ""
    if version:
        return Check(name, OK, version)
    if named:
        return Check(name, WARNING, f"{path} does not run: no {use}", f"correct or unset {named_by}")
    return Check(name, WARNING, f"missing: no {use}", f"run `make setup`, or name one by {named_by}")


def _php(folders: Folders) -> Check:
    """The one that a setting names, else our own, which the executor fetches below the cache, else the system's."""
    ours = sorted((folders.cache / "sandbox" / "toolchains").glob("php-*/php"))
    if setting("TOUCHSTONE_PHP") or not ours:
        found = _program("PHP", "php", ["--version"], "PHP candidates yet", "TOUCHSTONE_PHP")
        if found.state != OK and not setting("TOUCHSTONE_PHP"):
            return Check("PHP", WARNING, "not fetched yet (36 MB)", "`make tools`, or the first start, fetches it")
        return found
    version = _output([str(ours[-1]), "--version"], {"LD_LIBRARY_PATH": str(ours[-1].parent / "lib")})
    if not version:
        way_out = f"remove {ours[-1].parent}, or name your system's by TOUCHSTONE_PHP"
        return Check("PHP", WARNING, f"{ours[-1]} does not run: no PHP candidates", way_out)
    return Check("PHP", OK, version)


def _bubblewrap() -> Check:
    path = shutil.which("bwrap", path=_environment()["PATH"])
    if path is None:
        return Check("isolation", PROBLEM, "bubblewrap is missing", "run `make setup`")
    command = [path, "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--"]
    done = subprocess.run([*command, "/bin/true"], capture_output=True, text=True, timeout=30, check=False)
    if done.returncode != 0:
        why = (done.stderr.strip().splitlines() or ["it fails"])[-1]
        return Check(
            "isolation",
            PROBLEM,
            f"no namespaces for foreign code: {why}",
            "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 and user.max_user_namespaces>0; on "
            "Ubuntu also kernel.apparmor_restrict_unprivileged_userns=0), or run as root; in a container allow "
            "mounts and namespaces",
        )
    return Check(
        "isolation", OK, f"{_output([path, '--version'])} makes namespaces; see also `touchstone sandbox selftest`"
    )


def _cgroups() -> Check:
    root = Path("/sys/fs/cgroup")
    if (root / "cgroup.controllers").is_file():
        kind, probe = "v2", root
    elif (root / "memory").is_dir():
        kind, probe = "v1", root / "memory"
    else:
        return Check("cgroups", WARNING, "none is mounted", "mount the cgroup file system; memory limits need it")
    if os.access(probe, os.W_OK):
        return Check("cgroups", OK, f"{kind}, writable")
    return Check(
        "cgroups",
        WARNING,
        f"{kind}, not writable: memory is limited less strictly",
        "run as root, or delegate a cgroup",
    )


def _settings() -> Check:
    """The settings that all services share; which of them is wrong is told without its value."""
    # Loaded here: most commands read no settings of services.
    from touchstone_runtime.errors import PreconditionError
    from touchstone_runtime.settings import ServiceSettings

    try:
        ServiceSettings()  # pyright: ignore[reportCallIssue]  every field has a default
    except PreconditionError as error:
        return Check(error.thing, PROBLEM, error.message, error.way_out)
    return Check("settings", OK, "what all services share is understood")


def _models(folders: Folders) -> list[Callable[[], Check]]:
    """One look at each model that a start waits for; where settings name none that can be had, one that says so."""
    try:
        wanted = control.wanted_models()
    except LocalError as error:
        refused = _refused(error)
        return [lambda: refused]
    own = platform.external("llm_model")
    agents = [lambda: Check("model of agents", OK, own)] if own else []
    return [*(lambda model=model: _model(model, folders) for model in wanted), *agents]


def _model(model: models.Model, folders: Folders) -> Check:
    name = f"{model.kind} model"
    if models.present(model, folders.models):
        return Check(name, OK, f"{model.name} in {folders.models / model.path}")
    return Check(
        name, WARNING, f"{model.name} is missing ({human(model.download_bytes)})", "`touchstone up` fetches it"
    )


def _weaviate(folders: Folders) -> Check:
    program = weaviate.find(folders.cache)
    if program is None:
        way_out = "run `make tools TOOLS=weaviate`, or unset TOUCHSTONE_CODE_INDEX"
        return Check("Weaviate", PROBLEM, "is not built yet", way_out)
    return Check("Weaviate", OK, str(program))


def _existing(folder: Path) -> Path:
    return next(parent for parent in (folder, *folder.parents) if parent.exists())


def _disk(folders: Folders) -> Check:
    free = shutil.disk_usage(_existing(folders.state)).free
    detail = f"{human(free)} free for {folders.state}"
    if free < 500_000_000:
        return Check("disk", PROBLEM, detail, "free some space, or point TOUCHSTONE_STATE at a larger disk")
    if free < NEEDED_DISK_BYTES:
        return Check("disk", WARNING, detail, f"{human(NEEDED_DISK_BYTES)} are good to have")
    return Check("disk", OK, detail)


def _memory() -> Check:
    memory = psutil.virtual_memory()
    cores = len(os.sched_getaffinity(0))
    detail = f"{human(memory.available)} of {human(memory.total)} available, {cores} cores"
    if memory.total < NEEDED_MEMORY_BYTES:
        way_out = "close other programs, or set TOUCHSTONE_CHAT_MODEL=none and name an endpoint"
        return Check("memory", WARNING, f"{detail}; {human(NEEDED_MEMORY_BYTES)} are good to have", way_out)
    return Check("memory", OK, detail)


def _ports(service: platform.Service, folders: Folders) -> Check:
    name = f"ports of {service.name}"
    last = platform.read(folders)
    listening = last.services.get(service.name) if last else None
    before = tuple(int(each.rpartition(":")[2]) for each in (listening.grpc, listening.http)) if listening else ()
    demanded = platform.demanded(service.name)
    runs = processes.recall(control.process_file(folders, service.name)) is not None
    wanted = (runs and before) or demanded or before or (service.grpc_port, service.http_port)
    both = " and ".join(map(str, wanted))
    if runs:
        return Check(name, OK, f"{both}, held by the service itself")
    held = "; ".join(f"{port} is held by {ports.holder(port)}" for port in wanted if not ports.is_free(port))
    if not held:
        return Check(name, OK, f"{both} are free")
    if demanded:
        return Check(name, PROBLEM, held, "free it, or name another TOUCHSTONE_PORT_BASE")
    return Check(name, OK, f"{held}; another one will be chosen")


def _platform(folders: Folders) -> Check:
    rows = control.status(folders)
    if rows[0].state != "running":
        return Check("platform", OK, "does not run; start it with `touchstone up`")
    if rows[0].detail:
        return Check("platform", PROBLEM, rows[0].detail, "mend that, then `touchstone down` and `touchstone up`")
    ill = [row for row in rows if row.state in ("failing", "restarting")]
    if ill:
        first = ill[0]
        return Check("platform", PROBLEM, f"{first.name} is {first.state}: {first.detail}", f"see {first.log}")
    return Check("platform", OK, f"{sum(row.state == 'running' for row in rows)} processes run")
