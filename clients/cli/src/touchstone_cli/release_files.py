"""Writes the files of an export."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast

from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar
from touchstone_cli.output import counted, one_line, say
from touchstone_runtime.exported import listed_sums

CHECKSUMS = "SHA256SUMS"
# What an export says of itself, and no other folder with checksums does.
ABOUT = "export.json"
_SAID = frozenset({"format", "layout", "release", "digest"})
# So many files are named.
_NAMED = 5


def write_export(folder: Path, pieces: Iterable[Any], *, force: bool) -> tuple[int, int]:
    """Write the pieces of an export to a folder; gives how many files and bytes they are.

    They are written beside it, and take their place when all are there: an export that is broken off leaves nothing.
    With `force` the files of a former export there go first, as far as they are what was exported, and nothing else
    does. Whoever wrote that export may be a stranger: what its links lead to is neither deleted nor written.

    Raises:
        CliError: the folder is not empty, cannot be written, a path or a link leads out of it, or a file would be
            written over that no export put there, or that was changed since.
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
    demand_room(folder, force=force)
    former = former_files(folder)
    _demand_free(folder, paths, former)
    _make_room(folder, former)
    # First what says that this is an export, and its checksums: what they name goes with the next export, should this
    # be broken off here.
    first = (ABOUT, CHECKSUMS)
    for path in sorted(paths, key=lambda each: first.index(each) if each in first else len(first)):
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


class Former(NamedTuple):
    """The files of an export that lies in a folder: those that are as they were exported, and those changed since."""

    whole: list[Path]
    changed: list[Path]


def former_files(folder: Path) -> Former:
    """The files of the export that lies in a folder, as its checksums name them; none where it is no export of ours."""
    about, sums = folder / ABOUT, folder / CHECKSUMS
    if not _is_export(about):
        return Former([], [])
    whole, changed = [path for path in (about, sums) if path.is_file()], []
    for stated, name in listed_sums(sums.read_bytes()) if sums.is_file() else ():
        path = folder / name
        # A link is none of its files, whatever it leads to.
        if is_inside(name) and name != ABOUT and path.is_file() and not path.is_symlink():
            _demand_below(folder, path)
            (whole if _digest(path) == stated else changed).append(path)
    return Former(whole, changed)


def _is_export(about: Path) -> bool:
    try:
        said: object = json.loads(about.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(said, dict) and set(cast("dict[str, object]", said)) >= _SAID


def _digest(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _demand_free(folder: Path, paths: Iterable[str], former: Former) -> None:
    """Refuse to write over what no export put there; a link holds nothing."""
    own = set(former.whole)
    for path in paths:
        target = folder / path
        above = [each for each in target.parents if each.is_relative_to(folder) and each != folder]
        taken = [each for each in above if each.exists() and not each.is_dir()]
        taken += [target] if target.exists() and not target.is_symlink() else []
        if lost := [each for each in taken if each not in own]:
            changed = lost[0] in former.changed
            why = "was changed since it was exported" if changed else "is there, and no file of an export"
            raise CliError(f"{lost[0]}: {why}; move it away, or name another folder")


def _make_room(folder: Path, former: Former) -> None:
    """Delete a former export; what was changed since stays."""
    for path in former.whole:
        path.unlink(missing_ok=True)
    for parent in {path.parent for path in former.whole} - {folder}:
        # What Python leaves beside programs of an export that were run.
        if not (parent / "__pycache__").is_symlink():
            shutil.rmtree(parent / "__pycache__", ignore_errors=True)
    if former.changed:
        named = ", ".join(one_line(str(path)) for path in former.changed[:_NAMED])
        more = f" and {len(former.changed) - _NAMED} more" if len(former.changed) > _NAMED else ""
        files = counted(len(former.changed), "file was", "files were")
        say(f"{files} changed since the former export and kept: {named}{more}")


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
