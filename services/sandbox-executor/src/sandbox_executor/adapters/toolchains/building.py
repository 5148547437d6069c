"""Building a toolchain's folder once, whichever of several executors comes first.

Only trusted things run here: the runtimes themselves, on sources that ship with this service. A candidate's
source never comes near.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from sandbox_executor.errors import SandboxFaultError

_TOOL_WITHIN_S = 600.0
_WORDS = 1500


def run_tool(command: list[str], *, environment: dict[str, str] | None = None, cwd: Path | None = None) -> str:
    """Run a trusted tool with exactly these variables; give what it printed.

    Raises:
        SandboxFaultError: it failed; its words are in the message.
    """
    try:
        done = subprocess.run(
            command,
            env={"PATH": "/usr/bin:/bin", "HOME": tempfile.gettempdir(), "LANG": "C.UTF-8", **(environment or {})},
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TOOL_WITHIN_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SandboxFaultError(f"{Path(command[0]).name} does not run: {error}", thing=command[0]) from error
    if done.returncode != 0:
        words = (done.stderr or done.stdout).strip()[-_WORDS:]
        raise SandboxFaultError(f"{Path(command[0]).name} failed: {words}", thing=" ".join(command)[:300])
    return done.stdout


def content_key(files: list[Path], *facts: str) -> str:
    """A short name for what is built from these files under these facts."""
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(fact.encode() + b"\0")
    for file in sorted(files):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]


def go_variables(scratch: Path) -> dict[str, str]:
    """Variables that keep a build of Go modules, and all that it fetches, within a folder."""
    return {
        "CGO_ENABLED": "0",
        "GOCACHE": str(scratch / "cache"),
        "GOMODCACHE": str(scratch / "modules"),
        "GOPATH": str(scratch / "path"),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Have a folder that `build` fills, made only where it is not there yet.

    Args:
        folder: Where it shall lie; its name must say what is in it.
        build: Fills an empty folder; called at most once, under a lock between processes.

    Returns:
        The folder.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _locked(folder.with_name(f".{folder.name}.lock")):
        if folder.is_dir():
            return folder
        # Under the lock no one else is building: a draft that lies here was left by a builder that was killed.
        for left in folder.parent.glob(f".{folder.name}.draft-*"):
            shutil.rmtree(left, ignore_errors=True)
        draft = folder.with_name(f".{folder.name}.draft-{os.getpid()}")
        draft.mkdir()
        try:
            build(draft)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return folder


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield
