"""Builds dependency environments and keeps them.

No code of a package runs here. What comes out of the sandbox is one archive, which is unpacked outside with
every path checked, then mounted read-only into jobs.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import threading
import time
from collections.abc import Callable, Generator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from weakref import WeakValueDictionary

from sandbox_executor.adapters.packages.archive import unpack
from sandbox_executor.adapters.packages.fetching import (
    DISK_BYTES,
    LIMITS,
    CannotBeHadError,
    Desk,
    Installer,
    NetworkSandboxes,
    UnfinishedError,
)
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.packages import Policy
from sandbox_executor.domain.requirements import Package, Prepared, environment_id, runtime_of
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.ports import Cancellation
from touchstone_runtime.drafts import draft_beside

_MIB = 1024 * 1024
# What all environments may take on disk, and for how long one that was asked for waits for the job that will use it.
MOST_BYTES = 16 * 1024 * _MIB
UNUSED_S = 3600.0


class _Turn:
    """Held by whoever fetches one set of packages; forgotten when nobody wants them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Preparer:
    """Makes environments and remembers them.

    Args:
        folder: Where environments lie, one folder each.
        sandboxes: Makes sandboxes with network.
        python: The interpreter's path inside.
        installers: By the runtime that finds what is asked for.
        policy: What may be in an environment.
        most_bytes: What all environments together may take; the ones used longest ago go first.
        clock: What time it is, with a time zone.
    """

    def __init__(
        self, folder: Path, sandboxes: NetworkSandboxes, python: str, installers: Mapping[str, Installer],
        policy: Policy | None = None, most_bytes: int = MOST_BYTES,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:  # fmt: skip
        self._folder = folder
        self._sandboxes = sandboxes
        self._python = python
        self._installers = installers
        self._policy = policy or Policy()
        self._most_bytes = most_bytes
        self._clock = clock
        self._lock = threading.Lock()
        self._turns: WeakValueDictionary[tuple[str, ...], _Turn] = WeakValueDictionary()

    def prepare(self, runtime: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Have these packages, with all that they need; a package that cannot be had is an answer.

        Raises:
            RequirementError: a requirement is not well formed.
            PolicyError: a package is not allowed; names it, the rule and the way out.
            SandboxFaultError: the sandbox failed.
        """
        installer = self._installers.get(runtime)
        if installer is None:
            return Prepared(False, detail=f"{runtime} has no prepared environments; {', '.join(self._installers)} have")
        wanted = installer.check(requirements)
        for requirement in wanted:
            self._policy.check_name(installer.language, installer.name_of(requirement))
        known = self._remembered(installer, wanted)
        if known is not None:
            return known
        with self._lock:
            mine = self._turns.setdefault((installer.language, *wanted), _Turn())
        # Two who want the same fetch it once; nobody waits for what others want.
        with mine.lock:
            known = self._remembered(installer, wanted)
            if known is not None:
                return known
            return self._fetch(installer, wanted, cancelled)

    def _fetch(self, installer: Installer, wanted: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        now = self._clock()
        try:
            with self._sandboxes(LIMITS, DISK_BYTES, installer.files(wanted)) as sandbox:
                fetched = installer.fetch(Desk(sandbox, self._python, cancelled), wanted, self._policy, now)
        except CannotBeHadError as error:
            return Prepared(False, detail=str(error))
        except UnfinishedError as error:
            return Prepared(False, detail=f"{', '.join(wanted)}: {error}")
        self._policy.check(installer.language, fetched.packages, now)
        answer = self._answer(installer, wanted, tuple(sorted(fetched.packages)))
        unpack(fetched.archive, self._folder / answer.environment_id)
        # It may have been there already, by other words, and be the one used longest ago.
        _mark_used(self._folder / answer.environment_id)
        with self._lock:
            self._remember(installer, wanted, answer)
            evict(self._folder, self._most_bytes, keep=answer.environment_id)
        return answer

    def _answer(self, installer: Installer, wanted: tuple[str, ...], packages: tuple[Package, ...]) -> Prepared:
        return Prepared(True, environment_id(packages, installer.made_for(wanted), installer.runtime), packages)

    def _note(self, installer: Installer, wanted: tuple[str, ...]) -> Path:
        # Other rules may have let in what is not allowed any more.
        text = "\n".join([installer.interpreter, repr(self._policy), *wanted])
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"

    def _remembered(self, installer: Installer, wanted: tuple[str, ...]) -> Prepared | None:
        if not installer.is_pinned(wanted):
            return None
        try:
            content = json.loads(self._note(installer, wanted).read_text())
            packages = tuple(Package(**package) for package in content["packages"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        answer = self._answer(installer, wanted, packages)
        return answer if _mark_used(self._folder / answer.environment_id) else None

    def _remember(self, installer: Installer, wanted: tuple[str, ...], answer: Prepared) -> None:
        with draft_beside(self._note(installer, wanted)) as draft:
            draft.write_text(json.dumps({"packages": [vars(package) for package in answer.packages]}))


def _mark_used(environment: Path) -> bool:
    """Make it the last to be removed for room; whether it is there."""
    try:
        os.utime(environment)
    except FileNotFoundError:
        return False
    return True


@contextlib.contextmanager
def use_environment(folder: Path, environment_id: str, language: Language) -> Generator[None]:
    """Prove that a job can have an environment, which stays as long as the context does.

    Args:
        folder: Where environments lie.
        environment_id: Its name; empty for none.
        language: The job's.

    Raises:
        JobRefusedError: it is not there, or holds packages of another language.
    """
    if not environment_id:
        yield
        return
    environment = folder / environment_id
    if not environment.is_dir():
        raise _missing(environment_id)
    runtime = runtime_of(environment_id)
    if runtime != language.runtime:
        raise JobRefusedError(
            f"holds packages of {runtime}, and the job is {language.name}", thing=environment_id,
            way_out=f"prepare one for {language.name}, or name none",
        )  # fmt: skip
    with _locked(environment, fcntl.LOCK_SH) as held:
        if not held or not _mark_used(environment):
            raise _missing(environment_id)
        yield
        _mark_used(environment)


def _missing(environment_id: str) -> JobRefusedError:
    return JobRefusedError("no such environment", thing=environment_id, way_out="prepare it first, with Prepare")


@contextlib.contextmanager
def _locked(environment: Path, kind: int) -> Generator[bool]:
    """Hold a lock on an environment; gives False where it is removed meanwhile, or others hold it."""
    try:
        descriptor = os.open(environment, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        yield False
        return
    try:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
            # Whoever held it before may have put it away.
            held = environment.stat().st_ino == os.fstat(descriptor).st_ino
        except (BlockingIOError, FileNotFoundError):
            held = False
        yield held
    finally:
        os.close(descriptor)


def evict(folder: Path, most_bytes: int, keep: str = "", unused_s: float = UNUSED_S) -> list[str]:
    """Remove environments, the one used longest ago first, until the rest fits; none that a job or a session has.

    Args:
        folder: Where they lie; its time of change tells when one was used last.
        most_bytes: What they may take together.
        keep: One that stays.
        unused_s: One that was used within so many seconds stays: whoever was told of it may be about to use it.

    Returns:
        What was removed.
    """
    found = [(path.stat().st_mtime, path) for path in folder.iterdir() if path.is_dir() and path.name[0] != "."]
    sizes = {path: sum(file.lstat().st_size for file in path.rglob("*")) for _, path in found}
    removed: list[str] = []
    for used, path in sorted(found):
        if sum(sizes.values()) <= most_bytes:
            break
        if path.name == keep or time.time() - used < unused_s:
            continue
        with _locked(path, fcntl.LOCK_EX) as unused:
            if not unused:
                continue
            gone = path.with_name(f".{path.name}")
            path.rename(gone)
            shutil.rmtree(gone, ignore_errors=True)
        del sizes[path]
        removed.append(path.name)
    return removed
