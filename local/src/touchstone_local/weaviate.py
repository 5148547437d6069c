"""A real Weaviate in a folder, listening on loopback; built from its Go module once a machine.

Example:
    with weaviate.start(folder, weaviate.ensure(cache, print)) as server:
        connect(server.http, server.grpc)
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from touchstone_local import go_programs, ports, processes
from touchstone_local.errors import LocalError
from touchstone_local.settings import setting
from touchstone_runtime.building import GoProgram

PROGRAM = GoProgram(
    name="Weaviate",
    version="v1.38.0",
    module=Path(__file__).parent / "go_modules" / "weaviate",
    package="github.com/weaviate/weaviate/cmd/weaviate-server",
    binary="weaviate-server",
    disk_bytes=5 << 30,
    setting="TOUCHSTONE_WEAVIATE",
)
READY_TIMEOUT_S = 120.0
# A proxy of the environment does not know this machine's servers.
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass
class WeaviateServer:
    """A running server; leaving the context stops it.

    Attributes:
        http: host:port of its HTTP endpoint.
        grpc: host:port of its gRPC endpoint.
        process: The server.
    """

    http: str
    grpc: str
    process: processes.Running

    def stop(self) -> None:
        """Stop the server and wait for its end."""
        processes.stop(self.process, timeout_s=30.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def find(cache: Path) -> Path | None:
    """The program that `TOUCHSTONE_WEAVIATE` names, the one on the PATH, or the one that was built; else None.

    Raises:
        LocalError: the setting names no file.
    """
    return go_programs.find(PROGRAM, cache)


def ensure(cache: Path, tell: Callable[[str], None]) -> Path:
    """Have the program; built where it is not there yet: some minutes, a gigabyte of sources and the network.

    Raises:
        LocalError: it cannot be built.
    """
    return find(cache) or go_programs.build(PROGRAM, cache, tell)


def pid_file(folder: Path) -> Path:
    """Where the server's process is remembered."""
    return folder / "weaviate.pid"


def start(
    folder: Path, program: Path, *, http_port: int = 0, grpc_port: int = 0, log: Path | None = None
) -> WeaviateServer:
    """Start the server in a folder, or return the one that runs there already; its data stays there.

    Args:
        folder: Data, ports and process id.
        program: The server's program.
        http_port: Port on loopback; 0: the folder's last one where it is free, else a free one.
        grpc_port: The same for gRPC.
        log: Log file; `weaviate.log` in the folder by default.

    Raises:
        LocalError: it does not become ready.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = log or folder / "weaviate.log"
    found = processes.recall(pid_file(folder))
    numbers = _ports(folder, http_port, grpc_port, keep=found is not None)
    http, grpc = numbers[:2]
    if found is not None:
        return _ready_or_raise(WeaviateServer(f"{ports.LOOPBACK}:{http}", f"{ports.LOOPBACK}:{grpc}", found), log)
    variables = {
        "PATH": setting("PATH"),
        "HOME": str(folder),
        "PERSISTENCE_DATA_PATH": str(folder / "data"),
        "GRPC_PORT": str(grpc),
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_ADVERTISE_ADDR": ports.LOOPBACK,
        "CLUSTER_GOSSIP_BIND_PORT": str(numbers[2]),
        "CLUSTER_DATA_BIND_PORT": str(numbers[3]),
        "RAFT_PORT": str(numbers[4]),
        "RAFT_INTERNAL_RPC_PORT": str(numbers[5]),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "GO_PROFILING_PORT": str(numbers[6]),
        "DISABLE_TELEMETRY": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "LOG_LEVEL": "error",
    }
    process = processes.spawn(
        [str(program), "--host", ports.LOOPBACK, "--port", str(http), "--scheme", "http"],
        log=log,
        pid_file=pid_file(folder),
        environment=variables,
        folder=folder,
    )
    return _ready_or_raise(WeaviateServer(f"{ports.LOOPBACK}:{http}", f"{ports.LOOPBACK}:{grpc}", process), log)


def _ports(folder: Path, http: int, grpc: int, *, keep: bool) -> list[int]:
    """HTTP, gRPC, gossip, data, Raft, Raft's RPC, profiling: the folder's last ones, a taken one replaced.

    A restart keeps them: its clients know two of them, and its own Raft log the others.
    """
    record = folder / "ports.json"
    try:
        last = [int(port) for port in json.loads(record.read_text())]
    except (OSError, ValueError, TypeError):
        last = []
    chosen = ports.free_ports(7)
    if len(last) == len(chosen):
        chosen = [old if keep or ports.is_free(old) else new for old, new in zip(last, chosen, strict=True)]
    chosen[:2] = [http or chosen[0], grpc or chosen[1]]
    processes.write_whole(record, json.dumps(chosen))
    return chosen


def _ready_or_raise(server: WeaviateServer, log: Path) -> WeaviateServer:
    port = int(server.http.rpartition(":")[2])
    deadline = time.monotonic() + READY_TIMEOUT_S
    while time.monotonic() < deadline:
        processes.reap(server.process.pid)
        if not server.process.alive():
            break
        if ready(port):
            return server
        time.sleep(0.2)
    server.stop()
    words = processes.log_tail(log, 5)
    raise LocalError(f"does not become ready: {words}", thing="Weaviate", way_out=f"see {log}")


def ready(port: int) -> bool:
    """Whether the server on this port takes work."""
    try:
        with _DIRECT.open(f"http://{ports.LOOPBACK}:{port}/v1/.well-known/ready", timeout=2) as answer:
            return answer.status == 200
    except (urllib.error.URLError, OSError):
        return False
