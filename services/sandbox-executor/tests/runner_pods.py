"""Runner pods without a cluster: real runner processes on loopback, behind an API that behaves like a cluster's."""

from __future__ import annotations

import contextlib
import json
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

from kubernetes.client import Configuration
from kubernetes.config import load_kube_config

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
    from sandbox_executor.runner_app import run_job
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


# What a privileged pod has, as gVisor's kernel knows it.
_CAPABILITIES = (
    "AUDIT_CONTROL", "AUDIT_READ", "AUDIT_WRITE", "BLOCK_SUSPEND", "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH",
    "FOWNER", "FSETID", "IPC_LOCK", "IPC_OWNER", "KILL", "LEASE", "LINUX_IMMUTABLE", "MAC_ADMIN", "MAC_OVERRIDE",
    "MKNOD", "NET_ADMIN", "NET_BIND_SERVICE", "NET_BROADCAST", "NET_RAW", "SETFCAP", "SETGID", "SETPCAP", "SETUID",
    "SYSLOG", "SYS_ADMIN", "SYS_BOOT", "SYS_CHROOT", "SYS_MODULE", "SYS_NICE", "SYS_PACCT", "SYS_PTRACE", "SYS_RAWIO",
    "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "WAKE_ALARM",
)  # fmt: skip
# Folders of the machine that stand for the image.
_IMAGE = ("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib32", "/lib64")


class GvisorNode:
    """Starts runners as a node does for the runtime class gVisor: privileged containers with a kernel of their own.

    Its network is the machine's, so that loopback stands for the pod's address.

    Args:
        toolchains: Folder of built languages.
        runsc: gVisor's program.
        flags: What runsc is told beside.
    """

    def __init__(self, toolchains, runsc, flags=("--in-sandbox-cgroup=v2",)):
        self._folder = tempfile.TemporaryDirectory(prefix="gvisor-runners-")
        self._toolchains = Path(toolchains).resolve()
        place = Path(self._folder.name)
        self._base = [str(runsc), f"--root={place / 'state'}", "--platform=systrap", "--network=host"]
        # The default would leave a mounted network namespace behind.
        self._base += ["--ignore-cgroups", "--gofer-network-namespace=new", *flags]
        self._words = (place / "words").open("a+b")
        self._running = []

    def start(self, name, uid, address):
        """A runner that can be reached, as the probe of the chart asks; gives what ends it."""
        bundle = Path(self._folder.name) / name
        (bundle / "root").mkdir(parents=True)
        (bundle / "pod").mkdir()
        (bundle / "config.json").write_text(json.dumps(self._describe(bundle, uid, address)))
        process = subprocess.Popen(
            [*self._base, "run", f"--bundle={bundle}", name],
            env={"PATH": os.defpath, "TOUCHSTONE_CANARY": "canary-7f3a"}, stdin=subprocess.DEVNULL,
            stdout=self._words, stderr=self._words, start_new_session=True,
        )  # fmt: skip
        self._running.append(process)

        def end():
            if process.poll() is None:
                subprocess.run([*self._base, "kill", name, "KILL"], capture_output=True, check=False)
                process.wait()

        deadline = time.monotonic() + _READY_WITHIN_S
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection((address, PORT), 1.0):
                return end
            time.sleep(0.05)
        end()
        raise AssertionError(self.words())

    def _describe(self, bundle, uid, address):
        mounts = [
            {"destination": "/proc", "type": "proc", "source": "proc"},
            {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": ["size=65536k"]},
            {"destination": "/sys", "type": "sysfs", "source": "sysfs"},
            {"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": ["rw"]},
            {"destination": "/tmp", "type": "tmpfs", "source": "tmpfs"},
            {"destination": "/pod", "type": "bind", "source": str(bundle / "pod"), "options": ["rbind", "rw"]},
        ]
        image = [folder for folder in _IMAGE if Path(folder).is_dir() and not Path(folder).is_symlink()]
        checkout = Path(__file__).resolve().parents[3]
        image += [str(folder) for folder in {checkout, Path(sys.prefix), Path(sys.base_prefix), self._toolchains}]
        for folder in _IMAGE:
            if Path(folder).is_symlink():
                (bundle / "root" / folder[1:]).symlink_to(Path(folder).readlink())
        for folder in sorted(image):
            if not any(folder.startswith(f"{other}/") for other in image):
                (bundle / "root" / folder[1:]).mkdir(parents=True, exist_ok=True)
                mounts.append({"destination": folder, "type": "bind", "source": folder, "options": ["rbind", "ro"]})
        for folder in ("proc", "dev", "sys", "tmp", "pod"):
            (bundle / "root" / folder).mkdir()
        variables = {
            "PATH": os.defpath, "TOUCHSTONE_STATE_DIR": "/pod", "TOUCHSTONE_TOOLCHAINS_DIR": str(self._toolchains),
            "TOUCHSTONE_SANDBOX_POD_UID": uid,
        }  # fmt: skip
        capabilities = [f"CAP_{name}" for name in _CAPABILITIES]
        return {
            "ociVersion": "1.1.0",
            "process": {
                "user": {"uid": 0, "gid": 0},
                "args": [sys.executable, "-m", "sandbox_executor", "runner", "--listen", f"{address}:{PORT}"],
                "env": [f"{name}={value}" for name, value in variables.items()],
                "cwd": "/",
                "capabilities": dict.fromkeys(("bounding", "effective", "permitted"), capabilities),
            },
            "root": {"path": str(bundle / "root"), "readonly": True},
            "hostname": "runner",
            "mounts": mounts,
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]},
        }

    def words(self):
        """The last of what runners said."""
        return Path(self._words.name).read_text(errors="replace")[-3000:]

    def close(self):
        for process in self._running:
            if process.poll() is None:
                process.terminate()
                process.wait()
        self._words.close()
        self._folder.cleanup()


@contextlib.contextmanager
def pods_of_a_cluster(state, named):
    """The backend over runner pods of a real cluster, by the API that KUBECONFIG names.

    Args:
        state: Folder with datasets.
        named: Their namespace and their labels, `namespace:name=value,…`.
    """
    namespace, _, selector = named.partition(":")
    configuration = Configuration()
    load_kube_config(client_configuration=configuration)
    pool = PodPool(api_of(configuration), PoolOptions(namespace, selector))
    with contextlib.closing(PodsBackend(LANGUAGES, pool, PodsOptions(state))) as backend:
        yield backend


@contextlib.contextmanager
def pods_backend(state, toolchains, *, replicas=3, start=None, runsc=None, **options):
    """The backend, its cluster and so many pods; with `runsc` each is a kernel of gVisor's."""
    node = GvisorNode(toolchains, runsc) if runsc is not None else Node(toolchains)
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


def pods_anywhere(state, toolchains, named):
    """The backend over the pods that `--runner-pods` names; where it names none, over this machine's own."""
    return pods_of_a_cluster(state, named) if named else pods_backend(state, toolchains)


if __name__ == "__main__":
    serve_node(*sys.argv[1:])
