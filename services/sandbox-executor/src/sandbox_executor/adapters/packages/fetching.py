"""Programs that fetch packages, run in a sandbox that has the network and nothing else of the host."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.packages import Measured, Policy
from sandbox_executor.domain.requirements import Package
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.ports import Cancellation

_MIB = 1024 * 1024
DISK_BYTES = 768 * _MIB
LIMITS = Limits(300.0, 300.0, 2048 * _MIB, 8 * _MIB, 64)
ARCHIVE = "environment.tar"
_WORDS = 1500
_PACK = (
    "import tarfile\n"
    "with tarfile.open('/work/environment.tar', 'w') as archive:\n"
    "    archive.add('/work/environment', '.')\n"
)
# What fetching needs of the host besides a job's own root: names and certificates.
NETWORK_FILES = ("/etc/resolv.conf", "/etc/ssl", "/etc/ca-certificates", "/usr/share/ca-certificates")


class CannotBeHadError(Exception):
    """A package cannot be had; the words say why, for the caller."""


class UnfinishedError(Exception):
    """What fetches was ended before it had an answer, which says nothing of a package; the words say why."""


@dataclass(frozen=True)
class Fetched:
    """What was fetched: the packages with what they are, and their files as one archive."""

    packages: Mapping[Package, Measured]
    archive: bytes


class NetworkSandboxes(Protocol):
    """Makes sandboxes that share the host's network."""

    def __call__(self, limits: Limits, disk_bytes: int, files: Mapping[str, bytes]) -> AbstractContextManager[Sandbox]:
        """A fresh one with these files, removed when the context ends."""
        ...


class Installer(Protocol):
    """Knows the packages of one language.

    Attributes:
        language: Its name.
        runtime: Which runtime finds what it installs.
        interpreter: What environments are made for; part of their names.
    """

    @property
    def language(self) -> str:
        """Its name."""
        ...

    @property
    def runtime(self) -> str:
        """Which runtime finds what it installs."""
        ...

    @property
    def interpreter(self) -> str:
        """What environments are made for; part of their names."""
        ...

    def check(self, requirements: tuple[str, ...]) -> tuple[str, ...]:
        """Prove that each names a package of the index, and bring them into one order.

        Raises:
            RequirementError: one does not.
        """
        ...

    def name_of(self, requirement: str) -> str:
        """The package that a checked requirement names."""
        ...

    def is_pinned(self, requirements: tuple[str, ...]) -> bool:
        """Whether each names one version, so that asking again gives the same."""
        ...

    def made_for(self, requirements: tuple[str, ...]) -> str:
        """What, besides its packages, tells an environment for these from others."""
        ...

    def files(self, requirements: tuple[str, ...]) -> Mapping[str, bytes]:
        """What its program finds in the working folder."""
        ...

    def fetch(self, desk: Desk, requirements: tuple[str, ...], policy: Policy, now: datetime) -> Fetched:
        """Fetch them with all that they need; runs none of their code.

        Raises:
            CannotBeHadError: one cannot be had.
            PolicyError: one is not allowed, which is seen while it is fetched.
            UnfinishedError: there was no time or room to fetch them.
            SandboxFaultError: the sandbox failed.
        """
        ...


class Desk:
    """One sandbox with network, as installers use it.

    Args:
        sandbox: The sandbox.
        python: The interpreter's path inside.
        cancelled: Ends what runs.
    """

    def __init__(self, sandbox: Sandbox, python: str, cancelled: Cancellation) -> None:
        self.python = python
        self._sandbox = sandbox
        self._cancelled = cancelled
        self._end = time.monotonic() + LIMITS.total_timeout_s

    def run(self, argv: tuple[str, ...], variables: Mapping[str, str], mark: str, stdin: bytes = b"") -> None:
        """Run a program to its end.

        Args:
            argv: Program and arguments.
            variables: Besides those that all have.
            mark: How lines begin that say what is wrong.
            stdin: Its standard input.

        Raises:
            CannotBeHadError: it failed; in its words.
            UnfinishedError: its time, its memory or what it may print was used up.
            SandboxFaultError: it could not be started, something ended it, or its parent is gone.
        """
        environment = {
            **variables, "HOME": "/work", "PATH": "/usr/bin:/bin", "TMPDIR": "/tmp", "LANG": "C.UTF-8",
        }  # fmt: skip
        command = Command("exec", argv, environment, {"CORE": 1, "FSIZE": DISK_BYTES})
        signs, words = run_command(
            self._sandbox, command, stdin=stdin, output_bytes=LIMITS.output_bytes, end=self._end,
            cancelled=self._cancelled,
        )  # fmt: skip
        ending = signs.ending
        if ending is not None and ending.exit_code == 0:
            return
        if signs.timed_out:
            raise UnfinishedError(f"not done after {LIMITS.total_timeout_s:.0f} s")
        if signs.usage.oom_kills:
            raise UnfinishedError(f"takes more than {LIMITS.memory_bytes // _MIB} MiB of memory to fetch")
        if signs.output_exceeded:
            raise UnfinishedError(f"printed more than {LIMITS.output_bytes // _MIB} MiB while it was fetched")
        if ending is None or ending.exit_code is None:
            how = (
                "nothing says how it ended"
                if ending is None
                else ending.fault or ending.foreign or f"signal {ending.signal}"
            )
            raise SandboxFaultError(f"what fetches packages did not run: {how}", thing=argv[0])
        raise CannotBeHadError(read_words(words, mark))

    def bring(self, *paths: str) -> dict[str, bytes]:
        """Files of the working folder.

        Raises:
            CannotBeHadError: one of them is not there, or they are too large.
        """
        brought = dict(self._sandbox.collect(paths, DISK_BYTES))
        if set(brought) != set(paths):
            raise CannotBeHadError(f"larger than {DISK_BYTES // _MIB} MiB")
        return brought

    def pack(self) -> bytes:
        """The folder `environment` as one archive.

        Raises:
            CannotBeHadError: it is too large.
        """
        self.run((self.python, "-S", "-s", "-P", "-B", "-c", _PACK), {}, "OSError")
        return self.bring(ARCHIVE)[ARCHIVE]


def network_binds(bundles: list[str], tools: list[tuple[Path, str]]) -> list[tuple[str, str]]:
    """Mounts of a sandbox with network: (path outside, path inside).

    Args:
        bundles: Certificates that settings name; mounted at their own paths.
        tools: Folders of the programs that fetch, and where they are inside.
    """
    found = [(str(Path(name).resolve()), name) for name in NETWORK_FILES if Path(name).exists()]
    for name in dict.fromkeys(bundles):
        if Path(name).is_file() and not name.startswith(tuple(f"{folder}/" for folder in NETWORK_FILES)):
            found.append((name, name))
    return [*found, *((str(folder), inside) for folder, inside in tools)]


def read_words(words: str, mark: str) -> str:
    """The lines of a program's output that say what is wrong, by how they begin."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    errors = [line.removeprefix(mark).lstrip(": ") for line in lines if line.startswith(mark)]
    return "; ".join(errors or lines[-3:])[:_WORDS] or "it failed without a word"
