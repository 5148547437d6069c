"""What is built once a machine: under a lock between processes, and resumed where an earlier build was interrupted."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from pathlib import Path

from touchstone_runtime.errors import RetryableError

_PROGRESS_EVERY = 25
_WORDS = 1500

Progress = Callable[[str], None]


def build_once(folder: Path, build: Callable[[Path], None]) -> Path:
    """Have a folder that `build` fills, made only where it is not there yet.

    Args:
        folder: Where it shall lie; its name must say what is in it.
        build: Fills an empty folder; called at most once, under a lock between processes.

    Returns:
        The folder.
    """
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with locked(folder.with_name(f".{folder.name}.lock")):
        if folder.is_dir():
            return folder
        # Under the lock no one else is building: a draft that lies here was left by a builder that was killed.
        for left in folder.parent.glob(f".{folder.name}.draft-*"):
            shutil.rmtree(left, ignore_errors=True)
        draft = folder.with_name(f".{folder.name}.draft-{os.getpid()}")
        draft.mkdir()
        try:
            build(draft)
            draft.rename(folder)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return folder


@contextlib.contextmanager
def locked(path: Path, how: int = fcntl.LOCK_EX) -> Generator[None]:
    """Hold a lock between processes.

    Args:
        path: The file that stands for it; made where it is not there.
        how: As for `fcntl.flock`: for one alone, or LOCK_SH, for all who share it; with LOCK_NB it is not waited for.

    Raises:
        BlockingIOError: it is held by others, and was not to be waited for.
    """
    with path.open("w") as stream:
        fcntl.flock(stream, how)
        yield


@dataclass(frozen=True)
class GoProgram:
    """A program that is built from its Go module.

    Attributes:
        name: What people call it.
        version: Its version; part of the folder's name.
        module: Folder of our `go.mod` and `go.sum`: what they do not name is not taken.
        package: The package to build.
        binary: File name of the program.
        linking: Flags for the linker.
        disk_bytes: Room that the build needs for a while.
        setting: Variable that names a program that is there already.
        tags: Build tags, comma-separated.
        others: Further packages of the module, each built beside it as a program of the package's last name, which is
            then the name of `binary`, too.
    """

    name: str
    version: str
    module: Path
    package: str
    binary: str
    linking: str = "-s -w"
    disk_bytes: int = 3 << 30
    setting: str = ""
    tags: str = ""
    others: tuple[str, ...] = ()

    def place(self, cache: Path) -> Path:
        """Where it lies, or will lie, in a folder for caches."""
        return cache.resolve() / "bin" / f"{self.name.lower()}-{self.version}" / self.binary


def build_go(
    program: GoProgram, cache: Path, go: Path, variables: Mapping[str, str], progress: Progress
) -> Path:  # fmt: skip
    """Have a program; built where it is not there yet. What an interrupted build fetched and compiled is kept.

    Args:
        program: What to build.
        cache: Folder for caches.
        go: The command `go`.
        variables: What fetching Go modules needs of the environment: proxies, certificates.
        progress: Told, in words, how far it is.

    Returns:
        The program.

    Raises:
        RetryableError: it cannot be built; the compiler's words are in the message.
    """
    target = program.place(cache)
    # Beside the program and not within its draft: what is there outlives a build that is stopped.
    work = target.parent.with_name(f".{target.parent.name}.work")
    if not target.is_file():
        build_once(target.parent, lambda folder: _build(program, folder, work, go, variables, progress))
        progress(f"{program.name}: {program.version} is built")
    # Only behind it: who is stopped while so much is removed keeps the program, and the next call removes the rest.
    shutil.rmtree(work, ignore_errors=True)
    return target


def go_variables(scratch: Path) -> dict[str, str]:
    """Variables that keep a build of Go modules, and all that it fetches, within a folder."""
    return {
        "CGO_ENABLED": "0",
        "GOCACHE": str(scratch / "cache"),
        "GOMODCACHE": str(scratch / "modules"),
        "GOPATH": str(scratch / "path"),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
    }


def _build(
    program: GoProgram, folder: Path, work: Path, go: Path, variables: Mapping[str, str], progress: Progress
) -> None:  # fmt: skip
    work.mkdir(exist_ok=True)
    resumed = (work / "cache").is_dir()
    free = shutil.disk_usage(folder).free
    if free < program.disk_bytes and not resumed:
        raise RetryableError(
            f"building {program.name} needs {program.disk_bytes >> 30} GiB for a while, {free >> 30} are free",
            thing=str(folder.parent),
            way_out="free some space, or point TOUCHSTONE_CACHE at a larger disk",
        )
    module = work / "module"
    shutil.rmtree(module, ignore_errors=True)
    shutil.copytree(program.module, module)
    environment = {
        **variables,
        **go_variables(work),
        # Read-only: what go.mod and go.sum do not name is not taken.
        "GOFLAGS": "-mod=readonly -modcacherw -trimpath -buildvcs=false",
        # Go finds its mirror in the user's own settings, therefore the real home folder.
        "HOME": str(Path.home()),
        "PATH": "/usr/bin:/bin",
    }
    progress(f"{program.name}: {'going on with an earlier build' if resumed else 'fetching its sources'}")
    tags = ["-tags", program.tags] if program.tags else []
    packages = (program.package, *program.others)
    listed = _run(program, [str(go), "list", *tags, "-deps", "-f", "{{.Stale}}", *packages], environment, module)
    count = listed.split().count("true")
    seen = 0

    def built(line: str) -> None:
        nonlocal seen
        if line.startswith("go:") or " " in line.strip():
            return
        seen += 1
        if seen % _PROGRESS_EVERY == 0:
            progress(f"{program.name}: {min(seen, count)} of {count} packages compiled")

    nice = shutil.which("nice", path="/usr/bin:/bin")
    gently = [nice, "-n", "10"] if nice else []
    # Several programs go into a folder, and only there does each get the name of its package.
    output = str(folder / program.binary) if not program.others else f"{folder}/"
    flags = [*tags, "-v", "-ldflags", program.linking, "-o", output]
    _run(program, [*gently, str(go), "build", *flags, *packages], environment, module, built)


def _run(
    program: GoProgram, command: list[str], environment: Mapping[str, str], folder: Path,
    listen: Callable[[str], None] | None = None,
) -> str:  # fmt: skip
    """Run the Go command; gives what it printed, passes on each line of its error stream."""
    words: list[str] = []
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
            text=True, errors="replace",
        ) as process,
    ):  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            words.append(line)
            if listen is not None:
                listen(line)
        code = process.wait()
        printed.seek(0)
        output = printed.read()
    if code != 0:
        named = f", or name one by {program.setting}" if program.setting else ""
        raise RetryableError(
            f"{program.name} cannot be built: {''.join(words).strip()[-_WORDS:]}",
            thing=program.package,
            way_out=f"run it again where Go modules can be fetched (what is done is kept){named}",
        )
    return output
