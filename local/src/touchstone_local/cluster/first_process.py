"""The first process of the node: it is started in namespaces of its own, makes them a machine, and keeps its daemons.

`python -m touchstone_local.cluster.first_process STATE CACHE`; it tells its steps as JSON lines. When it ends, the
kernel ends every process, mount, interface and rule of the node with it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FrameType

from touchstone_local.cluster import daemons, disks, packages
from touchstone_local.cluster.layout import BRIDGE_CIDR, NAME, Layout
from touchstone_local.errors import LocalError

# Settings of the whole machine that kubelet and proxy write: they are given files of the node's own instead.
_MACHINE_WIDE = {
    "vm/overcommit_memory": "1",
    "vm/panic_on_oom": "0",
    "kernel/panic": "10",
    "kernel/panic_on_oops": "1",
    "kernel/keys/root_maxkeys": "1000000",
    "kernel/keys/root_maxbytes": "25000000",
}
# Folders of the machine in which daemons make their own: they see them through a layer of the node's.
_LAYERED = ("/etc", "/var/lib", "/opt", "/usr/libexec")
_RESTARTS = 5


def main() -> None:
    """Make the namespaces a machine, start the daemons, and wait."""
    layout = Layout(Path(sys.argv[1]), Path(sys.argv[2]))
    began = time.monotonic()

    def tell(step: str, **more: object) -> None:
        line = {"after_s": round(time.monotonic() - began, 2), "step": step, **more}
        with layout.progress.open("a") as sink:
            sink.write(json.dumps(line) + "\n")

    os.environ.update(packages.variables(layout), HOME=str(layout.state))
    signal.signal(signal.SIGTERM, _end)
    try:
        _mounts(layout)
        disks.mount(layout)
        _network()
        tell("namespaces")
        running = daemons.start(layout, tell)
    except (LocalError, OSError, subprocess.CalledProcessError) as error:
        words = error.stderr if isinstance(error, subprocess.CalledProcessError) and error.stderr else str(error)
        tell("failed", error=words.strip()[-1500:])
        sys.exit(1)
    tell("ready")
    _keep(layout, running, tell)


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)


def _keep(layout: Layout, running: dict[str, subprocess.Popen[bytes]], tell: daemons.Tell) -> None:
    """Reap whoever is orphaned; a daemon that ends is started again, a few times."""
    restarts = dict.fromkeys(running, 0)
    while True:
        pid, status = os.wait()
        for name, process in running.items():
            if process.pid == pid:
                restarts[name] += 1
                tell("daemon_ended", name=name, status=status, restarts=restarts[name])
                if restarts[name] <= _RESTARTS:
                    time.sleep(1.0)
                    running[name] = daemons.spawn(layout, daemons.named(layout, name))


def _mounts(layout: Layout) -> None:
    # What is mounted here shall not show on the machine.
    _call("mount", "--make-rprivate", "/")
    _call("mount", "-t", "proc", "proc", "/proc")
    _call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    # A second proc without anything mounted over it: without one the kernel refuses new ones in user namespaces.
    Path("/run/clean-proc").mkdir()
    _call("mount", "-t", "proc", "proc", "/run/clean-proc")
    _call("mount", "-t", "sysfs", "sysfs", "/sys")
    _cgroups()
    logs = layout.state / "varlog"
    logs.mkdir(exist_ok=True)
    _call("mount", "--bind", str(logs), "/var/log")
    for folder in _LAYERED:
        if layout.state.is_relative_to(folder) or layout.cache.is_relative_to(folder):
            raise LocalError(
                "the node lays a folder of its own over it",
                thing=folder,
                way_out="point TOUCHSTONE_STATE and TOUCHSTONE_CACHE elsewhere",
            )
        if Path(folder).is_dir():
            layer = layout.state / "layers" / folder.strip("/").replace("/", "_")
            for part in ("upper", "work"):
                (layer / part).mkdir(parents=True, exist_ok=True)
            options = f"lowerdir={folder},upperdir={layer / 'upper'},workdir={layer / 'work'}"
            _call("mount", "-t", "overlay", "-o", options, "overlay", folder)
    for name, value in _MACHINE_WIDE.items():
        stand_in = layout.state / "machine" / name.replace("/", "_")
        stand_in.parent.mkdir(exist_ok=True)
        stand_in.write_text(value + "\n")
        if Path("/proc/sys", name).exists():
            _call("mount", "--bind", str(stand_in), f"/proc/sys/{name}")
    # Also for programs that are started with an empty environment.
    _call("ldconfig", "-C", "/run/ld.so.cache", str(layout.packages / "usr/lib/x86_64-linux-gnu"))
    _call("mount", "--bind", "/run/ld.so.cache", "/etc/ld.so.cache")
    _call("mount", "--make-rshared", "/")


def _cgroups() -> None:
    _call("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/sys/fs/cgroup")
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, names, _ = line.split(":", 2)
        if not names:
            continue
        folder = Path("/sys/fs/cgroup", names.removeprefix("name="))
        folder.mkdir()
        options = f"none,{names}" if names.startswith("name=") else names
        _call("mount", "-t", "cgroup", "-o", options, "cgroup", str(folder))


def _network() -> None:
    _call("hostname", NAME)
    _call("ip", "link", "set", "lo", "up")
    _call("ip", "link", "add", "node0", "type", "bridge")
    _call("ip", "address", "add", BRIDGE_CIDR, "dev", "node0")
    _call("ip", "link", "set", "node0", "up")
    # It leads nowhere; Kubernetes asks for a default route to find its own address.
    _call("ip", "route", "add", "default", "dev", "node0")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1\n")
    bridged = Path("/proc/sys/net/bridge/bridge-nf-call-iptables")
    if bridged.exists():
        bridged.write_text("1\n")


def _call(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
