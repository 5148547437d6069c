"""All kinds of sources behind one port."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingester.adapters.archives import UnpackLimits
from ingester.adapters.file_facts import file_time
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.scratch import Scratch
from ingester.adapters.trees import FolderTree
from ingester.adapters.unpacking import unpack_apart
from ingester.errors import SourceRefusedError
from ingester.ports import OpenSource, Source, SourceFile, SourceVersion, Step


class Reader:
    """Finds and opens packages, repositories, folders and archives.

    Args:
        index: Releases of packages.
        git: Repositories.
        scratch: Folder for downloads and unpacked files; made when missing, emptied after each source, and of what a
            killed process left in it.
        limits: Caps on what an archive may hold.
    """

    def __init__(self, index: PackageIndex, git: GitRepository, scratch: Path, limits: UnpackLimits) -> None:
        self._index = index
        self._git = git
        self._scratch = Scratch(scratch)
        self._limits = limits

    def find(self, source: Source) -> SourceVersion:
        """The newest version of a source, or the one that it names; see `SourceReader.find`."""
        match source.kind:
            case "package":
                return self._index.newest(source)[0]
            case "git":
                commit = self._git.head(source.name, source.revision)
                # The commit's date is known only once it is here; until then it counts as recent.
                return SourceVersion(commit, None, source.name)
            case "folder":
                return _folder_version(_existing(source, Path.is_dir, "folder"), self._limits)
            case "archive":
                path = _existing(source, Path.is_file, "file")
                changed = file_time(path.stat().st_mtime)
                return SourceVersion(_sha256(path), changed, path.name)

    def earlier(self, source: Source, version: SourceVersion) -> Sequence[SourceVersion]:
        """Releases of a package before a version; see `SourceReader.earlier`."""
        if source.kind != "package" or version.released_at is None:
            return ()
        before = version.released_at
        published = [each for each in self._index.published(source) if each.version != version.version]
        return [each for each in published if each.released_at is None or each.released_at < before]

    @contextmanager
    def open(self, source: Source, version: SourceVersion) -> Iterator[OpenSource]:
        """Fetch and unpack a version; see `SourceReader.open`."""
        if source.kind == "folder":
            yield FolderTree(Path(source.name), self._limits.file_bytes, timed=True)
            return
        with tempfile.TemporaryDirectory(prefix="source-", dir=self._scratch.folder()) as made:
            folder = Path(made)
            if source.kind == "git":
                target = folder / "clone"
                self._git.checkout(source.name, version.version, target)
                dates = _dates(self._git, target)
                past = _Past(self._git, target, self._limits.file_bytes)
                yield FolderTree(target, self._limits.file_bytes, dates, past, self._git.begins(target))
                return
            archive = Path(source.name)
            if source.kind == "package":
                archive = self._download(source, version, folder)
            target = folder / "unpacked"
            target.mkdir()
            unpack_apart(archive, target, self._limits)
            yield FolderTree(target, self._limits.file_bytes, timed=source.kind == "archive")

    def _download(self, source: Source, version: SourceVersion, folder: Path) -> Path:
        found = self._index.archive_of(source, version.version)
        archive = folder / found.filename
        self._index.download(found, archive)
        return archive


@dataclass(frozen=True)
class _Past:
    """The history of a clone."""

    git: GitRepository
    clone: Path
    file_bytes: int

    def before(self, date: datetime) -> Iterator[SourceFile]:
        return self.git.files_before(self.clone, date, self.file_bytes)

    def steps(self, since: datetime) -> Sequence[Step]:
        line = self.git.main_line(self.clone)
        old = max((place for place, step in enumerate(line) if step.at < since), default=0)
        return line[old:]

    def files_at(self, commit: str) -> Iterator[SourceFile]:
        return self.git.files_of(self.clone, [commit], self.file_bytes)


def _dates(git: GitRepository, target: Path) -> Callable[[str], list[datetime]]:
    return lambda path: list(git.line_dates(target, path))


def _existing(source: Source, holds: Callable[[Path], bool], what: str) -> Path:
    path = Path(source.name)
    if not path.is_absolute() or not holds(path):
        raise SourceRefusedError(f"is no {what}", thing=source.name, way_out=f"name the absolute path of a {what}")
    return path


def _folder_version(root: Path, limits: UnpackLimits) -> SourceVersion:
    """A folder's version is a hash of its source files; its date is that of the newest file."""
    digest = hashlib.sha256()
    newest = 0.0
    tree = FolderTree(root, limits.file_bytes)
    for name in tree.paths():
        path = root / name
        newest = max(newest, path.stat().st_mtime)
        digest.update(f"{name}\0{_sha256(path)}\n".encode())
    date = file_time(newest) if newest else None
    return SourceVersion(digest.hexdigest()[:16], date, root.name)


def _sha256(path: Path) -> str:
    with path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
