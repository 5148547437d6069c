"""The TypeScript compiler, used only to check types; transpiling is Node's own work."""

from __future__ import annotations

import hashlib
import tarfile
import tempfile
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import build_once, run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.errors import JobRefusedError, SandboxFaultError

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
    npm = runtime.executable.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            str(runtime.executable),
            "--use-system-ca",
            str(npm),
            "pack",
            f"typescript@{VERSION}",
            "--pack-destination",
            scratch,
        ]
        try:
            # npm finds its mirror in the user's own settings, therefore the real home folder.
            run_tool([*command, "--ignore-scripts"], environment={"HOME": str(Path.home())}, cwd=Path(scratch))
        except SandboxFaultError as error:
            raise JobRefusedError(
                f"the TypeScript checker cannot be fetched: {error}", thing=f"typescript {VERSION}", way_out=way_out
            ) from error
        archive = Path(scratch) / f"typescript-{VERSION}.tgz"
        if hashlib.sha512(archive.read_bytes()).hexdigest() != _SHA512:
            raise JobRefusedError("the TypeScript checker that was fetched is not the right one", thing=str(archive))
        with tarfile.open(archive) as members:
            members.extractall(scratch, filter="data")
        (Path(scratch) / "package").rename(folder / "typescript")
