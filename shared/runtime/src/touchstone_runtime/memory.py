"""How much memory a process may use."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def machine_memory(mounts: str | None = None, membership: str | None = None) -> int:
    """Bytes that this process and what it starts may use together: the machine's, or the pod's where those are less."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    mounts = Path("/proc/self/mounts").read_text() if mounts is None else mounts
    membership = Path("/proc/self/cgroup").read_text() if membership is None else membership
    own = {line.split(":", 2)[1]: line.split(":", 2)[2] for line in membership.splitlines()}
    for line in mounts.splitlines():
        _, target, kind, options, *_ = line.split()
        if kind == "cgroup2":
            folder, name = beneath(Path(target), own.get("", "/")), "memory.max"
        elif kind == "cgroup" and "memory" in options.split(","):
            folder, name = beneath(Path(target), own.get("memory", "/")), "memory.limit_in_bytes"
        else:
            continue
        # A limit of any cgroup above counts as well.
        while folder != Path(target).parent:
            with contextlib.suppress(OSError, ValueError):
                found = min(found, int((folder / name).read_text()))
            folder = folder.parent
    return found


def beneath(mount: Path, path: str) -> Path:
    """The folder of a cgroup where its controller is mounted; what is mounted if it cannot be seen."""
    folder = mount / path.lstrip("/")
    # Inside a container the path may be that of the host, which is not visible here.
    return folder if folder.is_dir() else mount
