"""Archives are unpacked into a folder and nowhere else, also by Debian 12's Python, which has no filters for it yet."""

from __future__ import annotations

import tarfile
from pathlib import Path, PurePosixPath


def unpack_data(archive: tarfile.TarFile, folder: Path) -> None:
    """Unpack plain data: absolute and escaping paths, links out of the folder, devices and odd modes are refused.

    Raises:
        tarfile.TarError: it holds something else.
    """
    if hasattr(tarfile, "data_filter"):
        archive.extractall(folder, filter="data")
        return
    members = archive.getmembers()
    links = {PurePosixPath(member.name) for member in members if member.issym()}
    for member in members:
        _prove_plain(member)
        if links & set(PurePosixPath(member.name).parents):
            raise tarfile.ExtractError(f"{member.name!r} lies behind a link")
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        member.uid = member.gid = 0
    # Links last: nothing is written through one.
    archive.extractall(folder, sorted(members, key=tarfile.TarInfo.issym))


def _prove_plain(member: tarfile.TarInfo) -> None:
    """Raise where a member is neither a file nor a folder nor a link within the archive.

    Raises:
        tarfile.TarError: so it is.
    """
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts or not (member.isfile() or member.isdir() or member.issym()):
        raise tarfile.ExtractError(f"{member.name!r} is no plain data")
    if member.issym():
        depth = len(path.parent.parts)
        for part in PurePosixPath(member.linkname).parts:
            depth += -1 if part == ".." else 1
            if depth < 0 or part == "/":
                raise tarfile.ExtractError(f"{member.name!r} leads out of the folder")
