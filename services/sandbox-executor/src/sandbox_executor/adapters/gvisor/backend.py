"""The gVisor backend: the same jobs, harnesses and outcomes as the local one, on a kernel in user space."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Generator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.egress.process import RelayProcess, relaying
from sandbox_executor.adapters.gvisor.bundle import USER, Shape, build_root, describe
from sandbox_executor.adapters.gvisor.container import Container, Recipe
from sandbox_executor.adapters.gvisor.layers import Outside, look_from_outside, read_layers
from sandbox_executor.adapters.gvisor.pool import ContainerPool, running_folder
from sandbox_executor.adapters.gvisor.provision import WAY_TO_PROVISION
from sandbox_executor.adapters.gvisor.sandbox import GvisorSandbox
from sandbox_executor.adapters.hosting.backend import HostedBackend
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.hosting.preloading import preload_for
from sandbox_executor.adapters.hosting.watch import EVERY_S, MemoryWatch
from sandbox_executor.adapters.running import DISK_BYTES, INODES, Setting
from sandbox_executor.adapters.sandbox import Sandbox
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.egress import PORT, Destination
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.requirements import Prepared
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.launcher.messages import Plan
from sandbox_executor.ports import Cancellation, Layer

_MIB = 1024 * 1024
# Before the job is known: gVisor's own needs and the warm interpreter's.
_START_BYTES = 1024 * _MIB
# On the host, where gVisor keeps threads of its own and some for each of a job's; the job's limit is held inside.
_HOST_PROCESSES = 4000


@dataclass(frozen=True)
class GvisorOptions:
    """How the gVisor backend works.

    Attributes:
        runsc: The program; it need not be there.
        state_dir: Folder for the root, with the prepared environments of the local backend beneath it.
        spares: Containers that are started ahead.
        watch_every_s: How often a job's memory is looked at.
        egress_bytes: What one job may carry through its way out, both ways together.
    """

    runsc: Path
    state_dir: Path
    spares: int = 1
    watch_every_s: float = EVERY_S
    egress_bytes: int = 64 * _MIB


class GvisorBackend(HostedBackend[Outside]):
    """One container of gVisor for each job.

    Args:
        languages: Definitions by name.
        toolchains: Their runtimes on this machine.
        options: How it works.
        cgroups: Gives the executor's cgroups, made at first use; shared with other backends.
    """

    name = "gvisor"
    egress = True

    def __init__(
        self, languages: Mapping[str, Language], toolchains: Toolchains, options: GvisorOptions,
        cgroups: Callable[[], Cgroups],
    ) -> None:  # fmt: skip
        super().__init__(languages, toolchains, options.state_dir)
        self._options = options
        self._cgroups = cgroups
        self._watch = MemoryWatch(options.watch_every_s)
        self._lock = threading.Lock()
        self._pool: ContainerPool | None = None
        self._root: Path | None = None

    @contextlib.contextmanager
    def _open(self, setting: Setting, files: Mapping[str, bytes]) -> Generator[GvisorSandbox]:
        relay = setting.way_out
        folder = str(Path(relay.path).parent) if relay is not None else ""
        shape = Shape(setting.hash_seed or 1, setting.environment_id, setting.data_view, folder)
        plan = Plan(
            USER,
            USER,
            DISK_BYTES,
            INODES,
            setting.limits.processes,
            setting.environment_id,
            preload=preload_for(setting),
            egress=0 if relay is None else PORT,
        )
        container = self._containers().take(shape)
        made = GvisorSandbox(container, self._watch, plan, files, setting.limits.memory_bytes)
        with contextlib.closing(made) as sandbox:
            yield sandbox

    def way_out(self, egress: tuple[Destination, ...]) -> AbstractContextManager[RelayProcess | None]:
        """A job's relay, behind a socket beneath what a later executor removes."""
        return relaying(egress, self._options.egress_bytes, lambda: self._containers().folder)

    def _containers(self) -> ContainerPool:
        with self._lock:
            if self._pool is None:
                folder = running_folder()
                self._root = build_root(self._layout, folder / "root")
                self._pool = ContainerPool(self._start, folder, self._options.spares)
            return self._pool

    def _start(self, shape: Shape, folder: Path) -> Container:
        assert self._root is not None
        recipe = Recipe(self._options.runsc, rootless=os.geteuid() != 0)
        config = describe(self._layout, self._root, self.environments, self._views, shape)
        cgroup = self._cgroups().create(_START_BYTES, _HOST_PROCESSES)
        return Container(recipe, shape, config, folder, cgroup)

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Refused: the local backend fetches packages; jobs here use what it prepared."""
        raise JobRefusedError(
            "gvisor sandboxes have no network to fetch packages with", thing="prepare", way_out="use the local backend"
        )

    # What is in force

    def _absent(self) -> Layer | None:
        if self._options.runsc.is_file():
            return None
        return Layer("gvisor", False, f"no runsc at {self._options.runsc}: {WAY_TO_PROVISION}")

    def _look(self, sandbox: Sandbox) -> Outside:
        return look_from_outside(sandbox.processes())

    def _read(self, inside: dict[str, Any], outside: Outside) -> list[Layer]:
        return read_layers(inside, outside, self._cgroups().detail)

    def close(self) -> None:
        """End every process and remove everything that was made for jobs."""
        if self._pool is not None:
            self._pool.close()
        self._watch.close()
