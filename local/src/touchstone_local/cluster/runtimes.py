"""Container runtimes that Debian's packages are too old for, from their Go modules: an option of the node.

containerd 2 and runc 1.3 run pods whose users are nobody on the node (`hostUsers: false`), gVisor's shim runs pods on a
kernel of their own (RuntimeClass `gvisor`). What was chosen lies in a folder of links in the node's state, which comes
first where programs are looked for.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from touchstone_local import go_programs, resources
from touchstone_local.cluster import packages
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout
from touchstone_runtime.building import GoProgram, build_once

PACKAGED, BUILT = "packaged", "built"
CHOICES = (PACKAGED, BUILT)
# What pods name to run on gVisor, and what containerd calls it.
RUNTIME_CLASS, HANDLER = "gvisor", "runsc"
_MODULES = Path(__file__).parents[1] / "go_modules"
_CONTAINERD = "github.com/containerd/containerd/v2"
_GVISOR = "gvisor.dev/gvisor"
_GVISOR_VERSION = "v0.0.0-20260905035102-160fafc42237"
CONTAINERD = GoProgram(
    name="containerd",
    version="v2.3.7",
    module=_MODULES / "containerd",
    package=f"{_CONTAINERD}/cmd/containerd",
    others=(f"{_CONTAINERD}/cmd/containerd-shim-runc-v2", f"{_CONTAINERD}/cmd/ctr"),
    binary="containerd",
    linking=f"-s -w -X {_CONTAINERD}/version.Version=v2.3.7",
    tags="no_btrfs,no_devmapper,no_zfs,no_aufs",
)
RUNC = GoProgram(
    name="runc",
    version="v1.3.4",
    module=_MODULES / "runc",
    package="github.com/opencontainers/runc",
    binary="runc",
    linking="-s -w -X main.version=1.3.4 -extldflags -static",
    tags="seccomp,netgo,osusergo",
    disk_bytes=1 << 30,
)
SHIM = GoProgram(
    name="gVisor-shim",
    version=_GVISOR_VERSION,
    module=_MODULES / "gvisor_shim",
    package=f"{_GVISOR}/shim",
    binary="containerd-shim-runsc-v1",
)
# The executor's backend of that name takes the same program from the same place.
RUNSC = GoProgram(
    name="gVisor",
    version="20260905.0-160fafc42237",
    module=checkout() / "services/sandbox-executor/src/sandbox_executor/adapters/gvisor/module",
    package=f"{_GVISOR}/runsc",
    binary="runsc",
    linking=f"-s -w -X {_GVISOR}/runsc/version.version=20260905.0-160fafc42237",
)
SOURCE = resources.Source(_GVISOR, _GVISOR_VERSION, "", "", ())
# A node that is no machine may not make a process less likely to be killed, and the shim gives up where it cannot.
_SCORE = "sys.SetOOMScore(cmd.Process.Pid, oomScoreMax)"
_SCORED = Path("pkg/shim/v1/manager.go")
# runc gives the root of a pod without users of the node its cgroups where they are of the second version. This does so
# for those of the first: their folder, and who is in it, but none of the files that hold the pod's own limits.
_DELEGATING = """#!/bin/sh
pid=$(sed -n 's/.*"pid": *\\([0-9]*\\).*/\\1/p')
read -r _ outside _ < "/proc/$pid/uid_map"
[ "$outside" = 0 ] && exit 0
while IFS=: read -r _ names path; do
  folder="/sys/fs/cgroup/${names#name=}$path"
  [ -n "$names" ] && [ -d "$folder" ] && chown "$outside:$outside" "$folder" "$folder/cgroup.procs" "$folder/tasks"
done < "/proc/$pid/cgroup"
exit 0
"""
Tell = Callable[[str], None]


def are_built(layout: Layout) -> bool:
    """Whether the node's runtimes are those of this module."""
    return (layout.programs / RUNSC.binary).exists()


def choose(layout: Layout, choice: str, tell: Tell) -> None:
    """Have the runtimes of the next start of the node: some ten minutes of two processors where nothing is built yet.

    Args:
        layout: Of a node that does not run.
        choice: `packaged`, from Debian, or `built`.
        tell: Told how far it is.

    Raises:
        LocalError: one cannot be had.
    """
    programs = _build(layout, tell) if choice == BUILT else []
    shutil.rmtree(layout.programs, ignore_errors=True)
    layout.programs.mkdir(parents=True)
    for program in programs:
        (layout.programs / program.name).symlink_to(program)


def runtime_class() -> dict[str, Any]:
    """What pods name in order to run on gVisor, as an object of the API."""
    return {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": RUNTIME_CLASS},
        "handler": HANDLER,
    }


def delegating(specification: dict[str, Any], hook: Path) -> dict[str, Any]:
    """A container's specification with the program that gives it its cgroups; the program is written.

    Args:
        specification: That every container begins with, as containerd has it.
        hook: Where the program shall lie.
    """
    hook.write_text(_DELEGATING)
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    # A node that is no machine may not set limits of processes in a pod without its users; Kubernetes sets none.
    process = {name: value for name, value in specification["process"].items() if name != "rlimits"}
    return {**specification, "process": process, "hooks": {"createRuntime": [{"path": str(hook)}]}}


def _build(layout: Layout, tell: Tell) -> list[Path]:
    containerd = go_programs.build(CONTAINERD, layout.cache, tell)
    return [
        *(containerd.with_name(package.rpartition("/")[2]) for package in (CONTAINERD.package, *CONTAINERD.others)),
        RUNC.place(layout.cache) if RUNC.place(layout.cache).is_file() else _build_runc(layout, tell),
        SHIM.place(layout.cache) if SHIM.place(layout.cache).is_file() else _build_shim(layout, tell),
        go_programs.build(RUNSC, layout.cache, tell),
    ]


def _build_runc(layout: Layout, tell: Tell) -> Path:
    """The only one with parts in C: a compiler of the machine, and a library that Debian has."""
    if not all(shutil.which(name, path="/usr/bin:/bin") for name in ("gcc", "pkg-config")):
        raise LocalError("there is no C compiler", thing="runc", way_out="install gcc and pkg-config")
    library = packages.ensure_more(layout, ("libseccomp-dev",), tell)
    variables = {
        "CGO_ENABLED": "1",
        "PKG_CONFIG_LIBDIR": str(library / "usr/lib/x86_64-linux-gnu/pkgconfig"),
        "PKG_CONFIG_SYSROOT_DIR": str(library),
    }
    return go_programs.build(RUNC, layout.cache, tell, variables)


def _build_shim(layout: Layout, tell: Tell) -> Path:
    """gVisor's shim from its module with one line changed."""
    place = layout.cache / "cluster" / f"gvisor-{SOURCE.version}"

    def change(target: Path) -> None:
        shutil.copytree(SHIM.module, target / "module")
        sums = (SHIM.module / "go.sum").read_text().split()
        checksum = sums[sums.index(SOURCE.version) + 1]
        resources.take_whole(SOURCE.module, SOURCE.version, checksum, target / "source", tell)
        file = target / "source" / _SCORED
        text = file.read_text()
        if text.count(_SCORE) != 1:
            raise LocalError("the line that is changed is not there", thing=str(_SCORED))
        file.write_text(text.replace(_SCORE, _SCORE.replace("oomScoreMax", "1")))
        with (target / "module" / "go.mod").open("a") as manifest:
            manifest.write(f"\nreplace {_GVISOR} => {place / 'source'}\n")

    build_once(place, change)
    changed = GoProgram(SHIM.name, SHIM.version, place / "module", SHIM.package, SHIM.binary)
    try:
        return go_programs.build(changed, layout.cache, tell)
    finally:
        if changed.place(layout.cache).is_file():
            shutil.rmtree(place, ignore_errors=True)
