"""Running the tools that build a toolchain.

Only trusted things run here: the runtimes themselves, on sources that ship with this service. A candidate's
source never comes near.
"""

from __future__ import annotations

import hashlib
import subprocess
import tempfile
from pathlib import Path

from sandbox_executor.errors import SandboxFaultError

# Enough for the slowest, compiling Go's library, on a machine that does much else.
_TOOL_WITHIN_S = 1800.0
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
    """A short name for what is built from these files under these facts, wherever the files lie."""
    digest = hashlib.sha256()
    for fact in facts:
        digest.update(fact.encode() + b"\0")
    for file in sorted(files, key=lambda file: file.name):
        digest.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:16]
