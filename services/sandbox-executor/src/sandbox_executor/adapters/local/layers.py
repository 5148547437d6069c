"""Which isolation holds a job of this backend: as the host's kernel shows its process, and what the job tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox_executor.launcher.hiding import is_gvisor
from sandbox_executor.ports import Layer

_NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "cgroup")


@dataclass(frozen=True)
class Outside:
    """What the host's kernel shows of a candidate's process.

    Attributes:
        namespaces: Its namespaces by name, as links in `/proc` name them; empty where they cannot be read.
        no_new_privs: No program regains privileges.
        filtered: Its system calls are filtered.
        capabilities: Permitted, effective, inheritable and ambient ones together.
        user: Its user on the host.
        root_read_only: Its root is mounted read-only.
    """

    namespaces: Mapping[str, str]
    no_new_privs: bool
    filtered: bool
    capabilities: int
    user: int
    root_read_only: bool


def look_at_job(pids: list[int]) -> Outside | None:
    """Look at the candidate among the processes of a job's cgroup; None when there is none.

    The other process there is the sandbox's first, which started it.
    """
    for pid in pids:
        process = Path(f"/proc/{pid}")
        try:
            lines = (process / "status").read_text().splitlines()
            mounts = (process / "mountinfo").read_text().splitlines()
            spaces = {name: str((process / "ns" / name).readlink()) for name in (*_NAMESPACES, "user")}
        except OSError:
            continue
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
        if int(status["PPid"]) not in pids:
            continue
        root = next((line.split()[5].split(",") for line in mounts if line.split()[4] == "/"), [])
        return Outside(
            spaces,
            status["NoNewPrivs"] == "1",
            status["Seccomp"] == "2",
            sum(int(status[name], 16) for name in ("CapPrm", "CapEff", "CapInh", "CapAmb")),
            int(status["Uid"].split()[0]),
            "ro" in root,
        )
    return None


def read_probe(seen: dict[str, Any], outside: Outside | None, cgroups: str, *, rootless: bool, abi: int) -> list[Layer]:
    """What was seen of the probe, as layers.

    Args:
        seen: What the probe tried, and what became of it.
        outside: What was seen of it in the job's cgroup.
        cgroups: Which cgroups there are, in words.
        rootless: Whether the executor is not root.
        abi: The kernel's version of Landlock.
    """
    if outside is None:
        return [Layer("cgroups", False, f"the first job's process is not in its cgroup: {cgroups}")]
    wanted = (*_NAMESPACES, "user") if rootless else _NAMESPACES
    shared = [name for name in wanted if outside.namespaces[name] == str(Path(f"/proc/self/ns/{name}").readlink())]
    landlock = f"files{', ports' * (abi >= 4)}{', signals and abstract sockets' * (abi >= 6)} (ABI {abi})"
    if abi < 6 and rootless:
        landlock += "; signals and abstract sockets are held by namespaces alone before ABI 6 (Linux 6.12)"
    # What it alone denies on Linux something else may deny where there is none.
    held = seen["landlock"] and abi > 0
    without_landlock = (
        "gVisor has none; files are held by read-only mounts and the user" if is_gvisor()
        else "needs Linux 5.13 with landlock among its LSMs"
    )  # fmt: skip
    user = "user 0 of a user namespace, without capabilities" if rootless else "a user of its own, without capabilities"
    return [
        Layer(
            "namespaces", not shared,
            f"shared with the host: {', '.join(shared)}" if shared else f"fresh for each job: {', '.join(wanted)}",
        ),
        Layer("root", outside.root_read_only, "private and read-only; working folders in memory"),
        Layer("network", seen["sockets_denied"], "an empty network namespace, and no sockets but local ones"),
        Layer("user", (rootless or outside.user != 0) and not outside.capabilities, user),
        Layer("no_new_privs", outside.no_new_privs, "no program regains privileges"),
        Layer("cgroups", True, f"memory, processes and CPU time: {cgroups}"),
        Layer(
            "seccomp", outside.filtered,
            "system calls by allowlist" if outside.filtered else "needs a kernel with CONFIG_SECCOMP_FILTER",
        ),
        Layer("landlock", held, landlock if held else without_landlock, required=False),
    ]  # fmt: skip
