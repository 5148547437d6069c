"""The first process inside a gVisor sandbox: a warm interpreter that waits for one job, then obeys like `init`.

It runs on gVisor's kernel, which has entered the host's namespaces and put on the host's filters already; what
is left to do inside is to hide what a candidate need not see, and to hold candidates to a user, a number of
processes and the same system calls as everywhere. It sees one job and ends with it.
"""

from __future__ import annotations

import os
import random
import socket
import stat
import sys
from dataclasses import replace
from pathlib import Path

from sandbox_executor.launcher import forking, forwarding, hiding, init, messages, seccomp, zygote
from sandbox_executor.launcher.messages import Artefact, Collected, Plan, Ready, Run, WarmUp
from sandbox_executor.launcher.syscalls import (
    CAP_KILL,
    CAP_SETGID,
    CAP_SETUID,
    MS_NODEV,
    MS_NOSUID,
    PR_SET_DUMPABLE,
    keep_capabilities,
    mount,
    prctl,
    unmount,
)

CONTROL = 3
_CAP_DAC_READ_SEARCH = 2
# Where the executor's relay listens, outside of gVisor.
_WAY_OUT = "/egress/s"
_CGROUP = Path("/sys/fs/cgroup")
_CHUNK = 1 << 16
_DEVICES = ("null", "zero", "full", "random", "urandom", "shm", "fd", "stdin", "stdout", "stderr")


class Guest(init.Sandbox):
    """One sandbox, from inside gVisor.

    Args:
        plan: As the executor sent it.
        descriptors: The control socket, the files, and a pipe for files that are brought back.
        filter_code: The compiled system-call filter.
        processes: The limit and the entry of the candidates' cgroup, open for writing.
    """

    def __init__(self, plan: Plan, descriptors: list[int], filter_code: bytes, processes: tuple[int, int]) -> None:
        # No listener leaves gVisor: what serves the way out is reached by a socket of the host instead.
        super().__init__(replace(plan, egress=0), descriptors[:2], filter_code, 0)
        self._plan = plan
        self._artefacts = descriptors[2]
        self._limit, self._join = processes
        self._listener: socket.socket | None = None

    def _enter(self) -> None:
        os.write(self._limit, str(self._plan.processes).encode())
        self._write_files()
        if zygote.preload(self._plan.preload):
            zygote.settle()
        if self._plan.egress:
            self._listener = socket.create_server(("127.0.0.1", self._plan.egress), backlog=64)
        prctl(PR_SET_DUMPABLE, 0)
        keep_capabilities(CAP_KILL, CAP_SETUID, CAP_SETGID, _CAP_DAC_READ_SEARCH)
        self._watch_children()

    def _run(self, command: Run, descriptors: list[int]) -> init.Program | None:
        """Start a program, beside it what carries its connections to the way out; both end together."""
        if self._listener is not None and forking.fork() == 0:
            self._control.close()
            try:
                forwarding.serve(self._listener, _WAY_OUT)
            finally:
                os._exit(0)
        return super()._run(command, descriptors)

    def _confine(self, command: Run, descriptors: list[int]) -> None:
        os.write(self._join, str(os.getpid()).encode())
        super()._confine(command, descriptors)

    def _offer_to_kernel(self) -> None:
        """Memory is watched from outside; there is no choice to influence here."""

    def _collect(self, paths: tuple[str, ...]) -> None:
        """Write the regular files among these into the pipe, each announced with its size."""
        for path in paths:
            try:
                descriptor = init.open_beneath(path)
            except OSError:
                continue
            # By its number alone: wrapping a folder's descriptor into a file raises.
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode):
                self._report(Artefact(path, status.st_size))
                self._pour(descriptor, status.st_size)
            os.close(descriptor)
        self._report(Collected())

    def _pour(self, source: int, size: int) -> None:
        while size > 0 and (data := os.read(source, min(size, _CHUNK))):
            size -= len(data)
            while data:
                data = data[os.write(self._artefacts, data) :]


def prepare(options: WarmUp) -> tuple[int, int]:
    """Do what is the same for every job: load, hide, mount; gives `processes` of `Guest`."""
    sys.path.append(options.site)
    zygote.preload(options.preload)
    (_CGROUP / "cgroup.subtree_control").write_text("+pids")
    candidates = _CGROUP / "candidates"
    candidates.mkdir()
    files = (candidates / "pids.max", candidates / "cgroup.procs")
    limit, join = (os.open(file, os.O_WRONLY | os.O_CLOEXEC) for file in files)
    hide()
    owner = f"size={options.disk_bytes},nr_inodes={options.inodes},uid={options.user},gid={options.user}"
    mount("tmpfs", "/work", "tmpfs", MS_NOSUID | MS_NODEV, f"{owner},mode=0700")
    mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, f"{owner},mode=0700")
    mount("tmpfs", "/dev/shm", "tmpfs", hiding.QUIET, f"{owner},mode=0700")
    zygote.settle()
    return limit, join


def hide() -> None:
    """Take away what gVisor shows of its kernel, its devices and this process."""
    mount("tmpfs", "/sys", "tmpfs", hiding.QUIET, "mode=0700,size=64k")
    hiding.hide("/sys")
    for path in Path("/dev").iterdir():
        if path.name not in _DEVICES:
            _remove(path)


def _remove(path: Path) -> None:
    if path.is_mount():
        unmount(str(path))
    if path.is_dir() and not path.is_symlink():
        for inner in path.iterdir():
            _remove(inner)
        path.rmdir()
    else:
        path.unlink()


def main() -> None:
    """Get warm, wait for the job, serve it; in a fork, be the candidate."""
    # It was there to find this program; a candidate's own interpreters shall not inherit it.
    del os.environ["PYTHONPATH"]  # noqa: TID251
    options = messages.parse(sys.argv[1], WarmUp)
    control = socket.socket(fileno=CONTROL)
    code = seccomp.compiled()
    processes = prepare(options)
    messages.send(control, Ready())
    received = messages.receive(control, Plan)
    if received is None:
        os._exit(0)
    if received.message.egress:
        code = seccomp.compiled(egress=True)
    program = Guest(received.message, [control.detach(), *received.descriptors], code, processes).serve()
    # Every container's interpreter began with a seed of its own; a candidate's chances shall always be the same.
    random.seed(0)
    program()


if __name__ == "__main__":
    main()
