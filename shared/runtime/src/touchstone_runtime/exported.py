"""An export as it lies on a disk or in the blob store: its files, its parts, and what else lies there."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from touchstone_runtime.blobs import BlobStore

_DIGEST = re.compile(r"[0-9a-f]{64}")
# So many are named one by one; the others are counted.
LISTED = 20
# What reading data of others ends with where it is not laid out as ours is: lists within lists without end among it.
UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, SyntaxError, RecursionError)


@dataclass(frozen=True, slots=True)
class Stray:
    """What lies in the folder of an export and is no part of it.

    Attributes:
        path: Where, relative to the folder, with slashes; what lies below a stray folder is not named again.
        words: What it is, as the end of a sentence about it.
    """

    path: str
    words: str


class BlobParts:
    """Parts of releases as they lie in the blob store: nothing is checked.

    Args:
        blobs: The store.
    """

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest, sound or not; None when there are none.

        Who opens a part compares digests, and names those that differ.
        """
        return await self._blobs.get_at(f"{digest[:2]}/{digest}") if _DIGEST.fullmatch(digest) else None

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        return f"blob {digest[:2]}/{digest}"


class FolderParts:
    """Parts as they lie in an exported folder: nothing is checked.

    Args:
        folder: The folder with one file for each digest.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def get(self, digest: str) -> bytes | None:
        """The bytes that lie under a digest; None when there are none."""
        path = self._folder / digest
        if not _DIGEST.fullmatch(digest) or not path.is_file():
            return None
        return await asyncio.to_thread(path.read_bytes)

    def place(self, digest: str) -> str:
        """Where that is, for people."""
        return str(self._folder / digest)


class ExportedFolder:
    """A folder that an export was written to, whoever has had it since.

    Args:
        folder: The folder.

    Attributes:
        name: The folder, as the caller named it.
        parts: The parts in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self.name = str(folder)
        self.parts = FolderParts(folder / "parts")

    async def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none inside of the folder."""
        target = file_inside(self._folder, path)
        return await asyncio.to_thread(target.read_bytes) if target else None

    async def digest(self, path: str) -> str:
        """SHA-256 of a file; empty when there is none inside of the folder."""
        target = file_inside(self._folder, path)
        return await asyncio.to_thread(_digest_of, target) if target else ""

    async def strays(self, belonging: Collection[str]) -> list[Stray]:
        """What lies in the folder beside these files."""
        return await asyncio.to_thread(strays_of, self._folder, belonging)


def _digest_of(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def listed_sums(data: bytes) -> list[tuple[str, str]]:
    """Digests and paths of a list of checksums, as `sha256sum` writes it; of a line of another form no path.

    Args:
        data: The list, whoever wrote it.
    """
    lines = [line.partition("  ") for line in data.decode("utf-8", "replace").splitlines()]
    return [(stated, path) for stated, _, path in lines]


def file_inside(folder: Path, path: str) -> Path | None:
    """The file of a relative path, links followed; None where there is none, or it lies outside of the folder.

    Args:
        folder: Resolved.
        path: As a list of files names it, whoever wrote that list.
    """
    try:
        target = (folder / path).resolve()
        return target if target.is_relative_to(folder) and target.is_file() else None
    except (OSError, ValueError):
        # No file has a name that is too long or holds a NUL.
        return None


def strays_of(folder: Path, belonging: Collection[str]) -> list[Stray]:
    """What lies in a folder and belongs to no export of these files, hidden things too, by path.

    Links are never followed, and one where a file should be is a stray itself: what it leads to is not in the folder.

    Args:
        folder: The folder of an export.
        belonging: Paths of all its files, relative, with slashes.
    """
    files = set(belonging)
    folders = {str(above) for path in files for above in PurePosixPath(path).parents}
    found: list[Stray] = []
    waiting = [""]
    while waiting:
        below = waiting.pop()
        try:
            entries = list(os.scandir(folder / below))
        except OSError as error:
            found.append(Stray(below, f"cannot be looked into: {error.strerror}"))
            continue
        for entry in entries:
            path = f"{below}/{entry.name}" if below else entry.name
            if path in folders and entry.is_dir(follow_symlinks=False):
                waiting.append(path)
            elif path not in files or not entry.is_file(follow_symlinks=False):
                found.append(Stray(path, _words(entry, path in files, path in folders)))
    return sorted(found, key=lambda stray: stray.path)


def _words(entry: os.DirEntry[str], a_file: bool, a_folder: bool) -> str:
    if entry.is_symlink():
        kind = "a link"
    elif entry.is_dir(follow_symlinks=False):
        kind = "a folder"
    else:
        kind = "a file" if entry.is_file(follow_symlinks=False) else "a pipe, socket or device"
    if a_file or a_folder:
        return f"is {kind} where the release has a {'file' if a_file else 'folder'}"
    return f"is {kind} that is no part of the release"


def stray_lines(name: str, strays: Collection[Stray]) -> list[str]:
    """One line each for people, the first `LISTED`; the others are counted.

    Args:
        name: The folder, as the caller named it.
        strays: What `strays_of` found.
    """
    lines = [f"{name}/{stray.path} {stray.words}" for stray in list(strays)[:LISTED]]
    more = len(strays) - len(lines)
    return [*lines, f"{name} holds {more} more that {'is' if more == 1 else 'are'} no part of it"] if more else lines
