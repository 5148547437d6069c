"""The local backend: sandboxes forked from warm interpreters on this machine."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.egress.process import RelayProcess, relaying
from sandbox_executor.adapters.hosting.backend import HostedBackend
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.layout import Layout
from sandbox_executor.adapters.hosting.preloading import preload_for
from sandbox_executor.adapters.hosting.users import first_user
from sandbox_executor.adapters.hosting.watch import MemoryWatch
from sandbox_executor.adapters.local.layers import Outside, look_at_job, read_probe
from sandbox_executor.adapters.local.sandbox import LocalSandbox
from sandbox_executor.adapters.local.zygotes import Zygote, ZygotePool
from sandbox_executor.adapters.packages.fetching import Installer, network_binds
from sandbox_executor.adapters.packages.golang import GoModules
from sandbox_executor.adapters.packages.maven import Maven, jgo_binds
from sandbox_executor.adapters.packages.npm import NPM_INSIDE, Npm
from sandbox_executor.adapters.packages.pip import Pip, pip_bind
from sandbox_executor.adapters.packages.preparing import Preparer
from sandbox_executor.adapters.running import DISK_BYTES, INODES, Setting
from sandbox_executor.adapters.sandbox import Sandbox
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.egress import PORT, Destination
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.packages import Policy
from sandbox_executor.domain.requirements import Prepared
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.launcher import landlock
from sandbox_executor.launcher.hiding import is_gvisor
from sandbox_executor.launcher.messages import Plan
from sandbox_executor.ports import Cancellation, Layer

_MOST_ZYGOTES = 4
_LEAST_KERNEL = (5, 8)


@dataclass(frozen=True)
class LocalOptions:
    """How the local backend works.

    Attributes:
        state_dir: Folder for mount points, prepared environments and datasets.
        slots: Sandboxes at a time.
        pip_variables: Index, certificates and proxies for fetching packages of Python.
        npm_variables: Registry, certificates and proxies for fetching packages of JavaScript.
        maven_variables: Certificates and proxies for fetching archives of Java.
        maven_repository: Where they are; empty for the one that jgo has.
        go_variables: Mirrors, certificates and proxies for fetching modules of Go.
        policy: Which packages may be prepared.
        egress_bytes: What one job may carry through its way out, both ways together.
        cpus: Processors that one job may keep busy; 0 for all of them.
    """

    state_dir: Path
    slots: int = 4
    pip_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    npm_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    maven_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    maven_repository: str = ""
    go_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    policy: Policy = field(default_factory=Policy)
    egress_bytes: int = 64 * 1024 * 1024
    cpus: float = 0.0


class LocalBackend(HostedBackend[Outside | None]):
    """Namespaces, cgroups, Landlock, a system-call filter and a private read-only root for each job."""

    name = "local"
    egress = True

    def __init__(self, languages: Mapping[str, Language], toolchains: Toolchains, options: LocalOptions) -> None:
        super().__init__(languages, toolchains, options.state_dir)
        self._options = options
        self._rootless = os.geteuid() != 0
        self._mountpoint = options.state_dir.absolute() / "root"
        for folder in (self._mountpoint, self.environments, self._views):
            folder.mkdir(parents=True, exist_ok=True)
        self._pool = ZygotePool(self._start_zygote, _MOST_ZYGOTES)
        self._slots: queue.SimpleQueue[int] = queue.SimpleQueue()
        first = first_user(Path("/proc/self/uid_map").read_text(), os.getpid())
        for slot in range(options.slots):
            self._slots.put(first + slot)
        self._lock = threading.Lock()
        self._watch = MemoryWatch()
        self._cgroups: Cgroups | None = None
        self._preparer: Preparer | None = None

    def warm(self) -> None:
        """Start what the first job would wait for."""
        with self._pool.lease((), 1):
            self.cgroups()

    def cgroups(self) -> Cgroups:
        """The cgroups, made at first use.

        Raises:
            IsolationMissingError: there are none to be had.
        """
        with self._lock:
            if self._cgroups is None:
                self._cgroups = Cgroups(cpus=self._options.cpus)
            return self._cgroups

    def _start_zygote(
        self, preload: tuple[str, ...], hash_seed: int, *, layout: Layout | None = None, network: bool = False
    ) -> Zygote:
        return Zygote(
            layout or self._layout,
            mountpoint=self._mountpoint,
            environments=self.environments,
            views=self._views,
            user_namespace=self._rootless,
            preload=preload,
            hash_seed=hash_seed,
            network=network,
        )

    def way_out(self, egress: tuple[Destination, ...]) -> AbstractContextManager[RelayProcess | None]:
        """A job's relay, which waits for the listeners of its sandboxes."""
        return relaying(egress, self._options.egress_bytes)

    @contextlib.contextmanager
    def _open(self, setting: Setting, files: Mapping[str, bytes]) -> Generator[LocalSandbox]:
        user = self._slots.get()
        try:
            with self._pool.lease(preload_for(setting), setting.hash_seed or 1) as zygote:
                cgroup = self.cgroups().create(setting.limits.memory_bytes, setting.limits.processes)
                held = self._held(setting.limits.memory_bytes)
                made = LocalSandbox(zygote, cgroup, self._plan(setting, user), files, setting.way_out, held)
                with contextlib.closing(made) as sandbox:
                    yield sandbox
        finally:
            self._slots.put(user)

    def _held(self, memory_bytes: int) -> tuple[MemoryWatch, int] | None:
        return None if self.cgroups().holds_memory else (self._watch, memory_bytes)

    def _plan(self, setting: Setting, user: int) -> Plan:
        mapped = 0 if self._rootless else user
        return Plan(
            mapped,
            mapped,
            DISK_BYTES,
            INODES,
            environment=setting.environment_id,
            data_view=setting.data_view,
            keep_capabilities=self._rootless,
            egress=0 if setting.way_out is None else PORT,
        )

    # Dependencies

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Have an environment with these packages; a package that cannot be had is an answer."""
        self.require_layers()
        runtime = self.language(language).runtime
        if runtime == "node":
            # Says how to get it, where it is missing.
            self._toolchains.npm()
        elif runtime == "java":
            self._toolchains.feature("java")
        elif runtime == "go":
            self._toolchains.go()
        with self._lock:
            if self._preparer is None:
                python = self._toolchains.places("python")["runtime"]
                self._preparer = Preparer(
                    self.environments, self._open_network, python, self._installers(), self._options.policy
                )
        return self._preparer.prepare(runtime, requirements, cancelled)

    def _installers(self) -> dict[str, Installer]:
        found: dict[str, Installer] = {"python": Pip(self._options.pip_variables)}
        with contextlib.suppress(JobRefusedError):
            node, _ = self._toolchains.npm()
            found["node"] = Npm(node.inside, node.feature, self._options.npm_variables)
        with contextlib.suppress(JobRefusedError):
            feature = self._toolchains.feature("java")
            found["java"] = Maven(self._options.maven_variables, self._options.maven_repository, feature)
        with contextlib.suppress(JobRefusedError):
            found["go"] = GoModules(self._toolchains.go(), self._options.go_variables)
        return found

    def _network_layout(self) -> Layout:
        """What a sandbox that fetches packages sees: the programs that fetch, names and certificates on top."""
        options = self._options
        bundles = [
            path
            for variables in (
                options.pip_variables,
                options.npm_variables,
                options.maven_variables,
                options.go_variables,
            )
            for path in variables.values()
            if path.startswith("/") and Path(path).is_file()
        ]
        tools = [pip_bind(), *jgo_binds()]
        with contextlib.suppress(JobRefusedError):
            tools.append((self._toolchains.npm()[1], NPM_INSIDE))
        return self._layout.extended(network_binds(bundles, tools))

    @contextlib.contextmanager
    def _open_network(self, limits: Limits, disk_bytes: int, files: Mapping[str, bytes]) -> Generator[Sandbox]:
        """A sandbox that shares the host's network; its warm interpreter lives no longer than it does."""
        layout = self._network_layout()
        zygote = self._pool.start_alone(lambda: self._start_zygote((), 1, layout=layout, network=True))
        user = self._slots.get()
        try:
            cgroup = self.cgroups().create(limits.memory_bytes, limits.processes)
            setting = Setting(self._languages["python"], "", limits, "", 1, {})
            plan = replace(self._plan(setting, user), network=True, disk_bytes=disk_bytes)
            made = LocalSandbox(zygote, cgroup, plan, files, held=self._held(limits.memory_bytes))
            with contextlib.closing(made) as sandbox:
                yield sandbox
        finally:
            self._slots.put(user)
            zygote.close()

    # What is in force

    def _look(self, sandbox: Sandbox) -> Outside | None:
        return look_at_job(sandbox.processes())

    def _read(self, inside: dict[str, Any], outside: Outside | None) -> list[Layer]:
        abi = landlock.version()
        layers = read_probe(inside, outside, self.cgroups().detail, rootless=self._rootless, abi=abi)
        return [*layers, kernel_layer(os.uname().release)]

    def close(self) -> None:
        """End every process and remove everything that was made for jobs."""
        self._watch.close()
        self._pool.close()
        if self._cgroups is not None:
            self._cgroups.close()


def kernel_layer(release: str) -> Layer:
    """Whether the kernel is one that this backend is written for, by what it calls itself."""
    if is_gvisor(release):
        words = f"gVisor's ({release[:60]}): it answers jobs in user space, behind it is the machine's own"
        return Layer("kernel", True, words, required=False)
    numbers = re.match(r"(\d+)\.(\d+)", release)
    recent = numbers is not None and (int(numbers[1]), int(numbers[2])) >= _LEAST_KERNEL
    least = ".".join(map(str, _LEAST_KERNEL))
    words = "" if recent else f"; the least that is tested is {least}: update the kernel, or use the gvisor backend"
    return Layer("kernel", recent, f"Linux {release[:60]}{words}", required=False)
