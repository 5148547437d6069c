"""Limits and measurements of a job, by cgroups of the first or the second version.

Every executor has a folder of its own beneath the cgroup that it was started in; each sandbox has a folder
in that one. A folder whose executor is gone is emptied and removed by the next executor that starts.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import threading
import time
from collections import Counter
from pathlib import Path

from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.launcher.hiding import is_gvisor
from touchstone_runtime.memory import beneath

_CONTROLLERS = ("memory", "pids", "cpuacct")
# Shares the processor evenly between jobs, however many processes each has; jobs are held without it, too.
_OPTIONAL = ("cpu",)
# All jobs together weigh as much as so many processes of the machine outside of them, which weigh 1024 each.
_WEIGHT_OF_ALL = 8 * 1024
_PERIOD_US = 100_000
_FOLDER = re.compile(r"touchstone-(\d+)-(\d+)")
_REMOVE_WITHIN_S = 5.0
_SERVICE = "touchstone-service"
# Several backends of one process share its folder; each names its jobs its own way.
_owners = itertools.count()
# How many of them use a folder: the last one that closes removes it.
_users: Counter[Path] = Counter()
_using = threading.Lock()


def _field(text: str, name: str) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


class JobCgroup:
    """One sandbox's cgroup: folders to join, limits set, counters to read."""

    def __init__(self, folders: dict[str, Path], join: tuple[Path, ...]) -> None:
        self._folders = folders
        self._join = join
        self._open: dict[str, int] = {}

    def join_descriptors(self) -> list[int]:
        """Descriptors to write `0` to in order to join; the caller closes them."""
        return [os.open(path, os.O_WRONLY | os.O_CLOEXEC) for path in self._join]

    def usage(self) -> Usage:
        """What the job has used so far."""
        raise NotImplementedError

    def memory(self, bound: int = 0) -> int:
        """Bytes in use now, without cached files, which the kernel would give back; below the bound roughly."""
        now = self._current()
        return now if now <= bound else now - self._cached()

    def _current(self) -> int:
        raise NotImplementedError

    def _cached(self) -> int:
        raise NotImplementedError

    def limit_memory(self, most_bytes: int) -> None:
        """Change the memory limit."""
        raise NotImplementedError

    def pids(self) -> list[int]:
        """The processes in it."""
        folder = next(iter(self._folders.values()))
        try:
            return visible(folder / "cgroup.procs")
        except OSError:
            return []

    def kill(self) -> None:
        """Kill everything in it."""
        for folder in self._folders.values():
            _kill_inside(folder)

    def _within(self, peak: int, refusals: int, limit: str) -> bool:
        """Whether the job never came near its own limit, so that a kill for memory was not its own doing.

        Not every kernel counts the refusals, so both signs must say so.
        """
        text = self._text("memory" if "memory" in self._folders else "all", limit).strip()
        return refusals == 0 and (text == "max" or peak < int(text) // 2)

    def _text(self, folder: str, name: str) -> str:
        key = f"{folder}/{name}"
        if key not in self._open:
            self._open[key] = os.open(self._folders[folder] / name, os.O_RDONLY | os.O_CLOEXEC)
        return os.pread(self._open[key], 4096, 0).decode()

    def remove(self) -> None:
        """Kill what is left inside and remove the folders."""
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()
        for folder in self._folders.values():
            remove_folder(folder)


class _FirstVersion(JobCgroup):
    def usage(self) -> Usage:
        oom = _field(self._text("memory", "memory.oom_control"), "oom_kill")
        refused = _field(self._text("pids", "pids.events"), "max")
        peak = int(self._text("memory", "memory.max_usage_in_bytes"))
        cpu_s = int(self._text("cpuacct", "cpuacct.usage")) / 1e9
        if oom and self._within(peak, int(self._text("memory", "memory.failcnt")), "memory.limit_in_bytes"):
            return Usage(cpu_s, peak, 0, refused, oom)
        return Usage(cpu_s, peak, oom, refused)

    def _current(self) -> int:
        return int(self._text("memory", "memory.usage_in_bytes"))

    def _cached(self) -> int:
        text = self._text("memory", "memory.stat")
        return _field(text, "total_inactive_file") + _field(text, "total_active_file")

    def limit_memory(self, most_bytes: int) -> None:
        """Change the memory limit."""
        folder = self._folders["memory"]
        both = folder / "memory.memsw.limit_in_bytes"
        # The limit of memory and swap together must never be the smaller one, on the way neither.
        if both.exists():
            _write(both, -1)
        _write(folder / "memory.limit_in_bytes", most_bytes)
        if both.exists():
            _write(both, most_bytes)


class _SecondVersion(JobCgroup):
    def usage(self) -> Usage:
        events = self._text("all", "memory.events")
        refused = _field(self._text("all", "pids.events"), "max")
        try:
            peak = int(self._text("all", "memory.peak"))
        except FileNotFoundError:
            # Linux before 5.19 and gVisor do not keep the peak.
            peak = int(self._text("all", "memory.current"))
        oom, foreign = _field(events, "oom_kill"), 0
        if oom and self._within(peak, _field(events, "max") + _field(events, "oom"), "memory.max"):
            oom, foreign = 0, oom
        return Usage(_field(self._text("all", "cpu.stat"), "usage_usec") / 1e6, peak, oom, refused, foreign)

    def _current(self) -> int:
        return int(self._text("all", "memory.current"))

    def _cached(self) -> int:
        try:
            text = self._text("all", "memory.stat")
        except FileNotFoundError:
            # gVisor tells none apart: what a job has read counts as its own.
            return 0
        return _field(text, "inactive_file") + _field(text, "active_file")

    def limit_memory(self, most_bytes: int) -> None:
        """Change the memory limit."""
        _write(self._folders["all"] / "memory.max", most_bytes)


class Cgroups:
    """Finds the controllers of this machine and makes a cgroup for each sandbox.

    Args:
        mounts: Text of `/proc/self/mounts`.
        membership: Text of `/proc/self/cgroup`.
        owner: How the jobs' folders begin; one of its own by default.
        cpus: Processors that one job may keep busy; 0 for all of them.

    Raises:
        IsolationMissingError: a controller is missing or may not be used; says how to get it.
    """

    def __init__(
        self, mounts: str | None = None, membership: str | None = None, owner: str = "", cpus: float = 0.0
    ) -> None:
        self._mounts = Path("/proc/self/mounts").read_text() if mounts is None else mounts
        self._membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
        self._quota_us = int(cpus * _PERIOD_US)
        self._owner = owner or f"job-{next(_owners)}"
        self._numbers = itertools.count()
        folder = f"touchstone-{os.getpid()}-{start_time(os.getpid())}"
        first = self._first_version()
        # gVisor counts what its cgroups have and takes every limit of memory, but holds none.
        self.holds_memory = not is_gvisor()
        if first is not None and not self.holds_memory:
            raise IsolationMissingError(
                "gVisor's cgroups of the first version neither count refused processes nor kill",
                thing="cgroup",
                way_out='have runsc told `in-sandbox-cgroup = "v2"` (in its runsc.toml, or by containerd\'s '
                '`pod_annotations = ["dev.gvisor.*"]`, since the chart\'s pods ask for it)',
            )
        if first is not None:
            self.version = 1
            bases = {path.resolve(): None for path in first.values()}
        else:
            self.version = 2
            bases = {self._second_version().resolve(): None}
        for base in bases:
            sweep(base)
        self._roots = {name: path / folder for name, path in (first or {}).items()}
        if first is None:
            (base,) = bases
            self._roots = {"all": base / folder}
        self._held: list[Path] = []
        for name, root in list(self._roots.items()):
            try:
                with _using:
                    _make(root)
                    _users[root] += 1
                self._held.append(root)
            except IsolationMissingError:
                # Who delegated what a job must have may have kept the rest.
                if name not in _OPTIONAL:
                    raise
                del self._roots[name]
        if self.version == 2:
            _enable(self._roots["all"])
        elif "cpu" in self._roots:
            with contextlib.suppress(OSError):
                _write(self._roots["cpu"] / "cpu.shares", _WEIGHT_OF_ALL)

    @property
    def detail(self) -> str:
        """Which version, and where."""
        shared = self.version == 2 or "cpu" in self._roots
        words = "" if shared else " (without cpu: a job of many processes takes more than its share)"
        if not self.holds_memory:
            words += "; memory is counted by the kernel, and held by looking at it again and again"
        return f"cgroup v{self.version} in {', '.join(sorted({str(root) for root in self._roots.values()}))}{words}"

    def create(self, memory_bytes: int, processes: int) -> JobCgroup:
        """Make a cgroup with these limits.

        Raises:
            SandboxFaultError: the kernel refused.
        """
        name = f"{self._owner}-{next(self._numbers)}"
        folders = {key: root / name for key, root in self._roots.items()}
        try:
            for folder in folders.values():
                folder.mkdir(exist_ok=True)
            # One more: the sandbox's init.
            if self.version == 1:
                _write(folders["memory"] / "memory.limit_in_bytes", memory_bytes)
                with contextlib.suppress(FileNotFoundError):
                    # Without swap accounting there is no such file; then swap is not limited, and rarely there.
                    _write(folders["memory"] / "memory.memsw.limit_in_bytes", memory_bytes)
                _write(folders["pids"] / "pids.max", processes + 1)
                if self._quota_us and "cpu" in folders:
                    _write(folders["cpu"] / "cpu.cfs_period_us", _PERIOD_US)
                    _write(folders["cpu"] / "cpu.cfs_quota_us", self._quota_us)
                # A single thread that moves itself needs no lock over all processes of the machine.
                return _FirstVersion(folders, tuple(folder / "tasks" for folder in folders.values()))
            _write(folders["all"] / "memory.max", memory_bytes)
            with contextlib.suppress(FileNotFoundError):
                _write(folders["all"] / "memory.swap.max", 0)
            _write(folders["all"] / "pids.max", processes + 1)
            if self._quota_us:
                _write(folders["all"] / "cpu.max", f"{self._quota_us} {_PERIOD_US}")
            return _SecondVersion(folders, (folders["all"] / "cgroup.procs",))
        except OSError as error:
            for folder in folders.values():
                remove_folder(folder)
            raise SandboxFaultError(f"cannot make a cgroup: {error}", thing=name) from error

    def close(self) -> None:
        """Remove the folders of its jobs, and the executor's own when nobody else is in it."""
        roots, self._held = self._held, []
        for root in roots:
            for folder in root.glob(f"{self._owner}-*"):
                remove_folder(folder)
            with _using, contextlib.suppress(OSError):
                _users[root] -= 1
                if not _users[root]:
                    del _users[root]
                    root.rmdir()

    def _first_version(self) -> dict[str, Path] | None:
        """Folders of this process in the hierarchies of the first version; None when memory is not there."""
        mounted: dict[str, Path] = {}
        for line in self._mounts.splitlines():
            _, target, kind, options, *_ = line.split()
            if kind == "cgroup":
                for controller in (*_CONTROLLERS, *_OPTIONAL):
                    if controller in options.split(","):
                        mounted[controller] = Path(target)
        if "memory" not in mounted:
            return None
        missing = [controller for controller in _CONTROLLERS if controller not in mounted]
        if missing:
            raise IsolationMissingError(
                f"cgroup v1 without {', '.join(missing)}",
                thing="cgroup",
                way_out=f"mount -t cgroup -o {missing[0]} cgroup /sys/fs/cgroup/{missing[0]}",
            )
        own: dict[str, str] = {}
        for line in self._membership.splitlines():
            _, controllers, path = line.split(":", 2)
            for controller in controllers.split(","):
                own[controller] = path
        return {c: beneath(mount, own.get(c, "/")) for c, mount in mounted.items()}

    def _second_version(self) -> Path:
        for line in self._mounts.splitlines():
            _, target, kind, *_ = line.split()
            if kind == "cgroup2":
                own = next((x.split("::", 1)[1] for x in self._membership.splitlines() if x.startswith("0::")), "/")
                # Where this process moved itself when it handed controllers down before.
                own = own.removesuffix(f"/{_SERVICE}")
                folder = beneath(Path(target), own)
                available = (folder / "cgroup.controllers").read_text().split()
                missing = [name for name in ("memory", "pids") if name not in available]
                if missing:
                    raise IsolationMissingError(
                        f"cgroup v2 without {', '.join(missing)} in {folder}",
                        thing="cgroup",
                        way_out="enable the controllers in the parent's cgroup.subtree_control, or delegate them "
                        "(systemd: Delegate=yes; a container: its own cgroup namespace, mounted writable)",
                    )
                return folder
        raise IsolationMissingError(
            "no cgroups are mounted", thing="cgroup", way_out="mount -t cgroup2 none /sys/fs/cgroup"
        )


def _make(root: Path) -> None:
    try:
        root.mkdir(exist_ok=True)
    except OSError as error:
        raise IsolationMissingError(
            f"cannot make a cgroup: {error.strerror}",
            thing=str(root),
            way_out="run as root, or have the cgroup delegated; in a container mount /sys/fs/cgroup writable",
        ) from error


def _enable(root: Path) -> None:
    """Hand the controllers down; the second version wants processes only in leaves, so they move into one."""
    wanted = "+memory +pids +cpu"
    for folder in (root.parent, root):
        control = folder / "cgroup.subtree_control"
        if {"memory", "pids", "cpu"} <= set(control.read_text().split()):
            continue
        try:
            _write(control, wanted)
        except OSError:
            leaf = folder / _SERVICE
            leaf.mkdir(exist_ok=True)
            for pid in visible(folder / "cgroup.procs"):
                with contextlib.suppress(ProcessLookupError):
                    _write(leaf / "cgroup.procs", pid)
            try:
                _write(control, wanted)
            except OSError as error:
                raise IsolationMissingError(
                    f"cannot hand controllers down: {error.strerror}",
                    thing=str(control),
                    way_out="have the cgroup delegated to this service (systemd: Delegate=yes)",
                ) from error


def _write(path: Path, value: int | str) -> None:
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, str(value).encode())
    finally:
        os.close(descriptor)


def start_time(pid: int) -> int:
    """When a process started, in clock ticks since boot; 0 when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0
    return int(text.rsplit(")", 1)[1].split()[19])


def sweep(base: Path) -> list[str]:
    """Remove what executors left that are gone; returns the folders' names."""
    found: list[str] = []
    for folder in base.glob("touchstone-*"):
        match = _FOLDER.fullmatch(folder.name)
        if match is not None and start_time(int(match[1])) != int(match[2]):
            # Another user's, or one that a container beside this one still holds: not ours to remove.
            with contextlib.suppress(SandboxFaultError):
                sweep_folder(folder)
                found.append(folder.name)
    return found


def sweep_folder(root: Path) -> None:
    """Kill everything beneath a folder and remove it."""
    # Another executor that starts beside this one removes the same.
    with contextlib.suppress(FileNotFoundError):
        for child in list(root.iterdir()):
            if child.is_dir():
                remove_folder(child)
    remove_folder(root)


def remove_folder(folder: Path) -> None:
    """Kill what lives in one cgroup folder and remove it.

    Raises:
        SandboxFaultError: it cannot be emptied.
    """
    deadline = time.monotonic() + _REMOVE_WITHIN_S
    pause = 0.0005
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            if time.monotonic() > deadline or isinstance(error, PermissionError):
                raise SandboxFaultError(f"cannot remove a cgroup: {error.strerror}", thing=str(folder)) from error
            _kill_inside(folder)
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
        else:
            return


def _kill_inside(folder: Path) -> None:
    with contextlib.suppress(OSError):
        # The kernel ends all of them at once, those that we cannot see too (second version, from Linux 5.14).
        _write(folder / "cgroup.kill", 1)
        return
    with contextlib.suppress(OSError):
        for pid in visible(folder / "cgroup.procs"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)


def visible(procs: Path) -> list[int]:
    """The processes of a cgroup that can be named here.

    One outside of our namespace of processes reads as 0 in the second version, and 0 means our own group.
    """
    return [pid for pid in map(int, procs.read_text().split()) if pid > 0]
