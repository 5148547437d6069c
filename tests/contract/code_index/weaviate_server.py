"""A real Weaviate for one test session, where its binary lies on this machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

BIN = Path(__file__).parents[3] / ".state/bin/weaviate-server"
READY_S = 60


def binary() -> str | None:
    """Path of the server, or None where there is none."""
    return str(BIN) if BIN.is_file() else shutil.which("weaviate-server")


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


@contextlib.contextmanager
def running(folder: Path):
    """Start the server in a folder; gives host:port of HTTP and of gRPC."""
    http, grpc, gossip, data, raft, rpc, profiling = _free_ports(7)
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "HOME": str(folder),
        "PERSISTENCE_DATA_PATH": str(folder / "data"),
        "GRPC_PORT": str(grpc),
        "CLUSTER_HOSTNAME": "node1",
        "CLUSTER_ADVERTISE_ADDR": "127.0.0.1",
        "CLUSTER_GOSSIP_BIND_PORT": str(gossip),
        "CLUSTER_DATA_BIND_PORT": str(data),
        "RAFT_PORT": str(raft),
        "RAFT_INTERNAL_RPC_PORT": str(rpc),
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "GO_PROFILING_PORT": str(profiling),
        "DISABLE_TELEMETRY": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "true",
        "LOG_LEVEL": "error",
    }
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [binary(), "--host", "127.0.0.1", "--port", str(http), "--scheme", "http"],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=log,
        )
        try:
            _wait(process, http, folder / "log")
            yield f"127.0.0.1:{http}", f"127.0.0.1:{grpc}"
        finally:
            process.terminate()
            process.wait(timeout=30)


def _wait(process: subprocess.Popen, port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/.well-known/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError(f"Weaviate did not become ready: {log.read_text(errors='replace')[-2000:]}")
