"""The newest release of a package, for benches: needs the package index; nothing of a package is imported or run."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pypi_simple import DistributionPackage

from ingester.adapters.archives import unpack
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.trees import FolderTree
from ingester.domain.own_tests import packed
from ingester.ports import Source, SourceFile, SourceVersion

# 54,000 functions in 3,400 files.
PACKAGES = [
    "babel",
    "boltons",
    "dateparser",
    "humanize",
    "inflect",
    "markdown",
    "more-itertools",
    "networkx",
    "pygments",
    "pyparsing",
    "python-slugify",
    "sympy",
    "tabulate",
    "textdistance",
    "toolz",
]


@dataclass(frozen=True, eq=False)
class InMemory:
    """The files of a package by path, as siblings of each other."""

    files: Mapping[str, bytes]

    def paths(self) -> Collection[str]:
        """Their paths."""
        return self.files.keys()

    def read(self, path: str) -> bytes | None:
        """The content of one."""
        return self.files.get(path)


@contextmanager
def newest(name: str) -> Generator[tuple[SourceVersion, Iterator[SourceFile]]]:
    """The version, and the Python files as they lie in the archive; they are gone afterwards."""
    index = PackageIndex()
    version, archive = index.newest(Source(name, "package", name))
    with _unpacked(index, archive) as files:
        yield version, files


@contextmanager
def release(name: str, version: str) -> Generator[tuple[SourceVersion, Iterator[SourceFile]]]:
    """As `newest`, of the release that is named."""
    index = PackageIndex()
    found, archive = index.newest(Source(name, "package", name, revision=version))
    with _unpacked(index, archive) as files:
        yield found, files


@contextmanager
def with_tests(name: str, version: str = "") -> Generator[tuple[SourceVersion, Iterator[SourceFile], bytes]]:
    """As `newest`, or `release` where a version is named, with the release's own tests as one archive."""
    index = PackageIndex()
    found, archive = index.newest(Source(name, "package", name, revision=version))
    with tempfile.TemporaryDirectory() as made:
        tree = _tree(index, archive, Path(made))
        yield found, _python(tree), packed(tree.tests())


@contextmanager
def _unpacked(index: PackageIndex, archive: DistributionPackage) -> Generator[Iterator[SourceFile]]:
    with tempfile.TemporaryDirectory() as made:
        yield _python(_tree(index, archive, Path(made)))


def _tree(index: PackageIndex, archive: DistributionPackage, folder: Path) -> FolderTree:
    index.download(archive, folder / archive.filename)
    (folder / "unpacked").mkdir()
    unpack(folder / archive.filename, folder / "unpacked")
    return FolderTree(folder / "unpacked")


def _python(tree: FolderTree) -> Iterator[SourceFile]:
    return (file for file in tree.files() if file.path.endswith(".py"))
