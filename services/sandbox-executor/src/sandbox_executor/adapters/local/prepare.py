"""Builds dependency environments: wheels only, fetched and unpacked in a sandbox that has the network and nothing else.

No code of a package runs here. What comes out of the sandbox is one archive, which is unpacked outside with
every path checked, then mounted read-only into jobs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import shutil
import sys
import tarfile
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from sandbox_executor.adapters.programs import run_command
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.requirements import Package, Prepared, check_requirements, environment_id, is_pinned
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from sandbox_executor.ports import Cancellation

_MIB = 1024 * 1024
# What all environments may take on disk, and for how long one that was used is not removed: longer than any job runs.
MOST_BYTES = 16 * 1024 * _MIB
UNUSED_S = 3600.0
DISK_BYTES = 768 * _MIB
LIMITS = Limits(300.0, 300.0, 2048 * _MIB, 8 * _MIB, 32)
PIP_INSIDE = "/runtime/pip"
_ARCHIVE = "environment.tar"
_REPORT = "report.json"
_WORDS = 1500
_PACK = (
    "import tarfile\n"
    "with tarfile.open('/work/environment.tar', 'w') as archive:\n"
    "    archive.add('/work/environment', '.')\n"
)
# What fetching needs of the host besides a job's own root: names, certificates, pip.
NETWORK_FILES = ("/etc/resolv.conf", "/etc/ssl", "/etc/ca-certificates", "/usr/share/ca-certificates")


class NetworkSandboxes(Protocol):
    """Makes sandboxes that share the host's network."""

    def __call__(self, limits: Limits, disk_bytes: int) -> AbstractContextManager[Sandbox]:
        """A fresh one, removed when the context ends."""
        ...


def network_binds(certificates: Path | None) -> list[tuple[str, str]]:
    """Mounts of a sandbox with network: (path outside, path inside).

    Args:
        certificates: A bundle that settings name; mounted at its own path.
    """
    found = [(str(Path(name).resolve()), name) for name in NETWORK_FILES if Path(name).exists()]
    if certificates is not None and certificates.is_file() and not str(certificates).startswith("/etc/ssl/"):
        found.append((str(certificates), str(certificates)))
    pip = find_pip()
    return [*found, (str(pip), f"{PIP_INSIDE}/{pip.name}")]


def find_pip() -> Path:
    """The folder of pip, or the wheel of it that comes with Python.

    Raises:
        JobRefusedError: there is neither.
    """
    spec = importlib.util.find_spec("pip")
    if spec is not None and spec.origin is not None:
        return Path(spec.origin).parent
    bundled = importlib.util.find_spec("ensurepip")
    if bundled is not None and bundled.origin is not None:
        for wheel in (Path(bundled.origin).parent / "_bundled").glob("pip-*.whl"):
            return wheel
    raise JobRefusedError("pip is not installed", thing="pip", way_out="python -m ensurepip")


class Preparer:
    """Makes environments and remembers them.

    Args:
        folder: Where environments lie, one folder each.
        sandboxes: Makes sandboxes with network.
        python: The interpreter's path inside.
        variables: pip's settings: index, certificates, proxies.
        most_bytes: What all environments together may take; the ones used longest ago go first.
    """

    def __init__(
        self, folder: Path, sandboxes: NetworkSandboxes, python: str, variables: Mapping[str, str],
        most_bytes: int = MOST_BYTES,
    ) -> None:  # fmt: skip
        self._folder = folder
        self._sandboxes = sandboxes
        self._python = python
        self._variables = dict(variables)
        self._interpreter = f"{sys.implementation.cache_tag}"
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._fetching: dict[tuple[str, ...], threading.Lock] = {}

    def prepare(self, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Have these packages, with all that they need; a package that cannot be had is an answer.

        Raises:
            RequirementError: a requirement is not well formed.
            SandboxFaultError: the sandbox failed.
        """
        wanted = check_requirements(requirements)
        known = self._remembered(wanted) if is_pinned(wanted) else None
        if known is not None:
            return known
        with self._lock:
            mine = self._fetching.setdefault(wanted, threading.Lock())
        # Two who want the same fetch it once; nobody waits for what others want.
        with mine:
            known = self._remembered(wanted) if is_pinned(wanted) else None
            if known is not None:
                return known
            answer = self._fetch(wanted, cancelled)
            if answer.ready:
                with self._lock:
                    self._remember(wanted, answer)
                    evict(self._folder, self._most_bytes, keep=answer.environment_id)
            return answer

    def _fetch(self, wanted: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        with self._sandboxes(LIMITS, DISK_BYTES) as sandbox:
            install = (
                "-m", "pip", "install", "--only-binary=:all:", "--no-compile", "--no-cache-dir", "--no-input",
                "--disable-pip-version-check", "--no-warn-script-location", "--quiet", "--report", f"/work/{_REPORT}",
                "--target", "/work/environment", "--", *wanted,
            )  # fmt: skip
            failed = self._run(sandbox, install, cancelled)
            if failed:
                return Prepared(False, detail=failed)
            failed = self._run(sandbox, ("-c", _PACK), cancelled)
            if failed:
                return Prepared(False, detail=failed)
            brought = dict(sandbox.collect((_REPORT, _ARCHIVE), DISK_BYTES))
        if set(brought) != {_REPORT, _ARCHIVE}:
            return Prepared(False, detail=f"larger than {DISK_BYTES // _MIB} MiB")
        packages = read_report(brought[_REPORT])
        name = environment_id(packages, self._interpreter)
        self._unpack(brought[_ARCHIVE], name)
        return Prepared(True, name, packages)

    def _run(self, sandbox: Sandbox, arguments: tuple[str, ...], cancelled: Cancellation) -> str:
        """Run Python in the sandbox; gives the words of a failure, or nothing."""
        environment = {
            **self._variables, "HOME": "/work", "PATH": "/usr/bin:/bin", "TMPDIR": "/tmp",
            "LANG": "C.UTF-8", "PYTHONPATH": pip_path(),
        }  # fmt: skip
        command = Command(
            "exec", (self._python, "-S", "-s", "-P", "-B", *arguments), environment, {"CORE": 1, "FSIZE": DISK_BYTES}
        )
        end = time.monotonic() + LIMITS.total_timeout_s
        signs, words = run_command(
            sandbox, command, stdin=b"", output_bytes=LIMITS.output_bytes, end=end, cancelled=cancelled
        )
        if signs.ending is not None and signs.ending.exit_code == 0:
            return ""
        if signs.timed_out:
            return f"not done after {LIMITS.total_timeout_s:.0f} s"
        return read_words(words)

    def _unpack(self, archive: bytes, name: str) -> None:
        target = self._folder / name
        if target.is_dir():
            return
        draft = self._folder / f".{name}"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        try:
            with tarfile.open(fileobj=io.BytesIO(archive)) as stream:
                # Refuses absolute and escaping paths, links out of the folder, devices, and odd modes.
                stream.extractall(draft, filter="data")
            draft.rename(target)
        except (tarfile.TarError, OSError) as error:
            raise SandboxFaultError(f"cannot unpack an environment: {error}", thing=name) from error
        finally:
            shutil.rmtree(draft, ignore_errors=True)

    def _note(self, wanted: tuple[str, ...]) -> Path:
        text = "\n".join([self._interpreter, *wanted])
        return self._folder / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.json"

    def _remembered(self, wanted: tuple[str, ...]) -> Prepared | None:
        try:
            content = json.loads(self._note(wanted).read_text())
            packages = tuple(Package(**package) for package in content["packages"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        name = environment_id(packages, self._interpreter)
        return Prepared(True, name, packages) if (self._folder / name).is_dir() else None

    def _remember(self, wanted: tuple[str, ...], answer: Prepared) -> None:
        note = self._note(wanted)
        draft = note.with_suffix(".part")
        draft.write_text(json.dumps({"packages": [vars(package) for package in answer.packages]}))
        draft.replace(note)


def evict(folder: Path, most_bytes: int, keep: str = "", unused_s: float = UNUSED_S) -> list[str]:
    """Remove environments, the one used longest ago first, until the rest fits.

    Args:
        folder: Where they lie; its time of change tells when one was used last.
        most_bytes: What they may take together.
        keep: One that stays.
        unused_s: One that was used within so many seconds stays: a job may have it mounted.

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
        gone = path.with_name(f".{path.name}")
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
        del sizes[path]
        removed.append(path.name)
    return removed


def pip_path() -> str:
    """What Python's path must hold inside, so that pip is found."""
    pip = find_pip()
    return f"{PIP_INSIDE}/{pip.name}" if pip.suffix == ".whl" else PIP_INSIDE


def read_report(data: bytes) -> tuple[Package, ...]:
    """The packages of pip's report, with the hashes of their wheels.

    Raises:
        SandboxFaultError: it is no such report.
    """
    try:
        report: dict[str, Any] = json.loads(data)
        packages = [
            Package(
                str(item["metadata"]["name"]),
                str(item["metadata"]["version"]),
                str(item["download_info"]["archive_info"]["hashes"]["sha256"]),
            )
            for item in report["install"]
        ]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise SandboxFaultError(f"pip's report cannot be read: {error}", thing=_REPORT) from error
    return tuple(sorted(packages))


def read_words(words: str) -> str:
    """The lines of pip's output that say what is wrong."""
    lines = [line.strip() for line in words.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR")]
    return "; ".join(errors or lines[-3:])[:_WORDS] or "pip failed without a word"
