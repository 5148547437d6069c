"""A real Weaviate for one test session: the one on the PATH, else one that is built here, once a machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import build_once, go_variables
from sandbox_executor.adapters.toolchains.runtimes import find_go
from touchstone_local.settings import folders

VERSION = "v1.38.0"
MODULE = "github.com/weaviate/weaviate/cmd/weaviate-server"
READY_S = 60


def binary() -> str:
    """Path of the server; building it takes some minutes, a gigabyte of sources and the network."""
    found = shutil.which("weaviate-server")
    if found is not None:
        return found
    target = folders().cache / "bin" / f"weaviate-{VERSION}" / "weaviate-server"
    if not target.is_file():
        build_once(target.parent, _build)
    return str(target)


def _build(folder: Path) -> None:
    go = str(find_go(None).executable)
    with tempfile.TemporaryDirectory(dir=folder, prefix="scratch") as name:
        scratch = Path(name)
        own = {
            **go_variables(scratch),
            "GOBIN": str(folder),
            # Otherwise the modules could not be deleted afterwards.
            "GOFLAGS": "-modcacherw -trimpath -buildvcs=false",
        }
        command = [go, "install", "-ldflags", "-s -w", f"{MODULE}@{VERSION}"]
        done = subprocess.run(command, env=os.environ | own, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"Weaviate cannot be built: {done.stderr[-2000:]}")


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
