"""Looks at the isolation of a first job while it runs: from outside, and from inside what only a job can see.

Whatever the kernel shows of a process in its `/proc` is read there by the executor: no job is asked whether it is
confined. Left to the job are attempts: a socket, a file that Landlock alone denies.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sandbox_executor.adapters.cases import CancelledError
from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.jobs import Printed, ProgramEvent
from sandbox_executor.errors import IsolationMissingError
from sandbox_executor.ports import Layer

_WITHIN_S = 20.0
Seen = TypeVar("Seen")
_NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "cgroup")
PROBE = """
import json, os, socket, time
status = dict(line.split(":", 1) for line in open("/proc/self/status") if ":" in line)
def denied(call):
    try:
        call()
    except OSError:
        return True
    return False
print(json.dumps({
    "namespaces": {name: os.readlink("/proc/self/ns/" + name) for name in os.listdir("/proc/self/ns")},
    "no_new_privs": status["NoNewPrivs"].strip() == "1",
    "seccomp": status["Seccomp"].strip() == "2",
    "capabilities": int(status["CapEff"], 16) | int(status["CapPrm"], 16),
    "user": os.getuid(),
    "kernel": " ".join(os.uname()[2:4]),
    "root_read_only": bool(os.statvfs("/").f_flag & os.ST_RDONLY),
    "sockets_denied": denied(lambda: socket.socket(socket.AF_INET)),
    # Allowed by user and mount, so only Landlock can be what denies it.
    "landlock": denied(lambda: open("/proc/self/oom_score_adj", "r+").close()),
}), flush=True)
# Seen from outside meanwhile, then ended.
time.sleep(60)
"""


class _Once:
    """A cancellation that the probe's own answer requests."""

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC)
        self.requested = False

    def request(self) -> None:
        self.requested = True
        os.eventfd_write(self.descriptor, 1)


def run_probe(sandbox: Sandbox, command: Command, look: Callable[[], Seen]) -> tuple[dict[str, Any], Seen]:
    """Run the probe; gives what it says, and what was seen of it.

    Args:
        sandbox: Where.
        command: Runs `PROBE`.
        look: Looks at the sandbox from outside while the probe runs in it.

    Raises:
        IsolationMissingError: it says nothing.
    """
    said = bytearray()
    outside: list[Seen] = []
    once = _Once()

    def take(event: ProgramEvent) -> None:
        if isinstance(event, Printed) and event.stream == "stdout":
            said.extend(event.data)
        if said.endswith(b"\n") and not outside:
            outside.append(look())
            once.request()

    words = ""
    try:
        end = time.monotonic() + _WITHIN_S
        signs, tail = run_command(sandbox, command, stdin=b"", output_bytes=1 << 16, end=end, cancelled=once, sink=take)
        words = f"{signs.ending} {tail.strip()[-300:]}"
    except CancelledError:
        pass
    finally:
        os.close(once.descriptor)
    if not outside:
        raise IsolationMissingError(f"a first job does not run: {words}", thing="isolation")
    return json.loads(said), outside[0]


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

    The other process there is the sandbox's first: number 1 in its own namespace.
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
        if status["NSpid"].split()[-1] == "1":
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
        Layer(
            "landlock", seen["landlock"],
            landlock if seen["landlock"] else "needs Linux 5.13 with landlock among its LSMs",
            required=False,
        ),
    ]  # fmt: skip
