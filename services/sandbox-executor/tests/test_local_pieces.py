"""Pieces of the local backend that need no sandbox: cgroup discovery, layout, streams, words."""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import threading
import time

import pytest

from sandbox_executor.adapters.commanded import pack
from sandbox_executor.adapters.gvisor.reports import count_refusals
from sandbox_executor.adapters.hosting.backend import HostedBackend
from sandbox_executor.adapters.hosting.cgroups import Cgroups, _kill_inside, sweep, visible
from sandbox_executor.adapters.hosting.layout import PACKAGE, SITE, build_layout
from sandbox_executor.adapters.hosting.preloading import preload_for
from sandbox_executor.adapters.local.backend import kernel_layer
from sandbox_executor.adapters.local.layers import Outside, look_at_job, read_probe
from sandbox_executor.adapters.local.zygotes import Zygote
from sandbox_executor.adapters.packages.fetching import read_words
from sandbox_executor.adapters.packages.pip import read_report
from sandbox_executor.adapters.packages.preparing import evict
from sandbox_executor.adapters.running import Setting, raised
from sandbox_executor.adapters.streams import Drain, pipe, unblocked
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.domain.packages import PolicyError
from sandbox_executor.domain.requirements import Package
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.ports import Layer
from touchstone_runtime.memory import machine_memory


def second_version(tmp_path, controllers="cpu memory pids"):
    """A folder that looks like a delegated cgroup of the second version."""
    own = tmp_path / "own"
    own.mkdir()
    (own / "cgroup.controllers").write_text(controllers)
    (own / "cgroup.subtree_control").write_text("cpu memory pids")
    return f"none {tmp_path} cgroup2 rw 0 0\n", "0::/own\n"


def test_second_version(tmp_path):
    mounts, membership = second_version(tmp_path)
    # The kernel makes these files with each folder; here they are there before.
    started = pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    folder = tmp_path / "own" / f"touchstone-{os.getpid()}-{started}"
    job = folder / "job-0"
    job.mkdir(parents=True)
    (folder / "cgroup.subtree_control").write_text("cpu memory pids")
    for file, text in {
        "memory.max": "",
        "memory.swap.max": "",
        "pids.max": "",
        "cgroup.procs": "",
        "memory.events": "low 0\nhigh 0\nmax 3\noom 1\noom_kill 2\n",
        "pids.events": "max 5\n",
        "memory.peak": "4096\n",
        "cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
    }.items():
        (job / file).write_text(text)
    cgroups = Cgroups(mounts, membership, "job")
    assert cgroups.version == 2
    made = cgroups.create(64 * 2**20, 8)
    assert (job / "memory.max").read_text() == str(64 * 2**20)
    assert (job / "memory.swap.max").read_text() == "0"
    assert (job / "pids.max").read_text() == "9"
    assert not (job / "cpu.max").exists()
    (job / "cpu.max").write_text("max 100000")
    Cgroups(mounts, membership, "job", cpus=1.5).create(64 * 2**20, 8)
    assert (job / "cpu.max").read_text() == "150000 100000"
    assert made.usage() == Usage(1.5, 4096, 2, 5)
    # Killed within its own limit: the machine or the pod had too little memory.
    (job / "memory.events").write_text("low 0\nhigh 0\nmax 0\noom 0\noom_kill 2\n")
    assert (made.usage().oom_kills, made.usage().foreign_kills) == (0, 2)
    (tmp_path / "memory.max").write_text("max")
    (tmp_path / "own" / "memory.max").write_text("12345678")
    assert machine_memory(mounts, membership) == 12345678
    descriptors = made.join_descriptors()
    assert [os.readlink(f"/proc/self/fd/{d}") for d in descriptors] == [str(job / "cgroup.procs")]
    for descriptor in descriptors:
        os.close(descriptor)


def test_first_version_tells_the_machines_kills_from_the_jobs_and_holds_its_processors(tmp_path):
    started = pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    job = tmp_path / f"touchstone-{os.getpid()}-{started}" / "job-0"
    job.mkdir(parents=True)
    for file, text in {
        "memory.limit_in_bytes": "",
        "memory.memsw.limit_in_bytes": "",
        "memory.max_usage_in_bytes": "4096\n",
        "memory.failcnt": "3\n",
        "memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
        "pids.max": "",
        "pids.events": "max 5\n",
        "cpuacct.usage": "1500000000\n",
        "cpu.cfs_period_us": "",
        "cpu.cfs_quota_us": "",
        "tasks": "",
    }.items():
        (job / file).write_text(text)
    (job.parent / "cpu.shares").write_text("")
    mounts = f"cgroup {tmp_path} cgroup rw,memory,pids,cpu,cpuacct 0 0\n"
    made = Cgroups(mounts, "4:memory,pids,cpu,cpuacct:/\n", "job", cpus=1.5).create(64 * 2**20, 8)
    quota = (job / "cpu.cfs_quota_us").read_text(), (job / "cpu.cfs_period_us").read_text()
    assert quota == ("150000", "100000")
    assert (job / "memory.limit_in_bytes").read_text() == str(64 * 2**20)
    assert made.usage() == Usage(1.5, 4096, 2, 5)
    # Killed though nothing was refused to it: the machine or the pod had too little memory.
    (job / "memory.failcnt").write_text("0\n")
    assert (made.usage().oom_kills, made.usage().foreign_kills) == (0, 2)


def test_second_version_without_memory_says_how_to_get_it(tmp_path):
    mounts, membership = second_version(tmp_path, "cpu pids")
    with pytest.raises(IsolationMissingError, match=r"memory.*Delegate=yes"):
        Cgroups(mounts, membership)


def test_no_cgroups_at_all():
    with pytest.raises(IsolationMissingError, match="mount -t cgroup2"):
        Cgroups("proc /proc proc rw 0 0\n", "")


def test_first_version_with_a_controller_missing(tmp_path):
    mounts = f"cgroup {tmp_path} cgroup rw,memory 0 0\n"
    with pytest.raises(IsolationMissingError, match="without pids, cpuacct"):
        Cgroups(mounts, "4:memory:/\n")


def test_a_process_that_cannot_be_named_here_is_left_alone(tmp_path):
    """Outside of our namespace it reads as 0, and to kill 0 would end the executor's own group."""
    procs = tmp_path / "cgroup.procs"
    victim = subprocess.Popen(["sleep", "600"])
    procs.write_text(f"0\n{victim.pid}\n0\n")
    assert visible(procs) == [victim.pid]
    _kill_inside(tmp_path)
    assert victim.wait(120) == -signal.SIGKILL


def test_cgroups_that_can_are_killed_at_once(tmp_path):
    (tmp_path / "cgroup.kill").write_text("")
    (tmp_path / "cgroup.procs").write_text(str(os.getpid()))
    _kill_inside(tmp_path)
    assert (tmp_path / "cgroup.kill").read_text() == "1"


def test_a_warm_interpreter_whose_answer_comes_late_is_ended(tmp_path):
    """Its answer would be taken for that to the next request."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.settimeout(0.05)
    zygote = object.__new__(Zygote)
    zygote._control, zygote._lock = ours, threading.Lock()
    zygote._process = subprocess.Popen(["sleep", "60"])
    with pytest.raises(SandboxFaultError, match="does not answer"):
        zygote.fork(messages.Plan(1, 1, 1, 1), [])
    assert not zygote.alive
    messages.send(theirs, messages.Forked())
    with pytest.raises(SandboxFaultError, match="ended"):
        zygote.fork(messages.Plan(1, 1, 1, 1), [])
    ours.close()
    theirs.close()


def test_a_storm_of_reports_keeps_nobody():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    going = threading.Event()

    def storm():
        with contextlib.suppress(OSError):
            while not going.is_set():
                theirs.send(b"x" * 40)

    thread = threading.Thread(target=storm, daemon=True)
    thread.start()
    began = time.monotonic()
    assert count_refusals(ours) == 0
    assert time.monotonic() - began < 60
    going.set()
    ours.close()
    thread.join(60)
    theirs.close()


def test_real_cgroup_limits_and_leaves_nothing():
    cgroups = Cgroups()
    made = cgroups.create(64 * 2**20, 8)
    assert made.usage().oom_kills == 0
    made.remove()
    roots = list(cgroups._roots.values())
    assert all(root.is_dir() for root in roots)
    cgroups.close()
    assert not any(root.exists() for root in roots)


def test_one_backend_that_closes_takes_no_folder_from_another():
    one, other = Cgroups(), Cgroups()
    one.close()
    # Said twice, it is the same.
    one.close()
    other.create(64 * 2**20, 8).remove()
    roots = list(other._roots.values())
    other.close()
    assert not any(root.exists() for root in roots)


def test_layout_shows_no_more_than_it_should():
    layout = build_layout(())
    outside = [source for source, _ in layout.binds]
    inside = [target for _, target in layout.binds]
    assert len(set(inside)) == len(inside)
    assert f"{SITE}/numpy" in inside
    assert "/harness" in inside
    for secret in ("/", "/etc", "/root", "/home", "/var", "/usr", "/work", str(PACKAGE), str(PACKAGE.parent)):
        assert secret not in outside
    assert not [target for target in inside if "touchstone_" in target and "touchstone_values" not in target]
    assert not [target for target in inside if target.endswith(("/adapters", "/domain", "/grpc"))]


@pytest.mark.parametrize(
    ("source", "libraries"),
    [
        ("def f(): pass", ()),
        ("import numpy as np", ("numpy",)),
        ("    from pandas import DataFrame", ("numpy", "pandas")),
        ("import os, numpy.linalg", ("numpy",)),
        ("x = 'import numpy'", ()),
        ("import sympy\nimport networkx as nx", ("networkx", "sympy")),
    ],
)
def test_preloading_follows_imports(source, libraries):
    language = LANGUAGES["python"]
    assert preload_for(Setting(language, source, DEFAULT, "", 1, {})) == libraries
    assert preload_for(Setting(language, source, DEFAULT, "abc", 1, {})) == ()
    assert preload_for(Setting(LANGUAGES["go"], source, DEFAULT, "", 1, {})) == ()


def test_limits_leave_room_for_the_runtime():
    java = LANGUAGES["java"]
    found = raised(DEFAULT.__class__(1, 1, 2**20, 1, 1), java)
    assert found.memory_bytes == java.memory_floor_bytes
    assert found.processes == 1 + java.processes_floor


def test_files_are_packed_as_the_init_reads_them():
    descriptor = pack({"a/b": b"xy", "ü": b""})
    with os.fdopen(descriptor, "rb") as stream:
        data = stream.read()
    assert data == b"\0\0\0\x03a/b" + bytes(7) + b"\x02xy" + b"\0\0\0\x02\xc3\xbc" + bytes(8)


def test_a_drain_keeps_the_beginning_and_counts_everything():
    read, write = pipe()
    forwarded = []
    drain = Drain((unblocked(read),), 10, 4, lambda descriptor, data: forwarded.append(data))
    os.write(write, b"abcdefgh")
    drain.read_all()
    assert not drain.exceeded
    assert drain.take() == "abcd"
    assert drain.take() == ""
    os.write(write, b"ijklmnop")
    drain.read_all()
    assert drain.exceeded
    assert b"".join(forwarded) == b"abcdefghij"
    assert drain.tail.endswith("mnop")
    os.close(write)
    os.close(read)


def test_report_and_words_of_pip():
    item = {
        "metadata": {"name": "a", "version": "1"},
        "is_direct": False,
        "download_info": {"url": "file:///a-1-py3-none-any.whl", "archive_info": {"hashes": {"sha256": "00"}}},
    }
    assert read_report(json.dumps({"install": [item]}).encode()) == (Package("a", "1", "00"),)
    source = item["download_info"] | {"url": "file:///a-1.tar.gz"}
    for direct in (item | {"is_direct": True}, item | {"download_info": source}):
        with pytest.raises(PolicyError):
            read_report(json.dumps({"install": [direct]}).encode())
    for broken in (b"", b"{}", b'{"install":[{}]}'):
        with pytest.raises(SandboxFaultError):
            read_report(broken)
    assert read_words("WARNING: x\nERROR: No matching distribution\nbye", "ERROR") == "No matching distribution"
    assert read_words("a\nb", "ERROR") == "a; b"


def test_a_probe_that_sees_the_host_says_so():
    seen = {
        "namespaces": {
            name: os.readlink(f"/proc/self/ns/{name}") for name in ("mnt", "pid", "net", "ipc", "uts", "cgroup", "user")
        },
    }
    tried = {"sockets_denied": False, "landlock": False}
    # What the job itself says of its confinement decides nothing.
    tried |= {"no_new_privs": True, "seccomp": True, "capabilities": 0, "user": 9, "root_read_only": True}
    outside = Outside(seen["namespaces"], False, False, 1, 0, False)
    layers = {layer.name: layer for layer in read_probe(tried, outside, "cgroup v2", rootless=False, abi=6)}
    assert not any(layers[name].in_force for name in layers if name != "cgroups")
    assert "net" in layers["namespaces"].detail
    (layer,) = read_probe(tried, None, "cgroup v2", rootless=False, abi=6)
    assert layer.name == "cgroups" and layer.required and not layer.in_force


@pytest.mark.parametrize(
    ("abi", "rootless", "words"), [(6, True, "signals"), (5, True, "6.12"), (3, False, "files (ABI")]
)
def test_what_landlock_holds_is_said_by_its_version(abi, rootless, words):
    spaces = dict.fromkeys(("mnt", "pid", "net", "ipc", "uts", "cgroup", "user"), "other")
    outside = Outside(spaces, True, True, 0, 1000, True)
    layers = read_probe({"sockets_denied": True, "landlock": True}, outside, "v2", rootless=rootless, abi=abi)
    assert all(layer.in_force for layer in layers)
    assert words in layers[-1].detail


def test_only_a_process_that_one_of_the_job_started_is_looked_at_as_its_program():
    """As every kernel shows it: gVisor's says nothing of a process' numbers in other namespaces."""
    assert look_at_job([2**22 + 1, os.getpid()]) is None
    found = look_at_job([os.getppid(), 2**22 + 1, os.getpid()])
    assert found is not None and found.user == os.getuid() and not found.filtered
    assert look_at_job([]) is None


def test_environments_used_longest_ago_make_room(tmp_path):
    now = time.time()
    for name, age in (("old", 9000), ("older", 9500), ("kept", 9999), ("fresh", 10)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_bytes(bytes(1000))
        os.utime(tmp_path / name, (now - age, now - age))
    (tmp_path / "note.json").write_text("{}")
    assert evict(tmp_path, 4000, keep="kept") == []
    assert evict(tmp_path, 3500, keep="kept") == ["older"]
    assert evict(tmp_path, 100, keep="kept") == ["old"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["fresh", "kept", "note.json"]


@pytest.mark.parametrize(
    ("release", "recent"), [("5.8.0-1", True), ("6.12.3", True), ("5.7.19", False), ("4.4.0", False), ("odd", False)]
)
def test_the_least_kernel_is_said(release, recent):
    layer = kernel_layer(release)
    assert layer.in_force is recent
    assert recent or "5.8" in layer.detail


class Hesitant(HostedBackend):
    """A backend whose first job does not run at once."""

    name = "hesitant"
    prepare = open_session = close = way_out = _open = _look = _read = None

    def _probe(self):
        self.tries = getattr(self, "tries", 0) + 1
        if self.tries == 1:
            raise SandboxFaultError("no time", thing="machine")
        return [Layer("walls", True, "thick")]


def test_a_first_job_that_did_not_run_is_tried_again(tmp_path):
    backend = Hesitant(LANGUAGES, Toolchains(tmp_path, PACKAGE / "harness", RuntimePaths()), tmp_path)
    with pytest.raises(IsolationMissingError, match="machine: no time"):
        backend.require_layers()
    backend.require_layers()
    assert [layer.name for layer in backend.layers()] == ["walls", "dated answers"]
    assert backend.tries == 2


def test_two_that_start_at_once_may_remove_the_same_remains(tmp_path, monkeypatch):
    remains = tmp_path / "touchstone-99999999-1"
    remains.mkdir()
    (tmp_path / "touchstone-99999998-1" / "job").mkdir(parents=True)
    listed = pathlib.Path.iterdir

    def removed_by_the_other(folder):
        if folder == remains:
            remains.rmdir()
        return listed(folder)

    monkeypatch.setattr(pathlib.Path, "iterdir", removed_by_the_other)
    sweep(tmp_path)
    assert not any(tmp_path.glob("touchstone-*"))
