"""Warm interpreters: started once for each set of libraries and hash seed, then forked for every job."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sandbox_executor.adapters.hosting.layout import (
    LIBRARY,
    PACKAGE,
    PRELOADED_STDLIB,
    PYTHON_ENVIRONMENT,
    SITE,
    Layout,
)
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.launcher import messages
from sandbox_executor.launcher.messages import Failed, Forked, Plan, Ready, WarmUp

_START_WITHIN_S = 60.0
_ANSWER_WITHIN_S = 20.0


class Zygote:
    """One warm interpreter inside the private root; forks sandboxes on request.

    Raises:
        IsolationMissingError: it does not start; the words of the failing step are in the message.
    """

    def __init__(
        self, layout: Layout, *, mountpoint: Path, environments: Path, views: Path, user_namespace: bool,
        preload: tuple[str, ...], hash_seed: int, network: bool = False,
    ) -> None:  # fmt: skip
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        plan = layout.plan(
            mountpoint=mountpoint,
            environments=environments,
            views=views,
            user_namespace=user_namespace,
            options=WarmUp(SITE, (*PRELOADED_STDLIB, *preload), theirs.fileno(), network),
            environment={**PYTHON_ENVIRONMENT, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": LIBRARY},
        )
        plan_read = _memory_file(plan)
        # A file and not a pipe: nobody reads it unless something fails.
        self._words = os.memfd_create("words", os.MFD_CLOEXEC)
        self._control = ours
        self._lock = threading.Lock()
        self.landlock = 0
        with theirs, Path(os.devnull).open("r+b") as null:
            self._process = subprocess.Popen(
                [sys.executable, "-S", "-s", "-P", "-B", "-m", "sandbox_executor.launcher.root", str(plan_read)],
                stdin=null,
                stdout=null,
                stderr=self._words,
                env={"PYTHONPATH": str(PACKAGE.parent)},
                cwd="/",
                pass_fds=(plan_read, theirs.fileno()),
                start_new_session=True,
            )
        os.close(plan_read)
        self._await_ready()

    def _await_ready(self) -> None:
        self._control.settimeout(_START_WITHIN_S)
        try:
            received = messages.receive(self._control, Ready)
        except TimeoutError:
            received = None
        if received is None:
            self._process.kill()
            self._process.wait()
            last = (self.words().strip().splitlines() or ["no words"])[-1]
            raise IsolationMissingError(
                f"the private root cannot be built: {last}",
                thing="namespaces",
                way_out="run the executor as root (in a container: with CAP_SYS_ADMIN), or allow unprivileged user "
                "namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone)",
            )
        self.landlock = received.message.landlock
        self._control.settimeout(_ANSWER_WITHIN_S)

    def fork(self, plan: Plan, descriptors: list[int]) -> int:
        """Fork a sandbox; gives a process descriptor of its init.

        Raises:
            SandboxFaultError: the interpreter is gone or cannot fork.
        """
        with self._lock:
            if not self.alive:
                raise SandboxFaultError("the warm interpreter ended")
            try:
                messages.send(self._control, plan, descriptors)
                received = messages.receive(self._control, Forked, Failed)
            except (OSError, messages.MalformedMessageError) as error:
                # Its answer would be read as that to the next request, so it answers no more.
                self._process.kill()
                self._process.wait()
                raise SandboxFaultError(f"the warm interpreter does not answer: {error}") from error
        if received is None:
            raise SandboxFaultError("the warm interpreter ended")
        if isinstance(received.message, Failed):
            raise SandboxFaultError(f"cannot fork a sandbox: {received.message.words}")
        return received.descriptors[0]

    def words(self) -> str:
        """The last of what the interpreter, or the first process of a sandbox, said on its error stream."""
        size = os.fstat(self._words).st_size
        return os.pread(self._words, 4000, max(0, size - 4000)).decode("utf-8", "replace")

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    def close(self) -> None:
        """End it and all sandboxes that it forked."""
        self._control.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        self._process.kill()
        self._process.wait()
        os.close(self._words)


class ZygotePool:
    """Keeps the warm interpreters that were used last; none is ended while a sandbox of it runs.

    Args:
        start: Starts one for (libraries, hash seed).
        most: How many idle ones are kept.
    """

    def __init__(self, start: Callable[[tuple[str, ...], int], Zygote], most: int) -> None:
        self._start = start
        self._most = most
        self._zygotes: OrderedDict[tuple[tuple[str, ...], int], Zygote] = OrderedDict()
        self._users: Counter[Zygote] = Counter()
        self._lock = threading.Lock()
        # A child is killed when the thread that started it ends, so one thread starts them all and stays.
        self._starter = ThreadPoolExecutor(1, "zygotes")

    @contextlib.contextmanager
    def lease(self, preload: tuple[str, ...], hash_seed: int) -> Generator[Zygote]:
        """The warm interpreter for these, for the life of one sandbox; started when there is none."""
        key = (preload, hash_seed)
        with self._lock:
            zygote = self._zygotes.pop(key, None)
            if zygote is not None and not zygote.alive:
                zygote.close()
                zygote = None
            if zygote is None:
                zygote = self._starter.submit(self._start, preload, hash_seed).result()
            self._zygotes[key] = zygote
            self._users[zygote] += 1
        try:
            yield zygote
        finally:
            with self._lock:
                self._users[zygote] -= 1
                self._retire()

    def start_alone(self, start: Callable[[], Zygote]) -> Zygote:
        """Start one that is not kept; the caller ends it."""
        return self._starter.submit(start).result()

    def _retire(self) -> None:
        for key in list(self._zygotes)[: -self._most]:
            if not self._users[self._zygotes[key]]:
                zygote = self._zygotes.pop(key)
                del self._users[zygote]
                zygote.close()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            for zygote in self._zygotes.values():
                zygote.close()
            self._zygotes.clear()
        self._starter.shutdown()


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("plan", os.MFD_CLOEXEC)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
