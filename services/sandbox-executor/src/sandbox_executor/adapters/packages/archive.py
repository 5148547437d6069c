"""What came out of a sandbox as one archive: measured, and unpacked with every path checked."""

from __future__ import annotations

import io
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from sandbox_executor.adapters.unpacking import unpack_data
from sandbox_executor.domain.packages import Measured
from sandbox_executor.errors import SandboxFaultError

# By how they begin, and by what loaders take for a library or a module: machine code of this kind of machine.
_ELF = b"\x7fELF"
_LIBRARIES = (".so", ".node", ".dylib", ".dll", ".pyd", ".exe")


def measure(archive: bytes, owners: Mapping[str, str]) -> dict[str, Measured]:
    """Size and kind of what each package brought.

    Args:
        archive: An uncompressed tar.
        owners: Whose a file is, by its path or by a folder above it, the nearest first.

    Returns:
        By owner; files that nobody owns are the empty name's.

    Raises:
        SandboxFaultError: it is no archive.
    """
    sizes: dict[str, int] = {}
    native: set[str] = set()
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as stream:
            for member in stream:
                if not member.isfile():
                    continue
                path = PurePosixPath(member.name)
                owner = next((owners[str(each)] for each in (path, *path.parents) if str(each) in owners), "")
                sizes[owner] = sizes.get(owner, 0) + member.size
                content = stream.extractfile(member)
                library = path.name.endswith(_LIBRARIES) or ".so." in path.name
                if library or (content is not None and content.read(len(_ELF)) == _ELF):
                    native.add(owner)
    except (tarfile.TarError, OSError, ValueError) as error:
        raise SandboxFaultError(f"an environment cannot be read: {error}", thing="archive") from error
    return {owner: Measured(size, owner in native) for owner, size in sizes.items()}


def members(archive: bytes, suffix: str) -> dict[str, bytes]:
    """The content of the files whose paths end like this, by path.

    Raises:
        SandboxFaultError: it is no archive.
    """
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as stream:
            found: dict[str, bytes] = {}
            for member in stream:
                if member.isfile() and member.name.endswith(suffix):
                    content = stream.extractfile(member)
                    found[str(PurePosixPath(member.name))] = content.read() if content is not None else b""
            return found
    except (tarfile.TarError, OSError, ValueError) as error:
        raise SandboxFaultError(f"an environment cannot be read: {error}", thing="archive") from error


def unpack(archive: bytes, target: Path) -> None:
    """Unpack into a folder that appears whole or not at all; one that is there is left.

    Raises:
        SandboxFaultError: a path in it, or the disk, does not allow it.
    """
    if target.is_dir():
        return
    draft = Path(tempfile.mkdtemp(dir=target.parent, prefix="."))
    draft.chmod(0o755)
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as stream:
            # Refuses absolute and escaping paths, links out of the folder, devices, and odd modes.
            unpack_data(stream, draft)
        draft.rename(target)
    except (tarfile.TarError, OSError) as error:
        if target.is_dir():
            # Somebody else, who asked for it in other words, was faster.
            return
        raise SandboxFaultError(f"cannot unpack an environment: {error}", thing=target.name) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
