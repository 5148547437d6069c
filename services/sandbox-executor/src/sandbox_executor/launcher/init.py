"""The first process of a sandbox: enters fresh namespaces, starts programs on command, reaps, reports.

It keeps four capabilities (to change user, to kill, to read what a candidate left) and runs no foreign code.
"""

from __future__ import annotations

# The module behind `signal`: its enumerations cost a fork more than all else here.
import _signal  # pyright: ignore[reportMissingImports]
import contextlib
import ctypes
import errno
import fcntl
import os
import resource
import select
import signal
import socket
import stat
import struct
import sys
from collections.abc import Callable
from typing import NoReturn

from sandbox_executor.harness.python import harness
from sandbox_executor.launcher import forking, hiding, landlock, messages, seccomp
from sandbox_executor.launcher.messages import Artefact, Collect, Collected, Ended, Entered, Failed, Kill, Plan, Run
from sandbox_executor.launcher.syscalls import (
    CAP_KILL,
    CAP_SETGID,
    CAP_SETUID,
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWUTS,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_RDONLY,
    PR_SET_DUMPABLE,
    PR_SET_NO_NEW_PRIVS,
    bind,
    keep_capabilities,
    mount,
    prctl,
    syscall,
    unmount,
    unshare,
)

_CAP_DAC_READ_SEARCH = 2
_SYS_OPENAT2 = 437
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_RESOLVE = 0x01 | 0x02 | 0x04 | 0x08  # NO_XDEV, NO_MAGICLINKS, NO_SYMLINKS, BENEATH
_NAMESPACES = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")

# Bytes of what is said of a program that did not start.
_MOST_WORDS = 300

Program = Callable[[], None]


class Sandbox:
    """One sandbox, from inside.

    Args:
        plan: As the executor sent it.
        descriptors: The job's control socket, the files, then the cgroups to join.
        filter_code: The compiled system-call filter.
        landlock_abi: The kernel's Landlock version, 0 when it has none.
    """

    def __init__(self, plan: Plan, descriptors: list[int], filter_code: bytes, landlock_abi: int) -> None:
        self._plan = plan
        self._control = socket.socket(fileno=descriptors[0])
        self._files = descriptors[1]
        # Whoever serves the job's way out waits at the other end of the last one for a listener.
        self._way_out = descriptors.pop() if plan.egress else -1
        self._cgroups = descriptors[2:]
        self._filter = filter_code
        self._abi = landlock_abi
        self._wakeup = -1
        # In a candidate's process, until its program begins.
        self._tell = -1

    def serve(self) -> Program:
        """Set the sandbox up and obey commands; returns only in a candidate's process, with its program."""
        try:
            self._enter()
        except OSError as error:
            self._report(Failed(f"{type(error).__name__}: {error}"))
            os._exit(1)
        self._report(Entered())
        while True:
            received = messages.receive(self._control, Run, Collect, Kill)
            if received is None:
                os._exit(0)
            command = received.message
            if isinstance(command, Run):
                program = self._run(command, received.descriptors)
                if program is not None:
                    return program
            elif isinstance(command, Collect):
                self._collect(command.paths)

    def _report(
        self, message: Failed | Entered | Ended | Artefact | Collected, descriptors: list[int] | None = None
    ) -> None:
        try:
            messages.send(self._control, message, descriptors)
        except OSError:
            os._exit(1)

    # Setting up

    def _enter(self) -> None:
        for descriptor in self._cgroups:
            os.write(descriptor, b"0")
            os.close(descriptor)
        os.setsid()
        plan = self._plan
        unshare(_NAMESPACES & ~CLONE_NEWNET if plan.network else _NAMESPACES)
        if self._way_out >= 0:
            self._open_way_out()
        owner = f"size={plan.disk_bytes},nr_inodes={plan.inodes},uid={plan.uid},gid={plan.gid},mode=0700"
        mount("tmpfs", "/work", "tmpfs", MS_NOSUID | MS_NODEV, owner)
        mount("tmpfs", "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, owner)
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=invisible,subset=pid")
        if hiding.is_gvisor():
            # Covered in turn by the job's own folder.
            mount("tmpfs", "/tmp", "tmpfs", hiding.QUIET, "mode=0700,size=64k")
            hiding.hide("/tmp")
        mount("tmpfs", "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, owner)
        if plan.environment:
            bind(f"/environments/{plan.environment}", "/runtime/environment", 1 | MS_NOSUID | MS_NODEV)
        unmount("/environments")
        if plan.data_view:
            bind(f"/datasets/{plan.data_view}", "/data", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC)
        unmount("/datasets")
        socket.sethostname("sandbox")
        self._write_files()
        prctl(PR_SET_DUMPABLE, 0)
        self._keep_little()
        self._watch_children()

    def _open_way_out(self) -> None:
        """Listen in the job's own network, which has no other interface, and hand the listener out."""
        with (
            socket.socket(socket.AF_INET, socket.SOCK_STREAM) as listener,
            socket.socket(fileno=self._way_out) as channel,
        ):
            fcntl.ioctl(listener, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))
            listener.bind(("127.0.0.1", self._plan.egress))
            listener.listen(64)
            socket.send_fds(channel, [b"listener"], [listener.fileno()])

    def _keep_little(self) -> None:
        """Give up what this process itself does not need any more."""
        if not self._plan.keep_capabilities:
            keep_capabilities(CAP_KILL, CAP_SETUID, CAP_SETGID, _CAP_DAC_READ_SEARCH)

    def _watch_children(self) -> None:
        """Have a child's end wake the loop that waits for commands."""
        self._wakeup, wake = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        _signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)

    def _write_files(self) -> None:
        """Lay out the job's files: 4 bytes length, path, 8 bytes length, content, and so on."""
        uid, gid = self._plan.uid, self._plan.gid
        while head := os.read(self._files, 4):
            path = "/work/" + os.read(self._files, int.from_bytes(head, "big")).decode()
            left = int.from_bytes(os.read(self._files, 8), "big")
            folder = "/work"
            for part in path.split("/")[2:-1]:
                folder = f"{folder}/{part}"
                if not os.path.isdir(folder):
                    os.mkdir(folder, 0o755)
                    os.chown(folder, uid, gid)
            target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            while left:
                data = os.read(self._files, min(left, 1 << 20))
                left -= os.write(target, data) if data else left
            os.fchown(target, uid, gid)
            os.close(target)
        os.close(self._files)

    # Commands

    def _run(self, command: Run, descriptors: list[int]) -> Program | None:
        """Start a program and wait for its end; what it leaves running is killed.

        Until the program begins its process is ours: what keeps it from beginning is said in a pipe that no program
        ever has, and is no end of the program.
        """
        try:
            told, tell = os.pipe2(os.O_CLOEXEC)
            child = forking.fork()
        except OSError as error:
            for descriptor in descriptors:
                os.close(descriptor)
            self._report(Ended(fault=str(error)))
            return None
        if child == 0:
            return self._become(command, descriptors, tell)
        for descriptor in (*descriptors, tell):
            os.close(descriptor)
        status = self._await(child)
        self._kill_all()
        words = os.read(told, _MOST_WORDS).decode("utf-8", "replace")
        os.close(told)
        if words:
            self._report(Ended(fault=f"the program did not start: {words}"))
        elif os.WIFSIGNALED(status):
            self._report(Ended(signal=os.WTERMSIG(status)))
        else:
            self._report(Ended(exit_code=os.WEXITSTATUS(status)))
        return None

    def _await(self, child: int) -> int:
        """Reap until this child ended; a command that comes meanwhile can only mean: kill."""
        watched = select.poll()
        watched.register(self._control, select.POLLIN)
        watched.register(self._wakeup, select.POLLIN)
        while True:
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if pid == child:
                    return status
                if pid == 0:
                    break
            for descriptor, _ in watched.poll():
                if descriptor == self._wakeup:
                    os.read(self._wakeup, 4096)
                elif messages.receive(self._control, Kill) is None:
                    os._exit(0)
                else:
                    self._kill_all(child)

    def _kill_all(self, keep: int = 0) -> None:
        """Kill every process of the sandbox but this one, and reap; `keep` is killed, but left to be reaped."""
        while True:
            try:
                os.kill(-1, signal.SIGKILL)
            except ProcessLookupError:
                return
            if keep:
                return
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                return

    def _collect(self, paths: tuple[str, ...]) -> None:
        """Hand over descriptors of the regular files among these, one message each."""
        for path in paths:
            try:
                descriptor = open_beneath(path)
            except OSError:
                continue
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                self._report(Artefact(path), [descriptor])
            os.close(descriptor)
        self._report(Collected())

    # In the candidate's process

    def _become(self, command: Run, descriptors: list[int], tell: int) -> Program | None:
        self._tell = tell
        try:
            self._confine(command, [*descriptors, tell])
        except Exception as error:  # noqa: BLE001  whatever it is, no program has begun
            _last_words(f"{type(error).__name__}: {error}", self._tell)
        if command.mode == "exec":
            _execute(command, self._tell)
        if self._plan.environment:
            # Before the base environment, which is the last.
            sys.path.insert(len(sys.path) - 1, "/runtime/environment")
        os.close(self._tell)
        if command.mode == "cases":
            if self._plan.egress:
                os.environ.update(command.environment)  # noqa: TID251
            return lambda: harness.serve_cases(3, 4)
        arguments, environment = list(command.argv), dict(command.environment)
        return lambda: harness.run_program(arguments, environment)

    def _confine(self, command: Run, descriptors: list[int]) -> None:
        """Give everything up: descriptors, resources, user, privileges, system calls.

        The last descriptor is for us to tell what goes wrong; it stands behind those of the program, which loses it.
        """
        signal.set_wakeup_fd(-1)
        _signal.signal(signal.SIGCHLD, 0)
        # Its number is closed with the rest below, and must not be closed again once it means something else.
        self._control.detach()
        os.setsid()
        self._offer_to_kernel()
        rules = _rules(self._abi, network=self._plan.network or self._plan.egress > 0) if self._abi else None
        # Move the descriptors out of the way first: a target number may be another's source.
        high = [_move_up(descriptor) for descriptor in descriptors]
        last = len(high) - 1
        for target, descriptor in enumerate(high):
            os.dup2(descriptor, target, inheritable=target < last)
        self._tell = last
        if rules is not None:
            rules.close_after(len(high))
        else:
            os.closerange(len(high), 4096)
        for name, value in command.rlimits.items():
            number = getattr(resource, f"RLIMIT_{name}")
            _, most = resource.getrlimit(number)
            bound = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(number, (bound, bound))
        os.chdir("/work")
        os.umask(0o022)
        self._give_up_privileges()
        if rules is not None:
            rules.restrict()
        self._filter_calls()

    def _give_up_privileges(self) -> None:
        """Become the job's user, without capabilities and without a way to new ones."""
        if not self._plan.keep_capabilities:
            uid, gid = self._plan.uid, self._plan.gid
            os.setgroups([])
            os.setresgid(gid, gid, gid)
            os.setresuid(uid, uid, uid)
        else:
            keep_capabilities()
        prctl(PR_SET_NO_NEW_PRIVS, 1)
        # Changing user made the process opaque to itself: its own /proc entries belong to root.
        prctl(PR_SET_DUMPABLE, 1)

    def _filter_calls(self) -> None:
        """From here on only the system calls of the list; the last step, since setting up needs others."""
        seccomp.install(self._filter)

    def _offer_to_kernel(self) -> None:
        """When memory runs out the kernel shall take the candidate, not the init that reports its end."""
        if hiding.is_gvisor():
            # It takes nobody: memory is held from outside.
            return
        descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(descriptor, b"1000")
        os.close(descriptor)


def _rules(abi: int, *, network: bool) -> landlock.Ruleset:
    rules = landlock.Ruleset(abi, network=network)
    rules.allow("/", rules.readable)
    for path in ("/work", "/tmp", "/dev/shm"):
        rules.allow(path, rules.writable)
    for path in _DEVICES:
        rules.allow(path, rules.device)
    return rules


def _move_up(descriptor: int) -> int:
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD, 64)


def open_beneath(path: str) -> int:
    """Open a file of the working folder for reading, whatever a candidate made of the path; follows no link.

    Raises:
        OSError: it is not there, or lies elsewhere.
    """
    folder = os.open("/work", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        how = struct.pack("=QQQ", os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY, 0, _RESOLVE)
        return syscall("openat2", _SYS_OPENAT2, ctypes.c_int(folder), os.fsencode(path), how, ctypes.c_size_t(len(how)))
    finally:
        os.close(folder)


def _execute(command: Run, tell: int) -> NoReturn:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        os.execve(command.argv[0], command.argv, dict(command.environment))
    except OSError as error:
        words = f"{command.argv[0]}: {error.strerror}"
        # Arguments and variables are the caller's, and so is their size; the program itself is ours.
        _last_words(words) if error.errno == errno.E2BIG else _last_words(words, tell)


def _last_words(words: str, *tell: int) -> NoReturn:
    """Say on the error stream why the program could not start, and to the first process where that is our fault."""
    try:
        for descriptor in (*tell, 2):
            with contextlib.suppress(OSError):
                os.write(descriptor, f"sandbox: {words}\n".encode()[:_MOST_WORDS])
    finally:
        sys.stderr = None  # type: ignore[assignment]
        os._exit(125)
