"""Writes the files of an export."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar

CHECKSUMS = "SHA256SUMS"


def write_export(folder: Path, pieces: Iterable[Any], *, force: bool) -> tuple[int, int]:
    """Write the pieces of an export to a folder; gives how many files and bytes they are.

    They are written beside it, and take their place when all are there: an export that is broken off leaves nothing.
    With `force` the files of a former export there go first, and nothing else does. Whoever wrote that export may be a
    stranger: what its links lead to is neither deleted nor written.

    Raises:
        CliError: the folder is not empty, cannot be written, or a path or a link leads out of it.
    """
    waiting = iter(pieces)
    # Only with the first: where there is no such release, nothing is touched.
    first = next(waiting, None)
    if first is None:
        return 0, 0
    demand_room(folder, force=force)
    try:
        with _beside(folder) as draft:
            paths, size = _written(draft, chain([first], waiting))
            _put(draft, folder, paths, force=force)
    except OSError as error:
        raise CliError(f"{error.filename or folder}: {error.strerror}") from error
    return len(paths), size


@contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """An empty folder of the same file system, which is gone afterwards."""
    where = folder.resolve()
    for above in where.parents:
        if above.is_dir():
            break
    else:
        above = where
    if where.is_dir() and (above.stat().st_dev != where.stat().st_dev or not os.access(above, os.W_OK)):
        above = where
    with tempfile.TemporaryDirectory(prefix=f".{where.name}.", suffix=".part", dir=above) as made:
        draft = Path(made) / "export"
        # The outer one is closed to others; this one will be the export.
        draft.mkdir()
        yield draft


def _written(draft: Path, pieces: Iterable[Any]) -> tuple[list[str], int]:
    """The paths of the files that were written to a folder of our own, in order, and all their bytes."""
    paths: dict[str, None] = {}
    size = 0
    current, stream, far = "", None, HowFar("MB written")
    try:
        for piece in pieces:
            if piece.path != current or stream is None:
                if stream is not None:
                    stream.close()
                current, stream = piece.path, _open(draft, piece.path)
                paths[current] = None
            stream.write(piece.data)
            size += len(piece.data)
            far.at(size // 1_000_000)
    finally:
        if stream is not None:
            stream.close()
    return list(paths), size


def _put(draft: Path, folder: Path, paths: list[str], *, force: bool) -> None:
    """Move an export that is whole to where it shall be."""
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        draft.rename(folder)
        return
    for path in paths:
        _demand_below(folder, folder / path)
    _make_room(folder, force=force)
    # The checksums first: what they name goes with the next export, should this be broken off here.
    for path in sorted(paths, key=lambda each: each != CHECKSUMS):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        # A link in its place, of either kind, is replaced and not written through.
        (draft / path).replace(target)


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
    target.parent.mkdir(parents=True, exist_ok=True)
    # A path that comes again is written anew.
    target.unlink(missing_ok=True)
    return os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb")


def _demand_below(folder: Path, path: Path) -> None:
    """Refuse a path whose folder a link leads out: what is deleted and written lies in the folder that was named."""
    if not path.parent.resolve().is_relative_to(folder.resolve()):
        raise CliError(f"{path}: a link leads out of {folder}; name another folder")
