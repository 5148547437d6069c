"""The TypeScript compiler, used only to check types; transpiling is Node's own work."""

from __future__ import annotations

import tempfile
from pathlib import Path

from sandbox_executor.adapters.toolchains import npm
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from touchstone_runtime.building import build_once

VERSION = "5.9.3"
_SHA512 = (
    "8e5d6f6733c38a72ebf5e52ddc9feded5e8580d130f508ef04f772b33f4a7d00"
    "c3e357d0ac2d98e2f290762694a454f86d795bd511e12e9a7cc2d9ba3394e04b"
)


def find(root: Path) -> Path | None:
    """The checker's folder, where it was fetched before."""
    folder = root / f"typescript-{VERSION}"
    return folder if folder.is_dir() else None


def fetch(runtime: Runtime, root: Path) -> Path:
    """Have the checker; fetched with npm, which comes with Node, and proved by its checksum.

    Raises:
        JobRefusedError: it cannot be had.
    """
    return build_once(root / f"typescript-{VERSION}", lambda folder: _fetch(runtime, folder))


def _fetch(runtime: Runtime, folder: Path) -> None:
    way_out = "run once where the package index can be reached, or ask without type_check"
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        package = npm.unpack(runtime, f"typescript@{VERSION}", _SHA512, Path(scratch), way_out)
        package.rename(folder / "typescript")
