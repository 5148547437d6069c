"""Unpack an archive that somebody else made: no path escapes, links, devices or bombs."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import IO, Self

from ingester.adapters.file_facts import defines, file_time, python_by_name
from ingester.errors import SourceRefusedError
from touchstone_runtime.errors import words_of

_CHUNK = 1 << 20


@dataclass(frozen=True)
class UnpackLimits:
    """What an archive may hold.

    Attributes:
        files: Most members.
        total_bytes: Most bytes over all unpacked files.
        file_bytes: Most bytes of one file; a larger one is left out, since no source file is that large. One that may
            define Python functions leaves an empty file of more bytes, so that nobody takes it for one that never was.
        path_characters: Longest path.
    """

    files: int = 50_000
    total_bytes: int = 1 << 30
    file_bytes: int = 4 << 20
    path_characters: int = 400


@dataclass(frozen=True)
class _Member:
    name: str
    size: int
    # None for what is left out: folders, links, devices.
    handle: IO[bytes] | None
    # When it was changed, as it says, in seconds of the epoch.
    modified: float = 0.0


class _Whole(tarfile.TarInfo):
    """A member of an archive that must end as one does: the library takes a damaged header for the end of all."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """The member of a header."""
        try:
            return super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as error:
            if buf == bytes(tarfile.BLOCKSIZE):
                raise
            raise tarfile.ReadError(f"{error}, where a file or the end should be") from error


def unpack(archive: Path, target: Path, limits: UnpackLimits | None = None) -> int:
    """Unpack regular files of a tar (any compression) or zip archive below a folder.

    Links, devices and sockets are left out: nothing that a source needs to be read.

    Args:
        archive: The file.
        target: An empty folder.
        limits: Caps; the defaults suit packages.

    Returns:
        How many files were written.

    Raises:
        SourceRefusedError: it is no archive, is damaged, holds a path outside, or passes a cap.
    """
    caps = limits or UnpackLimits()
    written = total = seen = 0
    try:
        with _members(archive) as members:
            for member in members:
                seen += 1
                if seen > caps.files:
                    raise _refused(archive, f"holds more than {caps.files} files")
                # What is left out is read all the same: it counts.
                total += member.size
                if total > caps.total_bytes:
                    raise _refused(archive, f"unpacks to more than {caps.total_bytes} bytes")
                if member.handle is None:
                    continue
                path = _inside(archive, member.name, caps)
                if path is None:
                    continue
                if member.size > caps.file_bytes:
                    _stand_in(member, target / path, caps)
                    continue
                _write(archive, member, target / path)
                written += 1
    except (tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        why = words_of(error).rstrip(":") or type(error).__name__
        raise _refused(archive, f"is damaged or no archive: {why}") from error
    except (OSError, RuntimeError) as error:
        if isinstance(error, SourceRefusedError):
            raise
        raise _refused(archive, f"cannot be unpacked: {error}") from error
    return written


def _refused(archive: Path, why: str) -> SourceRefusedError:
    return SourceRefusedError(why, thing=archive.name, way_out="use another release, or remove the source")


def _inside(archive: Path, name: str, caps: UnpackLimits) -> PurePosixPath | None:
    """The member's path, None for one that names the folder itself."""
    if "\0" in name or "\\" in name:
        raise _refused(archive, f"holds a path that is no plain path: {name[:80]!r}")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise _refused(archive, f"holds a path that leads outside: {name[:80]!r}")
    if len(name) > caps.path_characters:
        raise _refused(archive, f"holds a path of {len(name)} characters")
    return path if path.parts else None


def _write(archive: Path, member: _Member, path: Path) -> None:
    assert member.handle is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    left = member.size
    with path.open("wb") as out:
        # The size in the header is a claim: no more than that is ever written.
        while left > 0 and (chunk := member.handle.read(min(_CHUNK, left))):
            out.write(chunk)
            left -= len(chunk)
        if left == 0 and member.handle.read(1):
            raise _refused(archive, f"lies about the size of {member.name!r}")
    _set_time(path, member.modified)


def _stand_in(member: _Member, path: Path, caps: UnpackLimits) -> None:
    """What stands for a file of Python functions that is too large."""
    handle = member.handle
    if handle is None or not python_by_name(path.name) or not defines(iter(lambda: handle.read(_CHUNK), b"")):
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as out:
        out.seek(caps.file_bytes)
        out.write(b"\ndef")
    _set_time(path, member.modified)


def _set_time(path: Path, seconds: float) -> None:
    at = file_time(seconds).timestamp()
    os.utime(path, (at, at))


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[_Member]]:
    if zipfile.is_zipfile(archive) and not tarfile.is_tarfile(archive):
        with zipfile.ZipFile(archive) as opened:
            yield _zip_members(opened)
    else:
        with tarfile.open(archive, "r:*", tarinfo=_Whole) as opened:
            yield _tar_members(opened)


def _tar_members(opened: tarfile.TarFile) -> Iterator[_Member]:
    for member in opened:
        handle = opened.extractfile(member) if member.isreg() else None
        yield _Member(member.name, member.size if member.isreg() else 0, handle, float(member.mtime))
    # Only at its very end a compressed stream tells whether all of it was sound.
    while opened.fileobj and opened.fileobj.read(_CHUNK):
        pass


def _zip_members(opened: zipfile.ZipFile) -> Iterator[_Member]:
    for member in opened.infolist():
        mode = member.external_attr >> 16
        if member.is_dir() or (mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode)):
            yield _Member(member.filename, 0, None)
            continue
        with opened.open(member) as handle:
            yield _Member(member.filename, member.file_size, handle, _zip_time(member))


def _zip_time(member: zipfile.ZipInfo) -> float:
    """When a member was changed; archives know no zone, and a few not even a day."""
    try:
        return datetime(*member.date_time, tzinfo=UTC).timestamp()
    except ValueError:
        return 0.0
