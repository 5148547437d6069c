"""Which isolation holds a gVisor job: as a job sees it from inside, and as the host sees gVisor's own processes."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox_executor.ports import Layer

_NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "user")
_KERNEL = "runsc-sandbox"


@dataclass(frozen=True)
class Outside:
    """What the host sees of the process that is gVisor's kernel.

    Attributes:
        found: Whether there is one.
        shared: Namespaces that it shares with the executor, or that cannot be looked at.
        filtered: Whether its own system calls are filtered.
        capabilities: Its effective capabilities in its user namespace.
    """

    found: bool
    shared: tuple[str, ...] = ()
    filtered: bool = False
    capabilities: int = 0


def look_from_outside(pids: list[int]) -> Outside:
    """Look at the process among these that is gVisor's kernel."""
    for pid in pids:
        process = Path(f"/proc/{pid}")
        try:
            if not (process / "cmdline").read_bytes().startswith(_KERNEL.encode()):
                continue
            lines = (process / "status").read_text().splitlines()
        except OSError:
            continue
        status = dict(line.split(":", 1) for line in lines if ":" in line)
        shared = tuple(name for name in _NAMESPACES if _namespace(process, name) in ("", _namespace("self", name)))
        return Outside(True, shared, status["Seccomp"].strip() == "2", int(status["CapEff"], 16))
    return Outside(False)


def _namespace(process: Path | str, name: str) -> str:
    try:
        return str((Path("/proc") / process / "ns" / name).readlink())
    except OSError:
        return ""


def read_layers(inside: dict[str, Any], outside: Outside, cgroups: str) -> list[Layer]:
    """What was seen, as layers."""
    host = " ".join(os.uname()[2:4])
    own_kernel = outside.found and inside["kernel"] != host
    shared = ", ".join(outside.shared)
    return [
        Layer(
            "gvisor", own_kernel,
            f"system calls are answered by gVisor's kernel in user space ({inside['kernel'].split()[0]})"
            if own_kernel else f"jobs see the host's kernel {host}",
        ),
        Layer(
            "namespaces", outside.found and not outside.shared,
            f"gVisor's kernel shares with the host: {shared}" if shared
            else f"gVisor's kernel has its own: {', '.join(_NAMESPACES)}; a fresh one for each job",
        ),
        Layer(
            "host_seccomp", outside.filtered,
            "gVisor's kernel may make only the system calls that it needs itself" if outside.filtered
            else "gVisor's kernel runs without a filter; needs Linux with CONFIG_SECCOMP_FILTER",
        ),
        Layer("root", inside["root_read_only"], "private and read-only; working folders in memory"),
        Layer("network", inside["sockets_denied"], "no interface but loopback, and no sockets but local ones"),
        Layer("user", inside["user"] != 0 and not inside["capabilities"], "a user without capabilities"),
        Layer("no_new_privs", inside["no_new_privs"], "no program regains privileges"),
        Layer("cgroups", True, f"memory and CPU time: {cgroups}; processes: a cgroup of gVisor's"),
        Layer("seccomp", inside["seccomp"], "system calls to gVisor's kernel by the local backend's allowlist"),
        Layer(
            "landlock", False, "gVisor has none; files are held by read-only mounts and the user", required=False,
        ),
    ]  # fmt: skip
