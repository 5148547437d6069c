"""The wiring of a runner pod, and what the executor's has of it.

Nothing of brokers, databases and gRPC is loaded: each job has a pod of its own, and waits for its start.
"""

from __future__ import annotations

import os
import signal
import socket
import threading
from pathlib import Path

from sandbox_executor.adapters.hosting.layout import PACKAGE
from sandbox_executor.adapters.hosting.users import outside_user
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.pods.runner import Runner, warm
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.settings import SandboxSettings
from sandbox_executor.usecases import PREPARES
from touchstone_runtime.memory import machine_memory
from touchstone_runtime.telemetry import get_logger

# Longer than a removal takes while the cluster's API is slow, and short for a pod that nobody has.
LINGER_S = 10.0
_log = get_logger()


def build_toolchains(settings: SandboxSettings) -> Toolchains:
    """The languages of this machine."""
    paths = RuntimePaths(settings.node, settings.java_home, settings.go_root, settings.php, settings.ecj_jar)
    return Toolchains(settings.toolchains_dir or settings.state_dir, PACKAGE / "harness", paths)


def build_local(settings: SandboxSettings, toolchains: Toolchains) -> LocalBackend:
    """The backend of this machine's namespaces."""
    return LocalBackend(
        LANGUAGES,
        toolchains,
        LocalOptions(
            settings.state_dir / "sandbox",
            settings.sandbox_workers + PREPARES + settings.sandbox_sessions,
            pip_variables=settings.pip_variables(),
            npm_variables=settings.npm_variables(),
            maven_variables=settings.maven_variables(),
            maven_repository=settings.sandbox_maven_repository,
            go_variables=settings.go_variables(),
            policy=settings.policy(),
            egress_bytes=settings.sandbox_egress_bytes,
            cpus=settings.sandbox_cpus,
        ),
    )


def run_job(settings: SandboxSettings, host: str, port: int, linger_s: float = 0.0) -> None:
    """Be the runner in a pod: get warm, listen, serve one job, and end.

    Args:
        settings: The service's.
        host: Where it listens.
        port: Likewise.
        linger_s: How long it waits, when all is over, for the executor to remove the pod. A node that sees a container
            end before that starts it again, for nothing.

    Raises:
        TouchstoneError: nothing holds a job here; names what is missing.
    """
    toolchains = build_toolchains(settings)
    backend = build_local(settings, toolchains)
    try:
        warm(backend)
        backend.languages()
        most_memory_bytes = settings.sandbox_all_memory_bytes or machine_memory() // 5 * 4
        runner = Runner(backend, settings.state_dir / "sandbox", settings.sandbox_pod_uid, most_memory_bytes)
        with socket.create_server((host, port)) as listener:
            # What may be missing is missed by nobody who reads this.
            absent = [layer.name for layer in backend.layers() if not layer.in_force]
            users = Path("/proc/self/uid_map").read_text()
            _log.info(
                "runner_ready", port=port, kernel=os.uname().release, root_outside=outside_user(users), absent=absent
            )
            runner.serve(listener)
    finally:
        backend.close()
    if linger_s:
        _await_end(linger_s)


def _await_end(seconds: float) -> None:
    """Return when the node asks for the end, or after so long: no executor is left that removes the pod."""
    # The first process of a pod gets a signal only where it has said what it does with it.
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    asked.wait(seconds)
