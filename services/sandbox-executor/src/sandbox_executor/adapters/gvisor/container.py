"""One gVisor container: started in a cgroup of its own, warm inside, good for one job, then gone without a trace."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sandbox_executor.adapters.gvisor.bundle import Shape, describe_reports
from sandbox_executor.adapters.gvisor.reports import count_refusals, greet
from sandbox_executor.adapters.hosting.cgroups import JobCgroup
from sandbox_executor.domain.outcomes import Usage
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.guest import CONTROL

_START_WITHIN_S = 90.0
_WORDS = 4000
# The shell moves itself into the cgroups before anything of gVisor runs, so that nothing of it is ever outside.
_JOIN = 'for join in $1; do echo 0 >"/proc/self/fd/$join" || exit 126; done; shift; exec "$@"'
_FLAGS = (
    "--platform=systrap",
    "--network=none",
    "--overlay2=none",
    "--ignore-cgroups",
    "--in-sandbox-cgroup=v2",
    "--host-settings=ignore",
    # The default would leave a mounted network namespace behind.
    "--gofer-network-namespace=new",
)


@dataclass(frozen=True)
class Recipe:
    """How containers are started.

    Attributes:
        runsc: The program.
        rootless: Without being root of the machine.
    """

    runsc: Path
    rootless: bool


class Container:
    """Starts one and waits until it is warm.

    Args:
        recipe: How.
        shape: What it was started for.
        config: The bundle's `config.json`.
        folder: A folder of its own, made and removed here; its path must be short, sockets lie in it.
        cgroup: The job's; removed by `close`.

    Raises:
        SandboxFaultError: it does not start; the last words of runsc are in the message.
    """

    def __init__(self, recipe: Recipe, shape: Shape, config: str, folder: Path, cgroup: JobCgroup) -> None:
        self.shape = shape
        self.cgroup = cgroup
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._folder = folder
        self._reports: socket.socket | None = None
        self._refused = 0
        self._lock = threading.Lock()
        self._closed = False
        self._process: subprocess.Popen[bytes] | None = None
        # A file and not a pipe: nobody reads it unless something fails.
        self._words = os.memfd_create("words", os.MFD_CLOEXEC)
        try:
            with theirs, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                folder.mkdir(mode=0o700)
                endpoint = folder / "reports"
                listener.bind(str(endpoint))
                listener.listen(1)
                (folder / "config.json").write_text(config)
                (folder / "reports.json").write_text(describe_reports(str(endpoint)))
                self._process = self._launch(recipe, theirs.fileno())
                theirs.close()
                self._await_ready(listener)
        except BaseException:
            self.close()
            raise

    def _launch(self, recipe: Recipe, control: int) -> subprocess.Popen[bytes]:
        joins = self.cgroup.join_descriptors()
        nothing = os.memfd_create("nothing", os.MFD_CLOEXEC)
        flags = [*_FLAGS, f"--root={self._folder}/state"]
        if self.shape.egress:
            # The one socket of the host that lies where it can be seen.
            flags.append("--host-uds=open")
        if recipe.rootless:
            flags.append("--rootless")
        flags.append(f"--pod-init-config={self._folder}/reports.json")
        run = ["run", f"--bundle={self._folder}", f"--pass-fd={control}:{CONTROL}", self._folder.name]
        try:
            return subprocess.Popen(
                ["/bin/sh", "-c", _JOIN, "sh", " ".join(map(str, joins)), str(recipe.runsc), *flags, *run],
                stdin=nothing,
                stdout=self._words,
                stderr=self._words,
                # Names a folder of sockets by this variable, else by places that may not be ours.
                env={"PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": str(self._folder)},
                cwd="/",
                pass_fds=(control, *joins),
                start_new_session=True,
            )
        finally:
            for descriptor in (nothing, *joins):
                os.close(descriptor)

    def _await_ready(self, listener: socket.socket) -> None:
        deadline = time.monotonic() + _START_WITHIN_S
        waiting = select.poll()
        waiting.register(listener, select.POLLIN)
        waiting.register(self.control, select.POLLIN)
        while (left := deadline - time.monotonic()) > 0:
            ready = {descriptor for descriptor, _ in waiting.poll(left * 1000)}
            if listener.fileno() in ready:
                self._reports, _ = listener.accept()
                greet(self._reports)
                waiting.unregister(listener)
            if self.control.fileno() in ready:
                with contextlib.suppress(messages.MalformedMessageError):
                    if messages.receive(self.control, messages.Ready) is not None:
                        return
                break
        raise SandboxFaultError(f"gVisor does not start: {self.words().strip()[-600:]}", thing="runsc")

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return not self._closed and self._process is not None and self._process.poll() is None

    def usage(self) -> Usage:
        """What it has used since it was started, gVisor's own needs included."""
        with self._lock:
            self._read_reports()
            used = self.cgroup.usage()
        return Usage(used.cpu_s, used.memory_bytes, used.oom_kills, self._refused, used.foreign_kills)

    def memory(self, bound: int) -> int:
        """Bytes in use now; exact above the bound. Reads what has been reported as well, 0 once it is closed."""
        with self._lock:
            if self._closed:
                return 0
            self._read_reports()
            return self.cgroup.memory(bound)

    def _read_reports(self) -> None:
        if self._reports is not None:
            self._refused += count_refusals(self._reports)

    def words(self) -> str:
        """The last of what runsc, or the first process inside, said."""
        size = os.fstat(self._words).st_size
        return os.pread(self._words, _WORDS, max(0, size - _WORDS)).decode("utf-8", "replace")

    def end_program(self) -> None:
        """Have its first process end what runs."""
        messages.send(self.control, messages.Kill())

    def kill(self) -> None:
        """Kill everything in it."""
        self.cgroup.kill()

    def close(self) -> None:
        """Kill everything in it and remove what was made for it."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self.control.close()
            if self._reports is not None:
                self._reports.close()
        self.cgroup.kill()
        # Removed first: what runsc was about to start is killed with it.
        self.cgroup.remove()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        os.close(self._words)
        shutil.rmtree(self._folder, ignore_errors=True)
