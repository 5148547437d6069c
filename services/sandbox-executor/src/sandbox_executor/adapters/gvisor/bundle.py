"""What runsc is told of a sandbox: the folders it mounts, the process it starts, and how it isolates them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.hosting.layout import LIBRARY, PRELOADED_STDLIB, PYTHON_ENVIRONMENT, SITE, Layout
from sandbox_executor.adapters.running import DISK_BYTES, INODES
from sandbox_executor.launcher.messages import WarmUp, dump

HOSTNAME = "sandbox"
# Each sandbox has users of its own, so that one number serves all.
USER = 1000
GUEST = f"{LIBRARY}/sandbox_executor/launcher/guest.py"
ENVIRONMENT_INSIDE = "/runtime/environment"
DATA_INSIDE = "/data"
EGRESS_INSIDE = "/egress"
_EMPTY_FOLDERS = ("work", "tmp", "proc", "dev", "sys", ENVIRONMENT_INSIDE, DATA_INSIDE, EGRESS_INSIDE)
# What the first process inside needs until it has set the sandbox up; it keeps four of them, candidates get none.
_CAPABILITIES = (
    "CAP_CHOWN",
    "CAP_DAC_OVERRIDE",
    "CAP_DAC_READ_SEARCH",
    "CAP_KILL",
    "CAP_SETGID",
    "CAP_SETPCAP",
    "CAP_SETUID",
    "CAP_SYS_ADMIN",
)
# Which system calls are reported to the executor, once they ended: those that make processes and threads.
REPORTED_CALLS = ("clone", "fork", "vfork")


@dataclass(frozen=True)
class Shape:
    """What sandboxes must have in common so that one that is started ahead can serve."""

    hash_seed: int = 1
    environment_id: str = ""
    data_view: str = ""
    # Folder of the socket of a job's way out, on this machine.
    egress: str = ""


def build_root(layout: Layout, folder: Path) -> Path:
    """Have the root's own folders, links and small files; the rest is mounted onto them.

    Args:
        layout: What a job sees.
        folder: Made anew.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in _EMPTY_FOLDERS:
        (folder / name.lstrip("/")).mkdir(parents=True, exist_ok=True)
    for source, target in layout.binds:
        path = folder / target.lstrip("/")
        if Path(source).is_dir():
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    for target, source in layout.symlinks:
        # gVisor brings its own /dev.
        if not target.startswith("/dev/"):
            path = folder / target.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(source)
    for target, content in layout.files.items():
        path = folder / target.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def describe(layout: Layout, root: Path, environments: Path, views: Path, shape: Shape) -> str:
    """The bundle's `config.json`.

    Args:
        layout: What is mounted, read-only.
        root: From `build_root`.
        environments: Folder of prepared dependencies.
        views: Folder of datasets that are ready.
        shape: Hash seed, environment and datasets of the sandbox.
    """
    options = dump(WarmUp(SITE, PRELOADED_STDLIB, disk_bytes=DISK_BYTES, inodes=INODES, user=USER)).decode()
    variables = {**PYTHON_ENVIRONMENT, "PYTHONHASHSEED": str(shape.hash_seed), "PYTHONPATH": LIBRARY}
    process: dict[str, Any] = {
        "terminal": False,
        "user": {"uid": 0, "gid": 0},
        "args": [layout.python, "-S", "-s", "-P", "-B", "-X", "utf8", GUEST, options],
        "env": [f"{name}={value}" for name, value in variables.items()],
        "cwd": "/",
        "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), _CAPABILITIES),
        "noNewPrivileges": True,
    }
    return json.dumps(
        {
            "ociVersion": "1.0.2",
            "process": process,
            "root": {"path": str(root), "readonly": True},
            "hostname": HOSTNAME,
            "mounts": _mounts(layout, environments, views, shape),
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]},
        }
    )


def _mounts(layout: Layout, environments: Path, views: Path, shape: Shape) -> list[Mapping[str, Any]]:
    mounts: list[Mapping[str, Any]] = [{"destination": "/sys/fs/cgroup", "type": "cgroup2", "source": "cgroup2"}]
    binds = [*layout.binds]
    if shape.environment_id:
        binds.append((str(environments / shape.environment_id), ENVIRONMENT_INSIDE))
    if shape.data_view:
        binds.append((str(views / shape.data_view), DATA_INSIDE))
    if shape.egress:
        binds.append((shape.egress, EGRESS_INSIDE))
    for source, target in binds:
        options = ["ro", "rbind", "nosuid", "nodev"]
        mounts.append({"destination": target, "type": "bind", "source": source, "options": options})
    return mounts


def describe_reports(endpoint: str) -> str:
    """The file that has gVisor report the end of certain system calls to a socket."""
    points = [{"name": f"syscall/{name}/exit"} for name in REPORTED_CALLS]
    sinks = [{"name": "remote", "config": {"endpoint": endpoint, "retries": 3}}]
    return json.dumps({"trace_session": {"name": "Default", "points": points, "sinks": sinks}})
