"""Runs a first job that tries what only a job can try, while a backend looks at it from outside.

Whatever the kernel shows of a process in its `/proc` is read there by the executor: no job is asked whether it is
confined. Left to the job are attempts: a socket, a file that Landlock alone denies.
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from typing import Any, TypeVar

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.jobs import Printed, ProgramEvent
from sandbox_executor.errors import IsolationMissingError
from sandbox_executor.usecases.stopping import Stop

_WITHIN_S = 20.0
Seen = TypeVar("Seen")
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

    def take(event: ProgramEvent) -> None:
        if isinstance(event, Printed) and event.stream == "stdout":
            said.extend(event.data)
        if said.endswith(b"\n") and not outside:
            outside.append(look())
            once.request()

    words = ""
    with contextlib.closing(Stop()) as once, contextlib.suppress(CancelledError):
        end = time.monotonic() + _WITHIN_S
        signs, tail = run_command(sandbox, command, stdin=b"", output_bytes=1 << 16, end=end, cancelled=once, sink=take)
        words = f"{signs.ending} {tail.strip()[-300:]}"
    if not outside:
        raise IsolationMissingError(f"a first job does not run: {words}", thing="isolation")
    return json.loads(said), outside[0]
