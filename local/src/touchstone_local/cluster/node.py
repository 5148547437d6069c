"""Bringing the node up, running a command in it, and taking it down without a trace."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from touchstone_local import processes
from touchstone_local.cluster import packages, runtimes
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError

_START_TIMEOUT_S = 900.0
_HIERARCHIES = Path("/sys/fs/cgroup")
_NAMESPACES = ("--mount", "--net", "--pid", "--uts", "--ipc", "--cgroup")
_NEEDED = ("unshare", "nsenter", "mount", "ip", "ldconfig", "hostname", "mkfs.ext4")


def up(layout: Layout, tell: Callable[[str], None], runtime: str = runtimes.PACKAGED) -> None:
    """Start the node and wait until it takes pods; one that runs already is left as it is.

    Args:
        layout: Its folders.
        tell: Told how far it is.
        runtime: Which container runtimes it has, of `runtimes.CHOICES`.

    Raises:
        LocalError: this machine cannot carry it, a part of it does not come up, or one runs that has other runtimes.
    """
    if running(layout) is not None:
        if runtimes.are_built(layout) != (runtime == runtimes.BUILT):
            raise LocalError("it runs with other runtimes", thing="the node", way_out="run `make cluster-down` first")
        tell("the node runs")
        return
    _demand()
    layout.create()
    runtimes.choose(layout, runtime, tell)
    layout.progress.unlink(missing_ok=True)
    _remove_cgroups(layout)
    for folder in _hierarchies():
        _make_cgroup(folder / layout.cgroup)
        _make_cgroup(folder / layout.cgroup / "daemons")
    # It moves itself into the cgroup that becomes the root of its view, makes the namespaces, and steps below the root.
    join = " ".join(str(folder / layout.cgroup / "cgroup.procs") for folder in _hierarchies())
    below = " ".join(str(folder / layout.cgroup / "daemons" / "cgroup.procs") for folder in _hierarchies())
    first = [sys.executable, "-m", "touchstone_local.cluster.first_process", str(layout.state), str(layout.cache)]
    script = (
        f'for file in {join}; do echo $$ > "$file"; done; '
        f"exec unshare {' '.join(_NAMESPACES)} --fork --kill-child "
        f'sh -c \'for file in {below}; do echo 0 > "$file"; done; exec "$@"\' sh "$@"'
    )
    processes.spawn(
        ["sh", "-c", script, "sh", *first],
        log=layout.logs / "node.log",
        pid_file=layout.pid_file,
        environment=packages.variables(layout),
        folder=layout.state,
        nice=5,
    )
    _follow(layout, tell)


def _follow(layout: Layout, tell: Callable[[str], None]) -> None:
    """Pass on what the first process tells, until it is ready."""
    told = 0
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline:
        lines = layout.progress.read_text().splitlines() if layout.progress.is_file() else []
        for line in map(json.loads, lines[told:]):
            if line["step"] == "failed":
                down(layout)
                raise LocalError(line["error"], thing="the node", way_out=f"see {layout.logs}")
            tell(f"{line['step']} after {line['after_s']} s")
            if line["step"] == "ready":
                return
        told = len(lines)
        if processes.recall(layout.pid_file) is None:
            words = processes.log_tail(layout.logs / "node.log", 5)
            down(layout)
            raise LocalError(f"ended at once: {words}", thing="the node", way_out=f"see {layout.logs / 'node.log'}")
        time.sleep(0.1)
    down(layout)
    raise LocalError("does not come up", thing="the node", way_out=f"see {layout.logs}")


def running(layout: Layout) -> int | None:
    """Process id of the node's first process as this machine counts; None where it does not run."""
    outer = processes.recall(layout.pid_file)
    if outer is None:
        return None
    with suppress(OSError):
        children = Path(f"/proc/{outer.pid}/task/{outer.pid}/children").read_text().split()
        if children:
            return int(children[0])
    return None


def inside(layout: Layout, command: Sequence[str]) -> list[str]:
    """The command line that runs a command within the node, with its programs and its API at hand.

    Raises:
        LocalError: the node does not run.
    """
    pid = running(layout)
    if pid is None:
        raise LocalError("it does not run", thing="the node", way_out="run `make cluster`")
    given = {name: packages.variables(layout)[name] for name in ("PATH", "LD_LIBRARY_PATH", "XTABLES_LIBDIR")}
    given |= {"KUBECONFIG": str(layout.kubeconfig()), "HOME": str(layout.state)}
    return [
        *("nsenter", "--target", str(pid), *_NAMESPACES, "env"),
        *(f"{name}={value}" for name, value in given.items()),
        *command,
    ]


def down(layout: Layout) -> None:
    """End the node and all that runs in it, and take its cgroups away. Its state folder stays."""
    outer = processes.recall(layout.pid_file)
    pid = running(layout)
    if outer is not None:
        # The kernel ends every process of the node with its first one.
        for number in (pid, outer.pid):
            if number is not None:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        deadline = time.monotonic() + 60.0
        while outer.alive() and time.monotonic() < deadline:
            processes.reap(outer.pid)
            time.sleep(0.05)
    layout.pid_file.unlink(missing_ok=True)
    _remove_cgroups(layout)


def forget(layout: Layout) -> None:
    """Take the node down and its state folder away."""
    down(layout)
    shutil.rmtree(layout.state, ignore_errors=True)


def _demand() -> None:
    """Raise a LocalError that says what this machine lacks for a node."""
    if os.geteuid() != 0:
        raise LocalError("a node needs the rights of root", thing="make cluster", way_out="run it as root")
    missing = [name for name in _NEEDED if shutil.which(name) is None]
    if missing:
        raise LocalError(
            f"missing: {', '.join(missing)}", thing="this machine", way_out="install util-linux and iproute2"
        )
    if not _hierarchies():
        raise LocalError(
            "only control groups of version 1 were tried, and there are none",
            thing=str(_HIERARCHIES),
            way_out="install the chart on a cluster of your own (k8s/README.md)",
        )


def _hierarchies() -> list[Path]:
    """Folders of the mounted hierarchies of version 1."""
    return sorted(path for path in _HIERARCHIES.iterdir() if path.is_dir() and (path / "tasks").exists())


def _make_cgroup(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    for name in ("cpuset.cpus", "cpuset.mems"):
        if (folder / name).exists():
            (folder / name).write_text((folder.parent / name).read_text())


def _remove_cgroups(layout: Layout) -> None:
    """Remove the node's groups; the kernel frees them a moment after their last process has gone."""
    deadline = time.monotonic() + 60.0
    for hierarchy in _hierarchies():
        top = hierarchy / layout.cgroup
        while top.is_dir() and time.monotonic() < deadline:
            for path, _, _ in os.walk(top, topdown=False):
                with suppress(OSError):
                    Path(path).rmdir()
            if top.is_dir():
                time.sleep(0.1)
