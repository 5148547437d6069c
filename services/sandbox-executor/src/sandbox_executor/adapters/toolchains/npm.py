"""Packages of npm, which comes with Node: fetched once, and held to their checksum."""

from __future__ import annotations

import hashlib
import tarfile
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.adapters.unpacking import unpack_data
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from touchstone_runtime.settings import network_variables


def folder(runtime: Runtime) -> Path:
    """Where npm lies."""
    return runtime.executable.parent.parent / "lib" / "node_modules" / "npm"


def unpack(runtime: Runtime, package: str, sha512: str, scratch: Path, way_out: str) -> Path:
    """Fetch a package and unpack it; none of its scripts are run.

    Args:
        runtime: Node.
        package: Name and exact version: `typescript@5.9.3`.
        sha512: Checksum of its archive, hexadecimal.
        scratch: An empty folder.
        way_out: What a person can do where it cannot be had.

    Returns:
        The folder of its files.

    Raises:
        JobRefusedError: it cannot be had, or is not the one that was asked for.
    """
    program = str(folder(runtime) / "bin" / "npm-cli.js")
    command = [str(runtime.executable), "--use-system-ca", program, "pack", package, "--pack-destination"]
    try:
        # npm finds its mirror in the user's own settings, therefore the real home folder.
        run_tool(
            [*command, str(scratch), "--ignore-scripts"],
            environment={**network_variables(), "HOME": str(Path.home())},
            cwd=scratch,
        )
    except SandboxFaultError as error:
        raise JobRefusedError(f"it cannot be fetched: {error}", thing=package, way_out=way_out) from error
    (archive,) = scratch.glob("*.tgz")
    with archive.open("rb") as stream:
        if hashlib.file_digest(stream, "sha512").hexdigest() != sha512:
            raise JobRefusedError("what was fetched has another checksum", thing=package, way_out=way_out)
    with tarfile.open(archive) as members:
        unpack_data(members, scratch)
    return scratch / "package"
