"""The parts of the gVisor backend that need no gVisor."""

import errno
import json
import os
import pathlib
import socket
import struct
import sys
import threading
import time

import pytest

from sandbox_executor.adapters.gvisor import provision, reports
from sandbox_executor.adapters.gvisor.bundle import Shape, build_root, describe, describe_reports
from sandbox_executor.adapters.gvisor.layers import Outside, look_from_outside, read_layers
from sandbox_executor.adapters.gvisor.pool import ContainerPool, running_folder
from sandbox_executor.adapters.hosting.layout import SITE, build_layout
from sandbox_executor.adapters.hosting.watch import MemoryWatch, Watched
from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.errors import IsolationMissingError, JobRefusedError, SandboxFaultError
from sandbox_executor.launcher import messages
from touchstone_runtime.errors import RetryableError

MIB = 2**20


# Reports


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def report(error, header=8):
    """What gVisor sends when `clone` ended: context, exit, number, flags."""
    ending = field(1, 2**64 - error if error else 77) + (field(2, error) if error else b"")
    message = field(1, b"context") + field(2, ending) + field(3, 56) + field(4, 0x3D0F00)
    return struct.pack("=HHI", header, 23, 0) + bytes(header - 8) + message


def test_refused_processes_are_counted():
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        theirs.send(b"\x08\x01")
        reports.greet(ours)
        assert theirs.recv(100) == b"\x08\x01"
        assert reports.count_refusals(ours) == 0
        for error in (errno.EAGAIN, 0, errno.EPERM, errno.EAGAIN, errno.ENOMEM):
            theirs.send(report(error))
        assert reports.count_refusals(ours) == 2
        assert reports.count_refusals(ours) == 0
        theirs.close()
        assert reports.count_refusals(ours) == 0


def test_reports_of_later_versions_and_damaged_ones():
    assert reports.read_errno(report(errno.EAGAIN, header=16)) == errno.EAGAIN
    whole = report(errno.EAGAIN)
    fixed = struct.pack("=HHI", 8, 23, 0) + varint(9 << 3 | 1) + bytes(8) + varint(10 << 3 | 5) + bytes(4) + whole[8:]
    assert reports.read_errno(fixed) == errno.EAGAIN
    for length in range(len(whole)):
        assert reports.read_errno(whole[:length]) in (0, errno.EAGAIN)
    assert reports.read_errno(whole[:8] + b"\x13\xff\xff") == 0
    assert reports.read_errno(b"") == 0


# The bundle


@pytest.fixture(scope="module")
def layout():
    return build_layout(())


def test_a_bundle_gives_away_nothing(layout, tmp_path):
    config = json.loads(describe(layout, tmp_path / "root", tmp_path / "environments", tmp_path / "views", Shape()))
    assert config["root"] == {"path": str(tmp_path / "root"), "readonly": True}
    assert config["process"]["noNewPrivileges"] is True
    assert {entry["type"] for entry in config["linux"]["namespaces"]} >= {"pid", "network", "ipc", "uts", "mount"}
    binds = [mount for mount in config["mounts"] if mount["type"] == "bind"]
    assert all({"ro", "nosuid", "nodev"} <= set(mount["options"]) for mount in binds)
    assert {(mount["source"], mount["destination"]) for mount in binds} == set(layout.binds)
    assert {mount["type"] for mount in config["mounts"]} == {"bind", "cgroup2"}
    for dangerous in ("CAP_NET_RAW", "CAP_SYS_PTRACE", "CAP_MKNOD", "CAP_SYS_MODULE"):
        assert dangerous not in config["process"]["capabilities"]["bounding"]
    names = {entry.split("=")[0] for entry in config["process"]["env"]}
    assert names <= {"HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TZ", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED",
                     "PYTHONPATH", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"}  # fmt: skip


def test_seed_and_environment_make_the_shape(layout, tmp_path):
    config = json.loads(
        describe(layout, tmp_path, tmp_path / "environments", tmp_path / "views", Shape(7, "abc", "def"))
    )
    assert "PYTHONHASHSEED=7" in config["process"]["env"]
    inside = {mount["destination"]: mount["source"] for mount in config["mounts"] if mount["type"] == "bind"}
    assert inside["/data"] == str(tmp_path / "views" / "def")
    assert inside["/runtime/environment"] == str(tmp_path / "environments" / "abc")


def test_reported_calls_are_those_that_make_processes():
    session = json.loads(describe_reports("/run/socket"))["trace_session"]
    assert [point["name"] for point in session["points"]] == [f"syscall/{x}/exit" for x in ("clone", "fork", "vfork")]
    assert session["sinks"][0]["config"]["endpoint"] == "/run/socket"


def test_the_root_has_a_place_for_every_mount(layout, tmp_path):
    root = build_root(layout, tmp_path / "root")
    for source, target in layout.binds:
        assert (root / target.lstrip("/")).is_dir() == pathlib.Path(source).is_dir()
    assert (root / "etc/passwd").read_text().startswith("root:")
    assert (root / "runtime/environment").is_dir()
    assert (root / SITE.lstrip("/") / "numpy").is_dir()
    assert not list((root / "dev").iterdir())
    (root / "left").touch()
    build_root(layout, tmp_path / "root")
    assert not (root / "left").exists()


# Layers

INSIDE = {
    "kernel": "4.19.0-gvisor #1 SMP",
    "root_read_only": True,
    "sockets_denied": True,
    "user": 1000,
    "capabilities": 0,
    "no_new_privs": True,
    "seccomp": True,
    "landlock": True,
}


def missing(inside, outside):
    return {layer.name for layer in read_layers(inside, outside, "cgroup v2") if layer.required and not layer.in_force}


def test_layers_hold_only_when_they_were_seen():
    outside = Outside(True, (), True, 0)
    assert missing(INSIDE, outside) == set()
    assert missing(INSIDE, Outside(False)) == {"gvisor", "namespaces", "host_seccomp"}
    assert missing(INSIDE, Outside(True, ("net",), True)) == {"namespaces"}
    assert missing(INSIDE, Outside(True, (), False)) == {"host_seccomp"}
    assert missing(INSIDE | {"kernel": " ".join(os.uname()[2:4])}, outside) == {"gvisor"}
    assert missing(INSIDE | {"user": 0}, outside) == {"user"}
    assert missing(INSIDE | {"capabilities": 1 << 21}, outside) == {"user"}
    for name in ("root_read_only", "sockets_denied", "no_new_privs", "seccomp"):
        assert len(missing(INSIDE | {name: False}, outside)) == 1
    words = {layer.name: layer.detail for layer in read_layers(INSIDE, Outside(True, ("net", "mnt"), True), "")}
    assert words["namespaces"] == "gVisor's kernel shares with the host: net, mnt"


def test_a_process_of_another_name_is_not_gvisors_kernel():
    assert look_from_outside([os.getpid(), 2**22 + 1]) == Outside(False)


# Folders and spare containers


def test_folders_of_executors_that_are_gone_are_removed(tmp_path):
    base = tmp_path / "base"
    own = running_folder(base)
    assert own.parent == base
    assert own.stat().st_mode & 0o777 == 0o700
    (base / f"{2**22 + 1}-123-0" / "c0").mkdir(parents=True)
    (base / f"{os.getpid()}-1-0").mkdir()
    (base / "else").mkdir()
    (own / "kept").touch()
    # Another backend of this process has its own.
    other = running_folder(base)
    assert sorted(path.name for path in base.iterdir()) == sorted([own.name, other.name, "else"])
    assert (own / "kept").exists()


def test_a_folder_that_others_may_write_to_is_refused(tmp_path):
    base = tmp_path / "base"
    base.mkdir()
    base.chmod(0o777)
    with pytest.raises(IsolationMissingError, match="somebody else"):
        running_folder(base)
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    with pytest.raises(IsolationMissingError, match="somebody else"):
        running_folder(link)


class FakeContainer:
    def __init__(self, shape, folder):
        self.shape, self.folder = shape, folder
        self.alive, self.closed = True, False

    def close(self):
        self.alive, self.closed = False, True


def make_pool(tmp_path, spares, fail=()):
    made = []

    def start(shape, folder):
        if len(made) in fail:
            made.append(None)
            raise SandboxFaultError("no room")
        made.append(FakeContainer(shape, folder))
        return made[-1]

    folder = tmp_path / "pool"
    folder.mkdir(exist_ok=True)
    return ContainerPool(start, folder, spares), made


def test_each_container_serves_one_job_and_has_a_folder_of_its_own(tmp_path):
    pool, made = make_pool(tmp_path, 2)
    taken = [pool.take(Shape()) for _ in range(4)]
    assert len({id(container) for container in taken}) == len({container.folder for container in taken}) == 4
    assert len(pool.waiting()) == 2
    pool.close()
    assert [container.closed for container in made] == [container not in taken for container in made]
    assert not (tmp_path / "pool").exists()


def test_other_shapes_are_started_for_their_job_alone(tmp_path):
    pool, made = make_pool(tmp_path, 1)
    assert pool.take(Shape(5)).shape == Shape(5)
    assert pool.take(Shape(1, "abc")).shape == Shape(1, "abc")
    assert len(made) == 2
    pool.close()


def test_a_spare_one_that_ended_or_never_started_is_passed_over(tmp_path):
    pool, made = make_pool(tmp_path, 1, fail=(3,))
    pool.take(Shape())
    (spare,) = pool.waiting()
    spare.alive = False
    taken = pool.take(Shape())
    assert taken is made[2]
    assert spare.closed
    assert pool.waiting() == []
    assert pool.take(Shape()) is made[4]
    pool.close()
    # Nothing is ordered any more.
    pool.take(Shape())
    assert pool.waiting() == []


# Memory


class FakeCgroup:
    def __init__(self):
        self.limit = 0
        self.highest = 50 * MIB

    def limit_memory(self, most):
        self.limit = most

    def usage(self):
        return Usage(0.0, self.highest)


class Measured:
    """A container whose memory is what the test says."""

    def __init__(self, now):
        self.now = now
        self.cgroup = FakeCgroup()
        self.control, self.inside = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def memory(self, bound):
        return self.now

    def end_program(self):
        messages.send(self.control, messages.Kill())

    def close(self):
        self.control.close()
        self.inside.close()


@pytest.fixture
def measured():
    container = Measured(40 * MIB)
    yield container
    container.close()


def test_a_program_with_too_much_memory_is_ended_once(measured):
    watched = Watched(measured, 100 * MIB)
    assert measured.cgroup.limit > 140 * MIB
    measured.now = 139 * MIB
    watched.look()
    assert (watched.kills, watched.exceeded) == (0, False)
    measured.now = 141 * MIB
    watched.look()
    watched.look()
    assert (watched.kills, watched.exceeded) == (1, True)
    assert messages.receive(measured.inside, messages.Kill).message == messages.Kill()
    measured.now = 45 * MIB
    watched.look()
    assert watched.exceeded is False
    assert watched.peak(0) == 101 * MIB


def test_the_kernels_record_shows_peaks_between_two_looks(measured):
    watched = Watched(measured, 100 * MIB)
    measured.now = 60 * MIB
    watched.look()
    assert watched.peak(50 * MIB) == 20 * MIB
    assert watched.peak(90 * MIB) == 50 * MIB
    # Cached files are in that record, too: never more than is allowed.
    assert watched.peak(900 * MIB) == 100 * MIB


def test_the_watch_looks_while_there_are_jobs_and_ends(measured):
    # A backend of another test may have one.
    others = {thread for thread in threading.enumerate() if thread.name == "memory-watch"}

    def mine():
        return [each for each in threading.enumerate() if each.name == "memory-watch" and each not in others]

    watch = MemoryWatch(0.001)
    watched = watch.add(measured, 10 * MIB)
    measured.now = 60 * MIB
    deadline = time.monotonic() + 120
    while not watched.kills and time.monotonic() < deadline:
        time.sleep(0.001)
    assert watched.kills == 1
    # A container that is gone ends nobody's watch.
    measured.memory = lambda bound: os.stat("/absent")
    time.sleep(0.02)
    assert mine()
    watch.remove(watched)
    watch.close()
    assert not mine()


# Provisioning


def test_what_is_built_must_be_static():
    python = pathlib.Path(sys.executable).resolve().read_bytes()[: 1 << 16]
    assert not provision.is_static(python)
    assert not provision.is_static(b"#!/bin/sh\n")
    header = struct.pack("<QQQ", 0, 64, 0) + bytes(6) + struct.pack("<HH", 56, 1)
    assert provision.is_static(b"\x7fELF\x02" + bytes(19) + header + bytes(6) + struct.pack("<I", 1) + bytes(52))
    assert not provision.is_static(b"\x7fELF\x02" + bytes(19) + header + bytes(6) + struct.pack("<I", 3) + bytes(52))


def test_one_that_is_there_is_not_built_again(tmp_path):
    target = provision.place(tmp_path)
    target.parent.mkdir(parents=True)
    target.touch()
    said = []
    assert provision.provision(tmp_path, tmp_path / "no go here", {}, said.append) == target
    assert said == []


def test_without_go_it_says_how_to_get_it(tmp_path):
    with pytest.raises(JobRefusedError, match="no go at"):
        provision.provision(tmp_path, tmp_path, {}, lambda _: None)


def go_that(tmp_path, script):
    root = tmp_path / "go"
    (root / "bin").mkdir(parents=True)
    (root / "VERSION").write_text("go1.99.0\n")
    (root / "bin/go").write_text(f"#!/bin/sh\n{script}\n")
    (root / "bin/go").chmod(0o755)
    return root


def test_progress_and_a_program_that_is_not_static(tmp_path):
    script = """
[ "$1" = list ] && yes true | head -60 && exit
[ -f go.sum ] && [ -f go.mod ] && [ "$CGO_ENABLED" = 0 ] && [ "$HTTPS_PROXY" = here ] || exit 9
case "$GOFLAGS" in *-mod=readonly*) ;; *) exit 8;; esac
echo "go: downloading something" >&2
for n in $(seq 60); do echo "package/$n" >&2; done
while [ "$1" != -o ]; do shift; done
echo made >"$2"
"""
    said = []
    with pytest.raises(SandboxFaultError, match="not statically linked"):
        provision.provision(tmp_path, go_that(tmp_path, script), {"HTTPS_PROXY": "here"}, said.append)
    assert said[1:3] == ["gVisor: 25 of 60 packages compiled", "gVisor: 50 of 60 packages compiled"]
    # A failed build leaves nothing but its lock.
    assert [path.name for path in (tmp_path / "bin").iterdir()] == [f".gvisor-{provision.VERSION}.lock"]


def test_the_compilers_words_are_told(tmp_path):
    go = go_that(tmp_path, "echo 'verifying module: checksum mismatch' >&2; exit 1")
    with pytest.raises(RetryableError, match="checksum mismatch"):
        provision.provision(tmp_path, go, {}, lambda _: None)


def test_the_module_pins_what_is_built():
    module = pathlib.Path(provision.__file__).parent / "module"
    version = provision.VERSION.split("-")[1]
    assert f"gvisor.dev/gvisor v0.0.0-20260905035102-{version}" in (module / "go.mod").read_text()
    assert f"-{version} h1:" in (module / "go.sum").read_text()
