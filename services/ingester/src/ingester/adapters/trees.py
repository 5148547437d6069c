"""A folder of unpacked files, read one by one."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from ingester.adapters.file_facts import defines, file_time, holds_python, may_hold_python, python_by_name
from ingester.domain import licences
from ingester.domain.other_languages import language_of
from ingester.domain.places import is_project, is_run, is_text
from ingester.ports import SourceFile, Step

LEFT_OUT = frozenset({".git", ".hg", "node_modules", "__pycache__", ".venv", "venv", ".tox", "site-packages"})
# A larger file beside tests is a recording or a corpus, and few tests need it.
_TEST_BYTES = 1 << 20
_CHUNK = 1 << 20
# Archives that say nothing of time say 1970, or where they cannot count so far back, 1980.
_NO_TIME = datetime(1980, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class FolderSiblings:
    """The Python files below a folder, by path; can be handed to another process.

    Attributes:
        root: The folder.
        file_bytes: Larger files are left out.
        opened: Tells one opening of the folder from another, between which files may change.
    """

    root: str
    file_bytes: int
    opened: str

    def paths(self) -> list[str]:
        """Their relative paths, in order."""
        return [path for path in FolderTree(Path(self.root)).paths() if path.endswith(".py")]

    def read(self, path: str) -> bytes | None:
        """The content of one; none where it cannot be read."""
        file = Path(self.root) / path
        try:
            if file.is_symlink() or file.stat().st_size > self.file_bytes:
                return None
            return file.read_bytes()
        except OSError:
            return None


def _no_dates(_path: str) -> Sequence[datetime]:
    return ()


class Past(Protocol):
    """The history of a folder; see `OpenSource`."""

    def before(self, date: datetime) -> Iterator[SourceFile]:
        """The files of every commit before a date that was built upon since then."""
        ...

    def steps(self, since: datetime) -> Sequence[Step]:
        """The last commit before a date and those since, oldest first."""
        ...

    def files_at(self, commit: str) -> Iterator[SourceFile]:
        """The source files as a commit had them."""
        ...


@dataclass(frozen=True)
class FolderTree:
    """The source files below a folder.

    Attributes:
        root: The folder.
        file_bytes: Larger files are left out.
        line_dates: Tells the date of each line's last change, by path; nothing where there is no history.
        past: The commits before, and their files; none where there is no history.
        begins: Where history is cut off, the date of what it begins with.
        timed: Whether the times of the files tell how old they are.
    """

    root: Path
    file_bytes: int = 4 << 20
    line_dates: Callable[[str], Sequence[datetime]] = field(default=_no_dates)
    past: Past | None = None
    begins: datetime | None = None
    timed: bool = False
    siblings: FolderSiblings = field(init=False)

    def __post_init__(self) -> None:
        """Tell the opened folder from one that is opened at the same place later."""
        object.__setattr__(self, "siblings", FolderSiblings(str(self.root), self.file_bytes, uuid.uuid4().hex))

    @property
    def licence(self) -> str:
        """SPDX expression from metadata or a licence file of the root, or of an archive its one folder, or ""."""
        stated = licences.of_files(self._stating(self.root))
        inside = [path for path in sorted(self.root.iterdir()) if path.is_dir() and not path.is_symlink()]
        # A wheel keeps its metadata beside its code, a source archive everything in one folder.
        described = [path for path in inside if path.name.endswith(".dist-info")]
        only = described if described else inside if len([*self.root.iterdir()]) == 1 else []
        if stated is None and len(only) == 1:
            stated = licences.of_files(self._stating(only[0]))
        return stated or ""

    @staticmethod
    def _stating(folder: Path) -> dict[str, str]:
        return {path.name: _text(path) for path in sorted(folder.iterdir()) if licences.is_file(path.name)}

    def paths(self) -> Iterator[str]:
        """Relative paths of the source files, in order; links are not followed, and names that are no text left out."""
        return (name for name in self._named(_is_source) if is_text(name))

    def _named(self, wanted: Callable[[str], bool]) -> Iterator[str]:
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            for name in sorted(names):
                path = Path(folder) / name
                if wanted(name) and not path.is_symlink() and path.is_file():
                    yield path.relative_to(self.root).as_posix()

    def tests(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of what lies where the source's own tests are, and of the file that says what they need."""
        for folder, folders, names in os.walk(self.root, followlinks=False):
            folders[:] = sorted(name for name in folders if name not in LEFT_OUT)
            for name in sorted(names):
                path = Path(folder) / name
                inner = path.relative_to(self.root).as_posix()
                if not (is_run(inner) or is_project(inner)) or not is_text(inner):
                    continue
                if path.is_symlink() or not path.is_file():
                    continue
                if path.stat().st_size <= _TEST_BYTES:
                    yield inner, path.read_bytes()

    def steps(self, since: datetime) -> Sequence[Step]:
        """The last commit before a date and those since; none where there is no history."""
        return self.past.steps(since) if self.past is not None else ()

    def before(self, date: datetime) -> Iterator[SourceFile]:
        """What `held` would have given of every line of history before a date; nothing where there is no history."""
        if self.past is not None:
            yield from self.past.before(date)

    def files_at(self, commit: str) -> Iterator[SourceFile]:
        """What `held` would have given of a commit; nothing where there is no history."""
        if self.past is not None:
            yield from self.past.files_at(commit)

    def modified(self, path: str) -> datetime | None:
        """The time that a file bears; none where times tell nothing here, or the file bears none."""
        if not self.timed:
            return None
        at = file_time((self.root / path).stat().st_mtime)
        return at if at > _NO_TIME else None

    def files(self) -> Iterator[SourceFile]:
        """The source files with their contents; those that are too large, or whose name is no text, with a problem."""
        for name in self._named(_is_source):
            path = self.root / name
            if not is_text(name):
                yield SourceFile(_written(name), b"", problem="has a name that is no text")
            elif path.stat().st_size > self.file_bytes:
                yield SourceFile(name, b"", problem=f"is larger than {self.file_bytes} bytes")
            else:
                yield SourceFile(name, path.read_bytes(), self.line_dates(name))

    def held(self) -> Iterator[SourceFile]:
        """Every file that may hold Python functions; one that is too large is read for whether it defines any."""
        for name in self._named(may_hold_python):
            path = self.root / name
            if path.stat().st_size <= self.file_bytes:
                content = path.read_bytes()
                if holds_python(path.name, content):
                    yield SourceFile(_written(name), content)
                continue
            if not python_by_name(path.name):
                continue
            with path.open("rb") as opened:
                if defines(iter(lambda: opened.read(_CHUNK), b"")):
                    yield SourceFile(_written(name), b"", problem=f"is larger than {self.file_bytes} bytes")


def _is_source(name: str) -> bool:
    # A stub has no code.
    return bool(language_of(name)) and not name.lower().endswith(".pyi")


def _written(name: str) -> str:
    """A name as it can be written down."""
    return name.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _text(path: Path) -> str:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > 1 << 20:
        return ""
    return path.read_text("utf-8", errors="replace")
