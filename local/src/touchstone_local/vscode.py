"""The packages of the VS Code extension, as its lock names them: `make tools TOOLS=vscode`.

They lie in the cache under the lock's digest, so that clones share them and a new lock has a folder of its own; npm
holds each to the lock's checksum and runs none of their scripts.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from pathlib import Path

from touchstone_local import node
from touchstone_local.settings import checkout
from touchstone_runtime.building import build_once

SIZE_BYTES = 38_000_000
_READ = ("package.json", "package-lock.json", ".npmrc")


def source() -> Path:
    """The extension's folder in the checkout."""
    return checkout() / "clients" / "vscode"


def place(cache: Path) -> Path:
    """Where its packages lie, or would lie."""
    digest = hashlib.sha256((source() / "package-lock.json").read_bytes()).hexdigest()
    return cache / f"vscode-{digest[:16]}"


def find(cache: Path) -> Path | None:
    """The folder `node_modules`, where the packages were fetched before."""
    found = place(cache) / "node_modules"
    return found if found.is_dir() else None


def ensure(cache: Path) -> Path:
    """Have the packages; gives the folder `node_modules`.

    Raises:
        LocalError: they cannot be had.
    """
    return build_once(place(cache), _fetch) / "node_modules"


def _fetch(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        for name in _READ:
            shutil.copy(source() / name, scratch)
        node.npm(["ci", "--ignore-scripts"], Path(scratch), "packages of the VS Code extension")
        (Path(scratch) / "node_modules").rename(folder / "node_modules")
