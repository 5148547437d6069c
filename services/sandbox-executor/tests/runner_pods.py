"""Runner pods without a cluster: real runner processes on loopback, behind an API that behaves like a cluster's."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from sandbox_executor.adapters.pods.backend import PodsBackend, PodsOptions
from sandbox_executor.adapters.pods.channel import PORT
from sandbox_executor.adapters.pods.cluster import api_of
from sandbox_executor.adapters.pods.pool import PodPool, PoolOptions
from sandbox_executor.domain.languages import LANGUAGES

_spec = spec_from_file_location("fake_cluster", Path(__file__).with_name("fake_cluster.py"))
fake = module_from_spec(_spec)
_spec.loader.exec_module(fake)
_READY_WITHIN_S = 120.0


class Node:
    """Starts runner processes: forks of one process that has loaded what they need, as pods of one image share it.

    Args:
        toolchains: Folder of built languages.
    """

    def __init__(self, toolchains):
        self._states = tempfile.TemporaryDirectory(prefix="runners-")
        self._lock = threading.Lock()
        self._words = (Path(self._states.name) / "words").open("w+b")
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(toolchains), self._states.name],
            # The canary is what a job must never see.
            env={"PATH": os.defpath, "TOUCHSTONE_CANARY": "canary-7f3a"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._words, text=True,
        )  # fmt: skip

    def start(self, name, uid, address):
        """A runner that can be reached, as the probe of the chart asks; gives what ends it."""
        with self._lock:
            self._process.stdin.write(f"{uid} {address}\n")
            self._process.stdin.flush()
            pid = int(self._process.stdout.readline())

        def end():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        deadline = time.monotonic() + _READY_WITHIN_S
        while time.monotonic() < deadline and Path(f"/proc/{pid}").exists():
            with contextlib.suppress(OSError), socket.create_connection((address, PORT), 1.0):
                return end
            time.sleep(0.05)
        end()
        raise AssertionError(self.words())

    def words(self):
        """The last of what runners said."""
        return Path(self._words.name).read_text()[-3000:]

    def close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()
        self._words.close()
        self._states.cleanup()


def serve_node(toolchains, states):
    """Fork a runner for each line."""
    from sandbox_executor.app import run_job
    from sandbox_executor.settings import SandboxSettings

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    # Runners log to the standard output.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    pids = []
    while line := sys.stdin.readline():
        uid, address = line.split()
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            answers.close()
            settings = SandboxSettings(
                state_dir=Path(states, uid), toolchains_dir=Path(toolchains), sandbox_pod_uid=uid
            )
            try:
                run_job(settings, address, PORT)
            except Exception:  # noqa: BLE001  the words are all that is left of it
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(0)
        pids.append(pid)
        answers.write(f"{pid}\n")
        answers.flush()
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextlib.contextmanager
def pods_backend(state, toolchains, *, replicas=3, start=None, **options):
    """The backend, its cluster and so many pods."""

    node = Node(toolchains)
    cluster = fake.FakeCluster(start or node.start, replicas)
    try:
        pool = PodPool(
            api_of(cluster.configuration()),
            PoolOptions(fake.NAMESPACE, fake.SELECTOR, "uid-executor", window_s=1.0),
        )
        backend = PodsBackend(LANGUAGES, pool, PodsOptions(state, **{"wait_s": 120.0, **options}))
        backend.cluster = cluster
        yield backend
        backend.close()
    finally:
        cluster.close()
        node.close()


if __name__ == "__main__":
    serve_node(*sys.argv[1:])
