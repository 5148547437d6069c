"""Looks at the isolation from inside: what a job can see of its own confinement."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.jobs import Printed, ProgramEvent
from sandbox_executor.errors import IsolationMissingError
from sandbox_executor.ports import Layer

_WITHIN_S = 20.0
_NAMESPACES = ("mnt", "pid", "net", "ipc", "uts", "cgroup")
PROBE = """
import json, os, socket
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
}))
"""


class _Never:
    """A cancellation that is never requested."""

    requested = False

    def __init__(self) -> None:
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC)


def run_probe(sandbox: Sandbox, command: Command) -> dict[str, Any]:
    """Run the probe and read what it says.

    Raises:
        IsolationMissingError: it says nothing.
    """
    said: list[bytes] = []

    def take(event: ProgramEvent) -> None:
        if isinstance(event, Printed) and event.stream == "stdout":
            said.append(event.data)

    never = _Never()
    try:
        end = time.monotonic() + _WITHIN_S
        signs, words = run_command(
            sandbox, command, stdin=b"", output_bytes=1 << 16, end=end, cancelled=never, sink=take
        )
    finally:
        os.close(never.descriptor)
    try:
        return json.loads(b"".join(said))
    except ValueError:
        raise IsolationMissingError(
            f"a first job does not run: {signs.ending} {words.strip()[-300:]}", thing="isolation"
        ) from None


def read_probe(seen: dict[str, Any], cgroups: str, *, rootless: bool) -> list[Layer]:
    """What the probe saw, as layers."""
    wanted = (*_NAMESPACES, "user") if rootless else _NAMESPACES
    shared = [name for name in wanted if seen["namespaces"][name] == str(Path(f"/proc/self/ns/{name}").readlink())]
    user = "user 0 of a user namespace, without capabilities" if rootless else "a user of its own, without capabilities"
    return [
        Layer(
            "namespaces", not shared,
            f"shared with the host: {', '.join(shared)}" if shared else f"fresh for each job: {', '.join(wanted)}",
        ),
        Layer("root", seen["root_read_only"], "private and read-only; working folders in memory"),
        Layer("network", seen["sockets_denied"], "an empty network namespace, and no sockets but local ones"),
        Layer("user", (rootless or seen["user"] != 0) and not seen["capabilities"], user),
        Layer("no_new_privs", seen["no_new_privs"], "no program regains privileges"),
        Layer("cgroups", True, f"memory, processes and CPU time: {cgroups}"),
        Layer(
            "seccomp", seen["seccomp"],
            "system calls by allowlist" if seen["seccomp"] else "needs a kernel with CONFIG_SECCOMP_FILTER",
        ),
        Layer(
            "landlock", seen["landlock"],
            "files, ports and signals" if seen["landlock"] else "needs Linux 5.13 with landlock among its LSMs",
            required=False,
        ),
    ]  # fmt: skip
