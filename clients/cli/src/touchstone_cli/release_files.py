"""Writes the files of an export."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar

CHECKSUMS = "SHA256SUMS"


def write_export(folder: Path, pieces: Iterable[Any], *, force: bool) -> tuple[int, int]:
    """Write the pieces of an export to a folder; gives how many files and bytes they are.

    With `force` the files of a former export there go first, and nothing else does. Whoever wrote that export may be a
    stranger: what its links lead to is neither deleted nor written.

    Raises:
        CliError: the folder is not empty, cannot be written, or a path or a link leads out of it.
    """
    files = size = 0
    current, stream, far = "", None, HowFar("MB written")
    try:
        for number, piece in enumerate(pieces):
            if not number:
                # Only now: where there is no such release, nothing is touched.
                _make_room(folder, force=force)
            if piece.path != current or stream is None:
                if stream is not None:
                    stream.close()
                current, stream = piece.path, _open(folder, piece.path)
                files += 1
            stream.write(piece.data)
            size += len(piece.data)
            far.at(size // 1_000_000)
    except OSError as error:
        raise CliError(f"{error.filename or folder}: {error.strerror}") from error
    finally:
        if stream is not None:
            stream.close()
    return files, size


def demand_room(folder: Path, *, force: bool) -> None:
    """Refuse a folder to write to that is a file, or not empty unless that is allowed.

    Raises:
        CliError: it is one of the two.
    """
    if folder.exists() and not folder.is_dir():
        raise CliError(f"{folder}: is a file; name a folder")
    if not force and folder.is_dir() and any(folder.iterdir()):
        raise CliError(f"{folder}: is not empty; name another folder, or add --force")


def _make_room(folder: Path, *, force: bool) -> None:
    demand_room(folder, force=force)
    if folder.is_dir():
        former = former_files(folder)
        for path in former:
            _demand_below(folder, path)
        for path in former:
            path.unlink(missing_ok=True)
        for child in folder.glob("*/__pycache__"):
            if not child.parent.is_symlink():
                shutil.rmtree(child, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)


def former_files(folder: Path) -> list[Path]:
    """The files of the export that lies in a folder, as its checksums name them."""
    sums = folder / CHECKSUMS
    if not sums.is_file():
        return []
    named = [line[66:] for line in sums.read_text("utf-8", "replace").split("\n")]
    return [folder / name for name in named if is_inside(name)] + [sums]


def is_inside(path: str) -> bool:
    """Whether a relative path stays where it begins."""
    pure = PurePosixPath(path)
    return bool(pure.parts) and not pure.is_absolute() and ".." not in pure.parts and "\0" not in path


def _open(folder: Path, path: str) -> BinaryIO:
    if not is_inside(path):
        raise CliError(f"{path!r}: leads out of the folder; is the generator of another version?")
    target = folder / path
    _demand_below(folder, target)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A link in its place, of either kind, is replaced and not written through.
    target.unlink(missing_ok=True)
    return os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb")


def _demand_below(folder: Path, path: Path) -> None:
    """Refuse a path whose folder a link leads out: what is deleted and written lies in the folder that was named."""
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise CliError(f"{path}: a link leads out of {folder}; name another folder")
