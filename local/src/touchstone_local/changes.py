"""What a running platform was started with, and what differs from it now: code and settings."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from touchstone_local import processes
from touchstone_local.settings import Folders, checkout, environment

_PLACES = ("services", "shared", "clients/web/src", "local/src")
_FILES = ("requirements.lock", "models.toml", "sources.toml")
# Where a platform lies is what it is found by; none of its processes is told anything else by these.
_NOT_COMPARED = ("TOUCHSTONE_STATE", "TOUCHSTONE_CACHE", "TOUCHSTONE_TOKEN")


def record(folders: Folders) -> None:
    """Write down what a platform is started with; settings as digests with a salt, for some of them are secret."""
    salt = secrets.token_hex(8)
    content = {"salt": salt, "code": _code(), "settings": _settings(environment(), salt)}
    processes.write_whole(_file(folders), json.dumps(content, indent=1) + "\n")


def since_start(folders: Folders) -> list[str]:
    """What changed since the platform was started: names of settings, and "the code"; empty when nothing did."""
    try:
        before: dict[str, Any] = json.loads(_file(folders).read_text())
        salt, code, settings = str(before["salt"]), str(before["code"]), dict(before["settings"])
    except (OSError, ValueError, KeyError, TypeError):
        return []
    now = _settings(environment(), salt)
    changed = sorted(name for name in settings.keys() | now.keys() if settings.get(name) != now.get(name))
    return changed + (["the code"] if code != _code() else [])


def _file(folders: Folders) -> Path:
    return folders.state / "started.json"


def _settings(variables: Mapping[str, str], salt: str) -> dict[str, str]:
    return {
        name: hashlib.sha256(f"{salt}{name}={value}".encode()).hexdigest()[:16]
        for name, value in variables.items()
        if name.startswith("TOUCHSTONE_") and name not in _NOT_COMPARED and value
    }


def _code() -> str:
    """A digest of what the processes run: every source file's name, size and time."""
    try:
        root = checkout()
    except FileNotFoundError:
        return ""
    digest = hashlib.sha256()
    found = [root / name for name in _FILES]
    for place in _PLACES:
        found += [path for path in (root / place).rglob("*") if _counts(path.relative_to(root))]
    for path in sorted(found):
        if path.is_file():
            status = path.stat()
            digest.update(f"{path.relative_to(root)} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _counts(path: Path) -> bool:
    """Whether processes may run it: what other languages are judged by is no Python."""
    made = any(part == "__pycache__" or part.endswith(".egg-info") or part.startswith(".") for part in path.parts)
    return "src" in path.parts and not made
